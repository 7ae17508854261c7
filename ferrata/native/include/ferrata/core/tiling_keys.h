// What the rewriter makes of tiling keys (asc/tilingkeys.py): one instance of a kernel's body per tiling struct, and
// the instance of a template kernel that a key stands for.
#pragma once
#include "ferrata/core/types.h"
#include "ferrata/template_keys.h"

namespace ferrata {
template <int number> struct TilingChoice {
  static constexpr int value = number;
};
// The struct of a choice: the default for 0, else that of the condition of this number.
template <int choice, class First, class... More> struct TilingPick : TilingPick<choice - 1, More...> {};
template <class First, class... More> struct TilingPick<0, First, More...> {
  using type = First;
};

// The struct if a probe of the members that are read compiles for it, else the default.
template <class T> T &tiling_value();
template <class Reads, class S>
constexpr auto tiling_fits(int) -> decltype(tiling_value<Reads>()(tiling_value<S>()), true) {
  return true;
}
template <class Reads, class S> constexpr bool tiling_fits(long) { return false; }
template <class Reads, class S, class Default>
struct TilingFit : TilingPick<tiling_fits<Reads, S>(0) ? 0 : 1, S, Default> {};

template <int choice, class Rules, class... Keys> constexpr bool tiling_reaches(Keys... keys) {
  return ((Rules::choice(static_cast<unsigned long long>(keys)) == choice) || ...);
}
template <int choice, class Body> inline void by_choice(int chosen, Body &body) {
  if constexpr (choice > 0)
    if (chosen != choice)
      return by_choice<choice - 1>(chosen, body);
  body(TilingChoice<choice>());
}
template <int conditions, class Rules, class Body> inline void by_tiling(Body body) {
  by_choice<conditions>(Rules::choice(core()->tiling_key), body);
}

namespace tpl {
enum class Dispatch { by_key };

// The kernel language's type of a data type's number, and the number of a type.
template <uint64_t number> struct Type;
template <class T> constexpr uint64_t number_of = 0xff;
#define FERRATA_TPL_TYPE(number, name)                                                                                 \
  template <> struct Type<number> {                                                                                    \
    using type = name;                                                                                                 \
  };                                                                                                                   \
  template <> inline constexpr uint64_t number_of<name> = number;
FERRATA_TPL_TYPE(0, float)
FERRATA_TPL_TYPE(1, half)
FERRATA_TPL_TYPE(2, int8_t)
FERRATA_TPL_TYPE(3, int32_t)
FERRATA_TPL_TYPE(4, uint8_t)
FERRATA_TPL_TYPE(6, int16_t)
FERRATA_TPL_TYPE(7, uint16_t)
FERRATA_TPL_TYPE(8, uint32_t)
FERRATA_TPL_TYPE(9, int64_t)
FERRATA_TPL_TYPE(10, uint64_t)
FERRATA_TPL_TYPE(11, double)
FERRATA_TPL_TYPE(12, bool)
FERRATA_TPL_TYPE(27, bfloat16_t)
#undef FERRATA_TPL_TYPE

// The values that a combination has for a parameter: its own part's, else those of the declaration.
struct Values {
  uint64_t at[256];
  int count;
  constexpr void add(uint64_t value) {
    if (value < 0x10000 && count < 256)
      at[count++] = value;
  }
};
constexpr bool same_name(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b)
    ;
  return *a == *b;
}
constexpr Values values_of(const Parameter &declared, const Combination &combination) {
  const Parameter *from = &declared;
  for (const Parameter &part : combination.parts)
    if (part.name && part.role == declared.role && same_name(part.name, declared.name))
      from = &part;
  Values out{};
  int at = 0;
  if (from->mode != ASCENDC_TPL_UI_LIST) {
    const int ranges = static_cast<int>(from->values[0]);
    for (int i = 0; i < ranges; ++i)
      for (uint64_t value = from->values[1 + 2 * i]; value <= from->values[2 + 2 * i] && out.count < 256; ++value)
        out.add(value);
    at = from->mode == ASCENDC_TPL_UI_RANGE ? from->count : 1 + 2 * ranges;
  }
  for (; at < from->count; ++at)
    out.add(from->values[at]);
  return out;
}

// All permitted keys, at most `room` of them; `count` goes on beyond it.
template <int room> struct Keys {
  uint64_t at[room];
  int count;
};
template <int room, int declared, int combinations>
constexpr Keys<room> keys_of(const Parameter (&parameters)[declared], const Combination (&all)[combinations]) {
  Keys<room> out{};
  for (const Combination &combination : all) {
    Values values[declared]{};
    uint64_t total = 1;
    for (int i = 0; i < declared; ++i) {
      values[i] = values_of(parameters[i], combination);
      total *= static_cast<uint64_t>(values[i].count);
    }
    for (uint64_t index = 0; index < total; ++index, ++out.count) {
      if (out.count >= room)
        continue;
      uint64_t rest = index;
      int shift = 0;
      for (int i = 0; i < declared; ++i) {
        const auto choices = static_cast<uint64_t>(values[i].count);
        out.at[out.count] |= values[i].at[rest % choices] << shift;
        rest /= choices;
        shift += parameters[i].bits;
      }
    }
  }
  return out;
}

// What the combination of a key says with ASCENDC_TPL_..._SEL, as text; null: nothing.
template <int declared, int combinations>
constexpr const char *said(const Parameter (&parameters)[declared], const Combination (&all)[combinations],
                           uint64_t packed, Role role) {
  const int index = combination_of(parameters, all, packed);
  if (index >= 0)
    for (const Parameter &part : all[index].parts)
      if (part.name && part.role == role)
        return part.name;
  return nullptr;
}
// The number of the struct among `names`, from 1; 0: the default one.
template <int count> constexpr int struct_of(const char *name, const char *const (&names)[count]) {
  for (int i = 0; name && i < count; ++i)
    if (same_name(name, names[i]))
      return i + 1;
  return 0;
}
// The KernelMetaType of a kind written as a number or a name, which may have any prefix; -1: none.
constexpr int kind_of(const char *name) {
  constexpr const char *kinds[] = {"AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
  if (!name)
    return -1;
  if (name[0] >= '0' && name[0] <= '9' && !name[1])
    return name[0] - '0';
  for (const char *at = name; *at; ++at)
    for (int i = 0; i < 6; ++i)
      if (same_name(at, kinds[i]))
        return i;
  return -2;
}
template <int kind> inline void select_kind(Loc loc = Loc::here()) {
  static_assert(kind != -2, "ASCENDC_TPL_KERNEL_TYPE_SEL takes KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_AIC_ONLY, "
                            "KERNEL_TYPE_MIX_AIV_1_0, KERNEL_TYPE_MIX_AIC_1_0, KERNEL_TYPE_MIX_AIC_1_1 or "
                            "KERNEL_TYPE_MIX_AIC_1_2");
  if constexpr (kind >= 0)
    ferrata_task_type(kind, 1, core()->tiling_key, loc);
}

struct NoTilingStruct; // neither selected nor given with REGISTER_TILING_DEFAULT

template <uint64_t number> struct Key {
  static constexpr uint64_t value = number;
};
template <const auto &parameters, const auto &combinations> struct AllKeys {
  static constexpr int most = 512;
  static constexpr Keys<most> keys = keys_of<most>(parameters, combinations);
  static_assert(keys.count <= most, "more than 512 combinations of template parameters: name the ones that are used");

  template <int from, int to, class Body> static bool run(uint64_t key, Body &body) {
    if constexpr (to - from == 1) {
      if (keys.at[from] != key)
        return false;
      body(Key<keys.at[from]>());
      return true;
    } else if constexpr (to > from) {
      return run<from, (from + to) / 2>(key, body) || run<(from + to) / 2, to>(key, body);
    } else {
      return false;
    }
  }
};
// Call `body` with the running launch's key as a constant.
template <const auto &parameters, const auto &combinations, class Body>
inline void dispatch(Body body, Loc loc = Loc::here()) {
  using All = AllKeys<parameters, combinations>;
  const uint64_t key = core()->tiling_key;
  if (!All::template run<0, All::keys.count>(key, body))
    ferrata_fault(Fault::BadLaunch, "ASCENDC_TPL_SEL", loc.file, loc.line,
                  "the launch's tiling key %llu is none of the %d permitted combinations of template parameters; "
                  "GET_TPL_TILING_KEY packs one",
                  static_cast<unsigned long long>(key), All::keys.count);
}
} // namespace tpl
} // namespace ferrata

// In the text around an operator project's kernel: GET_TILING_DATA has this struct for this key.
#define FERRATA_TILING_FOR_KEY(key, S)
#define FERRATA_GET_TILING(S, var, tiling)                                                                             \
  S var = ::ferrata::tiling_copy<S>(tiling, "GET_TILING_DATA", ::ferrata::Loc::here())
