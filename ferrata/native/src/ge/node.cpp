// Building the memory that contexts look at.
#include "node.h"

#include <cstring>
#include <new>

namespace ferrata::native {

ContextBlock::ContextBlock(size_t inputs, size_t outputs, const void *node_info)
    : inputs_(inputs), slots_(inputs + outputs) {
  const size_t bytes = sizeof(gert::KernelRunContext) + (inputs + outputs) * sizeof(gert::Chain *);
  memory_.reset(new uint8_t[bytes]());
  gert::KernelRunContext *run = Run();
  run->input_size = inputs;
  run->output_size = outputs;
  run->compute_node_info = node_info;
  run->output_start = &run->values[0] + inputs;
  for (size_t i = 0; i < slots_.size(); ++i)
    (&run->values[0])[i] = &slots_[i];
}

ContextBlock::~ContextBlock() {
  for (auto &slot : slots_)
    slot.Free();
}

namespace {

// A growing block; every value starts at a multiple of 8.
class Packer {
public:
  size_t Reserve(size_t bytes) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    return at;
  }
  size_t Put(const void *data, size_t bytes) {
    const size_t at = Reserve(bytes);
    if (bytes != 0)
      memcpy(bytes_.data() + at, data, bytes);
    return at;
  }
  template <typename T> T *At(size_t offset) { return reinterpret_cast<T *>(bytes_.data() + offset); }
  size_t Size() const { return bytes_.size(); }
  const uint8_t *Data() const { return bytes_.data(); }

private:
  std::vector<uint8_t> bytes_;
};

size_t PackList(Packer &out, const void *data, size_t count, size_t element) {
  const size_t head = gert::ContinuousVector::GetOverHeadLength();
  const size_t at = out.Reserve(std::max(sizeof(gert::ContinuousVector), head + count * element));
  auto *list = new (out.At<void>(at)) gert::ContinuousVector();
  list->Init(count);
  (void)list->SetSize(count);
  if (count != 0)
    memcpy(list->MutableData(), data, count * element);
  return at;
}

size_t PackTensor(Packer &out, const ge::Tensor &value) {
  const size_t at = out.Reserve(sizeof(gert::Tensor) + value.GetSize());
  auto *tensor = new (out.At<void>(at)) gert::Tensor();
  const ge::TensorDesc desc = value.GetTensorDesc();
  for (const int64_t dim : desc.GetShape().GetDims()) {
    tensor->MutableOriginShape().AppendDim(dim);
    tensor->MutableStorageShape().AppendDim(dim);
  }
  tensor->SetDataType(desc.GetDataType());
  tensor->SetOriginFormat(desc.GetFormat());
  tensor->SetStorageFormat(desc.GetFormat());
  tensor->SetPlacement(gert::kFollowing);
  tensor->SetSize(value.GetSize());
  if (value.GetSize() != 0)
    memcpy(out.At<uint8_t>(at) + sizeof(gert::Tensor), value.GetData(), value.GetSize());
  return at;
}

struct AttrPacker {
  Packer &out;

  size_t operator()(std::monostate) { return out.Reserve(8); }
  size_t operator()(int64_t value) { return out.Put(&value, sizeof(value)); }
  size_t operator()(float value) { return out.Put(&value, sizeof(value)); }
  size_t operator()(bool value) { return out.Put(&value, sizeof(value)); }
  size_t operator()(ge::DataType value) { return out.Put(&value, sizeof(value)); }
  size_t operator()(const ge::AscendString &value) { return out.Put(value.GetString(), value.GetLength() + 1); }
  size_t operator()(const ge::Tensor &value) { return PackTensor(out, value); }
  size_t operator()(const ge::OpBytes &value) { return PackList(out, value.data(), value.size(), 1); }
  size_t operator()(const std::vector<int64_t> &value) { return PackList(out, value.data(), value.size(), 8); }
  size_t operator()(const std::vector<float> &value) { return PackList(out, value.data(), value.size(), 4); }
  size_t operator()(const std::vector<ge::DataType> &value) { return PackList(out, value.data(), value.size(), 4); }
  size_t operator()(const std::vector<bool> &value) {
    const std::vector<uint8_t> bytes(value.begin(), value.end());
    return PackList(out, bytes.data(), bytes.size(), 1);
  }
  // Texts one after the other, each with its NUL; the size counts texts.
  size_t operator()(const std::vector<ge::AscendString> &value) {
    std::string joined;
    for (const auto &text : value)
      joined.append(text.GetString(), text.GetLength() + 1);
    const size_t at = PackList(out, joined.data(), joined.size(), 1);
    auto *list = out.At<gert::ContinuousVector>(at);
    list->Init(value.size());
    (void)list->SetSize(value.size());
    return at;
  }
  size_t operator()(const std::vector<std::vector<int64_t>> &value) {
    const size_t head = gert::ContinuousVectorVector::GetOverHeadLength();
    const size_t at = out.Reserve(std::max(sizeof(gert::ContinuousVectorVector), head + value.size() * 8));
    (new (out.At<void>(at)) gert::ContinuousVectorVector())->Init(value.size());
    for (size_t i = 0; i < value.size(); ++i) {
      const size_t item = PackList(out, value[i].data(), value[i].size(), 8);
      out.At<gert::ContinuousVectorVector>(at)->SetOffset(i, item - at);
    }
    return at;
  }
  // No runtime accessor reads these.
  size_t operator()(const ge::NamedAttrs &) { return out.Reserve(8); }
  size_t operator()(const std::vector<ge::NamedAttrs> &) { return out.Reserve(8); }
  size_t operator()(const std::vector<ge::Tensor> &) { return out.Reserve(8); }
};

// Count, offsets, values. All attributes vanish when one has no value, as the interface defines it.
Packer PackAttrs(const ge::OperatorImpl &op) {
  Packer out;
  const size_t declared = op.ir_attrs.size();
  bool complete = true;
  for (const auto &attr : op.ir_attrs)
    complete = complete && op.attrs.count(attr.name) != 0;
  const uint64_t count = complete ? declared : 0;
  const size_t head = out.Reserve(8 + declared * 8);
  *out.At<uint64_t>(head) = count;
  for (size_t i = 0; i < count; ++i) {
    const size_t offset = std::visit(AttrPacker{out}, op.attrs.find(op.ir_attrs[i].name)->second.value);
    out.At<uint64_t>(head)[1 + i] = offset;
  }
  out.Reserve(0);
  return out;
}

// Number and start of the tensors of each port. Absent optional inputs have none.
std::vector<gert::AnchorInstanceInfo> Anchors(size_t ports, const std::vector<Instance> &instances) {
  std::vector<gert::AnchorInstanceInfo> anchors(ports);
  uint32_t at = 0;
  size_t next = 0;
  for (size_t ir = 0; ir < ports; ++ir) {
    anchors[ir].SetInstanceStart(at);
    uint32_t count = 0;
    for (; next < instances.size() && instances[next].ir == ir; ++next)
      count += instances[next].present ? 1 : 0;
    anchors[ir].SetInstanceNum(count);
    at += count;
  }
  return anchors;
}

} // namespace

std::string JoinNames(const std::vector<std::string> &names) {
  std::string text;
  for (const auto &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

} // namespace ferrata::native

namespace gert {

std::unique_ptr<uint8_t[]> NodeInfoBuilder::Build(const ge::OperatorImpl &op, const char *name,
                                                  const std::vector<ge::DataType> &inputs,
                                                  const std::vector<ge::DataType> &outputs) {
  const auto ir_inputs = ferrata::native::Anchors(op.ir_inputs.size(), op.inputs);
  const auto ir_outputs = ferrata::native::Anchors(op.ir_outputs.size(), op.outputs);
  const ferrata::native::Packer attrs = ferrata::native::PackAttrs(op);
  const size_t attrs_size = (attrs.Size() + 7) / 8 * 8;
  const size_t bytes = ComputeNodeInfo::kFixedBytes +
                       (ir_inputs.size() + ir_outputs.size()) * sizeof(AnchorInstanceInfo) +
                       (inputs.size() + outputs.size()) * sizeof(CompileTimeTensorDesc) + attrs_size;
  std::unique_ptr<uint8_t[]> block(new uint8_t[std::max(bytes, sizeof(ComputeNodeInfo))]());
  auto *info = reinterpret_cast<ComputeNodeInfo *>(block.get());
  info->type_ = op.type.c_str();
  info->name_ = name;
  info->ir_inputs_ = ir_inputs.size();
  info->inputs_ = inputs.size();
  info->outputs_ = outputs.size();
  info->ir_outputs_ = ir_outputs.size();
  info->attrs_size_ = attrs_size;
  uint8_t *at = block.get() + ComputeNodeInfo::kFixedBytes;
  for (const auto &anchor : ir_inputs)
    at = reinterpret_cast<uint8_t *>(new (at) AnchorInstanceInfo(anchor) + 1);
  for (const auto *types : {&inputs, &outputs})
    for (const ge::DataType type : *types) {
      auto *desc = new (at) CompileTimeTensorDesc();
      desc->SetDataType(type);
      at = reinterpret_cast<uint8_t *>(desc + 1);
    }
  memcpy(at, attrs.Data(), attrs.Size());
  at += attrs_size;
  for (const auto &anchor : ir_outputs)
    at = reinterpret_cast<uint8_t *>(new (at) AnchorInstanceInfo(anchor) + 1);
  return block;
}

} // namespace gert

const void *ferrata_ge_node::Info() {
  if (!info)
    info = gert::NodeInfoBuilder::Build(Impl(), name.c_str(), input_types, output_types);
  return info.get();
}

std::vector<std::string> ferrata_ge_node::MissingAttrs() const {
  std::vector<std::string> missing;
  for (const auto &attr : Impl().ir_attrs)
    if (Impl().attrs.count(attr.name) == 0)
      missing.push_back(attr.name);
  return missing;
}
