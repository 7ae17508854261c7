// What a compiled kernel and libascendcl.so share: the state of a core, the descriptors of calls, and the functions
// that carry them out. The API headers build descriptors (typed, at compile time); the library checks and executes them
// (untyped, once compiled, in the best instruction set of the machine). Both come from one tree, so layouts always
// agree.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "ferrata/core/loc.h"

#define FERRATA_EXPORT extern "C" __attribute__((visibility("default")))

namespace ferrata {

enum class Kind : int { any, vector, cube, mix };
// What SetDeqScale was given last: nothing, a half, a scale with offset and sign, the address of a table.
enum DeqForm : uint8_t { deq_none, deq_half, deq_scalar, deq_table };

// Element types; `type_size_bits` in the library follows this order.
enum class Type : uint8_t { none, b1, i4, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

// Physical memories; the order is AscendC::Hardware's.
enum class Memory : uint8_t { gm, ub, l1, l0a, l0b, l0c, bias, fixbuf, count };

enum class BufferState : uint8_t { free, occupied, enqueued, dequeued };

// One block of a TQue or TBuf.
struct Buffer {
  uint8_t *data;
  uint32_t bytes;
  BufferState state;
  int8_t enque_id, free_id; // event ids that the queue holds for this block, or -1
  uint8_t enque_event;      // HardEvent of enque_id
  const void *owner;        // the TQueBind
  uint8_t free_event = 0;   // HardEvent of free_id, plus one
};

// What was allocated, for the message when a memory is over its budget.
struct Allocation {
  const char *what;
  uint32_t bytes, count;
  Memory memory;
  Loc loc;
};

enum : int { max_buffers = 64, max_allocations = 96, hard_events = 40, range_cache = 4 };

struct GmRange {
  const uint8_t *begin, *end;
};

// One running core. Reset before a kernel starts on it; nothing is inherited from an earlier kernel.
struct Core {
  // identity
  uint32_t block_idx, block_num; // of the launch
  uint32_t sub_idx, sub_num;     // inside the block
  uint32_t index, count;         // among the cores of its type
  uint32_t order;                // among all cores of the launch
  uint8_t type;                  // 0 AIC, 1 AIV
  uint8_t kind;                  // Kind
  uint8_t entered;
  const char *kernel;
  Loc last;            // the latest call; used where an operator cannot carry a location
  void *launch, *seat; // of the library
  const char *speaker; // the function that the user called, where it only calls another one: faults name it
  // memories: bases are aligned so that the low 32 bits of an address are the offset
  uint8_t *memory[static_cast<int>(Memory::count)];
  uint32_t top[static_cast<int>(Memory::count)];      // bump pointers of TPipe
  uint32_t declared[static_cast<int>(Memory::count)]; // bytes of objects declared on chip, which come first
  // vector state
  uint64_t mask[2];
  uint8_t mask_counter; // 1: Counter mode
  uint8_t saturate;     // half and bfloat16 results clamp
  uint8_t keep_cast;    // casts to integers keep the low bits instead of clamping
  uint8_t atomic;       // 0 off, 1 add, 2 max, 3 min
  Type atomic_type;
  uint64_t compare_mask[2];
  uint64_t deq_scale;
  uint64_t pad_value;
  uint8_t pad_value_set;
  uint64_t reduced_value, reduced_index;
  uint8_t reduced;            // what they hold: 0 nothing, 1 a sum, 2 an extreme
  uint16_t merged[4];         // records that the last suspended MrgSort took
  uint8_t merge_suspended;    // there was one
  uint8_t deq_form;           // what deq_scale is
  uint64_t reserved_count;    // elements that the last asc_reduce took
  uint64_t block_address[64]; // address registers VA0 to VA7
  // synchronisation
  uint8_t flag[hard_events];     // bit per event id: set and not yet waited for
  uint8_t reserved[hard_events]; // bit per event id: handed out
  Loc flag_loc[hard_events];     // latest SetFlag
  // allocation
  void *pipe; // the live TPipe
  Loc pipe_loc;
  Loc placed;          // where a tensor was placed by address or LocalMemAllocator: kernels without TPipe
  uint8_t initialised; // InitSocState has run
  uint8_t allocators;  // memories with a LocalMemAllocator, a bit each
  uint32_t buffers, allocations;
  GmRange hits[range_cache];
  uint32_t next_hit;
  uint64_t serial, stored; // launch that `stored` counts for; bytes written to GM in it by this seat
  void *shapes;
  void *workspace;            // GetSysWorkSpacePtr
  void *on_chip;              // objects that the kernel declared there
  uint64_t tiling_key;        // of the launch
  uint8_t workspace_is_whole; // the kernel set `workspace` itself: the user's part lies behind it
  Buffer buffer[max_buffers];
  Allocation allocation[max_allocations];
};

// --- descriptors ---

enum class Op : uint8_t {
#define FERRATA_OP(name, sources, reads_dst) name,
#include "ferrata/core/ops.h"
#undef FERRATA_OP
  count
};

// A local operand of a vector instruction. Strides count 32-byte blocks.
struct Operand {
  uint8_t *data;
  uint32_t bytes;
  uint16_t block_stride, repeat_stride;
  Type type;
  uint8_t position;
  const Buffer *buffer;
};

enum class Form : uint8_t { count, mask, bits, state };

// One element-wise vector instruction.
struct VectorCall {
  Op op;
  Form form;
  uint8_t mode; // RoundMode, CMPMODE, SELMODE or a flag of the op
  uint8_t sources;
  Operand dst, src[2];
  uint64_t mask[2]; // form mask: mask[0] lanes
  int64_t repeat;   // form count: elements
  uint64_t scalar;  // bits of the scalar operand
  Loc loc;
};

// One side of a copy.
struct CopySide {
  uint8_t *data;
  uint64_t bytes; // of the tensor from here on; GM without a size: all ones
  uint64_t step;  // bytes from one block's start to the next
  uint8_t position;
  const Buffer *buffer;
  const void *base; // GM: the address given to SetGlobalBuffer; the block it lies in is the one that may be touched
};

// `blocks` pieces of `block` bytes. GM to UB with padding: `left`, `right` in bytes and `tail` bytes up to 32.
struct CopyCall {
  const char *api;
  CopySide dst, src;
  uint64_t blocks, block;
  uint8_t gm_align; // required alignment of the GM address
  Type type;
  uint8_t pad; // 0 none, 1 pad value given, 2 dummy bytes only (first element of the block), 3 half becomes float
  uint16_t left, right;
  uint64_t pad_value;
  Loc loc;
};

// Reductions: everything to one value (count form; repeat form), or one value per repeat, per block, per pair of lanes.
enum class ReduceForm : uint8_t { all, all_repeats, repeat, block, pair };
struct ReduceCall {
  const char *api;
  ReduceForm form;
  uint8_t type;  // ReduceType
  uint8_t order; // ReduceOrder
  bool index;    // also give the position of the extreme
  Form mask_form;
  Operand dst, src, scratch;
  uint64_t mask[2];
  int64_t repeat;
  Loc loc;
};

// Comparisons into bits, and selections by bits.
enum class SelectForm : uint8_t { compare, compare_register, select };
struct SelectCall {
  const char *api;
  SelectForm form;
  uint8_t mode; // CMPMODE or SELMODE
  Type type;
  bool has_scalar; // the second source is `scalar`
  Form mask_form;
  Operand dst, src[2], bits;
  uint64_t mask[2];
  int64_t repeat;
  uint64_t scalar;
  Loc loc;
};

// Matrices between row-major (ND) and column groups (NZ). Pitches in bytes.
struct LayoutCall {
  const char *api;
  CopySide dst, src;
  uint8_t to_nz;
  Type type;
  uint64_t width; // bytes of an element
  uint64_t matrices, rows, columns;
  uint64_t nd_matrix, nd_row;           // start to start
  uint64_t nz_matrix, nz_row, nz_group; // the same, and from one column group to the next
  Loc loc;
};

// One dimension of a slice; fields as AscendC::SliceInfo.
struct SliceRange {
  uint32_t start, end, stride, burst, shape;
};
struct SliceCall {
  const char *api;
  CopySide dst, src;
  const SliceRange *dst_ranges, *src_ranges;
  uint32_t dimensions;
  Type type;
  uint64_t width;
  Loc loc;
};

struct LaunchInfo {
  const char *name;
  int64_t blocks;
  uint64_t dynamic_ub;
  void *stream;
  Loc loc;
};

// An argument of a device-side printf.
struct PrintArg {
  enum Tag : uint8_t { integer, unsigned_integer, real, text, pointer } tag;
  uint8_t bytes;
  union {
    int64_t i;
    uint64_t u;
    double d;
    const void *p;
  };
};

// Kinds of faults; the names are those of the classes in ferrata/errors.py.
enum class Fault : uint8_t {
#define FERRATA_FAULT(name) name,
#include "ferrata/core/faults.h"
#undef FERRATA_FAULT
  count
};

// What an observer sees: an instruction with its operands, or a synchronisation.
enum class EventKind : uint8_t {
  vector,
  reduce,
  select,
  copy,
  scalar,
  set_flag,
  wait_flag,
  barrier,
  queue,
  allocate,
  enter,
  leave,
  cross_set,
  cross_wait,
  cross_barrier,
  access
}; // access: one range of memory that an instruction on `pipe` touched
struct Event {
  EventKind kind;
  uint8_t pipe;
  uint8_t write; // scalar: 1 store
  int16_t id;    // event id
  uint16_t hard_event;
  const char *api;
  const VectorCall *vector;
  const CopyCall *copy;
  const ReduceCall *reduce;
  const SelectCall *select;
  const void *address;
  uint64_t bytes;
  Loc loc;
};
typedef void (*Observer)(const Core *core, const Event *event);
} // namespace ferrata

// --- the library's functions ---

FERRATA_EXPORT void ferrata_launch(const ferrata::LaunchInfo *info, void (*body)(void *), void *context);
// The first statement of a kernel. `unit` and `signature` are given where the unit was also compiled for cube cores: on
// a cube core the result is the kernel's other variant, which must run instead. Else null.
FERRATA_EXPORT void *ferrata_enter(const char *kernel, int kind, int cubes, int vectors, const char *unit,
                                   const char *signature, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_register_variant(const char *unit, const char *signature, void *kernel);
FERRATA_EXPORT void ferrata_forget_variant(const char *unit, const char *signature, void *kernel);
FERRATA_EXPORT void ferrata_task_type(int type, int for_key, uint64_t key, ferrata::Loc loc);
// Between cores; `vectors_only` is the template argument isAIVOnly.
FERRATA_EXPORT void ferrata_cross_set(int mode, uint16_t flag, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_cross_wait(uint16_t flag, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_sync_all(int vectors_only, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_soft_sync_all(const void *workspace, uint64_t workspace_bytes, uint64_t ub_bytes, int used,
                                          ferrata::Loc loc);
FERRATA_EXPORT void ferrata_pair_set(const void *workspace, uint64_t bytes, uint64_t ub_bytes, int block, int event,
                                     int vectors_only, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_pair_wait(const void *workspace, uint64_t bytes, uint64_t ub_bytes, int block, int event,
                                      int vectors_only, ferrata::Loc loc);
// 0 InitDetermineComputeWorkspace, 1 WaitPreBlock, 2 NotifyNextBlock.
FERRATA_EXPORT void ferrata_turn(int step, const void *workspace, uint64_t bytes, uint64_t ub_bytes, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_vector(const ferrata::VectorCall *call);
FERRATA_EXPORT void ferrata_reduce(const ferrata::ReduceCall *call);
FERRATA_EXPORT void ferrata_select(const ferrata::SelectCall *call);
FERRATA_EXPORT void ferrata_copy(const ferrata::CopyCall *call);
FERRATA_EXPORT void ferrata_layout_copy(const ferrata::LayoutCall *call);
FERRATA_EXPORT void ferrata_slice_copy(const ferrata::SliceCall *call);
FERRATA_EXPORT void ferrata_fill_gm(const ferrata::CopySide *dst, uint64_t count, uint32_t width, uint64_t bits,
                                    ferrata::Loc loc, const char *api = "InitOutput");
FERRATA_EXPORT uint64_t ferrata_cast_scalar(float value, ferrata::Type to, int round_mode);
// `bytes` at a GM address may be touched: they lie in the block that `base` points into, or the address itself when
// base is null. Else the fault.
FERRATA_EXPORT void ferrata_check_gm(const void *address, uint64_t bytes, const char *api, const char *operand,
                                     ferrata::Loc loc, const void *base = nullptr);
// Note an allocation; faults when `memory` is then over its size.
FERRATA_EXPORT void ferrata_note_allocation(ferrata::Memory memory, const char *what, uint64_t each, uint32_t count,
                                            uint64_t end, uint64_t limit, ferrata::Loc loc);
FERRATA_EXPORT uint8_t *ferrata_local_memory(ferrata::Memory memory); // base of a memory of this core
// The on-chip object of a declaration, the same at each execution; and the dynamic part of UB.
FERRATA_EXPORT void *ferrata_on_chip(ferrata::Memory memory, const void *site, uint64_t bytes, ferrata::Loc loc);
FERRATA_EXPORT void *ferrata_dynamic_ub(ferrata::Loc loc);
FERRATA_EXPORT void ferrata_print(const char *format, const ferrata::PrintArg *args, int count, ferrata::Loc loc);
FERRATA_EXPORT __attribute__((noreturn)) void ferrata_assert_failed(const char *expression, const char *format,
                                                                    const ferrata::PrintArg *args, int count,
                                                                    ferrata::Loc loc);
FERRATA_EXPORT void ferrata_dump(const void *data, uint64_t address, ferrata::Type type, const char *position,
                                 uint32_t label, uint64_t available, uint32_t count, const uint32_t *shape,
                                 uint32_t rank, ferrata::Loc loc);
// LocalTensor::Print, and ToFile: 0 or -1.
FERRATA_EXPORT void ferrata_print_tensor(const void *data, ferrata::Type type, uint32_t count);
FERRATA_EXPORT int ferrata_save_tensor(const void *data, uint64_t bytes, const char *path);
FERRATA_EXPORT void *ferrata_core_block(uint64_t bytes); // memory that lives as long as the running core
namespace ferrata {
struct BlockLocal { // a __BLOCK_LOCAL__ object; its address is that of the calling thread's
  void *(*address)();
  uint64_t bytes;
};
} // namespace ferrata
FERRATA_EXPORT void ferrata_block_local(const ferrata::BlockLocal *local, int present);
FERRATA_EXPORT int64_t ferrata_cycles(int frequency_mhz);
// Raise a fault: `format` as for printf.
FERRATA_EXPORT __attribute__((noreturn, cold, format(printf, 5, 6))) void
ferrata_fault(ferrata::Fault kind, const char *api, const char *file, int line, const char *format, ...);
// Wait until `ready(context)`; other cores run meanwhile. `what` names the wait in a deadlock report.
FERRATA_EXPORT void ferrata_wait(int (*ready)(void *), void *context, const char *what, ferrata::Loc loc);
FERRATA_EXPORT void ferrata_observe(const ferrata::Event *event);
FERRATA_EXPORT void ferrata_set_observer(ferrata::Observer observer);
// The core that the calling thread is running, or null.
extern "C" {
extern __thread ferrata::Core *ferrata_core __attribute__((visibility("default"), tls_model("initial-exec")));
}
FERRATA_EXPORT __attribute__((noreturn)) void ferrata_not_in_kernel(const char *api, ferrata::Loc loc);

namespace ferrata {

// A function of the C interface, or an older name, runs: what it calls speaks in its name. The outermost one counts.
struct Speaking {
  Core *const core = ferrata_core;
  const bool mine = core && !core->speaker;
  explicit Speaking(const char *name) {
    if (mine)
      core->speaker = name;
  }
  ~Speaking() {
    if (mine)
      core->speaker = nullptr;
  }
};

// Whether an address lies near the running function's frame, as that of an array does whose __ubuf__ the rewriter could
// not see. mask: which bits of the address there are.
inline bool on_stack(uint64_t address, uint64_t mask = ~uint64_t(0)) {
  const uint64_t here = reinterpret_cast<uint64_t>(__builtin_frame_address(0)), reach = 1u << 20;
  return ((address - here + reach) & mask) < 2 * reach;
}
constexpr const char on_stack_hint[] =
    "; the address is that of a local variable on the stack: declare an array in on-chip memory as __ubuf__ T name[n], "
    "with the qualifier in the declaration and not in a macro that takes the type";

inline Core *core() {
  Core *running = ferrata_core;
  if (__builtin_expect(!running, 0))
    ferrata_not_in_kernel("a device function", {});
  return running;
}
} // namespace ferrata
