// Python code for CPU tensors on the memory of npu tensors (ferrata/ge/cluster/compile.py).
#pragma once
#include <torch/csrc/utils/pybind.h>

namespace ferrata_npu {
// Adds lent(function, args, device): calls function([...]) with CPU tensors in the place of the npu tensors in the list
// `args`, which it empties; what the function returns, a list or tuple, comes back as a tuple of npu tensors.
void bind_lent(pybind11::module_ &module);
} // namespace ferrata_npu
