// What makes a kernel binary: the driver puts this header in front of a unit that is compiled to be loaded at run time.
// Each kernel then registers itself, with how to call it from an array of arguments, while the library is loaded;
// src/runtime/acl_binary.cpp collects them.
#pragma once
#include "ferrata/asc.h"

namespace ferrata {
struct ListedArgument {
  uint32_t bytes, align;
};
// A kernel of a binary. `call` calls it with arguments that lie where `arguments` points to.
struct ListedKernel {
  const char *name;
  void *kernel;
  Kind kind;
  void (*call)(void *kernel, void *const *arguments);
  const ListedArgument *arguments;
  uint32_t count;
};
} // namespace ferrata

FERRATA_EXPORT void ferrata_list_kernel(const ferrata::ListedKernel *kernel);

namespace ferrata {
template <class T> struct BareArgument {
  using type = T;
};
template <class T> struct BareArgument<const T> {
  using type = T;
};
template <uint32_t... index> struct Indices {};
template <uint32_t n, uint32_t... index> struct IndicesTo : IndicesTo<n - 1, n - 1, index...> {};
template <uint32_t... index> struct IndicesTo<0, index...> {
  using type = Indices<index...>;
};

template <class T> inline typename BareArgument<T>::type listed_argument(const void *at) {
  static_assert(__is_trivially_copyable(T), "a kernel's arguments are numbers, pointers and plain structs");
  typename BareArgument<T>::type value;
  __builtin_memcpy(static_cast<void *>(&value), at, sizeof value);
  return value;
}
template <class... P, uint32_t... index>
inline void call_listed(void *kernel, [[maybe_unused]] void *const *arguments, Indices<index...>) {
  reinterpret_cast<void (*)(P...)>(kernel)(listed_argument<P>(arguments[index])...);
}

// Registered while the library is loaded.
template <class... P> struct KernelEntry {
  ListedArgument arguments[sizeof...(P) + 1] = {{sizeof(P), alignof(P)}..., {0, 1}};
  ListedKernel row;
  KernelEntry(const char *name, void (*kernel)(P...), Kind kind)
      : row{name,
            reinterpret_cast<void *>(kernel),
            kind,
            [](void *self, void *const *values) {
              call_listed<P...>(self, values, typename IndicesTo<sizeof...(P)>::type());
            },
            arguments,
            sizeof...(P)} {
    ferrata_list_kernel(&row);
  }
};
// The type of the entry for a kernel, by deduction.
template <class... P> KernelEntry<P...> entry_of(void (*)(P...));
template <class Site, class Entry> struct Listed {
  static Entry value;
};
template <class Site, class Entry> Entry Listed<Site, Entry>::value(Site::name(), Site::kernel(), Site::kind());

template <class... P> inline void *kernel_address(void (*kernel)(P...)) { return reinterpret_cast<void *>(kernel); }
} // namespace ferrata

// In a kernel's body; the pass for cube cores registers elsewhere.
#ifdef FERRATA_AIC_PASS
#define FERRATA_LIST_KERNEL(name_text, kind_value, self) static_cast<void>(0)
#else
#define FERRATA_LIST_KERNEL(name_text, kind_value, self)                                                               \
  struct ferrata_listed {                                                                                              \
    static const char *name() { return name_text; }                                                                    \
    static auto kernel() { return self; }                                                                              \
    static ::ferrata::Kind kind() { return kind_value; }                                                               \
  };                                                                                                                   \
  (void)&::ferrata::Listed<ferrata_listed, decltype(::ferrata::entry_of(self))>::value
#endif

// Behind the source: what aclrtcAddNameExpr asked for.
#define FERRATA_NAME_EXPRESSION(index, ...)                                                                            \
  extern "C" __attribute__((visibility("default"))) void *ferrata_name_expression_##index() {                          \
    return ::ferrata::kernel_address(__VA_ARGS__);                                                                     \
  }
