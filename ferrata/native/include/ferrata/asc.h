// The prelude of every Ascend C unit: the driver puts it in front of each .asc file, also of those that never include
// kernel_operator.h. It gives the language's words a meaning for the host compiler and defines the launch that `<<<>>>`
// is rewritten to. Everything here must stay cheap to compile: torch and GE units read it too.
#pragma once
#include "ferrata/core/abi.h"

// --- qualifiers: one address space and one pass here, so they only document ---
#define __global__
#define __aicore__
#define __vector__
#define __cube__
#define __mix__(cubes, vectors)
#define __schedmode__(mode)
#define __host__
#define __simd_vf__
#define __simd_callee__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __biasbuf__
#define __fbuf__
#define __ssbuf__
#define __kfc_workspace__
#define __tiling_data_ptr__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __sync_alias__
#define __sync_noalias__
#define __BLOCK_LOCAL__ static thread_local
// Behind each such declaration (asc/blocklocals.py).
#define FERRATA_BLOCK_LOCAL(name)                                                                                      \
  static const ::ferrata::BlockLocalEntry ferrata_local_##name = {                                                     \
      []() -> void * { return const_cast<void *>(static_cast<const volatile void *>(&name)); }, sizeof(name)};
#define GM_ADDR __gm__ uint8_t *

// `printf(...)`, `clock()` and `assert(...)` in device code (asc/devicenames.py; as long as those names, so that
// columns stay). The C library has these names too; a kernel means its only where no header of ours declares another.
#define _FPRTF(...) printf(__VA_ARGS__)
#define _FCLK() clock()
#define _FASRT(...) assert(__VA_ARGS__)

// First statement of every kernel: tells the running launch the kernel's name and kind. The rewriter inserts it.
#define FERRATA_ENTRY(name, kind, cubes, vectors)                                                                      \
  ::ferrata_enter(name, static_cast<int>(kind), cubes, vectors, nullptr, nullptr, ::ferrata::Loc::here())

// A parameter that is the system's workspace. Older builds say with macros that the last argument (or the one before
// the tiling data) is a workspace whose first part is the system's; the kernel then sees what lies behind that part.
#define FERRATA_WORKSPACE(name) ::ferrata::take_workspace(name)
#if defined(HAVE_WORKSPACE) && defined(HAVE_TILING)
#define FERRATA_FRAMEWORK_ARGUMENTS(before, last) ::ferrata::skip_workspace(before)
#elif defined(HAVE_WORKSPACE)
#define FERRATA_FRAMEWORK_ARGUMENTS(before, last) ::ferrata::skip_workspace(last)
#else
#define FERRATA_FRAMEWORK_ARGUMENTS(before, last) static_cast<void>(0)
#endif

// Objects in on-chip memory (asc/onchip.py): each place in the text is one object of the running core.
#define FERRATA_ON_CHIP(memory) ::ferrata::on_chip(::ferrata::Memory::memory, [] {}, ::ferrata::Loc::here())
#define FERRATA_ON_CHIP_FROM(memory, ...)                                                                              \
  ::ferrata::on_chip_from(                                                                                             \
      ::ferrata::Memory::memory,                                                                                       \
      [&](auto &ferrata_place) {                                                                                       \
        ::ferrata::Referred<decltype(ferrata_place)> ferrata_value = __VA_ARGS__;                                      \
        __builtin_memcpy(&ferrata_place, &ferrata_value, sizeof ferrata_value);                                        \
      },                                                                                                               \
      ::ferrata::Loc::here())
#define FERRATA_DYNAMIC_UB                                                                                             \
  ::ferrata::DynamicUbRegion { ::ferrata::Loc::here() }

// The same in a unit that has code for cube cores. It is compiled twice; the pass for cube cores (FERRATA_AIC_PASS)
// registers its kernels, the other one continues there when it finds itself on a cube core. `self` is the kernel's own
// address with its type, `arguments` its parameters in parentheses.
#ifdef FERRATA_AIC_PASS
#define FERRATA_DUAL_ENTRY(name, kind, cubes, vectors, self, arguments)                                                \
  struct ferrata_entry {                                                                                               \
    static const char *key() { return __PRETTY_FUNCTION__; }                                                           \
    static void *kernel() { return reinterpret_cast<void *>(self); }                                                   \
  };                                                                                                                   \
  (void)&::ferrata::CubeVariant<ferrata_entry>::value
#else
#define FERRATA_DUAL_ENTRY(name, kind, cubes, vectors, self, arguments)                                                \
  struct ferrata_entry {                                                                                               \
    static const char *key() { return __PRETTY_FUNCTION__; }                                                           \
  };                                                                                                                   \
  if (void *ferrata_other = ::ferrata_enter(name, static_cast<int>(kind), cubes, vectors, FERRATA_UNIT,                \
                                            ferrata_entry::key(), ::ferrata::Loc::here()))                             \
  return (reinterpret_cast<decltype(self)>(ferrata_other))arguments
#endif

namespace ferrata {
struct BlockLocalEntry : BlockLocal {
  BlockLocalEntry(void *(*object)(), uint64_t size) : BlockLocal{object, size} { ferrata_block_local(this, 1); }
  BlockLocalEntry(const BlockLocalEntry &) = delete;
  ~BlockLocalEntry() { ferrata_block_local(this, 0); }
};

#ifdef FERRATA_AIC_PASS
struct CubeVariantEntry {
  const char *key;
  void *kernel;
  CubeVariantEntry(const char *signature, void *address) : key(signature), kernel(address) {
    ferrata_register_variant(FERRATA_UNIT, key, kernel);
  }
  ~CubeVariantEntry() { ferrata_forget_variant(FERRATA_UNIT, key, kernel); }
};
// Registered while the library is loaded. The priority is a mark: of this pass's initialisers only those that carry it
// are kept (asc/cube.py), since those of the host's code run in the other pass.
template <class Entry> struct CubeVariant {
  static CubeVariantEntry value;
};
template <class Entry>
CubeVariantEntry CubeVariant<Entry>::value __attribute__((init_priority(64321))){Entry::key(), Entry::kernel()};
#endif

constexpr uint64_t system_workspace_bytes = 16u << 20;
inline void take_workspace(uint8_t *workspace) {
  core()->workspace = workspace;
  core()->workspace_is_whole = 1;
}
template <class T> inline void skip_workspace(T &) {}
inline void skip_workspace(uint8_t *&workspace) {
  core()->workspace = workspace;
  core()->workspace_is_whole = 0;
  workspace += system_workspace_bytes;
}

// Converts to a reference to whatever is declared.
struct OnChip {
  Memory memory;
  const void *site;
  Loc loc;
  template <class T> operator T &() const {
    return *reinterpret_cast<T *>(ferrata_on_chip(memory, site, sizeof(T), loc));
  }
};
template <class Site> inline OnChip on_chip(Memory memory, Site, Loc loc) {
  static const char site = 0;
  return {memory, &site, loc};
}
template <class T> using OpenArray = T[];

// The same with an initializer: as for any local object, it counts each time the declaration runs.
template <class T> struct ReferredTo;
template <class T> struct ReferredTo<T &> {
  using type = T;
};
template <class T> using Referred = typename ReferredTo<T>::type;
template <class Fill> struct OnChipFrom {
  OnChip place;
  Fill fill;
  template <class T> operator T &() const {
    T &object = place;
    fill(object);
    return object;
  }
  template <class T> operator OpenArray<T> &() const {
    static_assert(sizeof(T) == 0, "an array in on-chip memory needs its size in the declaration: t[4] = {...}");
  }
};
template <class Fill> inline OnChipFrom<Fill> on_chip_from(Memory memory, Fill fill, Loc loc) {
  static const char site = 0;
  return {{memory, &site, loc}, fill};
}

struct DynamicUbRegion {
  Loc loc;
  template <class T> operator OpenArray<T> &() const {
    return *reinterpret_cast<OpenArray<T> *>(ferrata_dynamic_ub(loc));
  }
};

// What a literal 0 or NULL in a launch's argument list becomes: still a null pointer or a zero, whichever the kernel
// takes.
struct Zero {
  template <class T> constexpr operator T() const { return T(0); }
};

// The second launch argument: bytes of dynamic UB; nullptr is an old way to write none.
struct DynamicUb {
  uint64_t bytes;
  constexpr DynamicUb(decltype(nullptr)) : bytes(0) {}
  template <class T, class = decltype(static_cast<uint64_t>(T()))>
  constexpr DynamicUb(T value) : bytes(static_cast<uint64_t>(value)) {}
};

// One launch. `run` calls `kernel(args...)` once per core and returns when all cores are done: streams are in order,
// and a host cannot tell an instant launch from a queued one. Each core gets its own copies of the arguments.
class Launch {
public:
  constexpr Launch(const char *name, int64_t blocks, uint64_t dynamic_ub, void *stream, Loc loc)
      : info_{name, blocks, dynamic_ub, stream, loc} {}

  // By value: an array decays to a pointer, and a constant without a definition is only read.
  template <class Kernel, class... Args> void run(Kernel kernel, Args... args) const {
    auto body = [&] { kernel(args...); };
    ferrata_launch(&info_, [](void *self) { (*static_cast<decltype(body) *>(self))(); }, &body);
  }

  // The same with the kernel's parameter types, for arguments that are braced lists.
  template <class T> struct As {
    using type = T;
  };
  template <class... Params> void run_as(void (*kernel)(Params...), typename As<Params>::type... args) const {
    run(kernel, args...);
  }

private:
  LaunchInfo info_;
};

inline Launch launch(const char *name, int64_t blocks, DynamicUb dynamic_ub = nullptr, void *stream = nullptr,
                     Loc loc = Loc::here()) {
  return {name, blocks, dynamic_ub.bytes, stream, loc};
}

// `block_idx` and `block_num` are values, not macros: a host variable of that name stays one.
struct BlockIndex {
  operator int64_t() const { return core()->block_idx; }
};
struct BlockCount {
  operator int64_t() const { return core()->block_num; }
};
} // namespace ferrata

[[maybe_unused]] static constexpr ferrata::BlockIndex block_idx{};
[[maybe_unused]] static constexpr ferrata::BlockCount block_num{};
