"""The binding to libgert.so: prototypes and implementations that C++ libraries registered, and nodes of them.

`ferrata.ge.prototype` and `ferrata.ge.impl` read this; nothing is built or loaded before the first call. This module
holds state: the loaded library and what was last read from it. The C side is `native/include/ferrata/ge_bridge.h`.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Mapping, Sequence
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from ferrata.errors import FerrataError, NativeCallFailed, error_from_json, error_to_json
from ferrata.native import build

MAX_RANK = 25  # dimensions of a gert::Shape
UNKNOWN_RANK = -2


@dataclass(frozen=True, slots=True)
class PortDef:
    """A declared port. dtypes: GE numbers, None for anything. symbol: ports of one symbol share one type."""

    name: str
    kind: str  # required, optional, dynamic
    dtypes: tuple[int, ...] | None = None
    symbol: str | None = None
    text: str = ""  # the author's type argument


@dataclass(frozen=True, slots=True)
class AttrDef:
    """A declared attribute; `type` is VT_INT, VT_LIST_FLOAT and so on."""

    name: str
    type: str
    required: bool
    default: Any = None


@dataclass(frozen=True, slots=True)
class TensorValue:
    """The value of a VT_TENSOR attribute: GE type number, shape, raw bytes."""

    dtype: int
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class NativeProto:
    """A prototype that REG_OP registered."""

    op_type: str
    inputs: tuple[PortDef, ...]
    outputs: tuple[PortDef, ...]
    attrs: tuple[AttrDef, ...]
    symbols: Mapping[str, tuple[int, ...]]
    origin: str
    promotes: bool = False  # some type symbol needs the C++ rules: lists, promotion, an attribute


@dataclass(frozen=True, slots=True)
class NativeImpl:
    """What C++ implements for a type: the mixins of its class, V1 and V2 functions."""

    op_type: str
    execute: bool
    infer_shape: bool
    infer_dtype: bool
    compile: bool
    verify: bool = False
    portable: bool = False
    tiling: bool = False
    data_dependency: tuple[int, ...] = ()  # input ports whose values InferShape reads
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A registration that was refused (or, for implementations, overridden): what, type, and where both stand."""

    what: str
    op_type: str
    kept: str
    refused: str


def serial() -> int:
    """Grows with every registration in C++."""
    return int(_lib().ferrata_ge_serial())


def prototypes() -> dict[str, NativeProto]:
    """All prototypes by type; read again only after another registration."""
    return _prototypes(serial())


def implementation(op_type: str) -> NativeImpl | None:
    """What implements a type in C++, or None. Makes the one instance of its class."""
    row = _query(_lib().ferrata_ge_implementation(op_type.encode()))
    if row is None:
        return None
    types = row["shape_infer"] or row["v2_infer_dtype"] or row["v1_infer"]
    if not types:
        proto = prototypes().get(op_type)
        types = proto is not None and proto.promotes
    return NativeImpl(
        op_type=op_type,
        execute=row["execute"],
        infer_shape=row["shape_infer"] or row["v2_infer_shape"] or row["v1_infer"],
        infer_dtype=types,
        compile=row["compile"],
        verify=row["v1_verify"],
        portable=row["portable"],
        tiling=row["v2_tiling"],
        data_dependency=tuple(row["data_dependency"]),
        origin=_origin(row["origin"]),
    )


def implementation_types() -> list[str]:
    """Types that C++ implements in any way."""
    return list(_query(_lib().ferrata_ge_implementation_types()))


def duplicates() -> list[Duplicate]:
    """Registrations that C++ refused in silence, in order."""
    return [
        Duplicate(row["what"], row["op_type"], _origin(row["kept"]), _origin(row["refused"]))
        for row in _query(_lib().ferrata_ge_conflicts())
    ]


def set_option(key: str, value: str | None) -> None:
    """An option of the graph, as `GetOption` of a compile context answers; None removes it."""
    _lib().ferrata_ge_set_option(key.encode(), None if value is None else value.encode())


def definitions() -> list[dict[str, Any]]:
    """Operators that an OpDef defines, as `ferrata_ge_definitions` describes them."""
    return list(_query(_lib().ferrata_ge_definitions()))


def replace_definitions(on: bool) -> None:
    """While on, an OpDef that is loaded replaces an earlier one of its type."""
    _lib().ferrata_ge_replace_definitions(int(on))


KernelSource = Callable[[str, list[int], int], tuple[int, bool]]
_Kernels = ctypes.CFUNCTYPE(
    c_void_p, c_char_p, POINTER(c_int32), c_size_t, c_uint64, POINTER(c_int32), POINTER(c_char_p)
)
_sources: dict[str, Any] = {}  # callbacks that C++ holds, and the text of their last error


def set_kernels(op_type: str, source: KernelSource, tiling: str) -> None:
    """Make a defined operator executable.

    source(type, data types per port, tiling key) gives the address of a launch function and whether it serves that key
    only; a FerrataError that it raises reaches the caller of the operator. tiling: the line of the tiling function.
    """

    def find(name: bytes, dtypes: Any, count: int, key: int, keyed: Any, error: Any) -> int | None:
        try:
            address, exact = source(name.decode(), list(dtypes[:count]), key)
        except BaseException as problem:  # noqa: BLE001  (no exception may cross C++)
            known = problem if isinstance(problem, FerrataError) else FerrataError(message=repr(problem))
            _sources[f"{op_type} error"] = text = error_to_json(known).encode()
            error[0] = text
            return None
        keyed[0] = int(exact)
        return address

    _sources[op_type] = callback = _Kernels(find)
    _lib().ferrata_ge_set_kernels(op_type.encode(), callback, tiling.encode())


class NativeNode:
    """One node of a C++ prototype.

    input_counts, output_counts: tensors per port of the prototype; 0: an absent optional input, n: a dynamic port.
    attrs: values by name; defaults of the prototype fill the rest. A data type is its GE number.
    Raises NativeCallFailed for wrong counts, an unknown type, or an attribute whose value does not fit.
    """

    def __init__(
        self,
        op_type: str,
        name: str,
        input_counts: Sequence[int],
        output_counts: Sequence[int],
        attrs: Mapping[str, Any],
    ) -> None:
        self.op_type, self.name = op_type, name
        self._lib = _lib()
        self._handle = self._lib.ferrata_ge_node_create(
            op_type.encode(),
            name.encode(),
            _ints(input_counts),
            len(input_counts),
            _ints(output_counts),
            len(output_counts),
        )
        if not self._handle:
            raise self._error("creating the node")
        self.inputs = int(self._lib.ferrata_ge_node_inputs(self._handle))
        self.outputs = int(self._lib.ferrata_ge_node_outputs(self._handle))
        types = {attr.name: attr.type for attr in prototypes()[op_type].attrs}
        for key, value in attrs.items():
            self._set_attr(key, types.get(key) or _guess(value), value)

    @property
    def handle(self) -> int:
        """Address of the C++ node, for the extension; valid while this object lives."""
        return int(self._handle)

    def infer_dtypes(self, dtypes: Sequence[int]) -> list[int]:
        """GE numbers of all input tensors -> of all output tensors; 28 where nothing gives a type."""
        self._count("types", dtypes)
        out = (c_int32 * max(self.outputs, 1))()
        self._check(
            self._lib.ferrata_ge_node_infer_dtypes(self._handle, (c_int32 * len(dtypes))(*dtypes), out), "InferDataType"
        )
        return list(out)[: self.outputs]

    def infer_shapes(self, shapes: Sequence[Sequence[int]]) -> list[list[int]]:
        """Shapes of all input tensors -> of all output tensors: -1 unknown dimension, [-2] unknown rank.

        Uses the data types of the last `infer_dtypes`.
        """
        self._count("shapes", shapes)
        out = (c_int64 * max(self.outputs * MAX_RANK, 1))()
        ranks = (c_size_t * max(self.outputs, 1))()
        self._check(self._lib.ferrata_ge_node_infer_shapes(self._handle, *_shapes(shapes), out, ranks), "InferShape")
        return [list(out[i * MAX_RANK : i * MAX_RANK + ranks[i]]) for i in range(self.outputs)]

    def output_dtypes(self) -> list[int]:
        """Data types of the outputs as last inferred; V1 functions settle them together with the shapes."""
        out = (c_int32 * max(self.outputs, 1))()
        self._lib.ferrata_ge_node_output_dtypes(self._handle, out)
        return list(out)[: self.outputs]

    def set_output_dtypes(self, dtypes: Sequence[int]) -> None:
        """Data types that something else knows better."""
        self._lib.ferrata_ge_node_set_output_dtypes(self._handle, (c_int32 * max(len(dtypes), 1))(*dtypes))

    def set_const(self, index: int, data: bytes | None) -> None:
        """The value of an input tensor that is known before execution, for inference; None forgets it."""
        self._check(
            self._lib.ferrata_ge_node_set_const(
                self._handle, index, data if data is not None else None, len(data or b"")
            ),
            "set_const",
        )

    def verify(self) -> None:
        """Run the author's verifier, if there is one."""
        self._check(self._lib.ferrata_ge_node_verify(self._handle), "Verify")

    def compile(self, inputs: Sequence[Sequence[int]], outputs: Sequence[Sequence[int]]) -> None:
        """Call Compile of the class, if it has one, with these shapes."""
        self._check(self._lib.ferrata_ge_node_compile(self._handle, *_shapes(inputs), *_shapes(outputs)), "Compile")

    def executor(self, where: str = "") -> Any:
        """An object whose `run(tensors)` executes the node on the current stream; see ferrata_npu.GeExecutor."""
        from ferrata.npu import load

        return load.extension().GeExecutor(self, self.handle, self.op_type, self.name, where)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._lib.ferrata_ge_node_free(handle)

    def _set_attr(self, name: str, kind: str, value: Any) -> None:
        setter = _ATTR_SETTERS.get(kind)
        if setter is None:
            raise NativeCallFailed(
                op=self.op_type,
                node=self.name,
                text=f"attribute {name!r}: no way to pass {kind or type(value)}",
                printed="",
            )
        try:
            function, *args = setter(value)
        except (TypeError, ValueError, AttributeError, ctypes.ArgumentError) as failure:
            text = f"attribute {name!r} of kind {kind} cannot hold {value!r}: {failure}"
            raise NativeCallFailed(op=self.op_type, node=self.name, text=text, printed="") from failure
        self._check(
            getattr(self._lib, f"ferrata_ge_attr_{function}")(self._handle, name.encode(), *args), f"attribute {name}"
        )

    def _count(self, what: str, given: Sequence[Any]) -> None:
        if len(given) != self.inputs:
            text = f"{self.inputs} input tensors, {len(given)} {what} given"
            raise NativeCallFailed(op=self.op_type, node=self.name, text=text, printed="")

    def _check(self, status: int, what: str) -> None:
        if status:
            raise self._error(what)

    def tile(self, inputs: Sequence[Sequence[int]], outputs: Sequence[Sequence[int]]) -> dict[str, Any]:
        """What the tiling function of a defined operator says for these shapes; see ferrata_ge_node_tile."""
        text = self._lib.ferrata_ge_node_tile(self._handle, *_shapes(inputs), *_shapes(outputs))
        if text is None:
            raise self._error("Tiling")
        result: dict[str, Any] = json.loads(text)
        return result | {"data": bytes.fromhex(result["data"])}

    def _error(self, what: str) -> FerrataError:
        row = _query(self._lib.ferrata_ge_last_error())
        if row["kind"] == "error":
            return error_from_json(_text(row["text"]))
        text, printed = _text(row["text"]) or what, _text(row["printed"]).strip()
        return NativeCallFailed(
            op=self.op_type, node=self.name, text=text, printed=printed and f"\nIt printed:\n{printed}"
        )


# --- values for the C side ---


def _ints(values: Sequence[int]) -> Any:
    return (c_int64 * max(len(values), 1))(*values)


def _shapes(shapes: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    flat = [int(d) for shape in shapes for d in shape]
    return _ints(flat), (c_size_t * max(len(shapes), 1))(*map(len, shapes))


def _sized(data: bytes | str) -> tuple[bytes, int]:
    raw = data.encode() if isinstance(data, str) else bytes(memoryview(data))
    return raw, len(raw)


def _list(array: Any, values: Sequence[Any]) -> tuple[Any, int]:
    return (array * max(len(values), 1))(*values), len(values)


def _strings(values: Sequence[str | bytes]) -> tuple[Any, ...]:
    raw = [_sized(v)[0] for v in values]
    return b"".join(raw), (c_size_t * max(len(raw), 1))(*map(len, raw)), len(raw)


def _lists(values: Sequence[Sequence[int]]) -> tuple[Any, ...]:
    return *_shapes(values), len(values)


def _tensor(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, TensorValue):
        import torch

        from ferrata.ge.types import ge_dtype

        tensor = value.detach().cpu().contiguous()
        raw = bytes(tensor.reshape(-1).view(torch.uint8).tolist()) if tensor.numel() else b""
        value = TensorValue(int(ge_dtype(tensor.dtype)), tuple(tensor.shape), raw)
    return value.dtype, _ints(value.shape), len(value.shape), value.data, len(value.data)


_ATTR_SETTERS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "VT_INT": lambda v: ("int", int(v)),
    "VT_FLOAT": lambda v: ("float", float(v)),
    "VT_BOOL": lambda v: ("bool", int(bool(v))),
    "VT_STRING": lambda v: ("string", *_sized(v)),
    "VT_BYTES": lambda v: ("bytes", *_sized(v)),
    "VT_DATA_TYPE": lambda v: ("dtype", int(v)),
    "VT_TENSOR": lambda v: ("tensor", *_tensor(v)),
    "VT_LIST_INT": lambda v: ("list_int", *_list(c_int64, v)),
    "VT_LIST_FLOAT": lambda v: ("list_float", *_list(ctypes.c_float, v)),
    "VT_LIST_BOOL": lambda v: ("list_bool", *_list(ctypes.c_uint8, [int(bool(i)) for i in v])),
    "VT_LIST_DATA_TYPE": lambda v: ("list_dtype", *_list(c_int32, [int(i) for i in v])),
    "VT_LIST_STRING": lambda v: ("list_string", *_strings(v)),
    "VT_LIST_LIST_INT": lambda v: ("list_list_int", *_lists(v)),
}


def _guess(value: Any) -> str:
    """The kind of an attribute that the prototype does not declare."""
    for kind, cls in (("VT_BOOL", bool), ("VT_INT", int), ("VT_FLOAT", float), ("VT_STRING", str), ("VT_BYTES", bytes)):
        if isinstance(value, cls):
            return kind
    if isinstance(value, (list, tuple)) and value:
        return {
            "VT_INT": "VT_LIST_INT",
            "VT_FLOAT": "VT_LIST_FLOAT",
            "VT_BOOL": "VT_LIST_BOOL",
            "VT_STRING": "VT_LIST_STRING",
        }.get(_guess(value[0]), "")
    return ""


# --- values from the C side ---


def _text(value: str) -> str:
    """JSON of the bridge carries bytes as latin-1."""
    return value.encode("latin-1").decode("utf-8", "replace")


@lru_cache(maxsize=1)
def _prototypes(_serial: int) -> dict[str, NativeProto]:
    return {row["op_type"]: _proto(row) for row in _query(_lib().ferrata_ge_prototypes())}


def _query(raw: bytes) -> Any:
    return json.loads(raw)


def _origin(row: Mapping[str, Any]) -> str:
    file = f"{_text(row['file'])}:{row['line']}" if row["file"] else ""
    library = _text(row["library"])
    return f"{file} in {library}" if file and library else file or library


def _proto(row: Mapping[str, Any]) -> NativeProto:
    plain = {s["name"] for s in row["symbols"] if not s["list"] and not s["promote"]}
    special = {s["name"] for s in row["symbols"]} - plain

    def port(p: Mapping[str, Any]) -> PortDef:
        symbol = None if not p["symbol"] or p["symbol"] in special else p["symbol"]
        return PortDef(
            p["name"], p["kind"], None if p["dtypes"] is None else tuple(p["dtypes"]), symbol, _text(p["types"])
        )

    def attr(a: Mapping[str, Any]) -> AttrDef:
        return AttrDef(
            a["name"], a["type"], a["required"], None if a["required"] else _default(a["type"], a["default"])
        )

    attrs = tuple(map(attr, row["attrs"]))
    by_attr = any(a.name in plain for a in attrs)
    return NativeProto(
        op_type=row["op_type"],
        inputs=tuple(map(port, row["inputs"])),
        outputs=tuple(map(port, row["outputs"])),
        attrs=attrs,
        symbols={s["name"]: tuple(s["dtypes"]) for s in row["symbols"] if s["name"] in plain},
        origin=_origin(row["origin"]),
        promotes=bool(special) or by_attr,
    )


def _default(kind: str, value: Any) -> Any:
    if kind == "VT_BYTES":
        return value.encode("latin-1")
    if kind == "VT_TENSOR":
        return TensorValue(value["dtype"], tuple(value["shape"]), value["data"].encode("latin-1"))
    if kind == "VT_STRING":
        return _text(value)
    return [_text(v) for v in value] if kind == "VT_LIST_STRING" else value


# --- the library ---


@cache
def _lib() -> Any:
    lib = ctypes.CDLL(str(build.ge()), mode=ctypes.RTLD_GLOBAL)
    i64s, sizes, i32s = POINTER(c_int64), POINTER(c_size_t), POINTER(c_int32)
    attr = (c_void_p, c_char_p)
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "serial": (c_uint64, ()),
        "prototypes": (c_char_p, ()),
        "implementation": (c_char_p, (c_char_p,)),
        "implementation_types": (c_char_p, ()),
        "conflicts": (c_char_p, ()),
        "last_error": (c_char_p, ()),
        "set_option": (None, (c_char_p, c_char_p)),
        "node_create": (c_void_p, (c_char_p, c_char_p, i64s, c_size_t, i64s, c_size_t)),
        "node_free": (None, (c_void_p,)),
        "node_inputs": (c_size_t, (c_void_p,)),
        "node_outputs": (c_size_t, (c_void_p,)),
        "attr_int": (c_int32, (*attr, c_int64)),
        "attr_float": (c_int32, (*attr, ctypes.c_float)),
        "attr_bool": (c_int32, (*attr, c_int32)),
        "attr_string": (c_int32, (*attr, c_char_p, c_size_t)),
        "attr_bytes": (c_int32, (*attr, c_char_p, c_size_t)),
        "attr_dtype": (c_int32, (*attr, c_int32)),
        "attr_tensor": (c_int32, (*attr, c_int32, i64s, c_size_t, c_char_p, c_size_t)),
        "attr_list_int": (c_int32, (*attr, i64s, c_size_t)),
        "attr_list_float": (c_int32, (*attr, POINTER(ctypes.c_float), c_size_t)),
        "attr_list_bool": (c_int32, (*attr, POINTER(ctypes.c_uint8), c_size_t)),
        "attr_list_dtype": (c_int32, (*attr, i32s, c_size_t)),
        "attr_list_string": (c_int32, (*attr, c_char_p, sizes, c_size_t)),
        "attr_list_list_int": (c_int32, (*attr, i64s, sizes, c_size_t)),
        "node_infer_dtypes": (c_int32, (c_void_p, i32s, i32s)),
        "node_set_const": (c_int32, (c_void_p, c_size_t, c_char_p, c_size_t)),
        "node_infer_shapes": (c_int32, (c_void_p, i64s, sizes, i64s, sizes)),
        "node_output_dtypes": (None, (c_void_p, i32s)),
        "node_set_output_dtypes": (None, (c_void_p, i32s)),
        "node_verify": (c_int32, (c_void_p,)),
        "node_compile": (c_int32, (c_void_p, i64s, sizes, i64s, sizes)),
        "definitions": (c_char_p, ()),
        "replace_definitions": (None, (c_int32,)),
        "set_kernels": (None, (c_char_p, _Kernels, c_char_p)),
        "node_tile": (c_char_p, (c_void_p, i64s, sizes, i64s, sizes)),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, f"ferrata_ge_{name}")
        function.restype, function.argtypes = result, arguments
    return lib
