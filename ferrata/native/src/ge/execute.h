// The state behind an EagerOpExecutionContext: tensors, memory that was handed out, notes on refused requests.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exe_graph/runtime/eager_op_execution_context.h"
#include "node.h"

namespace ferrata::native {

struct EagerState {
  explicit EagerState(ferrata_ge_node &node);

  std::vector<gert::Tensor> inputs, outputs;
  std::vector<int32_t> flags, refs; // per output
  // Port of each tensor, and for outputs the input that has the same port name (-1: none).
  std::vector<size_t> input_ports, output_ports;
  std::vector<std::string> input_names, output_names; // of ports
  std::vector<int32_t> alias;
  std::vector<std::unique_ptr<gert::KernelArgs>> device_args;
  size_t workspaces = 0;
  ferrata_ge_alloc alloc = nullptr;
  void *user = nullptr;
  std::string notes; // why a request was answered with null
  ContextBlock context;

  void Note(const std::string &text) { notes += (notes.empty() ? "" : "; ") + text; }
};

} // namespace ferrata::native
