// Everything that authors' libraries register, in one place per process: prototypes, creators of custom operators,
// V1 and V2 functions; where each came from; and which registrations were refused.
//
// Holds state: filled by static constructors of loaded libraries, read by the bridge.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/custom_op.h"
#include "graph/operator_factory.h"
#include "operator_impl.h"
#include "register/op_impl_registry.h"

namespace ferrata::native {

struct Origin {
  std::string library; // path of the shared object that holds the registration
  std::string file;
  int line = 0;
};
// The library that `address` lies in.
Origin OriginOf(const void *address, const char *file, int line);

struct Conflict {
  std::string what; // "prototype", "creator", "inference function", "implementation"
  std::string type;
  Origin kept, refused;
};

struct V1Functions {
  ge::InferShapeFunc infer_shape;
  ge::InferFormatFunc infer_format;
  ge::VerifyFunc verify;
  ge::InferValueRangeFunc infer_value_range;
};

struct Prototype {
  std::string type;
  ge::Operator sample; // an operator without tensors: its declared ports, attributes with defaults, symbols
  Origin origin;
};

struct Implementation {
  bool custom = false;       // a class is registered
  uint32_t capabilities = 0; // ge::CustomOpCapability bits; the class is instantiated to find out
  bool v2 = false, v1 = false;
  gert::OpImplFunctionsV2 functions;
  V1Functions v1_functions;
  Origin origin;
};

uint64_t Serial(); // grows with every registration

using OperatorCreator = std::function<ge::Operator(const ge::AscendString &)>;
// `implied` prototypes come from an OpDef: one that REG_OP declares goes before, a later OpDef replaces it.
ge::graphStatus AddPrototype(const char *type, const OperatorCreator &creator, const Origin &origin,
                             bool implied = false);
// Null for an unknown type. The pointer stays valid.
const Prototype *PrototypeOf(const std::string &type);
ge::Operator CreateOperator(const std::string &name, const std::string &type);
std::vector<std::string> PrototypeTypes();

ge::graphStatus AddCreator(const std::string &type, const ge::BaseOpCreator &creator, const Origin &origin);
void AddToPullList(const char *type, ge::CustomOpCreateFunc creator);
const std::vector<std::pair<std::string, ge::CustomOpCreateFunc>> &PullList();
void RemoveCreator(const std::string &type);
ge::BaseCustomOp *InstanceOf(const std::string &type); // lazy singleton
std::unique_ptr<ge::BaseCustomOp> NewInstance(const std::string &type);
std::vector<std::string> CreatorTypes();

// Sets one of the four functions; false when the type has it already.
enum class V1Kind { infer_shape, infer_format, verify, infer_value_range };
bool AddV1(V1Kind kind, const char *type, const std::function<ge::graphStatus(ge::Operator &)> &function);
V1Functions V1FunctionsOf(const std::string &type);

void MergeV2(const std::string &type, const gert::OpImplFunctionsV2 &functions, const Origin &origin);
std::vector<std::pair<std::string, gert::OpImplFunctionsV2>> AllV2();

// What is known of a type's implementation; false when nothing is.
bool ImplementationOf(const std::string &type, Implementation &out);
std::vector<std::string> ImplementationTypes();
std::vector<Conflict> Conflicts();

} // namespace ferrata::native
