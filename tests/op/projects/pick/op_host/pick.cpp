// Template keys, and an output that is also an input.
#include "register/op_def_registry.h"
#include "../op_kernel/pick_keys.h"

namespace optiling {
struct PickTiling {
  int32_t count;
};
static ge::graphStatus Tiling(gert::TilingContext *context) {
  context->GetTilingData<PickTiling>()->count =
      static_cast<int32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  context->SetBlockDim(1);
  const auto type = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
  const int64_t mode = *context->GetAttrs()->GetInt(0);
  ASCENDC_TPL_SEL_PARAM(context, type, static_cast<uint32_t>(mode), *context->GetAttrs()->GetBool(1));
  return ge::GRAPH_SUCCESS;
}
} // namespace optiling
static ge::graphStatus InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
namespace ops {
class PickOp : public OpDef {
public:
  explicit PickOp(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32});
    this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32});
    this->Output("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32});
    this->Attr("mode").AttrType(OPTIONAL).Int(1);
    this->Attr("twice").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tiling);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(PickOp);
} // namespace ops
