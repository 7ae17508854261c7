// Operators defined in Python without a gradient: a backward through one is an error, instead of torch's warning.
#include "gradient.h"

#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include <memory>
#include <string>

namespace py = pybind11;

namespace ferrata_npu {
namespace {

// Owns the registrations of one operator.
struct Registrations {
  torch::Library library;
};

} // namespace

void bind_gradient(py::module_ &module) {
  py::class_<Registrations>(module, "Registrations");
  module.def("register_no_gradient", [](const std::string &space, const std::string &name) {
    auto made = std::unique_ptr<Registrations>(new Registrations{torch::Library(
        torch::Library::IMPL, space, c10::DispatchKey::Autograd, __FILE__, static_cast<uint32_t>(__LINE__))});
    made->library.impl(name.c_str(), torch::autograd::autogradNotImplementedFallback());
    return made;
  });
}

} // namespace ferrata_npu
