// A dynamic input, nested tiling structures, two outputs.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(JoinPart)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(int64_t, columns);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(JoinPartOp, JoinPart)

BEGIN_TILING_DATA_DEF(JoinTiling)
TILING_DATA_FIELD_DEF(uint16_t, rows);
TILING_DATA_FIELD_DEF_STRUCT(JoinPart, part);
TILING_DATA_FIELD_DEF_ARR(int16_t, 3, marks);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(JoinRows, JoinTiling)

static ge::graphStatus Tiling(gert::TilingContext *context) {
  JoinTiling tiling;
  const int16_t marks[3] = {7, 8, 9};
  tiling.set_rows(static_cast<uint16_t>(context->GetOutputShape(0)->GetStorageShape().GetDim(0)));
  tiling.part.set_flag(1);
  tiling.part.set_columns(context->GetOutputShape(0)->GetStorageShape().GetDim(1));
  tiling.set_marks(marks);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}
} // namespace optiling

static ge::graphStatus InferShape(gert::InferShapeContext *context) {
  const size_t count = context->GetComputeNodeInfo()->GetIrInputsNum() == 1 ? context->GetComputeNodeInputNum() : 0;
  int64_t rows = 0;
  for (size_t i = 0; i < count; ++i)
    rows += context->GetDynamicInputShape(0, i)->GetDim(0);
  gert::Shape *all = context->GetOutputShape(0);
  all->SetDimNum(2);
  all->SetDim(0, rows);
  all->SetDim(1, context->GetDynamicInputShape(0, 0)->GetDim(1));
  gert::Shape *counts = context->GetOutputShape(1);
  counts->SetDimNum(1);
  counts->SetDim(0, static_cast<int64_t>(count));
  return ge::GRAPH_SUCCESS;
}

namespace ops {
class JoinRows : public OpDef {
public:
  explicit JoinRows(const char *name) : OpDef(name) {
    this->Input("parts").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_INT32});
    this->Output("all").ParamType(REQUIRED).Follow("parts");
    this->Output("rows").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT32}).InitValue(5);
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tiling);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(JoinRows, "ascend910b");
} // namespace ops
