// The ACL runtime: devices, contexts, streams, events, memory. Device memory is host memory here, so copies are memcpy,
// and a kernel has ended when its launch returns; streams are therefore always empty and keep only their errors.
#pragma once
#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclrtRunMode {
  ACL_DEVICE = 0,
  ACL_HOST = 1,
} aclrtRunMode;

typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

typedef enum aclrtStreamStatus {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 65535,
} aclrtStreamStatus;

typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE = 1,
  ACL_MEMCPY_DEVICE_TO_HOST = 2,
  ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
  ACL_MEMCPY_DEFAULT = 4,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
} aclrtMemcpyKind;

typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY = 1,
  ACL_MEM_MALLOC_NORMAL_ONLY = 2,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 256,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 4096,
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 1048576,
} aclrtMemMallocPolicy;

typedef enum aclrtMemAttr {
  ACL_DDR_MEM = 0,
  ACL_HBM_MEM = 1,
  ACL_DDR_MEM_HUGE = 2,
  ACL_DDR_MEM_NORMAL = 3,
  ACL_HBM_MEM_HUGE = 4,
  ACL_HBM_MEM_NORMAL = 5,
  ACL_MEM_NORMAL = 12,
  ACL_MEM_HUGE = 13,
} aclrtMemAttr;

typedef enum aclrtLastErrLevel {
  ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

typedef enum aclrtDevAttr {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
  ACL_DEV_ATTR_IS_VIRTUAL = 501,
  ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;

typedef enum aclrtDevResLimitType {
  ACL_RT_DEV_RES_CUBE_CORE = 0,
  ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

#define ACL_EVENT_SYNC 0x1U                    // event flag: host/stream synchronisation
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x2U // event flag
#define ACL_EVENT_TIME_LINE 0x8U               // event flag: records time
#define ACL_EVENT_DEVICE_USE_ONLY 0x10U        // event flag
#define ACL_EVENT_EXTERNAL 0x20U               // event flag
#define ACL_EVENT_IPC 0x40U                    // event flag
#define ACL_STREAM_FAST_LAUNCH 0x1U            // stream flag
#define ACL_STREAM_FAST_SYNC 0x2U              // stream flag
#define ACL_STREAM_PERSISTENT 0x4U             // stream flag
#define ACL_STREAM_HUGE 0x8U                   // stream flag
#define ACL_STREAM_CPU_SCHEDULE 0x10U          // stream flag
#define ACL_STREAM_DEVICE_USE_ONLY 0x20U       // stream flag

// Process-wide initialisation; nullptr or JSON file path. Second call returns 100002.
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);
// Process-wide teardown; repeated call returns 100037.
ACL_FUNC_VISIBILITY aclError aclFinalize(void);
// Text of the last failure of this thread, then cleared; nullptr if none.
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);
// Selects device for this thread; creates default context and stream; reference counted.
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);
// Releases one reference; the last waits for tasks and frees the device resources.
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);
// Releases regardless of the reference count.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);
// Device id of the current context.
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);
// Number of devices.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);
// Value of a device attribute (see aclrtDevAttr).
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);
// Whether the program runs on host or device.
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);
// Waits for all streams of the current device; returns task error.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);
// Same with limit in ms (-1 = none).
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);
// New context on a device, made current, with own default stream.
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);
// Destroys an explicit context.
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);
// Makes a context current for this thread.
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);
// Current context of this thread.
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);
// New stream in the current context.
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);
// Same with priority (0 = default) and stream flags.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);
// Waits for the stream and destroys it.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);
// Destroys without waiting; pending tasks are dropped.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);
// Blocks until the stream is empty; returns the error of its tasks; nullptr = default stream.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);
// Same with limit in ms; expiry returns 507046.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
// Complete or not ready, without blocking.
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);
// Device (GM) memory; 64-byte aligned; size rounded up to 32 plus 32; uninitialised.
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
// Same; size rounded up to 32 only.
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
// Same; cacheable memory.
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
// Frees device memory; no implicit synchronisation.
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);
// Pinned host memory, 64-byte aligned.
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);
// Frees memory of aclrtMallocHost.
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);
// Fills count bytes with the low byte of value; count <= maxCount.
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);
// Same, ordered in a stream.
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                              aclrtStream stream);
// Synchronous copy; count <= destMax; direction from the addresses.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                         aclrtMemcpyKind kind);
// Copy ordered in a stream.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                                              aclrtMemcpyKind kind, aclrtStream stream);
// Copies height rows of width bytes with pitches in bytes.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                           size_t height, aclrtMemcpyKind kind);
// Same, ordered in a stream.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                                size_t height, aclrtMemcpyKind kind, aclrtStream stream);
// Free and total bytes of a memory kind.
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);
// New event, default flags.
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);
// New event with event flags.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);
// New event with event flags; not limited by hardware event count.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);
// Destroys an event.
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);
// Event completes when earlier work of the stream is done.
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
// Returns the event to not recorded, ordered in a stream.
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
// Later work of the stream waits for the event.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
// Host waits for the event.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);
// Same with limit in ms; expiry 507047.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);
// Milliseconds between two recorded timeline events.
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);
// Complete or not ready.
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);
// Returns and clears the last error at the level.
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);
// Returns it without clearing.
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
// Runtime interface version.
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);
// Address to be handed to kernels that call asc_set_ffts_base_addr.
ACL_FUNC_VISIBILITY aclError aclrtGetHardwareSyncAddr(void **addr);
// Limits cores used by kernels of a stream.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
// Kernel time limit in seconds.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

#ifdef __cplusplus
}
#endif
