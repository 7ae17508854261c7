// The smallest operator: what the tests of bad projects change.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include <cstdio>

namespace optiling {
BEGIN_TILING_DATA_DEF(StepTiling)
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(StepOne, StepTiling)
static ge::graphStatus StepTilingFunc(gert::TilingContext *context) {
  StepTiling tiling;
  tiling.set_count(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  context->SetTilingKey(1);
  return ge::GRAPH_SUCCESS;
}
} // namespace optiling
static ge::graphStatus InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
namespace ops {
class StepOne : public OpDef {
public:
  explicit StepOne(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::StepTilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(StepOne);
} // namespace ops
