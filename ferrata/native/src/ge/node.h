// One node of a graph, as contexts describe it to an author's functions.
#pragma once
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/kernel_context.h"
#include "ferrata/ge_bridge.h"
#include "operator_impl.h"
#include "registry.h"

namespace gert {
// Fills ComputeNodeInfo's private fields.
class NodeInfoBuilder {
public:
  // The block of memory that begins with the ComputeNodeInfo of `op`. Types are per tensor.
  static std::unique_ptr<uint8_t[]> Build(const ge::OperatorImpl &op, const char *name,
                                          const std::vector<ge::DataType> &inputs,
                                          const std::vector<ge::DataType> &outputs);
};
} // namespace gert

namespace ferrata::native {

// Memory of a context: slots, and the view over them.
class ContextBlock {
public:
  ContextBlock(size_t inputs, size_t outputs, const void *node_info);
  ~ContextBlock();
  ContextBlock(const ContextBlock &) = delete;
  ContextBlock &operator=(const ContextBlock &) = delete;

  void SetNodeInfo(const void *node_info) { Run()->compute_node_info = node_info; }
  void SetInput(size_t i, void *pointer) { slots_[i].Set(pointer, nullptr); }
  void SetOutput(size_t i, void *pointer) { slots_[inputs_ + i].Set(pointer, nullptr); }
  gert::Chain &Input(size_t i) { return slots_[i]; }
  gert::Chain &Output(size_t i) { return slots_[inputs_ + i]; }
  template <typename Context> Context *As() { return reinterpret_cast<Context *>(memory_.get()); }

private:
  gert::KernelRunContext *Run() { return reinterpret_cast<gert::KernelRunContext *>(memory_.get()); }

  size_t inputs_;
  std::vector<gert::Chain> slots_;
  std::unique_ptr<uint8_t[]> memory_;
};

struct EagerState; // execute.cpp

} // namespace ferrata::native

struct ferrata_ge_node {
  ferrata_ge_node();
  ~ferrata_ge_node();

  std::string type, name;
  ge::Operator op; // ports with tensors, attributes
  std::vector<ge::DataType> input_types, output_types;
  std::vector<std::vector<uint8_t>> constants; // per input tensor
  std::vector<bool> has_constant;
  std::unique_ptr<uint8_t[]> info;
  std::unique_ptr<ferrata::native::EagerState> eager;
  ge::EagerExecuteOp *eager_op = nullptr;
  std::mutex executing; // the shared context serves one execution at a time

  ge::OperatorImpl &Impl() const { return *op.Impl(); }
  size_t Inputs() const { return input_types.size(); }
  size_t Outputs() const { return output_types.size(); }
  // Instance description, rebuilt when types or attributes changed.
  const void *Info();
  void Changed() { info.reset(); }
  // Declared attributes without a value.
  std::vector<std::string> MissingAttrs() const;
};

namespace ferrata::native {

// The explanation of the last failure of this thread.
struct LastError {
  std::string kind, text, notes, printed, fault;
  uint32_t status = 0;
  std::exception_ptr exception;
};
LastError &ErrorOfThread();
int32_t Fail(const char *kind, uint32_t status, const std::string &text);

// Runs an author's function: turns exceptions into a status with text, collects what it printed when it failed.
// `what` names it in messages, for example "Execute".
int32_t Guarded(const char *what, const std::function<uint32_t()> &call);

// 'a', 'b'
std::string JoinNames(const std::vector<std::string> &names);

} // namespace ferrata::native
