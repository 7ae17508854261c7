// What a tiling function reads and writes.
//
// Slots of the inputs: a Tensor per input, a StorageShape per output, then the four of TilingInputIndex.
#pragma once
#include "extended_kernel_context.h"
#include "tiling_data.h"

namespace fe {
class PlatFormInfos;
} // namespace fe

namespace gert {

enum class TilingPlacement : uint32_t { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};
static_assert(sizeof(Dim3) == 12, "size of the interface");

class TilingContext : public ExtendedKernelContext {
public:
  enum TilingOutputIndex : uint32_t {
    kOutputTilingKey = 0,
    kOutputBlockDim = 1,
    kOutputSimdNumBlocks = 1,
    kOutputAtomicCleanFlag = 2,
    kOutputTilingData = 3,
    kOutputWorkspace = 4,
    kOutputTilingCond = 5,
    kOutputScheduleMode = 6,
    kOutputLocalMemorySize = 7,
    kOutputDynUBufSize = 7,
    kOutputAicpuBlockDim = 8,
    kOutputAicpuNumBlocks = 8,
    kOutputSimtBlockDim = 9,
    kOutputSimtGridDim = 10,
    kOutputNum = 11,
  };
  enum FallibleTilingOutputIndex : uint32_t { kTilingStatus = 11, kFallibleOutputNum = 12 };
  // After the tensors of inputs and outputs.
  enum TilingInputIndex : uint32_t {
    kCompileInfo,
    kPlatformInfo,
    kDeterministic,
    kDeterministicLevel,
    kTilingInputNum
  };

  const void *GetCompileInfo() const { return Extra<const void *>(kCompileInfo); }
  template <typename T> const T *GetCompileInfo() const { return static_cast<const T *>(GetCompileInfo()); }
  fe::PlatFormInfos *GetPlatformInfo() const { return Extra<fe::PlatFormInfos *>(kPlatformInfo); }
  int32_t GetDeterministic() const { return Extra<int32_t>(kDeterministic); }
  int32_t GetDeterministicLevel() const { return Extra<int32_t>(kDeterministicLevel); }

  const StorageShape *GetInputShape(size_t i) const { return InputAt<StorageShape>(i); }
  const StorageShape *GetRequiredInputShape(size_t ir) const { return InputOfPort<StorageShape>(ir, 0); }
  const StorageShape *GetOptionalInputShape(size_t ir) const { return InputOfPort<StorageShape>(ir, 0); }
  const StorageShape *GetDynamicInputShape(size_t ir, size_t relative) const {
    return InputOfPort<StorageShape>(ir, relative);
  }
  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const StorageShape *GetOutputShape(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetInputPointer<StorageShape>(GetComputeNodeInputNum() + i) : nullptr;
  }

  ge::graphStatus SetTilingKey(uint64_t key) { return Put(kOutputTilingKey, key); }
  uint64_t GetTilingKey() const { return Get(kOutputTilingKey, ~uint64_t{0}); }
  ge::graphStatus SetBlockDim(uint32_t blocks) { return Put(kOutputBlockDim, blocks); }
  uint32_t GetBlockDim() const { return Get(kOutputBlockDim, ~uint32_t{0}); }
  ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
  uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
  ge::graphStatus SetAicpuBlockDim(uint32_t blocks) { return Put(kOutputAicpuBlockDim, blocks); }
  uint32_t GetAicpuBlockDim() const { return Get(kOutputAicpuBlockDim, ~uint32_t{0}); }
  ge::graphStatus SetAicpuNumBlocks(uint32_t blocks) { return SetAicpuBlockDim(blocks); }
  uint32_t GetAicpuNumBlocks() const { return GetAicpuBlockDim(); }
  ge::graphStatus SetScheduleMode(uint32_t mode) { return Put(kOutputScheduleMode, mode); }
  uint32_t GetScheduleMode() const { return Get(kOutputScheduleMode, uint32_t{0}); }
  ge::graphStatus SetTilingCond(int32_t condition) { return Put(kOutputTilingCond, condition); }
  int32_t GetTilingCond() const { return Get(kOutputTilingCond, int32_t{-1}); }
  ge::graphStatus SetNeedAtomic(bool atomic) { return Put(kOutputAtomicCleanFlag, atomic); }
  bool NeedAtomic() const { return Get(kOutputAtomicCleanFlag, false); }
  ge::graphStatus SetLocalMemorySize(uint32_t bytes) { return Put(kOutputLocalMemorySize, bytes); }
  uint32_t GetLocalMemorySize() const { return Get(kOutputLocalMemorySize, uint32_t{0}); }
  ge::graphStatus SetDynUBufSize(uint32_t bytes) { return SetLocalMemorySize(bytes); }
  uint32_t GetDynUBufSize() const { return GetLocalMemorySize(); }
  ge::graphStatus SetSimtBlockDim(const Dim3 &dim) { return PutDim(kOutputSimtBlockDim, dim); }
  Dim3 GetSimtBlockDim() const { return GetDim3(kOutputSimtBlockDim); }
  ge::graphStatus SetSimtGridDim(const Dim3 &dim) { return PutDim(kOutputSimtGridDim, dim); }
  Dim3 GetSimtGridDim() const { return GetDim3(kOutputSimtGridDim); }

  TilingData *GetRawTilingData() {
    TilingData **data = GetOutputPointer<TilingData *>(kOutputTilingData);
    return data != nullptr ? *data : nullptr;
  }
  // Null when the buffer is smaller than T; otherwise the data size becomes sizeof(T).
  template <typename T> T *GetTilingData() {
    TilingData *data = GetRawTilingData();
    if (data == nullptr || data->GetCapacity() < sizeof(T))
      return nullptr;
    data->SetDataSize(sizeof(T));
    return static_cast<T *>(data->GetData());
  }
  // Room for `count` workspace sizes; null beyond the capacity.
  size_t *GetWorkspaceSizes(size_t count) {
    auto *sizes = GetOutputPointer<TypedContinuousVector<size_t>>(kOutputWorkspace);
    if (sizes == nullptr || sizes->SetSize(count) != ge::GRAPH_SUCCESS)
      return nullptr;
    return sizes->MutableData();
  }
  size_t GetWorkspaceNum() const {
    const auto *sizes = GetOutputPointer<TypedContinuousVector<size_t>>(kOutputWorkspace);
    return sizes != nullptr ? sizes->GetSize() : 0;
  }

  // Views do not reach operators here.
  bool InputIsView(size_t) const { return false; }
  const Stride *GetInputStride(size_t) const { return nullptr; }
  int64_t GetInputOffset(size_t) const { return -1; }
  bool OutputIsView(size_t) const { return false; }
  const Stride *GetOutputStride(size_t) const { return nullptr; }
  int64_t GetOutputOffset(size_t) const { return -1; }

private:
  template <typename T> T Extra(uint32_t index) const {
    return GetComputeNodeInfo() == nullptr
               ? T{}
               : GetInputValue<T>(GetComputeNodeInputNum() + GetComputeNodeOutputNum() + index);
  }
  template <typename T> ge::graphStatus Put(uint32_t index, T value) {
    T *slot = GetOutputPointer<T>(index);
    if (slot == nullptr)
      return ge::GRAPH_FAILED;
    *slot = value;
    return ge::GRAPH_SUCCESS;
  }
  template <typename T> T Get(uint32_t index, T unset) const {
    const T *slot = GetOutputPointer<T>(index);
    return slot != nullptr ? *slot : unset;
  }
  ge::graphStatus PutDim(uint32_t index, const Dim3 &dim) {
    Dim3 *slot = GetOutputPointer<Dim3>(index);
    if (slot == nullptr)
      return ge::GRAPH_FAILED;
    *slot = dim;
    return ge::GRAPH_SUCCESS;
  }
  Dim3 GetDim3(uint32_t index) const {
    const Dim3 *slot = GetOutputPointer<Dim3>(index);
    return slot != nullptr ? *slot : Dim3{};
  }
};
static_assert(sizeof(TilingContext) == 48, "size of the interface");

} // namespace gert
