// What AnnotatedArgsOp::DeclareLaunchArgs works with: launches whose arguments say which address each slot holds.
#pragma once
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "../../graph/ascend_string.h"
#include "extended_kernel_context.h"

namespace gert {

struct InputAddr {
  uint32_t index;
  const void *addr;
};
struct OutputAddr {
  uint32_t index;
  const void *addr;
};
struct WorkspaceAddr {
  uint32_t index;
  const void *addr;
};

struct AnnotatedKernelLaunchInfo {
  const char *kernel_name;
  const void *kernel_bin;
  size_t kernel_bin_size;
  uint32_t block_dim;
  uint32_t stream_id;
};

// Arguments of one launch, 8 bytes each. An index above INT32_MAX fails, and the failure is remembered.
class AnnotatedKernelArgs {
public:
  enum class Kind : uint32_t { kInput, kOutput, kWorkspace, kValue };
  struct Slot {
    Kind kind;
    uint32_t index;
    uint64_t value;
  };

  AnnotatedKernelArgs() = default;
  template <typename First, typename... Rest,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<First>, AnnotatedKernelArgs>>>
  explicit AnnotatedKernelArgs(First first, Rest... rest) {
    (void)AppendArg(first);
    (void)std::initializer_list<ge::graphStatus>{AppendArg(rest)...};
  }

  ge::graphStatus AppendArg(const InputAddr &input) { return Append(Kind::kInput, input.index, input.addr); }
  ge::graphStatus AppendArg(const OutputAddr &output) { return Append(Kind::kOutput, output.index, output.addr); }
  ge::graphStatus AppendArg(const WorkspaceAddr &space) { return Append(Kind::kWorkspace, space.index, space.addr); }
  ge::graphStatus AppendArg(uint64_t value) {
    slots_.push_back({Kind::kValue, 0, value});
    return status_;
  }

  ge::graphStatus GetStatus() const { return status_; }
  const std::vector<Slot> &GetSlots() const { return slots_; }

private:
  ge::graphStatus Append(Kind kind, uint32_t index, const void *address) {
    if (index > 0x7fffffffU)
      status_ = ge::GRAPH_FAILED;
    slots_.push_back({kind, index, reinterpret_cast<uint64_t>(address)});
    return status_;
  }

  std::vector<Slot> slots_;
  ge::graphStatus status_ = ge::GRAPH_SUCCESS;
};

class AnnotatedArgsContext : public ExtendedKernelContext {
public:
  enum class AdditionalInputIndex : uint32_t { kWorkspaceAllocator = 0, kNum = 1 };
  enum class AdditionalOutputIndex : uint32_t { kWorkSpace = 0, kArgsHandler = 1, kNum = 2 };

  const Tensor *GetInputTensor(size_t i) const { return InputAt<Tensor>(i); }
  const Tensor *GetRequiredInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetOptionalInputTensor(size_t ir) const { return InputOfPort<Tensor>(ir, 0); }
  const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputOfPort<Tensor>(ir, relative); }
  const Tensor *GetOutputTensor(size_t i) const {
    return i < GetComputeNodeOutputNum() ? GetOutputPointer<Tensor>(i) : nullptr;
  }

  // A null address for 0 bytes.
  FERRATA_GE_API WorkspaceAddr MallocWorkSpace(size_t bytes);
  // UINT32_MAX on failure.
  FERRATA_GE_API uint32_t GetStreamId() const;
  FERRATA_GE_API ge::graphStatus AddLaunch(const AnnotatedKernelLaunchInfo &info, AnnotatedKernelArgs &&args);
};
static_assert(sizeof(AnnotatedArgsContext) == 48, "size of the interface");

} // namespace gert
