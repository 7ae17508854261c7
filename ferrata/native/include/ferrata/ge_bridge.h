// The C interface of libgert.so for the engine in Python (ctypes) and the tensor executor of the torch extension.
//
// Plain C types; nothing here throws. A call that returns a status returns 0 for success; for anything else
// ferrata_ge_last_error() explains it (per thread, valid until the next call of this thread).
#pragma once
#include <stddef.h>
#include <stdint.h>

#define FERRATA_GE_C extern "C" __attribute__((visibility("default")))

typedef struct ferrata_ge_node ferrata_ge_node;

// --- what is registered ---

// Grows with every registration.
FERRATA_GE_C uint64_t ferrata_ge_serial(void);
// JSON texts, valid until the next call of this thread. Bytes of names above 0x7e are latin-1 code points.
// [{"op_type", "inputs": [{"name", "kind", "dtypes": [..]|null, "symbol": ""|"T", "types"}], "outputs",
//   "attrs": [{"name", "type": "VT_INT", "required", "default"}],
//   "symbols": [{"name", "dtypes", "list", "promote"}], "origin": {"library", "file", "line"}}]
FERRATA_GE_C const char *ferrata_ge_prototypes(void);
// One object, or "null": {"op_type", "custom", "execute", "compile", "infer_shape", "infer_dtype", "portable",
//  "update_args", "annotated_args", "v1_infer", "v1_verify", "v2_infer_shape", "v2_infer_dtype", "v2_tiling",
//  "op_execute", "data_dependency": [ir indices], "origin"}. Instantiates the class.
FERRATA_GE_C const char *ferrata_ge_implementation(const char *op_type);
FERRATA_GE_C const char *ferrata_ge_implementation_types(void);
// Refused or overridden registrations: [{"what", "op_type", "kept": origin, "refused": origin}]
FERRATA_GE_C const char *ferrata_ge_conflicts(void);
// {"kind": "invalid|status|exception|fault|not_executable|no_prototype|not_set|error", "status", "text", "notes",
//  "printed", "fault"}; the text of an "error" is {"class": of ferrata.errors, "fields"}; notes say which requests of
//  the author's function the context answered with null.
FERRATA_GE_C const char *ferrata_ge_last_error(void);
// Throws the exception that the last failed call of this thread met, if it met one, and forgets it (C++ callers).
FERRATA_GE_C void ferrata_ge_rethrow(void);

// --- operators that an OpDef defines ---

// [{"op_type", "library", "inputs": [{"name", "kind", "list", "by_compute", "dtypes", "formats"}], "outputs",
//   "settings": {}, "tiling_classes": [{"registered", "name", "size", "fields": [{"type", "name", "count"}]}]}]
FERRATA_GE_C const char *ferrata_ge_definitions(void);
// While on, registrations by OpDef replace earlier ones of the type: a project is loaded again.
FERRATA_GE_C void ferrata_ge_replace_definitions(int32_t on);

// What a launch function of a kernel's library takes: per parameter of the kernel its value. 0, or 1 when the kernel
// has branches for tiling keys and none for this one. `dynamic_ub` are the bytes of SetLocalMemorySize.
typedef int32_t (*ferrata_ge_launch)(uint32_t blocks, void *stream, void *const *args, uint64_t key, void *workspace,
                                     uint32_t dynamic_ub);
// The launch function for data types per port (inputs, then outputs; -1 unknown) and a tiling key. `keyed` becomes 1
// when it serves this key only. Null on failure, with JSON in `error`: {"class", "fields"}.
typedef ferrata_ge_launch (*ferrata_ge_kernels)(const char *op_type, const int32_t *dtypes, size_t count, uint64_t key,
                                                int32_t *keyed, const char **error);
// Makes a defined operator executable. `tiling` names the line of its tiling function.
FERRATA_GE_C void ferrata_ge_set_kernels(const char *op_type, ferrata_ge_kernels kernels, const char *tiling);
// Calls the tiling function with these shapes, after both inferences: {"key", "blocks", "bytes", "capacity", "data":
// hex, "workspaces": [..], "schedule_mode", "local_memory"}. Null on failure.
FERRATA_GE_C const char *ferrata_ge_node_tile(ferrata_ge_node *node, const int64_t *inputs, const size_t *ranks,
                                              const int64_t *outputs, const size_t *output_ranks);

// --- options, as Compile sees them ---
FERRATA_GE_C void ferrata_ge_set_option(const char *key, const char *value); // null value: remove

// --- one node ---

// Counts of actual tensors per port of the prototype: 0 for an absent optional input. Null on error.
FERRATA_GE_C ferrata_ge_node *ferrata_ge_node_create(const char *op_type, const char *name, const int64_t *input_counts,
                                                     size_t inputs, const int64_t *output_counts, size_t outputs);
FERRATA_GE_C void ferrata_ge_node_free(ferrata_ge_node *node);
FERRATA_GE_C size_t ferrata_ge_node_inputs(const ferrata_ge_node *node); // tensors
FERRATA_GE_C size_t ferrata_ge_node_outputs(const ferrata_ge_node *node);
// Name of output tensor `i`: its port, with the place in a dynamic port. Valid until the next call of this thread.
FERRATA_GE_C const char *ferrata_ge_node_output_name(const ferrata_ge_node *node, size_t i);

FERRATA_GE_C int32_t ferrata_ge_attr_int(ferrata_ge_node *node, const char *name, int64_t value);
FERRATA_GE_C int32_t ferrata_ge_attr_float(ferrata_ge_node *node, const char *name, float value);
FERRATA_GE_C int32_t ferrata_ge_attr_bool(ferrata_ge_node *node, const char *name, int32_t value);
FERRATA_GE_C int32_t ferrata_ge_attr_string(ferrata_ge_node *node, const char *name, const char *bytes, size_t size);
FERRATA_GE_C int32_t ferrata_ge_attr_bytes(ferrata_ge_node *node, const char *name, const uint8_t *bytes, size_t size);
FERRATA_GE_C int32_t ferrata_ge_attr_dtype(ferrata_ge_node *node, const char *name, int32_t value);
FERRATA_GE_C int32_t ferrata_ge_attr_tensor(ferrata_ge_node *node, const char *name, int32_t dtype, const int64_t *dims,
                                            size_t rank, const void *data, size_t bytes);
FERRATA_GE_C int32_t ferrata_ge_attr_list_int(ferrata_ge_node *node, const char *name, const int64_t *values, size_t n);
FERRATA_GE_C int32_t ferrata_ge_attr_list_float(ferrata_ge_node *node, const char *name, const float *values, size_t n);
FERRATA_GE_C int32_t ferrata_ge_attr_list_bool(ferrata_ge_node *node, const char *name, const uint8_t *values,
                                               size_t n);
FERRATA_GE_C int32_t ferrata_ge_attr_list_dtype(ferrata_ge_node *node, const char *name, const int32_t *values,
                                                size_t n);
// Texts joined end to end, with the length of each.
FERRATA_GE_C int32_t ferrata_ge_attr_list_string(ferrata_ge_node *node, const char *name, const char *joined,
                                                 const size_t *lengths, size_t n);
FERRATA_GE_C int32_t ferrata_ge_attr_list_list_int(ferrata_ge_node *node, const char *name, const int64_t *joined,
                                                   const size_t *lengths, size_t n);

// Data types of all input tensors -> of all output tensors (28 = undefined).
FERRATA_GE_C int32_t ferrata_ge_node_infer_dtypes(ferrata_ge_node *node, const int32_t *inputs, int32_t *outputs);
// The value of input tensor `index`, known when the graph is compiled; null data forgets it.
FERRATA_GE_C int32_t ferrata_ge_node_set_const(ferrata_ge_node *node, size_t index, const void *data, size_t bytes);
// Shapes with -1 for an unknown dimension and [-2] for an unknown rank. `inputs` holds the dimensions of all inputs end
// to end; `outputs` has room for 25 per output. Uses the data types of the last ferrata_ge_node_infer_dtypes.
FERRATA_GE_C int32_t ferrata_ge_node_infer_shapes(ferrata_ge_node *node, const int64_t *inputs, const size_t *ranks,
                                                  int64_t *outputs, size_t *output_ranks);
// Data types of the outputs after inference (V1 functions give them together with shapes).
FERRATA_GE_C void ferrata_ge_node_output_dtypes(const ferrata_ge_node *node, int32_t *outputs);
// Overrides them (a front end knew better).
FERRATA_GE_C void ferrata_ge_node_set_output_dtypes(ferrata_ge_node *node, const int32_t *outputs);
// The verifier of a V1 operator. 0 without one.
FERRATA_GE_C int32_t ferrata_ge_node_verify(ferrata_ge_node *node);
// Calls Compile of a CompilableOp with these shapes. 0 for other operators.
FERRATA_GE_C int32_t ferrata_ge_node_compile(ferrata_ge_node *node, const int64_t *inputs, const size_t *ranks,
                                             const int64_t *outputs, const size_t *output_ranks);

// --- execution ---

enum { FERRATA_GE_SET = 1, FERRATA_GE_REF = 2, FERRATA_GE_PRESET = 4 };

typedef struct {
  void *data;
  const int64_t *dims;
  size_t rank;
  size_t bytes;
  int32_t dtype;
  int32_t placement; // 0 device, 1 host
  int32_t flags;     // outputs: SET when allocated or made a reference, REF when it is input `ref`; PRESET going in
  int32_t ref;
} ferrata_ge_tensor;

enum { FERRATA_GE_OUTPUT = 0, FERRATA_GE_WORKSPACE = 1, FERRATA_GE_ARGS = 2 };
// Device memory for output `index` (with its shape and type), for a workspace, or for launch arguments; null on
// failure. `bytes` is rounded up to 512. It must live until the execution is over, an output's until its user is done.
typedef void *(*ferrata_ge_alloc)(void *user, int32_t what, size_t index, size_t bytes, const int64_t *dims,
                                  size_t rank, int32_t dtype);

// Calls Execute. `outputs` comes back filled; its dims are valid until the next execution of the node.
FERRATA_GE_C int32_t ferrata_ge_node_execute(ferrata_ge_node *node, const ferrata_ge_tensor *inputs, size_t input_count,
                                             ferrata_ge_tensor *outputs, size_t output_count, void *stream,
                                             ferrata_ge_alloc alloc, void *user);
