// Copies that change the layout (ND to NZ and back, slices), filling GM, and the stored form of the DMA atomics.
#pragma once
#include "ferrata/core/copy.h"

namespace AscendC {

struct Nd2NzParams {
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
  constexpr Nd2NzParams() {}
  constexpr Nd2NzParams(ferrata::Wide number, ferrata::Wide rows, ferrata::Wide columns, ferrata::Wide src_matrix,
                        ferrata::Wide src_row, ferrata::Wide c0_stride, ferrata::Wide row_stride,
                        ferrata::Wide dst_matrix)
      : ndNum(number.fit<uint16_t>("Nd2NzParams", "ndNum")), nValue(rows.fit<uint16_t>("Nd2NzParams", "nValue")),
        dValue(columns.fit<uint16_t>("Nd2NzParams", "dValue")),
        srcNdMatrixStride(src_matrix.fit<uint16_t>("Nd2NzParams", "srcNdMatrixStride")),
        srcDValue(src_row.fit<uint16_t>("Nd2NzParams", "srcDValue")),
        dstNzC0Stride(c0_stride.fit<uint16_t>("Nd2NzParams", "dstNzC0Stride")),
        dstNzNStride(row_stride.fit<uint16_t>("Nd2NzParams", "dstNzNStride")),
        dstNzMatrixStride(dst_matrix.fit<uint16_t>("Nd2NzParams", "dstNzMatrixStride")) {}
};

struct Nz2NdParamsFull {
  uint16_t ndNum = 1;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 1;
  uint16_t srcNStride = 0;
  uint16_t dstDStride = 0;
  uint16_t dstNdMatrixStride = 1;
  constexpr Nz2NdParamsFull() {}
  constexpr Nz2NdParamsFull(ferrata::Wide number, ferrata::Wide rows, ferrata::Wide columns, ferrata::Wide src_matrix,
                            ferrata::Wide src_group, ferrata::Wide dst_row, ferrata::Wide dst_matrix)
      : ndNum(number.fit<uint16_t>("Nz2NdParamsFull", "ndNum")),
        nValue(rows.fit<uint16_t>("Nz2NdParamsFull", "nValue")),
        dValue(columns.fit<uint16_t>("Nz2NdParamsFull", "dValue")),
        srcNdMatrixStride(src_matrix.fit<uint16_t>("Nz2NdParamsFull", "srcNdMatrixStride")),
        srcNStride(src_group.fit<uint16_t>("Nz2NdParamsFull", "srcNStride")),
        dstDStride(dst_row.fit<uint16_t>("Nz2NdParamsFull", "dstDStride")),
        dstNdMatrixStride(dst_matrix.fit<uint16_t>("Nz2NdParamsFull", "dstNdMatrixStride")) {}
};

struct SliceInfo {
  uint32_t startIndex = 0;
  uint32_t endIndex = ONE_BLK_SIZE - 1;
  uint32_t stride = 0;
  uint32_t burstLen = ONE_BLK_SIZE;
  uint32_t shapeValue = 0;
  constexpr SliceInfo() {}
  constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
};
} // namespace AscendC

namespace ferrata {
inline void check_between(const char *api, const char *field, uint64_t value, uint64_t least, uint64_t most, Loc loc) {
  if (__builtin_expect(value < least || value > most, 0))
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line, "%s is %llu; it must be %llu..%llu", field,
                  static_cast<unsigned long long>(value), static_cast<unsigned long long>(least),
                  static_cast<unsigned long long>(most));
}

// The observer sees what a layout copy and a slice copy touch as one range a side.
inline void observe_whole(const char *api, const CopySide &dst, const CopySide &src, Type type, uint8_t pipe, Loc loc) {
  if constexpr (observer_level != 0) {
    CopyCall call{};
    call.api = api;
    call.dst = dst;
    call.src = src;
    call.blocks = 1;
    call.block = dst.bytes < src.bytes ? dst.bytes : src.bytes;
    call.type = type;
    call.loc = loc;
    Event event{};
    event.kind = EventKind::copy;
    event.pipe = pipe;
    event.api = api;
    event.copy = &call;
    event.loc = loc;
    observe(event);
  }
}

template <class T, class Dst, class Src>
inline void nd_to_nz(const Dst &dst, const Src &src, const AscendC::Nd2NzParams &p, Loc loc) {
  constexpr const char *api = "DataCopy";
  constexpr uint64_t size = ferrata::width_of<T>, group = 32 / size;
  check_between(api, "ndNum", p.ndNum, 0, 4095, loc);
  check_between(api, "nValue", p.nValue, 0, 16384, loc);
  if (!p.ndNum || !p.nValue || !p.dValue)
    return;
  // a stride that nothing uses may be anything
  check_between(api, "srcDValue", p.srcDValue, p.nValue > 1, 65535, loc);
  check_between(api, "dstNzC0Stride", p.dstNzC0Stride, p.dValue > group, 16384, loc);
  check_between(api, "dstNzNStride", p.dstNzNStride, p.nValue > 1, 16384, loc);
  check_between(api, "dstNzMatrixStride", p.dstNzMatrixStride, p.ndNum > 1, 65535, loc);
  const LayoutCall call{api,
                        dst.side(0),
                        src.side(0),
                        1,
                        type_of<T>,
                        size,
                        p.ndNum,
                        p.nValue,
                        p.dValue,
                        p.srcNdMatrixStride * size,
                        p.srcDValue * size,
                        p.dstNzMatrixStride * size,
                        uint64_t(p.dstNzNStride) * 32,
                        uint64_t(p.dstNzC0Stride) * 32,
                        loc};
  observe_whole(api, call.dst, call.src, call.type, PIPE_MTE2, loc);
  ferrata_layout_copy(&call);
}

template <class T, class Dst, class Src>
inline void copy_slices(const Dst &dst, const Src &src, const AscendC::SliceInfo *to, const AscendC::SliceInfo *from,
                        uint32_t dimensions, uint8_t pipe, Loc loc) {
  static_assert(sizeof(SliceRange) == sizeof(AscendC::SliceInfo), "one layout");
  const SliceCall call{"DataCopy",
                       dst.side(0),
                       src.side(0),
                       reinterpret_cast<const SliceRange *>(to),
                       reinterpret_cast<const SliceRange *>(from),
                       dimensions,
                       type_of<T>,
                       ferrata::width_of<T>,
                       loc};
  observe_whole("DataCopy", call.dst, call.src, call.type, pipe, loc);
  ferrata_slice_copy(&call);
}
} // namespace ferrata

namespace AscendC {
#define FERRATA_LAYOUT_TYPES(T)                                                                                        \
  FERRATA_TAKES(DataCopy, T, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float)

// --- ND to NZ: columns in groups of 32 bytes; what is missing in the last group becomes 0 ---
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_LAYOUT_TYPES(T);
  ferrata::nd_to_nz<T>(dst, src, params, loc);
}
// UB to L1, through GM on the chip.
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Nd2NzParams &params,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_LAYOUT_TYPES(T);
  ferrata::nd_to_nz<T>(dst, src, params, loc);
}
// The same for rows that do not fill whole blocks: the first parameters say how they lie in UB.
template <class T, class Params>
inline void DataCopyPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Params &rows,
                        const Nd2NzParams &params, ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_LAYOUT_TYPES(T);
  Nd2NzParams packed = params;
  // a row in UB starts on a block; in the GM that it passes through, rows of params.srcDValue elements follow each
  // other
  if (rows.blockCount > 1)
    packed.srcDValue =
        ferrata::Wide(((uint64_t(rows.blockLen) + 31) / 32 * 32 + uint64_t(rows.srcStride) * 32) / ferrata::width_of<T>,
                      loc)
            .fit<uint16_t>("DataCopyPad", "the pitch of the rows in UB, in elements,");
  ferrata::nd_to_nz<T>(dst, src, packed, loc);
}

// --- NZ to ND: column groups of 16 elements ---
template <class T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &p,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_TAKES(DataCopy, T, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float);
  constexpr const char *api = "DataCopy";
  constexpr uint64_t size = ferrata::width_of<T>;
  ferrata::check_between(api, "ndNum", p.ndNum, 0, 4095, loc);
  ferrata::check_between(api, "nValue", p.nValue, 0, 8192, loc);
  ferrata::check_between(api, "dValue", p.dValue, 0, 8192, loc);
  if (p.dValue % 16)
    ferrata_fault(ferrata::Fault::BadArgument, api, loc.file, loc.line, "dValue is %u; it must be a multiple of 16",
                  p.dValue);
  if (!p.ndNum || !p.nValue || !p.dValue)
    return;
  ferrata::check_between(api, "srcNdMatrixStride", p.srcNdMatrixStride, p.ndNum > 1, 512, loc);
  ferrata::check_between(api, "srcNStride", p.srcNStride, 0, 4096, loc);
  ferrata::check_between(api, "dstDStride", p.dstDStride, p.nValue > 1, 65535, loc);
  ferrata::check_between(api, "dstNdMatrixStride", p.dstNdMatrixStride, p.ndNum > 1, 65535, loc);
  const ferrata::LayoutCall call{api,
                                 dst.side(0),
                                 src.side(0),
                                 0,
                                 ferrata::type_of<T>,
                                 size,
                                 p.ndNum,
                                 p.nValue,
                                 p.dValue,
                                 p.dstNdMatrixStride * size,
                                 p.dstDStride * size,
                                 p.srcNdMatrixStride * 256 * size,
                                 16 * size,
                                 p.srcNStride * 16 * size,
                                 loc};
  ferrata::observe_whole(api, call.dst, call.src, call.type, PIPE_MTE3, loc);
  ferrata_layout_copy(&call);
}

// --- slices ---
template <class T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_LAYOUT_TYPES(T);
  ferrata::copy_slices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, PIPE_MTE2, loc);
}
template <class T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
                     ferrata::Loc loc = ferrata::Loc::here()) {
  FERRATA_LAYOUT_TYPES(T);
  ferrata::copy_slices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, PIPE_MTE3, loc);
}

// --- filling GM ---
template <class T>
inline void InitOutput(GlobalTensor<T> gm, uint32_t size, T value = T{}, ferrata::Loc loc = ferrata::Loc::here()) {
  const ferrata::CopySide side = gm.side(0);
  ferrata::observe(ferrata::EventKind::copy, PIPE_MTE3, "InitOutput", loc, side.data, size * ferrata::width_of<T>,
                   true);
  ferrata_fill_gm(&side, size, ferrata::width_of<T>, ferrata::bits_of(value), loc);
}

// --- DMA atomics as one register ---
template <AtomicDtype type, AtomicOp op> inline void SetStoreAtomicConfig() {
  static_assert(type <= AtomicDtype::ATOMIC_BF16, "SetStoreAtomicConfig: there is no such AtomicDtype");
  static_assert(op == AtomicOp::ATOMIC_SUM, "SetStoreAtomicConfig: the only AtomicOp is ATOMIC_SUM");
  constexpr ferrata::Type types[] = {ferrata::Type::none, ferrata::Type::f32, ferrata::Type::f16, ferrata::Type::i16,
                                     ferrata::Type::i32,  ferrata::Type::i8,  ferrata::Type::bf16};
  ferrata::Core *core = ferrata::core();
  core->atomic_type = types[static_cast<int>(type)];
  core->atomic = type == AtomicDtype::ATOMIC_NONE ? 0 : 1;
}
// The type as numbered by AtomicDtype; the operation is 0 (sum).
inline void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp) {
  const ferrata::Core *core = ferrata::core();
  atomicOp = 0;
  switch (core->atomic ? core->atomic_type : ferrata::Type::none) {
  case ferrata::Type::f32:
    atomicType = 1;
    return;
  case ferrata::Type::f16:
    atomicType = 2;
    return;
  case ferrata::Type::i16:
    atomicType = 3;
    return;
  case ferrata::Type::i32:
    atomicType = 4;
    return;
  case ferrata::Type::i8:
    atomicType = 5;
    return;
  case ferrata::Type::bf16:
    atomicType = 6;
    return;
  default:
    atomicType = 0;
    return;
  }
}
#undef FERRATA_LAYOUT_TYPES
} // namespace AscendC
