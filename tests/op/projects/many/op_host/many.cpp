// Lists in all places: a dynamic input and output, attributes of every list type; a tiling struct per key.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ManyTiling)
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ManyScales, ManyTiling)

BEGIN_TILING_DATA_DEF(ManyTilingOffset)
TILING_DATA_FIELD_DEF(int64_t, unused);
TILING_DATA_FIELD_DEF_ARR(float, 2, offsets);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ManyScales_2, ManyTilingOffset)

// factors, flags, rounds, table: with flags[0] the sum of the table is added (key 2), else x is scaled (key 1).
static ge::graphStatus Tiling(gert::TilingContext *context) {
  const gert::RuntimeAttrs *attrs = context->GetAttrs();
  const auto *factors = attrs->GetListFloat(0);
  const bool *flags = static_cast<const bool *>(attrs->GetAttrPointer<gert::ContinuousVector>(1)->GetData());
  const auto *rounds = attrs->GetListInt(2);
  const auto *table = attrs->GetListListInt(3);
  auto *raw = context->GetRawTilingData();
  if (!flags[0]) {
    ManyTiling tiling;
    float factor = 1;
    for (size_t i = 0; i < factors->GetSize(); ++i)
      factor *= factors->GetData()[i];
    for (size_t i = 0; i < rounds->GetSize(); ++i)
      factor += static_cast<float>(rounds->GetData()[i]);
    tiling.set_factor(factor);
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->SetTilingKey(1);
  } else {
    ManyTilingOffset tiling;
    float offsets[2] = {0, static_cast<float>(table->GetSize())};
    for (size_t i = 0; i < table->GetSize(); ++i)
      for (size_t j = 0; j < table->Get(i)->GetSize(); ++j)
        offsets[0] += static_cast<float>(static_cast<const int64_t *>(table->Get(i)->GetData())[j]);
    tiling.set_offsets(offsets);
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->SetTilingKey(2);
  }
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}
} // namespace optiling

static ge::graphStatus InferShape(gert::InferShapeContext *context) {
  for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i)
    *context->GetOutputShape(i) = *context->GetDynamicInputShape(0, i);
  return ge::GRAPH_SUCCESS;
}

namespace ops {
class ManyScales : public OpDef {
public:
  explicit ManyScales(const char *name) : OpDef(name) {
    this->Input("xs").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Output("ys").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Attr("factors").AttrType(OPTIONAL).ListFloat({2.0f, 1.5f});
    this->Attr("flags").AttrType(OPTIONAL).ListBool({false, true});
    this->Attr("rounds").AttrType(OPTIONAL).ListInt({});
    this->Attr("table").AttrType(OPTIONAL).ListListInt({{1, 2}, {3}});
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tiling);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ManyScales);
} // namespace ops
