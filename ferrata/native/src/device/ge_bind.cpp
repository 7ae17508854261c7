// GeExecutor: runs one GE node on torch tensors. A compiled graph calls `run` for each of its custom nodes, so a call
// does no more than fill addresses and shapes, Execute, and wrap the outputs; ge_errors.cpp turns failures into
// Python's.
#include "ge_executor.h"

#include <ATen/EmptyTensor.h>
#include <torch/csrc/autograd/python_variable.h>

namespace ferrata_npu {

namespace {

// GE number of each torch type, and back; -1 where there is none.
struct TypeRow {
  c10::ScalarType torch;
  int32_t ge;
};
constexpr TypeRow kTypes[] = {
    {c10::kFloat, 0},          {c10::kHalf, 1},           {c10::kChar, 2},         {c10::kInt, 3},
    {c10::kByte, 4},           {c10::kShort, 6},          {c10::kUInt16, 7},       {c10::kUInt32, 8},
    {c10::kLong, 9},           {c10::kUInt64, 10},        {c10::kDouble, 11},      {c10::kBool, 12},
    {c10::kComplexFloat, 16},  {c10::kComplexDouble, 17}, {c10::kQInt8, 18},       {c10::kQInt32, 20},
    {c10::kQUInt8, 21},        {c10::kBFloat16, 27},      {c10::kComplexHalf, 33}, {c10::kFloat8_e5m2, 35},
    {c10::kFloat8_e4m3fn, 36}, {c10::kFloat8_e8m0fnu, 37}};
constexpr int32_t kUndefined = 28;
constexpr size_t kMaxGe = 43;

struct TypeTables {
  std::array<int32_t, static_cast<size_t>(c10::ScalarType::NumOptions)> to_ge;
  std::array<c10::ScalarType, kMaxGe> to_torch;
  constexpr TypeTables() : to_ge(), to_torch() {
    for (auto &type : to_ge)
      type = -1;
    for (auto &type : to_torch)
      type = c10::ScalarType::Undefined;
    for (const auto &row : kTypes) {
      to_ge[static_cast<size_t>(row.torch)] = row.ge;
      to_torch[static_cast<size_t>(row.ge)] = row.torch;
    }
  }
};
constexpr TypeTables kTable;

c10::ScalarType torch_type(int32_t ge) {
  return ge >= 0 && static_cast<size_t>(ge) < kMaxGe ? kTable.to_torch[static_cast<size_t>(ge)]
                                                     : c10::ScalarType::Undefined;
}

at::Tensor empty(c10::IntArrayRef sizes, c10::ScalarType type) {
  return at::detail::empty_generic(sizes, allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), type,
                                   std::nullopt);
}

// What one execution holds: outputs that the author asked for, workspaces, the failure of an allocation.
struct Run {
  explicit Run(size_t outputs) : outputs(outputs) {}
  c10::SmallVector<at::Tensor, 4> outputs;
  c10::SmallVector<c10::DataPtr, 4> blocks;
  std::exception_ptr out_of_memory;
};

// Makes a device current while it lives; -1 keeps the one that is.
class CurrentDevice {
public:
  explicit CurrentDevice(c10::DeviceIndex index)
      : before_(index < 0 || index == current_device() ? c10::DeviceIndex{-1} : exchange_device(index)) {}
  ~CurrentDevice() {
    if (before_ >= 0)
      exchange_device(before_);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

private:
  c10::DeviceIndex before_;
};

// libgert's allocation callback. An exception may not cross the author's frames: it is kept and shown later.
void *allocate(void *user, int32_t what, size_t index, size_t bytes, const int64_t *dims, size_t rank, int32_t dtype) {
  Run &run = *static_cast<Run *>(user);
  try {
    if (what != FERRATA_GE_OUTPUT) {
      run.blocks.push_back(allocator()->allocate(bytes));
      return run.blocks.back().get();
    }
    const c10::ScalarType type = torch_type(dtype);
    at::Tensor &output = run.outputs[index];
    if (type == c10::ScalarType::Undefined) // a type that torch lacks: its bytes
      output = empty({static_cast<int64_t>(bytes)}, c10::kByte);
    else
      output = empty(c10::IntArrayRef(dims, rank), type);
    return output.mutable_data_ptr();
  } catch (...) {
    run.out_of_memory = std::current_exception();
    return nullptr;
  }
}

} // namespace

GeExecutor::GeExecutor(pybind11::object owner, uintptr_t node, std::string op, std::string name, std::string where)
    : owner_(std::move(owner)), node_(reinterpret_cast<ferrata_ge_node *>(node)),
      names_{std::move(op), std::move(name), std::move(where)}, inputs_(ferrata_ge_node_inputs(node_)),
      outputs_(ferrata_ge_node_outputs(node_)) {}

void GeExecutor::set_planned(const std::vector<std::pair<std::vector<int64_t>, int32_t>> &planned, std::string source) {
  planned_ = planned;
  planned_.resize(outputs_, {{-2}, kUndefined});
  plan_source_ = std::move(source);
}

pybind11::list GeExecutor::run(const pybind11::list &given) {
  c10::SmallVector<ferrata_ge_tensor, 8> in;
  c10::SmallVector<ferrata_ge_tensor, 8> out;
  for (size_t i = 0; i < outputs_; ++i)
    out.push_back({nullptr, nullptr, 0, 0, kUndefined, 0, 0, -1});
  c10::SmallVector<at::Tensor, 8> tensors; // contiguous
  c10::SmallVector<std::pair<size_t, at::Tensor>, 1> originals;
  c10::Device device(NPU, -1);
  for (pybind11::ssize_t i = 0; i < PyList_GET_SIZE(given.ptr()); ++i) {
    PyObject *item = PyList_GET_ITEM(given.ptr(), i);
    if (item == Py_None)
      continue; // an absent optional input
    if (!THPVariable_Check(item))
      fail_input(names_, "input " + std::to_string(i) + " is no tensor but " + Py_TYPE(item)->tp_name);
    const at::Tensor &tensor = THPVariable_Unpack(item);
    const int32_t type = kTable.to_ge[static_cast<size_t>(tensor.scalar_type())];
    if (type < 0)
      fail_input(names_, "GE has no data type for " + std::string(c10::toString(tensor.scalar_type())));
    if (tensor.device().type() == NPU && !device.has_index())
      device = tensor.device();
    if (tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg()) [[likely]] {
      tensors.push_back(tensor);
    } else {
      originals.emplace_back(tensors.size(), tensor);
      tensors.push_back(tensor.contiguous().resolve_conj().resolve_neg());
    }
    const at::Tensor &used = tensors.back();
    in.push_back({const_cast<void *>(used.const_data_ptr()), used.sizes().data(), used.sizes().size(), used.nbytes(),
                  type, used.device().type() == NPU ? 0 : 1, 0, -1});
  }
  if (in.size() != inputs_)
    fail_input(names_, "the node has " + std::to_string(inputs_) + " input tensors, " + std::to_string(in.size()) +
                           " were given");
  Run run(outputs_);
  int32_t status = 0;
  {
    pybind11::gil_scoped_release released;
    const CurrentDevice guard(device.index());
    status = ferrata_ge_node_execute(node_, in.data(), in.size(), out.data(), out.size(),
                                     native_stream(current_stream(device.index())), &allocate, &run);
  }
  if (status != 0) [[unlikely]] {
    if (run.out_of_memory)
      std::rethrow_exception(run.out_of_memory);
    raise_failure(names_);
  }
  pybind11::list result(outputs_);
  for (size_t i = 0; i < outputs_; ++i) {
    if ((out[i].flags & FERRATA_GE_SET) == 0) [[unlikely]]
      raise_not_set(names_, ferrata_ge_node_output_name(node_, i));
    at::Tensor tensor = finish(out[i], run.outputs[i], tensors.data(), originals);
    if (!planned_.empty())
      compare(i, out[i]);
    PyList_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), THPVariable_Wrap(std::move(tensor)));
  }
  return result;
}

// The tensor of an output: an input that it refers to, or what was allocated, shrunk to the shape that it has now.
at::Tensor GeExecutor::finish(const ferrata_ge_tensor &out, at::Tensor &allocated, const at::Tensor *inputs,
                              c10::ArrayRef<std::pair<size_t, at::Tensor>> originals) {
  const c10::IntArrayRef sizes(out.dims, out.rank);
  if ((out.flags & FERRATA_GE_REF) != 0) {
    const auto source = static_cast<size_t>(out.ref);
    for (const auto &original : originals)
      if (original.first == source) {
        at::Tensor view = original.second;
        view.copy_(inputs[source]);
        return view;
      }
    return inputs[source].sizes() == sizes ? inputs[source] : inputs[source].view(sizes);
  }
  if (torch_type(out.dtype) == c10::ScalarType::Undefined || allocated.sizes() == sizes) [[likely]]
    return std::move(allocated);
  if (c10::multiply_integers(sizes) > allocated.numel())
    raise_grown(names_, sizes, allocated.sizes());
  allocated.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return std::move(allocated);
}

void GeExecutor::compare(size_t i, const ferrata_ge_tensor &out) const {
  const auto &[dims, type] = planned_[i];
  bool same = type == kUndefined || type == out.dtype;
  if (dims.size() != 1 || dims[0] != -2) {
    same = same && dims.size() == out.rank;
    for (size_t d = 0; same && d < out.rank; ++d)
      same = dims[d] < 0 || dims[d] == out.dims[d];
  }
  if (!same) [[unlikely]]
    raise_mismatch(names_, ferrata_ge_node_output_name(node_, i), dims, type, c10::IntArrayRef(out.dims, out.rank),
                   out.dtype, plan_source_);
}

} // namespace ferrata_npu

// Declared weak in module.cpp.
void bind_ge(pybind11::module_ &module) {
  using ferrata_npu::GeExecutor;
  namespace py = pybind11;
  py::class_<GeExecutor>(module, "GeExecutor", "Runs one node of a C++ operator on tensors.")
      .def(py::init<py::object, uintptr_t, std::string, std::string, std::string>(), py::arg("owner"), py::arg("node"),
           py::arg("op"), py::arg("name"), py::arg("where") = "")
      .def("set_planned", &GeExecutor::set_planned, py::arg("planned"),
           py::arg("source") = "Meta and GE inference, which agree",
           "(shape, GE data type) per output; -1 and 28 are not compared. Each run raises OutputMismatch on a "
           "difference.")
      .def("set_where", &GeExecutor::set_where, py::arg("where"))
      .def("run", &GeExecutor::run, py::arg("tensors"),
           "Execute on the current stream. Tensors in port order, None for an absent optional; a list of outputs comes "
           "back.");
}
