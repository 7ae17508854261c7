// Rows by indices, as production operators are written: definition, tiling with parser, and kernel in files of their own;
// an optional input and an optional output, three tiling keys.
#include "register/op_def_registry.h"
namespace ge {
static graphStatus InferShape4GatherRows(gert::InferShapeContext *context) {
  const gert::Shape *x = context->GetInputShape(0);
  const gert::Shape *idx = context->GetInputShape(1);
  gert::Shape *y = context->GetOutputShape(0);
  *y = *idx;
  y->AppendDim(x->GetDim(1));
  gert::Shape *hits = context->GetOutputShape(1);
  if (hits) {
    *hits = *idx;
  }
  return GRAPH_SUCCESS;
}
static graphStatus InferDataType4GatherRows(gert::InferDataTypeContext *context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, ge::DT_INT32);
  return GRAPH_SUCCESS;
}
} // namespace ge
namespace ops {
class GatherRows : public OpDef {
public:
  explicit GatherRows(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("indices")
        .ParamType(REQUIRED)
        .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("mask")
        .ParamType(OPTIONAL)
        .DataType({ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("hits")
        .ParamType(OPTIONAL)
        .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("scale").AttrType(OPTIONAL).Float(1.0);
    this->SetInferShape(ge::InferShape4GatherRows).SetInferDataType(ge::InferDataType4GatherRows);
    OpAICoreConfig config;
    config.DynamicCompileStaticFlag(true)
        .DynamicFormatFlag(true)
        .DynamicRankSupportFlag(true)
        .DynamicShapeSupportFlag(true)
        .NeedCheckSupportFlag(false)
        .ExtendCfgInfo("opFile.value", "gather_rows");
    this->AICore().AddConfig("ascend910b", config);
    this->AICore().AddConfig("ascend910_93", config);
  }
};
OP_ADD(GatherRows);
} // namespace ops
