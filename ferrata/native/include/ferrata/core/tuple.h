// Std::tuple and Std::make_tuple of device code: as much as TPipe::InitBuffer and kernels that return several values
// need. A tuple remembers where it was made, so that a bad block address names the user's line.
#pragma once
#include "ferrata/core/loc.h"

namespace AscendC {
namespace Std {
template <int i, class T> struct TupleLeaf {
  T value;
};
template <int i, class... Ts> struct TupleBase {};
template <int i, class T, class... Ts> struct TupleBase<i, T, Ts...> : TupleLeaf<i, T>, TupleBase<i + 1, Ts...> {
  constexpr TupleBase() : TupleLeaf<i, T>{}, TupleBase<i + 1, Ts...>() {}
  constexpr TupleBase(const T &first, const Ts &...rest) : TupleLeaf<i, T>{first}, TupleBase<i + 1, Ts...>(rest...) {}
};

template <class... Ts> struct tuple : TupleBase<0, Ts...> {
  ferrata::Loc loc;
  constexpr tuple(ferrata::Loc where = ferrata::Loc::here()) : loc(where) {}
  constexpr tuple(const Ts &...values, ferrata::Loc where = ferrata::Loc::here())
      : TupleBase<0, Ts...>(values...), loc(where) {}
};
template <> struct tuple<> {};

template <int i, class T> constexpr T &get(TupleLeaf<i, T> &leaf) { return leaf.value; }
template <int i, class T> constexpr const T &get(const TupleLeaf<i, T> &leaf) { return leaf.value; }

template <class A> constexpr tuple<A> make_tuple(A a, ferrata::Loc loc = ferrata::Loc::here()) {
  return tuple<A>(a, loc);
}
template <class A, class B> constexpr tuple<A, B> make_tuple(A a, B b, ferrata::Loc loc = ferrata::Loc::here()) {
  return tuple<A, B>(a, b, loc);
}
template <class A, class B, class C>
constexpr tuple<A, B, C> make_tuple(A a, B b, C c, ferrata::Loc loc = ferrata::Loc::here()) {
  return tuple<A, B, C>(a, b, c, loc);
}
template <class A, class B, class C, class D>
constexpr tuple<A, B, C, D> make_tuple(A a, B b, C c, D d, ferrata::Loc loc = ferrata::Loc::here()) {
  return tuple<A, B, C, D>(a, b, c, d, loc);
}
} // namespace Std
} // namespace AscendC
