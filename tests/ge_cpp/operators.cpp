// Operators as authors write them, for the tests of the binding and of execution. No kernels: Execute computes on the
// host, which may read device memory here.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "ferrata/runtime.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "platform/platform_infos_def.h"
#include "register/op_impl_registry.h"

using namespace ge;

namespace {

// Types and shapes as the first input.
class LikeFirst : virtual public ShapeInferOp {
public:
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    const gert::Shape *in = ctx->GetInputShape(0);
    for (size_t i = 0; i < ctx->GetComputeNodeOutputNum(); ++i)
      *ctx->GetOutputShape(i) = *in;
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override {
    for (size_t i = 0; i < ctx->GetComputeNodeOutputNum(); ++i)
      if (ctx->SetOutputDataType(i, ctx->GetInputDataType(0)) != GRAPH_SUCCESS)
        return GRAPH_FAILED;
    return GRAPH_SUCCESS;
  }
};

gert::Tensor *Like(gert::EagerOpExecutionContext *ctx, size_t out, const gert::Tensor *in) {
  return ctx->MallocOutputTensor(out, in->GetShape(), in->GetFormat(), in->GetDataType());
}

} // namespace

// --- z = x + y, all float ---

class AddHost : public EagerExecuteOp, public LikeFirst {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0), *y = ctx->GetInputTensor(1);
    if (x == nullptr || y == nullptr || ctx->GetInputTensor(2) != nullptr)
      return GRAPH_FAILED;
    if (x->GetShapeSize() != y->GetShapeSize()) {
      std::cout << "x has " << x->GetShapeSize() << " elements" << std::endl;
      printf("y has %lld\n", static_cast<long long>(y->GetShapeSize()));
      fprintf(stderr, "they must be equal\n");
      std::cerr << "see the manual\n";
      return GRAPH_PARAM_INVALID;
    }
    gert::Tensor *z = Like(ctx, 0, x);
    if (z == nullptr)
      return GRAPH_FAILED;
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      z->GetData<float>()[i] = x->GetData<float>()[i] + y->GetData<float>()[i];
    return z == ctx->GetOutputTensor(0) ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
};
REG_OP(AddHost)
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(y, TensorType({DT_FLOAT}))
    .OUTPUT(z, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(AddHost);
REG_AUTO_MAPPING_OP(AddHost);

// --- ports of every kind: sums the parts, adds the bias if there is one, writes the sum and one copy per part ---

class Gathered : public EagerExecuteOp, public LikeFirst {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::AnchorInstanceInfo *parts = ctx->GetIrInputInstanceInfo(1);
    const gert::Tensor *first = ctx->GetRequiredInputTensor(0);
    const gert::Tensor *bias = ctx->GetOptionalInputTensor(2);
    if (parts == nullptr || first == nullptr || ctx->GetDynamicInputTensor(1, parts->GetInstanceNum()) != nullptr)
      return GRAPH_FAILED;
    gert::Tensor *sum = Like(ctx, 0, first);
    for (int64_t i = 0; i < first->GetShapeSize(); ++i) {
      float value = first->GetData<float>()[i];
      for (size_t p = 0; p < parts->GetInstanceNum(); ++p)
        value += ctx->GetDynamicInputTensor(1, p)->GetData<float>()[i];
      sum->GetData<float>()[i] = value + (bias != nullptr ? bias->GetData<float>()[0] : 0.0f);
    }
    const gert::AnchorInstanceInfo *copies = ctx->GetIrOutputInstanceInfo(1);
    for (size_t p = 0; p < copies->GetInstanceNum(); ++p) {
      const gert::Tensor *part = ctx->GetDynamicInputTensor(1, p);
      gert::Tensor *copy = Like(ctx, copies->GetInstanceStart() + p, part);
      memcpy(copy->GetAddr(), part->GetAddr(), static_cast<size_t>(part->GetShapeSize()) * sizeof(float));
    }
    return GRAPH_SUCCESS;
  }
};
REG_OP(Gathered)
    .INPUT(first, TensorType({DT_FLOAT}))
    .DYNAMIC_INPUT(parts, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT}))
    .OUTPUT(sum, TensorType({DT_FLOAT}))
    .DYNAMIC_OUTPUT(copies, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Gathered) REG_AUTO_MAPPING_OP(Gathered);

// --- attributes of every kind, told in the text of a failure ---

class Attributed : public EagerExecuteOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::RuntimeAttrs *attrs = ctx->GetAttrs();
    printf("count=%zu\n", attrs->GetAttrNum());
    if (attrs->GetAttrNum() == 0)
      return GRAPH_FAILED;
    printf("int=%lld float=%g bool=%d text=%s type=%d\n", static_cast<long long>(*attrs->GetInt(0)),
           static_cast<double>(*attrs->GetFloat(1)), *attrs->GetBool(2) ? 1 : 0, attrs->GetStr(3),
           static_cast<int>(*attrs->GetAttrPointer<DataType>(4)));
    printf("ints=");
    for (size_t i = 0; i < attrs->GetListInt(5)->GetSize(); ++i)
      printf("%lld,", static_cast<long long>(attrs->GetListInt(5)->GetData()[i]));
    printf(" floats=");
    for (size_t i = 0; i < attrs->GetListFloat(6)->GetSize(); ++i)
      printf("%g,", static_cast<double>(attrs->GetListFloat(6)->GetData()[i]));
    const auto *bools = attrs->GetAttrPointer<gert::TypedContinuousVector<uint8_t>>(7);
    printf(" bools=%zu:%d%d", bools->GetSize(), bools->GetData()[0], bools->GetData()[1]);
    const auto *texts = attrs->GetAttrPointer<gert::ContinuousVector>(8);
    const char *text = static_cast<const char *>(texts->GetData());
    printf(" texts=%zu:%s,%s", texts->GetSize(), text, text + strlen(text) + 1);
    const gert::ContinuousVectorVector *nested = attrs->GetListListInt(9);
    printf(" nested=%zu:%zu,%zu,%lld", nested->GetSize(), nested->Get(0)->GetSize(), nested->Get(1)->GetSize(),
           static_cast<long long>(static_cast<const int64_t *>(nested->Get(0)->GetData())[1]));
    const gert::Tensor *tensor = attrs->GetTensor(10);
    printf(" tensor=%d:%zu:%g", static_cast<int>(tensor->GetDataType()), tensor->GetSize(),
           static_cast<double>(tensor->GetData<float>()[1]));
    const auto *types = attrs->GetAttrPointer<gert::TypedContinuousVector<DataType>>(11);
    printf(" types=%zu:%d", types->GetSize(), static_cast<int>(types->GetData()[1]));
    const auto *bytes = attrs->GetAttrPointer<gert::TypedContinuousVector<uint8_t>>(12);
    printf(" bytes=%zu:%d", bytes->GetSize(), bytes->GetData()[1]);
    printf(" needed=%lld beyond=%d\n", static_cast<long long>(*attrs->GetInt(13)),
           attrs->GetInt(14) == nullptr ? 1 : 0);
    return GRAPH_FAILED;
  }
};
REG_OP(Attributed)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(an_int, Int, 3)
    .ATTR(a_float, Float, 0.5)
    .ATTR(a_bool, Bool, true)
    .ATTR(a_text, String, "hello")
    .ATTR(a_type, Type, DT_BF16)
    .ATTR(ints, ListInt, {1, 2})
    .ATTR(floats, ListFloat, {0.5, 2})
    .ATTR(bools, ListBool, {true, false})
    .ATTR(texts, ListString, {"a", "bc"})
    .ATTR(nested, ListListInt, {{1, 2}, {}})
    .ATTR(tensor, Tensor,
          Tensor(TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT), std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0x80, 0x3f}))
    .ATTR(types, ListType, {DT_FLOAT, DT_INT8})
    .ATTR(bytes, Bytes, {1, 255})
    .REQUIRED_ATTR(needed, Int)
    .OP_END_FACTORY_REG(Attributed) REG_AUTO_MAPPING_OP(Attributed);

// --- an output that is an input ---

class Increment : public EagerExecuteOp, public LikeFirst {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    if (ctx->MallocOutputTensor(0, ctx->GetInputTensor(0)->GetShape(), ctx->GetInputTensor(0)->GetFormat(), DT_FLOAT) !=
        nullptr)
      return GRAPH_FAILED; // a name of an input may not be allocated
    if (ctx->MakeOutputRefInput(1, 0) != nullptr)
      return GRAPH_FAILED; // the names differ
    gert::Tensor *x = ctx->MakeOutputRefInput(0, 0);
    gert::Tensor *old = Like(ctx, 1, ctx->GetInputTensor(0));
    if (x == nullptr || old == nullptr || x->GetAddr() != ctx->GetInputTensor(0)->GetAddr())
      return GRAPH_FAILED;
    for (int64_t i = 0; i < x->GetShapeSize(); ++i) {
      old->GetData<float>()[i] = x->GetData<float>()[i];
      x->GetData<float>()[i] += 1;
    }
    return GRAPH_SUCCESS;
  }
};
REG_OP(Increment)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(old, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Increment) REG_AUTO_MAPPING_OP(Increment);

// --- the shape of the output depends on the data: indices of what is not zero ---

class Nonzero1D : public EagerExecuteOp, public ShapeInferOp {
public:
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    *ctx->GetOutputShape(0) = gert::Shape{-1};
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override { return ctx->SetOutputDataType(0, DT_INT64); }
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0);
    gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), DT_INT64);
    int64_t count = 0;
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      if (x->GetData<float>()[i] != 0)
        y->GetData<int64_t>()[count++] = i;
    y->MutableOriginShape().SetDim(0, count);
    y->MutableStorageShape().SetDim(0, count);
    y->MutableTensorData().SetSize(static_cast<size_t>(count) * sizeof(int64_t));
    return GRAPH_SUCCESS;
  }
};
REG_OP(Nonzero1D)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(Nonzero1D) REG_AUTO_MAPPING_OP(Nonzero1D);

// --- what the context gives besides tensors: workspaces, arguments, sizes, names ---

class Contextual : public EagerExecuteOp, public CompilableOp {
public:
  graphStatus Compile(gert::OpCompileContext *ctx) override {
    AscendString value;
    if (ctx->GetOption("test.option", value) != GRAPH_SUCCESS)
      return GRAPH_FAILED;
    fe::PlatFormInfos platform;
    fe::OptionalInfos optional;
    std::string ub;
    if (ctx->GetPlatformInfos(platform, optional) != GRAPH_SUCCESS ||
        !platform.GetPlatformRes("AICoreSpec", "ub_size", ub))
      return GRAPH_FAILED;
    ++compiled_;
    rank_ = ctx->GetInputTensor(0)->GetOriginShape().GetDimNum();
    return ctx->GetInputTensor(0)->GetAddr() == nullptr ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    int32_t numbers[3] = {1, 2, 3};
    const gert::KernelArgs *args = ctx->MallocReadOnlyDevArgs(numbers, sizeof(numbers));
    void *space = ctx->MallocWorkSpace(1000), *second = ctx->MallocWorkSpace(1);
    if (args == nullptr || space == nullptr || second == nullptr || space == second)
      return GRAPH_FAILED;
    memset(space, 0, 1024); // rounded up to 512
    numbers[0] = 0;         // the host buffer may be reused at once
    if (static_cast<int32_t *>(args->args_data)[0] != 1 || args->args_size != sizeof(numbers) ||
        ctx->MallocReadOnlyDevArgs(nullptr, 4) != nullptr)
      return GRAPH_FAILED;
    gert::Tensor *y =
        ctx->MallocOutputTensor(0, gert::StorageShape({3}, {3}), ctx->GetInputTensor(0)->GetFormat(), DT_INT64);
    const int64_t facts[3] = {static_cast<int64_t>(y->GetSize()), compiled_, static_cast<int64_t>(rank_)};
    memcpy(y->GetAddr(), facts, sizeof(facts));
    const bool names = strcmp(ctx->GetNodeType(), "Contextual") == 0 && strcmp(ctx->GetNodeName(), "here") == 0;
    const bool counts = ctx->GetComputeNodeInputNum() == 1 && ctx->GetComputeNodeInfo()->GetIrOutputsNum() == 1;
    const bool descs = ctx->GetInputDesc(0)->GetDataType() == DT_FLOAT && ctx->GetInputDesc(1) == nullptr;
    const bool bad = ctx->GetInputTensor(7) == nullptr && ctx->GetOptionalInputTensor(7) == nullptr &&
                     ctx->MallocOutputTensor(1, gert::StorageShape({1}, {1}), y->GetFormat(), DT_INT64) == nullptr &&
                     ctx->GetOutputTensor(2) == nullptr && ctx->MakeOutputRefInput(0, 5) == nullptr;
    return names && counts && descs && bad ? GRAPH_SUCCESS : GRAPH_FAILED;
  }

private:
  int64_t compiled_ = 0;
  size_t rank_ = 0;
};
REG_OP(Contextual)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(Contextual) REG_AUTO_MAPPING_OP(Contextual);

// --- failures ---

class Throws : public EagerExecuteOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *) override { throw std::runtime_error("out of ideas"); }
};
REG_OP(Throws)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(Throws) REG_AUTO_MAPPING_OP(Throws);

// As a launch does when its kernel faults.
class Faults : public EagerExecuteOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *) override {
    throw ferrata::KernelFault("read outside GM",
                               R"({"kind": "OutOfBounds", "message": "read outside GM", "kernel": "k",
      "block": 3, "core": "AIV", "api": "DataCopy", "file": "/k.asc", "line": 41})");
  }
};
REG_OP(Faults)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(Faults) REG_AUTO_MAPPING_OP(Faults);

class SetsNothing : public EagerExecuteOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *) override { return GRAPH_SUCCESS; }
};
REG_OP(SetsNothing)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(SetsNothing) REG_AUTO_MAPPING_OP(SetsNothing);

class OnlyInfers : public LikeFirst {};
REG_OP(OnlyInfers)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(OnlyInfers) REG_AUTO_MAPPING_OP(OnlyInfers);

class BadConstructor : public EagerExecuteOp {
public:
  BadConstructor() { throw std::runtime_error("no"); }
  graphStatus Execute(gert::EagerOpExecutionContext *) override { return GRAPH_SUCCESS; }
};
REG_OP(BadConstructor)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(BadConstructor) REG_AUTO_MAPPING_OP(BadConstructor);

// --- V2 functions, V1 functions, symbols ---

static graphStatus ReshapeShape(gert::InferShapeContext *ctx) {
  const gert::Tensor *shape = ctx->GetInputTensor(1);
  gert::Shape *out = ctx->GetOutputShape(0);
  out->SetDimNum(0);
  for (size_t i = 0; i < shape->GetSize() / sizeof(int64_t); ++i)
    out->AppendDim(shape->GetData<int64_t>()[i]);
  return GRAPH_SUCCESS;
}
REG_OP(ReshapeLike)
    .INPUT(x, TensorType::ALL())
    .INPUT(shape, TensorType({DT_INT64}))
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(ReshapeLike) IMPL_OP(ReshapeLike)
    .InferShape(ReshapeShape)
    .InferOutDataTypeSameWithFirstInput()
    .InputsDataDependency({1});

static graphStatus FailingShape(gert::InferShapeContext *) {
  printf("cannot say\n");
  return GRAPH_FAILED;
}
REG_OP(NeverInfers)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType({DT_INT8}))
    .OP_END_FACTORY_REG(NeverInfers) IMPL_OP(NeverInfers)
    .InferShape(FailingShape);

REG_OP(OldStyle)
    .INPUT(a, TensorType::ALL())
    .INPUT(b, TensorType::ALL())
    .OUTPUT(c, TensorType::ALL())
    .OP_END_FACTORY_REG(OldStyle) COMMON_INFER_FUNC_REG(OldStyle, BROADCAST_INFER("a", "b", "c"));

REG_OP(Symbolic)
    .INPUT(a, "T1")
    .INPUT(b, "T2")
    .DYNAMIC_INPUT(many, "L")
    .OUTPUT(sum, "P")
    .OUTPUT(first, "T1")
    .DYNAMIC_OUTPUT(back, "L")
    .OUTPUT(index, "I")
    .ATTR(R, Type, DT_INT32)
    .OUTPUT(told, "R")
    .DATATYPE(T1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32}))
    .DATATYPE(T2, TensorType::NumberType())
    .DATATYPE(L, ListTensorType(TensorType({DT_FLOAT, DT_INT8})))
    .DATATYPE(P, Promote({"T1", "T2"}))
    .DATATYPE(I, TensorType({DT_INT64}))
    .DATATYPE(R, TensorType({DT_INT32, DT_INT64}))
    .OP_END_FACTORY_REG(Symbolic)

        REG_OP(Nothing)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(Nothing)
