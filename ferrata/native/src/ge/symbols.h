// Data types of outputs by the type symbols of a prototype.
#pragma once
#include <string>
#include <vector>

#include "operator_impl.h"

namespace ferrata::native {

// `inputs` and `outputs` are per instance of `op`; DT_UNDEFINED is no constraint. Returns GRAPH_PARAM_INVALID and says
// why in `error` when symbols disagree. Without symbols: only outputs whose set has one member are given.
ge::graphStatus InferBySymbols(const ge::OperatorImpl &op, const std::vector<ge::DataType> &inputs,
                               std::vector<ge::DataType> &outputs, std::string &error);

} // namespace ferrata::native
