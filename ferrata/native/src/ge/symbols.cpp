// Data types of outputs by the type symbols of a prototype.
#include "symbols.h"

#include <algorithm>

#include "graph/utils/type_utils.h"
#include "type_sets.h"

namespace ferrata::native {

using ge::DataType;
using ge::DT_UNDEFINED;

namespace {

std::string Name(DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }
std::string Names(const std::vector<DataType> &types) {
  std::string text;
  for (const DataType type : types)
    text += (text.empty() ? "" : ", ") + Name(type);
  return text;
}

struct Result {
  DataType type = DT_UNDEFINED;
  std::vector<DataType> list; // of a list symbol, per tensor
};

class Resolver {
public:
  Resolver(const ge::OperatorImpl &op, const std::vector<DataType> &inputs, std::string &error)
      : op_(op), inputs_(inputs), error_(error) {}

  // False when the operands contradict the symbol.
  bool Resolve(const IrSymbol &symbol, Result &result) {
    if (!symbol.promote.empty())
      return Promoted(symbol, result);
    std::string holder;
    for (size_t i = 0; i < op_.inputs.size() && i < inputs_.size(); ++i) {
      const IrPort &port = op_.ir_inputs[op_.inputs[i].ir];
      if (inputs_[i] == DT_UNDEFINED || ParsePortTypes(port.types).symbol != symbol.name)
        continue;
      if (!InSet(symbol, inputs_[i], "input '" + op_.inputs[i].name + "'"))
        return false;
      result.list.push_back(inputs_[i]);
      if (!symbol.list && result.type != DT_UNDEFINED && result.type != inputs_[i])
        return Fail("type symbol '" + symbol.name + "': input '" + holder + "' is " + Name(result.type) +
                    " but input '" + op_.inputs[i].name + "' is " + Name(inputs_[i]));
      if (result.type == DT_UNDEFINED)
        holder = op_.inputs[i].name;
      result.type = inputs_[i];
    }
    if (result.type == DT_UNDEFINED)
      return FromAttr(symbol, result);
    return true;
  }

private:
  bool Fail(const std::string &text) {
    error_ = text;
    return false;
  }
  bool InSet(const IrSymbol &symbol, DataType type, const std::string &what) {
    if (std::find(symbol.types.begin(), symbol.types.end(), type) != symbol.types.end())
      return true;
    return Fail(what + " is " + Name(type) + ", not in the set of type symbol '" + symbol.name +
                "': " + Names(symbol.types));
  }
  bool FromAttr(const IrSymbol &symbol, Result &result) {
    const auto attr = op_.attrs.find(symbol.name);
    if (attr != op_.attrs.end()) {
      if (const auto *one = std::get_if<DataType>(&attr->second.value)) {
        result.type = *one;
        return InSet(symbol, *one, "attribute '" + symbol.name + "'");
      }
      if (const auto *many = std::get_if<std::vector<DataType>>(&attr->second.value)) {
        result.list = *many;
        return std::all_of(many->begin(), many->end(),
                           [&](DataType type) { return InSet(symbol, type, "attribute '" + symbol.name + "'"); });
      }
    }
    if (symbol.types.size() == 1)
      result.type = symbol.types[0];
    return true;
  }
  bool Promoted(const IrSymbol &symbol, Result &result) {
    for (const std::string &name : symbol.promote) {
      const auto other = std::find_if(op_.symbols.begin(), op_.symbols.end(),
                                      [&](const IrSymbol &candidate) { return candidate.name == name; });
      if (other == op_.symbols.end())
        return Fail("type symbol '" + symbol.name + "' promotes '" + name + "', which is not declared");
      Result part;
      if (!Resolve(*other, part))
        return false;
      if (part.type == DT_UNDEFINED)
        continue;
      const DataType both = result.type == DT_UNDEFINED ? part.type : PromoteTypes(result.type, part.type);
      if (both == DT_UNDEFINED)
        return Fail("type symbol '" + symbol.name + "': " + Name(result.type) + " and " + Name(part.type) +
                    " have no common type");
      result.type = both;
    }
    return true;
  }

  const ge::OperatorImpl &op_;
  const std::vector<DataType> &inputs_;
  std::string &error_;
};

} // namespace

ge::graphStatus InferBySymbols(const ge::OperatorImpl &op, const std::vector<DataType> &inputs,
                               std::vector<DataType> &outputs, std::string &error) {
  outputs.assign(op.outputs.size(), DT_UNDEFINED);
  Resolver resolver(op, inputs, error);
  std::vector<Result> results(op.symbols.size());
  for (size_t s = 0; s < op.symbols.size(); ++s)
    if (!resolver.Resolve(op.symbols[s], results[s]))
      return ge::GRAPH_PARAM_INVALID;
  size_t place = 0; // of an output within its port
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    place = i > 0 && op.outputs[i - 1].ir == op.outputs[i].ir ? place + 1 : 0;
    const PortTypes types = ParsePortTypes(op.ir_outputs[op.outputs[i].ir].types);
    if (types.symbol.empty()) {
      if (types.known && types.types.size() == 1)
        outputs[i] = types.types[0];
      continue;
    }
    if (op.symbols.empty())
      continue;
    const auto symbol = std::find_if(op.symbols.begin(), op.symbols.end(),
                                     [&](const IrSymbol &candidate) { return candidate.name == types.symbol; });
    if (symbol == op.symbols.end()) {
      error = "output '" + op.outputs[i].name + "' uses type symbol '" + types.symbol + "', which is not declared";
      return ge::GRAPH_PARAM_INVALID;
    }
    const Result &result = results[static_cast<size_t>(symbol - op.symbols.begin())];
    outputs[i] = symbol->list && place < result.list.size() ? result.list[place] : result.type;
  }
  return ge::GRAPH_SUCCESS;
}

} // namespace ferrata::native
