// ACL: device and pinned host memory, copies, descriptors, half conversion.
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include "acl/acl.h"
#include "acl_state.h"
#include "gm.h"
#include "numbers.h"
#include "ferrata/runtime.h"

using namespace ferrata;

struct aclDataBuffer {
  void *data;
  size_t size;
};

namespace {
std::map<uintptr_t, size_t> pinned; // blocks of aclrtMallocHost
std::mutex pinned_mutex;

bool is_pinned(const void *address) {
  std::lock_guard<std::mutex> lock(pinned_mutex);
  auto after = pinned.upper_bound(reinterpret_cast<uintptr_t>(address));
  return after != pinned.begin() &&
         reinterpret_cast<uintptr_t>(address) < std::prev(after)->first + std::prev(after)->second;
}

int device_alloc(const char *function, void **address, size_t size) {
  if (!address)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "devPtr is null");
  *address = nullptr;
  if (size == 0)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "size is 0");
  if (!current_context())
    return acl_error(ACL_ERROR_RT_CONTEXT_NULL, function, "this thread has no context; call aclrtSetDevice");
  ferrata_gm_stats_t stats;
  ferrata_gm_stats(&stats);
  if (size <= device_chip().memory && static_cast<uint64_t>(stats.allocated) + size <= device_chip().memory)
    *address = ferrata_gm_alloc(size);
  if (!*address)
    return acl_error(ACL_ERROR_RT_MEMORY_ALLOCATION, function,
                     "out of device memory: " + std::to_string(size) + " bytes asked for");
  return ACL_SUCCESS;
}

// `bytes` at a device address must lie in one live block.
int check_range(const char *function, const char *name, const void *address, size_t bytes) {
  if (!address)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, std::string(name) + " is null");
  if (!gm_reserved(address))
    return ACL_SUCCESS;
  GmBlock block;
  if (!gm_block(address, block))
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function,
                     std::string(name) + " points into device memory that is not allocated");
  size_t offset = static_cast<size_t>(static_cast<const uint8_t *>(address) - block.base);
  if (offset > block.legal || bytes > block.legal - offset)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function,
                     std::string(name) + ": " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                         " leave the block of " + std::to_string(block.bytes) + " bytes");
  return ACL_SUCCESS;
}

int check_copy(const char *function, const void *dst, size_t limit, const void *src, size_t count,
               aclrtMemcpyKind kind) {
  if (static_cast<unsigned>(kind) > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "kind " + std::to_string(kind) + " does not exist");
  if (count > limit)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function,
                     "count " + std::to_string(count) + " is larger than destMax " + std::to_string(limit));
  if (int code = check_range(function, "dst", dst, count))
    return code;
  return check_range(function, "src", src, count);
}

int check_context(const char *function) {
  return current_context()
             ? ACL_SUCCESS
             : acl_error(ACL_ERROR_RT_CONTEXT_NULL, function, "this thread has no context; call aclrtSetDevice");
}
} // namespace

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy) {
  return device_alloc("aclrtMalloc", devPtr, size);
}
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy) {
  return device_alloc("aclrtMallocAlign32", devPtr, size);
}
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy) {
  return device_alloc("aclrtMallocCached", devPtr, size);
}

aclError aclrtFree(void *devPtr) {
  GmBlock block;
  if (!devPtr || !gm_reserved(devPtr) || !gm_block(devPtr, block) || block.base != devPtr)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree",
                     devPtr ? "not the start of a live device block (freed already?)" : "devPtr is null");
  ferrata_gm_free(devPtr);
  return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **hostPtr, size_t size) {
  if (!hostPtr || size == 0)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost", hostPtr ? "size is 0" : "hostPtr is null");
  if (posix_memalign(hostPtr, 64, (size + 63) / 64 * 64) != 0)
    return acl_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocHost", "out of memory");
  std::lock_guard<std::mutex> lock(pinned_mutex);
  pinned[reinterpret_cast<uintptr_t>(*hostPtr)] = size;
  return ACL_SUCCESS;
}

aclError aclrtFreeHost(void *hostPtr) {
  {
    std::lock_guard<std::mutex> lock(pinned_mutex);
    if (!pinned.erase(reinterpret_cast<uintptr_t>(hostPtr)))
      return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost", "not a block of aclrtMallocHost");
  }
  free(hostPtr);
  return ACL_SUCCESS;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) {
  if (count > maxCount)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset",
                     "count " + std::to_string(count) + " is larger than maxCount " + std::to_string(maxCount));
  if (int code = check_range("aclrtMemset", "devPtr", devPtr, count))
    return code;
  if (!ferrata_gm_find(devPtr, nullptr, nullptr) && !is_pinned(devPtr))
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset",
                     "devPtr is neither device memory nor memory of aclrtMallocHost");
  memset(devPtr, value, count);
  return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream) {
  return aclrtMemset(devPtr, maxCount, value, count);
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) {
  if (int code = check_context("aclrtMemcpy"))
    return code;
  if (int code = check_copy("aclrtMemcpy", dst, destMax, src, count, kind))
    return code;
  memmove(dst, src, count);
  return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream) {
  return aclrtMemcpy(dst, destMax, src, count, kind);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  if (int code = check_context("aclrtMemcpy2d"))
    return code;
  if (width > dpitch || width > spitch)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy2d", "width is larger than a pitch");
  if (width == 0 || height == 0)
    return ACL_SUCCESS;
  if (int code = check_copy("aclrtMemcpy2d", dst, width, src, width, kind))
    return code;
  if (int code = check_range("aclrtMemcpy2d", "dst", dst, (height - 1) * dpitch + width))
    return code;
  if (int code = check_range("aclrtMemcpy2d", "src", src, (height - 1) * spitch + width))
    return code;
  for (size_t row = 0; row < height; ++row)
    memmove(static_cast<char *>(dst) + row * dpitch, static_cast<const char *>(src) + row * spitch, width);
  return ACL_SUCCESS;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream) {
  return aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind);
}

aclError aclrtGetMemInfo(aclrtMemAttr, size_t *free_bytes, size_t *total) {
  if (!free_bytes || !total)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetMemInfo", "an output is null");
  ferrata_gm_stats_t stats;
  ferrata_gm_stats(&stats);
  *total = device_chip().memory;
  *free_bytes = *total - std::min<size_t>(*total, static_cast<size_t>(stats.allocated));
  return ACL_SUCCESS;
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size) { return new aclDataBuffer{data, size}; }
aclError aclDestroyDataBuffer(const aclDataBuffer *buffer) {
  delete buffer;
  return ACL_SUCCESS;
}
void *aclGetDataBufferAddr(const aclDataBuffer *buffer) { return buffer ? buffer->data : nullptr; }
size_t aclGetDataBufferSizeV2(const aclDataBuffer *buffer) { return buffer ? buffer->size : 0; }

float aclFloat16ToFloat(aclFloat16 value) { return half_to_float(value); }
aclFloat16 aclFloatToFloat16(float value) { return to_half(value); }

size_t aclDataTypeSize(aclDataType type) {
  switch (type) {
  case ACL_INT8:
  case ACL_UINT8:
  case ACL_BOOL:
  case ACL_HIFLOAT8:
  case ACL_FLOAT8_E5M2:
  case ACL_FLOAT8_E4M3FN:
  case ACL_FLOAT8_E8M0:
    return 1;
  case ACL_FLOAT16:
  case ACL_BF16:
  case ACL_INT16:
  case ACL_UINT16:
    return 2;
  case ACL_FLOAT:
  case ACL_INT32:
  case ACL_UINT32:
  case ACL_COMPLEX32:
    return 4;
  case ACL_INT64:
  case ACL_UINT64:
  case ACL_DOUBLE:
  case ACL_COMPLEX64:
    return 8;
  case ACL_COMPLEX128:
    return 16;
  default:
    return 0; // below a byte, or unknown
  }
}
