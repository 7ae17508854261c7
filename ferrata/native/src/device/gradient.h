// Registration of operators without a gradient (ferrata/op/define/registration.py).
#pragma once
#include <torch/csrc/utils/pybind.h>

namespace ferrata_npu {
// Adds register_no_gradient(namespace, name): the result owns the registration.
void bind_gradient(pybind11::module_ &module);
} // namespace ferrata_npu
