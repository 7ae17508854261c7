// The high-level matrix product. Its types and constants are here, so that sources which include this header compile;
// the product itself is not built yet, and a kernel that makes a Matmul gets one error that says so.
#pragma once
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

enum class CubeFormat {
  ND = 0,
  NZ = 1,
  ZN = 2,
  ZZ = 3,
  NN = 4,
  ND_ALIGN = 5,
  SCALAR = 6,
  VECTOR = 7,
  ROW_MAJOR = 0,
  COLUMN_MAJOR = 8
};
enum class LayoutMode { NONE, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT };
enum BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };

struct MatmulConfig {
  bool doNorm, doBasicBlock, doMultiDataLoad;
  uint32_t basicM, basicN, basicK;
};
constexpr MatmulConfig CFG_NORM{true, false, false, 0, 0, 0};
constexpr MatmulConfig CFG_MDL{false, false, true, 0, 0, 0};
constexpr MatmulConfig CFG_IBSHARE_NORM{true, false, false, 0, 0, 0};
constexpr MatmulConfig MM_CFG_BB{false, true, false, 128, 128, 128};

namespace ferrata {
template <class> constexpr bool matmul_is_built = false;
} // namespace ferrata

namespace AscendC {
template <TPosition position, CubeFormat layout_format, class Element, bool transposed = false,
          LayoutMode mode = LayoutMode::NONE, bool shared = false, TPosition source = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = position;
  static constexpr CubeFormat format = layout_format;
  static constexpr bool isTrans = transposed;
  static constexpr LayoutMode layout = mode;
  static constexpr bool ibShare = shared;
  static constexpr TPosition srcPos = source;
  using T = Element;
};

template <auto copy_out = nullptr, auto copy_a = nullptr, auto copy_b = nullptr> struct MatmulCallBackFunc {};

// Members take anything, so that the one error stands alone.
template <class A, class B, class C, class Bias = C, const auto &config = CFG_NORM,
          class CallBack = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
class Matmul {
  static_assert(ferrata::matmul_is_built<A>,
                "Matmul (lib/matmul_intf.h) is not built yet: ferrata runs vector kernels; write the product with "
                "vector calls, or leave this kernel out");

public:
#define FERRATA_MATMUL(name)                                                                                           \
  template <auto..., class... Args> bool name(Args &&...) { return false; }
  FERRATA_MATMUL(Init)
  FERRATA_MATMUL(SetOrgShape)
  FERRATA_MATMUL(SetSingleShape)
  FERRATA_MATMUL(SetTail)
  FERRATA_MATMUL(SetBatchNum)
  FERRATA_MATMUL(SetSubBlockIdx)
  FERRATA_MATMUL(SetTensorA)
  FERRATA_MATMUL(SetTensorB)
  FERRATA_MATMUL(SetBias)
  FERRATA_MATMUL(ClearBias)
  FERRATA_MATMUL(DisableBias)
  FERRATA_MATMUL(SetHF32)
  FERRATA_MATMUL(SetLocalWorkspace)
  FERRATA_MATMUL(SetWorkspace)
  FERRATA_MATMUL(SetQuantScalar)
  FERRATA_MATMUL(SetQuantVector)
  FERRATA_MATMUL(SetUserDefInfo)
  FERRATA_MATMUL(SetSelfDefineData)
  FERRATA_MATMUL(Iterate)
  FERRATA_MATMUL(IterateAll)
  FERRATA_MATMUL(IterateBatch)
  FERRATA_MATMUL(IterateNBatch)
  FERRATA_MATMUL(WaitIterateAll)
  FERRATA_MATMUL(WaitIterateBatch)
  FERRATA_MATMUL(GetTensorC)
  FERRATA_MATMUL(AsyncGetTensorC)
  FERRATA_MATMUL(WaitGetTensorC)
  FERRATA_MATMUL(GetOffsetC)
  FERRATA_MATMUL(End)
#undef FERRATA_MATMUL
};
} // namespace AscendC
namespace matmul = AscendC;

#define REGIST_MATMUL_OBJ(...) static_cast<void>(0)
#define REGIST_MATMUL_OBJ_STATIC(...) static_cast<void>(0)
