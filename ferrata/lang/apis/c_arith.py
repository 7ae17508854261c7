"""The C interface of the vector unit: arithmetic on pointers into the Unified Buffer, with a count or with repeats."""

from ferrata.lang.api import CForm, CFunction

ROWS = (
    CFunction(
        "asc_abs",
        category="vector_compute",
        forms=(
            CForm("void asc_abs(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_abs(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="Absolute value.",
    ),
    CFunction(
        "asc_add",
        category="vector_compute",
        forms=(
            CForm("void asc_add(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_add(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="dst = src0 + src1.",
    ),
    CFunction(
        "asc_add_relu",
        category="vector_compute",
        forms=(
            CForm("void asc_add_relu(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, uint32_t count)", twin=True),
            CForm("void asc_add_relu(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)"),
        ),
        types="T/U = half/half ; float/float ; int16_t/int16_t ; int8_t/int16_t ; half/float ; int8_t/half",
        doc="dst = max(src0 + src1, 0), optionally narrowed.",
    ),
    CFunction(
        "asc_add_scalar",
        category="vector_compute",
        forms=(
            CForm("void asc_add_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, uint32_t count)", twin=True),
            CForm("void asc_add_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, REPEAT1)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="dst = src + value.",
    ),
    CFunction(
        "asc_and",
        category="vector_compute",
        forms=(
            CForm("void asc_and(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_and(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; uint16_t",
        doc="Bitwise and.",
    ),
    CFunction(
        "asc_axpy",
        category="vector_compute",
        forms=(
            CForm("void asc_axpy(__ubuf__ T* dst, __ubuf__ U* src, U value, uint32_t count)", twin=True),
            CForm("void asc_axpy(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)"),
        ),
        types="T/U = half/half ; float/half ; float/float",
        doc="dst = src * value + dst.",
    ),
    CFunction(
        "asc_div",
        category="vector_compute",
        forms=(
            CForm("void asc_div(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_div(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = half ; float",
        doc="dst = src0 / src1.",
    ),
    CFunction(
        "asc_duplicate",
        category="vector_compute",
        forms=(
            CForm("void asc_duplicate(__ubuf__ T* dst, T src, uint32_t count)", twin=True),
            CForm(
                "void asc_duplicate(__ubuf__ T* dst, T src, uint8_t repeat, uint16_t dst_block_stride, uint16_t "
                "dst_repeat_stride)"
            ),
        ),
        types="T = half ; int16_t ; uint16_t ; bfloat16_t ; float ; int32_t ; uint32_t",
        doc="Fills with a scalar.",
    ),
    CFunction(
        "asc_exp",
        category="vector_compute",
        forms=(
            CForm("void asc_exp(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_exp(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="Natural exponential.",
    ),
    CFunction(
        "asc_fma",
        category="vector_compute",
        forms=(
            CForm("void asc_fma(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, uint32_t count)", twin=True),
            CForm("void asc_fma(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)"),
        ),
        types="T/U = half/half ; float/half ; float/float",
        doc="dst = src0 * src1 + dst.",
    ),
    CFunction(
        "asc_log",
        category="vector_compute",
        forms=(
            CForm("void asc_log(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_log(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="Natural logarithm.",
    ),
    CFunction(
        "asc_max",
        category="vector_compute",
        forms=(
            CForm("void asc_max(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_max(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="Element-wise maximum.",
    ),
    CFunction(
        "asc_max_scalar",
        category="vector_compute",
        forms=(
            CForm("void asc_max_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, uint32_t count)", twin=True),
            CForm("void asc_max_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, REPEAT1)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="Maximum with scalar.",
    ),
    CFunction(
        "asc_min",
        category="vector_compute",
        forms=(
            CForm("void asc_min(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_min(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="Element-wise minimum.",
    ),
    CFunction(
        "asc_min_scalar",
        category="vector_compute",
        forms=(
            CForm("void asc_min_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, uint32_t count)", twin=True),
            CForm("void asc_min_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, REPEAT1)"),
        ),
        types="T = half ; float ; int16_t ; int32_t",
        doc="Minimum with scalar.",
    ),
    CFunction(
        "asc_mul",
        category="vector_compute",
        forms=(
            CForm("void asc_mul(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_mul(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="dst = src0 * src1.",
    ),
    CFunction(
        "asc_mul_add",
        category="vector_compute",
        forms=(
            CForm("void asc_mul_add(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_mul_add(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = half ; float",
        doc="dst = src0 * dst + src1.",
    ),
    CFunction(
        "asc_mul_add_relu",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_mul_add_relu(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True
            ),
            CForm("void asc_mul_add_relu(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = half ; float",
        doc="dst = max(src0 * dst + src1, 0).",
    ),
    CFunction(
        "asc_mul_cast_half2int8",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_mul_cast_half2int8(__ubuf__ int8_t* dst, __ubuf__ half* src0, __ubuf__ half* src1, "
                    "uint32_t count)"
                ),
                twin=True,
            ),
            CForm(
                "void asc_mul_cast_half2int8(__ubuf__ int8_t* dst, __ubuf__ half* src0, __ubuf__ half* src1, REPEAT2)"
            ),
        ),
        doc="dst = int8(src0 * src1), nearest-even, saturating.",
    ),
    CFunction(
        "asc_mul_cast_half2uint8",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_mul_cast_half2uint8(__ubuf__ uint8_t* dst, __ubuf__ half* src0, __ubuf__ half* src1, "
                    "uint32_t count)"
                ),
                twin=True,
            ),
            CForm(
                "void asc_mul_cast_half2uint8(__ubuf__ uint8_t* dst, __ubuf__ half* src0, __ubuf__ half* src1, REPEAT2)"
            ),
        ),
        doc="dst = uint8(src0 * src1), nearest-even, saturating.",
    ),
    CFunction(
        "asc_mul_scalar",
        category="vector_compute",
        forms=(
            CForm("void asc_mul_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, uint32_t count)", twin=True),
            CForm("void asc_mul_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, REPEAT1)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="dst = src * value.",
    ),
    CFunction(
        "asc_not",
        category="vector_compute",
        forms=(
            CForm("void asc_not(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_not(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = int16_t ; uint16_t",
        doc="Bitwise not.",
    ),
    CFunction(
        "asc_or",
        category="vector_compute",
        forms=(
            CForm("void asc_or(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_or(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; uint16_t",
        doc="Bitwise or.",
    ),
    CFunction(
        "asc_rcp",
        category="vector_compute",
        forms=(
            CForm("void asc_rcp(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_rcp(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="Approximate reciprocal.",
    ),
    CFunction(
        "asc_relu",
        category="vector_compute",
        forms=(
            CForm("void asc_relu(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_relu(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; int32_t ; float",
        doc="max(src, 0).",
    ),
    CFunction(
        "asc_rsqrt",
        category="vector_compute",
        forms=(
            CForm("void asc_rsqrt(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_rsqrt(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="Approximate reciprocal square root.",
    ),
    CFunction(
        "asc_shiftleft",
        category="vector_compute",
        forms=(
            CForm("void asc_shiftleft(__ubuf__ T* dst, __ubuf__ T* src, uint32_t distance, uint32_t count)", twin=True),
            CForm("void asc_shiftleft(__ubuf__ T* dst, __ubuf__ T* src, uint32_t distance, REPEAT1)"),
        ),
        types="T = int16_t ; uint16_t ; int32_t ; uint32_t",
        doc="Logical shift left by distance.",
    ),
    CFunction(
        "asc_shiftright",
        category="vector_compute",
        forms=(
            CForm("void asc_shiftright(__ubuf__ T* dst, __ubuf__ T* src, U value, uint32_t count)", twin=True),
            CForm("void asc_shiftright(__ubuf__ T* dst, __ubuf__ T* src, U value, REPEAT1)"),
        ),
        types="T/U = int16_t/int32_t ; uint16_t/uint32_t ; int32_t/int32_t ; uint32_t/uint32_t",
        doc=(
            "Shift right by value (0..bit width): arithmetic for signed, logical for unsigned; _round rounds to "
            "nearest."
        ),
    ),
    CFunction(
        "asc_shiftright_round",
        category="vector_compute",
        forms=(
            CForm("void asc_shiftright_round(__ubuf__ T* dst, __ubuf__ T* src, U value, uint32_t count)", twin=True),
            CForm("void asc_shiftright_round(__ubuf__ T* dst, __ubuf__ T* src, U value, REPEAT1)"),
        ),
        types="T/U = int16_t/int32_t ; int32_t/int32_t",
        doc=(
            "Shift right by value (0..bit width): arithmetic for signed, logical for unsigned; _round rounds to "
            "nearest."
        ),
    ),
    CFunction(
        "asc_sqrt",
        category="vector_compute",
        forms=(
            CForm("void asc_sqrt(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_sqrt(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="Square root.",
    ),
    CFunction(
        "asc_sub",
        category="vector_compute",
        forms=(
            CForm("void asc_sub(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_sub(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="dst = src0 - src1.",
    ),
    CFunction(
        "asc_sub_relu",
        category="vector_compute",
        forms=(
            CForm("void asc_sub_relu(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, uint32_t count)", twin=True),
            CForm("void asc_sub_relu(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)"),
        ),
        types="T/U = int16_t/int16_t ; half/half ; float/float ; int8_t/half ; half/float ; int8_t/int16_t",
        doc="dst = max(src0 - src1, 0), optionally narrowed.",
    ),
    CFunction(
        "asc_sub_scalar",
        category="vector_compute",
        forms=(
            CForm("void asc_sub_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, uint32_t count)", twin=True),
            CForm("void asc_sub_scalar(__ubuf__ T* dst, __ubuf__ T* src, T value, REPEAT1)"),
        ),
        types="T = int16_t ; half ; int32_t ; float",
        doc="dst = src - value.",
    ),
)
