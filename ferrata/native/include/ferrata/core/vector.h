// Element-wise vector arithmetic. Each API is one line in a table below: its name and the element types it takes. All
// of them share one call builder and one executor (the library's vector unit), which know masks, repeats and strides.
#pragma once
#include "ferrata/core/api_types.h"
#include "ferrata/core/copy.h"

namespace ferrata {

// A vector instruction under construction. `Operands` in order dst, src0, src1.
inline VectorCall vector_call(Op op, const Operand &dst, Loc loc) {
  VectorCall call;
  call.op = op;
  call.mode = 0;
  call.sources = 0;
  call.dst = dst;
  call.scalar = 0;
  call.loc = loc;
  return call;
}
inline VectorCall vector_call(Op op, const Operand &dst, const Operand &src, Loc loc) {
  VectorCall call = vector_call(op, dst, loc);
  call.sources = 1;
  call.src[0] = src;
  return call;
}
inline VectorCall vector_call(Op op, const Operand &dst, const Operand &src0, const Operand &src1, Loc loc) {
  VectorCall call = vector_call(op, dst, src0, loc);
  call.sources = 2;
  call.src[1] = src1;
  return call;
}

// Run over the first `count` elements, or, with an external mask, over what the mask state says.
inline void issue_count(VectorCall &call, int64_t count, bool set_mask = true) {
  call.form = set_mask ? Form::count : Form::state;
  call.repeat = set_mask ? count : 1; // the mask state alone decides then
  issue(call);
}

// Run `repeat` repeats under `mask`, or under the mask state.
inline void issue_repeat(VectorCall &call, const AscendC::Mask &mask, const AscendC::Repeat &repeat, bool set_mask) {
  call.form = set_mask ? mask.form : Form::state;
  call.mask[0] = mask.low;
  call.mask[1] = mask.high;
  call.repeat = repeat.value;
  issue(call);
}

// Repeat stride of a contiguous operand of type T when the widest operand has `widest` bytes: the narrow one uses fewer
// blocks.
template <class T> constexpr uint16_t packed(uint32_t widest) {
  uint64_t lanes = 256 / widest;
  return static_cast<uint16_t>((bytes_of<T>(lanes) + 31) / 32);
}
template <class A, class B>
constexpr uint32_t widest = ferrata::width_of<A> > ferrata::width_of<B> ? ferrata::width_of<A> : ferrata::width_of<B>;
} // namespace ferrata

namespace AscendC {

// dst = op(src)
#define FERRATA_UNARY(Name)                                                                                            \
  template <class T>                                                                                                   \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count,                         \
                   ferrata::Loc loc = ferrata::Loc::here()) {                                                          \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(), src.operand(), loc);                            \
    ferrata::issue_count(call, count);                                                                                 \
  }                                                                                                                    \
  template <class T, bool isSetMask = true>                                                                            \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, Repeat repeatTime,                 \
                   const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {                              \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(p.dstBlkStride, p.dstRepStride),                   \
                                     src.operand(p.srcBlkStride, p.srcRepStride), loc);                                \
    ferrata::issue_repeat(call, mask, repeatTime, isSetMask);                                                          \
  }

// dst = op(src0, src1); for the multiply-adds dst is read as well.
#define FERRATA_BINARY(Name)                                                                                           \
  template <class T>                                                                                                   \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,                  \
                   const int32_t &count, ferrata::Loc loc = ferrata::Loc::here()) {                                    \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(), src0.operand(), src1.operand(), loc);           \
    ferrata::issue_count(call, count);                                                                                 \
  }                                                                                                                    \
  template <class T, bool isSetMask = true>                                                                            \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, Mask mask,       \
                   Repeat repeatTime, const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {          \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(p.dstBlkStride, p.dstRepStride),                   \
                                     src0.operand(p.src0BlkStride, p.src0RepStride),                                   \
                                     src1.operand(p.src1BlkStride, p.src1RepStride), loc);                             \
    ferrata::issue_repeat(call, mask, repeatTime, isSetMask);                                                          \
  }

// dst = op(src, scalar); the scalar has exactly the element type. Tensors of a TensorTrait have overloads of their own.
#define FERRATA_SCALAR(Name)                                                                                           \
  template <class T, bool isSetMask = true>                                                                            \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, const int32_t &count,   \
                   ferrata::Loc loc = ferrata::Loc::here()) {                                                          \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(), src.operand(), loc);                            \
    call.scalar = ferrata::bits_of(scalarValue);                                                                       \
    ferrata::issue_count(call, count, isSetMask);                                                                      \
  }                                                                                                                    \
  template <class T, bool isSetMask = true>                                                                            \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, Mask mask,              \
                   Repeat repeatTime, const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {           \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(p.dstBlkStride, p.dstRepStride),                   \
                                     src.operand(p.srcBlkStride, p.srcRepStride), loc);                                \
    call.scalar = ferrata::bits_of(scalarValue);                                                                       \
    ferrata::issue_repeat(call, mask, repeatTime, isSetMask);                                                          \
  }                                                                                                                    \
  FERRATA_SCALAR_OF_TRAIT(Name)
#define FERRATA_SCALAR_OF_TRAIT(Name)                                                                                  \
  template <class T, class U, bool isSetMask = true, ferrata::IfTrait<T, U> = 0>                                       \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalarValue, const int32_t &count,   \
                   ferrata::Loc loc = ferrata::Loc::here()) {                                                          \
    const LocalTensor<U> &to = dst, &from = src;                                                                       \
    Name<U, isSetMask>(to, from, scalarValue, count, loc);                                                             \
  }                                                                                                                    \
  template <class T, class U, bool isSetMask = true, ferrata::IfTrait<T, U> = 0>                                       \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalarValue, Mask mask,              \
                   Repeat repeatTime, const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {           \
    const LocalTensor<U> &to = dst, &from = src;                                                                       \
    Name<U, isSetMask>(to, from, scalarValue, mask, repeatTime, p, loc);                                               \
  }

FERRATA_UNARY(Abs)
FERRATA_UNARY(Exp)
FERRATA_UNARY(Ln)
FERRATA_UNARY(Reciprocal)
FERRATA_UNARY(Sqrt)
FERRATA_UNARY(Rsqrt)
FERRATA_UNARY(Relu)
FERRATA_UNARY(Not)

FERRATA_BINARY(Add)
FERRATA_BINARY(Sub)
FERRATA_BINARY(Mul)
FERRATA_BINARY(Div)
FERRATA_BINARY(Max)
FERRATA_BINARY(Min)
FERRATA_BINARY(AddRelu)
FERRATA_BINARY(SubRelu)
FERRATA_BINARY(FusedMulAdd)
FERRATA_BINARY(MulAddRelu)

FERRATA_SCALAR(Adds)
FERRATA_SCALAR(Muls)
FERRATA_SCALAR(Maxs)
FERRATA_SCALAR(Mins)
FERRATA_SCALAR(LeakyRelu)
FERRATA_SCALAR(ShiftLeft)

template <class T>
inline void FusedMulAddRelu(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                            const int32_t &count, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("FusedMulAddRelu");
  MulAddRelu(dst, src0, src1, count, loc);
}
template <class T, bool isSetMask = true>
inline void FusedMulAddRelu(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                            Mask mask, Repeat repeatTime, const BinaryRepeatParams &p,
                            ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("FusedMulAddRelu");
  MulAddRelu<T, isSetMask>(dst, src0, src1, mask, repeatTime, p, loc);
}

// And and Or work on 16-bit lanes: the count form takes 32-bit tensors too, but counts 16-bit units.
#define FERRATA_LOGIC(Name)                                                                                            \
  template <class T>                                                                                                   \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,                  \
                   const int32_t &count, ferrata::Loc loc = ferrata::Loc::here()) {                                    \
    static_assert(ferrata::api::Name::allowed<T> || ferrata::one_of<T, int32_t, uint32_t>,                             \
                  #Name " takes T = int16_t, uint16_t, or 32 bits in units of 16");                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.template ReinterpretCast<uint16_t>().operand(),            \
                                     src0.template ReinterpretCast<uint16_t>().operand(),                              \
                                     src1.template ReinterpretCast<uint16_t>().operand(), loc);                        \
    ferrata::issue_count(call, count);                                                                                 \
  }                                                                                                                    \
  template <class T, bool isSetMask = true>                                                                            \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, Mask mask,       \
                   Repeat repeatTime, const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {          \
    ferrata::api::Name::check<T>();                                                                                    \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(p.dstBlkStride, p.dstRepStride),                   \
                                     src0.operand(p.src0BlkStride, p.src0RepStride),                                   \
                                     src1.operand(p.src1BlkStride, p.src1RepStride), loc);                             \
    ferrata::issue_repeat(call, mask, repeatTime, isSetMask);                                                          \
  }
FERRATA_LOGIC(And)
FERRATA_LOGIC(Or)
#undef FERRATA_LOGIC

// `roundEn` adds the last bit shifted out; signed types only.
template <class T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, const int32_t &count,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ShiftRight::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::ShiftRight, dst.operand(), src.operand(), loc);
  call.scalar = ferrata::bits_of(scalarValue);
  ferrata::issue_count(call, count, isSetMask);
}
template <class T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue, Mask mask,
                       Repeat repeatTime, const UnaryRepeatParams &p, bool roundEn = false,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::ShiftRight::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::ShiftRight, dst.operand(p.dstBlkStride, p.dstRepStride),
                                   src.operand(p.srcBlkStride, p.srcRepStride), loc);
  call.scalar = ferrata::bits_of(scalarValue);
  call.mode = roundEn;
  ferrata::issue_repeat(call, mask, repeatTime, isSetMask);
}

template <class T, class U, bool isSetMask = true, ferrata::IfTrait<T, U> = 0>
inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalarValue, const int32_t &count,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  const LocalTensor<U> &to = dst, &from = src;
  ShiftRight<U, isSetMask>(to, from, scalarValue, count, loc);
}
template <class T, class U, bool isSetMask = true, ferrata::IfTrait<T, U> = 0>
inline void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalarValue, Mask mask,
                       Repeat repeatTime, const UnaryRepeatParams &p, bool roundEn = false,
                       ferrata::Loc loc = ferrata::Loc::here()) {
  const LocalTensor<U> &to = dst, &from = src;
  ShiftRight<U, isSetMask>(to, from, scalarValue, mask, repeatTime, p, roundEn, loc);
}

// dst += src * scalar, each step rounded to T; half sources with a float dst multiply exactly.
template <class T, class U>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue, const int32_t &count,
                 ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Axpy::check<T, U>();
  auto call = ferrata::vector_call(ferrata::Op::Axpy, dst.operand(),
                                   src.operand(1, ferrata::packed<U>(ferrata::widest<T, U>)), loc);
  call.scalar = ferrata::bits_of(scalarValue);
  ferrata::issue_count(call, count);
}
template <class T, class U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue, Mask mask,
                 Repeat repeatTime, const UnaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Axpy::check<T, U>();
  auto call = ferrata::vector_call(ferrata::Op::Axpy, dst.operand(p.dstBlkStride, p.dstRepStride),
                                   src.operand(p.srcBlkStride, p.srcRepStride), loc);
  call.scalar = ferrata::bits_of(scalarValue);
  ferrata::issue_repeat(call, mask, repeatTime, isSetMask);
}

// Two sources of one type into a dst of another. T is dst, U the sources.
#define FERRATA_BINARY_CAST(Name)                                                                                      \
  template <class T, class U>                                                                                          \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,                  \
                   const int32_t count, ferrata::Loc loc = ferrata::Loc::here()) {                                     \
    ferrata::api::Name::check<T, U>();                                                                                 \
    constexpr uint32_t wide = ferrata::widest<T, U>;                                                                   \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(1, ferrata::packed<T>(wide)),                      \
                                     src0.operand(1, ferrata::packed<U>(wide)),                                        \
                                     src1.operand(1, ferrata::packed<U>(wide)), loc);                                  \
    ferrata::issue_count(call, count);                                                                                 \
  }                                                                                                                    \
  template <class T, class U, bool isSetMask = true>                                                                   \
  inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, Mask mask,       \
                   Repeat repeatTime, const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {          \
    ferrata::api::Name::check<T, U>();                                                                                 \
    auto call = ferrata::vector_call(ferrata::Op::Name, dst.operand(p.dstBlkStride, p.dstRepStride),                   \
                                     src0.operand(p.src0BlkStride, p.src0RepStride),                                   \
                                     src1.operand(p.src1BlkStride, p.src1RepStride), loc);                             \
    ferrata::issue_repeat(call, mask, repeatTime, isSetMask);                                                          \
  }
FERRATA_BINARY_CAST(MulAddDst)
FERRATA_BINARY_CAST(AddReluCast)
FERRATA_BINARY_CAST(SubReluCast)
FERRATA_BINARY_CAST(MulCast)
#undef FERRATA_BINARY_CAST

// --- fill ---
template <class T>
inline void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, const int32_t &count,
                      ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Duplicate::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::Duplicate, dst.operand(), loc);
  call.scalar = ferrata::bits_of(scalarValue);
  ferrata::issue_count(call, count);
}
template <class T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, Mask mask, Repeat repeatTime,
                      ferrata::Wide dstBlockStride, ferrata::Wide dstRepeatStride,
                      ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Duplicate::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::Duplicate,
                                   dst.operand(dstBlockStride.fit<uint16_t>("Duplicate", "dstBlockStride"),
                                               dstRepeatStride.fit<uint8_t>("Duplicate", "dstRepeatStride")),
                                   loc);
  call.scalar = ferrata::bits_of(scalarValue);
  ferrata::issue_repeat(call, mask, repeatTime, isSetMask);
}

template <class T>
inline void CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint32_t count,
                           ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::CreateVecIndex::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::CreateVecIndex, dst.operand(), loc);
  call.scalar = ferrata::bits_of(firstValue);
  ferrata::issue_count(call, count);
}
template <class T>
inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, Mask mask, Repeat repeatTime,
                           ferrata::Wide dstBlkStride, ferrata::Wide dstRepStride,
                           ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::CreateVecIndex::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::CreateVecIndex,
                                   dst.operand(dstBlkStride.fit<uint16_t>("CreateVecIndex", "dstBlkStride"),
                                               dstRepStride.fit<uint8_t>("CreateVecIndex", "dstRepStride")),
                                   loc);
  call.scalar = ferrata::bits_of(firstValue);
  ferrata::issue_repeat(call, mask, repeatTime, true);
}

// Masked copy inside UB. In Counter mode the mask counts the elements of each repeat.
template <class T, bool isSetMask = true>
inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask, Repeat repeatTime,
                 const CopyRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Copy::check<T>();
  auto call = ferrata::vector_call(ferrata::Op::Copy, dst.operand(p.dstStride, p.dstRepeatSize),
                                   src.operand(p.srcStride, p.srcRepeatSize), loc);
  ferrata::issue_repeat(call, mask, repeatTime, isSetMask);
}
} // namespace AscendC

// --- operators on whole tensors; And and Or count 16-bit units ---
namespace ferrata {
#define FERRATA_WHOLE(Name, units)                                                                                     \
  struct Whole##Name {                                                                                                 \
    template <class T>                                                                                                 \
    static void run(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &left,                           \
                    const AscendC::LocalTensor<T> &right, Loc loc) {                                                   \
      AscendC::Name(dst, left, right, static_cast<int32_t>(dst.GetSize() * (units)), loc);                             \
    }                                                                                                                  \
  };
FERRATA_WHOLE(Add, 1)
FERRATA_WHOLE(Sub, 1)
FERRATA_WHOLE(Mul, 1)
FERRATA_WHOLE(Div, 1)
FERRATA_WHOLE(And, ferrata::width_of<T> / 2)
FERRATA_WHOLE(Or, ferrata::width_of<T> / 2)
#undef FERRATA_WHOLE
} // namespace ferrata
