"""The C interface of the vector unit: comparisons, selection, reductions, gathering, sorting, layouts, copies."""

from ferrata.lang.api import CForm, CFunction

ROWS = (
    CFunction(
        "asc_bitsort",
        category="vector_compute",
        forms=(
            CForm("void asc_bitsort(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ U* src1, int32_t repeat)", twin=True),
        ),
        types="T/U = half/uint32_t ; float/uint32_t",
        doc=(
            "Per repeat (0-255) sorts 32 (score, index) pairs by descending score; dst advances 256 B; pair = 8 "
            "bytes (half score: 2 bytes unused)."
        ),
    ),
    CFunction(
        "asc_brcb",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_brcb(__ubuf__ T* dst, __ubuf__ T* src, uint16_t dst_block_stride, uint16_t "
                    "dst_repeat_stride, uint8_t repeat)"
                ),
                twin=True,
            ),
        ),
        types="T = uint16_t ; uint32_t",
        doc="Each of 8 source elements per repeat fills one 32-byte block.",
    ),
    CFunction(
        "asc_copy",
        category="vector_compute",
        forms=(
            CForm("void asc_copy(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm("void asc_copy(__ubuf__ T* dst, __ubuf__ T* src, REPEAT1)"),
        ),
        types="T = int16_t ; uint16_t ; int32_t ; uint32_t",
        doc="UB to UB on the vector pipe, masked.",
    ),
    CFunction(
        "asc_datablock_reduce_max",
        category="vector_compute",
        forms=(
            CForm("void asc_datablock_reduce_max(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_datablock_reduce_max(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t "
                "dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Maximum of each 32-byte block.",
    ),
    CFunction(
        "asc_datablock_reduce_min",
        category="vector_compute",
        forms=(
            CForm("void asc_datablock_reduce_min(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_datablock_reduce_min(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t "
                "dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Minimum of each 32-byte block.",
    ),
    CFunction(
        "asc_datablock_reduce_sum",
        category="vector_compute",
        forms=(
            CForm("void asc_datablock_reduce_sum(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_datablock_reduce_sum(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t "
                "dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Sum of each 32-byte block.",
    ),
    CFunction(
        "asc_eq",
        category="vector_compute",
        forms=(
            CForm("void asc_eq(__ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)", types="T = half ; float", twin=True),
            CForm(
                "void asc_eq(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)",
                types="T/U = uint8_t/half ; uint8_t/float ; uint8_t/int32_t",
                twin=True,
            ),
        ),
        doc=(
            "src0 == src1, 1 bit per element, little-endian. With dst: vector mask ignored. Without dst: result "
            "to the compare mask, always one repeat of 256 B, bits with vector mask 0 keep their old value; read "
            "with asc_get_cmp_mask."
        ),
    ),
    CFunction(
        "asc_eq_scalar",
        category="vector_compute",
        forms=(CForm("void asc_eq_scalar(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)", twin=True),),
        types="T/U = uint8_t/half ; uint8_t/int32_t ; uint8_t/float",
        doc="Compare with scalar ==, bits.",
    ),
    CFunction(
        "asc_gather",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_gather(__ubuf__ T* dst, __ubuf__ T* src, __ubuf__ U* src_offset, uint32_t count)", twin=True
            ),
            CForm(
                "void asc_gather(__ubuf__ T* dst, __ubuf__ T* src, __ubuf__ U* src_offset, uint16_t "
                "dst_repeat_stride, uint8_t repeat)"
            ),
        ),
        types=(
            "T/U = int16_t/uint32_t ; uint16_t/uint32_t ; half/uint32_t ; bfloat16_t/uint32_t ; "
            "int32_t/uint32_t ; uint32_t/uint32_t ; float/uint32_t"
        ),
        doc="dst[i] = element at src + src_offset[i] bytes.",
    ),
    CFunction(
        "asc_gather_datablock",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_gather_datablock(__ubuf__ T* dst, __ubuf__ T* src, __ubuf__ U* src_offset, uint16_t "
                    "dst_repeat_stride, uint8_t dst_block_stride, uint8_t repeat)"
                ),
                twin=True,
            ),
        ),
        types="T/U = uint16_t/uint32_t ; uint32_t/uint32_t",
        doc="Gathers 32-byte blocks at byte offsets.",
    ),
    CFunction(
        "asc_ge",
        category="vector_compute",
        forms=(
            CForm("void asc_ge(__ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)", types="T = half ; float", twin=True),
            CForm(
                "void asc_ge(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)",
                types="T/U = uint8_t/half ; uint8_t/float",
                twin=True,
            ),
        ),
        doc=(
            "src0 >= src1, 1 bit per element, little-endian. With dst: vector mask ignored. Without dst: result "
            "to the compare mask, always one repeat of 256 B, bits with vector mask 0 keep their old value; read "
            "with asc_get_cmp_mask."
        ),
    ),
    CFunction(
        "asc_ge_scalar",
        category="vector_compute",
        forms=(CForm("void asc_ge_scalar(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)", twin=True),),
        types="T/U = uint8_t/half ; uint8_t/float",
        doc="Compare with scalar >=, bits.",
    ),
    CFunction(
        "asc_get_cmp_mask",
        category="vector_compute",
        forms=(CForm("void asc_get_cmp_mask(__ubuf__ void* dst)"),),
        doc="Stores the compare mask (16 bytes) to UB.",
    ),
    CFunction(
        "asc_get_reduce_max_cnt",
        category="vector_compute",
        forms=(
            CForm("void asc_get_reduce_max_cnt(half& val, uint32_t& index)"),
            CForm("void asc_get_reduce_max_cnt(float& val, uint32_t& index)"),
        ),
        doc="Value and index of the last repeat-reduce maximum.",
    ),
    CFunction(
        "asc_get_reduce_min_cnt",
        category="vector_compute",
        forms=(
            CForm("void asc_get_reduce_min_cnt(half& val, uint32_t& index)"),
            CForm("void asc_get_reduce_min_cnt(float& val, uint32_t& index)"),
        ),
        doc="Value and index of the last repeat-reduce minimum.",
    ),
    CFunction(
        "asc_get_rsvd_count",
        category="vector_compute",
        forms=(CForm("int64_t asc_get_rsvd_count()"),),
        doc="Number of elements kept by the last asc_reduce.",
    ),
    CFunction(
        "asc_get_vms4_sr",
        category="vector_compute",
        forms=(CForm("void asc_get_vms4_sr(uint16_t sorted_num[ASC_C_API_MRGSORT_ELEMENT_LEN])"),),
        doc="Numbers of elements consumed from the 4 lists of the last asc_mrgsort4.",
    ),
    CFunction(
        "asc_gt",
        category="vector_compute",
        forms=(
            CForm("void asc_gt(__ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)", types="T = half ; float", twin=True),
            CForm(
                "void asc_gt(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)",
                types="T/U = uint8_t/half ; uint8_t/float",
                twin=True,
            ),
        ),
        doc=(
            "src0 > src1, 1 bit per element, little-endian. With dst: vector mask ignored. Without dst: result "
            "to the compare mask, always one repeat of 256 B, bits with vector mask 0 keep their old value; read "
            "with asc_get_cmp_mask."
        ),
    ),
    CFunction(
        "asc_gt_scalar",
        category="vector_compute",
        forms=(CForm("void asc_gt_scalar(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)", twin=True),),
        types="T/U = uint8_t/half ; uint8_t/float",
        doc="Compare with scalar >, bits.",
    ),
    CFunction(
        "asc_le",
        category="vector_compute",
        forms=(
            CForm("void asc_le(__ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)", types="T = half ; float", twin=True),
            CForm(
                "void asc_le(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)",
                types="T/U = uint8_t/half ; uint8_t/float",
                twin=True,
            ),
        ),
        doc=(
            "src0 <= src1, 1 bit per element, little-endian. With dst: vector mask ignored. Without dst: result "
            "to the compare mask, always one repeat of 256 B, bits with vector mask 0 keep their old value; read "
            "with asc_get_cmp_mask."
        ),
    ),
    CFunction(
        "asc_le_scalar",
        category="vector_compute",
        forms=(CForm("void asc_le_scalar(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)", twin=True),),
        types="T/U = uint8_t/half ; uint8_t/float",
        doc="Compare with scalar <=, bits.",
    ),
    CFunction(
        "asc_leakyrelu",
        category="vector_compute",
        forms=(
            CForm("void asc_leakyrelu(__ubuf__ T* dst, __ubuf__ T* src, T value, uint32_t count)", twin=True),
            CForm("void asc_leakyrelu(__ubuf__ T* dst, __ubuf__ T* src, T value, REPEAT1)"),
        ),
        types="T = half ; float",
        doc="src >= 0 ? src : src * value.",
    ),
    CFunction(
        "asc_lt",
        category="vector_compute",
        forms=(
            CForm("void asc_lt(__ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)", types="T = half ; float", twin=True),
            CForm(
                "void asc_lt(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)",
                types="T/U = uint8_t/half ; uint8_t/float",
                twin=True,
            ),
        ),
        doc=(
            "src0 < src1, 1 bit per element, little-endian. With dst: vector mask ignored. Without dst: result "
            "to the compare mask, always one repeat of 256 B, bits with vector mask 0 keep their old value; read "
            "with asc_get_cmp_mask."
        ),
    ),
    CFunction(
        "asc_lt_scalar",
        category="vector_compute",
        forms=(CForm("void asc_lt_scalar(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)", twin=True),),
        types="T/U = uint8_t/half ; uint8_t/float",
        doc="Compare with scalar <, bits.",
    ),
    CFunction(
        "asc_mrgsort4",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_mrgsort4(__ubuf__ half* dst, __ubuf__ half* src[ASC_C_API_MRGSORT_ELEMENT_LEN], "
                    "uint8_t repeat, uint16_t element_length_0, uint16_t element_length_1, uint16_t "
                    "element_length_2, uint16_t element_length_3, bool if_exhausted_suspension, uint8_t valid_bit)"
                ),
                twin=True,
            ),
            CForm(
                (
                    "void asc_mrgsort4(__ubuf__ float* dst, __ubuf__ float* src[ASC_C_API_MRGSORT_ELEMENT_LEN], "
                    "uint8_t repeat, uint16_t element_length_0, uint16_t element_length_1, uint16_t "
                    "element_length_2, uint16_t element_length_3, bool if_exhausted_suspension, uint8_t valid_bit)"
                ),
                twin=True,
            ),
        ),
        doc=(
            "Merges 2-4 lists (valid_bit 3, 7, 15) of 8-byte (score, index) pairs, descending; element_length_i "
            "per list; if_exhausted_suspension stops when one list ends; repeat > 1 only with 4 equal contiguous "
            "lists and no suspension."
        ),
    ),
    CFunction(
        "asc_ne",
        category="vector_compute",
        forms=(
            CForm("void asc_ne(__ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)", types="T = half ; float", twin=True),
            CForm(
                "void asc_ne(__ubuf__ T* dst, __ubuf__ U* src0, __ubuf__ U* src1, REPEAT2)",
                types="T/U = uint8_t/half ; uint8_t/float",
                twin=True,
            ),
        ),
        doc=(
            "src0 != src1, 1 bit per element, little-endian. With dst: vector mask ignored. Without dst: result "
            "to the compare mask, always one repeat of 256 B, bits with vector mask 0 keep their old value; read "
            "with asc_get_cmp_mask."
        ),
    ),
    CFunction(
        "asc_ne_scalar",
        category="vector_compute",
        forms=(CForm("void asc_ne_scalar(__ubuf__ T* dst, __ubuf__ U* src, U value, REPEAT1)", twin=True),),
        types="T/U = uint8_t/half ; uint8_t/float",
        doc="Compare with scalar !=, bits.",
    ),
    CFunction(
        "asc_pair_reduce_sum",
        category="vector_compute",
        forms=(
            CForm("void asc_pair_reduce_sum(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_pair_reduce_sum(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t "
                "dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Sums of even/odd neighbours.",
    ),
    CFunction(
        "asc_reduce",
        category="vector_compute",
        forms=(
            CForm("void asc_reduce(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm(
                "void asc_reduce(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint16_t repeat, uint8_t "
                "src0_block_stride, uint8_t pattern_mode, uint16_t src0_repeat_stride, uint8_t "
                "src1_repeat_stride)"
            ),
        ),
        types="T = uint16_t ; uint32_t",
        doc=(
            "Collects the elements whose mask bit is 1 contiguously. pattern_mode 0: bits of src1; 1 even, 2 "
            "odd, 3-6 first..fourth of every four, 7 all. Vector mask register does not apply."
        ),
    ),
    CFunction(
        "asc_repeat_reduce_max_index_value",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_repeat_reduce_max_index_value(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True
            ),
            CForm(
                "void asc_repeat_reduce_max_index_value(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Maximum and first index per repeat (256 B); name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_max_value_index",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_repeat_reduce_max_value_index(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True
            ),
            CForm(
                "void asc_repeat_reduce_max_value_index(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Maximum and first index per repeat (256 B); name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_max_only_value",
        category="vector_compute",
        forms=(
            CForm("void asc_repeat_reduce_max_only_value(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_repeat_reduce_max_only_value(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Maximum and first index per repeat (256 B); name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_max_only_index",
        category="vector_compute",
        forms=(
            CForm("void asc_repeat_reduce_max_only_index(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_repeat_reduce_max_only_index(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Maximum and first index per repeat (256 B); name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_min_index_value",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_repeat_reduce_min_index_value(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True
            ),
            CForm(
                "void asc_repeat_reduce_min_index_value(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Minimum and first index per repeat; name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_min_value_index",
        category="vector_compute",
        forms=(
            CForm(
                "void asc_repeat_reduce_min_value_index(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True
            ),
            CForm(
                "void asc_repeat_reduce_min_value_index(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Minimum and first index per repeat; name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_min_only_value",
        category="vector_compute",
        forms=(
            CForm("void asc_repeat_reduce_min_only_value(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_repeat_reduce_min_only_value(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Minimum and first index per repeat; name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_min_only_index",
        category="vector_compute",
        forms=(
            CForm("void asc_repeat_reduce_min_only_index(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_repeat_reduce_min_only_index(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, "
                "uint16_t dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc="Minimum and first index per repeat; name gives stored order.",
    ),
    CFunction(
        "asc_repeat_reduce_sum",
        category="vector_compute",
        forms=(
            CForm("void asc_repeat_reduce_sum(__ubuf__ T* dst, __ubuf__ T* src, uint32_t count)", twin=True),
            CForm(
                "void asc_repeat_reduce_sum(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t "
                "dst_repeat_stride, uint16_t src_block_stride, uint16_t src_repeat_stride)"
            ),
        ),
        types="T = half ; float",
        doc=(
            "Sum per repeat (256 B) by a binary tree of pairs; half partial sums clamp at 65504; "
            "dst_repeat_stride in result elements."
        ),
    ),
    CFunction(
        "asc_select",
        category="vector_compute",
        forms=(
            CForm("void asc_select(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint32_t count)", twin=True),
            CForm("void asc_select(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),
        ),
        types="T = half ; float",
        doc="Mask bit 1 takes src0, 0 takes src1; mask from asc_set_cmp_mask.",
    ),
    CFunction(
        "asc_set_cmp_mask",
        category="vector_compute",
        forms=(CForm("void asc_set_cmp_mask(__ubuf__ void* sel_mask)"),),
        doc="Loads the compare mask (16 bytes) from UB.",
    ),
    CFunction(
        "asc_set_mask_count",
        category="vector_compute",
        forms=(CForm("void asc_set_mask_count()"),),
        doc="Counter mask mode.",
    ),
    CFunction(
        "asc_set_mask_norm",
        category="vector_compute",
        forms=(CForm("void asc_set_mask_norm()"),),
        doc="Normal mask mode (default).",
    ),
    CFunction(
        "asc_set_va_reg",
        category="vector_compute",
        forms=(
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ int8_t** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ uint8_t** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ int16_t** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ uint16_t** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ half** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ int32_t** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ uint32_t** src_array)"),
            CForm("void asc_set_va_reg(ub_addr8_t addr, __ubuf__ float** src_array)"),
        ),
        doc="Associates 8 block addresses with address register VA0..VA7 (used in pairs by asc_transto5hd).",
    ),
    CFunction(
        "asc_set_vector_mask",
        category="vector_compute",
        forms=(CForm("void asc_set_vector_mask(uint64_t mask1, uint64_t mask0)"),),
        doc="mask1 = bits 64-127, mask0 = bits 0-63; in counter mode mask0 = element count.",
    ),
    CFunction(
        "asc_squeeze",
        category="vector_compute",
        forms=(CForm("void asc_squeeze(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, REPEAT2)"),),
        types="T = uint16_t ; uint32_t",
        doc="Packs elements selected by mask bits.",
    ),
    CFunction(
        "asc_transpose",
        category="vector_compute",
        forms=(CForm("void asc_transpose(__ubuf__ T* dst, __ubuf__ T* src)", twin=True),),
        types="T = int16_t ; uint16_t",
        doc="Transposes one 16x16 block of 16-bit elements.",
    ),
    CFunction(
        "asc_transto5hd_b32",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_transto5hd_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, "
                    "uint16_t src_stride)"
                ),
                twin=True,
            ),
        ),
        doc=(
            "(unclear: documented for 2201 but not declared in the public headers) Transpose of 16 blocks of 32 "
            "B per repeat between two address-register groups; strides in 32 B; repeat 1: stride is added to the "
            "start address (set 0), repeat > 1: first repeat without; 8-bit variants choose high/low half blocks."
        ),
    ),
    CFunction(
        "asc_transto5hd_b16",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_transto5hd_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, "
                    "uint16_t src_stride)"
                ),
                twin=True,
            ),
        ),
        doc=(
            "(unclear: documented for 2201 but not declared in the public headers) Transpose of 16 blocks of 32 "
            "B per repeat between two address-register groups; strides in 32 B; repeat 1: stride is added to the "
            "start address (set 0), repeat > 1: first repeat without; 8-bit variants choose high/low half blocks."
        ),
    ),
    CFunction(
        "asc_transto5hd_b8",
        category="vector_compute",
        forms=(
            CForm(
                (
                    "void asc_transto5hd_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride, "
                    "uint16_t src_stride, bool dst_high_half, bool src_high_half)"
                ),
                twin=True,
            ),
        ),
        doc=(
            "(unclear: documented for 2201 but not declared in the public headers) Transpose of 16 blocks of 32 "
            "B per repeat between two address-register groups; strides in 32 B; repeat 1: stride is added to the "
            "start address (set 0), repeat > 1: first repeat without; 8-bit variants choose high/low half blocks."
        ),
    ),
    CFunction(
        "asc_copy_gm2ub",
        category="vector_datamove",
        forms=(
            CForm("void asc_copy_gm2ub(__ubuf__ void* dst, __gm__ void* src, uint32_t size)", twin=True),
            CForm(
                "void asc_copy_gm2ub(__ubuf__ void* dst, __gm__ void* src, uint16_t n_burst, uint16_t len_burst, "
                "uint16_t src_gap, uint16_t dst_gap)"
            ),
        ),
        doc=(
            "GM to UB: size bytes (multiple of 32), or n_burst 1-4095 x len_burst 1-65535 blocks of 32 B, gaps "
            "end-to-start in 32 B."
        ),
    ),
    CFunction(
        "asc_copy_gm2ub_align",
        category="vector_datamove",
        forms=(
            CForm("void asc_copy_gm2ub_align(__ubuf__ T* dst, __gm__ T* src, uint32_t size)", twin=True),
            CForm(
                "void asc_copy_gm2ub_align(__ubuf__ T* dst, __gm__ T* src, uint16_t n_burst, uint32_t len_burst, "
                "uint8_t left_padding_num, uint8_t right_padding_num, uint32_t src_gap, uint32_t dst_gap)"
            ),
        ),
        types="T = int8_t ; uint8_t ; int16_t ; uint16_t ; half ; bfloat16_t ; int32_t ; uint32_t ; float",
        doc=(
            "Unaligned GM to UB: len_burst bytes (<= 2097151), padding counts in elements (<= 32 B) with the pad "
            "value, each burst starts on a 32 B boundary (unclear: gap units; described as 32 B for both, "
            "DataCopyPad uses bytes on the GM side)."
        ),
    ),
    CFunction(
        "asc_copy_ub2gm",
        category="vector_datamove",
        forms=(
            CForm("void asc_copy_ub2gm(__gm__ void* dst, __ubuf__ void* src, uint32_t size)", twin=True),
            CForm(
                "void asc_copy_ub2gm(__gm__ void* dst, __ubuf__ void* src, uint16_t n_burst, uint16_t len_burst, "
                "uint16_t src_gap, uint16_t dst_gap)"
            ),
        ),
        doc="UB to GM, mirror of asc_copy_gm2ub; honours DMA atomics.",
    ),
    CFunction(
        "asc_copy_ub2gm_align",
        category="vector_datamove",
        forms=(
            CForm("void asc_copy_ub2gm_align(__gm__ T* dst, __ubuf__ T* src, uint32_t size)", twin=True),
            CForm(
                "void asc_copy_ub2gm_align(__gm__ T* dst, __ubuf__ T* src, uint16_t n_burst, uint32_t len_burst, "
                "uint8_t left_padding_num, uint8_t right_padding_num, uint32_t src_gap, uint32_t dst_gap)"
            ),
        ),
        types=(
            "T = uint8_t ; int8_t ; half ; uint16_t ; int16_t ; bfloat16_t ; uint32_t ; float ; int32_t ; "
            "double ; int64_t ; uint64_t"
        ),
        doc="Unaligned UB to GM, mirror of asc_copy_gm2ub_align.",
    ),
    CFunction(
        "asc_copy_ub2ub",
        category="vector_datamove",
        forms=(
            CForm("void asc_copy_ub2ub(__ubuf__ void* dst, __ubuf__ void* src, uint32_t size)", twin=True),
            CForm(
                "void asc_copy_ub2ub(__ubuf__ void* dst, __ubuf__ void* src, uint16_t n_burst, uint16_t "
                "len_burst, uint16_t src_gap, uint16_t dst_gap)"
            ),
        ),
        doc="UB to UB, sizes as asc_copy_gm2ub; vector pipe.",
    ),
    CFunction(
        "asc_set_copy_pad_val",
        category="vector_datamove",
        forms=(CForm("void asc_set_copy_pad_val(T pad_value)"),),
        types="T = int8_t ; uint8_t ; int16_t ; uint16_t ; half ; bfloat16_t ; int32_t ; uint32_t ; float",
        doc="Pad value for the _align copies.",
    ),
)
