"""Filling, gathering and copying inside the Unified Buffer."""

from ferrata.lang.api import Alias, Api, Form, one

ROWS = (
    Api(
        id="Duplicate",
        name="Duplicate",
        category="fill",
        forms=(
            Form("count", "template<T> void Duplicate(LT<T> dst, const T& scalarValue, const int32_t& count)"),
            Form(
                "bits",
                (
                    "template<T,bool isSetMask=true> void Duplicate(LT<T> dst, const T& scalarValue, uint64_t mask[], "
                    "const uint8_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,bool isSetMask=true> void Duplicate(LT<T> dst, const T& scalarValue, uint64_t mask, "
                    "const uint8_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride)"
                ),
            ),
        ),
        dtypes=one("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = scalarValue on active lanes.",
        rules=("AL32", "REP255", "NOP0"),
        limits="Strides in 32-byte blocks.",
        notes=(
            "The overload taking a source tensor does not exist on dav-2201; 8-bit types are not accepted "
            "(reinterpret as 16-bit)"
        ),
    ),
    Api(
        id="Brcb",
        name="Brcb",
        category="fill",
        forms=(
            Form(
                "repeat",
                ("template<T> void Brcb(LT<T> dst, LT<T> src, const uint8_t repeatTime, const BrcbRepeatParams& p)"),
            ),
        ),
        dtypes=one("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "For r, j in 0..7: the 32-byte block at dst + (r*dstRepStride + j*dstBlkStride)*32 is filled with "
            "src[8*r + j]."
        ),
        rules=("AL32",),
        limits=(
            "src holds >= 8*repeatTime elements read contiguously; src and dst must not overlap; repeatTime "
            "0..255, 0 = NOP."
        ),
        notes="No mask. dstBlkStride 0: prose says undefined, pseudo code treats it as 1 (unclear; use 1)",
    ),
    Api(
        id="CreateVecIndex",
        name="CreateVecIndex",
        category="fill",
        forms=(
            Form("count", "template<T> void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count)"),
            Form(
                "bits",
                (
                    "template<T> void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], "
                    "uint8_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T> void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t "
                    "repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride)"
                ),
            ),
        ),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V (also issues PIPE_S work)",
        core="AIV",
        doc="count: dst[i] = firstValue + i; repeat: lane l of repeat r gets firstValue + r*E + l, E = 256/sizeof(T)",
        rules=("AL32", "REP255", "NOP0"),
        limits="Values must stay in range of T.",
        notes=(
            "A,M take dst by non-const reference (named tensor needed). Overflow and NaN behave as Adds. "
            "(unclear: numbering across repeats when the mask is shorter than E, and half rounding above 2048; "
            "compute firstValue + index in T. The mask summary says masks are unsupported here although A,M take "
            "one; honour it)"
        ),
    ),
    Api(
        id="Arange",
        name="Arange",
        aliases=(Alias("ArithProgression"),),
        category="fill",
        forms=(
            Form(
                "count",
                ("template<T> void Arange(LT<T> dst, const T firstValue, const T diffValue, const int32_t count)"),
            ),
        ),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_S and PIPE_V",
        core="AIV",
        doc="dst[i] = firstValue + i*diffValue.",
        rules=("AL32",),
        limits="count > 0; diffValue >= 0; dst holds count elements.",
        notes=(
            "Built as: first 8 values by scalar stores, then blocks of 8 up to 64 by Adds of 8*diff, then blocks "
            "of 64 by Adds, so floating results follow that add chain. Host helper "
            "GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) returns 0, 0."
        ),
    ),
    Api(
        id="FillGm",
        name="Fill",
        aliases=(Alias("InitGlobalMemory"),),
        category="fill",
        forms=(
            Form(
                "call", ("template<T> void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value)")
            ),
        ),
        dtypes=one("uint16_t", "int16_t", "half", "uint32_t", "int32_t", "float"),
        pipe="PIPE_V then PIPE_MTE3",
        core="AIV",
        doc="gm[0..size) = value via a UB staging buffer.",
        limits=(
            "Call before any InitBuffer; later UB use needs MTE3->MTE2 sync; consecutive fills with different "
            "values need MTE3->V sync; cores not mutually synchronised."
        ),
        notes="The cube-side Fill for L1/L0 (old InitConstValue) is a different API.",
    ),
    Api(
        id="Gather",
        name="Gather",
        category="gather",
        forms=(
            Form(
                "count",
                (
                    "template<T> void Gather(LT<T> dst, LT<T> src, LT<uint32_t> srcOffset, const uint32_t "
                    "srcBaseAddr, const uint32_t count)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T> void Gather(LT<T> dst, LT<T> src, LT<uint32_t> srcOffset, const uint32_t "
                    "srcBaseAddr, const uint64_t mask[], const uint8_t repeatTime, const uint16_t dstRepStride)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T> void Gather(LT<T> dst, LT<T> src, LT<uint32_t> srcOffset, const uint32_t "
                    "srcBaseAddr, const uint64_t mask, const uint8_t repeatTime, const uint16_t dstRepStride)"
                ),
            ),
        ),
        dtypes=one("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "dst[i] = element of src at byte srcBaseAddr + srcOffset[i]; repeat form i = r*E + l, dst lane at "
            "r*dstRepStride*32 + l*sizeof(T) bytes."
        ),
        rules=("AL32", "NOP0"),
        limits=(
            "Offsets and base in bytes, multiples of sizeof(T), uint32 range, inside UB; src and dst distinct "
            "memory; repeatTime 0..255."
        ),
        notes=(
            "E = 256/sizeof(T) (128 or 64); offsets are always 32-bit and consumed contiguously (masked lanes "
            "still occupy an offset slot). Mask set internally, no isSetMask (unclear: the mask summary says "
            "Gather does not support a mask although A/M forms take one; honour it). Misaligned base/offset: "
            "wrong data, no fault."
        ),
    ),
    Api(
        id="Gatherb",
        name="Gatherb",
        category="gather",
        forms=(
            Form(
                "repeat",
                (
                    "template<T> void Gatherb(LT<T> dst, LT<T> src, LT<uint32_t> offset, const uint8_t repeatTime, "
                    "const GatherRepeatParams& p)"
                ),
            ),
        ),
        dtypes=one("uint16_t", "uint32_t"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "For r, j in 0..7: copy 32 bytes from src byte offset[8*r+j] to dst block r*dstRepStride + j*dstBlkStride."
        ),
        rules=("AL32",),
        limits=(
            "Offset in bytes, resulting address 32-byte aligned and inside UB; src/dst distinct; repeatTime "
            "0..255, 0 = NOP."
        ),
        notes="dstBlkStride 0 means 1. No mask. Other struct fields ignored.",
    ),
    Api(
        id="BilinearInterpolation",
        name="BilinearInterpolation",
        category="interpolation",
        forms=(
            Form(
                "bits",
                (
                    "template<T> void BilinearInterpolation(LT<T> dst, LT<T> src0, LT<uint32_t> src0Offset, LT<T> "
                    "src1, uint64_t mask[], uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t "
                    "vROffset, uint8_t vRepeat, LT<uint8_t> sharedTmpBuffer)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T> void BilinearInterpolation(LT<T> dst, LT<T> src0, LT<uint32_t> src0Offset, LT<T> "
                    "src1, uint64_t mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset, "
                    "uint8_t vRepeat, LT<uint8_t> sharedTmpBuffer)"
                ),
            ),
        ),
        dtypes=one("half"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "i = v*H+h; G(i,b) = 16 halfs of src0 at byte src0Offset[8i+b], b 0..7; w = repeatMode ? src1[8i+b] : "
            "src1[i]; dst block at element v*vROffset + b*dstBlkStride*16 = sum over h of G(i,b)*w."
        ),
        rules=("AL32",),
        limits=(
            "hRepeat, vRepeat 1..255; vROffset 128..65534 elements, vROffset*2 multiple of 32; offsets 32-byte "
            "aligned after adding base; repeatMode=true needs 16*len(src1) >= len(src0); src0/src1/src0Offset "
            "distinct; vertical outputs must not overlap; tmp >= 32*(src0.GetSize()+src1.GetSize()) bytes."
        ),
        notes=(
            "Each product rounded to half, then added in ascending h with half rounding. Mask selects lanes of "
            "each 128-lane repeat. Check: src0[k]=k, offsets 0,32,..,992, src1=1,2,3,4, H=V=2, false: "
            "dst[0]=0*1+128*2=256, element vROffset = 256*3+384*4=2304. (unclear: mask when Counter mode was "
            "active)"
        ),
    ),
    Api(
        id="Copy",
        name="Copy",
        category="copy",
        forms=(
            Form(
                "bits",
                (
                    "template<T,bool isSetMask=true> void Copy(LT<T> dst, LT<T> src, const uint64_t mask[], const "
                    "uint8_t repeatTime, const CopyRepeatParams& p)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,bool isSetMask=true> void Copy(LT<T> dst, LT<T> src, const uint64_t mask, const "
                    "uint8_t repeatTime, const CopyRepeatParams& p)"
                ),
            ),
        ),
        dtypes=one("int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "dst lane = src lane on active lanes; block strides dstStride/srcStride, repeat strides "
            "dstRepeatSize/srcRepeatSize, 32-byte units."
        ),
        rules=("AL32", "OV", "NOP0"),
        limits="Block strides 0..65535, repeat strides 0..4095; repeatTime 0..255.",
        notes=(
            "Counter mode is special: mask = elements per repeat (may exceed 256 bytes; ceil(mask*sizeof(T)/32) "
            "blocks) and repeatTime still applies. The count form is not available on dav-2201."
        ),
    ),
)
