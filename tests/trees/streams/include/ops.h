#ifndef OPS_H
#define OPS_H
#include <cstdint>
#include "acl/acl.h"
namespace demo {
struct Shape { uint32_t rows; uint32_t cols; };
struct RowArgs { Shape shape; float scale; uint8_t flag; };
void LaunchRowSum(uint32_t blocks, void* stream, float* x, float* y, const RowArgs& args);
void LaunchFill(uint32_t blocks, aclrtStream stream, void* x, float value, int64_t n);
void LaunchAxpy(uint32_t blocks, aclrtStream stream, void* x, void* y, float a, uint32_t n);
} // namespace demo
#endif
