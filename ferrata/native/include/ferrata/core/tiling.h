// The kernel's side of tiling data, of workspaces, and of the core type that a kernel declares in its body. The launch
// brings a key (TILING_KEY_IS) and, as the last argument, a pointer to the tiling data in device memory.
#pragma once
#include "ferrata/core/sync.h"
#include "ferrata/core/tiling_keys.h"

enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX
};

#define KERNEL_TASK_TYPE_DEFAULT(type) ferrata_task_type(type, 0, 0, ::ferrata::Loc::here())
#define KERNEL_TASK_TYPE(key, type) ferrata_task_type(type, 1, key, ::ferrata::Loc::here())

namespace ferrata {
template <class... Keys> inline bool tiling_key_is(Keys... keys) {
  const uint64_t key = core()->tiling_key;
  return ((key == static_cast<uint64_t>(keys)) || ...);
}

// Tiling data behind a GM address, after checking that all of it is there.
template <class T> inline const T *tiling_at(const void *address, const char *macro, Loc loc) {
  ferrata_check_gm(address, sizeof(T), macro, "the tiling argument", loc);
  return static_cast<const T *>(address);
}
template <class T> inline T tiling_copy(const void *address, const char *macro, Loc loc) {
  ferrata_check_gm(address, sizeof(T), macro, "the tiling argument", loc);
  T value;
  __builtin_memcpy(static_cast<void *>(&value), address, sizeof(T)); // its alignment is the caller's business
  return value;
}

struct NoTiling {};
} // namespace ferrata

#define TILING_KEY_IS(key) (::ferrata::tiling_key_is(key))
#define TILING_KEY_LIST(...) (::ferrata::tiling_key_is(__VA_ARGS__))
#define TILING_KEY_VAR (::ferrata::core()->tiling_key)

// The default struct gets the name that GET_TILING_DATA uses: without one, the compiler's error shows what is missing.
// The rewriter takes REGISTER_TILING_FOR_TILINGKEY and what depends on it out of a kernel's body (asc/tilingkeys.py);
// the macro remains for a body that is itself a macro's.
#define REGISTER_TILING_DEFAULT(S) using REGISTER_TILING_DEFAULT_comes_first [[maybe_unused]] = S
#define REGISTER_TILING_FOR_TILINGKEY(expression, S) static_assert(sizeof(S) > 0, "the tiling struct must be complete")
#define REGISTER_NONE_TILING using REGISTER_TILING_DEFAULT_comes_first [[maybe_unused]] = ::ferrata::NoTiling

#define GET_TILING_DATA(var, tiling)                                                                                   \
  REGISTER_TILING_DEFAULT_comes_first var =                                                                            \
      ::ferrata::tiling_copy<REGISTER_TILING_DEFAULT_comes_first>(tiling, "GET_TILING_DATA", ::ferrata::Loc::here())
#define GET_TILING_DATA_WITH_STRUCT(S, var, tiling)                                                                    \
  S var = ::ferrata::tiling_copy<S>(tiling, "GET_TILING_DATA_WITH_STRUCT", ::ferrata::Loc::here())
#define GET_TILING_DATA_MEMBER(S, member, var, tiling)                                                                 \
  decltype(S::member) var = ::ferrata::tiling_copy<S>(tiling, "GET_TILING_DATA_MEMBER", ::ferrata::Loc::here()).member
#define GET_TILING_DATA_PTR_WITH_STRUCT(S, ptr, tiling)                                                                \
  const S *ptr = ::ferrata::tiling_at<S>(tiling, "GET_TILING_DATA_PTR_WITH_STRUCT", ::ferrata::Loc::here())
#define COPY_TILING_WITH_STRUCT(S, src, dst) const S dst = *static_cast<const S *>(static_cast<const void *>(src))
#define COPY_TILING_WITH_ARRAY(type, n, src, dst)                                                                      \
  type dst[n];                                                                                                         \
  __builtin_memcpy(static_cast<void *>(dst), static_cast<const void *>(src), sizeof(dst))

// Bindings of fused graphs, which direct launches do not have.
#define SK_BIND(...)

// --- workspaces: a part of the system's, then the user's ---
inline __gm__ uint8_t *GetSysWorkSpacePtr() { return static_cast<uint8_t *>(ferrata::core()->workspace); }

namespace AscendC {
inline void SetSysWorkspace(GM_ADDR workspace) {
  ferrata::Core *core = ferrata::core();
  core->workspace = workspace;
  core->workspace_is_whole = 1;
}
// What follows the system's part. A framework that passes its own pointer has skipped that part already.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  const ferrata::Core *core = ferrata::core();
  return core->workspace && !core->workspace_is_whole ? workspace : workspace + ferrata::system_workspace_bytes;
}
} // namespace AscendC
using AscendC::GetUserWorkspace;
