// Ready-made V1 inference functions.
#include <algorithm>

#include "graph/operator_factory.h"

namespace ge {

namespace {

bool UnknownRank(const std::vector<int64_t> &dims) { return dims.size() == 1 && dims[0] == UNKNOWN_DIM_NUM; }

// False when two dimensions contradict each other.
bool Broadcast(const std::vector<int64_t> &a, const std::vector<int64_t> &b, std::vector<int64_t> &out) {
  if (UnknownRank(a) || UnknownRank(b)) {
    out = UNKNOWN_RANK;
    return true;
  }
  const size_t rank = std::max(a.size(), b.size());
  out.assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    int64_t &dim = out[rank - 1 - i];
    if (x == y || y == 1)
      dim = x;
    else if (x == 1)
      dim = y;
    else if (x == UNKNOWN_DIM || y == UNKNOWN_DIM)
      dim = std::max(x, y);
    else
      return false;
  }
  return true;
}

} // namespace

graphStatus BroadCastInfer(const std::function<std::vector<int64_t>()> &get_in1_shape,
                           const std::function<std::vector<int64_t>()> &get_in2_shape,
                           const std::function<void(const std::vector<int64_t> &out)> &set_out_shape) {
  std::vector<int64_t> out;
  if (!Broadcast(get_in1_shape(), get_in2_shape(), out))
    return GRAPH_PARAM_INVALID;
  set_out_shape(out);
  return GRAPH_SUCCESS;
}

InferShapeFunc BroadcastInferFor(const char *in1, const char *in2, const char *out) {
  return [first = std::string(in1), second = std::string(in2), result = std::string(out)](Operator &op) {
    TensorDesc desc = op.GetOutputDescByName(result.c_str());
    desc.SetDataType(op.GetInputDescByName(first.c_str()).GetDataType());
    return BroadCastInfer([&] { return op.GetInputDescByName(first.c_str()).GetShape().GetDims(); },
                          [&] { return op.GetInputDescByName(second.c_str()).GetShape().GetDims(); },
                          [&](const std::vector<int64_t> &dims) {
                            desc.SetShape(Shape(dims));
                            (void)op.UpdateOutputDesc(result.c_str(), desc);
                          });
  };
}

InferShapeFunc ElementwiseInferFor(const char *in, const char *out) {
  return [input = std::string(in), result = std::string(out)](Operator &op) {
    const TensorDesc from = op.GetInputDescByName(input.c_str());
    TensorDesc desc = op.GetOutputDescByName(result.c_str());
    desc.SetShape(from.GetShape());
    desc.SetDataType(from.GetDataType());
    return op.UpdateOutputDesc(result.c_str(), desc);
  };
}

} // namespace ge
