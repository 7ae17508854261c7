"""Elementwise calls that do two or three steps at once."""

from ferrata.lang.api import Alias, Api, Form, one, pairs
from ferrata.lang.apis.families import binary

ROWS = (
    Api(
        id="AddRelu",
        name="AddRelu",
        category="compound",
        forms=binary("AddRelu"),
        dtypes=one("int16_t", "half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="t = src0[i] + src1[i] rounded to T; dst[i] = max(0, t)",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes=(
            "Result zero is +0. NaN stays NaN. half saturation mode saturates t first. int16 sum wraps or "
            "saturates as for Add."
        ),
    ),
    Api(
        id="SubRelu",
        name="SubRelu",
        category="compound",
        forms=binary("SubRelu"),
        dtypes=one("int16_t", "half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="t = src0[i] - src1[i] rounded to T; dst[i] = max(0, t)",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes="As AddRelu.",
    ),
    Api(
        id="AddReluCast",
        name="AddReluCast",
        category="compound-cast",
        forms=(
            Form("count", "template<T,U> void AddReluCast(LT<T> dst, LT<U> src0, LT<U> src1, const uint32_t count)"),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void AddReluCast(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t "
                    "mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void AddReluCast(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t "
                    "mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("int8_t <- half", "int8_t <- int16_t", "half <- float"),
        pipe="PIPE_V",
        core="AIV",
        doc="t = src0[i] + src1[i] in U; dst[i] = cast_RINT_saturate(max(0, t))",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Lanes per repeat = 256/sizeof(wider type): 128 for b16->b8, 64 for float->half.",
        notes=(
            "Contiguous use: dstRepStride 4 with srcRepStride 8. Rounding as CAST_NONE (=RINT). NaN -> 0 for int8 "
            "output, +inf -> 127, negative -> 0. int16 rows: MAX sum -> 127, wrap or saturate of the 16-bit "
            "intermediate is (unclear; table implies saturate). float->half overflow: text says saturate, general "
            "half rule says inf by default (unclear; follow the global half saturation flag)"
        ),
    ),
    Api(
        id="SubReluCast",
        name="SubReluCast",
        category="compound-cast",
        forms=(
            Form("count", "template<T,U> void SubReluCast(LT<T> dst, LT<U> src0, LT<U> src1, const uint32_t count)"),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void SubReluCast(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t "
                    "mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void SubReluCast(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t "
                    "mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("int8_t <- half", "int8_t <- int16_t", "half <- float"),
        pipe="PIPE_V",
        core="AIV",
        doc="t = src0[i] - src1[i] in U; dst[i] = cast_RINT_saturate(max(0, t))",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Lanes per repeat = 256/sizeof(wider type): 128 for b16->b8, 64 for float->half.",
        notes=(
            "Contiguous use: dstRepStride 4 with srcRepStride 8. Rounding as CAST_NONE (=RINT). NaN -> 0 for int8 "
            "output, +inf -> 127, negative -> 0. int16 rows: MAX sum -> 127, wrap or saturate of the 16-bit "
            "intermediate is (unclear; table implies saturate). float->half overflow: text says saturate, general "
            "half rule says inf by default (unclear; follow the global half saturation flag)"
        ),
    ),
    Api(
        id="Axpy",
        name="Axpy",
        category="compound",
        forms=(
            Form("count", "template<T,U> void Axpy(LT<T> dst, LT<U> src, const U& scalarValue, const int32_t& count)"),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void Axpy(LT<T> dst, LT<U> src, const U& scalarValue, uint64_t "
                    "mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void Axpy(LT<T> dst, LT<U> src, const U& scalarValue, uint64_t "
                    "mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("half <- half", "float <- float", "float <- half"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = dst[i] + src[i] * scalarValue (dst is read)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits=(
            "half->float: no overlap, 64 lanes per repeat, src uses 4 blocks (contiguous: dstRepStride 8, "
            "srcRepStride 4)"
        ),
        notes=(
            "Not fused: product rounded to T, then sum rounded to T; for half->float the product is exact in "
            "float. (unclear for float,float->float: only the boundary table, which lists an intermediate inf, "
            "supports unfused)"
        ),
    ),
    Api(
        id="MulAddDst",
        name="MulAddDst",
        category="compound",
        forms=(
            Form("count", "template<T,U> void MulAddDst(LT<T> dst, LT<U> src0, LT<U> src1, const int32_t& count)"),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void MulAddDst(LT<T> dst, LT<U> src0, LT<U> src1, const "
                    "uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void MulAddDst(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t "
                    "mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("half <- half", "float <- float", "float <- half"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] * src1[i] + dst[i] (dst is read)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="half->float: no overlap, 64 lanes per repeat, contiguous strides {1,1,1,8,4,4}.",
        notes=(
            "half->float: 256 published values match exact product then one float rounding. Same-type: product "
            "rounded first (unclear for float). MAX*MAX overflows to inf for half but not for half->float."
        ),
    ),
    Api(
        id="FusedMulAdd",
        name="FusedMulAdd",
        category="compound",
        forms=binary("FusedMulAdd"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] * dst[i] + src1[i] (dst is read)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "Despite the name NOT a single-rounding fma for half: 256 of 256 published outputs match "
            "round(round(src0*dst)+src1), 70 of them contradict fma. (unclear for float; use the same rule)"
        ),
    ),
    Api(
        id="MulAddRelu",
        name="MulAddRelu",
        category="compound",
        forms=binary("MulAddRelu"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = max(0, src0[i] * dst[i] + src1[i]) (dst is read)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes="Same unfused rounding as FusedMulAdd (verified on 256 half values); zero result is +0.",
        aliases=(Alias("FusedMulAddRelu", "8.5"),),
    ),
    Api(
        id="MulCast",
        name="MulCast",
        category="compound-cast",
        forms=(
            Form("count", "template<T,U> void MulCast(LT<T> dst, LT<U> src0, LT<U> src1, uint32_t count)"),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void MulCast(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t "
                    "mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void MulCast(LT<T> dst, LT<U> src0, LT<U> src1, uint64_t mask, "
                    "const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("int8_t <- half", "uint8_t <- half"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = cast_RINT_saturate(round_half(src0[i] * src1[i]))",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="128 lanes per repeat; dst uses 4 blocks (contiguous: dstRepStride 4, srcRepStride 8)",
        notes="Inf -> MAX, -inf -> MIN of the 8-bit type, NaN -> 0.",
    ),
    Api(
        id="CastDequant",
        name="CastDequant",
        category="compound-cast",
        forms=(
            Form(
                "count",
                (
                    "template<T,U,bool isVecDeq=true,bool halfBlock=true> void CastDequant(LT<T> dst, LT<U> src, "
                    "const uint32_t count)"
                ),
            ),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true,bool isVecDeq=true,bool halfBlock=true> void CastDequant(LT<T> "
                    "dst, LT<U> src, const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& "
                    "repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true,bool isVecDeq=true,bool halfBlock=true> void CastDequant(LT<T> "
                    "dst, LT<U> src, const int32_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("half <- int32_t", "int8_t <- int16_t", "uint8_t <- int16_t"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "b8: dst = sat8(round(src*scale) + offset) with one parameter set (isVecDeq=false) or set j = lane%16 "
            "of the UB table (isVecDeq=true); int32->half: dst = half_RINT(src*scale)"
        ),
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits=(
            "SetDeqScale must precede (float form for isVecDeq=false, table form for true, half form for int32); "
            "signMode true <=> T int8_t, false <=> uint8_t; vdeq table needs 128 B."
        ),
        notes=(
            "b8 layout: each 32-byte source block (16 int16) makes 16 bytes inside one 32-byte dst block, so dst "
            "spans as many blocks as src (also in C form: 2*count bytes); halfBlock=true fills bytes 16..31, "
            "false bytes 0..15, other half untouched (unclear: prose, struct comment and example disagree on "
            "which half; the printed example shows bytes 16..31 for true; prose also says 8 outputs per block, "
            "the example 16). Scale is used as 1-8-10 float, offset as signed 9 bits, output saturates. (unclear: "
            "rounding of src*scale before offset; use RINT.) int32->half is computed as (src/2^17)*scale*2^17; "
            "INT32_MAX -> inf (65504 saturated); isVecDeq/halfBlock ignored."
        ),
        aliases=(Alias("CastDeq", "8.5"),),
    ),
    Api(
        id="AddDeqRelu",
        name="AddDeqRelu",
        category="compound-cast",
        forms=(
            Form("count", "void AddDeqRelu(LT<half> dst, LT<int32_t> src0, LT<int32_t> src1, const int32_t& count)"),
            Form(
                "bits",
                (
                    "template<bool isSetMask=true> void AddDeqRelu(LT<half> dst, LT<int32_t> src0, LT<int32_t> src1, "
                    "uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<bool isSetMask=true> void AddDeqRelu(LT<half> dst, LT<int32_t> src0, LT<int32_t> src1, "
                    "uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs("half <- int32_t"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = max(0, half_RINT((src0[i]+src1[i]) * scale)), scale from SetDeqScale(half)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits=(
            "64 lanes per repeat (contiguous strides {1,1,1,4,8,8}); uses reserved UB: min(count*4, 8192) bytes, "
            "so unavailable when the reserved area is disabled."
        ),
        notes=(
            "Dequantisation is scaled by 2^-17 and back to avoid overflow; emulate as exact product rounded once. "
            "(unclear: int32 sum overflow; wrap) Tensors of TensorTraits: template<T,U> with T = half, U = int32_t, and "
            "template<T,U,bool isSetMask=true>."
        ),
    ),
)
