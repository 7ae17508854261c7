// The registries. One mutex: registrations are rare, and calls of a graph do not come here.
#include "registry.h"

#include "definition.h"

#include <dlfcn.h>

#include <map>
#include <mutex>

namespace ferrata::native {

namespace {

struct CreatorEntry {
  ge::BaseOpCreator create;
  Origin origin;
  std::unique_ptr<ge::BaseCustomOp> instance;
};
struct PrototypeEntry {
  OperatorCreator create;
  Origin origin;
  bool implied;
  std::unique_ptr<Prototype> parsed;
};
struct V2Entry {
  gert::OpImplFunctionsV2 functions;
  Origin origin;
};

struct Registry {
  std::recursive_mutex mutex; // a creator may register in turn
  uint64_t serial = 0;
  std::map<std::string, PrototypeEntry> prototypes;
  std::map<std::string, CreatorEntry> creators;
  std::map<std::string, V1Functions> v1;
  std::map<std::string, V2Entry> v2;
  std::vector<Conflict> conflicts;
  std::vector<std::pair<std::string, ge::CustomOpCreateFunc>> pull_list;
  std::vector<std::unique_ptr<Prototype>> replaced;
};

// Never destroyed: libraries are unloaded in any order.
Registry &All() {
  static Registry *registry = new Registry();
  return *registry;
}
using Lock = std::lock_guard<std::recursive_mutex>;

std::unique_ptr<ge::BaseCustomOp> Create(const ge::BaseOpCreator &creator) {
  try {
    return creator();
  } catch (...) { // an author's constructor; the caller sees that there is no instance
    return nullptr;
  }
}

} // namespace

Origin OriginOf(const void *address, const char *file, int line) {
  Dl_info info{};
  const bool known = dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  return {known ? info.dli_fname : "", file ? file : "", line};
}

uint64_t Serial() {
  Lock lock(All().mutex);
  return All().serial;
}

ge::graphStatus AddPrototype(const char *type, const OperatorCreator &creator, const Origin &origin, bool implied) {
  Registry &all = All();
  Lock lock(all.mutex);
  ++all.serial;
  const auto added = all.prototypes.try_emplace(type, PrototypeEntry{creator, origin, implied, nullptr});
  if (added.second)
    return ge::GRAPH_SUCCESS;
  PrototypeEntry &entry = added.first->second;
  if (entry.implied) {
    if (entry.parsed)
      all.replaced.push_back(std::move(entry.parsed)); // pointers to it stay valid
    entry = PrototypeEntry{creator, origin, implied, nullptr};
    return ge::GRAPH_SUCCESS;
  }
  if (implied)
    return ge::GRAPH_SUCCESS;
  all.conflicts.push_back({"prototype", type, added.first->second.origin, origin});
  return ge::GRAPH_FAILED;
}

const Prototype *PrototypeOf(const std::string &type) {
  Registry &all = All();
  Lock lock(all.mutex);
  const auto found = all.prototypes.find(type);
  if (found == all.prototypes.end())
    return nullptr;
  PrototypeEntry &entry = found->second;
  if (!entry.parsed)
    entry.parsed.reset(new Prototype{type, entry.create(ge::AscendString(type.c_str())), entry.origin});
  return entry.parsed.get();
}

ge::Operator CreateOperator(const std::string &name, const std::string &type) {
  OperatorCreator create;
  {
    Lock lock(All().mutex);
    const auto found = All().prototypes.find(type);
    if (found == All().prototypes.end())
      return {};
    create = found->second.create;
  }
  return create(ge::AscendString(name.c_str()));
}

std::vector<std::string> PrototypeTypes() {
  Lock lock(All().mutex);
  std::vector<std::string> types;
  for (const auto &entry : All().prototypes)
    types.push_back(entry.first);
  return types;
}

ge::graphStatus AddCreator(const std::string &type, const ge::BaseOpCreator &creator, const Origin &origin) {
  if (!creator)
    return ge::GRAPH_PARAM_INVALID;
  Registry &all = All();
  Lock lock(all.mutex);
  ++all.serial;
  const auto added = all.creators.try_emplace(type, CreatorEntry{creator, origin, nullptr});
  if (added.second)
    return ge::GRAPH_SUCCESS;
  all.conflicts.push_back({"creator", type, added.first->second.origin, origin});
  return ge::GRAPH_FAILED;
}

void AddToPullList(const char *type, ge::CustomOpCreateFunc creator) {
  if (type == nullptr || *type == '\0' || creator == nullptr)
    return;
  Lock lock(All().mutex);
  All().pull_list.emplace_back(type, creator);
}

const std::vector<std::pair<std::string, ge::CustomOpCreateFunc>> &PullList() { return All().pull_list; }

void RemoveCreator(const std::string &type) {
  Lock lock(All().mutex);
  ++All().serial;
  All().creators.erase(type);
}

ge::BaseCustomOp *InstanceOf(const std::string &type) {
  Lock lock(All().mutex);
  const auto found = All().creators.find(type);
  if (found == All().creators.end())
    return nullptr;
  if (!found->second.instance)
    found->second.instance = Create(found->second.create);
  return found->second.instance.get();
}

std::unique_ptr<ge::BaseCustomOp> NewInstance(const std::string &type) {
  Lock lock(All().mutex);
  const auto found = All().creators.find(type);
  return found == All().creators.end() ? nullptr : Create(found->second.create);
}

std::vector<std::string> CreatorTypes() {
  Lock lock(All().mutex);
  std::vector<std::string> types;
  for (const auto &entry : All().creators)
    types.push_back(entry.first);
  return types;
}

bool AddV1(V1Kind kind, const char *type, const std::function<ge::graphStatus(ge::Operator &)> &function) {
  Registry &all = All();
  Lock lock(all.mutex);
  ++all.serial;
  V1Functions &functions = all.v1[type];
  auto &place = kind == V1Kind::infer_shape    ? functions.infer_shape
                : kind == V1Kind::infer_format ? functions.infer_format
                : kind == V1Kind::verify       ? functions.verify
                                               : functions.infer_value_range;
  if (place) {
    all.conflicts.push_back({"inference function", type, {}, {}});
    return false;
  }
  place = function;
  return true;
}

V1Functions V1FunctionsOf(const std::string &type) {
  Lock lock(All().mutex);
  const auto found = All().v1.find(type);
  return found == All().v1.end() ? V1Functions() : found->second;
}

void MergeV2(const std::string &type, const gert::OpImplFunctionsV2 &functions, const Origin &origin) {
  Registry &all = All();
  Lock lock(all.mutex);
  ++all.serial;
  const auto added = all.v2.try_emplace(type, V2Entry{functions, origin});
  if (added.second)
    return;
  V2Entry &entry = added.first->second;
  if (entry.origin.library != origin.library && !DefinitionsReplace())
    all.conflicts.push_back({"implementation", type, origin, entry.origin}); // the later one wins here
  gert::OpImplFunctionsV2 &to = entry.functions;
  const auto merge = [](auto &mine, const auto &theirs, const auto &unset) {
    if (theirs != unset)
      mine = theirs;
  };
#define FERRATA_MERGE(field) merge(to.field, functions.field, decltype(to.field){})
  FERRATA_MERGE(infer_shape);
  FERRATA_MERGE(infer_shape_range);
  FERRATA_MERGE(infer_datatype);
  FERRATA_MERGE(infer_format);
  FERRATA_MERGE(tiling_parse);
  FERRATA_MERGE(tiling_parse_kernel);
  FERRATA_MERGE(compile_info_creator);
  FERRATA_MERGE(compile_info_deleter);
  FERRATA_MERGE(gen_simplified_key);
  FERRATA_MERGE(op_execute_func);
  FERRATA_MERGE(op_execute_prepare_func);
  FERRATA_MERGE(op_execute_launch_func);
  FERRATA_MERGE(calc_op_param);
  FERRATA_MERGE(gen_task);
  FERRATA_MERGE(check_support);
  FERRATA_MERGE(op_select_format);
  FERRATA_MERGE(exception_func);
  FERRATA_MERGE(inputs_dependency);
  FERRATA_MERGE(tiling_dependency);
  FERRATA_MERGE(tiling_dependency_on_aicpu);
  FERRATA_MERGE(host_inputs);
  FERRATA_MERGE(output_shape_depend_compute);
  FERRATA_MERGE(nullable_outputs);
  FERRATA_MERGE(same_dtype_as_first_input);
#undef FERRATA_MERGE
  if (functions.tiling != nullptr) {
    to.tiling = functions.tiling;
    to.max_tiling_data_size = functions.max_tiling_data_size;
  }
}

std::vector<std::pair<std::string, gert::OpImplFunctionsV2>> AllV2() {
  Lock lock(All().mutex);
  std::vector<std::pair<std::string, gert::OpImplFunctionsV2>> all;
  for (const auto &entry : All().v2)
    all.emplace_back(entry.first, entry.second.functions);
  return all;
}

bool ImplementationOf(const std::string &type, Implementation &out) {
  Registry &all = All();
  Lock lock(all.mutex);
  const auto custom = all.creators.find(type);
  if (custom != all.creators.end()) {
    out.custom = true;
    out.origin = custom->second.origin;
    ge::BaseCustomOp *op = InstanceOf(type);
    const auto has = [&](bool found, ge::CustomOpCapability bit) {
      out.capabilities |= found ? static_cast<uint32_t>(bit) : 0U;
    };
    has(dynamic_cast<ge::EagerExecuteOp *>(op) != nullptr, ge::CustomOpCapability::kEagerExecute);
    has(dynamic_cast<ge::CompilableOp *>(op) != nullptr, ge::CustomOpCapability::kCompilable);
    has(dynamic_cast<ge::ShapeInferOp *>(op) != nullptr, ge::CustomOpCapability::kShapeInfer);
    has(dynamic_cast<ge::PortableOp *>(op) != nullptr, ge::CustomOpCapability::kPortable);
    has(dynamic_cast<ge::ArgsUpdater *>(op) != nullptr, ge::CustomOpCapability::kArgsUpdater);
    has(dynamic_cast<ge::AnnotatedArgsOp *>(op) != nullptr, ge::CustomOpCapability::kAnnotatedArgs);
  }
  const auto v2 = all.v2.find(type);
  if (v2 != all.v2.end()) {
    out.v2 = true;
    out.functions = v2->second.functions;
    if (!out.custom)
      out.origin = v2->second.origin;
  }
  const auto v1 = all.v1.find(type);
  if (v1 != all.v1.end()) {
    out.v1 = true;
    out.v1_functions = v1->second;
  }
  return out.custom || out.v2 || out.v1;
}

std::vector<std::string> ImplementationTypes() {
  Lock lock(All().mutex);
  std::map<std::string, bool> types;
  for (const auto &entry : All().creators)
    types[entry.first] = true;
  for (const auto &entry : All().v2)
    types[entry.first] = true;
  for (const auto &entry : All().v1)
    types[entry.first] = true;
  std::vector<std::string> names;
  for (const auto &entry : types)
    names.push_back(entry.first);
  return names;
}

std::vector<Conflict> Conflicts() {
  Lock lock(All().mutex);
  return All().conflicts;
}

} // namespace ferrata::native
