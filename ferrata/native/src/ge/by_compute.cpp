// Outputs whose shape the kernel computes. The memory is that of the largest shape; the kernel writes the real one.
#include "by_compute.h"

#include <cstring>

#include "exe_graph/runtime/infer_shape_range_context.h"

namespace ferrata::native {

namespace {

bool Open(const gert::Shape &shape) {
  for (size_t d = 0; d < shape.GetDimNum(); ++d)
    if (shape.GetDim(d) < 0)
      return true;
  return false;
}

std::string Text(const gert::Shape &shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.GetDimNum(); ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(shape.GetDim(d));
  return text + "]";
}

// One output's words: 64-bit ones, whose first has bit 31 set or holds the number of dimensions alone, or 32-bit ones.
bool Read(const uint8_t *words, gert::Shape &shape) {
  uint64_t first = 0;
  memcpy(&first, words, sizeof first);
  const bool wide = (first >> 31 & 1U) != 0 || first >> 32 == 0;
  const uint64_t rank = first & 0x7fffffffU;
  if (rank == 0 || rank >= kShapeWords)
    return false;
  shape.SetDimNum(rank);
  for (size_t d = 0; d < rank; ++d) {
    uint32_t narrow = 0;
    uint64_t value = 0;
    if (wide)
      memcpy(&value, words + 8 * (d + 1), sizeof value);
    else {
      memcpy(&narrow, words + 4 * (d + 1), sizeof narrow);
      value = narrow;
    }
    shape.SetDim(d, static_cast<int64_t>(value));
  }
  return true;
}

} // namespace

std::vector<size_t> ComputedOutputs(const ferrata_ge_node &node) {
  std::vector<size_t> found;
  const Definition *definition = DefinitionOf(node.type);
  size_t next = 0;
  for (const auto &output : node.Impl().outputs)
    if (output.present) {
      if (definition != nullptr && output.ir < definition->outputs.size() && definition->outputs[output.ir].by_compute)
        found.push_back(next);
      ++next;
    }
  return found;
}

int32_t LargestShapes(ferrata_ge_node &node, std::vector<gert::Tensor> &inputs, std::vector<gert::Shape> &shapes) {
  std::vector<size_t> open;
  for (const size_t i : ComputedOutputs(node))
    if (Open(shapes[i]))
      open.push_back(i);
  if (open.empty())
    return 0;
  Implementation implementation;
  (void)ImplementationOf(node.type, implementation);
  const auto function = implementation.functions.infer_shape_range;
  if (function == nullptr)
    return FailAs("ShapeNotInferred", {{"op", node.type},
                                       {"port", std::to_string(open[0])},
                                       {"why", "and its kernel computes that shape: give the largest one there, or "
                                               "with SetInferShapeRange"}});
  std::vector<gert::Range<gert::Tensor>> given(inputs.size());
  std::vector<gert::Range<gert::Shape>> ranges(shapes.size());
  std::vector<gert::Shape> least(shapes.size()), most(shapes.size());
  ContextBlock context(node.Inputs(), node.Outputs(), node.Info());
  for (size_t i = 0; i < inputs.size(); ++i) {
    given[i].SetMin(&inputs[i]);
    given[i].SetMax(&inputs[i]);
    context.SetInput(i, &given[i]);
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    ranges[i].SetMin(&least[i]);
    ranges[i].SetMax(&most[i]);
    context.SetOutput(i, &ranges[i]);
  }
  const int32_t status =
      Guarded("InferShapeRange", [&] { return function(context.As<gert::InferShapeRangeContext>()); });
  if (status != 0) {
    const LastError last = ErrorOfThread();
    return FailAs("InferShapeFailed",
                  {{"op", node.type},
                   {"node", node.name},
                   {"where", "its InferShapeRange"},
                   {"how", last.text},
                   {"printed", last.printed.empty() ? "It printed nothing." : "It printed:\n" + last.printed}});
  }
  for (const size_t i : open)
    if (ranges[i].GetMax() != nullptr)
      shapes[i] = *ranges[i].GetMax();
  return 0;
}

int32_t TakeShapes(const ferrata_ge_node &node, EagerState &state, const void *block) {
  const auto *words = static_cast<const uint8_t *>(block);
  for (const size_t i : ComputedOutputs(node)) {
    gert::Shape shape;
    gert::Shape &largest = state.outputs[i].MutableStorageShape();
    const bool written = Read(words, shape);
    if (!written || Open(shape) || shape.GetShapeSize() > largest.GetShapeSize()) {
      uint64_t first = 0;
      memcpy(&first, words, sizeof first);
      return FailAs("OutputShapeNotComputed",
                    {{"op", node.type},
                     {"output", state.output_names[i]},
                     {"what", written      ? "the shape " + Text(shape)
                              : first == 0 ? "nothing"
                                           : std::to_string(first) + " as number of dimensions"},
                     {"largest", Text(largest)}});
    }
    largest = shape;
    state.outputs[i].MutableOriginShape() = shape;
    words += 8 * kShapeWords;
  }
  return 0;
}

} // namespace ferrata::native
