// The bridge's queries and node construction. Inference is in infer.cpp, execution in execute.cpp.
#include "ferrata/ge_bridge.h"

#include <cstring>

#include "json.h"
#include "node.h"
#include "type_sets.h"

using namespace ferrata::native;

namespace {

const char *Keep(const std::string &text) {
  static thread_local std::string kept;
  kept = text;
  return kept.c_str();
}

void Write(Json &json, const Origin &origin) {
  json.Begin('{').Item("library", origin.library).Item("file", origin.file).Item("line", origin.line).End('}');
}

void WriteTypes(Json &json, const std::vector<ge::DataType> &types) {
  json.Begin('[');
  for (const ge::DataType type : types)
    json.Value(static_cast<int>(type));
  json.End(']');
}

void WriteTensor(Json &json, const ge::Tensor &tensor) {
  json.Begin('{').Item("dtype", static_cast<int>(tensor.GetDataType())).Key("shape").Begin('[');
  for (const int64_t dim : tensor.GetTensorDesc().GetShape().GetDims())
    json.Value(dim);
  json.End(']').Item("data", std::string(reinterpret_cast<const char *>(tensor.GetData()), tensor.GetSize())).End('}');
}

struct ValueWriter {
  Json &json;
  void operator()(std::monostate) { json.Null(); }
  void operator()(int64_t value) { json.Value(value); }
  void operator()(float value) { json.Value(static_cast<double>(value)); }
  void operator()(bool value) { json.Value(value); }
  void operator()(ge::DataType value) { json.Value(static_cast<int>(value)); }
  void operator()(const ge::AscendString &value) { json.Value(ge::ToStdString(value)); }
  void operator()(const ge::Tensor &value) { WriteTensor(json, value); }
  void operator()(const ge::NamedAttrs &value) {
    ge::AscendString name;
    (void)value.GetName(name);
    json.Begin('{').Item("name", name.GetString()).Key("attrs").Begin('{');
    for (const auto &key : value.GetAllNames()) {
      ge::AttrValue item;
      if (value.GetAttr(key, item) != ge::GRAPH_SUCCESS)
        continue;
      json.Key(key.GetString());
      std::visit(ValueWriter{json}, item.Holder()->value);
    }
    json.End('}').End('}');
  }
  void operator()(const ge::OpBytes &value) { json.Value(std::string(value.begin(), value.end())); }
  template <typename T> void operator()(const std::vector<T> &value) {
    json.Begin('[');
    for (const auto &item : value)
      (*this)(static_cast<T>(item));
    json.End(']');
  }
};

void WritePorts(Json &json, const ge::OperatorImpl &op, const std::vector<IrPort> &ports) {
  static const char *const kinds[] = {"required", "optional", "dynamic"};
  json.Begin('[');
  for (const auto &port : ports) {
    const PortTypes types = ParsePortTypes(port.types);
    json.Begin('{').Item("name", port.name).Item("kind", kinds[static_cast<size_t>(port.kind)]);
    json.Item("symbol", types.symbol).Item("types", port.types).Key("dtypes");
    const std::vector<ge::DataType> *set = types.known ? &types.types : nullptr;
    for (const auto &symbol : op.symbols)
      if (symbol.name == types.symbol && symbol.promote.empty())
        set = &symbol.types;
    if (set != nullptr)
      WriteTypes(json, *set);
    else
      json.Null();
    json.End('}');
  }
  json.End(']');
}

void WritePrototype(Json &json, const Prototype &prototype) {
  const ge::OperatorImpl &op = *prototype.sample.Impl();
  json.Begin('{').Item("op_type", prototype.type).Key("inputs");
  WritePorts(json, op, op.ir_inputs);
  json.Key("outputs");
  WritePorts(json, op, op.ir_outputs);
  json.Key("attrs").Begin('[');
  for (const auto &attr : op.ir_attrs) {
    json.Begin('{').Item("name", attr.name).Item("type", KindOfMacroType(attr.type.c_str()));
    json.Item("required", attr.required).Key("default");
    const auto value = op.attrs.find(attr.name);
    if (value == op.attrs.end())
      json.Null();
    else
      std::visit(ValueWriter{json}, value->second.value);
    json.End('}');
  }
  json.End(']').Key("symbols").Begin('[');
  for (const auto &symbol : op.symbols) {
    json.Begin('{').Item("name", symbol.name).Item("list", symbol.list).Key("dtypes");
    WriteTypes(json, symbol.types);
    json.Key("promote").Begin('[');
    for (const auto &name : symbol.promote)
      json.Value(name);
    json.End(']').End('}');
  }
  json.End(']').Key("origin");
  Write(json, prototype.origin);
  json.End('}');
}

template <typename T> int32_t SetAttr(ferrata_ge_node *node, const char *name, const T &value) {
  (void)node->op.SetAttr(name, value);
  node->Changed();
  return 0;
}

// Ports of `op` get as many tensors as `counts` says.
bool SetCounts(const char *what, const std::vector<IrPort> &ports, std::vector<Instance> &instances,
               const int64_t *counts, size_t given, std::string &error) {
  if (given != ports.size()) {
    error = "the prototype has " + std::to_string(ports.size()) + " " + what + "s, " + std::to_string(given) + " given";
    return false;
  }
  std::vector<Instance> made;
  for (size_t ir = 0; ir < ports.size(); ++ir) {
    const IrPort &port = ports[ir];
    const int64_t count = counts[ir];
    const bool fits = port.kind == PortKind::dynamic    ? count >= 0
                      : port.kind == PortKind::optional ? count == 0 || count == 1
                                                        : count == 1;
    if (!fits) {
      error = std::string(what) + " '" + port.name + "' cannot have " + std::to_string(count) + " tensors";
      return false;
    }
    if (port.kind == PortKind::dynamic) {
      for (int64_t i = 0; i < count; ++i)
        made.push_back({port.name + std::to_string(i), ir, ge::TensorDesc(), ge::Operator(), 0, true});
    } else {
      made.push_back({port.name, ir, ge::TensorDesc(), ge::Operator(), 0, count == 1});
    }
  }
  instances = std::move(made);
  return true;
}

size_t Present(const std::vector<Instance> &instances) {
  size_t count = 0;
  for (const auto &instance : instances)
    count += instance.present ? 1 : 0;
  return count;
}

} // namespace

uint64_t ferrata_ge_serial(void) { return Serial(); }

const char *ferrata_ge_prototypes(void) {
  Json json;
  json.Begin('[');
  for (const auto &type : PrototypeTypes())
    if (const Prototype *prototype = PrototypeOf(type))
      WritePrototype(json, *prototype);
  json.End(']');
  return Keep(json.Text());
}

const char *ferrata_ge_implementation_types(void) {
  Json json;
  json.Begin('[');
  for (const auto &type : ImplementationTypes())
    json.Value(type);
  json.End(']');
  return Keep(json.Text());
}

const char *ferrata_ge_implementation(const char *op_type) {
  Implementation found;
  if (!ImplementationOf(op_type, found))
    return "null";
  const auto has = [&](ge::CustomOpCapability bit) { return (found.capabilities & static_cast<uint32_t>(bit)) != 0; };
  const auto &v2 = found.functions;
  Json json;
  json.Begin('{').Item("op_type", op_type).Item("custom", found.custom);
  json.Item("execute", has(ge::CustomOpCapability::kEagerExecute));
  json.Item("compile", has(ge::CustomOpCapability::kCompilable));
  json.Item("shape_infer", has(ge::CustomOpCapability::kShapeInfer));
  json.Item("portable", has(ge::CustomOpCapability::kPortable));
  json.Item("update_args", has(ge::CustomOpCapability::kArgsUpdater));
  json.Item("annotated_args", has(ge::CustomOpCapability::kAnnotatedArgs));
  json.Item("v1_infer", static_cast<bool>(found.v1_functions.infer_shape));
  json.Item("v1_verify", static_cast<bool>(found.v1_functions.verify));
  json.Item("v2_infer_shape", v2.infer_shape != nullptr);
  json.Item("v2_infer_dtype", v2.infer_datatype != nullptr || v2.same_dtype_as_first_input);
  json.Item("v2_tiling", v2.tiling != nullptr);
  json.Item("op_execute", v2.op_execute_func != nullptr || v2.op_execute_launch_func != nullptr);
  json.Key("data_dependency").Begin('[');
  for (int i = 0; i < 64; ++i)
    if (((v2.inputs_dependency >> i) & 1U) != 0)
      json.Value(i);
  json.End(']').Key("origin");
  Write(json, found.origin);
  json.End('}');
  return Keep(json.Text());
}

const char *ferrata_ge_conflicts(void) {
  Json json;
  json.Begin('[');
  for (const auto &conflict : Conflicts()) {
    json.Begin('{').Item("what", conflict.what).Item("op_type", conflict.type).Key("kept");
    Write(json, conflict.kept);
    json.Key("refused");
    Write(json, conflict.refused);
    json.End('}');
  }
  json.End(']');
  return Keep(json.Text());
}

const char *ferrata_ge_last_error(void) {
  const LastError &error = ErrorOfThread();
  Json json;
  json.Begin('{').Item("kind", error.kind).Item("status", error.status).Item("text", error.text);
  json.Item("notes", error.notes).Item("printed", error.printed).Item("fault", error.fault).End('}');
  return Keep(json.Text());
}

ferrata_ge_node *ferrata_ge_node_create(const char *op_type, const char *name, const int64_t *input_counts,
                                        size_t inputs, const int64_t *output_counts, size_t outputs) {
  auto node = std::make_unique<ferrata_ge_node>();
  node->type = op_type;
  node->name = name;
  node->op = CreateOperator(name, op_type);
  if (node->op.IsEmpty()) {
    (void)Fail("no_prototype", ge::GRAPH_PARAM_INVALID, "no prototype of type '" + node->type + "' is registered");
    return nullptr;
  }
  std::string error;
  ge::OperatorImpl &op = node->Impl();
  if (!SetCounts("input", op.ir_inputs, op.inputs, input_counts, inputs, error) ||
      !SetCounts("output", op.ir_outputs, op.outputs, output_counts, outputs, error)) {
    (void)Fail("invalid", ge::GRAPH_PARAM_INVALID, error);
    return nullptr;
  }
  node->input_types.assign(Present(op.inputs), ge::DT_UNDEFINED);
  node->output_types.assign(Present(op.outputs), ge::DT_UNDEFINED);
  node->constants.resize(node->Inputs());
  node->has_constant.resize(node->Inputs());
  return node.release();
}

void ferrata_ge_node_free(ferrata_ge_node *node) { delete node; }
size_t ferrata_ge_node_inputs(const ferrata_ge_node *node) { return node->Inputs(); }
size_t ferrata_ge_node_outputs(const ferrata_ge_node *node) { return node->Outputs(); }
const char *ferrata_ge_node_output_name(const ferrata_ge_node *node, size_t i) {
  return Keep(i < node->Outputs() ? node->Impl().outputs[i].name : "");
}

int32_t ferrata_ge_attr_int(ferrata_ge_node *node, const char *name, int64_t value) {
  return SetAttr(node, name, value);
}
int32_t ferrata_ge_attr_float(ferrata_ge_node *node, const char *name, float value) {
  return SetAttr(node, name, value);
}
int32_t ferrata_ge_attr_bool(ferrata_ge_node *node, const char *name, int32_t value) {
  return SetAttr(node, name, value != 0);
}
int32_t ferrata_ge_attr_string(ferrata_ge_node *node, const char *name, const char *bytes, size_t size) {
  return SetAttr(node, name, ge::AscendString(bytes, size));
}
int32_t ferrata_ge_attr_bytes(ferrata_ge_node *node, const char *name, const uint8_t *bytes, size_t size) {
  return SetAttr(node, name, ge::OpBytes(bytes, bytes + size));
}
int32_t ferrata_ge_attr_dtype(ferrata_ge_node *node, const char *name, int32_t value) {
  return SetAttr(node, name, static_cast<ge::DataType>(value));
}
int32_t ferrata_ge_attr_tensor(ferrata_ge_node *node, const char *name, int32_t dtype, const int64_t *dims, size_t rank,
                               const void *data, size_t bytes) {
  const ge::TensorDesc desc(ge::Shape(std::vector<int64_t>(dims, dims + rank)), ge::FORMAT_ND,
                            static_cast<ge::DataType>(dtype));
  return SetAttr(node, name, ge::Tensor(desc, static_cast<const uint8_t *>(data), bytes));
}
int32_t ferrata_ge_attr_list_int(ferrata_ge_node *node, const char *name, const int64_t *values, size_t n) {
  return SetAttr(node, name, std::vector<int64_t>(values, values + n));
}
int32_t ferrata_ge_attr_list_float(ferrata_ge_node *node, const char *name, const float *values, size_t n) {
  return SetAttr(node, name, std::vector<float>(values, values + n));
}
int32_t ferrata_ge_attr_list_bool(ferrata_ge_node *node, const char *name, const uint8_t *values, size_t n) {
  return SetAttr(node, name, std::vector<bool>(values, values + n));
}
int32_t ferrata_ge_attr_list_dtype(ferrata_ge_node *node, const char *name, const int32_t *values, size_t n) {
  std::vector<ge::DataType> types;
  for (size_t i = 0; i < n; ++i)
    types.push_back(static_cast<ge::DataType>(values[i]));
  return SetAttr(node, name, types);
}
int32_t ferrata_ge_attr_list_string(ferrata_ge_node *node, const char *name, const char *joined, const size_t *lengths,
                                    size_t n) {
  std::vector<ge::AscendString> texts;
  for (size_t i = 0; i < n; joined += lengths[i++])
    texts.emplace_back(joined, lengths[i]);
  return SetAttr(node, name, texts);
}
int32_t ferrata_ge_attr_list_list_int(ferrata_ge_node *node, const char *name, const int64_t *joined,
                                      const size_t *lengths, size_t n) {
  std::vector<std::vector<int64_t>> lists;
  for (size_t i = 0; i < n; joined += lengths[i++])
    lists.emplace_back(joined, joined + lengths[i]);
  return SetAttr(node, name, lists);
}
