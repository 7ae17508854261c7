// What the kernels of this folder share: how work is split over cores, copies with tails, and reading a result on the scalar
// unit. Sizes are elements unless a name says bytes.
#pragma once
#include "kernel_operator.h"

constexpr uint32_t BLOCK_BYTES = 32;  // unit of the Unified Buffer
constexpr uint32_t REPEAT_BYTES = 256; // what one vector instruction's repeat covers

template <class T>
constexpr uint32_t PER_BLOCK = BLOCK_BYTES / sizeof(T);
template <class T>
constexpr uint32_t PER_REPEAT = REPEAT_BYTES / sizeof(T);

__aicore__ inline uint32_t RoundUp(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }
__aicore__ inline uint32_t Min(uint32_t a, uint32_t b) { return a < b ? a : b; }

// The stretch of `total` that this core works on: whole multiples of `align`, so that cores never share a 32-byte block.
struct Share {
    uint32_t start;
    uint32_t count;
};
__aicore__ inline Share CoreShare(uint32_t total, uint32_t align)
{
    uint32_t cores = AscendC::GetBlockNum();
    uint32_t each = RoundUp((total + cores - 1) / cores, align);
    uint64_t start = static_cast<uint64_t>(AscendC::GetBlockIdx()) * each;
    if (start >= total) {
        return {total, 0};
    }
    return {static_cast<uint32_t>(start), Min(total - static_cast<uint32_t>(start), each)};
}

// n elements into the Unified Buffer and out of it, whatever n is. DataCopy alone would drop what lies behind the last whole
// block.
template <class T>
__aicore__ inline void CopyIn(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from, uint32_t n)
{
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(to, from, copy, AscendC::DataCopyPadExtParams<T>());
}
template <class T>
__aicore__ inline void CopyOut(const AscendC::GlobalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t n)
{
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(to, from, copy);
}

// One pipe waits for what another has been given so far.
template <AscendC::HardEvent event>
__aicore__ inline void Sync()
{
    event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
}

// The first element of a vector result, once it is there. What the vector unit does next waits until it has been read.
template <class T>
__aicore__ inline T ReadFirst(const AscendC::LocalTensor<T>& from)
{
    Sync<AscendC::HardEvent::V_S>();
    T value = from.GetValue(0);
    Sync<AscendC::HardEvent::S_V>();
    return value;
}

// To float for the arithmetic, and back. For float a copy inside the buffer, in whole blocks.
template <class T>
__aicore__ inline void ToFloat(const AscendC::LocalTensor<float>& to, const AscendC::LocalTensor<T>& from, uint32_t n)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::DataCopy(to, from, RoundUp(n, PER_BLOCK<float>));
    } else {
        AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, n);
    }
    AscendC::PipeBarrier<PIPE_V>();
}
template <class T>
__aicore__ inline void FromFloat(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<float>& from, uint32_t n)
{
    AscendC::PipeBarrier<PIPE_V>();
    if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::DataCopy(to, from, RoundUp(n, PER_BLOCK<float>));
    } else {
        AscendC::Cast(to, from, AscendC::RoundMode::CAST_RINT, n);
    }
}

// Functions that the host calls through ctypes.
#define ENTRY extern "C" __attribute__((visibility("default"))) void
enum DType : int32_t { FLOAT = 0, HALF = 1 };
