// Inference of output data types and shapes, and the compile step.
//
// Order: for a class with ShapeInferOp its two functions; otherwise V2 functions; otherwise V1 functions (which give
// both at once); otherwise type symbols and output sets of one type; otherwise the columns of an OpDef; otherwise
// unknown.
#include <cstring>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/op_compile_context.h"
#include "by_compute.h"
#include "definition.h"
#include "node.h"
#include "symbols.h"

using namespace ferrata::native;
using ge::DataType;

namespace {

using Dims = std::vector<int64_t>;

// Tensors without data, one per shape; a constant's tensor points to its bytes.
std::vector<gert::Tensor> TensorsOf(const std::vector<Dims> &shapes, const std::vector<DataType> &types) {
  std::vector<gert::Tensor> tensors(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (const int64_t dim : shapes[i]) {
      tensors[i].MutableOriginShape().AppendDim(dim);
      tensors[i].MutableStorageShape().AppendDim(dim);
    }
    tensors[i].SetDataType(types[i]);
    tensors[i].SetPlacement(gert::kTensorPlacementEnd);
  }
  return tensors;
}

std::vector<Dims> Split(const int64_t *dims, const size_t *ranks, size_t count) {
  std::vector<Dims> shapes(count);
  for (size_t i = 0; i < count; ++i) {
    shapes[i].assign(dims, dims + ranks[i]);
    dims += ranks[i];
  }
  return shapes;
}

int32_t InferTypes(ferrata_ge_node &node, uint32_t (*call)(gert::InferDataTypeContext *, void *), void *object,
                   std::vector<DataType> &out) {
  std::vector<DataType> undefined(node.Outputs(), ge::DT_UNDEFINED);
  const auto info = gert::NodeInfoBuilder::Build(node.Impl(), node.name.c_str(), node.input_types, undefined);
  ContextBlock context(node.Inputs(), node.Outputs(), info.get());
  for (size_t i = 0; i < node.Inputs(); ++i)
    context.Input(i).SetInline(node.input_types[i]);
  for (size_t i = 0; i < node.Outputs(); ++i)
    context.Output(i).SetInline(ge::DT_UNDEFINED);
  const int32_t status =
      Guarded("InferDataType", [&] { return call(context.As<gert::InferDataTypeContext>(), object); });
  for (size_t i = 0; i < node.Outputs() && status == 0; ++i)
    if (context.Output(i).GetValue<DataType>() != ge::DT_UNDEFINED)
      out[i] = context.Output(i).GetValue<DataType>();
  return status;
}

int32_t InferShapes(ferrata_ge_node &node, const std::vector<Dims> &shapes,
                    uint32_t (*call)(gert::InferShapeContext *, void *), void *object, std::vector<Dims> &out) {
  std::vector<gert::Tensor> inputs = TensorsOf(shapes, node.input_types);
  std::vector<gert::Shape> outputs(node.Outputs());
  ContextBlock context(node.Inputs() + 2, node.Outputs(), node.Info());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.has_constant[i]) {
      (void)inputs[i].MutableTensorData().SetAddr(node.constants[i].data(), nullptr);
      inputs[i].SetSize(node.constants[i].size());
      inputs[i].SetPlacement(gert::kOnHost);
    }
    context.SetInput(i, &inputs[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    context.SetOutput(i, &outputs[i]);
  const int32_t status = Guarded("InferShape", [&] { return call(context.As<gert::InferShapeContext>(), object); });
  for (size_t i = 0; i < outputs.size() && status == 0; ++i) {
    out[i].clear();
    for (size_t d = 0; d < std::min(outputs[i].GetDimNum(), gert::Shape::kMaxDimNum); ++d)
      out[i].push_back(outputs[i][d]);
  }
  return status;
}

// Operator with descriptions of these shapes and the node's types, as V1 functions read it.
void Describe(ferrata_ge_node &node, const std::vector<Dims> &shapes) {
  ge::OperatorImpl &op = node.Impl();
  size_t next = 0;
  op.constants.clear();
  for (auto &input : op.inputs) {
    if (!input.present)
      continue;
    const ge::Shape shape(shapes[next]);
    input.desc.Update(shape, ge::FORMAT_ND, node.input_types[next]);
    input.desc.SetOriginShape(shape);
    if (node.has_constant[next])
      op.constants[input.name] = ge::Tensor(input.desc, node.constants[next]);
    ++next;
  }
  for (size_t i = 0; i < op.outputs.size(); ++i)
    op.outputs[i].desc.Update(ge::Shape(), ge::FORMAT_ND, node.output_types[i]);
}

int32_t InferV1(ferrata_ge_node &node, const V1Functions &v1, const std::vector<Dims> &shapes, std::vector<Dims> &out) {
  Describe(node, shapes);
  const int32_t status = Guarded("InferShapeAndType", [&] { return v1.infer_shape(node.op); });
  for (size_t i = 0; i < node.Outputs() && status == 0; ++i) {
    out[i] = node.Impl().outputs[i].desc.GetShape().GetDims();
    const DataType type = node.Impl().outputs[i].desc.GetDataType();
    if (type != ge::DT_UNDEFINED && type != node.output_types[i]) {
      node.output_types[i] = type;
      node.Changed();
    }
  }
  return status;
}

// True when a declared data dependency has no known value: the function must not be called yet.
bool ValuesMissing(const ferrata_ge_node &node, uint64_t dependency) {
  size_t next = 0;
  for (const auto &input : node.Impl().inputs) {
    if (!input.present)
      continue;
    if (input.ir < 64 && ((dependency >> input.ir) & 1U) != 0 && !node.has_constant[next])
      return true;
    ++next;
  }
  return false;
}

} // namespace

int32_t ferrata_ge_node_infer_dtypes(ferrata_ge_node *node, const int32_t *inputs, int32_t *outputs) {
  for (size_t i = 0; i < node->Inputs(); ++i)
    node->input_types[i] = static_cast<DataType>(inputs[i]);
  std::vector<DataType> out;
  std::string error;
  const ge::graphStatus by_symbols = InferBySymbols(node->Impl(), node->input_types, out, error);
  if (by_symbols != ge::GRAPH_SUCCESS)
    return Fail("dtype", by_symbols, error);
  Implementation implementation;
  (void)ImplementationOf(node->type, implementation);
  auto *op = dynamic_cast<ge::ShapeInferOp *>(InstanceOf(node->type));
  int32_t status = 0;
  if (op != nullptr) {
    status = InferTypes(
        *node,
        [](gert::InferDataTypeContext *ctx, void *object) {
          return static_cast<ge::ShapeInferOp *>(object)->InferDataType(ctx);
        },
        op, out);
  } else if (implementation.functions.infer_datatype != nullptr) {
    status = InferTypes(
        *node,
        [](gert::InferDataTypeContext *ctx, void *object) {
          return static_cast<const gert::OpImplFunctionsV2 *>(object)->infer_datatype(ctx);
        },
        &implementation.functions, out);
  } else if (implementation.functions.same_dtype_as_first_input && node->Inputs() != 0) {
    out.assign(node->Outputs(), node->input_types[0]);
  }
  if (status == 0)
    status = InferByDefinition(*node, out);
  if (status != 0)
    return status;
  node->output_types = out;
  node->Changed();
  for (size_t i = 0; i < node->Outputs(); ++i)
    outputs[i] = node->output_types[i];
  return 0;
}

int32_t ferrata_ge_node_set_const(ferrata_ge_node *node, size_t index, const void *data, size_t bytes) {
  if (index >= node->Inputs())
    return Fail("invalid", ge::GRAPH_PARAM_INVALID, "no input " + std::to_string(index));
  node->has_constant[index] = data != nullptr;
  const auto *from = static_cast<const uint8_t *>(data);
  node->constants[index].assign(from, from + (data != nullptr ? bytes : 0));
  node->constants[index].reserve(8); // an empty constant still has an address
  return 0;
}

int32_t ferrata_ge_node_infer_shapes(ferrata_ge_node *node, const int64_t *inputs, const size_t *ranks,
                                     int64_t *outputs, size_t *output_ranks) {
  const std::vector<Dims> shapes = Split(inputs, ranks, node->Inputs());
  for (const Dims &shape : shapes)
    if (shape.size() > gert::Shape::kMaxDimNum)
      return Fail("invalid", ge::GRAPH_PARAM_INVALID, "more than 25 dimensions");
  std::vector<Dims> out(node->Outputs(), Dims{ge::UNKNOWN_DIM_NUM});
  Implementation implementation;
  (void)ImplementationOf(node->type, implementation);
  auto *op = dynamic_cast<ge::ShapeInferOp *>(InstanceOf(node->type));
  int32_t status = 0;
  if (op != nullptr) {
    status = InferShapes(
        *node, shapes,
        [](gert::InferShapeContext *ctx, void *object) {
          return static_cast<ge::ShapeInferOp *>(object)->InferShape(ctx);
        },
        op, out);
  } else if (!implementation.custom && implementation.v1_functions.infer_shape) {
    status = InferV1(*node, implementation.v1_functions, shapes, out);
  } else if (implementation.functions.infer_shape != nullptr) {
    if (!ValuesMissing(*node, implementation.functions.inputs_dependency))
      status = InferShapes(
          *node, shapes,
          [](gert::InferShapeContext *ctx, void *object) {
            return static_cast<const gert::OpImplFunctionsV2 *>(object)->infer_shape(ctx);
          },
          &implementation.functions, out);
  } else if (implementation.v1_functions.infer_shape) {
    status = InferV1(*node, implementation.v1_functions, shapes, out);
  }
  if (status != 0)
    return status;
  for (const size_t i : ComputedOutputs(*node)) // what is inferred is only the largest shape
    for (int64_t &dim : out[i])
      dim = dim == ge::UNKNOWN_DIM_NUM ? dim : ge::UNKNOWN_DIM;
  for (size_t i = 0; i < node->Outputs(); ++i) {
    output_ranks[i] = std::min(out[i].size(), gert::Shape::kMaxDimNum);
    for (size_t d = 0; d < output_ranks[i]; ++d)
      outputs[i * gert::Shape::kMaxDimNum + d] = out[i][d];
  }
  return 0;
}

void ferrata_ge_node_output_dtypes(const ferrata_ge_node *node, int32_t *outputs) {
  for (size_t i = 0; i < node->Outputs(); ++i)
    outputs[i] = node->output_types[i];
}

void ferrata_ge_node_set_output_dtypes(ferrata_ge_node *node, const int32_t *outputs) {
  for (size_t i = 0; i < node->Outputs(); ++i)
    node->output_types[i] = static_cast<DataType>(outputs[i]);
  node->Changed();
}

int32_t ferrata_ge_node_verify(ferrata_ge_node *node) {
  const V1Functions v1 = V1FunctionsOf(node->type);
  return v1.verify ? Guarded("Verify", [&] { return v1.verify(node->op); }) : 0;
}

int32_t ferrata_ge_node_compile(ferrata_ge_node *node, const int64_t *inputs, const size_t *ranks,
                                const int64_t *outputs, const size_t *output_ranks) {
  auto *op = dynamic_cast<ge::CompilableOp *>(InstanceOf(node->type));
  if (op == nullptr)
    return 0;
  std::vector<gert::Tensor> in = TensorsOf(Split(inputs, ranks, node->Inputs()), node->input_types);
  std::vector<gert::Tensor> out = TensorsOf(Split(outputs, output_ranks, node->Outputs()), node->output_types);
  ContextBlock context(node->Inputs(), node->Outputs(), node->Info());
  for (size_t i = 0; i < in.size(); ++i)
    context.SetInput(i, &in[i]);
  for (size_t i = 0; i < out.size(); ++i)
    context.SetOutput(i, &out[i]);
  std::lock_guard<std::mutex> lock(node->executing);
  return Guarded("Compile", [&] { return op->Compile(context.As<gert::OpCompileContext>()); });
}
