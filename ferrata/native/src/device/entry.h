// Compiled kernels as Python callables (ferrata/lang/calling.py).
#pragma once
#include <torch/csrc/utils/pybind.h>

namespace ferrata_npu {
// Adds the type `Entry`: Entry(address, slots, refuse, owner).
void bind_entry(pybind11::module_ &module);
} // namespace ferrata_npu
