#ifndef SCALE_SHIFT_H
#define SCALE_SHIFT_H
#include <cstdint>
namespace scale_shift {
enum class Mode : int32_t { PLAIN = 0, RELU = 1, ABS = 2 };
struct TilingData {
    uint32_t total;
    uint32_t tile;
    float alpha;
    float beta;
    Mode mode;
};
constexpr uint32_t MAX_TILE = 4096;
inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
} // namespace scale_shift
#endif
