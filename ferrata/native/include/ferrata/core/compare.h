// Comparisons into bits, and selections by bits. Bit i of a result lies in byte i/8 at position i%8.
#pragma once
#include "ferrata/core/api_types.h"
#include "ferrata/core/reduce.h"

namespace ferrata {
inline SelectCall select_call(const char *api, SelectForm form, int mode, Type type, Loc loc) {
  SelectCall call;
  call.api = api;
  call.form = form;
  call.mode = static_cast<unsigned>(mode) < 255 ? static_cast<uint8_t>(mode) : 255; // 255: none, a fault
  call.type = type;
  call.scalar = 0;
  call.has_scalar = false;
  call.dst = call.src[0] = call.src[1] = call.bits = Operand{nullptr, 0, 1, 8, Type::none, 0, nullptr};
  call.loc = loc;
  return call;
}
inline void select_count(SelectCall &call, int64_t count) {
  call.mask_form = Form::count;
  call.repeat = count;
  issue(call);
}
inline void select_repeat(SelectCall &call, const AscendC::Mask &mask, int64_t repeat, bool set_mask) {
  call.mask_form = set_mask ? mask.form : Form::state;
  call.mask[0] = mask.low;
  call.mask[1] = mask.high;
  call.repeat = repeat;
  issue(call);
}
// The selection bits that the register stands for: its own, or those at the address in its low word.
inline Operand register_bits(bool address) {
  if (!address)
    return {nullptr, 16, 1, 8, Type::u8, static_cast<uint8_t>(AscendC::TPosition::VECCALC), nullptr};
  const uint32_t offset = static_cast<uint32_t>(core()->compare_mask[0]),
                 size = static_cast<uint32_t>(chip_bytes(Memory::ub));
  return {ferrata_local_memory(Memory::ub) + offset,
          offset < size ? size - offset : 0,
          1,
          8,
          Type::u8,
          static_cast<uint8_t>(AscendC::TPosition::VECCALC),
          nullptr};
}
// Where a register is stored or loaded from: `bytes` must be there, at a multiple of 16.
inline uint8_t *register_image(const char *api, const char *name, const Operand &operand, uint32_t bytes, bool write,
                               Loc loc) {
  if (operand.bytes < bytes || !operand.data)
    ferrata_fault(Fault::OutOfBounds, api, loc.file, loc.line, "%s has %u bytes; it needs %u", name, operand.bytes,
                  bytes);
  if (reinterpret_cast<uint64_t>(operand.data) % 16)
    ferrata_fault(Fault::Misaligned, api, loc.file, loc.line,
                  "%s starts at byte %u of the Unified Buffer; it must be a multiple of 16", name,
                  static_cast<uint32_t>(reinterpret_cast<uint64_t>(operand.data)));
  observe(EventKind::access, PIPE_V, api, loc, operand.data, 16, write);
  return operand.data;
}
inline void check_compare(const char *api, Type type, AscendC::CMPMODE mode, Loc loc) {
  if (type == Type::i32 && mode != AscendC::CMPMODE::EQ)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "int32_t has only CMPMODE::EQ on this chip");
}
} // namespace ferrata

namespace AscendC {
// --- to bits in UB; masks have no effect, whole 256-byte groups only ---
template <class T, class U>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                    uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Compare::check<U, T>();
  ferrata::check_compare("Compare", ferrata::type_of<T>, cmpMode, loc);
  auto call = ferrata::select_call("Compare", ferrata::SelectForm::compare, static_cast<int>(cmpMode),
                                   ferrata::type_of<T>, loc);
  call.dst = dst.operand();
  call.src[0] = src0.operand();
  call.src[1] = src1.operand();
  ferrata::select_count(call, count);
}
template <class T, class U, bool isSetMask = true>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode,
                    Mask mask, Repeat repeatTime, const BinaryRepeatParams &p,
                    ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Compare::check<U, T>();
  ferrata::check_compare("Compare", ferrata::type_of<T>, cmpMode, loc);
  auto call = ferrata::select_call("Compare", ferrata::SelectForm::compare, static_cast<int>(cmpMode),
                                   ferrata::type_of<T>, loc);
  call.dst = dst.operand();
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.src[1] = src1.operand(p.src1BlkStride, p.src1RepStride);
  ferrata::select_repeat(call, mask, repeatTime.value, isSetMask);
}
template <class T, class U>
inline void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode,
                     uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Compares::check<U, T>();
  ferrata::check_compare("Compares", ferrata::type_of<T>, cmpMode, loc);
  auto call = ferrata::select_call("Compares", ferrata::SelectForm::compare, static_cast<int>(cmpMode),
                                   ferrata::type_of<T>, loc);
  call.dst = dst.operand();
  call.src[0] = src0.operand();
  call.scalar = ferrata::bits_of(src1Scalar);
  call.has_scalar = true;
  ferrata::select_count(call, count);
}
template <class T, class U, bool isSetMask = true>
inline void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode,
                     Mask mask, Repeat repeatTime, const UnaryRepeatParams &p,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::Compares::check<U, T>();
  ferrata::check_compare("Compares", ferrata::type_of<T>, cmpMode, loc);
  auto call = ferrata::select_call("Compares", ferrata::SelectForm::compare, static_cast<int>(cmpMode),
                                   ferrata::type_of<T>, loc);
  call.dst = dst.operand();
  call.src[0] = src0.operand(p.srcBlkStride, p.srcRepStride);
  call.scalar = ferrata::bits_of(src1Scalar);
  call.has_scalar = true;
  ferrata::select_repeat(call, mask, repeatTime.value, isSetMask);
}
template <class T, class U>
inline void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode,
                          uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("CompareScalar");
  Compares(dst, src0, src1Scalar, cmpMode, count, loc);
}
template <class T, class U, bool isSetMask = true>
inline void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode,
                          Mask mask, Repeat repeatTime, const UnaryRepeatParams &p,
                          ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::Speaking speaking("CompareScalar");
  Compares<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, p, loc);
}

// --- to the CMPMASK register: one repeat ---
template <class T, bool isSetMask = true>
inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode, Mask mask,
                    const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::CompareRegister::check<T>();
  auto call = ferrata::select_call("Compare", ferrata::SelectForm::compare_register, static_cast<int>(cmpMode),
                                   ferrata::type_of<T>, loc);
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.src[1] = src1.operand(p.src1BlkStride, p.src1RepStride);
  ferrata::select_repeat(call, mask, 1, isSetMask);
}
// The register goes to and comes from 16 bytes of a tensor.
template <class T> inline void GetCmpMask(const LocalTensor<T> &dst, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::GetCmpMask::check<T>();
  __builtin_memcpy(ferrata::register_image("GetCmpMask", "dst", dst.operand(), 128, true, loc),
                   ferrata::core()->compare_mask, 16);
}
template <class T> inline void SetCmpMask(const LocalTensor<T> &src, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SetCmpMask::check<T>();
  __builtin_memcpy(ferrata::core()->compare_mask,
                   ferrata::register_image("SetCmpMask", "src", src.operand(), 16, false, loc), 16);
}

// --- Select: bit 1 takes src0 ---
template <class T, class U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                   const LocalTensor<T> &src1, SELMODE selMode, uint32_t count,
                   ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SelectTensor::check<T, U>();
  auto call =
      ferrata::select_call("Select", ferrata::SelectForm::select, static_cast<int>(selMode), ferrata::type_of<T>, loc);
  call.dst = dst.operand();
  call.bits = selMask.operand();
  call.src[0] = src0.operand();
  call.src[1] = src1.operand();
  ferrata::select_count(call, count);
}
template <class T, class U, bool isSetMask = true>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                   const LocalTensor<T> &src1, SELMODE selMode, Mask mask, Repeat repeatTime,
                   const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SelectTensor::check<T, U>();
  auto call =
      ferrata::select_call("Select", ferrata::SelectForm::select, static_cast<int>(selMode), ferrata::type_of<T>, loc);
  call.dst = dst.operand(p.dstBlkStride, p.dstRepStride);
  call.bits = selMask.operand();
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.src[1] = src1.operand(p.src1BlkStride, p.src1RepStride);
  ferrata::select_repeat(call, mask, repeatTime.value, isSetMask);
}
template <class T, class U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0, T src1,
                   SELMODE selMode, uint32_t count, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SelectScalar::check<T, U>();
  auto call =
      ferrata::select_call("Select", ferrata::SelectForm::select, static_cast<int>(selMode), ferrata::type_of<T>, loc);
  call.dst = dst.operand();
  call.bits = selMask.operand();
  call.src[0] = src0.operand();
  call.scalar = ferrata::bits_of(src1);
  call.has_scalar = true;
  ferrata::select_count(call, count);
}
template <class T, class U, bool isSetMask = true>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0, T src1,
                   SELMODE selMode, Mask mask, Repeat repeatTime, const BinaryRepeatParams &p,
                   ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SelectScalar::check<T, U>();
  auto call =
      ferrata::select_call("Select", ferrata::SelectForm::select, static_cast<int>(selMode), ferrata::type_of<T>, loc);
  call.dst = dst.operand(p.dstBlkStride, p.dstRepStride);
  call.bits = selMask.operand();
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.scalar = ferrata::bits_of(src1);
  call.has_scalar = true;
  ferrata::select_repeat(call, mask, repeatTime.value, isSetMask);
}

// --- Select by what SetCmpMask left in the register, under the mask that is set ---
// The register holds the bits (mode 0) or, in its low word, the address of the bits (mode 2).
template <class T, SELMODE selMode>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, Repeat repeatTime,
                   const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SelectRegister::check<T>();
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select with a scalar in the register: Select(dst, selMask, src0, repeatTime, repeatParams)");
  auto call =
      ferrata::select_call("Select", ferrata::SelectForm::select, static_cast<int>(selMode), ferrata::type_of<T>, loc);
  call.dst = dst.operand(p.dstBlkStride, p.dstRepStride);
  call.bits = ferrata::register_bits(selMode == SELMODE::VSEL_TENSOR_TENSOR_MODE);
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.src[1] = src1.operand(p.src1BlkStride, p.src1RepStride);
  ferrata::select_repeat(call, MASK_PLACEHOLDER, repeatTime.value, false);
}
// The register holds the scalar that is the second source.
template <class T, class U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                   Repeat repeatTime, const BinaryRepeatParams &p, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::api::SelectRegister::check<T>();
  auto call = ferrata::select_call("Select", ferrata::SelectForm::select,
                                   static_cast<int>(SELMODE::VSEL_TENSOR_SCALAR_MODE), ferrata::type_of<T>, loc);
  call.dst = dst.operand(p.dstBlkStride, p.dstRepStride);
  call.bits = selMask.operand();
  call.src[0] = src0.operand(p.src0BlkStride, p.src0RepStride);
  call.scalar = ferrata::core()->compare_mask[0];
  call.has_scalar = true;
  ferrata::select_repeat(call, MASK_PLACEHOLDER, repeatTime.value, false);
}
} // namespace AscendC

// `bits = a < b`: over the sources' size.
namespace ferrata {
template <AscendC::CMPMODE mode> struct WholeCompare {
  template <class U, class T>
  static void run(const AscendC::LocalTensor<U> &dst, const AscendC::LocalTensor<T> &left,
                  const AscendC::LocalTensor<T> &right, Loc loc) {
    AscendC::Compare(dst, left, right, mode, left.GetSize(), loc);
  }
};
} // namespace ferrata
