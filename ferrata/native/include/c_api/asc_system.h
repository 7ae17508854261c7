// The C interface: who am I, bit counts, DMA atomics, caches and synchronisation.
#pragma once
#include "c_api/asc_types.h"

// --- who am I ---
inline void asc_init() { AscendC::InitSocState(); }
inline int64_t asc_get_block_idx() { return ::ferrata::core()->block_idx; }
inline int64_t asc_get_block_num() { return ::ferrata::core()->block_num; }
inline int64_t asc_get_sub_block_id() { return ::ferrata::core()->sub_idx; }
inline int64_t asc_get_sub_block_num() { return ::ferrata::core()->sub_num; }
inline int64_t asc_get_core_id() { return ::ferrata::core()->order; }
inline void asc_get_arch_ver(uint32_t &core_version) { AscendC::GetArchVersion(core_version); }
inline int64_t asc_get_system_cycle() { return AscendC::GetSystemCycle(); }
inline int64_t asc_get_program_counter() { return AscendC::GetProgramCounter(); }
inline uint64_t asc_get_phy_buf_addr(uint64_t offset) {
  return reinterpret_cast<uint64_t>(ferrata_local_memory(::ferrata::Memory::ub)) + offset;
}

// --- bits ---
inline int64_t asc_popc(uint64_t value) { return __builtin_popcountll(value); }
inline int64_t asc_zero_bits_cnt(uint64_t value) { return __builtin_popcountll(~value); }
inline int64_t asc_clz(uint64_t value_in) { return AscendC::CountLeadingZero(value_in); }
inline int64_t asc_ffs(uint64_t value) { return AscendC::GetSFFValue<1>(value); }
inline int64_t asc_ffz(uint64_t value) { return AscendC::GetSFFValue<0>(value); }
inline int64_t asc_sflbits(int64_t value) { return AscendC::CountBitsCntSameAsSignBit(value); }
inline uint64_t asc_set_nthbit(uint64_t bits, int64_t idx) { return bits | uint64_t(1) << (idx & 63); }
inline uint64_t asc_clear_nthbit(uint64_t bits, int64_t idx) { return bits & ~(uint64_t(1) << (idx & 63)); }

// --- DMA atomics ---
#define FERRATA_C_ATOMICS(suffix, T)                                                                                   \
  inline void asc_set_atomic_add_##suffix() { AscendC::SetAtomicAdd<T>(); }                                            \
  inline void asc_set_atomic_max_##suffix() { AscendC::SetAtomicMax<T>(); }                                            \
  inline void asc_set_atomic_min_##suffix() { AscendC::SetAtomicMin<T>(); }
FERRATA_C_ATOMICS(int8, int8_t)
FERRATA_C_ATOMICS(int16, int16_t)
FERRATA_C_ATOMICS(int, int32_t)
FERRATA_C_ATOMICS(bfloat, bfloat16_t)
FERRATA_C_ATOMICS(float16, half)
FERRATA_C_ATOMICS(float, float)
#undef FERRATA_C_ATOMICS
inline void asc_set_atomic_none() { AscendC::SetAtomicNone(); }

// --- caches are coherent here ---
inline void asc_datacache_preload(__gm__ uint64_t *, int64_t) {}
inline void asc_dcci_single(__gm__ void *dst, FERRATA_LOC) { ferrata_check_gm(dst, 1, "asc_dcci_single", "dst", loc); }
inline void asc_ub_dcci_single(__ubuf__ void *) {}
inline void asc_dcci_entire_all() {}
inline void asc_dcci_entire_ub() {}
inline void asc_dcci_entire_out() {}
inline void asc_dcci_entire_atomic() {}
inline int64_t asc_get_icache_preload_status() { return 0; }
inline void asc_icache_preload(const void *, int64_t) {}

// --- synchronisation inside the core ---
inline void asc_sync_pipe(pipe_t pipe, FERRATA_LOC) {
  ::ferrata::observe(::ferrata::EventKind::barrier, pipe, "asc_sync_pipe", loc);
}
inline void asc_sync_vec(FERRATA_LOC) { asc_sync_pipe(PIPE_V, loc); }
inline void asc_sync_mte2(int, FERRATA_LOC) { asc_sync_pipe(PIPE_MTE2, loc); }
inline void asc_sync_mte3(int, FERRATA_LOC) { asc_sync_pipe(PIPE_MTE3, loc); }
inline void asc_sync(FERRATA_LOC) { asc_sync_pipe(PIPE_ALL, loc); }
inline void asc_sync_data_barrier(mem_dsb_t, FERRATA_LOC) { asc_sync_pipe(PIPE_ALL, loc); }

namespace ferrata {
inline AscendC::HardEvent c_event(const char *api, pipe_t source, pipe_t destination, Loc loc) {
#define FERRATA_EVENT(s, d)                                                                                            \
  if (source == PIPE_##s && destination == PIPE_##d)                                                                   \
    return AscendC::HardEvent::s##_##d;
#include "ferrata/core/events.h"
#undef FERRATA_EVENT
  ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "no event joins the pipes %d and %d", source, destination);
}
} // namespace ferrata
inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, event_t id, FERRATA_LOC) {
  FERRATA_SPEAKS("asc_sync_notify");
  ::ferrata::set_flag(::ferrata::c_event("asc_sync_notify", pipe, tpipe, loc), id, loc);
}
inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, event_t id, FERRATA_LOC) {
  FERRATA_SPEAKS("asc_sync_wait");
  ::ferrata::wait_flag(::ferrata::c_event("asc_sync_wait", pipe, tpipe, loc), id, loc);
}

// --- between cores: all cores of a type (inter), the vector cores of a block (subblock), cube and vector (block) ---
#define FERRATA_C_CROSS(scope, mode)                                                                                   \
  inline void asc_sync_##scope##_arrive(pipe_t pipe, int64_t flag_id, FERRATA_LOC) {                                   \
    FERRATA_SPEAKS("asc_sync_" #scope "_arrive");                                                                      \
    ::ferrata::observe_cross(::ferrata::EventKind::cross_set, pipe, "asc_sync_" #scope "_arrive",                      \
                             static_cast<int>(flag_id), mode, loc);                                                    \
    ferrata_cross_set(mode, ::ferrata::Wide(flag_id, loc).fit<uint16_t>(nullptr, "flag_id"), loc);                     \
  }                                                                                                                    \
  inline void asc_sync_##scope##_wait(pipe_t, int64_t flag_id, FERRATA_LOC) {                                          \
    FERRATA_SPEAKS("asc_sync_" #scope "_wait");                                                                        \
    ferrata_cross_wait(::ferrata::Wide(flag_id, loc).fit<uint16_t>(nullptr, "flag_id"), loc);                          \
    ::ferrata::observe_cross(::ferrata::EventKind::cross_wait, PIPE_S, "asc_sync_" #scope "_wait",                     \
                             static_cast<int>(flag_id), mode, loc);                                                    \
  }
FERRATA_C_CROSS(inter, 0)
FERRATA_C_CROSS(subblock, 1)
FERRATA_C_CROSS(block, 2)
#undef FERRATA_C_CROSS
inline void asc_set_ffts_base_addr(uint64_t) {}
inline int64_t asc_get_ffts_base_addr() { return 0; }

// --- registers of which only the documented part exists here: bit 48 of CTRL, half and bfloat16 results are not
// clamped ---
inline int64_t asc_get_ctrl() { return static_cast<int64_t>(uint64_t(!::ferrata::core()->saturate) << 48); }
inline void asc_set_ctrl(uint64_t config) { ::ferrata::core()->saturate = !(config >> 48 & 1); }
inline int64_t asc_get_phy_stack_base() { return 0; }
inline int64_t asc_get_smmu_tag_version() { return 0; }
inline int64_t asc_get_status() { return 0; }
inline int64_t asc_get_sys_virtual_base() { return 0; }

// type: 0 off, 1 float, 2 half, 3 int16_t, 4 int32_t, 5 int8_t, 6 bfloat16_t; op: 0 add.
inline void asc_set_store_atomic_config_v1(uint16_t type, uint16_t op, FERRATA_LOC) {
  if (type > 6 || op != 0)
    ferrata_fault(::ferrata::Fault::BadArgument, "asc_set_store_atomic_config_v1", loc.file, loc.line,
                  "type is %u and op is %u; type must be 0..6 and op 0 (add)", type, op);
  using ::ferrata::Type;
  constexpr Type types[] = {Type::none, Type::f32, Type::f16, Type::i16, Type::i32, Type::i8, Type::bf16};
  ::ferrata::core()->atomic = type != 0;
  ::ferrata::core()->atomic_type = types[type];
}
inline void asc_get_store_atomic_config(asc_store_atomic_config &config) {
  using ::ferrata::Type;
  constexpr Type types[] = {Type::none, Type::f32, Type::f16, Type::i16, Type::i32, Type::i8, Type::bf16};
  const ::ferrata::Core *core = ::ferrata::core();
  config.config = 0;
  for (uint64_t i = 1; core->atomic && i < 7; ++i)
    if (types[i] == core->atomic_type)
      config.atomic_type = i;
  config.atomic_op = core->atomic ? static_cast<uint64_t>(core->atomic - 1) : 0;
}
