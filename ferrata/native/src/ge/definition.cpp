// What an OpDef says: recorded once per type, given to the registry as a prototype, and to Python as JSON.
#include "definition.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "chip.h"
#include "graph/utils/type_utils.h"
#include "json.h"
#include "register/tilingdata_base.h"

namespace ferrata::native {

using ge::DataType;
using ge::DT_UNDEFINED;

namespace {

struct Definitions {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Definition>> types;
};
Definitions &All() {
  static Definitions *all = new Definitions();
  return *all;
}
std::atomic<bool> replace{false};

const char *const kAttrTypes[] = {"Bool", "Float", "Int", "String", "ListBool", "ListFloat", "ListInt", "ListListInt"};

std::string Name(DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }

DefinedPort PortOf(const ops::OpParamDef &given, const std::vector<ops::OpParamDef> *chip) {
  const ops::OpParamDef *source = &given;
  if (chip != nullptr)
    for (const auto &other : *chip)
      if (ge::ToStdString(other.GetName()) == ge::ToStdString(given.GetName()) && !other.GetDataTypes().empty())
        source = &other;
  DefinedPort port;
  port.name = ge::ToStdString(given.GetName());
  port.kind = given.GetParamType() == ops::DYNAMIC                                            ? PortKind::dynamic
              : given.GetParamType() == ops::OPTIONAL || given.GetParamType() == ops::VIRTUAL ? PortKind::optional
                                                                                              : PortKind::required;
  port.list = source->IsDataTypeList();
  port.types = source->GetDataTypes();
  port.formats = source->GetFormats();
  port.init = given.GetInitValues();
  port.by_compute = given.DependsOnCompute();
  port.number = given.IsScalarList() ? "list" : given.IsScalar() ? "one" : "";
  port.number_type = given.GetToType();
  port.number_port = ge::ToStdString(given.GetToName());
  return port;
}

void Follow(std::vector<DefinedPort> &ports, const std::vector<ops::OpParamDef> &given,
            const std::vector<DefinedPort> &inputs) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string followed = ge::ToStdString(given[i].GetFollowName());
    const bool shape_only = given[i].GetFollowType() == ops::FollowType::SHAPE;
    for (const auto &input : inputs)
      if (!followed.empty() && !shape_only && input.name == followed && ports[i].types.empty()) {
        ports[i].types = input.types;
        ports[i].list = input.list;
        ports[i].formats = ports[i].formats.empty() ? input.formats : ports[i].formats;
      }
  }
}

const ops::OpAICoreConfig *ConfigOf(ops::OpDef &definition) {
  static const std::map<uint32_t, std::vector<std::string>> names = {{2201, {"ascend910b", "ascend910_93"}},
                                                                     {3510, {"ascend950", "ascend910_95"}}};
  const auto mine = names.find(EmulatedChip().npu_arch);
  for (const auto &entry : definition.AICore().GetConfigs())
    if (mine != names.end())
      for (const auto &name : mine->second)
        if (ge::ToStdString(entry.first).compare(0, name.size(), name) == 0)
          return &entry.second;
  return nullptr;
}

std::string TypesText(const DefinedPort &port) {
  if (port.types.empty())
    return "TensorType::ALL()";
  std::string text = "TensorType({";
  for (size_t i = 0; i < port.types.size(); ++i)
    if (std::find(port.types.begin(), port.types.begin() + static_cast<long>(i), port.types[i]) ==
        port.types.begin() + static_cast<long>(i))
      text += (i == 0 ? "" : ", ") + Name(port.types[i]);
  return text + "})";
}

ge::Operator Create(const Definition &definition, const ge::AscendString &name) {
  ge::Operator op(name.GetString(), definition.type.c_str());
  ge::OperatorImpl &impl = *op.Impl();
  for (const auto &port : definition.inputs) {
    impl.ir_inputs.push_back({port.name, port.kind, TypesText(port)});
    if (port.kind != PortKind::dynamic)
      impl.inputs.push_back(
          {port.name, impl.ir_inputs.size() - 1, ge::TensorDesc(), ge::Operator(), 0, port.kind == PortKind::required});
  }
  for (const auto &port : definition.outputs) {
    impl.ir_outputs.push_back({port.name, port.kind, TypesText(port)});
    if (port.kind != PortKind::dynamic)
      impl.outputs.push_back({port.name, impl.ir_outputs.size() - 1, ge::TensorDesc(), ge::Operator(), 0, true});
  }
  for (const auto &attr : definition.attrs) {
    const std::string key = ge::ToStdString(attr.GetName());
    impl.ir_attrs.push_back({key, kAttrTypes[attr.GetDataType()], attr.IsRequired()});
    if (!attr.IsRequired())
      op.SetAttr(key.c_str(), attr.GetDefaultValue());
  }
  return op;
}

} // namespace

bool DefinitionsReplace() { return replace; }

void Define(const ops::OpDef &given, const void *site) {
  ops::OpDef copy(given);
  auto made = std::make_unique<Definition>();
  made->type = ge::ToStdString(copy.GetOpType());
  made->origin = OriginOf(site, nullptr, 0);
  const ops::OpAICoreConfig *config = ConfigOf(copy);
  for (const auto &port : copy.GetInputs())
    made->inputs.push_back(PortOf(port, config ? &config->GetInputs() : nullptr));
  for (const auto &port : copy.GetOutputs())
    made->outputs.push_back(PortOf(port, config ? &config->GetOutputs() : nullptr));
  Follow(made->inputs, copy.GetInputs(), made->inputs);
  Follow(made->outputs, copy.GetOutputs(), made->inputs);
  made->attrs = copy.GetAttrs();
  if (config != nullptr)
    for (const auto &entry : config->GetCfgInfo())
      made->settings[ge::ToStdString(entry.first)] = ge::ToStdString(entry.second);
  const Definition by_value(*made);
  const auto creator = [by_value](const ge::AscendString &name) { return Create(by_value, name); };
  (void)AddPrototype(made->type.c_str(), creator, made->origin, true);
  std::lock_guard<std::mutex> lock(All().mutex);
  All().types[made->type] = std::move(made);
}

const Definition *DefinitionOf(const std::string &type) {
  std::lock_guard<std::mutex> lock(All().mutex);
  const auto found = All().types.find(type);
  return found == All().types.end() ? nullptr : found->second.get();
}

std::vector<std::string> DefinedTypes() {
  std::lock_guard<std::mutex> lock(All().mutex);
  std::vector<std::string> types;
  for (const auto &entry : All().types)
    types.push_back(entry.first);
  return types;
}

DataType Definition::Type(const DefinedPort &port, int column) const {
  if (port.types.empty() || column < 0)
    return DT_UNDEFINED;
  return port.types[port.list ? 0 : std::min(static_cast<size_t>(column), port.types.size() - 1)];
}

int Definition::Column(const std::vector<DataType> &per_port) const {
  size_t columns = 1;
  for (const auto &port : inputs)
    columns = std::max(columns, port.list ? 1 : port.types.size());
  for (const auto &port : outputs)
    columns = std::max(columns, port.list ? 1 : port.types.size());
  for (size_t column = 0; column < columns; ++column) {
    bool fits = true;
    for (size_t i = 0; i < inputs.size() && i < per_port.size() && fits; ++i) {
      const DefinedPort &port = inputs[i];
      if (per_port[i] == DT_UNDEFINED || port.types.empty())
        continue;
      fits = port.list ? std::find(port.types.begin(), port.types.end(), per_port[i]) != port.types.end()
                       : Type(port, static_cast<int>(column)) == per_port[i];
    }
    if (fits)
      return static_cast<int>(column);
  }
  return -1;
}

std::string Definition::Columns() const {
  std::string text;
  for (const auto *ports : {&inputs, &outputs})
    for (const auto &port : *ports) {
      text += "\n  " + port.name + (port.list ? " (any of)" : "") + ":";
      for (const DataType type : port.types)
        text += " " + Name(type);
    }
  return text;
}

std::vector<DataType> PortTypesOf(const ferrata_ge_node &node) {
  std::vector<DataType> types(node.Impl().ir_inputs.size(), DT_UNDEFINED);
  size_t next = 0;
  for (const auto &input : node.Impl().inputs)
    if (input.present) {
      if (types[input.ir] == DT_UNDEFINED)
        types[input.ir] = node.input_types[next];
      ++next;
    }
  return types;
}

int32_t InferByDefinition(const ferrata_ge_node &node, std::vector<DataType> &out) {
  const Definition *definition = DefinitionOf(node.type);
  if (definition == nullptr)
    return 0;
  const std::vector<DataType> types = PortTypesOf(node);
  const int column = definition->Column(types);
  if (column < 0) {
    std::string given;
    for (size_t i = 0; i < types.size(); ++i)
      given += (given.empty() ? "" : ", ") + definition->inputs[i].name + " " +
               (types[i] == DT_UNDEFINED ? "absent" : Name(types[i]));
    return FailAs("DtypeNotInOpDef",
                  {{"op", node.type}, {"node", node.name}, {"given", given}, {"columns", definition->Columns()}});
  }
  size_t next = 0;
  for (const auto &output : node.Impl().outputs)
    if (output.present) {
      if (out[next] == DT_UNDEFINED)
        out[next] = definition->Type(definition->outputs[output.ir], column);
      ++next;
    }
  return 0;
}

int32_t FailAs(const char *cls, const std::vector<std::pair<const char *, std::string>> &fields) {
  Json json;
  json.Begin('{').Item("class", cls).Key("fields").Begin('{');
  for (const auto &field : fields)
    json.Item(field.first, field.second);
  json.End('}').End('}');
  return Fail("error", ge::GRAPH_FAILED, json.Text());
}

namespace {

void Write(Json &json, const std::vector<DefinedPort> &ports) {
  static const char *const kinds[] = {"required", "optional", "dynamic"};
  json.Begin('[');
  for (const auto &port : ports) {
    json.Begin('{').Item("name", port.name).Item("kind", kinds[static_cast<size_t>(port.kind)]);
    json.Item("list", port.list).Item("by_compute", port.by_compute).Item("number", port.number);
    json.Item("number_type", port.number_type == DT_UNDEFINED ? -1 : static_cast<int>(port.number_type));
    json.Item("number_port", port.number_port).Key("dtypes").Begin('[');
    for (const DataType type : port.types)
      json.Value(static_cast<int>(type));
    json.End(']').Key("formats").Begin('[');
    for (const ge::Format format : port.formats)
      json.Value(static_cast<int>(format));
    json.End(']').End('}');
  }
  json.End(']');
}

// A tiling class, after those that it contains.
void Write(Json &json, const std::string &registered, std::vector<std::string> &done) {
  const auto instance = optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance(registered.c_str());
  if (!instance || std::find(done.begin(), done.end(), instance->GetTilingClassName()) != done.end())
    return;
  for (const auto &field : instance->GetFieldInfo())
    if (field.class_type_[0] == '2')
      Write(json, std::string(field.struct_type_) + "Op", done);
  done.push_back(instance->GetTilingClassName());
  json.Begin('{').Item("registered", registered).Item("name", instance->GetTilingClassName());
  json.Item("size", instance->GetDataSize()).Key("fields").Begin('[');
  for (const auto &field : instance->GetFieldInfo()) {
    const bool nested = field.class_type_[0] == '2';
    json.Begin('{').Item("type", nested ? field.struct_type_ : field.dtype_).Item("name", field.name_);
    json.Item("count", field.array_size_).End('}');
  }
  json.End(']').End('}');
}

} // namespace

} // namespace ferrata::native

using namespace ferrata::native;

void ferrata_ge_replace_definitions(int32_t on) { replace = on != 0; }

const char *ferrata_ge_definitions(void) {
  static thread_local std::string kept;
  Json json;
  json.Begin('[');
  for (const auto &type : DefinedTypes()) {
    const Definition &definition = *DefinitionOf(type);
    json.Begin('{').Item("op_type", type).Item("library", definition.origin.library).Key("inputs");
    Write(json, definition.inputs);
    json.Key("outputs");
    Write(json, definition.outputs);
    json.Key("settings").Begin('{');
    for (const auto &entry : definition.settings)
      json.Item(entry.first.c_str(), entry.second);
    json.End('}').Key("tiling_classes").Begin('[');
    std::vector<std::string> done;
    for (const auto &name : optiling::RegisteredTilingClasses())
      if (name == type || name.compare(0, type.size() + 1, type + "_") == 0)
        Write(json, name, done);
    json.End(']').End('}');
  }
  json.End(']');
  kept = json.Text();
  return kept.c_str();
}
