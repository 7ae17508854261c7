// TensorTrait: an element type together with a position and a layout, used where a plain element type stands. A tensor
// of a trait is a tensor of its element type that knows these; every interface takes it like one.
#pragma once
#include "ferrata/core/tensor.h"
#include "ferrata/core/traits.h"
#include "ferrata/core/tuple.h"

namespace AscendC {
namespace Std {
template <decltype(sizeof 0) value> using Int = std::integral_constant<decltype(sizeof 0), value>;
} // namespace Std

template <class... Ts> using Shape = Std::tuple<Ts...>;
template <class... Ts> using Stride = Std::tuple<Ts...>;

// Extents and distances of dimensions, in elements. Each is a number, or Std::Int<n> when it is known at compile time.
template <class ShapeType, class StrideType> struct Layout {
  ShapeType shape{};
  StrideType stride{};
  constexpr Layout() = default;
  constexpr Layout(const ShapeType &extents, const StrideType &distances) : shape(extents), stride(distances) {}
  constexpr const ShapeType &GetShape() const { return shape; }
  constexpr const StrideType &GetStride() const { return stride; }
};
template <class... Ts> constexpr Shape<Ts...> MakeShape(const Ts &...extents) { return Shape<Ts...>(extents...); }
template <class... Ts> constexpr Stride<Ts...> MakeStride(const Ts &...distances) {
  return Stride<Ts...>(distances...);
}
template <class ShapeType, class StrideType>
constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType &shape, const StrideType &stride) {
  return {shape, stride};
}

template <class T, TPosition pos = TPosition::GM, class LayoutType = Layout<Shape<>, Stride<>>> struct TensorTrait {
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr TPosition tPos = pos;
  constexpr TensorTrait(const LayoutType &layout = {}) : layout_(layout) {}
  constexpr const LayoutType &GetLayout() const { return layout_; }
  void SetLayout(const LayoutType &layout) { layout_ = layout; }

private:
  LayoutType layout_;
};
template <class T, TPosition pos, class LayoutType>
constexpr TensorTrait<T, pos, LayoutType> MakeTensorTrait(const LayoutType &layout) {
  return {layout};
}
} // namespace AscendC

namespace ferrata {
template <class T, AscendC::TPosition pos, class LayoutType> struct PrimOf<AscendC::TensorTrait<T, pos, LayoutType>> {
  using type = T;
};
template <class T, AscendC::TPosition pos, class LayoutType> struct TypeOf<AscendC::TensorTrait<T, pos, LayoutType>> {
  static constexpr Type value = type_of<T>;
};

// Elements of a layout whose extents are all known at compile time.
template <class LayoutType> struct StaticSize;
template <decltype(sizeof 0)... extents, class StrideType>
struct StaticSize<AscendC::Layout<AscendC::Std::tuple<AscendC::Std::Int<extents>...>, StrideType>> {
  static constexpr bool known = sizeof...(extents) > 0;
  static constexpr uint64_t value = (uint64_t(1) * ... * extents);
};
template <class... Ts, class StrideType> struct StaticSize<AscendC::Layout<AscendC::Std::tuple<Ts...>, StrideType>> {
  static constexpr bool known = false;
  static constexpr uint64_t value = 0;
};
template <class Trait> constexpr uint64_t size_of_trait() {
  using Size = StaticSize<typename Trait::LiteLayoutType>;
  static_assert(Size::known, "the size of this TensorTrait is not known: give its layout a Shape of Std::Int<n>");
  return Size::value;
}
} // namespace ferrata

namespace AscendC {
template <class T, TPosition pos, class LayoutType>
class GlobalTensor<TensorTrait<T, pos, LayoutType>> : public GlobalTensor<T> {
public:
  using Trait = TensorTrait<T, pos, LayoutType>;
  GlobalTensor() = default;
  GlobalTensor(const GlobalTensor<T> &plain) : GlobalTensor<T>(plain) {}
  GlobalTensor operator[](ferrata::Offset offset) const { return GlobalTensor<T>::operator[](offset); }
  const Trait &GetTensorTrait() const { return trait_; }
  void SetTensorTrait(const Trait &trait) { trait_ = trait; }

private:
  Trait trait_;
};

template <class T, TPosition pos, class LayoutType>
class LocalTensor<TensorTrait<T, pos, LayoutType>> : public LocalTensor<T> {
public:
  using Trait = TensorTrait<T, pos, LayoutType>;
  LocalTensor() = default;
  LocalTensor(const LocalTensor<T> &plain) : LocalTensor<T>(plain) {}
  LocalTensor(TPosition position, uint32_t address, uint32_t size, ferrata::Loc loc = ferrata::Loc::here())
      : LocalTensor<T>(position, address, size, loc) {}
  // Position and size are the trait's.
  explicit LocalTensor(uint32_t address, ferrata::Loc loc = ferrata::Loc::here())
      : LocalTensor<T>(pos, address, static_cast<uint32_t>(ferrata::size_of_trait<Trait>()), loc) {}
  LocalTensor operator[](ferrata::Offset offset) const { return LocalTensor<T>::operator[](offset); }
  using LocalTensor<T>::operator=;
  const Trait &GetTensorTrait() const { return trait_; }
  void SetTensorTrait(const Trait &trait) { trait_ = trait; }
  static LocalTensor make(TPosition position, uint8_t *data, uint64_t bytes, ferrata::Buffer *buffer) {
    return LocalTensor<T>::make(position, data, bytes, buffer);
  }

private:
  Trait trait_;
};
} // namespace AscendC
