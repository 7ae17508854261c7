"""Copies between global memory and the Unified Buffer, the DMA atomics, and the caches."""

from ferrata.lang.api import NONE, Alias, Api, Form, one

ALL = one(
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "half",
    "bfloat16_t",
    "int32_t",
    "uint32_t",
    "float",
    "int64_t",
    "uint64_t",
    "double",
)
UP_TO_32 = one("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float")
B16_B32 = one("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float")
ATOMIC = one("int8_t", "int16_t", "half", "bfloat16_t", "int32_t", "float")
GM_UB = "UB start 32-byte aligned; GM start aligned to sizeof(T)."
TO_UB, TO_GM = "LT<T> dst, GT<T> src", "GT<T> dst, LT<T> src"
ASYNC = "Asynchronous: later work of another pipe on the same bytes needs an event or a queue."


def _form(name: str, operands: str, tail: str) -> tuple[Form, ...]:
    return (Form("call", f"template<T> void {name}({operands}, {tail})"),)


def _copy(
    variant: str, operands: str, tail: str, pipe: str, dtypes: object, doc: str, limits: str, notes: str = ""
) -> Api:
    return Api(
        id=variant,
        name="DataCopyPad" if "Pad" in variant else "DataCopy",
        category="data-movement",
        forms=_form("DataCopyPad" if "Pad" in variant else "DataCopy", operands, tail),
        dtypes=dtypes,  # type: ignore[arg-type]
        pipe=pipe,
        core="AIV",
        doc=doc,
        limits=limits,
        notes=notes or ASYNC,
    )


_COUNT = "Moves floor(count * sizeof(T) / 32) * 32 bytes; what remains is silently dropped."
_BLOCKS = (
    "Block i: source byte i*(blockLen+srcGap)*32 to destination byte i*(blockLen+dstGap)*32, blockLen*32 bytes; gaps "
    "from the end of one block to the start of the next."
)
_BLOCK_LIMITS = "blockCount 0..4095, blockLen and gaps 0..65535, in 32 bytes; blockCount or blockLen 0 does nothing. "
_PAD_LIMITS = (
    "blockCount 0..4095; blockLen 0..2097151 bytes, a multiple of sizeof(T); GM gaps in bytes, UB gaps in 32 "
    "bytes after "
    "the block rounded up to 32; blockCount or blockLen 0 does nothing."
)
_PAD_NOTES = (
    "Each UB block starts at the sum of R + 32*dstStride, R = roundup32(left*s + blockLen + right*s): left pads, data, "
    "right pads, dummy bytes. isPad with some pad: all of them paddingValue; no pads and a remainder: the first "
    "element of "
    "the block (unclear: whether isPad with zero pads uses paddingValue; the first element); isPad false with "
    "pads: the "
    "value of SetPadValue, else undefined."
)
_OLD_PAD = "The 16-bit structures: blockLen and the GM gap in bytes, the UB gap in blocks. "
_SLICE = "const SliceInfo dstSlice[], const SliceInfo srcSlice[], uint32_t dimValue = 1"

ROWS = (
    _copy("DataCopyIn", TO_UB, "uint32_t count", "PIPE_MTE2", ALL, f"GM to UB. {_COUNT}", GM_UB),
    _copy("DataCopyOut", TO_GM, "uint32_t count", "PIPE_MTE3", ALL, f"UB to GM. {_COUNT}", GM_UB),
    _copy(
        "DataCopyLocal",
        "LT<T> dst, LT<T> src",
        "uint32_t count",
        "PIPE_V",
        ALL,
        f"UB to UB. {_COUNT}",
        "Both 32-byte aligned.",
    ),
    _copy(
        "DataCopyInBlocks",
        TO_UB,
        "const DataCopyParams& params",
        "PIPE_MTE2",
        ALL,
        f"GM to UB. {_BLOCKS}",
        _BLOCK_LIMITS + GM_UB,
    ),
    _copy(
        "DataCopyOutBlocks",
        TO_GM,
        "const DataCopyParams& params",
        "PIPE_MTE3",
        ALL,
        f"UB to GM. {_BLOCKS}",
        _BLOCK_LIMITS + GM_UB,
    ),
    _copy(
        "DataCopyLocalBlocks",
        "LT<T> dst, LT<T> src",
        "const DataCopyParams& params",
        "PIPE_V",
        ALL,
        f"UB to UB. {_BLOCKS}",
        _BLOCK_LIMITS,
    ),
    _copy(
        "DataCopyInEnhanced",
        TO_UB,
        "const DataCopyParams& params, const DataCopyEnhancedParams& enhancedParams",
        "PIPE_MTE2",
        ALL,
        f"GM to UB. {_BLOCKS}",
        _BLOCK_LIMITS,
        "The enhanced parameters have no effect on dav-2201.",
    ),
    _copy(
        "DataCopyOutEnhanced",
        TO_GM,
        "const DataCopyParams& params, const DataCopyEnhancedParams& enhancedParams",
        "PIPE_MTE3",
        ALL,
        f"UB to GM. {_BLOCKS}",
        _BLOCK_LIMITS,
        "The enhanced parameters have no effect on dav-2201.",
    ),
    _copy(
        "DataCopyNd2Nz",
        TO_UB,
        "const Nd2NzParams& params",
        "PIPE_MTE2",
        UP_TO_32,
        "GM to UB with C0 = 32/sizeof(T): element (k, n, d) goes from k*srcNdMatrixStride + n*srcDValue + d to "
        "k*dstNzMatrixStride + (d div C0)*dstNzC0Stride*C0 + n*dstNzNStride*C0 + d mod C0. Missing columns of the last "
        "group are written as 0.",
        "ndNum 0..4095; nValue, dstNzC0Stride, dstNzNStride up to 16384; dValue, srcDValue, matrix strides up to "
        "65535; "
        "ndNum, nValue or dValue 0 does nothing.",
    ),
    _copy(
        "DataCopyNz2Nd",
        TO_GM,
        "const Nz2NdParamsFull& params",
        "PIPE_MTE3",
        B16_B32,
        "UB to GM: element (k, n, d) from k*256*srcNdMatrixStride + (d div 16)*16*srcNStride + n*16 + d mod 16 to "
        "k*dstNdMatrixStride + n*dstDStride + d. The column group is 16 elements for every type.",
        (
            "dValue a multiple of 16; nValue and dValue 1..8192; ndNum 0..4095; srcNdMatrixStride 1..512; srcNStride "
            "0..4096."
        ),
    ),
    _copy(
        "DataCopyInSlice",
        TO_UB,
        _SLICE,
        "PIPE_MTE2",
        UP_TO_32,
        "GM to UB, slices: the k-th selected source piece goes to the k-th destination piece, dimension 0 fastest. "
        "Dimension 0 has pieces of burstLen*32 bytes separated by `stride` elements from startIndex to endIndex "
        "inclusive; in the others a piece is one index. shapeValue is the extent of a dimension.",
        "dimValue up to 8; burstLen equal on both sides, 1 in dimensions above 0; "
        "endIndex-startIndex+1 = (N-1)*stride + N*L.",
        "(unclear: one sentence limits burstLen to dimValue = 1; the two-dimensional use is documented, accept it)",
    ),
    _copy(
        "DataCopyOutSlice",
        TO_GM,
        _SLICE,
        "PIPE_MTE3",
        UP_TO_32,
        "UB to GM, slices, as GM to UB.",
        "As GM to UB.",
    ),
    _copy(
        "DataCopyPadIn",
        TO_UB,
        "const DataCopyExtParams& params, const DataCopyPadExtParams<T>& padParams",
        "PIPE_MTE2",
        ALL,
        "GM to UB, any number of bytes, with padding at both sides of each block.",
        _PAD_LIMITS + " Each pad at most 32 bytes; paddingValue 0 for 64-bit types.",
        _PAD_NOTES,
    ),
    _copy(
        "DataCopyPadOut",
        TO_GM,
        "const DataCopyExtParams& params",
        "PIPE_MTE3",
        ALL,
        "UB to GM, exactly blockLen bytes of each block; never writes dummy bytes.",
        _PAD_LIMITS,
    ),
    _copy(
        "DataCopyPadInOld",
        TO_UB,
        "const DataCopyParams& params, const DataCopyPadParams& padParams",
        "PIPE_MTE2",
        ALL,
        "As the form with DataCopyExtParams.",
        _OLD_PAD + _PAD_LIMITS,
        _PAD_NOTES,
    ),
    _copy(
        "DataCopyPadOutOld",
        TO_GM,
        "const DataCopyParams& params",
        "PIPE_MTE3",
        ALL,
        "As the form with DataCopyExtParams.",
        _OLD_PAD + _PAD_LIMITS,
    ),
    Api(
        id="SetPadValue",
        name="SetPadValue",
        category="data-movement",
        forms=(Form("call", "template<T, TPosition pos = TPosition::MAX> void SetPadValue(T paddingValue)"),),
        dtypes=ALL,
        pipe="PIPE_S",
        core="AIV",
        doc="The value that DataCopyPad uses for pads when isPad is false; stays until set again.",
        limits="pos VECIN, VECOUT or MAX.",
    ),
    *(
        Api(
            id=f"SetAtomic{name}",
            name=f"SetAtomic{name}",
            category="atomic",
            forms=(Form("call", f"template<T> void SetAtomic{name}()"),),
            dtypes=ATOMIC,
            pipe="PIPE_S",
            core="AIV, AIC",
            doc=doc,
            notes="Applies to every later write to GM from UB, L1 or L0C, and interprets the data as this T. "
            "Each element's "
            "read-modify-write is indivisible across cores. (unclear: integer overflow of the sum; it wraps)",
        )
        for name, doc in (
            ("Add", "Writes to GM become gm = gm + value."),
            ("Max", "Writes to GM become gm = max(gm, value)."),
            ("Min", "Writes to GM become gm = min(gm, value)."),
            ("Type", "Changes only the data type of the atomic that is set."),
        )
    ),
    Api(
        id="DisableDmaAtomic",
        name="DisableDmaAtomic",
        category="atomic",
        forms=(Form("call", "void DisableDmaAtomic()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="Plain writes again.",
        aliases=(Alias("SetAtomicNone"),),
    ),
    Api(
        id="SetStoreAtomicConfig",
        name="SetStoreAtomicConfig",
        category="atomic",
        forms=(Form("call", "template<AtomicDtype type, AtomicOp op> void SetStoreAtomicConfig()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="Sets type (ATOMIC_NONE 0, F32 1, F16 2, S16 3, S32 4, S8 5, BF16 6) and operation (ATOMIC_SUM 0).",
    ),
    Api(
        id="GetStoreAtomicConfig",
        name="GetStoreAtomicConfig",
        category="atomic",
        forms=(Form("call", "void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp)"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="Reads what SetStoreAtomicConfig wrote.",
    ),
    Api(
        id="DataCacheCleanAndInvalid",
        name="DataCacheCleanAndInvalid",
        category="cache",
        forms=(
            Form("call", "template<T, CacheLine entireType, DcciDst dcciDst> void DataCacheCleanAndInvalid(GT<T> dst)"),
            Form("call", "template<T, CacheLine entireType, DcciDst dcciDst> void DataCacheCleanAndInvalid(LT<T> dst)"),
            Form("call", "template<T, CacheLine entireType> void DataCacheCleanAndInvalid(GT<T> dst)"),
        ),
        dtypes=ALL,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="Writes back and drops the 64-byte line that holds the address, or all lines.",
        limits="CACHELINE_ATOMIC is not available.",
    ),
    Api(
        id="DataCachePreload",
        name="DataCachePreload",
        category="cache",
        forms=(Form("call", "template<T> void DataCachePreload(GT<uint64_t> src, const T cacheOffset)"),),
        dtypes=one("int16_t", "int64_t"),
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="Brings one line in; a hint.",
    ),
    Api(
        id="ReadGmByPassDCache",
        name="ReadGmByPassDCache",
        category="cache",
        forms=(Form("call", "template<T> T ReadGmByPassDCache(__gm__ T* addr)"),),
        dtypes=one("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"),
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="A scalar load straight from GM.",
    ),
    Api(
        id="WriteGmByPassDCache",
        name="WriteGmByPassDCache",
        category="cache",
        forms=(Form("call", "template<T> void WriteGmByPassDCache(__gm__ T* addr, T value)"),),
        dtypes=one("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"),
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="A scalar store straight to GM.",
        limits="A line that may be dirty is cleaned first, then DataSyncBarrier<DDR>.",
    ),
    Api(
        id="ICachePreLoad",
        name="ICachePreLoad",
        category="cache",
        forms=(Form("call", "void ICachePreLoad(const int64_t preFetchLen)"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="Preloads instructions, in units of 2 KB; no visible effect.",
    ),
    Api(
        id="GetICachePreloadStatus",
        name="GetICachePreloadStatus",
        category="cache",
        forms=(Form("call", "int64_t GetICachePreloadStatus()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV, AIC",
        doc="0 when the preload is done, 1 while it runs.",
    ),
)
