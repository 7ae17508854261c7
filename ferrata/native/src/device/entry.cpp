// A compiled kernel as a Python callable: entry(cores, *args) packs the arguments into 8 bytes each and launches on the
// current stream of their device. It is a plain C type with vectorcall, since it stands in every eager call of an
// operator; what is wrong with an argument is worked out, and raised, by the Python function `refuse(index, value)`.
#include "entry.h"

#include "device.h"
#include "profile.h"

#include <c10/util/SmallVector.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <cstring>
#include <structmember.h>

namespace ferrata_npu {
namespace {

using Launcher = void (*)(uint32_t cores, void *stream, const uint64_t *args);

// kind: 't' a tensor of scalar type `dtype` (-1: any), '?' the same or None, 'i', 'f', 'b' numbers, 's' a dataclass
// whose fields are `fields`.
struct Slot {
  char kind;
  int dtype;
  std::vector<std::pair<PyObject *, char>> fields;
};

struct Entry {
  PyObject_HEAD vectorcallfunc call;
  Launcher launcher;
  std::vector<Slot> *slots;
  PyObject *refuse, *owner;
};

// Let Python say what is wrong. Always null.
PyObject *refuse(const Entry *self, Py_ssize_t index, PyObject *value) {
  PyObject *result = PyObject_CallFunction(self->refuse, "nO", index, value ? value : Py_None);
  if (result) {
    Py_DECREF(result);
    PyErr_Format(PyExc_TypeError, "argument %zd of a kernel is refused", index);
  }
  return nullptr;
}

bool pack_number(char kind, PyObject *value, uint64_t &word) {
  if (kind == 'b') {
    word = value == Py_True;
    return PyBool_Check(value);
  }
  if (kind == 'f') {
    if (!PyFloat_Check(value) && (THPVariable_Check(value) || !PyNumber_Check(value)))
      return false;
    double number = PyFloat_AsDouble(value);
    std::memcpy(&word, &number, sizeof(word));
    return !(number == -1.0 && PyErr_Occurred());
  }
  if (!PyLong_Check(value)) {
    if (!PyIndex_Check(value) || THPVariable_Check(value))
      return false;
    PyObject *index = PyNumber_Index(value);
    if (!index)
      return false;
    bool good = pack_number(kind, index, word);
    Py_DECREF(index);
    return good;
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  word = static_cast<uint64_t>(number);
  return overflow == 0;
}

bool pack_struct(const Slot &slot, PyObject *value, c10::SmallVectorImpl<uint64_t> &words) {
  for (const auto &[name, kind] : slot.fields) {
    PyObject *field = PyObject_GetAttr(value, name);
    uint64_t word = 0;
    bool good = field && pack_number(kind, field, word);
    Py_XDECREF(field);
    if (!good)
      return false;
    words.push_back(word);
  }
  return true;
}

// The device that the tensors so far agree on; -1: none yet.
bool pack_tensor(const Slot &slot, PyObject *value, uint64_t &word, int &device) {
  if (!THPVariable_Check(value)) {
    word = 0;
    return slot.kind == '?' && value == Py_None;
  }
  const at::Tensor &tensor = THPVariable_Unpack(value);
  if (tensor.device().type() != NPU || tensor.key_set().has(c10::DispatchKey::Python) || !tensor.is_contiguous() ||
      (slot.dtype >= 0 && static_cast<int>(tensor.scalar_type()) != slot.dtype))
    return false;
  int index = tensor.device().index();
  if (device >= 0 && index != device)
    return false;
  device = index;
  void *data = tensor.numel() ? tensor.mutable_data_ptr() : tensor.storage().mutable_data();
  // an empty tensor is there all the same: not null, and in no block of memory
  word = data ? reinterpret_cast<uintptr_t>(data) : 64;
  return true;
}

PyObject *launch(const Entry *self, uint32_t cores, int device, const uint64_t *words) {
  try {
    void *stream = native_stream(current_stream(static_cast<c10::DeviceIndex>(device)));
    pybind11::gil_scoped_release released;
    self->launcher(cores, stream, words);
  } catch (python_error &error) {
    error.restore();
    return nullptr;
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject *call(PyObject *object, PyObject *const *args, size_t flags, PyObject *names) {
  const auto *self = reinterpret_cast<const Entry *>(object);
  auto count = PyVectorcall_NARGS(flags);
  if (count != static_cast<Py_ssize_t>(self->slots->size()) + 1 || (names && PyTuple_GET_SIZE(names)))
    return refuse(self, -2, nullptr);
  uint64_t cores = 0;
  if (!pack_number('i', args[0], cores) || static_cast<int64_t>(cores) < 0 || cores > 65535)
    return refuse(self, -1, args[0]);
  c10::SmallVector<uint64_t, 32> words;
  int device = -1;
  for (Py_ssize_t i = 1; i < count; ++i) {
    const Slot &slot = (*self->slots)[static_cast<size_t>(i) - 1];
    bool good;
    if (slot.kind == 's') {
      good = pack_struct(slot, args[i], words);
    } else {
      uint64_t word = 0;
      good = slot.kind == 't' || slot.kind == '?' ? pack_tensor(slot, args[i], word, device)
                                                  : pack_number(slot.kind, args[i], word);
      words.push_back(word);
    }
    if (!good) {
      PyErr_Clear();
      return refuse(self, i - 1, args[i]);
    }
  }
  if (cores == 0)
    Py_RETURN_NONE;
  const KernelInputs shown(args + 1, count - 1);
  return launch(self, static_cast<uint32_t>(cores), device, words.data());
}

// Entry(address, ((kind, dtype, ((name, kind), ...)), ...), refuse, owner)
PyObject *make(PyTypeObject *type, PyObject *args, PyObject *) {
  unsigned long long address = 0;
  PyObject *slots = nullptr, *refuse = nullptr, *owner = nullptr;
  if (!PyArg_ParseTuple(args, "KO!OO", &address, &PyTuple_Type, &slots, &refuse, &owner))
    return nullptr;
  auto *self = reinterpret_cast<Entry *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->call = call;
  self->launcher = reinterpret_cast<Launcher>(address);
  self->slots = new std::vector<Slot>;
  Py_INCREF(self->refuse = refuse);
  Py_INCREF(self->owner = owner);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(slots); ++i) {
    int kind = 0, dtype = 0;
    PyObject *fields = nullptr;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(slots, i), "CiO!", &kind, &dtype, &PyTuple_Type, &fields)) {
      Py_DECREF(self);
      return nullptr;
    }
    Slot slot{static_cast<char>(kind), dtype, {}};
    for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(fields); ++j) {
      PyObject *name = nullptr;
      int letter = 0;
      if (!PyArg_ParseTuple(PyTuple_GET_ITEM(fields, j), "UC", &name, &letter)) {
        Py_DECREF(self);
        return nullptr;
      }
      Py_INCREF(name);
      slot.fields.emplace_back(name, static_cast<char>(letter));
    }
    self->slots->push_back(std::move(slot));
  }
  return reinterpret_cast<PyObject *>(self);
}

void drop(PyObject *object) {
  auto *self = reinterpret_cast<Entry *>(object);
  PyTypeObject *type = Py_TYPE(object);
  if (self->slots)
    for (auto &slot : *self->slots)
      for (auto &field : slot.fields)
        Py_DECREF(field.first);
  delete self->slots;
  Py_XDECREF(self->refuse);
  Py_XDECREF(self->owner);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Entry, call), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot type_slots[] = {{Py_tp_new, reinterpret_cast<void *>(make)},
                            {Py_tp_dealloc, reinterpret_cast<void *>(drop)},
                            {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                            {Py_tp_members, members},
                            {0, nullptr}};
PyType_Spec spec{"ferrata_npu.Entry", sizeof(Entry), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, type_slots};

} // namespace

void bind_entry(pybind11::module_ &module) {
  PyObject *type = PyType_FromSpec(&spec);
  if (!type)
    throw pybind11::error_already_set();
  module.attr("Entry") = pybind11::reinterpret_steal<pybind11::object>(type);
}

} // namespace ferrata_npu
