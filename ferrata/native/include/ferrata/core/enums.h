// Enumerations and constants of the language, with the names and order of the specification.
#pragma once
#include "ferrata/core/types.h"

enum pipe_t : uint8_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };
enum event_t : int8_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC {
enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
using TTagType = int32_t;
using TEventID = int8_t;

// SOURCE_DESTINATION pairs; the numbers are ours, the specification leaves them open.
enum class HardEvent : uint8_t {
#define FERRATA_EVENT(source, destination) source##_##destination,
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
  MAX
};

enum class RoundMode { CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, CAST_HYBRID };
enum class CMPMODE { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class ReduceType { SUM, MAX, MIN };
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW
};
enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };
enum class AtomicDtype : uint8_t {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class AtomicOp : uint8_t { ATOMIC_SUM = 0 };
enum class EngineType : int32_t { AIC = 1, AIV = 2 };
enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t ONE_BLK_SIZE = 32;
// A variable, not a literal: where the mask is external, this stands in its place.
constexpr uint64_t MASK_PLACEHOLDER = 0;

constexpr int AIC = 0;
constexpr int AIV = 1;
} // namespace AscendC

// The core type of this pass; a pass for cube cores defines FERRATA_AIC_PASS.
#if defined(FERRATA_AIC_PASS)
[[maybe_unused]] static constexpr int g_coreType = AscendC::AIC;
#else
[[maybe_unused]] static constexpr int g_coreType = AscendC::AIV;
#endif
#define ASCEND_IS_AIV constexpr(g_coreType == AscendC::AIV)
#define ASCEND_IS_AIC constexpr(g_coreType == AscendC::AIC)

namespace ferrata {
// The memory behind each logical position, in the order of TPosition.
constexpr Memory memory_of(AscendC::TPosition position) {
  constexpr Memory table[] = {Memory::gm,   Memory::l1,  Memory::l0a,    Memory::l1, Memory::l0b,  Memory::l1,
                              Memory::bias, Memory::l0c, Memory::gm,     Memory::ub, Memory::ub,   Memory::ub,
                              Memory::gm,   Memory::l1,  Memory::fixbuf, Memory::ub, Memory::count};
  return table[static_cast<int>(position)];
}
} // namespace ferrata
