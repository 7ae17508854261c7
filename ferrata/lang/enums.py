"""Enumerations and named numbers of the interfaces: `ac.RoundMode.CAST_RINT`, `ac.VECIN`, `ac.MTE2`, `ac.PIPE_ALL`.

Made from the API registry by tools/gen_lang.py: change ferrata/lang/apis/*.py and run it.
"""

from __future__ import annotations

import enum
from typing import Final


class Member(enum.Enum):
    """Base of the enumerations; a member's value is its name in C++."""


class Number(int):
    """A number that keeps its name in the emitted text."""

    cpp: str

    def __new__(cls, value: int, cpp: str) -> Number:
        made = super().__new__(cls, value)
        made.cpp = cpp
        return made


class GatherMaskMode(Member):
    """Reserved selector."""

    VERSION_V1 = "GatherMaskMode::VERSION_V1"
    VERSION_V2 = "GatherMaskMode::VERSION_V2"


class TransposeType(Member):
    """0-based consecutive."""

    TRANSPOSE_TYPE_NONE = "TransposeType::TRANSPOSE_TYPE_NONE"
    TRANSPOSE_NZ2ND_0213 = "TransposeType::TRANSPOSE_NZ2ND_0213"
    TRANSPOSE_NZ2NZ_0213 = "TransposeType::TRANSPOSE_NZ2NZ_0213"
    TRANSPOSE_NZ2NZ_012_WITH_N = "TransposeType::TRANSPOSE_NZ2NZ_012_WITH_N"
    TRANSPOSE_NZ2ND_012_WITH_N = "TransposeType::TRANSPOSE_NZ2ND_012_WITH_N"
    TRANSPOSE_NZ2ND_012_WITHOUT_N = "TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N"
    TRANSPOSE_NZ2NZ_012_WITHOUT_N = "TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N"
    TRANSPOSE_ND2ND_ONLY = "TransposeType::TRANSPOSE_ND2ND_ONLY"
    TRANSPOSE_ND_UB_GM = "TransposeType::TRANSPOSE_ND_UB_GM"
    TRANSPOSE_GRAD_ND_UB_GM = "TransposeType::TRANSPOSE_GRAD_ND_UB_GM"
    TRANSPOSE_ND2ND_B16 = "TransposeType::TRANSPOSE_ND2ND_B16"
    TRANSPOSE_NCHW2NHWC = "TransposeType::TRANSPOSE_NCHW2NHWC"
    TRANSPOSE_NHWC2NCHW = "TransposeType::TRANSPOSE_NHWC2NCHW"


class RoundMode(Member):
    """Rounding selector."""

    CAST_NONE = "RoundMode::CAST_NONE"
    CAST_RINT = "RoundMode::CAST_RINT"
    CAST_FLOOR = "RoundMode::CAST_FLOOR"
    CAST_CEIL = "RoundMode::CAST_CEIL"
    CAST_ROUND = "RoundMode::CAST_ROUND"
    CAST_TRUNC = "RoundMode::CAST_TRUNC"
    CAST_ODD = "RoundMode::CAST_ODD"
    CAST_HYBRID = "RoundMode::CAST_HYBRID"


class CMPMODE(Member):
    """Comparison selector."""

    EQ = "CMPMODE::EQ"
    NE = "CMPMODE::NE"
    GE = "CMPMODE::GE"
    LE = "CMPMODE::LE"
    GT = "CMPMODE::GT"
    LT = "CMPMODE::LT"


class SELMODE(Member):
    """Select mode 0, 1, 2."""

    VSEL_CMPMASK_SPR = "SELMODE::VSEL_CMPMASK_SPR"
    VSEL_TENSOR_SCALAR_MODE = "SELMODE::VSEL_TENSOR_SCALAR_MODE"
    VSEL_TENSOR_TENSOR_MODE = "SELMODE::VSEL_TENSOR_TENSOR_MODE"


class MaskMode(Member):
    """Mask mode argument of SetVectorMask."""

    NORMAL = "MaskMode::NORMAL"
    COUNTER = "MaskMode::COUNTER"


class ReduceType(Member):
    """Reduction operator."""

    SUM = "ReduceType::SUM"
    MAX = "ReduceType::MAX"
    MIN = "ReduceType::MIN"


class ReduceOrder(Member):
    """Result layout of ReduceRepeat MAX/MIN."""

    ORDER_VALUE_INDEX = "ReduceOrder::ORDER_VALUE_INDEX"
    ORDER_INDEX_VALUE = "ReduceOrder::ORDER_INDEX_VALUE"
    ORDER_ONLY_VALUE = "ReduceOrder::ORDER_ONLY_VALUE"
    ORDER_ONLY_INDEX = "ReduceOrder::ORDER_ONLY_INDEX"


class SaturationMode(Member):
    """Saturation selector."""

    FLOAT = "SaturationMode::FLOAT"
    FLOAT8 = "SaturationMode::FLOAT8"
    INT = "SaturationMode::INT"
    CAST = "SaturationMode::CAST"


class pipe_t(Member):
    """The pipes of a core: scalar, vector, cube, the three copy engines, FIXP; all of them."""

    PIPE_S = "PIPE_S"
    PIPE_V = "PIPE_V"
    PIPE_M = "PIPE_M"
    PIPE_MTE1 = "PIPE_MTE1"
    PIPE_MTE2 = "PIPE_MTE2"
    PIPE_MTE3 = "PIPE_MTE3"
    PIPE_ALL = "PIPE_ALL"
    PIPE_FIX = "PIPE_FIX"


class event_t(Member):
    """The eight flags of a pair of pipes."""

    EVENT_ID0 = "EVENT_ID0"
    EVENT_ID1 = "EVENT_ID1"
    EVENT_ID2 = "EVENT_ID2"
    EVENT_ID3 = "EVENT_ID3"
    EVENT_ID4 = "EVENT_ID4"
    EVENT_ID5 = "EVENT_ID5"
    EVENT_ID6 = "EVENT_ID6"
    EVENT_ID7 = "EVENT_ID7"


class HardEvent(Member):
    """A pair of pipes, SOURCE_DESTINATION. A vector core has those of S, V, MTE2 and MTE3."""

    S_V = "HardEvent::S_V"
    S_MTE2 = "HardEvent::S_MTE2"
    S_MTE3 = "HardEvent::S_MTE3"
    V_S = "HardEvent::V_S"
    V_MTE2 = "HardEvent::V_MTE2"
    V_MTE3 = "HardEvent::V_MTE3"
    MTE2_S = "HardEvent::MTE2_S"
    MTE2_V = "HardEvent::MTE2_V"
    MTE2_MTE3 = "HardEvent::MTE2_MTE3"
    MTE3_S = "HardEvent::MTE3_S"
    MTE3_V = "HardEvent::MTE3_V"
    MTE3_MTE2 = "HardEvent::MTE3_MTE2"
    M_MTE1 = "HardEvent::M_MTE1"
    M_MTE2 = "HardEvent::M_MTE2"
    M_FIX = "HardEvent::M_FIX"
    M_S = "HardEvent::M_S"
    M_V = "HardEvent::M_V"
    V_M = "HardEvent::V_M"
    MTE1_M = "HardEvent::MTE1_M"
    MTE1_MTE2 = "HardEvent::MTE1_MTE2"
    MTE1_MTE3 = "HardEvent::MTE1_MTE3"
    MTE1_FIX = "HardEvent::MTE1_FIX"
    MTE1_V = "HardEvent::MTE1_V"
    MTE2_M = "HardEvent::MTE2_M"
    MTE2_MTE1 = "HardEvent::MTE2_MTE1"
    MTE2_FIX = "HardEvent::MTE2_FIX"
    MTE3_MTE1 = "HardEvent::MTE3_MTE1"
    MTE3_FIX = "HardEvent::MTE3_FIX"
    FIX_M = "HardEvent::FIX_M"
    FIX_MTE1 = "HardEvent::FIX_MTE1"
    FIX_MTE2 = "HardEvent::FIX_MTE2"
    FIX_MTE3 = "HardEvent::FIX_MTE3"
    FIX_S = "HardEvent::FIX_S"
    S_FIX = "HardEvent::S_FIX"


class TPosition(Member):
    """Logical position of a tensor or queue."""

    GM = "TPosition::GM"
    A1 = "TPosition::A1"
    A2 = "TPosition::A2"
    B1 = "TPosition::B1"
    B2 = "TPosition::B2"
    C1 = "TPosition::C1"
    C2 = "TPosition::C2"
    CO1 = "TPosition::CO1"
    CO2 = "TPosition::CO2"
    VECIN = "TPosition::VECIN"
    VECOUT = "TPosition::VECOUT"
    VECCALC = "TPosition::VECCALC"
    LCM = "TPosition::LCM"
    SPM = "TPosition::SPM"
    SHM = "TPosition::SHM"
    TSCM = "TPosition::TSCM"
    C2PIPE2GM = "TPosition::C2PIPE2GM"
    C2PIPE2LOCAL = "TPosition::C2PIPE2LOCAL"
    MAX = "TPosition::MAX"


class DataFormat(Member):
    """Layout in a ShapeInfo."""

    ND = "DataFormat::ND"
    NZ = "DataFormat::NZ"
    NCHW = "DataFormat::NCHW"
    NC1HWC0 = "DataFormat::NC1HWC0"
    NHWC = "DataFormat::NHWC"
    NCDHW = "DataFormat::NCDHW"
    NDC1HWC0 = "DataFormat::NDC1HWC0"
    FRACTAL_Z_3D = "DataFormat::FRACTAL_Z_3D"


class CacheMode(Member):
    """L2 hint of a GlobalTensor."""

    CACHE_MODE_DISABLE = "CacheMode::CACHE_MODE_DISABLE"
    CACHE_MODE_NORMAL = "CacheMode::CACHE_MODE_NORMAL"
    CACHE_MODE_PERSISTENT = "CacheMode::CACHE_MODE_PERSISTENT"


class CacheRwMode(Member):
    """Which accesses a hint is for."""

    READ = "CacheRwMode::READ"
    WRITE = "CacheRwMode::WRITE"
    RW = "CacheRwMode::RW"


class CacheLine(Member):
    """How much a cache operation covers."""

    SINGLE_CACHE_LINE = "CacheLine::SINGLE_CACHE_LINE"
    ENTIRE_DATA_CACHE = "CacheLine::ENTIRE_DATA_CACHE"


class DcciDst(Member):
    """Which memory's lines a cache operation covers. CACHELINE_ATOMIC is not available."""

    CACHELINE_ALL = "DcciDst::CACHELINE_ALL"
    CACHELINE_UB = "DcciDst::CACHELINE_UB"
    CACHELINE_OUT = "DcciDst::CACHELINE_OUT"
    CACHELINE_ATOMIC = "DcciDst::CACHELINE_ATOMIC"


class MemDsbT(Member):
    """Which memory DataSyncBarrier waits for."""

    ALL = "MemDsbT::ALL"
    DDR = "MemDsbT::DDR"
    UB = "MemDsbT::UB"
    SEQ = "MemDsbT::SEQ"


class AtomicDtype(Member):
    """Element type of an atomic store."""

    ATOMIC_NONE = "AtomicDtype::ATOMIC_NONE"
    ATOMIC_F32 = "AtomicDtype::ATOMIC_F32"
    ATOMIC_F16 = "AtomicDtype::ATOMIC_F16"
    ATOMIC_S16 = "AtomicDtype::ATOMIC_S16"
    ATOMIC_S32 = "AtomicDtype::ATOMIC_S32"
    ATOMIC_S8 = "AtomicDtype::ATOMIC_S8"
    ATOMIC_BF16 = "AtomicDtype::ATOMIC_BF16"


class AtomicOp(Member):
    """Operation of an atomic store."""

    ATOMIC_SUM = "AtomicOp::ATOMIC_SUM"


class TBufState(Member):
    """Where a queue's block is."""

    FREE = "TBufState::FREE"
    OCCUPIED = "TBufState::OCCUPIED"
    ENQUE = "TBufState::ENQUE"
    DEQUE = "TBufState::DEQUE"


class BlockMode(Member):
    """Of DataCopyEnhancedParams."""

    BLOCK_MODE_NORMAL = "BlockMode::BLOCK_MODE_NORMAL"
    BLOCK_MODE_MATRIX = "BlockMode::BLOCK_MODE_MATRIX"
    BLOCK_MODE_VECTOR = "BlockMode::BLOCK_MODE_VECTOR"
    BLOCK_MODE_SMALL_CHANNEL = "BlockMode::BLOCK_MODE_SMALL_CHANNEL"
    BLOCK_MODE_DEPTHWISE = "BlockMode::BLOCK_MODE_DEPTHWISE"


class DeqScale(Member):
    """Of DataCopyEnhancedParams."""

    DEQ_NONE = "DeqScale::DEQ_NONE"
    DEQ = "DeqScale::DEQ"
    VDEQ = "DeqScale::VDEQ"
    DEQ8 = "DeqScale::DEQ8"
    VDEQ8 = "DeqScale::VDEQ8"
    DEQ16 = "DeqScale::DEQ16"
    VDEQ16 = "DeqScale::VDEQ16"


class pad_t(Member):
    """Of DataCopyEnhancedParams."""

    PAD_NONE = "pad_t::PAD_NONE"


QuePosition = TPosition

GM: Final = TPosition.GM
A1: Final = TPosition.A1
A2: Final = TPosition.A2
B1: Final = TPosition.B1
B2: Final = TPosition.B2
C1: Final = TPosition.C1
C2: Final = TPosition.C2
CO1: Final = TPosition.CO1
CO2: Final = TPosition.CO2
VECIN: Final = TPosition.VECIN
VECOUT: Final = TPosition.VECOUT
VECCALC: Final = TPosition.VECCALC
PIPE_S: Final = pipe_t.PIPE_S
PIPE_V: Final = pipe_t.PIPE_V
PIPE_M: Final = pipe_t.PIPE_M
PIPE_MTE1: Final = pipe_t.PIPE_MTE1
PIPE_MTE2: Final = pipe_t.PIPE_MTE2
PIPE_MTE3: Final = pipe_t.PIPE_MTE3
PIPE_ALL: Final = pipe_t.PIPE_ALL
PIPE_FIX: Final = pipe_t.PIPE_FIX
EVENT_ID0: Final = event_t.EVENT_ID0
EVENT_ID1: Final = event_t.EVENT_ID1
EVENT_ID2: Final = event_t.EVENT_ID2
EVENT_ID3: Final = event_t.EVENT_ID3
EVENT_ID4: Final = event_t.EVENT_ID4
EVENT_ID5: Final = event_t.EVENT_ID5
EVENT_ID6: Final = event_t.EVENT_ID6
EVENT_ID7: Final = event_t.EVENT_ID7
S: Final = pipe_t.PIPE_S
V: Final = pipe_t.PIPE_V
M: Final = pipe_t.PIPE_M
MTE1: Final = pipe_t.PIPE_MTE1
MTE2: Final = pipe_t.PIPE_MTE2
MTE3: Final = pipe_t.PIPE_MTE3
FIX: Final = pipe_t.PIPE_FIX
DEFAULT_BLK_NUM: Final = Number(8, "DEFAULT_BLK_NUM")
DEFAULT_BLK_STRIDE: Final = Number(1, "DEFAULT_BLK_STRIDE")
DEFAULT_REPEAT_STRIDE: Final = Number(8, "DEFAULT_REPEAT_STRIDE")
NCHW_CONV_ADDR_LIST_SIZE: Final = Number(16, "NCHW_CONV_ADDR_LIST_SIZE")
MRG_SORT_ELEMENT_LEN: Final = Number(4, "MRG_SORT_ELEMENT_LEN")
VDEQ_TENSOR_SIZE: Final = Number(16, "VDEQ_TENSOR_SIZE")
MASK_PLACEHOLDER: Final = Number(0, "MASK_PLACEHOLDER")
