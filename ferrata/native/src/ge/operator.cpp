// ge::Operator: declaration of ports, access to descriptions and attributes.
#include "operator_impl.h"

#include "graph/operator_types.h"
#include "registry.h"

namespace ge {

using ferrata::native::Instance;
using ferrata::native::IrPort;
using ferrata::native::PortKind;

namespace {

const char *Text(const char *text) { return text != nullptr ? text : ""; }

Instance *Find(std::vector<Instance> &instances, const char *name) {
  for (auto &instance : instances)
    if (instance.name == Text(name))
      return &instance;
  return nullptr;
}
// Index among the instances that are present.
Instance *Find(std::vector<Instance> &instances, uint32_t index) {
  return index < instances.size() ? &instances[index] : nullptr;
}
TensorDesc DescOf(const Instance *instance) { return instance != nullptr ? instance->desc : TensorDesc(); }
graphStatus Update(Instance *instance, const TensorDesc &desc) {
  if (instance == nullptr)
    return GRAPH_FAILED;
  instance->desc = desc;
  instance->present = true;
  return GRAPH_SUCCESS;
}
std::string Indexed(const char *name, uint32_t index) { return Text(name) + std::to_string(index); }

int64_t IrIndex(const std::vector<IrPort> &ports, const char *name) {
  for (size_t i = 0; i < ports.size(); ++i)
    if (ports[i].name == Text(name))
      return static_cast<int64_t>(i);
  return -1;
}
int CountOf(const std::vector<IrPort> &ports, const std::vector<Instance> &instances, const char *name) {
  const int64_t ir = IrIndex(ports, name);
  if (ir < 0 || ports[ir].kind != PortKind::dynamic)
    return -1;
  int count = 0;
  for (const auto &instance : instances)
    count += instance.ir == static_cast<size_t>(ir) ? 1 : 0;
  return count;
}
// Instances stand in the order of the prototype's ports.
void AddInstances(const std::vector<IrPort> &ports, std::vector<Instance> &instances, const char *name,
                  uint32_t count) {
  const int64_t found = IrIndex(ports, name);
  if (found < 0)
    return;
  const size_t ir = static_cast<size_t>(found);
  size_t place = 0, existing = 0;
  for (; place < instances.size() && instances[place].ir <= ir; ++place)
    existing += instances[place].ir == ir ? 1 : 0;
  for (uint32_t i = 0; i < count; ++i)
    instances.insert(
        instances.begin() + static_cast<std::ptrdiff_t>(place + i),
        Instance{Indexed(name, static_cast<uint32_t>(existing) + i), ir, TensorDesc(), Operator(), 0, true});
}

template <typename T> bool SetHeld(AttrHolder &holder, const T &value) {
  AttrValue converted;
  if (converted.SetAttrValue(value) != GRAPH_SUCCESS)
    return false;
  holder = *converted.Holder();
  return true;
}

} // namespace

Operator::Operator() = default;
Operator::Operator(const char *type) : Operator("", type) {}
Operator::Operator(const AscendString &type) : Operator("", type.GetString()) {}
Operator::Operator(const AscendString &name, const AscendString &type) : Operator(name.GetString(), type.GetString()) {}
Operator::Operator(const char *name, const char *type) : impl_(std::make_shared<OperatorImpl>()) {
  impl_->name = *Text(name) != '\0' ? name : Text(type);
  impl_->type = Text(type);
}
Operator::~Operator() = default;

bool Operator::IsEmpty() const { return impl_ == nullptr; }
graphStatus Operator::GetName(AscendString &name) const {
  name = impl_ ? ToAscendString(impl_->name) : AscendString();
  return impl_ ? GRAPH_SUCCESS : GRAPH_FAILED;
}
graphStatus Operator::GetOpType(AscendString &type) const {
  type = impl_ ? ToAscendString(impl_->type) : AscendString();
  return impl_ ? GRAPH_SUCCESS : GRAPH_FAILED;
}

// --- edges ---

Operator &Operator::SetInput(const char *dst, const Operator &src, uint32_t src_index) {
  Instance *input = impl_ ? Find(impl_->inputs, dst) : nullptr;
  if (input != nullptr) {
    input->source = src;
    input->source_index = src_index;
    input->present = true;
    if (!src.IsEmpty())
      if (const Instance *output = Find(src.impl_->outputs, src_index))
        input->desc = output->desc;
  }
  return *this;
}
Operator &Operator::SetInput(const char *dst, const Operator &src) { return SetInput(dst, src, 0U); }
Operator &Operator::SetInput(const char *dst, const Operator &src, const char *src_name) {
  if (!src.IsEmpty())
    for (uint32_t i = 0; i < src.impl_->outputs.size(); ++i)
      if (src.impl_->outputs[i].name == Text(src_name))
        return SetInput(dst, src, i);
  return *this;
}
Operator &Operator::SetInput(uint32_t dst_index, const Operator &src, uint32_t src_index) {
  if (Instance *input = impl_ ? Find(impl_->inputs, dst_index) : nullptr)
    return SetInput(input->name.c_str(), src, src_index);
  return *this;
}
Operator &Operator::AddControlInput(const Operator &src) {
  if (impl_)
    impl_->control.push_back(src);
  return *this;
}
graphStatus Operator::GetInputConstData(const char *dst, Tensor &data) const {
  if (!impl_)
    return GRAPH_FAILED;
  const auto known = impl_->constants.find(Text(dst));
  if (known != impl_->constants.end()) {
    data = known->second;
    return GRAPH_SUCCESS;
  }
  const Instance *input = Find(impl_->inputs, dst);
  if (input == nullptr || input->source.IsEmpty())
    return GRAPH_FAILED;
  const std::string type = input->source.GetOpType();
  return type == "Const" || type == "Constant" ? input->source.GetAttr("value", data) : GRAPH_NODE_WITHOUT_CONST_INPUT;
}

// --- descriptions ---

TensorDesc Operator::GetInputDescByName(const char *name) const {
  return impl_ ? DescOf(Find(impl_->inputs, name)) : TensorDesc();
}
TensorDesc Operator::GetInputDesc(uint32_t index) const {
  return impl_ ? DescOf(Find(impl_->inputs, index)) : TensorDesc();
}
graphStatus Operator::TryGetInputDesc(const char *name, TensorDesc &desc) const {
  const Instance *input = impl_ ? Find(impl_->inputs, name) : nullptr;
  if (input == nullptr || !input->present)
    return GRAPH_FAILED;
  desc = input->desc;
  return GRAPH_SUCCESS;
}
graphStatus Operator::UpdateInputDesc(const char *name, const TensorDesc &desc) {
  return impl_ ? Update(Find(impl_->inputs, name), desc) : GRAPH_FAILED;
}
graphStatus Operator::UpdateInputDesc(uint32_t index, const TensorDesc &desc) {
  return impl_ ? Update(Find(impl_->inputs, index), desc) : GRAPH_FAILED;
}
TensorDesc Operator::GetOutputDescByName(const char *name) const {
  return impl_ ? DescOf(Find(impl_->outputs, name)) : TensorDesc();
}
TensorDesc Operator::GetOutputDesc(uint32_t index) const {
  return impl_ ? DescOf(Find(impl_->outputs, index)) : TensorDesc();
}
graphStatus Operator::UpdateOutputDesc(const char *name, const TensorDesc &desc) {
  return impl_ ? Update(Find(impl_->outputs, name), desc) : GRAPH_FAILED;
}
graphStatus Operator::UpdateOutputDesc(uint32_t index, const TensorDesc &desc) {
  return impl_ ? Update(Find(impl_->outputs, index), desc) : GRAPH_FAILED;
}
TensorDesc Operator::GetDynamicInputDesc(const char *name, uint32_t index) const {
  return GetInputDescByName(Indexed(name, index).c_str());
}
graphStatus Operator::UpdateDynamicInputDesc(const char *name, uint32_t index, const TensorDesc &desc) {
  return UpdateInputDesc(Indexed(name, index).c_str(), desc);
}
TensorDesc Operator::GetDynamicOutputDesc(const char *name, uint32_t index) const {
  return GetOutputDescByName(Indexed(name, index).c_str());
}
graphStatus Operator::UpdateDynamicOutputDesc(const char *name, uint32_t index, const TensorDesc &desc) {
  return UpdateOutputDesc(Indexed(name, index).c_str(), desc);
}
size_t Operator::GetInputsSize() const {
  size_t count = 0;
  if (impl_)
    for (const auto &input : impl_->inputs)
      count += input.present ? 1 : 0;
  return count;
}
size_t Operator::GetOutputsSize() const { return impl_ ? impl_->outputs.size() : 0; }
int Operator::GetDynamicInputNum(const char *name) const {
  return impl_ ? CountOf(impl_->ir_inputs, impl_->inputs, name) : -1;
}
int Operator::GetDynamicOutputNum(const char *name) const {
  return impl_ ? CountOf(impl_->ir_outputs, impl_->outputs, name) : -1;
}

graphStatus Operator::InferShapeAndType() {
  const auto functions = ferrata::native::V1FunctionsOf(GetOpType());
  return functions.infer_shape ? functions.infer_shape(*this) : GRAPH_FAILED;
}
graphStatus Operator::VerifyAllAttr(bool) {
  const auto functions = ferrata::native::V1FunctionsOf(GetOpType());
  return functions.verify ? functions.verify(*this) : GRAPH_SUCCESS;
}
void Operator::SetInferenceContext(const InferenceContextPtr &context) {
  if (impl_)
    impl_->inference_context = context;
}
InferenceContextPtr Operator::GetInferenceContext() const { return impl_ ? impl_->inference_context : nullptr; }

// --- attributes ---

#define FERRATA_ATTR(T)                                                                                                \
  Operator &Operator::SetAttr(const char *name, const T &value) {                                                      \
    if (impl_)                                                                                                         \
      SetHeld(impl_->attrs[Text(name)], value);                                                                        \
    return *this;                                                                                                      \
  }                                                                                                                    \
  graphStatus Operator::GetAttr(const char *name, T &value) const {                                                    \
    AttrValue held;                                                                                                    \
    return GetAttr(name, held) == GRAPH_SUCCESS ? held.GetAttrValue(value) : GRAPH_FAILED;                             \
  }
#define FERRATA_ATTR_OF_KIND(T, kind) FERRATA_ATTR(T)
FERRATA_ATTR_TYPES(FERRATA_ATTR_OF_KIND)
FERRATA_ATTR_CONVERTED_TYPES(FERRATA_ATTR)
#undef FERRATA_ATTR

Operator &Operator::SetAttr(const char *name, const AttrValue &value) {
  if (impl_)
    impl_->attrs[Text(name)] = *value.Holder();
  return *this;
}
graphStatus Operator::GetAttr(const char *name, AttrValue &value) const {
  if (!impl_)
    return GRAPH_FAILED;
  const auto found = impl_->attrs.find(Text(name));
  if (found == impl_->attrs.end())
    return GRAPH_FAILED;
  value = AttrValue();
  *value.Holder() = found->second;
  return GRAPH_SUCCESS;
}
graphStatus Operator::GetAllAttrNamesAndTypes(std::vector<std::pair<AscendString, AscendString>> &attrs) const {
  attrs.clear();
  if (!impl_)
    return GRAPH_FAILED;
  for (const auto &attr : impl_->attrs)
    attrs.emplace_back(attr.first.c_str(), ferrata::native::KindOf(attr.second));
  return GRAPH_SUCCESS;
}

// --- sub-graphs ---

size_t Operator::GetSubgraphNamesCount() const { return impl_ ? impl_->ir_graphs.size() : 0; }
graphStatus Operator::GetSubgraphNames(std::vector<AscendString> &names) const {
  names.clear();
  if (!impl_)
    return GRAPH_FAILED;
  for (const auto &graph : impl_->ir_graphs)
    names.push_back(ToAscendString(graph.first));
  return GRAPH_SUCCESS;
}
SubgraphBuilder Operator::GetSubgraphBuilder(const char *name) const { return GetDynamicSubgraphBuilder(name, 0); }
SubgraphBuilder Operator::GetDynamicSubgraphBuilder(const char *name, uint32_t index) const {
  if (!impl_)
    return nullptr;
  const auto found = impl_->builders.find(Text(name));
  return found != impl_->builders.end() && index < found->second.size() ? found->second[index] : nullptr;
}
Graph Operator::GetSubgraph(const char *name) const { return GetDynamicSubgraph(name, 0); }
Graph Operator::GetDynamicSubgraph(const char *name, uint32_t index) const {
  const SubgraphBuilder builder = GetDynamicSubgraphBuilder(name, index);
  return builder ? builder() : Graph("");
}

// --- what the macros call ---

void Operator::InputRegister(const char *name, const char *types) {
  impl_->ir_inputs.push_back({name, PortKind::required, types});
  impl_->inputs.push_back({name, impl_->ir_inputs.size() - 1, TensorDesc(), Operator(), 0, true});
}
void Operator::OptionalInputRegister(const char *name, const char *types) {
  impl_->ir_inputs.push_back({name, PortKind::optional, types});
  impl_->inputs.push_back({name, impl_->ir_inputs.size() - 1, TensorDesc(), Operator(), 0, false});
  impl_->inputs.back().desc.SetDataType(DT_UNDEFINED);
}
void Operator::DynamicInputPortRegister(const char *name, const char *types) {
  impl_->ir_inputs.push_back({name, PortKind::dynamic, types});
}
void Operator::OutputRegister(const char *name, const char *types) {
  impl_->ir_outputs.push_back({name, PortKind::required, types});
  impl_->outputs.push_back({name, impl_->ir_outputs.size() - 1, TensorDesc(), Operator(), 0, true});
}
void Operator::DynamicOutputPortRegister(const char *name, const char *types) {
  impl_->ir_outputs.push_back({name, PortKind::dynamic, types});
}
void Operator::RequiredAttrRegister(const char *name, const char *type) {
  impl_->ir_attrs.push_back({name, type, true});
}
void Operator::AttrKindRegister(const char *name, const char *type) { impl_->ir_attrs.push_back({name, type, false}); }
void Operator::DataTypeRegister(const char *symbol, const TensorType &types) {
  impl_->symbols.push_back({symbol, types.Types(), false, {}});
}
void Operator::DataTypeRegister(const char *symbol, const ListTensorType &types) {
  impl_->symbols.push_back({symbol, types.Type().Types(), true, {}});
}
void Operator::DataTypeRegister(const char *symbol, const Promote &promoted) {
  impl_->symbols.push_back({symbol, {}, false, ToStdStrings(promoted.Symbols())});
}
void Operator::SubgraphRegister(const char *name, bool dynamic) { impl_->ir_graphs.emplace_back(name, dynamic); }
void Operator::DynamicInputRegister(const char *name, uint32_t count, bool) {
  AddInstances(impl_->ir_inputs, impl_->inputs, name, count);
}
void Operator::DynamicInputRegisterByIndex(const char *name, uint32_t count, size_t) {
  AddInstances(impl_->ir_inputs, impl_->inputs, name, count);
}
void Operator::DynamicOutputRegister(const char *name, uint32_t count, bool) {
  AddInstances(impl_->ir_outputs, impl_->outputs, name, count);
}
void Operator::SubgraphCountRegister(const char *name, uint32_t count) { impl_->builders[name].resize(count); }
void Operator::SetSubgraphBuilder(const char *name, uint32_t index, const SubgraphBuilder &builder) {
  auto &builders = impl_->builders[name];
  if (builders.size() <= index)
    builders.resize(index + 1);
  builders[index] = builder;
}

// --- graphs ---

struct Graph::Content {
  std::string name;
  std::vector<Operator> operators, inputs, targets;
  std::vector<std::pair<Operator, std::vector<size_t>>> outputs;
};

Graph::Graph() : Graph("") {}
Graph::Graph(const char *name) : content_(std::make_shared<Content>()) { content_->name = Text(name); }
Graph::Graph(const AscendString &name) : Graph(name.GetString()) {}
// Everything that the outputs reach through their inputs belongs to the graph.
Graph &Graph::SetInputs(const std::vector<Operator> &inputs) {
  content_->inputs = inputs;
  for (const auto &input : inputs)
    (void)AddOp(input);
  return *this;
}
Graph &Graph::SetOutputs(const std::vector<Operator> &outputs) {
  std::vector<std::pair<Operator, std::vector<size_t>>> all;
  for (const auto &output : outputs)
    all.emplace_back(output, std::vector<size_t>());
  return SetOutputs(all);
}
Graph &Graph::SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>> &outputs) {
  content_->outputs = outputs;
  std::vector<Operator> pending;
  for (const auto &output : outputs)
    pending.push_back(output.first);
  while (!pending.empty()) {
    const Operator op = pending.back();
    pending.pop_back();
    if (op.IsEmpty() || AddOp(op) != GRAPH_SUCCESS)
      continue;
    for (const auto &input : op.Impl()->inputs)
      pending.push_back(input.source);
  }
  return *this;
}
Graph &Graph::SetTargets(const std::vector<Operator> &targets) {
  content_->targets = targets;
  return *this;
}
// GRAPH_FAILED for an operator whose name the graph has already.
graphStatus Graph::AddOp(const Operator &op) {
  Operator found;
  if (op.IsEmpty() || FindOpByName(op.GetName(), found) == GRAPH_SUCCESS)
    return GRAPH_FAILED;
  content_->operators.push_back(op);
  return GRAPH_SUCCESS;
}
graphStatus Graph::FindOpByName(const char *name, Operator &op) const {
  for (const auto &candidate : content_->operators)
    if (candidate.GetName() == Text(name)) {
      op = candidate;
      return GRAPH_SUCCESS;
    }
  return GRAPH_FAILED;
}
graphStatus Graph::GetAllOpName(std::vector<AscendString> &names) const {
  names.clear();
  for (const auto &op : content_->operators)
    names.emplace_back(op.GetName().c_str());
  return GRAPH_SUCCESS;
}
graphStatus Graph::GetName(AscendString &name) const {
  name = AscendString(content_->name.c_str());
  return GRAPH_SUCCESS;
}
bool Graph::IsValid() const { return !content_->operators.empty(); }

} // namespace ge
