// Custom operators: the classes that an author derives from, and how a class is registered for an operator type.
//
//   class AddCustom : public EagerExecuteOp, public ShapeInferOp { ... };
//   REG_AUTO_MAPPING_OP(AddCustom);
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "../exe_graph/runtime/annotated_args_context.h"
#include "../exe_graph/runtime/eager_op_execution_context.h"
#include "../exe_graph/runtime/infer_datatype_context.h"
#include "../exe_graph/runtime/infer_shape_context.h"
#include "../exe_graph/runtime/op_compile_context.h"
#include "../exe_graph/runtime/update_args_context.h"
#include "ascend_string.h"
#include "compiler_def.h"
#include "error_codes.h"
#include "types.h"

namespace ge {

class FERRATA_GE_API BaseCustomOp {
public:
  virtual ~BaseCustomOp();
};

// The mixins derive virtually, so that one class may combine several; the engine finds them by dynamic_cast.

// Runs the node: allocates outputs and workspaces and launches kernels on the context's stream.
class FERRATA_GE_API EagerExecuteOp : virtual public BaseCustomOp {
public:
  ~EagerExecuteOp() override;
  virtual graphStatus Execute(gert::EagerOpExecutionContext *ctx) = 0;
};

// Called once per node, before memory is planned.
class FERRATA_GE_API CompilableOp : virtual public BaseCustomOp {
public:
  ~CompilableOp() override;
  virtual graphStatus Compile(gert::OpCompileContext *ctx) = 0;
};

// Output shapes and data types from those of the inputs; the data types are asked for first.
class FERRATA_GE_API ShapeInferOp : virtual public BaseCustomOp {
public:
  ~ShapeInferOp() override;
  virtual graphStatus InferShape(gert::InferShapeContext *ctx) = 0;
  virtual graphStatus InferDataType(gert::InferDataTypeContext *ctx) = 0;
};

// State that is saved with a graph.
class FERRATA_GE_API PortableOp : virtual public BaseCustomOp {
public:
  ~PortableOp() override;
  virtual graphStatus Serialize(std::vector<uint8_t> &buffer) = 0;
  virtual graphStatus Deserialize(const std::vector<uint8_t> &buffer) = 0;
};

// Writes new addresses into argument blocks of recorded launches. Wins over AnnotatedArgsOp.
class FERRATA_GE_API ArgsUpdater : virtual public BaseCustomOp {
public:
  ~ArgsUpdater() override;
  virtual graphStatus UpdateHostArgs(gert::UpdateArgsContext *ctx) = 0;
};

// Says which address each slot of the launch arguments holds, so that the engine can refresh them itself.
class FERRATA_GE_API AnnotatedArgsOp : virtual public BaseCustomOp {
public:
  ~AnnotatedArgsOp() override;
  virtual graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext &ctx) = 0;
};

enum class CustomOpCapability : uint32_t {
  kEagerExecute = 1,
  kCompilable = 2,
  kShapeInfer = 4,
  kPortable = 8,
  kArgsUpdater = 16,
  kAnnotatedArgs = 32,
};

using BaseOpCreator = std::function<std::unique_ptr<BaseCustomOp>()>;
using CustomOpCreateFunc = BaseCustomOp *(*)();

struct CustomOpTypeToCreator {
  uint32_t struct_size;
  const char *op_type;
  CustomOpCreateFunc creator;
};

// Registers a creator for an operator type. The first of a type stays; a second is refused with a warning.
class FERRATA_GE_API CustomOpCreatorRegister {
public:
  CustomOpCreatorRegister(const AscendString &op_type, const BaseOpCreator &creator,
                          const char *file = __builtin_FILE(), int line = __builtin_LINE());
  CustomOpCreatorRegister(const AscendString &op_type, const CustomOpCreateFunc creator,
                          const char *file = __builtin_FILE(), int line = __builtin_LINE());
  ~CustomOpCreatorRegister() = default;
};

// The registry itself. Instances are made on first use, one per operator type, shared by all nodes.
class FERRATA_GE_API CustomOpFactory {
public:
  // GRAPH_PARAM_INVALID for a null creator, GRAPH_FAILED for a second one of a type.
  static graphStatus RegisterCustomOpCreator(const AscendString &op_type, const BaseOpCreator &creator);
  static std::unique_ptr<BaseCustomOp> CreateCustomOp(const AscendString &op_type);
  // Null for an unknown type.
  static BaseCustomOp *CreateOrGetCustomOp(const AscendString &op_type);
  static graphStatus GetAllRegisteredOps(std::vector<AscendString> &op_types);
  static bool IsExistOp(const AscendString &op_type);
  // Forgets creator and instance.
  static void RemoveCustomOp(const AscendString &op_type);
};

} // namespace ge

#define REG_JOIN_INNER(a, b) a##b
#define REG_JOIN(a, b) REG_JOIN_INNER(a, b)
#define REG_AUTO_MAPPING_OP(custom_op_class) REG_AUTO_MAPPING_OP_AT(custom_op_class, __COUNTER__)
#define REG_AUTO_MAPPING_OP_AT(custom_op_class, counter) REG_AUTO_MAPPING_OP_INNER(custom_op_class, counter)
#define REG_AUTO_MAPPING_OP_INNER(custom_op_class, counter)                                                            \
  static ::ge::BaseCustomOp *CreateCustomOp##counter() { return new custom_op_class(); }                               \
  VAR_UNUSED static const ::ge::CustomOpCreatorRegister custom_op_creator_register##counter(                           \
      #custom_op_class, static_cast<::ge::CustomOpCreateFunc>(&CreateCustomOp##counter));

// Queries on what has been registered, for loaders.
extern "C" {
FERRATA_GE_API uint32_t GetRegisteredCustomOpCreatorAbiVersion();
FERRATA_GE_API size_t GetRegisteredCustomOpCreatorNum();
FERRATA_GE_API int32_t GetRegisteredCustomOpCreators(ge::CustomOpTypeToCreator *out, size_t count, size_t struct_size);
}
