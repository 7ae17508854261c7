// The executor of GE nodes on tensors (ge_bind.cpp) and how its failures become Python errors (ge_errors.cpp).
#pragma once
#include "device.h"

#include "ferrata/ge_bridge.h"

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/utils/pybind.h>

#include <string>
#include <utility>
#include <vector>

namespace ferrata_npu {

// What every message names.
struct NodeNames {
  std::string op, node, where;
};

class GeExecutor {
public:
  // `owner` is the Python object that keeps the node alive.
  GeExecutor(pybind11::object owner, uintptr_t node, std::string op, std::string name, std::string where);
  void set_planned(const std::vector<std::pair<std::vector<int64_t>, int32_t>> &planned, std::string source);
  void set_where(std::string where) { names_.where = std::move(where); }
  pybind11::list run(const pybind11::list &given);

private:
  at::Tensor finish(const ferrata_ge_tensor &out, at::Tensor &allocated, const at::Tensor *inputs,
                    c10::ArrayRef<std::pair<size_t, at::Tensor>> originals);
  void compare(size_t i, const ferrata_ge_tensor &out) const;

  pybind11::object owner_;
  ferrata_ge_node *node_;
  NodeNames names_;
  size_t inputs_, outputs_;
  std::vector<std::pair<std::vector<int64_t>, int32_t>> planned_;
  std::string plan_source_;
};

// Each raises a class of ferrata.errors. The GIL is held.
[[noreturn]] void fail_input(const NodeNames &names, const std::string &text);
[[noreturn]] void raise_failure(const NodeNames &names); // from ferrata_ge_last_error
[[noreturn]] void raise_not_set(const NodeNames &names, const char *port);
[[noreturn]] void raise_grown(const NodeNames &names, c10::IntArrayRef now, c10::IntArrayRef allocated);
[[noreturn]] void raise_mismatch(const NodeNames &names, const char *port, c10::IntArrayRef planned,
                                 int32_t planned_type, c10::IntArrayRef actual, int32_t actual_type,
                                 const std::string &source);

} // namespace ferrata_npu
