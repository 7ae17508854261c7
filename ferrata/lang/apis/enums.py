"""Enumerations and structures of the whole language: pipes, positions, events, caches, atomics."""

from ferrata.lang.api import Struct

# Source pipe, destination pipes. The order is that of native/include/ferrata/core/events.h.
_EVENTS = (  # noqa: SIM905
    "S_V S_MTE2 S_MTE3 V_S V_MTE2 V_MTE3 MTE2_S MTE2_V MTE2_MTE3 MTE3_S MTE3_V MTE3_MTE2 M_MTE1 M_MTE2 M_FIX M_S M_V V_M "
    "MTE1_M MTE1_MTE2 MTE1_MTE3 MTE1_FIX MTE1_V MTE2_M MTE2_MTE1 MTE2_FIX MTE3_MTE1 MTE3_FIX FIX_M FIX_MTE1 FIX_MTE2 "
    "FIX_MTE3 FIX_S S_FIX"
).split()

ROWS = (
    Struct(
        name="pipe_t",
        text="enum pipe_t : uint8_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX }",
        doc="The pipes of a core: scalar, vector, cube, the three copy engines, FIXP; all of them.",
        notes="In the global namespace, without a scope. (unclear: the numeric values; use names only)",
    ),
    Struct(
        name="event_t",
        text="enum event_t : int8_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, "
        "EVENT_ID7 }",
        doc="The eight flags of a pair of pipes.",
    ),
    Struct(
        name="HardEvent",
        text="enum class : uint8_t { " + ", ".join(_EVENTS) + " }",
        doc="A pair of pipes, SOURCE_DESTINATION.",
        limits="A vector core has those of S, V, MTE2 and MTE3.",
        notes="(unclear: the numeric values; use names only)",
    ),
    Struct(
        name="TPosition",
        text="enum class : uint8_t { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM=11, SPM, SHM=12, "
        "TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX }",
        doc="Logical position of a tensor or queue.",
        notes="QuePosition is another name. (unclear: the numeric values; use names only)",
    ),
    Struct(
        name="DataFormat",
        text="enum class : uint8_t { ND=0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D }",
        doc="Layout in a ShapeInfo.",
    ),
    Struct(
        name="CacheMode",
        text="enum class : uint8_t { CACHE_MODE_DISABLE=0, CACHE_MODE_NORMAL=1, CACHE_MODE_PERSISTENT=4 }",
        doc="L2 hint of a GlobalTensor.",
    ),
    Struct(
        name="CacheRwMode", text="enum class : uint8_t { READ=1, WRITE=2, RW=3 }", doc="Which accesses a hint is for."
    ),
    Struct(
        name="CacheLine",
        text="enum class : uint64_t { SINGLE_CACHE_LINE=0, ENTIRE_DATA_CACHE=1 }",
        doc="How much a cache operation covers.",
    ),
    Struct(
        name="DcciDst",
        text="enum class : uint64_t { CACHELINE_ALL=0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC }",
        doc="Which memory's lines a cache operation covers.",
        limits="CACHELINE_ATOMIC is not available.",
    ),
    Struct(
        name="MemDsbT",
        text="enum class : uint8_t { ALL=0, DDR, UB, SEQ }",
        doc="Which memory DataSyncBarrier waits for.",
    ),
    Struct(
        name="AtomicDtype",
        text="enum class : uint8_t { ATOMIC_NONE=0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, "
        "ATOMIC_BF16 }",
        doc="Element type of an atomic store.",
    ),
    Struct(name="AtomicOp", text="enum class : uint8_t { ATOMIC_SUM=0 }", doc="Operation of an atomic store."),
    Struct(
        name="TBufState",
        text="enum class : uint8_t { FREE=0, OCCUPIED, ENQUE, DEQUE }",
        doc="Where a queue's block is.",
    ),
    Struct(
        name="BlockMode",
        text="enum class : uint8_t { BLOCK_MODE_NORMAL=0, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, "
        "BLOCK_MODE_SMALL_CHANNEL, BLOCK_MODE_DEPTHWISE }",
        doc="Of DataCopyEnhancedParams.",
    ),
    Struct(
        name="DeqScale",
        text="enum class : uint8_t { DEQ_NONE=0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 }",
        doc="Of DataCopyEnhancedParams.",
    ),
    Struct(name="pad_t", text="enum class : uint8_t { PAD_NONE=0 }", doc="Of DataCopyEnhancedParams."),
    Struct(
        name="ShapeInfo",
        text="uint8_t shapeDim=0; uint8_t originalShapeDim=0; uint32_t shape[8]={0}; uint32_t originalShape[8]={0}; "
        "DataFormat dataFormat=DataFormat::ND; ctors (); (rank, shape, original rank, original shape, format)",
        doc="A shape that travels with a tensor.",
        takes="shapeDim shape originalShapeDim originalShape dataFormat",
    ),
    Struct(
        name="CheckLocalMemoryIAParam",
        text="uint8_t enableBit=0; uint32_t startAddr=0; uint32_t endAddr=0; bool isScalarRead=false; bool "
        "isScalarWrite=false; bool isVectorRead=false; bool isVectorWrite=false; bool isMteRead=false; bool "
        "isMteWrite=false; bool isEnable=false; uint32_t reserved=0; ctors (); (the first ten)",
        doc="A watched range of local memory, in blocks of 32 bytes.",
        takes="enableBit startAddr endAddr isScalarRead isScalarWrite isVectorRead isVectorWrite isMteRead isMteWrite "
        "isEnable",
    ),
)
