// Execution: fills the context, calls Execute, reads the outputs back. The calls that an author makes on the context.
#include "execute.h"

#include "definition.h"

#include <cstring>

#include "exe_graph/runtime/annotated_args_context.h"
#include "exe_graph/runtime/op_execute_context.h"
#include "exe_graph/runtime/update_args_context.h"
#include "graph/utils/type_utils.h"

using namespace ferrata::native;

namespace ferrata::native {

namespace {

constexpr size_t kAlign = 512;

template <typename Enum> size_t Index(Enum value) { return static_cast<size_t>(value); }
using In = gert::EagerOpExecutionContext::AdditionalInputIndex;
using Out = gert::EagerOpExecutionContext::AdditionalOutputIndex;

bool RoundUp(size_t bytes, size_t &rounded) {
  if (__builtin_add_overflow(bytes, kAlign - 1, &rounded))
    return false;
  rounded = rounded / kAlign * kAlign;
  return true;
}

void Ports(const std::vector<IrPort> &ports, const std::vector<Instance> &instances, std::vector<size_t> &indices,
           std::vector<std::string> &names) {
  for (const auto &instance : instances)
    if (instance.present) {
      indices.push_back(instance.ir);
      names.push_back(ports[instance.ir].name);
    }
}

void Fill(gert::Shape &shape, const int64_t *dims, size_t rank) {
  shape.SetDimNum(rank);
  for (size_t i = 0; i < rank; ++i)
    shape[i] = dims[i];
}

// The state of the node that is executing in `context`, from the allocator's slot.
EagerState *StateOf(const gert::EagerOpExecutionContext *context) {
  const auto *low = reinterpret_cast<const gert::KernelContext *>(context);
  if (context->GetComputeNodeInfo() == nullptr)
    return nullptr;
  return low->GetInputValue<EagerState *>(context->GetComputeNodeInputNum() + Index(In::kDeviceAllocator));
}

std::string ShapeText(const gert::Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.GetDimNum(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
  return text + "]";
}

} // namespace

EagerState::EagerState(ferrata_ge_node &node)
    : inputs(node.Inputs()), outputs(node.Outputs()), flags(node.Outputs()), refs(node.Outputs(), -1),
      alias(node.Outputs(), -1), context(node.Inputs() + Index(In::kNum), node.Outputs() + Index(Out::kNum), nullptr) {
  Ports(node.Impl().ir_inputs, node.Impl().inputs, input_ports, input_names);
  Ports(node.Impl().ir_outputs, node.Impl().outputs, output_ports, output_names);
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t j = 0; j < inputs.size() && alias[i] < 0; ++j)
      if (output_names[i] == input_names[j])
        alias[i] = static_cast<int32_t>(j);
  for (size_t i = 0; i < inputs.size(); ++i)
    context.SetInput(i, &inputs[i]);
  context.Input(inputs.size() + Index(In::kDeviceAllocator)).SetInline(this);
  for (size_t i = 0; i < outputs.size(); ++i)
    context.SetOutput(i, &outputs[i]);
  context.SetOutput(outputs.size() + Index(Out::kWorkSpace), this);
  context.SetOutput(outputs.size() + Index(Out::kArgsHandler), this);
}

} // namespace ferrata::native

ferrata_ge_node::ferrata_ge_node() = default;
ferrata_ge_node::~ferrata_ge_node() = default;

namespace gert {

Tensor *EagerOpExecutionContext::MallocOutputTensor(size_t i, const StorageShape &shape, const StorageFormat &format,
                                                    ge::DataType type) {
  EagerState *state = StateOf(this);
  if (state == nullptr || i >= state->outputs.size()) {
    if (state != nullptr)
      state->Note("MallocOutputTensor(" + std::to_string(i) + "): the node has " +
                  std::to_string(state->outputs.size()) + " outputs");
    return nullptr;
  }
  if (state->alias[i] >= 0) {
    state->Note("MallocOutputTensor(" + std::to_string(i) + "): output '" + state->output_names[i] +
                "' has the name of an input and must be made by MakeOutputRefInput");
    return nullptr;
  }
  Tensor &out = state->outputs[i];
  const Shape &storage = shape.GetStorageShape();
  const int64_t elements = storage.GetShapeSize();
  const int64_t bytes = ge::GetSizeInBytes(elements, type);
  size_t rounded = 0;
  if (storage.GetDimNum() > Shape::kMaxDimNum || bytes < 0 || type == ge::DT_STRING || type == ge::DT_STRING_REF ||
      !RoundUp(static_cast<size_t>(bytes), rounded)) {
    state->Note("MallocOutputTensor(" + std::to_string(i) + "): no size for shape " + ShapeText(storage) + " of type " +
                ge::TypeUtils::DataTypeToSerialString(type));
    return nullptr;
  }
  out.MutableOriginShape() = shape.GetOriginShape();
  out.MutableStorageShape() = storage;
  out.SetOriginFormat(format.GetOriginFormat());
  out.SetStorageFormat(format.GetStorageFormat());
  out.SetDataType(type);
  if (out.GetSize() > 0 && (state->flags[i] & FERRATA_GE_PRESET) != 0) {
    state->flags[i] |= FERRATA_GE_SET;
    return &out;
  }
  int64_t dims[Shape::kMaxDimNum];
  for (size_t d = 0; d < storage.GetDimNum(); ++d)
    dims[d] = storage[d];
  void *data = state->alloc(state->user, FERRATA_GE_OUTPUT, i, rounded, dims, storage.GetDimNum(), type);
  if (data == nullptr && elements > 0) {
    state->Note("MallocOutputTensor(" + std::to_string(i) + "): out of device memory for " + std::to_string(rounded) +
                " bytes");
    return nullptr;
  }
  (void)out.MutableTensorData().SetAddr(data, nullptr);
  out.SetPlacement(kOnDeviceHbm);
  out.SetSize(rounded);
  state->flags[i] |= FERRATA_GE_SET;
  return &out;
}

Tensor *EagerOpExecutionContext::MakeOutputRefInput(size_t out, size_t in) const {
  EagerState *state = StateOf(this);
  if (state == nullptr || out >= state->outputs.size() || in >= state->inputs.size())
    return nullptr;
  if (state->output_names[out] != state->input_names[in]) {
    state->Note("MakeOutputRefInput(" + std::to_string(out) + ", " + std::to_string(in) + "): output '" +
                state->output_names[out] + "' and input '" + state->input_names[in] + "' differ in name");
    return nullptr;
  }
  const Tensor &from = state->inputs[in];
  Tensor &to = state->outputs[out];
  to.GetShape() = from.GetShape();
  to.MutableFormat() = from.GetFormat();
  to.SetDataType(from.GetDataType());
  (void)to.MutableTensorData().ShareFrom(from.GetTensorData());
  state->flags[out] |= FERRATA_GE_SET | FERRATA_GE_REF;
  state->refs[out] = static_cast<int32_t>(in);
  return &to;
}

void *EagerOpExecutionContext::MallocWorkSpace(size_t bytes) {
  EagerState *state = StateOf(this);
  size_t rounded = 0;
  if (state == nullptr || !RoundUp(bytes, rounded))
    return nullptr;
  return state->alloc(state->user, FERRATA_GE_WORKSPACE, state->workspaces++, rounded, nullptr, 0, ge::DT_UINT8);
}

const KernelArgs *EagerOpExecutionContext::MallocReadOnlyDevArgs(void *host, size_t bytes) const {
  EagerState *state = StateOf(this);
  size_t rounded = 0;
  if (state == nullptr || host == nullptr || bytes == 0 || !RoundUp(bytes, rounded))
    return nullptr;
  void *device =
      state->alloc(state->user, FERRATA_GE_ARGS, state->device_args.size(), rounded, nullptr, 0, ge::DT_UINT8);
  if (device == nullptr)
    return nullptr;
  memcpy(device, host, bytes); // device memory is host memory here
  state->device_args.emplace_back(new KernelArgs{device, bytes, {0}, ge::kPlacementDevice, {0}});
  return state->device_args.back().get();
}

const KernelArgs *UpdateArgsContext::GetKernelArgs(ge::Placement, size_t index) const {
  EagerState *state = StateOf(reinterpret_cast<const EagerOpExecutionContext *>(this));
  return state != nullptr && index < state->device_args.size() ? state->device_args[index].get() : nullptr;
}

// The engine runs Execute each time and never asks for declared launches; authors' code links all the same.
namespace {
EagerState *FirstExtra(const ExtendedKernelContext *context) {
  return StateOf(reinterpret_cast<const EagerOpExecutionContext *>(context));
}
} // namespace

WorkspaceAddr AnnotatedArgsContext::MallocWorkSpace(size_t bytes) {
  EagerState *state = FirstExtra(this);
  size_t rounded = 0;
  if (state == nullptr || bytes == 0 || !RoundUp(bytes, rounded))
    return {0, nullptr};
  const auto index = static_cast<uint32_t>(state->workspaces++);
  return {index, state->alloc(state->user, FERRATA_GE_WORKSPACE, index, rounded, nullptr, 0, ge::DT_UINT8)};
}

uint32_t AnnotatedArgsContext::GetStreamId() const { return FirstExtra(this) == nullptr ? UINT32_MAX : 0; }

ge::graphStatus AnnotatedArgsContext::AddLaunch(const AnnotatedKernelLaunchInfo &info, AnnotatedKernelArgs &&args) {
  const bool named = info.kernel_name != nullptr && *info.kernel_name != '\0';
  const bool binary = info.kernel_bin != nullptr && info.kernel_bin_size != 0;
  return named && binary && info.block_dim != 0 && info.stream_id != UINT32_MAX ? args.GetStatus() : ge::GRAPH_FAILED;
}

void *OpExecuteContext::MallocWorkspace(size_t bytes) {
  const auto *low = reinterpret_cast<const KernelContext *>(this);
  auto *state = low->GetInputValue<EagerState *>(GetComputeNodeInputNum() + GetComputeNodeOutputNum());
  size_t rounded = 0;
  if (state == nullptr || !RoundUp(bytes, rounded))
    return nullptr;
  return state->alloc(state->user, FERRATA_GE_WORKSPACE, state->workspaces++, rounded, nullptr, 0, ge::DT_UINT8);
}

void OpExecuteContext::FreeWorkspace() {} // with the node

} // namespace gert

int32_t ferrata_ge_node_execute(ferrata_ge_node *node, const ferrata_ge_tensor *inputs, size_t input_count,
                                ferrata_ge_tensor *outputs, size_t output_count, void *stream, ferrata_ge_alloc alloc,
                                void *user) {
  if (input_count != node->Inputs() || output_count != node->Outputs())
    return Fail("invalid", ge::GRAPH_PARAM_INVALID,
                "the node has " + std::to_string(node->Inputs()) + " inputs and " + std::to_string(node->Outputs()) +
                    " outputs, not " + std::to_string(input_count) + " and " + std::to_string(output_count));
  std::lock_guard<std::mutex> lock(node->executing);
  if (!node->eager) {
    ge::BaseCustomOp *instance = InstanceOf(node->type);
    auto *op = dynamic_cast<ge::EagerExecuteOp *>(instance);
    if (op == nullptr)
      return Fail("not_executable", ge::GRAPH_FAILED,
                  instance == nullptr ? "no class is registered for the type (or its constructor threw)"
                                      : "the class does not derive from EagerExecuteOp");
    node->eager = std::make_unique<EagerState>(*node);
    node->eager_op = op;
  }
  EagerState &state = *node->eager;
  state.context.SetNodeInfo(node->Info());
  state.context.Input(node->Inputs() + Index(In::kStream)).SetInline(stream);
  state.alloc = alloc;
  state.user = user;
  state.notes.clear();
  state.workspaces = 0;
  state.device_args.clear();
  for (size_t i = 0; i < input_count; ++i) {
    gert::Tensor &tensor = state.inputs[i];
    if (inputs[i].rank > gert::Shape::kMaxDimNum)
      return Fail("invalid", ge::GRAPH_PARAM_INVALID, "more than 25 dimensions");
    Fill(tensor.MutableOriginShape(), inputs[i].dims, inputs[i].rank);
    Fill(tensor.MutableStorageShape(), inputs[i].dims, inputs[i].rank);
    tensor.SetDataType(static_cast<ge::DataType>(inputs[i].dtype));
    (void)tensor.MutableTensorData().SetAddr(inputs[i].data, nullptr);
    tensor.SetSize(inputs[i].bytes);
    tensor.SetPlacement(static_cast<gert::TensorPlacement>(inputs[i].placement));
  }
  for (size_t i = 0; i < output_count; ++i) {
    gert::Tensor &tensor = state.outputs[i];
    state.flags[i] = outputs[i].flags & FERRATA_GE_PRESET;
    state.refs[i] = -1;
    const bool preset = state.flags[i] != 0;
    (void)tensor.MutableTensorData().SetAddr(preset ? outputs[i].data : nullptr, nullptr);
    tensor.SetSize(preset ? outputs[i].bytes : 0);
    tensor.SetPlacement(gert::kOnDeviceHbm);
    tensor.SetDataType(node->output_types[i]);
    tensor.MutableOriginShape().SetDimNum(0);
    tensor.MutableStorageShape().SetDimNum(0);
    if (outputs[i].dims != nullptr) {
      Fill(tensor.MutableOriginShape(), outputs[i].dims, outputs[i].rank);
      Fill(tensor.MutableStorageShape(), outputs[i].dims, outputs[i].rank);
    }
  }
  auto *defined = dynamic_cast<DefinedOp *>(node->eager_op);
  const int32_t status = defined != nullptr ? defined->Run(*node, state, stream) : Guarded("Execute", [&] {
    return node->eager_op->Execute(state.context.As<gert::EagerOpExecutionContext>());
  });
  if (status != 0) {
    ErrorOfThread().notes = state.notes;
    return status;
  }
  for (size_t i = 0; i < output_count; ++i) {
    gert::Tensor &tensor = state.outputs[i];
    const gert::Shape &shape = tensor.GetStorageShape();
    outputs[i].data = tensor.GetAddr();
    outputs[i].rank = shape.GetDimNum();
    outputs[i].dims = shape.GetDimNum() == 0 ? nullptr : &tensor.MutableStorageShape()[0];
    outputs[i].bytes = tensor.GetSize();
    outputs[i].dtype = tensor.GetDataType();
    outputs[i].placement = tensor.GetPlacement();
    outputs[i].flags = state.flags[i];
    outputs[i].ref = state.refs[i];
  }
  return 0;
}
