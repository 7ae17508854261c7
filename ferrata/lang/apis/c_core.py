"""The C interface of a core beside its vector unit: caches, scalar helpers, atomics, synchronisation, system values."""

from ferrata.lang.api import CForm, CFunction

ROWS = (
    CFunction(
        "asc_datacache_preload",
        category="cache_ctrl",
        forms=(CForm("void asc_datacache_preload(__gm__ uint64_t* address, int64_t offset)"),),
        doc="Preloads the data-cache line at address + offset bytes; hint, may be a no-op.",
    ),
    CFunction(
        "asc_dcci_single",
        category="cache_ctrl",
        forms=(CForm("void asc_dcci_single(__gm__ void* dst)"),),
        doc=(
            "Data-cache clean and invalidate: single = line holding dst in GM; ub_single = UB line; entire_* = "
            "whole cache restricted to target all / UB / GM (out) / atomic."
        ),
    ),
    CFunction(
        "asc_ub_dcci_single",
        category="cache_ctrl",
        forms=(CForm("void asc_ub_dcci_single(__ubuf__ void* dst)"),),
        doc=(
            "Data-cache clean and invalidate: single = line holding dst in GM; ub_single = UB line; entire_* = "
            "whole cache restricted to target all / UB / GM (out) / atomic."
        ),
    ),
    CFunction(
        "asc_dcci_entire_all",
        category="cache_ctrl",
        forms=(CForm("void asc_dcci_entire_all()"),),
        doc=(
            "Data-cache clean and invalidate: single = line holding dst in GM; ub_single = UB line; entire_* = "
            "whole cache restricted to target all / UB / GM (out) / atomic."
        ),
    ),
    CFunction(
        "asc_dcci_entire_ub",
        category="cache_ctrl",
        forms=(CForm("void asc_dcci_entire_ub()"),),
        doc=(
            "Data-cache clean and invalidate: single = line holding dst in GM; ub_single = UB line; entire_* = "
            "whole cache restricted to target all / UB / GM (out) / atomic."
        ),
    ),
    CFunction(
        "asc_dcci_entire_out",
        category="cache_ctrl",
        forms=(CForm("void asc_dcci_entire_out()"),),
        doc=(
            "Data-cache clean and invalidate: single = line holding dst in GM; ub_single = UB line; entire_* = "
            "whole cache restricted to target all / UB / GM (out) / atomic."
        ),
    ),
    CFunction(
        "asc_dcci_entire_atomic",
        category="cache_ctrl",
        forms=(CForm("void asc_dcci_entire_atomic()"),),
        doc=(
            "Data-cache clean and invalidate: single = line holding dst in GM; ub_single = UB line; entire_* = "
            "whole cache restricted to target all / UB / GM (out) / atomic."
        ),
    ),
    CFunction(
        "asc_get_icache_preload_status",
        category="cache_ctrl",
        forms=(CForm("int64_t asc_get_icache_preload_status()"),),
        doc="Instruction preload state; 0 = idle; no functional effect.",
    ),
    CFunction(
        "asc_icache_preload",
        category="cache_ctrl",
        forms=(CForm("void asc_icache_preload(const void* addr, int64_t prefetch_len)"),),
        doc="Preloads prefetch_len units of instructions from addr; no-op in emulation.",
    ),
    CFunction(
        "asc_init",
        category="misc",
        forms=(CForm("void asc_init()"),),
        doc="Resets core state registers to defaults (as InitSocState); call first.",
    ),
    CFunction(
        "asc_clear_nthbit",
        category="scalar_compute",
        forms=(CForm("uint64_t asc_clear_nthbit(uint64_t bits, int64_t idx)"),),
        doc="Returns bits with bit idx cleared.",
    ),
    CFunction(
        "asc_clz",
        category="scalar_compute",
        forms=(CForm("int64_t asc_clz(uint64_t value_in)"),),
        doc="Number of leading zeros of a 64-bit value (0: 64).",
    ),
    CFunction(
        "asc_ffs",
        category="scalar_compute",
        forms=(CForm("int64_t asc_ffs(uint64_t value)"),),
        doc="Index of lowest 1 bit, -1 if none.",
    ),
    CFunction(
        "asc_ffz",
        category="scalar_compute",
        forms=(CForm("int64_t asc_ffz(uint64_t value)"),),
        doc="Index of lowest 0 bit, -1 if none.",
    ),
    CFunction(
        "asc_popc",
        category="scalar_compute",
        forms=(CForm("int64_t asc_popc(uint64_t value)"),),
        doc="Number of 1 bits.",
    ),
    CFunction(
        "asc_set_nthbit",
        category="scalar_compute",
        forms=(CForm("uint64_t asc_set_nthbit(uint64_t bits, int64_t idx)"),),
        doc="Returns bits with bit idx set.",
    ),
    CFunction(
        "asc_sflbits",
        category="scalar_compute",
        forms=(CForm("int64_t asc_sflbits(int64_t value)"),),
        doc=(
            "Number of bits after the sign bit that equal the sign bit, counted from the top; -1 for inputs 0 "
            "and -1. Example: 0x0f00000000000000 gives 3."
        ),
    ),
    CFunction(
        "asc_zero_bits_cnt",
        category="scalar_compute",
        forms=(CForm("int64_t asc_zero_bits_cnt(uint64_t value)"),),
        doc="Number of 0 bits.",
    ),
    CFunction(
        "asc_get_store_atomic_config",
        category="simd_atomic",
        forms=(CForm("void asc_get_store_atomic_config(asc_store_atomic_config& config)"),),
        doc="Reads DMA atomic type and operation.",
    ),
    CFunction(
        "asc_set_atomic_add_int8",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_add_int8()"),),
        doc="Following UB/L1/L0C to GM copies add atomically, element type per name.",
    ),
    CFunction(
        "asc_set_atomic_add_int16",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_add_int16()"),),
        doc="Following UB/L1/L0C to GM copies add atomically, element type per name.",
    ),
    CFunction(
        "asc_set_atomic_add_int",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_add_int()"),),
        doc="Following UB/L1/L0C to GM copies add atomically, element type per name.",
    ),
    CFunction(
        "asc_set_atomic_add_bfloat",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_add_bfloat()"),),
        doc="Following UB/L1/L0C to GM copies add atomically, element type per name.",
    ),
    CFunction(
        "asc_set_atomic_add_float16",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_add_float16()"),),
        doc="Following UB/L1/L0C to GM copies add atomically, element type per name.",
    ),
    CFunction(
        "asc_set_atomic_add_float",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_add_float()"),),
        doc="Following UB/L1/L0C to GM copies add atomically, element type per name.",
    ),
    CFunction(
        "asc_set_atomic_max_int8",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_max_int8()"),),
        doc="Following copies to GM take the maximum.",
    ),
    CFunction(
        "asc_set_atomic_max_int16",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_max_int16()"),),
        doc="Following copies to GM take the maximum.",
    ),
    CFunction(
        "asc_set_atomic_max_int",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_max_int()"),),
        doc="Following copies to GM take the maximum.",
    ),
    CFunction(
        "asc_set_atomic_max_bfloat",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_max_bfloat()"),),
        doc="Following copies to GM take the maximum.",
    ),
    CFunction(
        "asc_set_atomic_max_float16",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_max_float16()"),),
        doc="Following copies to GM take the maximum.",
    ),
    CFunction(
        "asc_set_atomic_max_float",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_max_float()"),),
        doc="Following copies to GM take the maximum.",
    ),
    CFunction(
        "asc_set_atomic_min_int8",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_min_int8()"),),
        doc="Following copies to GM take the minimum.",
    ),
    CFunction(
        "asc_set_atomic_min_int16",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_min_int16()"),),
        doc="Following copies to GM take the minimum.",
    ),
    CFunction(
        "asc_set_atomic_min_bfloat",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_min_bfloat()"),),
        doc="Following copies to GM take the minimum.",
    ),
    CFunction(
        "asc_set_atomic_min_float16",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_min_float16()"),),
        doc="Following copies to GM take the minimum.",
    ),
    CFunction(
        "asc_set_atomic_min_int",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_min_int()"),),
        doc="Following copies to GM take the minimum.",
    ),
    CFunction(
        "asc_set_atomic_min_float",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_min_float()"),),
        doc="Following copies to GM take the minimum.",
    ),
    CFunction(
        "asc_set_atomic_none",
        category="simd_atomic",
        forms=(CForm("void asc_set_atomic_none()"),),
        doc="Ends DMA atomic mode.",
    ),
    CFunction(
        "asc_set_store_atomic_config_v1",
        category="simd_atomic",
        forms=(CForm("void asc_set_store_atomic_config_v1(uint16_t type, uint16_t op)"),),
        doc="type 0 off, 1 float, 2 half, 3 int16, 4 int32, 5 int8, 6 bfloat16; op 0 = add.",
    ),
    CFunction(
        "asc_sync",
        category="sync",
        forms=(CForm("void asc_sync()"),),
        doc="Barrier over all pipes (PIPE_ALL).",
    ),
    CFunction(
        "asc_sync_block_arrive",
        category="sync",
        forms=(CForm("void asc_sync_block_arrive(pipe_t pipe, int64_t flag_id)"),),
        doc="Cross-core set between AIC and AIVs of one block (mode 2); issued on pipe; flag 0-15, counter <= 15.",
    ),
    CFunction(
        "asc_sync_block_wait",
        category="sync",
        forms=(
            CForm("void asc_sync_block_wait(pipe_t pipe, uint8_t flag_id)"),
            CForm("void asc_sync_block_wait(pipe_t pipe, int64_t flag_id)"),
        ),
        doc="Waits for that flag and decrements; pipe ignored.",
    ),
    CFunction(
        "asc_sync_data_barrier",
        category="sync",
        forms=(CForm("void asc_sync_data_barrier(mem_dsb_t arg)"),),
        doc="Waits for earlier memory accesses; arg DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ.",
    ),
    CFunction(
        "asc_sync_inter_arrive",
        category="sync",
        forms=(CForm("void asc_sync_inter_arrive(pipe_t pipe, int64_t flag_id)"),),
        doc="Cross-core set among all cores of one type (mode 0).",
    ),
    CFunction(
        "asc_sync_inter_wait",
        category="sync",
        forms=(
            CForm("void asc_sync_inter_wait(pipe_t pipe, uint8_t flag_id)"),
            CForm("void asc_sync_inter_wait(pipe_t pipe, int64_t flag_id)"),
        ),
        doc="Waits for that flag and decrements.",
    ),
    CFunction(
        "asc_sync_mte2",
        category="sync",
        forms=(CForm("void asc_sync_mte2(int id)"),),
        doc="Barrier of PIPE_MTE2 (unclear: meaning of id).",
    ),
    CFunction(
        "asc_sync_mte3",
        category="sync",
        forms=(CForm("void asc_sync_mte3(int id)"),),
        doc="Barrier of PIPE_MTE3 (unclear: meaning of id).",
    ),
    CFunction(
        "asc_sync_notify",
        category="sync",
        forms=(CForm("void asc_sync_notify(pipe_t pipe, pipe_t tpipe, event_t id)"),),
        doc="SetFlag: event pipe -> tpipe with id; compile-time constant pipes.",
    ),
    CFunction(
        "asc_sync_pipe",
        category="sync",
        forms=(CForm("void asc_sync_pipe(pipe_t pipe)"),),
        doc="PipeBarrier of one pipe.",
    ),
    CFunction(
        "asc_sync_subblock_arrive",
        category="sync",
        forms=(CForm("void asc_sync_subblock_arrive(pipe_t pipe, int64_t flag_id)"),),
        doc="Cross-core set among AIVs of one block (mode 1).",
    ),
    CFunction(
        "asc_sync_subblock_wait",
        category="sync",
        forms=(
            CForm("void asc_sync_subblock_wait(pipe_t pipe, uint8_t flag_id)"),
            CForm("void asc_sync_subblock_wait(pipe_t pipe, int64_t flag_id)"),
        ),
        doc="Waits for that flag and decrements.",
    ),
    CFunction(
        "asc_sync_vec",
        category="sync",
        forms=(CForm("void asc_sync_vec()"),),
        doc="Vector barrier (unclear: described as all pipes, name says vector).",
    ),
    CFunction(
        "asc_sync_wait",
        category="sync",
        forms=(CForm("void asc_sync_wait(pipe_t pipe, pipe_t tpipe, event_t id)"),),
        doc="WaitFlag: event pipe -> tpipe with id.",
    ),
    CFunction(
        "asc_get_arch_ver",
        category="sys_var",
        forms=(CForm("void asc_get_arch_ver(uint32_t& core_version)"),),
        doc="Architecture version number.",
    ),
    CFunction(
        "asc_get_block_idx",
        category="sys_var",
        forms=(CForm("int64_t asc_get_block_idx()"),),
        doc="Block index (block_idx).",
    ),
    CFunction(
        "asc_get_block_num",
        category="sys_var",
        forms=(CForm("int64_t asc_get_block_num()"),),
        doc="Number of blocks of the launch.",
    ),
    CFunction(
        "asc_get_core_id",
        category="sys_var",
        forms=(CForm("int64_t asc_get_core_id()"),),
        doc="Physical core number.",
    ),
    CFunction(
        "asc_get_ctrl",
        category="sys_var",
        forms=(CForm("int64_t asc_get_ctrl()"),),
        doc="CTRL register value.",
    ),
    CFunction(
        "asc_get_ffts_base_addr",
        category="sys_var",
        forms=(CForm("int64_t asc_get_ffts_base_addr()"),),
        doc="Cross-core sync base address.",
    ),
    CFunction(
        "asc_get_phy_buf_addr",
        category="sys_var",
        forms=(CForm("uint64_t asc_get_phy_buf_addr(uint64_t offset)"),),
        doc="On-chip address of a byte offset; not together with array-style local memory.",
    ),
    CFunction(
        "asc_get_phy_stack_base",
        category="sys_var",
        forms=(CForm("int64_t asc_get_phy_stack_base()"),),
        doc="Physical stack base.",
    ),
    CFunction(
        "asc_get_program_counter",
        category="sys_var",
        forms=(CForm("int64_t asc_get_program_counter()"),),
        doc="Program counter.",
    ),
    CFunction(
        "asc_get_smmu_tag_version",
        category="sys_var",
        forms=(CForm("int64_t asc_get_smmu_tag_version()"),),
        doc="Memory-management tag version.",
    ),
    CFunction(
        "asc_get_status",
        category="sys_var",
        forms=(CForm("int64_t asc_get_status()"),),
        doc="Status register.",
    ),
    CFunction(
        "asc_get_sub_block_id",
        category="sys_var",
        forms=(CForm("int64_t asc_get_sub_block_id()"),),
        doc="Index of this AIV inside its block.",
    ),
    CFunction(
        "asc_get_sub_block_num",
        category="sys_var",
        forms=(CForm("int64_t asc_get_sub_block_num()"),),
        doc="Cores of the own type per block: AIV 2 in mix(1,2), otherwise 1; AIC 1.",
    ),
    CFunction(
        "asc_get_sys_virtual_base",
        category="sys_var",
        forms=(CForm("int64_t asc_get_sys_virtual_base()"),),
        doc="System virtual base address.",
    ),
    CFunction(
        "asc_get_system_cycle",
        category="sys_var",
        forms=(CForm("int64_t asc_get_system_cycle()"),),
        doc="50 MHz counter.",
    ),
    CFunction(
        "asc_set_ctrl",
        category="sys_var",
        forms=(CForm("void asc_set_ctrl(uint64_t config)"),),
        doc="Writes CTRL register.",
    ),
    CFunction(
        "asc_set_ffts_base_addr",
        category="sys_var",
        forms=(CForm("void asc_set_ffts_base_addr(uint64_t config)"),),
        doc="Sets the cross-core sync base (value from aclrtGetHardwareSyncAddr) before asc_sync_block_*.",
    ),
    CFunction(
        "asc_fill_value_config",
        category="types",
        forms=(CForm("union, 64 bit: repeat:15, reserved:1, blk_num:15, reserved:1, dst_gap:15, reserved"),),
        doc="asc_fill_*: repeats, blocks per repeat, gap between repeats in blocks.",
    ),
    CFunction(
        "asc_store_atomic_config",
        category="types",
        forms=(CForm("union: atomic_type:3, atomic_op:2"),),
        doc="asc_get_store_atomic_config.",
    ),
    CFunction(
        "asc_load3d_v2_config",
        category="types",
        forms=(CForm("union, 64 bit: rpt_stride:16, rpt_time:8, rpt_mode:1; default 0x10000"),),
        doc="asc_set_l13d_rpt.",
    ),
    CFunction(
        "asc_l13d_fmatrix_config",
        category="types",
        forms=(CForm("union, 64 bit: l1_height:16, l1_width:16, pad left:8, right:8, top:8, bottom:8"),),
        doc="asc_set_l13d_fmatrix*.",
    ),
    CFunction(
        "mem_dsb_t",
        category="types",
        forms=(CForm("enum: DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ"),),
        doc="asc_sync_data_barrier.",
    ),
    CFunction(
        "event_t / pipe_t",
        category="types",
        forms=(
            CForm("EVENT_ID0..EVENT_ID7 / PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL"),
        ),
        doc="see sync.md.",
    ),
    CFunction(
        "ub_addr8_t",
        category="types",
        forms=(CForm("enum VA0..VA7"),),
        doc="asc_set_va_reg, asc_transto5hd.",
    ),
    CFunction(
        "asc_dump",
        category="debug",
        forms=(CForm("void asc_dump(SPACE T* input, uint32_t desc, uint32_t dump_size)"),),
        types="SPACE = __gm__ ; __ubuf__ ; __cbuf__ ; __cc__",
        doc=(
            "Header utils/debug/asc_dump.h; see debug.md. Single-space names: asc_dump_gm, asc_dump_ubuf, "
            "asc_dump_l1buf (__cbuf__), asc_dump_cbuf (__cc__)."
        ),
    ),
    CFunction(
        "printf / assert",
        category="debug",
        forms=(CForm("printf(fmt, args...) ; assert(expr[, fmt, args...])"),),
        doc="Headers utils/debug/asc_printf.h, asc_assert.h; see debug.md.",
    ),
    CFunction(
        "asc_time_stamp / asc_mark_stamp / asc_prof_start / asc_prof_stop / clock",
        category="debug",
        forms=(CForm("see debug.md section 6"),),
        doc="Timing marks.",
    ),
)
