"""Conversions and the modes that steer them."""

from ferrata.lang.api import NONE, Alias, Api, Form, one, pairs

ROWS = (
    Api(
        id="Cast",
        name="Cast",
        category="cast",
        forms=(
            Form(
                "count",
                ("template<T,U> void Cast(LT<T> dst, LT<U> src, const RoundMode& roundMode, const uint32_t count)"),
            ),
            Form(
                "bits",
                (
                    "template<T,U,bool isSetMask=true> void Cast(LT<T> dst, LT<U> src, const RoundMode& roundMode, "
                    "const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)"
                ),
            ),
            Form(
                "mask",
                (
                    "template<T,U,bool isSetMask=true> void Cast(LT<T> dst, LT<U> src, const RoundMode& roundMode, "
                    "const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams)"
                ),
            ),
        ),
        dtypes=pairs(
            "half <- int4b_t",
            "half <- int8_t",
            "half <- uint8_t",
            "half <- int16_t",
            "float <- int16_t",
            "int4b_t <- half",
            "int8_t <- half",
            "uint8_t <- half",
            "int16_t <- half",
            "int32_t <- half",
            "float <- half",
            "int32_t <- bfloat16_t",
            "float <- bfloat16_t",
            "int16_t <- int32_t",
            "half <- int32_t",
            "float <- int32_t",
            "int64_t <- int32_t",
            "int16_t <- float",
            "half <- float",
            "bfloat16_t <- float",
            "int32_t <- float",
            "float <- float",
            "int64_t <- float",
            "int32_t <- int64_t",
            "float <- int64_t",
        ),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = convert(src[i], roundMode) per cast table.",
        rules=("AL32", "REP255", "NOP0"),
        limits=(
            "OV, and narrow->wide must not overlap; lanes per repeat = 256/sizeof(wider type), mask counted in "
            "those lanes."
        ),
        notes=(
            "int4b_t: count and contiguous mask must be even, mask bits 2k and 2k+1 equal; element 2k is the low "
            "nibble; obtain the tensor by ReinterpretCast from an int8_t tensor of half the element count. "
            "int32_t->half ignores roundMode and multiplies by SetDeqScale(half)"
        ),
    ),
    Api(
        id="SetDeqScaleHalf",
        name="SetDeqScale",
        category="cast-config",
        forms=(Form("call", "void SetDeqScale(half scale)"),),
        dtypes=one("half"),
        pipe="PIPE_S",
        core="AIV",
        doc="DEQSCALE[15:0] = bits of scale.",
        limits="Set before AddDeqRelu, Cast int32_t->half, CastDequant int32_t->half.",
        notes=(
            "InitSocState on dav-2201 does not initialise it, so the value is unspecified until set (unclear: "
            "pipe not listed)"
        ),
    ),
    Api(
        id="SetDeqScaleFloat",
        name="SetDeqScale",
        category="cast-config",
        forms=(Form("call", "void SetDeqScale(float scale, int16_t offset, bool signMode)"),),
        dtypes=one("float"),
        pipe="PIPE_S",
        core="AIV",
        doc="DEQSCALE[31:0] = float bits of scale, [45:37] = offset as signed 9 bits, [46] = signMode.",
        limits="For CastDequant with isVecDeq=false and int16_t input.",
        notes="Scale mantissa is used with 10 bits (unclear: truncated or rounded; truncate)",
    ),
    Api(
        id="SetDeqScaleTable",
        name="SetDeqScale",
        category="cast-config",
        forms=(Form("call", "template<T> void SetDeqScale(LT<T> vdeq, const VdeqInfo& vdeqInfo)"),),
        dtypes=one("uint64_t"),
        pipe="PIPE_S",
        core="AIV",
        doc=(
            "vdeq[j] = packed (scale_j, offset_j, sign_j) in the bit layout of the previous row, j=0..15; "
            "DEQSCALE[13:0] = UB location of vdeq."
        ),
        limits="vdeq 32-byte aligned, 128 bytes; must stay alive until the CastDequant calls.",
        notes="CastDequant isVecDeq=true reads the 16 entries from UB when it executes.",
    ),
    Api(
        id="ScalarCastFloat",
        name="Cast",
        category="scalar-cast",
        forms=(Form("call", "template<T,U,RoundMode roundMode> U Cast(T valueIn)"),),
        dtypes=pairs("float <- half", "float <- int32_t"),
        pipe="PIPE_S",
        core="AIV and AIC",
        doc="Scalar conversion with the given rounding.",
        limits="Only the listed (type, mode) combinations.",
        notes="Examples: 0.1f ODD -> half 0x2E67; 4.5f RINT -> 4, ROUND -> 5.",
        aliases=(Alias("ScalarCast", "8.5"),),
    ),
    Api(
        id="ScalarCastToBfloat16",
        name="Cast",
        category="scalar-cast",
        forms=(Form("call", "bfloat16_t Cast(const float& fVal)"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV and AIC",
        doc="Round to nearest even.",
        limits="integer literals must be cast to float first.",
        notes="Only way to build a bfloat16_t value from a number.",
        aliases=(Alias("ToBfloat16", "8.5"),),
    ),
    Api(
        id="ScalarCastToFloat",
        name="Cast",
        category="scalar-cast",
        forms=(Form("call", "float Cast(const bfloat16_t& bVal)"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV and AIC",
        doc="Exact widening (bits << 16)",
        notes="NaN and inf preserved.",
        aliases=(Alias("ToFloat", "8.5"),),
    ),
    Api(
        id="SetSaturationFlag",
        name="SetSaturationFlag",
        category="numeric-mode",
        forms=(Form("call", "template<SaturationMode mode> void SetSaturationFlag(bool enableSat)"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc=(
            "FLOAT true: inf -> +-MAX, NaN -> 0 on every half result (bfloat16_t: cast results); CAST false: "
            "overflowing integer casts keep the low bits instead of clamping."
        ),
        notes=(
            "(unclear: default. Register description says 0 = saturating is the reset value; the vector boundary "
            "appendix and reduction page say half defaults to inf/NaN. Make it configurable, default inf/NaN.) "
            "(unclear: CAST has no control bit on dav-2201 although the call is listed as supported)"
        ),
    ),
    Api(
        id="GetSaturationFlag",
        name="GetSaturationFlag",
        category="numeric-mode",
        forms=(Form("call", "template<SaturationMode mode> bool GetSaturationFlag()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="Returns the current flag.",
    ),
    Api(
        id="SetCtrlSpr",
        name="SetCtrlSpr",
        category="numeric-mode",
        forms=(Form("call", "template<int8_t startBit, int8_t endBit> static void SetCtrlSpr(int64_t value)"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="write/read CTRL[endBit:startBit]; CTRL[48]: 0 = saturate half/bfloat16_t results, 1 = keep inf/NaN.",
        limits="dav-2201 supports only bit 48 for writing; value must fit the field.",
        notes="Same flag as SetSaturationFlag<FLOAT> inverted. ResetCtrlSpr does not exist on dav-2201.",
    ),
    Api(
        id="GetCtrlSpr",
        name="GetCtrlSpr",
        category="numeric-mode",
        forms=(Form("call", "template<int8_t startBit, int8_t endBit> static int64_t GetCtrlSpr()"),),
        dtypes=NONE,
        pipe="PIPE_S",
        core="AIV",
        doc="write/read CTRL[endBit:startBit]; CTRL[48]: 0 = saturate half/bfloat16_t results, 1 = keep inf/NaN.",
        limits="dav-2201 supports only bit 48 for writing; value must fit the field.",
        notes="Same flag as SetSaturationFlag<FLOAT> inverted. ResetCtrlSpr does not exist on dav-2201.",
    ),
)
