"""The C interface of the vector unit: conversions. Suffixes name the rounding; none: exact, or to nearest even."""

from ferrata.lang.api import CForm, CFunction

ROWS = (
    CFunction(
        "asc_bfloat162float",
        category="vector_compute",
        forms=(
            CForm("void asc_bfloat162float(__ubuf__ float* dst, __ubuf__ bfloat16_t* src, uint32_t count)", twin=True),
            CForm("void asc_bfloat162float(__ubuf__ float* dst, __ubuf__ bfloat16_t* src, REPEAT1)"),
        ),
        doc="Widening conversion.",
    ),
    CFunction(
        "asc_bfloat162int32{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_bfloat162int32{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int32_t* dst, __ubuf__ bfloat16_t* src, "
                    "uint32_t count)"
                ),
                twin=True,
            ),
            CForm(
                "void asc_bfloat162int32{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int32_t* dst, __ubuf__ bfloat16_t* src, "
                "REPEAT1)"
            ),
        ),
        doc="Conversion with rounding suffix.",
    ),
    CFunction(
        "asc_deq_int162b8_h",
        category="vector_compute",
        forms=(
            CForm("void asc_deq_int162b8_h(__ubuf__ T* dst, __ubuf__ U* src, uint32_t count)", twin=True),
            CForm(
                "void asc_deq_int162b8_h(__ubuf__ T* dst, __ubuf__ U* src, uint8_t repeat, uint16_t "
                "dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride, uint8_t "
                "src_repeat_stride)"
            ),
        ),
        types="T/U = int8_t/int16_t ; uint8_t/int16_t",
        doc=(
            "dst = cast(src * scale + offset), int16 to 8 bit, into the high (_h) or low (_l) half of each 32 B "
            "block; parameters from asc_set_deq_scale."
        ),
    ),
    CFunction(
        "asc_deq_int162b8_l",
        category="vector_compute",
        forms=(
            CForm("void asc_deq_int162b8_l(__ubuf__ T* dst, __ubuf__ U* src, uint32_t count)", twin=True),
            CForm(
                "void asc_deq_int162b8_l(__ubuf__ T* dst, __ubuf__ U* src, uint8_t repeat, uint16_t "
                "dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride, uint8_t "
                "src_repeat_stride)"
            ),
        ),
        types="T/U = int8_t/int16_t ; uint8_t/int16_t",
        doc=(
            "dst = cast(src * scale + offset), int16 to 8 bit, into the high (_h) or low (_l) half of each 32 B "
            "block; parameters from asc_set_deq_scale."
        ),
    ),
    CFunction(
        "asc_deq_int322half",
        category="vector_compute",
        forms=(
            CForm("void asc_deq_int322half(__ubuf__ half* dst, __ubuf__ int32_t* src, uint32_t count)", twin=True),
            CForm(
                "void asc_deq_int322half(__ubuf__ half* dst, __ubuf__ int32_t* src, uint8_t repeat, uint16_t "
                "dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride, uint8_t "
                "src_repeat_stride)"
            ),
        ),
        doc="dst = half(src * scale).",
    ),
    CFunction(
        "asc_float2bfloat16{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_float2bfloat16{_rn,_rna,_rd,_ru,_rz}(__ubuf__ bfloat16_t* dst, __ubuf__ float* src, "
                    "uint32_t count)"
                ),
                twin=True,
            ),
            CForm(
                "void asc_float2bfloat16{_rn,_rna,_rd,_ru,_rz}(__ubuf__ bfloat16_t* dst, __ubuf__ float* src, REPEAT1)"
            ),
        ),
        doc="Conversion with rounding suffix.",
    ),
    CFunction(
        "asc_float2float{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_float2float{_rn,_rna,_rd,_ru,_rz}(__ubuf__ float* dst, __ubuf__ float* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_float2float{_rn,_rna,_rd,_ru,_rz}(__ubuf__ float* dst, __ubuf__ float* src, REPEAT1)"),
        ),
        doc="Rounds to an integral value in float, rounding suffix.",
    ),
    CFunction(
        "asc_float2half[_rn,_rna,_rd,_ru,_rz,_ro]",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_float2half[_rn,_rna,_rd,_ru,_rz,_ro](__ubuf__ half* dst, __ubuf__ float* src, uint32_t "
                    "count)"
                ),
                twin=True,
            ),
            CForm("void asc_float2half[_rn,_rna,_rd,_ru,_rz,_ro](__ubuf__ half* dst, __ubuf__ float* src, REPEAT1)"),
        ),
        doc="Conversion with rounding suffix (_ro = to odd).",
    ),
    CFunction(
        "asc_float2int16{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_float2int16{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int16_t* dst, __ubuf__ float* src, uint32_t "
                    "count)"
                ),
                twin=True,
            ),
            CForm("void asc_float2int16{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int16_t* dst, __ubuf__ float* src, REPEAT1)"),
        ),
        doc="Conversion, saturating, rounding suffix.",
    ),
    CFunction(
        "asc_float2int32{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_float2int32{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int32_t* dst, __ubuf__ float* src, uint32_t "
                    "count)"
                ),
                twin=True,
            ),
            CForm("void asc_float2int32{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int32_t* dst, __ubuf__ float* src, REPEAT1)"),
        ),
        doc="Conversion, saturating, rounding suffix.",
    ),
    CFunction(
        "asc_float2int64{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_float2int64{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int64_t* dst, __ubuf__ float* src, uint32_t "
                    "count)"
                ),
                twin=True,
            ),
            CForm("void asc_float2int64{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int64_t* dst, __ubuf__ float* src, REPEAT1)"),
        ),
        doc="Conversion, saturating, rounding suffix.",
    ),
    CFunction(
        "asc_half2float",
        category="vector_compute",
        forms=(
            CForm("void asc_half2float(__ubuf__ float* dst, __ubuf__ half* src, uint32_t count)", twin=True),
            CForm("void asc_half2float(__ubuf__ float* dst, __ubuf__ half* src, REPEAT1)"),
        ),
        doc="Widening conversion.",
    ),
    CFunction(
        "asc_half2int16{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_half2int16{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int16_t* dst, __ubuf__ half* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_half2int16{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int16_t* dst, __ubuf__ half* src, REPEAT1)"),
        ),
        doc="Conversion, saturating, rounding suffix.",
    ),
    CFunction(
        "asc_half2int32{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_half2int32{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int32_t* dst, __ubuf__ half* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_half2int32{_rn,_rna,_rd,_ru,_rz}(__ubuf__ int32_t* dst, __ubuf__ half* src, REPEAT1)"),
        ),
        doc="Conversion, rounding suffix.",
    ),
    CFunction(
        "asc_half2int4[_rn,_rna,_rd,_ru,_rz]",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_half2int4[_rn,_rna,_rd,_ru,_rz](__ubuf__ int4b_t* dst, __ubuf__ half* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_half2int4[_rn,_rna,_rd,_ru,_rz](__ubuf__ int4b_t* dst, __ubuf__ half* src, REPEAT1)"),
        ),
        doc="Conversion to packed 4 bit, saturating, rounding suffix.",
    ),
    CFunction(
        "asc_half2int8[_rn,_rna,_rd,_ru,_rz]",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_half2int8[_rn,_rna,_rd,_ru,_rz](__ubuf__ int8_t* dst, __ubuf__ half* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_half2int8[_rn,_rna,_rd,_ru,_rz](__ubuf__ int8_t* dst, __ubuf__ half* src, REPEAT1)"),
        ),
        doc="Conversion, saturating, rounding suffix.",
    ),
    CFunction(
        "asc_half2uint8[_rn,_rna,_rd,_ru,_rz]",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_half2uint8[_rn,_rna,_rd,_ru,_rz](__ubuf__ uint8_t* dst, __ubuf__ half* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_half2uint8[_rn,_rna,_rd,_ru,_rz](__ubuf__ uint8_t* dst, __ubuf__ half* src, REPEAT1)"),
        ),
        doc="Conversion, saturating, rounding suffix; no suffix = nearest-even.",
    ),
    CFunction(
        "asc_int162float",
        category="vector_compute",
        forms=(
            CForm("void asc_int162float(__ubuf__ float* dst, __ubuf__ int16_t* src, uint32_t count)", twin=True),
            CForm("void asc_int162float(__ubuf__ float* dst, __ubuf__ int16_t* src, REPEAT1)"),
        ),
        doc="Widening conversion.",
    ),
    CFunction(
        "asc_int162half[_rn,_rna,_rd,_ru,_rz]",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_int162half[_rn,_rna,_rd,_ru,_rz](__ubuf__ half* dst, __ubuf__ int16_t* src, uint32_t count)",
                twin=True,
            ),
            CForm("void asc_int162half[_rn,_rna,_rd,_ru,_rz](__ubuf__ half* dst, __ubuf__ int16_t* src, REPEAT1)"),
        ),
        doc="Conversion, rounding suffix.",
    ),
    CFunction(
        "asc_int322float[_rn,_rna,_rd,_ru,_rz]",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_int322float[_rn,_rna,_rd,_ru,_rz](__ubuf__ float* dst, __ubuf__ int32_t* src, uint32_t "
                    "count)"
                ),
                twin=True,
            ),
            CForm("void asc_int322float[_rn,_rna,_rd,_ru,_rz](__ubuf__ float* dst, __ubuf__ int32_t* src, REPEAT1)"),
        ),
        doc="Conversion, rounding suffix.",
    ),
    CFunction(
        "asc_int322int16",
        category="vector_compute",
        forms=(
            CForm("void asc_int322int16(__ubuf__ int16_t* dst, __ubuf__ int32_t* src, uint32_t count)", twin=True),
            CForm("void asc_int322int16(__ubuf__ int16_t* dst, __ubuf__ int32_t* src, REPEAT1)"),
        ),
        doc="Narrowing conversion.",
    ),
    CFunction(
        "asc_int322int64",
        category="vector_compute",
        forms=(
            CForm("void asc_int322int64(__ubuf__ int64_t* dst, __ubuf__ int32_t* src, uint32_t count)", twin=True),
            CForm("void asc_int322int64(__ubuf__ int64_t* dst, __ubuf__ int32_t* src, REPEAT1)"),
        ),
        doc="Sign extension.",
    ),
    CFunction(
        "asc_int42half",
        category="vector_compute",
        forms=(
            CForm("void asc_int42half(__ubuf__ half* dst, __ubuf__ int4b_t* src, uint32_t count)", twin=True),
            CForm(
                "void asc_int42half(__ubuf__ half* dst, __ubuf__ int4b_t* src, uint8_t repeat, uint16_t "
                "dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride, uint8_t "
                "src_repeat_stride)"
            ),
        ),
        doc="Conversion from packed 4 bit.",
    ),
    CFunction(
        "asc_int642float{_rn,_rna,_rd,_ru,_rz}",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_int642float{_rn,_rna,_rd,_ru,_rz}(__ubuf__ float* dst, __ubuf__ int64_t* src, uint32_t "
                    "count)"
                ),
                twin=True,
            ),
            CForm("void asc_int642float{_rn,_rna,_rd,_ru,_rz}(__ubuf__ float* dst, __ubuf__ int64_t* src, REPEAT1)"),
        ),
        doc="Conversion, rounding suffix.",
    ),
    CFunction(
        "asc_int642int32",
        category="vector_compute",
        forms=(
            CForm("void asc_int642int32(__ubuf__ int32_t* dst, __ubuf__ int64_t* src, uint32_t count)", twin=True),
            CForm("void asc_int642int32(__ubuf__ int32_t* dst, __ubuf__ int64_t* src, REPEAT1)"),
        ),
        doc="Narrowing conversion.",
    ),
    CFunction(
        "asc_int82half",
        category="vector_compute",
        forms=(
            CForm("void asc_int82half(__ubuf__ half* dst, __ubuf__ int8_t* src, uint32_t count)", twin=True),
            CForm("void asc_int82half(__ubuf__ half* dst, __ubuf__ int8_t* src, REPEAT1)"),
        ),
        doc="Conversion.",
    ),
    CFunction(
        "asc_set_deq_scale",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_set_deq_scale(__ubuf__ uint64_t* tmp, float scale_arr[ASC_VDEQ_SIZE], int16_t "
                "offset_arr[ASC_VDEQ_SIZE], bool sign_mode_arr[ASC_VDEQ_SIZE])"
            ),
            CForm("void asc_set_deq_scale(float scale, int16_t offset, bool sign_mode)"),
            CForm("void asc_set_deq_scale(half scale)"),
        ),
        doc=(
            "half scale: for asc_deq_int322half; (scale, offset 9 bits, sign_mode): for asc_deq_int162b8; arrays "
            "of 16 with tmp UB area: for asc_vdeq_int162b8."
        ),
    ),
    CFunction(
        "asc_uint82half",
        category="vector_compute",
        forms=(
            CForm("void asc_uint82half(__ubuf__ half* dst, __ubuf__ uint8_t* src, uint32_t count)", twin=True),
            CForm("void asc_uint82half(__ubuf__ half* dst, __ubuf__ uint8_t* src, REPEAT1)"),
        ),
        doc="Conversion.",
    ),
    CFunction(
        "asc_vdeq_int162b8_h",
        category="vector_compute",
        forms=(
            CForm("void asc_vdeq_int162b8_h(__ubuf__ T* dst, __ubuf__ U* src, uint32_t count)", twin=True),
            CForm(
                "void asc_vdeq_int162b8_h(__ubuf__ T* dst, __ubuf__ U* src, uint8_t repeat, uint16_t "
                "dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride, uint8_t "
                "src_repeat_stride)"
            ),
        ),
        types="T/U = int8_t/int16_t ; uint8_t/int16_t",
        doc="As asc_deq_int162b8 with 16 per-lane parameter sets (lane j = i mod 16).",
    ),
    CFunction(
        "asc_vdeq_int162b8_l",
        category="vector_compute",
        forms=(
            CForm("void asc_vdeq_int162b8_l(__ubuf__ T* dst, __ubuf__ U* src, uint32_t count)", twin=True),
            CForm(
                "void asc_vdeq_int162b8_l(__ubuf__ T* dst, __ubuf__ U* src, uint8_t repeat, uint16_t "
                "dst_block_stride, uint16_t src_block_stride, uint8_t dst_repeat_stride, uint8_t "
                "src_repeat_stride)"
            ),
        ),
        types="T/U = int8_t/int16_t ; uint8_t/int16_t",
        doc="As asc_deq_int162b8 with 16 per-lane parameter sets (lane j = i mod 16).",
    ),
)
