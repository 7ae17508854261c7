"""Elementwise arithmetic, logic and shifts of the vector unit."""

from ferrata.lang.api import Api, one
from ferrata.lang.apis.families import binary, scalar, unary

ROWS = (
    Api(
        id="Abs",
        name="Abs",
        category="arith-unary",
        forms=unary("Abs"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = |src[i]| (sign bit cleared)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "-0 -> +0; -inf -> +inf; NaN stays NaN. Saturation mode: half NaN -> 0. (unclear: one table row shows "
            "float NaN -> 0 in saturation mode, while the general rule says float never saturates; keep NaN)"
        ),
    ),
    Api(
        id="Exp",
        name="Exp",
        category="arith-unary",
        forms=unary("Exp"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = e^src[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "exp(-inf)=0, exp(most negative finite)=0, exp(+-0)=1, overflow -> +inf, NaN -> NaN. Accuracy stated "
            "as <= 1 ulp for the single-instruction algorithm; no bit pattern is published, so compare with "
            "tolerance. The overload with a config template argument does not exist on dav-2201."
        ),
    ),
    Api(
        id="Ln",
        name="Ln",
        category="arith-unary",
        forms=unary("Ln"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = ln(src[i])",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "ln(+-0) = -inf; negative or -inf -> NaN; ln(+inf)=+inf; NaN -> NaN. <= 1 ulp stated. No config "
            "overload on dav-2201."
        ),
    ),
    Api(
        id="Reciprocal",
        name="Reciprocal",
        category="arith-unary",
        forms=unary("Reciprocal"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = 1 / src[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "Approximate on hardware: half misses 1e-3 and float misses 1e-4 relative comparison, Div is the "
            "accurate alternative; emulate correctly rounded and compare with tolerance. 1/+0=+inf, 1/-0=-inf "
            "(unclear: constraint text says a zero input may give an unknown result), 1/+-inf=+-0. float "
            "1/FLT_MAX = 2.938736e-39, so subnormal results are kept."
        ),
    ),
    Api(
        id="Sqrt",
        name="Sqrt",
        category="arith-unary",
        forms=unary("Sqrt"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = sqrt(src[i])",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "sqrt(+-0)=+-0; negative -> NaN; +inf -> +inf. (unclear: constraint text says a non-positive input "
            "may give an unknown result, the boundary table gives the values quoted here.) No config overload on "
            "dav-2201."
        ),
    ),
    Api(
        id="Rsqrt",
        name="Rsqrt",
        category="arith-unary",
        forms=unary("Rsqrt"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = 1 / sqrt(src[i])",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "Approximate on hardware like Reciprocal. +0 -> +inf, -0 -> -inf, negative -> NaN, +inf -> 0 "
            "(unclear: text calls non-positive inputs unknown)"
        ),
    ),
    Api(
        id="Relu",
        name="Relu",
        category="arith-unary",
        forms=unary("Relu"),
        dtypes=one("half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = max(0, src[i])",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes="-0 -> +0; -inf -> 0; NaN -> NaN (0 in half saturation mode)",
    ),
    Api(
        id="Not",
        name="Not",
        category="logic",
        forms=unary("Not"),
        dtypes=one("int16_t", "uint16_t"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = ~src[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes="For 32-bit data reinterpret the tensor as 16-bit and double the element count.",
    ),
    Api(
        id="Add",
        name="Add",
        category="arith-binary",
        forms=binary("Add", "+"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] + src1[i].",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes=(
            "int16/int32 overflow wraps (two's complement) by default; in saturation mode the table clamps to "
            "MIN/MAX (unclear: the dav-2201 control-bit description covers only half and bfloat16_t). inf + -inf "
            "= NaN; -0 + -0 = -0, -0 + +0 = +0."
        ),
    ),
    Api(
        id="Sub",
        name="Sub",
        category="arith-binary",
        forms=binary("Sub", "-"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] - src1[i].",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes=(
            "int16/int32 overflow wraps (two's complement) by default; in saturation mode the table clamps to "
            "MIN/MAX (unclear: the dav-2201 control-bit description covers only half and bfloat16_t). inf - inf = "
            "NaN; -0 - +0 = -0."
        ),
    ),
    Api(
        id="Mul",
        name="Mul",
        category="arith-binary",
        forms=binary("Mul", "*"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] * src1[i].",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes=(
            "int16/int32 overflow wraps (two's complement) by default; in saturation mode the table clamps to "
            "MIN/MAX (unclear: the dav-2201 control-bit description covers only half and bfloat16_t). Integer "
            "product keeps the low 16/32 bits. 0 * inf = NaN."
        ),
    ),
    Api(
        id="Div",
        name="Div",
        category="arith-binary",
        forms=binary("Div", "/"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] / src1[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "IEEE special values: x/0 = signed inf, 0/0 and inf/inf = NaN, finite/inf = signed 0. No config "
            "overload on dav-2201."
        ),
    ),
    Api(
        id="Max",
        name="Max",
        category="arith-binary",
        forms=binary("Max"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = max(src0[i], src1[i])",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes="Any NaN operand -> NaN (not the C fmax rule). max(+0,-0) = +0.",
    ),
    Api(
        id="Min",
        name="Min",
        category="arith-binary",
        forms=binary("Min"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = min(src0[i], src1[i])",
        rules=("AL32", "OV", "ACC", "REP255", "NOP0"),
        notes="Any NaN operand -> NaN. min(+0,-0) = -0.",
    ),
    Api(
        id="And",
        name="And",
        category="logic",
        forms=binary("And", "&"),
        dtypes=one("int16_t", "uint16_t"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] & src1[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "Direct use with int32_t/uint32_t: A/M forms are rejected at compile time; C form compiles but count "
            "is then counted in 16-bit units (pass twice the element count); operator form accepts the type "
            "(unclear: whether it covers all 32-bit elements; covering them is the useful reading)"
        ),
    ),
    Api(
        id="Or",
        name="Or",
        category="logic",
        forms=binary("Or", "|"),
        dtypes=one("int16_t", "uint16_t"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src0[i] | src1[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        notes=(
            "Direct use with int32_t/uint32_t: A/M forms are rejected at compile time; C form compiles but count "
            "is then counted in 16-bit units (pass twice the element count); operator form accepts the type "
            "(unclear: whether it covers all 32-bit elements; covering them is the useful reading)"
        ),
    ),
    Api(
        id="Adds",
        name="Adds",
        category="arith-scalar",
        forms=scalar("Adds"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src[i] + scalarValue.",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). Integer overflow as "
            "for Add."
        ),
        trait=True,
    ),
    Api(
        id="Muls",
        name="Muls",
        category="arith-scalar",
        forms=scalar("Muls"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = src[i] * scalarValue.",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). Integer overflow as "
            "for Mul."
        ),
        trait=True,
    ),
    Api(
        id="Maxs",
        name="Maxs",
        category="arith-scalar",
        forms=scalar("Maxs"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = max(src[i], scalarValue)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). NaN and signed-zero "
            "rules as for Max."
        ),
        trait=True,
    ),
    Api(
        id="Mins",
        name="Mins",
        category="arith-scalar",
        forms=scalar("Mins"),
        dtypes=one("int16_t", "half", "int32_t", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = min(src[i], scalarValue)",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). NaN and signed-zero "
            "rules as for Min."
        ),
        trait=True,
    ),
    Api(
        id="LeakyRelu",
        name="LeakyRelu",
        category="arith-scalar",
        forms=scalar("LeakyRelu"),
        dtypes=one("half", "float"),
        pipe="PIPE_V",
        core="AIV",
        doc="dst[i] = signbit(src[i]) ? src[i] * scalarValue : src[i].",
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). Formula text says src "
            ">= 0 passes through, but the boundary table multiplies -0 (e.g. -0 * inf = NaN) while +0 passes even "
            "with a NaN slope, so test the sign bit. NaN src -> NaN. (unclear: saturation column for "
            "finite-negative * +-inf and -inf * +-inf has flipped signs; use the sign of the product)"
        ),
        trait=True,
    ),
    Api(
        id="ShiftLeft",
        name="ShiftLeft",
        category="shift",
        forms=scalar("ShiftLeft"),
        dtypes=one("int16_t", "uint16_t", "int32_t", "uint32_t"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "unsigned: dst = src << n, dropped bits lost; signed: sign bit kept, remaining bits shifted left and "
            "truncated."
        ),
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). n in [0,16] for "
            "16-bit, [0,32] for 32-bit elements. int16 examples: 0x9003 << 2 = 0xC00C, 0x4001 << 1 = 0x0002 "
            "(unclear: differs from a plain C shift; documented rule)"
        ),
        trait=True,
    ),
    Api(
        id="ShiftRight",
        name="ShiftRight",
        category="shift",
        forms=scalar("ShiftRight", tail=", bool roundEn=false"),
        dtypes=one("int16_t", "uint16_t", "int32_t", "uint32_t"),
        pipe="PIPE_V",
        core="AIV",
        doc=(
            "unsigned: logical shift; signed: arithmetic shift; with roundEn (int16_t/int32_t only) add bit (n-1) "
            "of src to the shifted value."
        ),
        rules=("AL32", "OV", "REP255", "NOP0"),
        limits="Scalar must have exactly the element type unless T is given explicitly.",
        notes=(
            "C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected) "
            "(unclear: the mask summary table says the C form always sets the mask itself). roundEn exists only "
            "on A/M forms. n in [0,16] or [0,32]; full-width shift gives 0 or the sign fill. Examples with "
            "roundEn: 14 >> 2 = 4, -14 >> 2 = -3."
        ),
        trait=True,
    ),
)
