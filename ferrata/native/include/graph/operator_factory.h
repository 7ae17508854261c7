// Operators by type, as REG_OP registered them, and the registration of V1 functions.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ascend_string.h"
#include "operator.h"

namespace ge {

using OpCreatorV2 = std::function<Operator(const AscendString &)>;

class FERRATA_GE_API OperatorFactory {
public:
  // An empty operator for an unknown type.
  static Operator CreateOperator(const char *name, const char *type);
  static Operator CreateOperator(const std::string &name, const std::string &type) {
    return CreateOperator(name.c_str(), type.c_str());
  }
  static graphStatus GetOpsTypeList(std::vector<std::string> &types) {
    std::vector<AscendString> all;
    const graphStatus status = GetOpsTypeList(all);
    types = ToStdStrings(all);
    return status;
  }
  static graphStatus GetOpsTypeList(std::vector<AscendString> &types);
  static bool IsExistOp(const char *type);
  static bool IsExistOp(const std::string &type) { return IsExistOp(type.c_str()); }
};

// The first registration of a type wins, in all of these.
class FERRATA_GE_API OperatorCreatorRegister {
public:
  OperatorCreatorRegister(const char *type, Operator (*creator)(const AscendString &),
                          const char *file = __builtin_FILE(), int line = __builtin_LINE());
};

enum WHEN_CALL { INPUT_IS_DYNAMIC = 0, INPUT_HAS_VALUE_RANGE = 1 };

class FERRATA_GE_API InferShapeFuncRegister {
public:
  InferShapeFuncRegister(const char *type, const InferShapeFunc &function);
};
class FERRATA_GE_API InferFormatFuncRegister {
public:
  InferFormatFuncRegister(const char *type, const InferFormatFunc &function);
};
class FERRATA_GE_API VerifyFuncRegister {
public:
  VerifyFuncRegister(const char *type, const VerifyFunc &function);
};
class FERRATA_GE_API InferValueRangeFuncRegister {
public:
  InferValueRangeFuncRegister(const char *type, WHEN_CALL when, const InferValueRangeFunc &function);
  explicit InferValueRangeFuncRegister(const char *type);
};

// Ready-made V1 functions.
FERRATA_GE_API graphStatus BroadCastInfer(const std::function<std::vector<int64_t>()> &get_in1_shape,
                                          const std::function<std::vector<int64_t>()> &get_in2_shape,
                                          const std::function<void(const std::vector<int64_t> &out)> &set_out_shape);
FERRATA_GE_API InferShapeFunc BroadcastInferFor(const char *in1, const char *in2, const char *out);
FERRATA_GE_API InferShapeFunc ElementwiseInferFor(const char *in, const char *out);

} // namespace ge
