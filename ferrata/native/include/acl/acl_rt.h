// The ACL runtime: devices, contexts, streams, events, memory; kernels from binaries. Device memory is host memory
// here, so copies are memcpy, and a kernel has ended when its launch returns; streams are therefore always empty and
// keep only their errors.
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

typedef void *aclrtBinHandle;   // a loaded binary
typedef void *aclrtFuncHandle;  // a kernel of one
typedef void *aclrtArgsHandle;  // a list of arguments
typedef void *aclrtParamHandle; // one argument in it

typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption *options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

typedef enum aclrtEngineType {
  ACL_RT_ENGINE_TYPE_AIC = 0,
  ACL_RT_ENGINE_TYPE_AIV = 1,
} aclrtEngineType;

typedef enum aclrtLaunchKernelAttrId {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9,
} aclrtLaunchKernelAttrId;

typedef struct aclrtTimeoutUs {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef union aclrtLaunchKernelAttrValue {
  uint8_t schemMode;
  uint32_t localMemorySize;
  uint32_t dynUBufSize;
  aclrtEngineType engineType;
  uint32_t blockDimOffset;
  uint8_t isBlockTaskPrefetch;
  uint8_t isDataDump;
  uint16_t timeout;         // seconds
  aclrtTimeoutUs timeoutUs; // microseconds
  uint8_t enableProfiling;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr *attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;

// In an image of arguments: the address at byte addrOffset is to be that of the image's byte dataOffset.
typedef struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U      // binary magic
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U // binary magic: vector
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U   // binary magic: cube
#define ACL_EVENT_SYNC 0x1U                             // event flag: host/stream synchronisation
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x2U          // event flag
#define ACL_EVENT_TIME_LINE 0x8U                        // event flag: records time
#define ACL_EVENT_DEVICE_USE_ONLY 0x10U                 // event flag
#define ACL_EVENT_EXTERNAL 0x20U                        // event flag
#define ACL_EVENT_IPC 0x40U                             // event flag
#define ACL_STREAM_FAST_LAUNCH 0x1U                     // stream flag
#define ACL_STREAM_FAST_SYNC 0x2U                       // stream flag
#define ACL_STREAM_PERSISTENT 0x4U                      // stream flag
#define ACL_STREAM_HUGE 0x8U                            // stream flag
#define ACL_STREAM_CPU_SCHEDULE 0x10U                   // stream flag
#define ACL_STREAM_DEVICE_USE_ONLY 0x20U                // stream flag

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

// --- kernels from binaries: what aclrtc compiled, or a file of `bisheng --cce-aicore-only` ---

// Loads a kernel binary from memory.
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                                     const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);
// Loads a kernel binary from a file.
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                                     aclrtBinHandle *binHandle);
// Unloads it; its function handles end.
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);
// Handle of a kernel by its name, its symbol or a lowered name. Unknown: 507027.
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                                    aclrtFuncHandle *funcHandle);
// Handle of a kernel by numeric entry: the tiling key that its launches have.
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
                                                           aclrtFuncHandle *funcHandle);
// Addresses of the cube and vector part; null for a part that the kernel does not have.
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr);

// Launch with an argument buffer: the arguments in order at their natural alignment.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                                               size_t argsSize, aclrtStream stream);
// The same with attributes.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                                                 size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream);
// Launch with attributes and an argument list; reserve = nullptr.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                         aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                                         aclrtArgsHandle argsHandle, void *reserve);
// Launch; args[i] points to the host copy of argument i; cfg may be nullptr.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
                                                            aclrtLaunchKernelCfg *cfg, void **args);
// Launch with a host image of the arguments; placeholders patch addresses inside it.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                           aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                                           void *hostArgs, size_t argsSize,
                                                           aclrtPlaceHolderInfo *placeHolderArray,
                                                           size_t placeHolderNum);
// Starts an argument list for a kernel.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);
// Adds one argument by value.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                                                   aclrtParamHandle *paramHandle);
// Closes the argument list.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

#ifdef __cplusplus
}
#endif
