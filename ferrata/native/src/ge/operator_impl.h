// What stands behind a ge::Operator: the prototype as its macros declared it, and the actual tensors and attributes.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "attr_holder.h"
#include "graph/graph.h"
#include "graph/operator.h"

namespace ferrata::native {

enum class PortKind { required, optional, dynamic };

struct IrPort {
  std::string name;
  PortKind kind;
  std::string types; // text of the author's type argument
};
struct IrAttr {
  std::string name;
  std::string type; // "Int", "ListFloat", ... as in the macro
  bool required;
};
struct IrSymbol {
  std::string name;
  std::vector<ge::DataType> types;
  bool list = false;
  std::vector<std::string> promote; // symbols whose common type this one is
};
// One tensor of a port.
struct Instance {
  std::string name;
  size_t ir;
  ge::TensorDesc desc;
  ge::Operator source;
  uint32_t source_index = 0;
  bool present = true;
};

} // namespace ferrata::native

namespace ge {

struct OperatorImpl {
  std::string name, type;
  std::vector<ferrata::native::IrPort> ir_inputs, ir_outputs;
  std::vector<ferrata::native::IrAttr> ir_attrs;
  std::vector<ferrata::native::IrSymbol> symbols;
  std::vector<std::pair<std::string, bool>> ir_graphs; // name, dynamic
  std::vector<ferrata::native::Instance> inputs, outputs;
  std::map<std::string, AttrHolder> attrs;
  std::map<std::string, Tensor> constants; // values of input instances known when the graph is compiled
  std::vector<Operator> control;
  std::map<std::string, std::vector<SubgraphBuilder>> builders;
  InferenceContextPtr inference_context;
};

} // namespace ge
