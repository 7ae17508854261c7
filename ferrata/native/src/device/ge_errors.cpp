// Failures of a GE node as Python errors: the classes of ferrata.errors, with what the author's code printed.
#include "ge_executor.h"

#include "ferrata/runtime.h"

#include <torch/csrc/Exceptions.h>

namespace py = pybind11;

namespace ferrata_npu {

namespace {

py::dict fields(const NodeNames &names) {
  py::dict all;
  all["op"] = names.op;
  all["node"] = names.node;
  all["where"] = names.where.empty() ? "an unknown place" : names.where;
  return all;
}

[[noreturn]] void raise(const char *cls, const py::dict &all) {
  const py::object type = py::module_::import("ferrata.errors").attr(cls);
  const py::object error = type(**all);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

std::string shape_text(c10::IntArrayRef dims) {
  std::string text = "[";
  for (const int64_t dim : dims)
    text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  return text + "]";
}

std::string described(c10::IntArrayRef dims, int32_t type) {
  const py::object name = py::module_::import("ferrata.ge.types").attr("dtype_name")(type);
  return name.cast<std::string>() + " " + shape_text(dims);
}

// Names the node on an error that already has its class.
[[noreturn]] void raise_with_note(py::error_already_set &error, const NodeNames &names) {
  const py::object value = error.value();
  if (py::hasattr(value, "add_note"))
    value.attr("add_note")("While executing " + names.op + " (node " + names.node + ") at " + names.where);
  throw std::move(error);
}

const char *status_name(uint32_t status) {
  switch (status) {
  case 4294967295U:
    return " (GRAPH_FAILED)";
  case 50331649U:
    return " (GRAPH_PARAM_INVALID)";
  default:
    return "";
  }
}

} // namespace

void fail_input(const NodeNames &names, const std::string &text) {
  py::dict all = fields(names);
  all["text"] = text;
  raise("ExecutorInput", all);
}

void raise_failure(const NodeNames &names) {
  const py::dict last = py::module_::import("json").attr("loads")(py::bytes(ferrata_ge_last_error()));
  const auto kind = last["kind"].cast<std::string>();
  const auto decode = [](py::handle text) {
    return text.attr("encode")("latin-1").attr("decode")("utf-8", "replace").cast<std::string>();
  };
  std::string text = decode(last["text"]);
  try {
    ferrata_ge_rethrow(); // a kernel's fault, or a Python error, has its own class
  } catch (python_error &error) {
    error.restore();
    py::error_already_set pending;
    raise_with_note(pending, names);
  } catch (py::error_already_set &error) {
    raise_with_note(error, names);
  } catch (const ferrata::KernelFault &fault) {
    const py::object error = py::module_::import("ferrata.errors").attr("fault_from_json")(fault.json);
    ferrata_take_fault();
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
    py::error_already_set pending;
    raise_with_note(pending, names);
  } catch (...) { // told by `text`
  }
  if (kind == "error") { // already a class with its fields
    const py::object error = py::module_::import("ferrata.errors").attr("error_from_json")(text);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
    py::error_already_set pending;
    raise_with_note(pending, names);
  }
  py::dict all = fields(names);
  if (kind == "not_executable") {
    all["text"] = text;
    raise("NotExecutable", all);
  }
  if (kind == "invalid")
    fail_input(names, text);
  const auto status = last["status"].cast<uint32_t>();
  const auto printed = decode(last["printed"]), notes = decode(last["notes"]);
  all["status"] =
      kind == "status" ? "returned " + std::to_string(status) + status_name(status) : text.substr(text.find(" ") + 1);
  std::string told = notes.empty() ? "" : "The engine refused: " + notes + ".\n";
  told += printed.empty() ? "It printed nothing." : "It printed:\n" + printed;
  all["printed"] = told;
  raise("ExecuteFailed", all);
}

void raise_not_set(const NodeNames &names, const char *port) {
  py::dict all = fields(names);
  all["port"] = port;
  raise("OutputNotSet", all);
}

void raise_grown(const NodeNames &names, c10::IntArrayRef now, c10::IntArrayRef allocated) {
  fail_input(names, "Execute set an output's shape to " + shape_text(now) + ", more than the " + shape_text(allocated) +
                        " that it allocated");
}

void raise_mismatch(const NodeNames &names, const char *port, c10::IntArrayRef planned, int32_t planned_type,
                    c10::IntArrayRef actual, int32_t actual_type, const std::string &source) {
  py::dict all = fields(names);
  all["port"] = port;
  all["planned"] = described(planned, planned_type);
  all["actual"] = described(actual, actual_type);
  all["plan_source"] = source;
  raise("OutputMismatch", all);
}

} // namespace ferrata_npu
