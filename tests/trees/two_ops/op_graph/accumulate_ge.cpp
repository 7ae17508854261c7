// C++ source that is compiled as ASC: it launches
#include "op_kernel/kernels.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "graph/ascend_string.h"
using namespace ge;
using namespace gert;

class AccumulateCustom : public ShapeInferOp, public EagerExecuteOp {
public:
    graphStatus Execute(EagerOpExecutionContext *ctx) override;
    graphStatus InferShape(InferShapeContext *ctx) override
    {
        *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
        return GRAPH_SUCCESS;
    }
    graphStatus InferDataType(InferDataTypeContext *ctx) override { return ctx->SetOutputDataType(0, ctx->GetInputDataType(0)); }
};

graphStatus AccumulateCustom::Execute(EagerOpExecutionContext *ctx)
{
    gert::Tensor *out = ctx->MakeOutputRefInput(0, 0);
    const gert::Tensor *delta = ctx->GetInputTensor(1);
    if (!out || !delta || out->GetAddr() != ctx->GetInputTensor(0)->GetAddr()) {
        return GRAPH_FAILED;
    }
    AscendString type(ctx->GetNodeType());
    if (type != AscendString("AccumulateCustom")) {
        return GRAPH_FAILED;
    }
    const bool *log = ctx->GetAttrs()->GetBool(0);
    uint32_t n = out->GetShapeSize();
    if (n == 0) return GRAPH_SUCCESS;
    ops::accumulate<<<(n + 1023) / 1024 > 8 ? 8 : (n + 1023) / 1024, 0, ctx->GetStream()>>>(
        out->GetData<float>(), delta->GetData<float>(), n, *log);
    return GRAPH_SUCCESS;
}

REG_OP(AccumulateCustom)
    .INPUT(x, TensorType::ALL())
    .INPUT(delta, TensorType({ge::DT_FLOAT}))
    .OUTPUT(x, TensorType::ALL())
    .ATTR(log, Bool, false)
    .OP_END_FACTORY_REG(AccumulateCustom)

REG_AUTO_MAPPING_OP(AccumulateCustom);
