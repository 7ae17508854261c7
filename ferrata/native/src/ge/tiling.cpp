// Running a defined operator: its shape inference, its tiling function, and the launch of its kernel.
//
// Holds state: per type the source of kernels, the kernels found so far, and the compile info of its tiling parser.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "by_compute.h"
#include "definition.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "execute.h"
#include "json.h"
#include "platform/platform_infos_def.h"

namespace ferrata::native {

namespace {

constexpr size_t kMaxWorkspaces = 16;
constexpr size_t kSystemWorkspace = size_t{16} << 20; // the part of a workspace before the user's

struct Kernels {
  ferrata_ge_kernels source = nullptr;
  std::string tiling; // file:line
  std::map<std::vector<int64_t>, ferrata_ge_launch> found;
  void *compile_info = nullptr;
  bool parsed = false;
};
struct Sources {
  std::mutex mutex;
  std::map<std::string, Kernels> types;
};
Sources &All() {
  static Sources *all = new Sources();
  return *all;
}

struct TilingResult {
  uint64_t key = 0;
  uint32_t blocks = 0, schedule_mode = 0, local_memory = 0;
  size_t capacity = 0;
  std::vector<uint8_t> data;
  std::vector<size_t> workspaces;
};

std::string TilingPlace(const std::string &type) {
  std::lock_guard<std::mutex> lock(All().mutex);
  const std::string &place = All().types[type].tiling;
  return place.empty() ? "its tiling function" : place;
}

// What the author's function printed, and how it failed, of the last error.
int32_t AuthorFailed(const char *cls, const ferrata_ge_node &node, const std::string &place) {
  const LastError last = ErrorOfThread();
  return FailAs(cls, {{"op", node.type},
                      {"node", node.name},
                      {"where", place},
                      {"how", last.text},
                      {"printed", last.printed.empty() ? "It printed nothing." : "It printed:\n" + last.printed}});
}

// The object that the author's tiling parser filled; made once per type.
int32_t CompileInfo(ferrata_ge_node &node, const gert::OpImplFunctionsV2 &functions, void *&info) {
  std::lock_guard<std::mutex> lock(All().mutex);
  Kernels &kernels = All().types[node.type];
  info = kernels.compile_info;
  if (kernels.parsed || functions.compile_info_creator == nullptr)
    return 0;
  kernels.compile_info = info = functions.compile_info_creator();
  if (functions.tiling_parse != nullptr) {
    static fe::PlatFormInfos platform;
    ContextBlock context(2, 1, node.Info());
    context.SetInput(0, const_cast<char *>("{}"));
    context.SetInput(1, &platform);
    context.SetOutput(0, info);
    const int32_t status =
        Guarded("TilingParse", [&] { return functions.tiling_parse(context.As<gert::TilingParseContext>()); });
    if (status != 0)
      return status;
  }
  kernels.parsed = true;
  return 0;
}

int32_t Tile(ferrata_ge_node &node, std::vector<gert::Tensor> &inputs, const std::vector<gert::Shape> &shapes,
             TilingResult &result) {
  Implementation implementation;
  (void)ImplementationOf(node.type, implementation);
  const auto &functions = implementation.functions;
  if (functions.tiling == nullptr)
    return FailAs("NoTilingFunction", {{"op", node.type}});
  void *compile_info = nullptr;
  if (const int32_t status = CompileInfo(node, functions, compile_info))
    return status;
  using In = gert::TilingContext::TilingInputIndex;
  using Out = gert::TilingContext::TilingOutputIndex;
  const size_t tensors = node.Inputs() + node.Outputs();
  std::vector<gert::StorageShape> outputs(node.Outputs());
  ContextBlock context(tensors + In::kTilingInputNum, Out::kOutputNum, node.Info());
  for (size_t i = 0; i < node.Inputs(); ++i)
    context.SetInput(i, &inputs[i]);
  for (size_t i = 0; i < node.Outputs(); ++i) {
    outputs[i].MutableOriginShape() = shapes[i];
    outputs[i].MutableStorageShape() = shapes[i];
    context.SetInput(node.Inputs() + i, &outputs[i]);
  }
  static fe::PlatFormInfos platform;
  context.SetInput(tensors + In::kCompileInfo, compile_info);
  context.SetInput(tensors + In::kPlatformInfo, &platform);
  context.Input(tensors + In::kDeterministic).SetInline(int32_t{0});
  context.Input(tensors + In::kDeterministicLevel).SetInline(int32_t{0});
  const auto data = gert::TilingData::CreateCap(functions.max_tiling_data_size);
  const auto workspaces = gert::ContinuousVector::Create<size_t>(kMaxWorkspaces);
  gert::Dim3 simt_block, simt_grid;
  context.Output(Out::kOutputTilingKey).SetInline(uint64_t{0});
  context.Output(Out::kOutputBlockDim).SetInline(uint32_t{0});
  context.Output(Out::kOutputAtomicCleanFlag).SetInline(true);
  context.SetOutput(Out::kOutputTilingData, data.get());
  context.SetOutput(Out::kOutputWorkspace, workspaces.get());
  context.Output(Out::kOutputTilingCond).SetInline(int32_t{-1});
  context.Output(Out::kOutputScheduleMode).SetInline(uint32_t{0});
  context.Output(Out::kOutputLocalMemorySize).SetInline(uint32_t{0});
  context.Output(Out::kOutputAicpuBlockDim).SetInline(uint32_t{0});
  context.SetOutput(Out::kOutputSimtBlockDim, &simt_block);
  context.SetOutput(Out::kOutputSimtGridDim, &simt_grid);
  auto *seen = context.As<gert::TilingContext>();
  if (Guarded("Tiling", [&] { return functions.tiling(seen); }) != 0)
    return AuthorFailed("TilingFailed", node, TilingPlace(node.type));
  const auto &raw = *reinterpret_cast<const gert::TilingData *>(data.get());
  result.key = seen->GetTilingKey();
  result.blocks = seen->GetBlockDim();
  result.schedule_mode = seen->GetScheduleMode();
  result.local_memory = seen->GetLocalMemorySize();
  result.capacity = raw.GetCapacity();
  if (raw.GetDataSize() > raw.GetCapacity())
    return FailAs("TilingDataTooLarge", {{"op", node.type},
                                         {"where", TilingPlace(node.type)},
                                         {"size", std::to_string(raw.GetDataSize())},
                                         {"capacity", std::to_string(raw.GetCapacity())}});
  if (result.blocks == 0)
    return FailAs("BlockDimUnset", {{"op", node.type}, {"where", TilingPlace(node.type)}});
  const auto *bytes = static_cast<const uint8_t *>(raw.GetData());
  result.data.assign(bytes, bytes + raw.GetDataSize());
  const auto *sizes = reinterpret_cast<const gert::TypedContinuousVector<size_t> *>(workspaces.get());
  result.workspaces.assign(sizes->GetData(), sizes->GetData() + sizes->GetSize());
  return 0;
}

int32_t InferShapes(ferrata_ge_node &node, std::vector<gert::Tensor> &inputs, std::vector<gert::Shape> &out) {
  Implementation implementation;
  (void)ImplementationOf(node.type, implementation);
  out.assign(node.Outputs(), gert::Shape());
  if (implementation.functions.infer_shape == nullptr)
    return FailAs("NoInferShape", {{"op", node.type}});
  ContextBlock context(node.Inputs() + 2, node.Outputs(), node.Info());
  for (size_t i = 0; i < inputs.size(); ++i)
    context.SetInput(i, &inputs[i]);
  for (size_t i = 0; i < out.size(); ++i)
    context.SetOutput(i, &out[i]);
  if (Guarded("InferShape",
              [&] { return implementation.functions.infer_shape(context.As<gert::InferShapeContext>()); }) != 0)
    return AuthorFailed("InferShapeFailed", node, "its InferShape");
  if (const int32_t status = LargestShapes(node, inputs, out))
    return status;
  for (size_t i = 0; i < out.size(); ++i)
    for (size_t d = 0; d < out[i].GetDimNum(); ++d)
      if (out[i][d] < 0)
        return FailAs("ShapeNotInferred",
                      {{"op", node.type}, {"port", std::to_string(i)}, {"why", "though all input shapes are known"}});
  return 0;
}

// The launch function for the node's types and this key.
int32_t KernelOf(const ferrata_ge_node &node, const Definition &definition, int column, uint64_t key,
                 ferrata_ge_launch &launch) {
  std::vector<int32_t> types;
  const std::vector<ge::DataType> given = PortTypesOf(node);
  for (size_t i = 0; i < definition.inputs.size(); ++i) {
    const bool known = i < given.size() && given[i] != ge::DT_UNDEFINED;
    types.push_back(known ? given[i] : definition.Type(definition.inputs[i], column));
  }
  std::vector<int32_t> outputs(definition.outputs.size(), ge::DT_UNDEFINED);
  size_t next = 0;
  for (const auto &output : node.Impl().outputs)
    if (output.present) {
      const ge::DataType type = node.output_types[next++];
      if (output.ir < outputs.size() && outputs[output.ir] == ge::DT_UNDEFINED)
        outputs[output.ir] = type;
    }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] == ge::DT_UNDEFINED) // absent: its macros still have the column's type
      outputs[i] = definition.Type(definition.outputs[i], column);
  types.insert(types.end(), outputs.begin(), outputs.end());
  std::vector<int64_t> any(types.begin(), types.end());
  std::vector<int64_t> exact(any);
  exact.push_back(static_cast<int64_t>(key));
  ferrata_ge_kernels source = nullptr;
  {
    std::lock_guard<std::mutex> lock(All().mutex);
    Kernels &kernels = All().types[node.type];
    for (const auto *wanted : {&any, &exact}) {
      const auto found = kernels.found.find(*wanted);
      if (found != kernels.found.end()) {
        launch = found->second;
        return 0;
      }
    }
    source = kernels.source;
  }
  const char *error = nullptr;
  int32_t keyed = 0;
  launch = source(node.type.c_str(), types.data(), types.size(), key, &keyed, &error);
  if (launch == nullptr)
    return Fail("error", ge::GRAPH_FAILED, error != nullptr ? error : "{}");
  std::lock_guard<std::mutex> lock(All().mutex);
  All().types[node.type].found[keyed != 0 ? exact : any] = launch;
  return 0;
}

class Arguments {
public:
  Arguments(const ferrata_ge_node &node, EagerState &state) : node_(node), state_(state) {}

  bool Collect() {
    return Ports(node_.Impl().ir_inputs, node_.Impl().inputs, state_.inputs) &&
           Ports(node_.Impl().ir_outputs, node_.Impl().outputs, state_.outputs);
  }
  // Device memory that lives until the execution is over.
  void *Bytes(const void *data, size_t bytes) {
    const size_t rounded = std::max<size_t>((bytes + 511) / 512 * 512, 512);
    void *place = state_.alloc(state_.user, FERRATA_GE_ARGS, allocated_++, rounded, nullptr, 0, ge::DT_UINT8);
    if (place != nullptr && bytes != 0)
      memcpy(place, data, bytes);
    return place;
  }
  void Add(void *value) { values_.push_back(value); }
  void *const *Values() const { return values_.data(); }

private:
  // One value per port: an address, null for an absent one, or a list's description.
  bool Ports(const std::vector<IrPort> &ports, const std::vector<Instance> &instances,
             std::vector<gert::Tensor> &tensors) {
    size_t next = 0, at = 0;
    for (size_t ir = 0; ir < ports.size(); ++ir) {
      std::vector<gert::Tensor *> mine;
      for (; at < instances.size() && instances[at].ir == ir; ++at)
        if (instances[at].present)
          mine.push_back(&tensors[next++]);
      if (ports[ir].kind != PortKind::dynamic) {
        values_.push_back(mine.empty() ? nullptr : mine[0]->GetAddr());
        continue;
      }
      std::vector<uint64_t> words(1);
      for (size_t i = 0; i < mine.size(); ++i) {
        const gert::Shape &shape = mine[i]->GetStorageShape();
        words.push_back(shape.GetDimNum() | static_cast<uint64_t>(i) << 32);
        for (size_t d = 0; d < shape.GetDimNum(); ++d)
          words.push_back(static_cast<uint64_t>(shape[d]));
      }
      words[0] = words.size() * 8;
      for (const gert::Tensor *tensor : mine)
        words.push_back(reinterpret_cast<uint64_t>(tensor->GetAddr()));
      values_.push_back(Bytes(words.data(), words.size() * 8));
      if (values_.back() == nullptr)
        return false;
    }
    return true;
  }

  const ferrata_ge_node &node_;
  EagerState &state_;
  size_t allocated_ = 0;
  std::vector<void *> values_;
};

// A half's bits, rounded to nearest even, by way of the float that has the half's precision.
uint16_t HalfBits(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, 4);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000U);
  const float size = value < 0 ? -value : value;
  if (size != size)
    return static_cast<uint16_t>(sign | 0x7e00U);
  if (size >= 65520.0F)
    return static_cast<uint16_t>(sign | 0x7c00U);
  if (size < 6.103515625e-05F) { // subnormal: adding 0.5 leaves a multiple of 2^-24 in the low bits
    const float shifted = size + 0.5F;
    memcpy(&bits, &shifted, 4);
    return static_cast<uint16_t>(sign | (bits - 0x3f000000U));
  }
  memcpy(&bits, &size, 4);
  bits += 0xfffU + (bits >> 13 & 1U);
  return static_cast<uint16_t>(sign | ((bits >> 13) - (112U << 10)));
}

// The value that the definition says an output starts with, in the output's type.
void Initialise(gert::Tensor &tensor, const std::vector<ops::ScalarVar> &init, int column) {
  const auto &value = init[std::min(static_cast<size_t>(std::max(column, 0)), init.size() - 1)];
  const bool real = value.scalar_type == ops::ScalarType::FLOAT32 || value.scalar_type == ops::ScalarType::FLOAT16;
  const double number =
      real ? static_cast<double>(value.scalar_num.value_f32) : static_cast<double>(value.scalar_num.value_i64);
  auto *bytes = static_cast<uint8_t *>(tensor.GetAddr());
  const int64_t count = tensor.GetShapeSize();
  uint64_t pattern = 0;
  int width = ge::GetSizeByDataType(tensor.GetDataType());
  const auto as_float = static_cast<float>(number);
  uint32_t bits = 0;
  memcpy(&bits, &as_float, 4);
  switch (tensor.GetDataType()) {
  case ge::DT_FLOAT:
    pattern = bits;
    break;
  case ge::DT_BF16:
    pattern = bits >> 16;
    break;
  case ge::DT_FLOAT16: {
    pattern = HalfBits(as_float);
    break;
  }
  case ge::DT_DOUBLE:
    memcpy(&pattern, &number, 8);
    break;
  default:
    pattern = real ? static_cast<uint64_t>(static_cast<int64_t>(number)) : value.scalar_num.value_u64;
  }
  if (width < 1 || width > 8)
    width = 1;
  for (int64_t i = 0; i < count; ++i)
    memcpy(bytes + i * width, &pattern, static_cast<size_t>(width));
}

} // namespace

int32_t DefinedOp::Run(ferrata_ge_node &node, EagerState &state, void *stream) {
  const Definition *definition = DefinitionOf(node.type);
  if (definition == nullptr)
    return Fail("not_executable", ge::GRAPH_FAILED, "the OpDef of the type is gone");
  std::vector<int32_t> types(node.Inputs());
  bool changed = false;
  for (size_t i = 0; i < types.size(); ++i) {
    types[i] = state.inputs[i].GetDataType();
    changed = changed || types[i] != node.input_types[i];
  }
  for (const ge::DataType type : node.output_types)
    changed = changed || type == ge::DT_UNDEFINED;
  if (changed) {
    std::vector<int32_t> out(node.Outputs() + 1);
    if (const int32_t status = ferrata_ge_node_infer_dtypes(&node, types.data(), out.data()))
      return status;
  }
  state.context.SetNodeInfo(node.Info());
  std::vector<gert::Shape> shapes;
  if (const int32_t status = InferShapes(node, state.inputs, shapes))
    return status;
  TilingResult tiling;
  if (const int32_t status = Tile(node, state.inputs, shapes, tiling))
    return status;
  const int column = definition->Column(PortTypesOf(node));
  ferrata_ge_launch launch = nullptr;
  if (const int32_t status = KernelOf(node, *definition, column, tiling.key, launch))
    return status;
  auto *context = state.context.As<gert::EagerOpExecutionContext>();
  for (size_t i = 0; i < node.Outputs(); ++i) {
    const gert::StorageFormat format(ge::FORMAT_ND, ge::FORMAT_ND, gert::ExpandDimsType());
    const gert::StorageShape shape(shapes[i], shapes[i]);
    const gert::Tensor *made = state.alias[i] >= 0
                                   ? context->MakeOutputRefInput(i, static_cast<size_t>(state.alias[i]))
                                   : context->MallocOutputTensor(i, shape, format, node.output_types[i]);
    if (made == nullptr)
      return FailAs("OutputNotAllocated", {{"op", node.type}, {"reason", state.notes}});
    const DefinedPort &port = definition->outputs[state.output_ports[i]];
    if (!port.init.empty() && state.alias[i] < 0)
      Initialise(state.outputs[i], port.init, column);
  }
  Arguments arguments(node, state);
  size_t bytes = kSystemWorkspace;
  if (!tiling.workspaces.empty())
    bytes = std::max(bytes, tiling.workspaces[0]);
  auto *workspace = static_cast<uint8_t *>(
      state.alloc(state.user, FERRATA_GE_WORKSPACE, 0, (bytes + 511) / 512 * 512, nullptr, 0, ge::DT_UINT8));
  const bool collected = arguments.Collect();
  const std::vector<size_t> computed = ComputedOutputs(node);
  const std::vector<uint64_t> unwritten(kShapeWords * computed.size());
  void *shape_out = computed.empty() ? nullptr : arguments.Bytes(unwritten.data(), 8 * unwritten.size());
  if (!collected || workspace == nullptr || (shape_out == nullptr && !computed.empty()))
    return FailAs("OutputNotAllocated",
                  {{"op", node.type}, {"reason", "no device memory for workspace and arguments"}});
  if (!computed.empty())
    arguments.Add(shape_out);
  arguments.Add(workspace + kSystemWorkspace);
  arguments.Add(arguments.Bytes(tiling.data.data(), tiling.data.size()));
  int32_t outcome = 0;
  const int32_t status = Guarded("The kernel", [&] {
    outcome = launch(tiling.blocks, stream, arguments.Values(), tiling.key, workspace, tiling.local_memory);
    return 0U;
  });
  if (status == 0 && outcome == 1)
    return FailAs("TilingKeyNotTaken",
                  {{"op", node.type}, {"key", std::to_string(tiling.key)}, {"where", TilingPlace(node.type)}});
  return status != 0 || computed.empty() ? status : TakeShapes(node, state, shape_out);
}

} // namespace ferrata::native

using namespace ferrata::native;

void ferrata_ge_set_kernels(const char *op_type, ferrata_ge_kernels kernels, const char *tiling) {
  {
    std::lock_guard<std::mutex> lock(All().mutex);
    Kernels &entry = All().types[op_type];
    entry.source = kernels;
    entry.tiling = tiling;
    entry.found.clear();
    entry.parsed = false;
  }
  const Definition *definition = DefinitionOf(op_type);
  if (InstanceOf(op_type) == nullptr) // one serves for good: nodes keep its address
    (void)AddCreator(
        op_type, [] { return std::make_unique<DefinedOp>(); }, definition != nullptr ? definition->origin : Origin());
}

const char *ferrata_ge_node_tile(ferrata_ge_node *node, const int64_t *inputs, const size_t *ranks,
                                 const int64_t *outputs, const size_t *output_ranks) {
  static thread_local std::string kept;
  std::vector<gert::Tensor> tensors(node->Inputs());
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t d = 0; d < ranks[i]; ++d) {
      tensors[i].MutableOriginShape().AppendDim(*inputs);
      tensors[i].MutableStorageShape().AppendDim(*inputs++);
    }
    tensors[i].SetDataType(node->input_types[i]);
    if (node->has_constant[i]) {
      (void)tensors[i].MutableTensorData().SetAddr(node->constants[i].data(), nullptr);
      tensors[i].SetSize(node->constants[i].size());
      tensors[i].SetPlacement(gert::kOnHost);
    }
  }
  std::vector<gert::Shape> shapes(node->Outputs());
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t d = 0; d < output_ranks[i]; ++d)
      shapes[i].AppendDim(*outputs++);
  TilingResult result;
  // the caller does not know shapes that a kernel computes
  if (!ComputedOutputs(*node).empty() && InferShapes(*node, tensors, shapes) != 0)
    return nullptr;
  if (Tile(*node, tensors, shapes, result) != 0)
    return nullptr;
  static const char *const digits = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : result.data) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  Json json;
  json.Begin('{').Item("key", result.key).Item("blocks", result.blocks).Item("bytes", result.data.size());
  json.Item("capacity", result.capacity).Item("data", hex).Item("schedule_mode", result.schedule_mode);
  json.Item("local_memory", result.local_memory).Key("workspaces").Begin('[');
  for (const size_t size : result.workspaces)
    json.Value(size);
  json.End(']').End('}');
  kept = json.Text();
  return kept.c_str();
}
