// The host side of ScaleAdd: how the work is split, what comes out, and what the operator is.
#include "register/op_def_registry.h"
#include "scale_add_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t TILE = 4096;
constexpr uint32_t ALIGN = 64; // elements; a core's share then begins at a full block for every type

static ge::graphStatus TilingFunc(gert::TilingContext *context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  const uint32_t blocks = (total + TILE - 1) / TILE;
  const uint32_t cores = blocks == 0 ? 1 : blocks < platform.GetCoreNumAiv() ? blocks : platform.GetCoreNumAiv();
  const uint32_t share = (total + cores - 1) / cores;

  ScaleAddTilingData tiling;
  tiling.set_total(total);
  tiling.set_perCore((share + ALIGN - 1) / ALIGN * ALIGN);
  tiling.set_tile(TILE);
  tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  context->SetBlockDim(cores);
  context->SetScheduleMode(1); // the cores wait for each other
  context->SetTilingKey(*context->GetAttrs()->GetBool(1) ? 2 : 1);
  // per core one block with its part of the sum
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * 32;
  return ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  gert::Shape *sum = context->GetOutputShape(1);
  sum->SetDimNum(1);
  sum->SetDim(0, 1);
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops {
class ScaleAdd : public OpDef {
public:
  explicit ScaleAdd(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("sum")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
    this->Attr("with_sum").AttrType(OPTIONAL).Bool(true);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};

OP_ADD(ScaleAdd);
} // namespace ops
