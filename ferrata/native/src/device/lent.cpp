// Calls a Python function that knows only CPU tensors with tensors of the device: the boxed fallback, for whole graphs.
//
// The arguments become CPU tensors on the same memory, whatever the function allocates is device memory, and its
// results become npu tensors where they lie. Nothing is copied, and no argument is held longer than the function holds
// it.
#include "lent.h"

#include "device.h"
#include "fallback.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/object_ptr.h>

namespace ferrata_npu {
namespace {

// A new list of what the function gets; `args` is empty afterwards.
THPObjectPtr lend_all(PyObject *args) {
  Py_ssize_t count = PyList_GET_SIZE(args);
  THPObjectPtr lent(PyList_New(count));
  if (!lent)
    throw python_error();
  std::unordered_map<c10::StorageImpl *, c10::Storage> storages;
  storages.reserve(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyList_GET_ITEM(args, i);
    PyObject *given = nullptr;
    if (THPVariable_Check(item)) {
      const at::Tensor &tensor = THPVariable_Unpack(item);
      if (tensor.device().type() == NPU && tensor.layout() == at::kStrided)
        given = THPVariable_Wrap(lend(tensor, storages));
    }
    if (!given) {
      Py_INCREF(item);
      given = item;
    }
    PyList_SET_ITEM(lent.get(), i, given);
  }
  if (PyList_SetSlice(args, 0, count, nullptr) != 0)
    throw python_error();
  return lent;
}

PyObject *take_all(PyObject *results, c10::Device device) {
  THPObjectPtr items(PySequence_Fast(results, "a compiled cluster returns a list or a tuple"));
  if (!items)
    throw python_error();
  Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
  THPObjectPtr out(PyTuple_New(count));
  if (!out)
    throw python_error();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PySequence_Fast_GET_ITEM(items.get(), i);
    Py_INCREF(item);
    if (THPVariable_Check(item)) {
      at::Tensor tensor = THPVariable_Unpack(item);
      auto *before = tensor.unsafeGetTensorImpl();
      take_result(tensor, device);
      if (tensor.unsafeGetTensorImpl() != before) {
        Py_DECREF(item);
        item = THPVariable_Wrap(tensor);
      }
    }
    PyTuple_SET_ITEM(out.get(), i, item);
  }
  return out.release();
}

PyObject *lent_call(PyObject *, PyObject *const *given, Py_ssize_t count) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(count == 3 && PyList_Check(given[1]), "lent(function, list, device index)");
  auto device = npu(static_cast<c10::DeviceIndex>(PyLong_AsLong(given[2])));
  THPObjectPtr lent = lend_all(given[1]), results;
  {
    HostMemoryOnDevice memory(device.index());
    c10::impl::ExcludeDispatchKeyGuard no_autograd(keys_not_lent());
    results = PyObject_CallOneArg(given[0], lent.get());
  }
  if (!results)
    throw python_error();
  return take_all(results.get(), device);
  END_HANDLE_TH_ERRORS
}

PyMethodDef lent_method = {"lent", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&lent_call)),
                           METH_FASTCALL, "lent(function, args, device): CPU code on npu tensors, without a copy."};

} // namespace

void bind_lent(pybind11::module_ &module) {
  PyObject *function = PyCFunction_New(&lent_method, nullptr);
  if (!function)
    throw pybind11::error_already_set();
  module.attr("lent") = pybind11::reinterpret_steal<pybind11::object>(function);
}

} // namespace ferrata_npu
