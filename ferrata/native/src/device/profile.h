// Kernel launches in torch.profiler: each by its kernel's name, with the shapes of its inputs where they are known.
#pragma once
#include <torch/csrc/python_headers.h>

namespace ferrata_npu {
// From here on launches are operators to torch.profiler.
void watch_launches();

// While one lives, the launch of this thread has these arguments: tensors and numbers. Costs nothing without a
// profiler.
class KernelInputs {
public:
  KernelInputs(PyObject *const *args, Py_ssize_t count);
  ~KernelInputs();
  KernelInputs(const KernelInputs &) = delete;
  KernelInputs &operator=(const KernelInputs &) = delete;

private:
  bool filled = false;
};
} // namespace ferrata_npu
