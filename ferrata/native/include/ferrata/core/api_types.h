// The element types that each Ascend C interface takes on dav-2201. Generated from the API registry by
// tools/gen_api.py: change ferrata/lang/apis/*.py and run it.
//
// A header says `api::Add::check<T>();` first in the body of every form: a type that is not allowed is a compile error
// that names the allowed ones. `allowed<T>` is the condition alone, `names` the list as text. Several letters stand in
// the order of the registry (destination first unless the row says otherwise).
#pragma once
#include "ferrata/core/types.h"

namespace ferrata::api {

template <class T> constexpr unsigned bit = 1u << static_cast<int>(type_of<T>);
constexpr unsigned bits() { return 0; }
template <class... Rest> constexpr unsigned bits(Type first, Rest... rest) {
  return (1u << static_cast<int>(first)) | bits(rest...);
}

struct Abs {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Abs on dav-2201 takes T = half or float");
  }
};

struct Exp {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Exp on dav-2201 takes T = half or float");
  }
};

struct Ln {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Ln on dav-2201 takes T = half or float");
  }
};

struct Reciprocal {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Reciprocal on dav-2201 takes T = half or float");
  }
};

struct Sqrt {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Sqrt on dav-2201 takes T = half or float");
  }
};

struct Rsqrt {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Rsqrt on dav-2201 takes T = half or float");
  }
};

struct Relu {
  static constexpr char names[] = "half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Relu on dav-2201 takes T = half, int32_t or float");
  }
};

struct Not {
  static constexpr char names[] = "int16_t or uint16_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::u16)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Not on dav-2201 takes T = int16_t or uint16_t");
  }
};

struct Add {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Add on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Sub {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Sub on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Mul {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Mul on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Div {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Div on dav-2201 takes T = half or float");
  }
};

struct Max {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Max on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Min {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Min on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct And {
  static constexpr char names[] = "int16_t or uint16_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::u16)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "And on dav-2201 takes T = int16_t or uint16_t");
  }
};

struct Or {
  static constexpr char names[] = "int16_t or uint16_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::u16)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Or on dav-2201 takes T = int16_t or uint16_t");
  }
};

struct Adds {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Adds on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Muls {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Muls on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Maxs {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Maxs on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Mins {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Mins on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct LeakyRelu {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "LeakyRelu on dav-2201 takes T = half or float");
  }
};

struct ShiftLeft {
  static constexpr char names[] = "int16_t, uint16_t, int32_t or uint32_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::u16, Type::i32, Type::u32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ShiftLeft on dav-2201 takes T = int16_t, uint16_t, int32_t or uint32_t");
  }
};

struct ShiftRight {
  static constexpr char names[] = "int16_t, uint16_t, int32_t or uint32_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::u16, Type::i32, Type::u32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ShiftRight on dav-2201 takes T = int16_t, uint16_t, int32_t or uint32_t");
  }
};

struct AddRelu {
  static constexpr char names[] = "int16_t, half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "AddRelu on dav-2201 takes T = int16_t, half or float");
  }
};

struct SubRelu {
  static constexpr char names[] = "int16_t, half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SubRelu on dav-2201 takes T = int16_t, half or float");
  }
};

struct AddReluCast {
  static constexpr char names[] = "int8_t <- half, int8_t <- int16_t or half <- float";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::i8)) != 0) ||
                                  (type_of<U> == Type::i16 && (bit<T> & bits(Type::i8)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f16)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "AddReluCast on dav-2201 takes T, U = int8_t <- half, int8_t <- int16_t or half <- float");
  }
};

struct SubReluCast {
  static constexpr char names[] = "int8_t <- half, int8_t <- int16_t or half <- float";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::i8)) != 0) ||
                                  (type_of<U> == Type::i16 && (bit<T> & bits(Type::i8)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f16)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "SubReluCast on dav-2201 takes T, U = int8_t <- half, int8_t <- int16_t or half <- float");
  }
};

struct Axpy {
  static constexpr char names[] = "half <- half, float <- float or float <- half";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "Axpy on dav-2201 takes T, U = half <- half, float <- float or float <- half");
  }
};

struct MulAddDst {
  static constexpr char names[] = "half <- half, float <- float or float <- half";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "MulAddDst on dav-2201 takes T, U = half <- half, float <- float or float <- half");
  }
};

struct FusedMulAdd {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "FusedMulAdd on dav-2201 takes T = half or float");
  }
};

struct MulAddRelu {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "MulAddRelu on dav-2201 takes T = half or float");
  }
};

struct MulCast {
  static constexpr char names[] = "int8_t <- half or uint8_t <- half";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::i8, Type::u8)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "MulCast on dav-2201 takes T, U = int8_t <- half or uint8_t <- half");
  }
};

struct CastDequant {
  static constexpr char names[] = "half <- int32_t, int8_t <- int16_t or uint8_t <- int16_t";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::i32 && (bit<T> & bits(Type::f16)) != 0) ||
                                  (type_of<U> == Type::i16 && (bit<T> & bits(Type::i8, Type::u8)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "CastDequant on dav-2201 takes T, U = half <- int32_t, int8_t <- int16_t or uint8_t <- int16_t");
  }
};

struct AddDeqRelu {
  static constexpr char names[] = "half <- int32_t";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::i32 && (bit<T> & bits(Type::f16)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "AddDeqRelu on dav-2201 takes T, U = half <- int32_t");
  }
};

struct Compare {
  static constexpr char names[] =
      "int8_t <- half, uint8_t <- half, int8_t <- float, uint8_t <- float, int8_t <- int32_t or uint8_t <- int32_t";
  template <class U, class T>
  static constexpr bool allowed = (type_of<T> == Type::f16 && (bit<U> & bits(Type::i8, Type::u8)) != 0) ||
                                  (type_of<T> == Type::f32 && (bit<U> & bits(Type::i8, Type::u8)) != 0) ||
                                  (type_of<T> == Type::i32 && (bit<U> & bits(Type::i8, Type::u8)) != 0);
  template <class U, class T> static constexpr void check() {
    static_assert(allowed<U, T>, "Compare on dav-2201 takes U, T = int8_t <- half, uint8_t <- half, int8_t <- float, "
                                 "uint8_t <- float, int8_t <- int32_t or uint8_t <- int32_t");
  }
};

struct Compares {
  static constexpr char names[] = "uint8_t <- half, uint8_t <- float or uint8_t <- int32_t";
  template <class U, class T>
  static constexpr bool allowed = (type_of<T> == Type::f16 && (bit<U> & bits(Type::u8)) != 0) ||
                                  (type_of<T> == Type::f32 && (bit<U> & bits(Type::u8)) != 0) ||
                                  (type_of<T> == Type::i32 && (bit<U> & bits(Type::u8)) != 0);
  template <class U, class T> static constexpr void check() {
    static_assert(allowed<U, T>,
                  "Compares on dav-2201 takes U, T = uint8_t <- half, uint8_t <- float or uint8_t <- int32_t");
  }
};

struct CompareRegister {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Compare on dav-2201 takes T = half or float");
  }
};

struct GetCmpMask {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "GetCmpMask on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t or float");
  }
};

struct SetCmpMask {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetCmpMask on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t or uint64_t");
  }
};

struct SelectScalar {
  static constexpr char names[] = "half <- uint8_t, half <- uint16_t, half <- uint32_t, half <- uint64_t, float <- "
                                  "uint8_t, float <- uint16_t, float <- uint32_t or float <- uint64_t";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::u8 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::u16 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::u32 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::u64 && (bit<T> & bits(Type::f16, Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "Select on dav-2201 takes T, U = half <- uint8_t, half <- uint16_t, half <- uint32_t, half <- "
                  "uint64_t, float <- uint8_t, float <- uint16_t, float <- uint32_t or float <- uint64_t");
  }
};

struct SelectTensor {
  static constexpr char names[] = "half <- uint8_t, half <- uint16_t, half <- uint32_t, half <- uint64_t, float <- "
                                  "uint8_t, float <- uint16_t, float <- uint32_t or float <- uint64_t";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::u8 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::u16 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::u32 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
                                  (type_of<U> == Type::u64 && (bit<T> & bits(Type::f16, Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "Select on dav-2201 takes T, U = half <- uint8_t, half <- uint16_t, half <- uint32_t, half <- "
                  "uint64_t, float <- uint8_t, float <- uint16_t, float <- uint32_t or float <- uint64_t");
  }
};

struct SelectRegister {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Select on dav-2201 takes T = half or float");
  }
};

struct GatherMaskUser {
  static constexpr char names[] = "int16_t <- uint16_t, uint16_t <- uint16_t, half <- uint16_t, bfloat16_t <- "
                                  "uint16_t, int32_t <- uint32_t, uint32_t <- uint32_t or float <- uint32_t";
  template <class T, class U>
  static constexpr bool allowed =
      (type_of<U> == Type::u16 && (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16)) != 0) ||
      (type_of<U> == Type::u32 && (bit<T> & bits(Type::i32, Type::u32, Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "GatherMask on dav-2201 takes T, U = int16_t <- uint16_t, uint16_t <- uint16_t, half <- uint16_t, "
                  "bfloat16_t <- uint16_t, int32_t <- uint32_t, uint32_t <- uint32_t or float <- uint32_t");
  }
};

struct GatherMaskFixed {
  static constexpr char names[] = "int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "GatherMask on dav-2201 takes T = int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float");
  }
};

struct Cast {
  static constexpr char names[] =
      "half <- int4b_t, half <- int8_t, half <- uint8_t, half <- int16_t, float <- int16_t, int4b_t <- half, int8_t <- "
      "half, uint8_t <- half, int16_t <- half, int32_t <- half, float <- half, int32_t <- bfloat16_t, float <- "
      "bfloat16_t, int16_t <- int32_t, half <- int32_t, float <- int32_t, int64_t <- int32_t, int16_t <- float, half "
      "<- float, bfloat16_t <- float, int32_t <- float, float <- float, int64_t <- float, int32_t <- int64_t or float "
      "<- int64_t";
  template <class T, class U>
  static constexpr bool allowed =
      (type_of<U> == Type::i4 && (bit<T> & bits(Type::f16)) != 0) ||
      (type_of<U> == Type::i8 && (bit<T> & bits(Type::f16)) != 0) ||
      (type_of<U> == Type::u8 && (bit<T> & bits(Type::f16)) != 0) ||
      (type_of<U> == Type::i16 && (bit<T> & bits(Type::f16, Type::f32)) != 0) ||
      (type_of<U> == Type::f16 &&
       (bit<T> & bits(Type::i4, Type::i8, Type::u8, Type::i16, Type::i32, Type::f32)) != 0) ||
      (type_of<U> == Type::bf16 && (bit<T> & bits(Type::i32, Type::f32)) != 0) ||
      (type_of<U> == Type::i32 && (bit<T> & bits(Type::i16, Type::f16, Type::f32, Type::i64)) != 0) ||
      (type_of<U> == Type::f32 &&
       (bit<T> & bits(Type::i16, Type::f16, Type::bf16, Type::i32, Type::f32, Type::i64)) != 0) ||
      (type_of<U> == Type::i64 && (bit<T> & bits(Type::i32, Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>,
                  "Cast on dav-2201 takes T, U = half <- int4b_t, half <- int8_t, half <- uint8_t, half <- int16_t, "
                  "float <- int16_t, int4b_t <- half, int8_t <- half, uint8_t <- half, int16_t <- half, int32_t <- "
                  "half, float <- half, int32_t <- bfloat16_t, float <- bfloat16_t, int16_t <- int32_t, half <- "
                  "int32_t, float <- int32_t, int64_t <- int32_t, int16_t <- float, half <- float, bfloat16_t <- "
                  "float, int32_t <- float, float <- float, int64_t <- float, int32_t <- int64_t or float <- int64_t");
  }
};

struct SetDeqScaleHalf {
  static constexpr char names[] = "half";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetDeqScale on dav-2201 takes T = half");
  }
};

struct SetDeqScaleFloat {
  static constexpr char names[] = "float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetDeqScale on dav-2201 takes T = float");
  }
};

struct SetDeqScaleTable {
  static constexpr char names[] = "uint64_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetDeqScale on dav-2201 takes T = uint64_t");
  }
};

struct ScalarCastFloat {
  static constexpr char names[] = "float <- half or float <- int32_t";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::f32)) != 0) ||
                                  (type_of<U> == Type::i32 && (bit<T> & bits(Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "Cast on dav-2201 takes T, U = float <- half or float <- int32_t");
  }
};

struct ReduceDataBlock {
  static constexpr char names[] = "half <- half or float <- float";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::f16)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "ReduceDataBlock on dav-2201 takes T, U = half <- half or float <- float");
  }
};

struct ReduceRepeat {
  static constexpr char names[] = "half <- half or float <- float";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::f16)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "ReduceRepeat on dav-2201 takes T, U = half <- half or float <- float");
  }
};

struct ReducePairElem {
  static constexpr char names[] = "half <- half or float <- float";
  template <class T, class U>
  static constexpr bool allowed = (type_of<U> == Type::f16 && (bit<T> & bits(Type::f16)) != 0) ||
                                  (type_of<U> == Type::f32 && (bit<T> & bits(Type::f32)) != 0);
  template <class T, class U> static constexpr void check() {
    static_assert(allowed<T, U>, "ReducePairElem on dav-2201 takes T, U = half <- half or float <- float");
  }
};

struct ReduceMaxCount {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReduceMax on dav-2201 takes T = half or float");
  }
};

struct ReduceMinCount {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReduceMin on dav-2201 takes T = half or float");
  }
};

struct ReduceMaxRepeat {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReduceMax on dav-2201 takes T = half or float");
  }
};

struct ReduceMinRepeat {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReduceMin on dav-2201 takes T = half or float");
  }
};

struct ReduceSumCount {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReduceSum on dav-2201 takes T = half or float");
  }
};

struct ReduceSumRepeat {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReduceSum on dav-2201 takes T = half or float");
  }
};

struct GetReduceRepeatMaxMinSpr {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "GetReduceRepeatMaxMinSpr on dav-2201 takes T = half or float");
  }
};

struct GetReduceRepeatSumSpr {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "GetReduceRepeatSumSpr on dav-2201 takes T = half or float");
  }
};

struct BlockReduceSum {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "BlockReduceSum on dav-2201 takes T = half or float");
  }
};

struct BlockReduceMax {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "BlockReduceMax on dav-2201 takes T = half or float");
  }
};

struct BlockReduceMin {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "BlockReduceMin on dav-2201 takes T = half or float");
  }
};

struct WholeReduceSum {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "WholeReduceSum on dav-2201 takes T = half or float");
  }
};

struct WholeReduceMax {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "WholeReduceMax on dav-2201 takes T = half or float");
  }
};

struct WholeReduceMin {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "WholeReduceMin on dav-2201 takes T = half or float");
  }
};

struct RepeatReduceSum {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "RepeatReduceSum on dav-2201 takes T = half or float");
  }
};

struct PairReduceSum {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "PairReduceSum on dav-2201 takes T = half or float");
  }
};

struct Duplicate {
  static constexpr char names[] = "int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "Duplicate on dav-2201 takes T = int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float");
  }
};

struct Brcb {
  static constexpr char names[] = "int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "Brcb on dav-2201 takes T = int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float");
  }
};

struct CreateVecIndex {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "CreateVecIndex on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct Arange {
  static constexpr char names[] = "int16_t, half, int32_t or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::f16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Arange on dav-2201 takes T = int16_t, half, int32_t or float");
  }
};

struct FillGm {
  static constexpr char names[] = "uint16_t, int16_t, half, uint32_t, int32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::u16, Type::i16, Type::f16, Type::u32, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Fill on dav-2201 takes T = uint16_t, int16_t, half, uint32_t, int32_t or float");
  }
};

struct Gather {
  static constexpr char names[] = "int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "Gather on dav-2201 takes T = int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float");
  }
};

struct Gatherb {
  static constexpr char names[] = "uint16_t or uint32_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::u16, Type::u32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Gatherb on dav-2201 takes T = uint16_t or uint32_t");
  }
};

struct BilinearInterpolation {
  static constexpr char names[] = "half";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "BilinearInterpolation on dav-2201 takes T = half");
  }
};

struct Copy {
  static constexpr char names[] = "int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "Copy on dav-2201 takes T = int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float");
  }
};

struct Sort32 {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Sort32 on dav-2201 takes T = half or float");
  }
};

struct MrgSort {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "MrgSort on dav-2201 takes T = half or float");
  }
};

struct MrgSortList {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "MrgSort on dav-2201 takes T = half or float");
  }
};

struct Concat {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Concat on dav-2201 takes T = half or float");
  }
};

struct Sort {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Sort on dav-2201 takes T = half or float");
  }
};

struct Extract {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Extract on dav-2201 takes T = half or float");
  }
};

struct GetSortOffset {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "GetSortOffset on dav-2201 takes T = half or float");
  }
};

struct GetSortLen {
  static constexpr char names[] = "half or float";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::f16, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "GetSortLen on dav-2201 takes T = half or float");
  }
};

struct Transpose {
  static constexpr char names[] = "int16_t, uint16_t or half";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::u16, Type::f16)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "Transpose on dav-2201 takes T = int16_t, uint16_t or half");
  }
};

struct TransposeExt {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(
        allowed<T>,
        "Transpose on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t or float");
  }
};

struct TransDataTo5HD {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(
        allowed<T>,
        "TransDataTo5HD on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t or float");
  }
};

struct SetVectorMaskBits {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetVectorMask on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, "
                              "bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t");
  }
};

struct SetVectorMaskLen {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetVectorMask on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, "
                              "bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t");
  }
};

struct DataCopyIn {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyOut {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyLocal {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyInBlocks {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyOutBlocks {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyLocalBlocks {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyInEnhanced {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyOutEnhanced {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyNd2Nz {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t or float");
  }
};

struct DataCopyNz2Nd {
  static constexpr char names[] = "int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "DataCopy on dav-2201 takes T = int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float");
  }
};

struct DataCopyInSlice {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t or float");
  }
};

struct DataCopyOutSlice {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t or float";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopy on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t or float");
  }
};

struct DataCopyPadIn {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopyPad on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyPadOut {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopyPad on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyPadInOld {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopyPad on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCopyPadOutOld {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCopyPad on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct SetPadValue {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetPadValue on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct SetAtomicAdd {
  static constexpr char names[] = "int8_t, int16_t, half, bfloat16_t, int32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::i16, Type::f16, Type::bf16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetAtomicAdd on dav-2201 takes T = int8_t, int16_t, half, bfloat16_t, int32_t or float");
  }
};

struct SetAtomicMax {
  static constexpr char names[] = "int8_t, int16_t, half, bfloat16_t, int32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::i16, Type::f16, Type::bf16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetAtomicMax on dav-2201 takes T = int8_t, int16_t, half, bfloat16_t, int32_t or float");
  }
};

struct SetAtomicMin {
  static constexpr char names[] = "int8_t, int16_t, half, bfloat16_t, int32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::i16, Type::f16, Type::bf16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "SetAtomicMin on dav-2201 takes T = int8_t, int16_t, half, bfloat16_t, int32_t or float");
  }
};

struct SetAtomicType {
  static constexpr char names[] = "int8_t, int16_t, half, bfloat16_t, int32_t or float";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::i16, Type::f16, Type::bf16, Type::i32, Type::f32)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>,
                  "SetAtomicType on dav-2201 takes T = int8_t, int16_t, half, bfloat16_t, int32_t or float");
  }
};

struct DataCacheCleanAndInvalid {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16, Type::i32, Type::u32, Type::f32,
                     Type::i64, Type::u64, Type::f64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCacheCleanAndInvalid on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, "
                              "half, bfloat16_t, int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
};

struct DataCachePreload {
  static constexpr char names[] = "int16_t or int64_t";
  template <class T> static constexpr bool allowed = (bit<T> & bits(Type::i16, Type::i64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DataCachePreload on dav-2201 takes T = int16_t or int64_t");
  }
};

struct ReadGmByPassDCache {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "ReadGmByPassDCache on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, int32_t, "
                              "uint32_t, int64_t or uint64_t");
  }
};

struct WriteGmByPassDCache {
  static constexpr char names[] = "int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed =
      (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "WriteGmByPassDCache on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, int32_t, "
                              "uint32_t, int64_t or uint64_t");
  }
};

struct DumpTensor {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DumpTensor on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, "
                              "int32_t, uint32_t, float, int64_t or uint64_t");
  }
};

struct DumpAccChkPoint {
  static constexpr char names[] =
      "int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t";
  template <class T>
  static constexpr bool allowed = (bit<T> & bits(Type::i8, Type::u8, Type::i16, Type::u16, Type::f16, Type::bf16,
                                                 Type::i32, Type::u32, Type::f32, Type::i64, Type::u64)) != 0;
  template <class T> static constexpr void check() {
    static_assert(allowed<T>, "DumpAccChkPoint on dav-2201 takes T = int8_t, uint8_t, int16_t, uint16_t, half, "
                              "bfloat16_t, int32_t, uint32_t, float, int64_t or uint64_t");
  }
};
} // namespace ferrata::api
