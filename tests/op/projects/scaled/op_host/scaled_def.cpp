#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
namespace ops {
class Scaled : public OpDef {
public:
  explicit Scaled(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->Input("alpha").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32}).Scalar();
    this->Input("beta").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32}).Scalar().To("x");
    this->Input("weights")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
        .ScalarList()
        .To(ge::DT_FLOAT);
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Scaled);
} // namespace ops

namespace optiling {
static ge::graphStatus ScaledTiling(gert::TilingContext *context) {
  int64_t *sizes = context->GetTilingData<int64_t>();
  sizes[0] = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  const auto *weights = context->GetInputShape(context->GetOptionalInputShape(2) != nullptr ? 3 : 2);
  sizes[1] = weights->GetStorageShape().GetShapeSize();
  context->GetRawTilingData()->SetDataSize(16);
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus ScaledShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(Scaled).Tiling(ScaledTiling);
IMPL_OP_INFERSHAPE(Scaled).InferShape(ScaledShape);
} // namespace optiling
