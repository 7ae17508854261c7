// The C interface of libascendcl.so beyond the public ACL: what the torch device, the GE engine and the
// Python side need of the emulated device. Plain C types only; nothing here throws.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define FERRATA_API extern "C" __attribute__((visibility("default")))

// --- device memory (GM). Every block is known by its address range; kernels may touch only such ranges. ---

// `bytes` (0 is allowed) of device memory, 64-byte aligned, zero-initialised never; null when out of memory.
FERRATA_API void *ferrata_gm_alloc(size_t bytes);
FERRATA_API void ferrata_gm_free(void *block);
// Enter or remove a range that somebody else owns (a CPU tensor lent to the device, say).
FERRATA_API void ferrata_gm_adopt(void *base, size_t bytes);
FERRATA_API void ferrata_gm_forget(void *base);
// 1 and the block when `address` lies in device memory, else 0. Either output may be null.
FERRATA_API int ferrata_gm_find(const void *address, void **base, size_t *bytes);

typedef struct {
  int64_t allocated, peak, reserved, peak_reserved; // bytes now and at most
  int64_t allocations, frees;                       // counts since start
} ferrata_gm_stats_t;
FERRATA_API void ferrata_gm_stats(ferrata_gm_stats_t *out);
FERRATA_API void ferrata_gm_reset_peak(void);
// Give cached blocks back to the system.
FERRATA_API void ferrata_gm_trim(void);

// --- the chip ---

typedef struct {
  uint32_t npu_arch, cube_cores, vector_cores;
  uint32_t bytes[8]; // of on-chip memories: -, UB, L1, L0A, L0B, L0C, BiasTable, Fixpipe buffer
  uint32_t system_workspace;
  uint32_t l2_bytes_per_cycle, memory_bytes_per_cycle; // and core
  uint64_t memory, l2_bytes;
} ferrata_device_facts_t;
// Facts of the product `soc`, null for the emulated device. 0, or 1 and all zero when the name is unknown.
FERRATA_API int ferrata_device_facts(const char *soc, ferrata_device_facts_t *out);

// --- launches and faults ---

// Kernel launches of this process so far; a test proves with it that a kernel really ran.
FERRATA_API uint64_t ferrata_launch_count(void);

// Settings of the calling thread's next launches, as a framework gives them: the key that TILING_KEY_IS compares with,
// and what GetSysWorkSpacePtr returns (the kernel's `workspace` argument then already points behind the system's part).
FERRATA_API void ferrata_set_tiling_key(uint64_t key);
FERRATA_API void ferrata_set_system_workspace(void *address);
// The cores of kernels that do not declare their kind: 0 all that they have code for, 1 cube, 2 vector.
FERRATA_API void ferrata_set_kernel_mode(int mode);

// What to do when a kernel faults. RECORD (default): print it, keep it as the stream's error, make the process exit
// with a non-zero code. THROW: `<<<>>>` throws ferrata::KernelFault at the launch (the torch device switches to this).
enum { FERRATA_FAULT_RECORD = 0, FERRATA_FAULT_THROW = 1 };
FERRATA_API int ferrata_set_fault_mode(int mode); // the mode until now
// In THROW mode the launch calls this function instead of throwing KernelFault; it must throw (the torch device throws
// an exception that torch hands to Python as the fault's own class). Null, the default: throw KernelFault.
typedef void (*ferrata_thrower_t)(const char *message, const char *json);
FERRATA_API void ferrata_set_thrower(ferrata_thrower_t thrower);

// The last fault of this process as one JSON object, or null; take clears it (and the streams' error state).
// {"kind": "OutOfBounds", "message": "...", "kernel": "add_custom", "block": 3, "core": "AIV", "api": "DataCopy",
//  "file": "/path/k.asc", "line": 41}
FERRATA_API const char *ferrata_peek_fault(void);
FERRATA_API void ferrata_take_fault(void);

// Where `printf`, `DumpTensor` and `assert` of kernels write: a callback, or null for standard output.
typedef void (*ferrata_output_t)(const char *text, size_t length);
FERRATA_API void ferrata_set_output(ferrata_output_t sink);

// Threads that run the cores of a launch: 0 = as many as the machine has processors.
FERRATA_API void ferrata_set_threads(int threads);

// The current stream of this thread for device 0 (the torch device keeps its own; this is ACL's default stream).
FERRATA_API void *ferrata_default_stream(void);

#ifdef __cplusplus
#include <stdexcept>
#include <string>
namespace ferrata {
// A kernel's fault, thrown by a launch in THROW mode. `json` is the object described at ferrata_peek_fault.
struct __attribute__((visibility("default"))) KernelFault : std::runtime_error {
  KernelFault(const char *message, const char *json_text) : std::runtime_error(message), json(json_text) {}
  std::string json;
};
} // namespace ferrata
#endif
