// Operators that an OpDef defines: their prototype, their columns of data types, and how one runs on its own kernel.
//
// OP_ADD leads to Define. The engine in Python then gives such a type its kernels (ferrata_ge_set_kernels), after which
// it executes like any other custom operator: tiling.cpp calls its tiling function and launches the kernel.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/custom_op.h"
#include "node.h"
#include "register/op_def.h"

namespace optiling {
std::vector<std::string> RegisteredTilingClasses(); // operator types with a tiling class
} // namespace optiling

namespace ferrata::native {

struct EagerState;

struct DefinedPort {
  std::string name;
  PortKind kind;
  bool list = false; // types are any of the list, not one per column
  std::vector<ge::DataType> types;
  std::vector<ge::Format> formats;
  std::vector<ops::ScalarVar> init; // values that the framework fills an output with before the kernel
  bool by_compute = false;
  const char *number = "";                     // "one", "list": a host number or numbers may be given for the tensor
  ge::DataType number_type = ge::DT_UNDEFINED; // which become this type,
  std::string number_port;                     // or that port's
};

struct Definition {
  std::string type;
  std::vector<DefinedPort> inputs, outputs;
  std::vector<ops::OpAttrDef> attrs;
  std::map<std::string, std::string> settings; // of the chip's configuration
  Origin origin;

  // The column that fits the types of the inputs' ports (DT_UNDEFINED fits all), or -1.
  int Column(const std::vector<ge::DataType> &per_port) const;
  ge::DataType Type(const DefinedPort &port, int column) const;
  std::string Columns() const; // for messages
};

// True between ferrata_ge_replace_definitions(1) and (0): registrations replace those of the same type.
bool DefinitionsReplace();
void Define(const ops::OpDef &definition, const void *site);
// Null for a type without an OpDef. Valid until the type is defined again.
const Definition *DefinitionOf(const std::string &type);
std::vector<std::string> DefinedTypes();

// The types of the node's inputs by port, of the first tensor each.
std::vector<ge::DataType> PortTypesOf(const ferrata_ge_node &node);
// Fills the output types that are still undefined from the column. 0, or the explained error.
int32_t InferByDefinition(const ferrata_ge_node &node, std::vector<ge::DataType> &out);

// The failure as a class of ferrata.errors with its fields.
int32_t FailAs(const char *cls, const std::vector<std::pair<const char *, std::string>> &fields);

// Runs a defined operator: infer shapes, allocate, tile, launch. Not called through Execute but by the engine itself,
// since each of the author's functions is guarded by itself.
class DefinedOp : public ge::EagerExecuteOp {
public:
  ge::graphStatus Execute(gert::EagerOpExecutionContext *) override { return ge::GRAPH_FAILED; }
  int32_t Run(ferrata_ge_node &node, EagerState &state, void *stream);
};

} // namespace ferrata::native
