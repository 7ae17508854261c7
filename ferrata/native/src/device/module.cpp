// The Python module `ferrata_npu`: what ferrata/npu needs of the device, and how a kernel's fault reaches Python.
#include "device.h"
#include "entry.h"
#include "fallback.h"
#include "gradient.h"
#include "lent.h"
#include "profile.h"

#include "ferrata/runtime.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/device_lazy_init.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;

void __attribute__((weak)) bind_ge(py::module_ &module); // the GE executor on tensors, where it is built

namespace ferrata_npu {
namespace {

// Set the Python error of a fault: the class that ferrata.errors has for its kind.
void set_python_fault(const char *message, const char *json) {
  try {
    py::object error = py::module_::import("ferrata.errors").attr("fault_from_json")(json);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  } catch (py::error_already_set &problem) {
    problem.discard_as_unraisable("ferrata.errors.fault_from_json");
    PyErr_SetString(PyExc_RuntimeError, message);
  }
}

// torch turns any std::exception into RuntimeError but hands a python_error through as it is.
[[noreturn]] void throw_fault(const char *message, const char *json) {
  python_error error;
  {
    py::gil_scoped_acquire gil;
    set_python_fault(message, json);
    error.persist();
  }
  ferrata_take_fault();
  throw error;
}

py::dict statistics(c10::DeviceIndex index) {
  auto stats = allocator()->getDeviceStats(index);
  py::dict out;
  auto add = [&out](const std::string &name, const c10::CachingAllocator::StatArray &values) {
    const auto &all = values[0];
    for (std::string pool : {"all", "large_pool", "small_pool"}) {
      bool total = pool != "small_pool"; // one pool: it is the large one
      out[py::str(name + "." + pool + ".current")] = total ? all.current : 0;
      out[py::str(name + "." + pool + ".peak")] = total ? all.peak : 0;
      out[py::str(name + "." + pool + ".allocated")] = total ? all.allocated : 0;
      out[py::str(name + "." + pool + ".freed")] = total ? all.freed : 0;
    }
  };
  add("allocation", stats.allocation);
  add("segment", stats.segment);
  add("active", stats.active);
  add("inactive_split", stats.inactive_split);
  add("allocated_bytes", stats.allocated_bytes);
  add("reserved_bytes", stats.reserved_bytes);
  add("active_bytes", stats.active_bytes);
  add("inactive_split_bytes", stats.inactive_split_bytes);
  add("requested_bytes", stats.requested_bytes);
  out["num_alloc_retries"] = stats.num_alloc_retries;
  out["num_ooms"] = stats.num_ooms;
  out["max_split_size"] = -1;
  return out;
}

} // namespace
} // namespace ferrata_npu

PYBIND11_MODULE(ferrata_npu, m) {
  using namespace ferrata_npu;
  m.doc() = "The torch device npu, emulated on host memory (private to ferrata.npu).";

  m.def("set_device_count", &set_device_count);
  m.def("device_count", [] { return static_cast<int>(device_count()); });
  m.def("current_device", [] { return static_cast<int>(current_device()); });
  m.def("exchange_device",
        [](int index) { return static_cast<int>(exchange_device(static_cast<c10::DeviceIndex>(index))); });
  m.def("default_generator", [](int index) { return default_generator(static_cast<c10::DeviceIndex>(index)); });

  m.def("native_stream", [](int64_t id, int index) {
    auto device = c10::Device(NPU, static_cast<c10::DeviceIndex>(index));
    return reinterpret_cast<uintptr_t>(native_stream(c10::Stream(c10::Stream::UNSAFE, device, id)));
  });

  m.def("current_stream_id", [](int index) { return current_stream(static_cast<c10::DeviceIndex>(index)).id(); });
  m.def("exchange_stream", [](int64_t id, int index) {
    auto device = c10::Device(NPU, static_cast<c10::DeviceIndex>(index));
    c10::impl::getDeviceGuardImpl(NPU)->exchangeStream(c10::Stream(c10::Stream::UNSAFE, device, id));
  });
  m.def("require_init", [] { torch::utils::set_requires_device_init(NPU, true); });

  m.def("memory_stats", [](int index) { return statistics(static_cast<c10::DeviceIndex>(index)); });
  m.def("memory_info", [](int index) { return allocator()->getMemoryInfo(static_cast<c10::DeviceIndex>(index)); });
  m.def("reset_peak", [](int index) { allocator()->resetPeakStats(static_cast<c10::DeviceIndex>(index)); });
  m.def("reset_accumulated",
        [](int index) { allocator()->resetAccumulatedStats(static_cast<c10::DeviceIndex>(index)); });
  m.def("empty_cache", [] { ferrata_gm_trim(); });
  m.def("set_memory_limit",
        [](int index, size_t bytes) { set_memory_limit(static_cast<c10::DeviceIndex>(index), bytes); });
  m.def("set_memory_total", &set_memory_total);
  m.def("is_device_address",
        [](uintptr_t address) { return ferrata_gm_find(reinterpret_cast<void *>(address), nullptr, nullptr) != 0; });

  m.def("launch_count", [] { return ferrata_launch_count(); });
  m.def("set_strict_fallback", &set_strict_fallback);
  m.def("prefer_host_kernels", &prefer_host_kernels);
  bind_entry(m);
  bind_gradient(m);
  bind_lent(m);

  ferrata_set_fault_mode(FERRATA_FAULT_THROW);
  ferrata_set_thrower(&throw_fault);
  watch_launches();
  // For modules bound with pybind11 that launch kernels themselves.
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer)
        std::rethrow_exception(pointer);
    } catch (python_error &error) {
      error.restore();
    } catch (const ferrata::KernelFault &fault) {
      set_python_fault(fault.what(), fault.json.c_str());
    }
  });

  if (bind_ge)
    bind_ge(m);
}
