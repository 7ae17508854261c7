// Kernel launches in torch.profiler: the runtime calls this observer around each launch.
#include "profile.h"

#include "ferrata/observe.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/python_variable.h>

#include <memory>
#include <string>
#include <vector>

namespace ferrata_npu {
namespace {

thread_local std::vector<c10::IValue> inputs; // of the launch that this thread is about to make

void *begin(const char *kernel, int64_t) {
  if (!at::hasCallbacks())
    return nullptr;
  auto record = std::make_unique<at::RecordFunction>(at::RecordScope::FUNCTION);
  if (!record->isActive())
    return nullptr;
  if (record->needsInputs())
    record->before(std::string(kernel), c10::ArrayRef<const c10::IValue>(inputs.data(), inputs.size()));
  else
    record->before(std::string(kernel));
  return record.release();
}

void end(void *begun) { delete static_cast<at::RecordFunction *>(begun); }

c10::IValue value(PyObject *object) {
  if (THPVariable_Check(object))
    return THPVariable_Unpack(object);
  if (PyBool_Check(object))
    return object == Py_True;
  if (PyFloat_Check(object))
    return PyFloat_AS_DOUBLE(object);
  int overflow = 0;
  if (PyLong_Check(object)) {
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow ? c10::IValue() : c10::IValue(static_cast<int64_t>(number));
  }
  return {};
}

} // namespace

KernelInputs::KernelInputs(PyObject *const *args, Py_ssize_t count) : filled(at::hasCallbacks()) {
  for (Py_ssize_t i = 0; filled && i < count; ++i)
    inputs.push_back(value(args[i]));
}

KernelInputs::~KernelInputs() {
  if (filled)
    inputs.clear();
}

void watch_launches() {
  static const ferrata_launch_observer_t observer{begin, end};
  ferrata_set_launch_observer(&observer);
}

} // namespace ferrata_npu
