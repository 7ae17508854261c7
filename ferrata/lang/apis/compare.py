"""Comparisons to bits, and selection by bits."""

from ferrata.lang.api import Alias, Api, Form, one, pairs

ROWS = (
    Api(
        id="Compare",
        name="Compare",
        category="compare",
        forms=(
            Form(
                "count",
                ("template<T,U> void Compare(LT<U> dst, LT<T> src0, LT<T> src1, CMPMODE cmpMode, uint32_t count)"),
            ),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void Compare(LT<U> dst, LT<T> src0, LT<T> src1, CMPMODE "
                    "cmpMode, const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void Compare(LT<U> dst, LT<T> src0, LT<T> src1, CMPMODE "
                    "cmpMode, const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form("whole", "dst = src0 < src1 (also > <= >= == !=)"),
        ),
        dtypes=pairs(
            "int8_t <- half",
            "uint8_t <- half",
            "int8_t <- float",
            "uint8_t <- float",
            "int8_t <- int32_t",
            "uint8_t <- int32_t",
            letters="U,T",
        ),
        pipe="PIPE_V",
        core="AIV",
        doc="bit i of dst (byte i/8, bit i%8, LSB first) = src0[i] cmp src1[i].",
        rules=("AL32", "REP255", "NOP0"),
        limits=(
            "count*sizeof(T) must be a multiple of 256: only whole 256-byte groups are computed, the tail is "
            "skipped; W needs 256-byte multiples."
        ),
        notes=(
            "mask/mask[] have no effect on dav-2201 (unclear: one printed example, product not named, shows a "
            "masked result and 127 for eight true bits; ignore it). Repeat r writes 256/sizeof(T)/8 bytes (16 "
            "half, 8 32-bit) packed one after another; dst strides do not spread them (unclear: not stated; the "
            "strided and plain examples print the same packed bytes). Any NaN operand gives 0 for every mode "
            "including NE. +0 == -0."
        ),
    ),
    Api(
        id="Compares",
        name="Compares",
        category="compare",
        forms=(
            Form(
                "count",
                (
                    "template<T,U> void Compares(LT<U> dst, LT<T> src0, const T src1Scalar, CMPMODE cmpMode, uint32_t "
                    "count)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void Compares(LT<U> dst, LT<T> src0, const T src1Scalar, "
                    "CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& "
                    "repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void Compares(LT<U> dst, LT<T> src0, const T src1Scalar, "
                    "CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("uint8_t <- half", "uint8_t <- float", "uint8_t <- int32_t", letters="U,T"),
        pipe="PIPE_V",
        core="AIV",
        doc="bit i of dst = src0[i] cmp src1Scalar (same packing as Compare)",
        rules=("AL32", "REP255", "NOP0"),
        limits="count*sizeof(T) multiple of 256.",
        notes=(
            "Mask has no effect on dav-2201. NaN rule as Compare (unclear: the saturation column shows NE against "
            "a NaN scalar as 1 while the footnote says 0; use 0)"
        ),
        aliases=(Alias("CompareScalar", "8.5"),),
    ),
    Api(
        id="CompareRegister",
        name="Compare",
        category="compare",
        forms=(
            Form(
                "bits",
                (
                    "template<T,bool isSetMask=true> void Compare(LT<T> src0, LT<T> src1, CMPMODE cmpMode, const "
                    "uint64_t mask[], const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,bool isSetMask=true> void Compare(LT<T> src0, LT<T> src1, CMPMODE cmpMode, const "
                    "uint64_t mask, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="CMPMASK bit l = src0[lane l] cmp src1[lane l] for one 256-byte repeat (128 half or 64 float lanes)",
        rules=("AL32",),
        limits="Only the block strides of src0/src1 matter; repeat count is 1.",
        notes=(
            "Vector mask selects the compared lanes; bits of masked-off lanes and bits 64..127 for float are "
            "(unclear; write 0). Result consumed by Select no-mask form (mode 0) or GetCmpMask."
        ),
    ),
    Api(
        id="GetCmpMask",
        name="GetCmpMask",
        category="compare",
        forms=(Form("call", "template<T> void GetCmpMask(LT<T> dst)"),),
        dtypes=one("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="Store the 128-bit CMPMASK register to dst (16 bytes, bit 0 = LSB of byte 0)",
        limits="dst 16-byte aligned and at least 128 bytes long.",
        notes="(unclear: what the other 112 bytes receive; leave them)",
    ),
    Api(
        id="SetCmpMask",
        name="SetCmpMask",
        category="compare",
        forms=(Form("call", "template<T> void SetCmpMask(LT<T> src)"),),
        dtypes=one(
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
        ),
        pipe="PIPE_V",
        core="AIV",
        doc="Load CMPMASK (128 bits) from the first 16 bytes of src.",
        limits="src 16-byte aligned.",
        notes=(
            "Meaning depends on the following Select no-mask form: mode 0 = selection bits; mode 1 = scalar in "
            "the first element (type T of Select); mode 2 = UB address of the selection bits in the low bits "
            "(host-debug code stores a 64-bit pointer value, device code a 32-bit address, so accept what "
            "GetPhyAddr returns)"
        ),
    ),
    Api(
        id="SelectScalar",
        name="Select",
        category="select",
        forms=(
            Form(
                "count",
                (
                    "template<T,U> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, T src1, SELMODE selMode, "
                    "uint32_t count)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, T src1, "
                    "SELMODE selMode, uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, T src1, "
                    "SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs(
            "half <- uint8_t",
            "half <- uint16_t",
            "half <- uint32_t",
            "half <- uint64_t",
            "float <- uint8_t",
            "float <- uint16_t",
            "float <- uint32_t",
            "float <- uint64_t",
        ),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = bit(selMask,i) ? src0[i] : src1; selMode = VSEL_TENSOR_SCALAR_MODE.",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits=(
            "Uses the 8 KB reserved UB (every Select overload is rejected at compile time when that area is disabled)"
        ),
        notes=(
            "Repeat r consumes bits r*E .. r*E+E-1, E = 256/sizeof(T), contiguous across repeats. Vector mask "
            "keeps dst where 0. src1 strides of the params are ignored. Bit order LSB first (verified on 256 "
            "published values)"
        ),
    ),
    Api(
        id="SelectTensor",
        name="Select",
        category="select",
        forms=(
            Form(
                "count",
                (
                    "template<T,U> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, LT<T> src1, SELMODE selMode, "
                    "uint32_t count)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, LT<T> src1, "
                    "SELMODE selMode, uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, LT<T> src1, "
                    "SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs(
            "half <- uint8_t",
            "half <- uint16_t",
            "half <- uint32_t",
            "half <- uint64_t",
            "float <- uint8_t",
            "float <- uint16_t",
            "float <- uint32_t",
            "float <- uint64_t",
        ),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "dst[i] = bit(selMask,k) ? src0[i] : src1[i]; mode 2: k = i; mode 0: k = i mod E (first E bits reused "
            "by every repeat)"
        ),
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits=(
            "Mode 2 uses the 8 KB reserved UB (every Select overload is rejected at compile time when that area "
            "is disabled)"
        ),
        notes=(
            "E = 256/sizeof(T). Mode 0 = VSEL_CMPMASK_SPR (CMPMASK is overwritten with the first 128 selMask "
            "bits), mode 2 = VSEL_TENSOR_TENSOR_MODE. Both verified on 256 published values each."
        ),
    ),
    Api(
        id="SelectRegister",
        name="Select",
        category="select",
        forms=(
            Form(
                "repeat",
                (
                    "template<T, SELMODE selMode> void Select(LT<T> dst, LT<T> src0, LT<T> src1, uint8_t repeatTime, "
                    "const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "repeat",
                (
                    "template<T,U> void Select(LT<T> dst, LT<U> selMask, LT<T> src0, uint8_t repeatTime, const "
                    "BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "As the two rows above; selection source comes from SetCmpMask (mode 0 bits, mode 2 address of bits, "
            "mode 1 scalar) and lane mask from SetVectorMask."
        ),
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Call SetCmpMask and SetVectorMask first, PipeBarrier<PIPE_V> between.",
        notes="Works in Normal or Counter mode as set outside.",
    ),
    Api(
        id="GatherMaskUser",
        name="GatherMask",
        category="select",
        forms=(
            Form(
                "call",
                (
                    "template<T,U,GatherMaskMode mode=defaultGatherMaskMode> void GatherMask(LT<T> dst, LT<T> src0, "
                    "LT<U> src1Pattern, const bool reduceMode, const uint32_t mask, const GatherMaskParams& p, "
                    "uint64_t& rsvdCnt)"
                ),
            ),
        ),
        dtypes=pairs(
            "int16_t <- uint16_t",
            "uint16_t <- uint16_t",
            "half <- uint16_t",
            "bfloat16_t <- uint16_t",
            "int32_t <- uint32_t",
            "uint32_t <- uint32_t",
            "float <- uint32_t",
        ),
        pipe="PIPE_V (rsvdCnt read back on PIPE_S)",
        core="AIV",
        doc=(
            "Append to dst every src0 element whose pattern bit is 1, packed, in order over all repeats; rsvdCnt "
            "= number appended."
        ),
        rules=("AL32", "OV"),
        limits=(
            "in-place dst==src0 works; p.repeatTimes 0 = NOP, 16-bit field (unclear: whether the general 255 "
            "limit applies)"
        ),
        notes=(
            "N = elements per repeat: reduceMode=false -> 256/sizeof(T), mask ignored (pass 0); reduceMode=true "
            "-> mask (1..2^32-1), repeatTimes still counts on dav-2201. Repeat r element k: src0 byte "
            "r*src0RepeatStride*32 + blk*src0BlockStride*32 + in-block, blk=floor(k*sizeof(T)/32) (may exceed 8); "
            "pattern bit k counted LSB first from src1 byte r*src1RepeatStride*32. Ends with mask mode = Normal, "
            "so re-enter Counter mode afterwards if needed."
        ),
    ),
    Api(
        id="GatherMaskFixed",
        name="GatherMask",
        category="select",
        forms=(
            Form(
                "call",
                (
                    "template<T,GatherMaskMode mode=defaultGatherMaskMode> void GatherMask(LT<T> dst, LT<T> src0, "
                    "const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask, const GatherMaskParams& "
                    "p, uint64_t& rsvdCnt)"
                ),
            ),
        ),
        dtypes=one("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V (rsvdCnt read back on PIPE_S)",
        core="AIV",
        doc="As user pattern with bit k = 1 iff: 1: k even; 2: k odd; 3/4/5/6: k%4 = 0/1/2/3; 7: always.",
        rules=("AL32", "OV"),
        limits="src1Pattern in 1..7; src1RepeatStride ignored.",
        notes="K restarts at 0 in every repeat. See user pattern row for N, addressing and side effects.",
    ),
)
