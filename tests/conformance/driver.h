// Runs conformance cases: loads the UB image of a case from GM, makes one call with parameters read from GM, writes the
// image back. A generated unit includes this after kernel_operator.h and defines `variants`, the calls.
#pragma once
#include <exception>
#include <stdint.h>
#include <string.h>
#include "ferrata/runtime.h"

// The parameters of a case. The slots stand in tests/conformance/plan.py too.
struct Case {
  enum { counter, low, high, mask0, mask1, elements, repeats, choice, scalar_bits, strides, extras = 16, tensors = 32 };
  const int64_t *p;
  __gm__ uint8_t *gm;
  uint64_t mask[2];

  Case(const int64_t *params, __gm__ uint8_t *memory) : p(params), gm(memory) {
    mask[0] = static_cast<uint64_t>(p[mask0]);
    mask[1] = static_cast<uint64_t>(p[mask1]);
  }
  int64_t count() const { return p[elements]; }
  int64_t repeat() const { return p[repeats]; }
  int mode() const { return static_cast<int>(p[choice]); }
  int64_t s(int i) const { return p[strides + i]; }
  int64_t x(int i) const { return p[extras + i]; }
  template <class T> T scalar(int64_t bits) const {
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
  }
  template <class T> T scalar() const { return scalar<T>(p[scalar_bits]); }
  uint32_t address(int i) const { return static_cast<uint32_t>(p[tensors + 2 * i]); }
  uint32_t size(int i) const { return static_cast<uint32_t>(p[tensors + 2 * i + 1]); }
  // Tensor operand i. A start that is not a whole block is a view into an aligned tensor.
  template <class T> AscendC::LocalTensor<T> t(int i) const {
    const uint32_t start = address(i) / 32 * 32, offset = (address(i) - start) / sizeof(T);
    AscendC::LocalTensor<T> whole(AscendC::TPosition::VECCALC, start, size(i) + offset);
    return offset ? whole[offset] : whole;
  }
  // Tensor operand i as a pointer, for the C interface.
  template <class T> __ubuf__ T *u(int i) const {
    const AscendC::LocalTensor<uint8_t> block(AscendC::TPosition::VECCALC, address(i) / 32 * 32, 32);
    return reinterpret_cast<__ubuf__ T *>(block.GetPhyAddr() + address(i) % 32);
  }
  template <class T> __gm__ T *gmp(int i) const { return reinterpret_cast<__gm__ T *>(gm + address(i)); }
  // GM operand i, of the case's GM image.
  template <class T> AscendC::GlobalTensor<T> g(int i) const {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(gm + address(i)), size(i));
    return tensor;
  }
  // Store a scalar of any kind, bit by bit, as 64 bits at tensor i.
  template <class T> void put(int i, int at, T value) const {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    t<uint64_t>(i).SetValue(static_cast<uint32_t>(at), bits);
  }
};
template <> inline AscendC::LocalTensor<int4b_t> Case::t<int4b_t>(int i) const {
  return t<int8_t>(i).ReinterpretCast<int4b_t>();
}

inline AscendC::CMPMODE compare_mode(int i) {
  using AscendC::CMPMODE;
  constexpr CMPMODE all[] = {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE};
  return all[i];
}
inline AscendC::ReduceOrder reduce_order(int i) {
  using AscendC::ReduceOrder;
  constexpr ReduceOrder all[] = {ReduceOrder::ORDER_VALUE_INDEX, ReduceOrder::ORDER_INDEX_VALUE,
                                 ReduceOrder::ORDER_ONLY_VALUE, ReduceOrder::ORDER_ONLY_INDEX};
  return all[i];
}

// --- the kernel: cases one after another; head[k] = {params, ub, ub bytes, gm, gm bytes}, offsets into the block ---
using Variant = void (*)(Case &);

inline void conformance(__gm__ uint8_t *block, uint64_t cases, Variant variant) {
  using namespace AscendC;
  FERRATA_ENTRY("conformance", ::ferrata::Kind::vector, 0, 1);
  const int64_t *head = reinterpret_cast<const int64_t *>(block);
  for (uint64_t k = 0; k < cases; ++k, head += 5) {
    const uint32_t bytes = static_cast<uint32_t>(head[2]);
    InitSocState();
    LocalTensor<uint8_t> ub(TPosition::VECCALC, 0, bytes);
    GlobalTensor<uint8_t> image;
    image.SetGlobalBuffer(block + head[1], bytes);
    DataCopy(ub, image, bytes);
    PipeBarrier<PIPE_ALL>();
    Case c(reinterpret_cast<const int64_t *>(block + head[0]), block + head[3]);
    if (c.p[Case::counter])
      SetMaskCount();
    else
      SetMaskNorm();
    SetVectorMask<uint8_t>(static_cast<uint64_t>(c.p[Case::high]), static_cast<uint64_t>(c.p[Case::low]));
    variant(c);
    PipeBarrier<PIPE_ALL>();
    InitSocState();
    DataCopy(image, ub, bytes);
    PipeBarrier<PIPE_ALL>();
  }
}

// 0, or 1 after a fault; `message` then holds what is known of it as JSON or text. `block` is copied to device memory and
// back.
inline int conformance_launch(Variant variant, uint8_t *block, uint64_t bytes, uint64_t cases, char *message,
                              uint64_t room) {
  uint8_t *memory = static_cast<uint8_t *>(ferrata_gm_alloc(bytes));
  memcpy(memory, block, bytes);
  const int before = ferrata_set_fault_mode(FERRATA_FAULT_THROW);
  int failed = 0;
  try {
    ::ferrata::launch("conformance", 1)
        .run([](auto... arguments) { conformance(arguments...); }, memory, cases, variant);
  } catch (const std::exception &error) {
    failed = 1;
    strncpy(message, error.what(), room - 1);
  }
  if (const char *fault = ferrata_peek_fault()) {
    failed = 1;
    strncpy(message, fault, room - 1);
    ferrata_take_fault();
  }
  ferrata_set_fault_mode(before); // a caller without try blocks would die of what is thrown
  memcpy(block, memory, bytes);
  ferrata_gm_free(memory);
  return failed;
}
