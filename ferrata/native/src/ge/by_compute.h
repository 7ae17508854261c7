// Outputs whose shape the kernel computes (OutputShapeDependOnCompute): their largest shapes before the launch, their
// own after it.
#pragma once
#include <vector>

#include "definition.h"
#include "execute.h"

namespace ferrata::native {

// Output tensors of the node with such a port, in order.
std::vector<size_t> ComputedOutputs(const ferrata_ge_node &node);

// Where InferShape leaves a dimension of such an output open, the largest shape that SetInferShapeRange gives.
int32_t LargestShapes(ferrata_ge_node &node, std::vector<gert::Tensor> &inputs, std::vector<gert::Shape> &shapes);

// The block that a kernel with such outputs gets as `shape_out`, before the workspace: per output 9 words of 64 bits,
// the number of dimensions and the dimensions. Null without memory.
constexpr size_t kShapeWords = 9;
// Gives each such output the shape that the kernel wrote into the block.
int32_t TakeShapes(const ferrata_ge_node &node, EagerState &state, const void *block);

} // namespace ferrata::native
