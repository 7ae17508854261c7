// What a context knows of its node: type, name, ports, tensor descriptions, attributes. One block of memory.
#pragma once
#include "base_type.h"
#include "runtime_attrs.h"
#include "storage_format.h"

namespace gert {

// The actual tensors of one prototype port.
class AnchorInstanceInfo {
public:
  AnchorInstanceInfo() : AnchorInstanceInfo(0, 0) {}
  AnchorInstanceInfo(uint32_t start, uint32_t count) : start_(start), count_(count), reserved_{0} {}
  size_t GetInstanceNum() const { return count_; }
  size_t GetInstanceStart() const { return start_; }
  void SetInstanceNum(uint32_t count) { count_ = count; }
  void SetInstantiationNum(uint32_t count) { count_ = count; }
  void SetInstanceStart(uint32_t start) { start_ = start; }

private:
  uint32_t start_;
  uint32_t count_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(AnchorInstanceInfo) == 48, "size of the interface");

// Data type and formats of one tensor, known when the graph is compiled.
class CompileTimeTensorDesc {
public:
  CompileTimeTensorDesc() : format_(ge::FORMAT_ND, ge::FORMAT_ND, ExpandDimsType()), reserved_{0} {}
  ge::DataType GetDataType() const { return data_type_; }
  void SetDataType(ge::DataType type) { data_type_ = type; }
  const StorageFormat &GetFormat() const { return format_; }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType &expand) { format_.SetExpandDimsType(expand); }

private:
  ge::DataType data_type_ = ge::DT_UNDEFINED;
  StorageFormat format_;
  uint8_t reserved_[kReservedBytes]; // NOLINT: part of the size
};
static_assert(sizeof(CompileTimeTensorDesc) == 144, "size of the interface");

class ComputeNodeInfo {
public:
  ComputeNodeInfo() = delete;
  ComputeNodeInfo(const ComputeNodeInfo &) = delete;
  ComputeNodeInfo &operator=(const ComputeNodeInfo &) = delete;

  const char *GetNodeType() const { return type_; }
  const char *GetNodeName() const { return name_; }
  size_t GetIrInputsNum() const { return ir_inputs_; }
  size_t GetIrOutputsNum() const { return ir_outputs_; }
  size_t GetInputsNum() const { return inputs_; }
  size_t GetOutputsNum() const { return outputs_; }
  const AnchorInstanceInfo *GetInputInstanceInfo(size_t ir) const {
    return ir < ir_inputs_ ? At<AnchorInstanceInfo>(0) + ir : nullptr;
  }
  const CompileTimeTensorDesc *GetInputTdInfo(size_t i) const { return i < inputs_ ? Descs() + i : nullptr; }
  const CompileTimeTensorDesc *GetOutputTdInfo(size_t i) const {
    return i < outputs_ ? Descs() + inputs_ + i : nullptr;
  }
  const RuntimeAttrs *GetAttrs() const { return At<RuntimeAttrs>(AttrsOffset()); }
  const AnchorInstanceInfo *GetOutputInstanceInfo(size_t ir) const {
    return ir < ir_outputs_ ? At<AnchorInstanceInfo>(AttrsOffset() + attrs_size_) + ir : nullptr;
  }

private:
  template <typename T> const T *At(size_t offset) const {
    return reinterpret_cast<const T *>(reinterpret_cast<const uint8_t *>(this) + kFixedBytes + offset);
  }
  const CompileTimeTensorDesc *Descs() const {
    return At<CompileTimeTensorDesc>(ir_inputs_ * sizeof(AnchorInstanceInfo));
  }
  size_t AttrsOffset() const {
    return ir_inputs_ * sizeof(AnchorInstanceInfo) + (inputs_ + outputs_) * sizeof(CompileTimeTensorDesc);
  }
  static constexpr size_t kFixedBytes = 80;

  const char *type_;
  const char *name_;
  size_t ir_inputs_;
  size_t inputs_;
  size_t outputs_;
  size_t ir_outputs_;
  size_t attrs_size_;
  uint8_t reserved_[24];          // NOLINT: part of the size
  uint8_t ir_input_instances_[8]; // NOLINT: byte 80, where the first array begins

  friend class NodeInfoBuilder; // libgert fills it
};
static_assert(sizeof(ComputeNodeInfo) == 88, "size of the interface");

} // namespace gert
