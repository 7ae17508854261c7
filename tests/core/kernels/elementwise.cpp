// Count, mask and repeat forms of element-wise arithmetic on whole vectors of GM data.
#include "kernel_operator.h"
using namespace AscendC;

namespace {
// One core: copy n elements in, run `op(dst, a, b, n)`, copy out. `n` is a multiple of 32 bytes of every type.
template <class D, class S, class F> void through(__gm__ D *z, __gm__ S *x, __gm__ S *y, int n, F op) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> bx, by, bz;
  pipe.InitBuffer(bx, n * sizeof(S));
  pipe.InitBuffer(by, n * sizeof(S));
  pipe.InitBuffer(bz, n * sizeof(D));
  GlobalTensor<S> gx, gy;
  GlobalTensor<D> gz;
  gx.SetGlobalBuffer(x, n);
  gy.SetGlobalBuffer(y, n);
  gz.SetGlobalBuffer(z, n);
  LocalTensor<S> a = bx.Get<S>(), b = by.Get<S>();
  LocalTensor<D> c = bz.Get<D>();
  DataCopy(a, gx, n);
  DataCopy(b, gy, n);
  DataCopy(c, gz, n);
  op(c, a, b, n);
  DataCopy(gz, c, n);
}
} // namespace

#define KERNEL(name, D, S, ...)                                                                                  \
  static void k_##name(__gm__ D *z, __gm__ S *x, __gm__ S *y, int n, [[maybe_unused]] float s) {                       \
    FERRATA_ENTRY(#name, ::ferrata::Kind::vector, 0, 1);                                                               \
    through<D, S>(z, x, y, n, [&](auto &c, auto &a, auto &b, int m) { (void)b, (void)m; __VA_ARGS__; });                          \
  }                                                                                                                    \
  extern "C" void name(void *z, void *x, void *y, int n, float s) {                                                    \
    ::ferrata::launch(#name, 1).run([](auto... p) { k_##name(p...); }, static_cast<D *>(z), static_cast<S *>(x),       \
                                    static_cast<S *>(y), n, s);                                                        \
  }

#define FLOATS(Name, ...)                                                                                        \
  KERNEL(Name##_float32, float, float, __VA_ARGS__) \
  KERNEL(Name##_float16, half, half, __VA_ARGS__)
#define INTS(Name, ...)                                                                                          \
  KERNEL(Name##_int16, int16_t, int16_t, __VA_ARGS__)                                                                    \
  KERNEL(Name##_int32, int32_t, int32_t, __VA_ARGS__)

FLOATS(Abs, Abs(c, a, m))
FLOATS(Exp, Exp(c, a, m))
FLOATS(Ln, Ln(c, a, m))
FLOATS(Sqrt, Sqrt(c, a, m))
FLOATS(Rsqrt, Rsqrt(c, a, m))
FLOATS(Reciprocal, Reciprocal(c, a, m))
FLOATS(Relu, Relu(c, a, m))
KERNEL(Relu_int32, int32_t, int32_t, Relu(c, a, m))
FLOATS(Add, Add(c, a, b, m))
FLOATS(Sub, Sub(c, a, b, m))
FLOATS(Mul, Mul(c, a, b, m))
FLOATS(Div, Div(c, a, b, m))
FLOATS(Max, Max(c, a, b, m))
FLOATS(Min, Min(c, a, b, m))
INTS(Add, Add(c, a, b, m))
INTS(Sub, Sub(c, a, b, m))
INTS(Mul, Mul(c, a, b, m))
INTS(Max, Max(c, a, b, m))
INTS(Min, Min(c, a, b, m))
FLOATS(FusedMulAdd, FusedMulAdd(c, a, b, m))
FLOATS(AddRelu, AddRelu(c, a, b, m))
KERNEL(Adds_float32, float, float, Adds(c, a, s, m))
KERNEL(Adds_float16, half, half, Adds(c, a, static_cast<half>(s), m))
KERNEL(Muls_int32, int32_t, int32_t, Muls(c, a, static_cast<int32_t>(s), m))
KERNEL(ShiftLeft_int16, int16_t, int16_t, ShiftLeft(c, a, static_cast<int16_t>(s), m))
KERNEL(ShiftRight_uint16, uint16_t, uint16_t, ShiftRight(c, a, static_cast<uint16_t>(s), m))
KERNEL(Not_uint16, uint16_t, uint16_t, Not(c, a, m))
KERNEL(And_int32, int32_t, int32_t, And(c, a, b, 2 * m))
KERNEL(Operator_float32, float, float, c = a + b; c = c * b)
KERNEL(Axpy_half_float, float, half, Duplicate(c, 1.0f, m); Axpy(c, a, static_cast<half>(s), m))

// The same instruction in every other form: mask as a count, mask as bits, strides, Counter mode, external mask.
KERNEL(Masked_float32, float, float, Add(c, a, b, 17, 3, BinaryRepeatParams(1, 1, 1, 8, 8, 8)))
KERNEL(Bits_float32, float, float, uint64_t bits[2] = {0x8000000000000005ull, 0}; Add(c, a, b, bits, 3, BinaryRepeatParams(1, 1, 1, 8, 8, 8)))
KERNEL(Strided_float32, float, float, Add(c, a, b, 64, 2, BinaryRepeatParams(2, 1, 0, 16, 4, 1)))
KERNEL(Accumulated_float32, float, float, Add(c, a, c, 64, 4, BinaryRepeatParams(1, 1, 1, 0, 8, 0)))
KERNEL(Counter_float32, float, float, SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(75);
       Add<float, false>(c, a, b, MASK_PLACEHOLDER, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8)); SetMaskNorm(); ResetMask())
KERNEL(External_float32, float, float, SetVectorMask<float>(0, 0xff00); Adds<float, false>(c, a, s, MASK_PLACEHOLDER, 2, UnaryRepeatParams(1, 1, 8, 8)); ResetMask())
KERNEL(Nothing_float32, float, float, Add(c, a, b, 0); Add(c, a, b, 0, 4, BinaryRepeatParams()); Add(c, a, b, 64, 0, BinaryRepeatParams()))
KERNEL(MaskLeft_float32, float, float, Add(c, a, b, 5, 1, BinaryRepeatParams()); Adds<float, false>(c[64], a[64], s, MASK_PLACEHOLDER, 1, UnaryRepeatParams()))

// Casts: every pair of the table, the mode as an argument.
#define CAST(D, S, name)                                                                                               \
  static void k_##name(__gm__ D *z, __gm__ S *x, int n, int mode) {                                                    \
    FERRATA_ENTRY(#name, ::ferrata::Kind::vector, 0, 1);                                                               \
    SetDeqScale(static_cast<half>(0.5));                                                                               \
    through<D, S>(z, x, x, n, [&](auto &c, auto &a, auto &, int m) { Cast(c, a, static_cast<RoundMode>(mode), m); });  \
  }                                                                                                                    \
  extern "C" void name(void *z, void *x, int n, int mode) {                                                            \
    ::ferrata::launch(#name, 1).run([](auto... p) { k_##name(p...); }, static_cast<D *>(z), static_cast<S *>(x), n,    \
                                    mode);                                                                             \
  }
CAST(half, int8_t, cast_int8_float16)
CAST(half, uint8_t, cast_uint8_float16)
CAST(half, int16_t, cast_int16_float16)
CAST(float, int16_t, cast_int16_float32)
CAST(int8_t, half, cast_float16_int8)
CAST(uint8_t, half, cast_float16_uint8)
CAST(int16_t, half, cast_float16_int16)
CAST(int32_t, half, cast_float16_int32)
CAST(float, half, cast_float16_float32)
CAST(int32_t, bfloat16_t, cast_bfloat16_int32)
CAST(float, bfloat16_t, cast_bfloat16_float32)
CAST(int16_t, int32_t, cast_int32_int16)
CAST(half, int32_t, cast_int32_float16)
CAST(float, int32_t, cast_int32_float32)
CAST(int64_t, int32_t, cast_int32_int64)
CAST(int16_t, float, cast_float32_int16)
CAST(half, float, cast_float32_float16)
CAST(bfloat16_t, float, cast_float32_bfloat16)
CAST(int32_t, float, cast_float32_int32)
CAST(float, float, cast_float32_float32)
CAST(int64_t, float, cast_float32_int64)
CAST(int32_t, int64_t, cast_int64_int32)
CAST(float, int64_t, cast_int64_float32)
