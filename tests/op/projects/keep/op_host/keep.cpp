// The elements above a limit, and how many: the kernel computes the shape of its first output.
#include "register/op_def_registry.h"

namespace optiling {
struct KeepTiling {
  int64_t count;
  float limit;
  int32_t fail;
};
static ge::graphStatus Tiling(gert::TilingContext *context) {
  auto *tiling = context->GetTilingData<KeepTiling>();
  tiling->count = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  tiling->limit = *context->GetAttrs()->GetFloat(0);
  tiling->fail = static_cast<int32_t>(*context->GetAttrs()->GetInt(1));
  context->SetBlockDim(1);
  context->SetLocalMemorySize(64); // dynamic UB of the kernel
  return ge::GRAPH_SUCCESS;
}
} // namespace optiling

static ge::graphStatus InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = gert::Shape({-1}); // InferShapeRange knows the most
  *context->GetOutputShape(1) = gert::Shape({1});
  *context->GetOutputShape(2) = gert::Shape({2, context->GetInputShape(0)->GetShapeSize()});
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus InferShapeRange(gert::InferShapeRangeContext *context) {
  const int64_t all = context->GetInputShapeRange(0)->GetMax()->GetShapeSize();
  *context->GetOutputShapeRange(0)->GetMin() = gert::Shape({0});
  *context->GetOutputShapeRange(0)->GetMax() = gert::Shape({all});
  return ge::GRAPH_SUCCESS;
}

namespace ops {
class KeepAbove : public OpDef {
public:
  explicit KeepAbove(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Output("kept").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).OutputShapeDependOnCompute();
    this->Output("count").ParamType(REQUIRED).DataType({ge::DT_INT32});
    this->Output("pairs").ParamType(REQUIRED).DataType({ge::DT_INT32}).OutputShapeDependOnCompute();
    this->Attr("limit").AttrType(OPTIONAL).Float(0.5f);
    this->Attr("fail").AttrType(OPTIONAL).Int(0);
    this->SetInferShape(InferShape);
    this->SetInferShapeRange(InferShapeRange);
    this->AICore().SetTiling(optiling::Tiling);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(KeepAbove);
} // namespace ops
