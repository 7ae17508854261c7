"""Prototypes: the declared ports and attributes of each GE operator type, from C++, from Python and built in.

The builder validates against these, inference uses their type symbols, converters are derived from them. This module
holds state: the table of Python registrations, and what was last read from the native library.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ferrata import errors
from ferrata.ge.attrs import KINDS
from ferrata.ge.nearest import near as near
from ferrata.ge.types import dtype_name, ge_dtype

MODES = ("required", "optional", "dynamic")


@dataclass(frozen=True, slots=True)
class PortSpec:
    """A declared port. dtypes: GE numbers, None for any. symbol: ports of one symbol share one type."""

    name: str
    kind: str = "required"
    dtypes: tuple[int, ...] | None = None
    symbol: str | None = None

    def allowed(self) -> str:
        return "anything" if self.dtypes is None else ", ".join(dtype_name(d) for d in self.dtypes)


@dataclass(frozen=True, slots=True)
class AttrSpec:
    """A declared attribute; `type` is the tag (VT_INT, ...)."""

    name: str
    type: str
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Prototype:
    """A GE operator type. `origin` says which library or Python line declared it."""

    op_type: str
    inputs: tuple[PortSpec, ...]
    outputs: tuple[PortSpec, ...]
    attrs: tuple[AttrSpec, ...] = ()
    symbols: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    origin: str = ""

    def input(self, name: str) -> PortSpec | None:
        return next((p for p in self.inputs if p.name == name), None)

    def output(self, name: str) -> PortSpec | None:
        return next((p for p in self.outputs if p.name == name), None)

    def attr(self, name: str) -> AttrSpec | None:
        return next((a for a in self.attrs if a.name == name), None)

    @property
    def in_place(self) -> tuple[str, ...]:
        """Ports that are input and output under one name: the output shares the input's memory."""
        outs = {p.name for p in self.outputs}
        return tuple(p.name for p in self.inputs if p.name in outs)

    def signature(self) -> str:
        """`AddCustom(x, y, *, alpha: VT_FLOAT) -> (z)`, as errors print it."""
        marks = {"required": "", "optional": "?", "dynamic": "[]"}
        ins = ", ".join(p.name + marks[p.kind] for p in self.inputs)
        attrs = ", ".join(f"{a.name}: {a.type}" + ("" if a.required else f" = {a.default!r}") for a in self.attrs)
        outs = ", ".join(p.name + marks[p.kind] for p in self.outputs)
        return f"{self.op_type}({ins}{', *, ' + attrs if attrs else ''}) -> ({outs})"


# The engine itself adds nodes of these types. Other types of GE's library may be declared anew.
_ENGINE = frozenset({"Cast", "Identity", "Pack", "TensorMove"})

_python: dict[str, Prototype] = {}
_native: dict[str, Prototype] = {}
_native_serial = -1
_native_seen = False
_settled = 0  # how many `settled` are open
_told: set[tuple[str, str, str]] = set()


def register_op(
    op_type: str,
    *,
    inputs: Mapping[str, Any] | Sequence[str] = (),
    outputs: Mapping[str, Any] | Sequence[str] = (),
    attrs: Mapping[str, Any] | None = None,
    symbols: Mapping[str, Iterable[Any]] | None = None,
) -> Prototype:
    """Declare a GE operator type from Python: what REG_OP does in C++.

    inputs, outputs: port name -> types; a bare list of names accepts any type. A trailing "?" on an input's name makes
        it optional, a trailing "[]" makes a port dynamic. Types: a torch.dtype, a GE name ("FLOAT"), a list of these, a
        symbol of `symbols` ("T"), or None for any.
    attrs: name -> kind ("Int", "ListFloat", "VT_BOOL", ...) for a required one, or (kind, default).
    symbols: type symbol -> the types that it may stand for; ports of one symbol have one type.

    Raises DuplicateOperator if the type is registered already; the first registration stays. Raises BadDeclaration for
    names that no operator can have.

    >>> register_op("AxpyDemo", inputs={"x": "T", "y": "T", "mask?": torch.bool}, outputs={"z": "T"},
    ...             attrs={"alpha": ("Float", 1.0)}, symbols={"T": [torch.float32, torch.float16]})
    """
    where = _caller()
    _check_declaration(op_type, inputs, outputs, attrs, where)
    table = {s: tuple(ge_dtype(t) for t in types) for s, types in (symbols or {}).items()}
    proto = Prototype(
        op_type,
        _ports(inputs, table),
        _ports(outputs, table),
        tuple(_attr(n, spec) for n, spec in (attrs or {}).items()),
        table,
        where,
    )
    first = taken(op_type)
    if first is not None:
        raise errors.DuplicateOperator(op=op_type, what="prototype", first=first.origin, second=where)
    _python[op_type] = proto
    return proto


def install(proto: Prototype) -> None:
    """Register a prototype that is made already. Raises DuplicateOperator."""
    first = taken(proto.op_type)
    if first is not None:
        raise errors.DuplicateOperator(op=proto.op_type, what="prototype", first=first.origin, second=proto.origin)
    _python[proto.op_type] = proto


def unregister_op(op_type: str) -> None:
    """Forget a Python registration, prototype and implementation; for tests and notebooks."""
    from ferrata.ge import impl

    _python.pop(op_type, None)
    impl.forget(op_type)


def find_prototype(op_type: str) -> Prototype | None:
    """The prototype of a type: Python's and the libraries' first, then the structure's, then GE's own operators."""
    return registered_prototype(op_type) or builtin_prototypes().get(op_type) or _library().prototype(op_type)


def taken(op_type: str) -> Prototype | None:
    """What keeps a type from being declared: a registration, or that the engine itself adds nodes of it.

    The other types of GE's library may be declared anew; the declaration then stands for them.
    """
    return (
        find_prototype(op_type)
        if op_type in _ENGINE
        else registered_prototype(op_type) or builtin_prototypes().get(op_type)
    )


def registered_prototype(op_type: str) -> Prototype | None:
    """The prototype that Python or a library of the user registered under a type."""
    found = _python.get(op_type)
    if found is not None or (_settled and not _native_seen):
        return found
    return natives().get(op_type)


def registered() -> list[str]:
    """The types that Python or libraries of the user registered."""
    return sorted({*_python, *natives()})


def require_prototype(op_type: str, where: Any) -> Prototype:
    """As find_prototype. Raises NoPrototype with the nearest name."""
    global _settled
    proto = find_prototype(op_type)
    if proto is None and _settled:  # after all, a library may have been loaded just now
        depth, _settled = _settled, 0
        native_module()
        _settled = depth
        proto = find_prototype(op_type)
    if proto is None:
        mine = registered()
        raise errors.NoPrototype(
            op=op_type,
            where=str(where),
            near=near(op_type, [*mine, *builtin_prototypes(), *_library().names()]),
            known=", ".join(mine) or "none",
        )
    _report_duplicates(op_type)
    return proto


def natives() -> dict[str, Prototype]:
    """Prototypes of the loaded C++ libraries; read again only after another registration."""
    global _native, _native_serial
    native = native_module()
    if native is None:
        return {}
    serial = int(native.serial())
    if serial != _native_serial:
        _native = {name: _from_native(p) for name, p in native.prototypes().items()}
        _native_serial = serial
    return _native


def native_module() -> Any:
    """`ferrata.ge.native`, or None as long as no library with C++ registrations can have been loaded.

    Asking must not build or load anything: it happens for every operator type. Libraries of operators link libgert, so
    its symbols are visible in the process once the first is loaded.
    """
    global _native_seen
    if not _native_seen and _settled == 0:
        _native_seen = hasattr(_process(), "ferrata_ge_serial")
    return importlib.import_module("ferrata.ge.native") if _native_seen else None


@contextlib.contextmanager
def settled() -> Iterator[None]:
    """Inside, no first library of operators is expected: looking for one costs more than all else about a node."""
    global _settled
    native_module()
    _settled += 1
    try:
        yield
    finally:
        _settled -= 1


@functools.cache
def _process() -> ctypes.CDLL:
    """The symbols of every library that this process has loaded, and will load."""
    return ctypes.CDLL(None)


def _report_duplicates(op_type: str) -> None:
    """Raise DuplicateOperator, once, for a type that libraries registered twice; afterwards the first one serves."""
    native = native_module()
    found = [(d.what, d.kept, d.refused) for d in native.duplicates() if d.op_type == op_type] if native else []
    if op_type in _python and op_type in natives():
        found.append(("prototype", _python[op_type].origin, natives()[op_type].origin))
    for what, first, second in found:
        if (op_type, what, second) not in _told:
            _told.add((op_type, what, second))
            raise errors.DuplicateOperator(op=op_type, what=what, first=first, second=second)


def _from_native(p: Any) -> Prototype:
    def port(q: Any) -> PortSpec:
        return PortSpec(q.name, q.kind, None if q.dtypes is None else tuple(q.dtypes), q.symbol)

    symbols = {str(k): tuple(v) for k, v in dict(p.symbols or {}).items()}
    attrs = tuple(AttrSpec(a.name, a.type, a.required, a.default) for a in p.attrs)
    return Prototype(p.op_type, tuple(map(port, p.inputs)), tuple(map(port, p.outputs)), attrs, symbols, p.origin)


@functools.cache
def builtin_prototypes() -> dict[str, Prototype]:
    """Types that every graph knows; see `ferrata.ge.builtin`."""
    from ferrata.ge.builtin import PROTOTYPES

    return PROTOTYPES


@functools.cache
def _library() -> Any:
    """GE's own operators; see `ferrata.ge.library`."""
    return importlib.import_module("ferrata.ge.library.table")


def _check_declaration(op_type: Any, inputs: Any, outputs: Any, attrs: Any, where: str) -> None:
    """Raises BadDeclaration for what is not a name, or occurs twice in one list."""

    def refuse(argument: str, expected: str, got: Any) -> None:
        raise errors.BadDeclaration(
            what=f"register_op({op_type!r})", where=where, argument=argument, expected=expected, got=repr(got)
        )

    if not isinstance(op_type, str) or not op_type.isidentifier():
        refuse("the type", "a name such as 'AddCustom'", op_type)
    for argument, ports in (("inputs", inputs), ("outputs", outputs)):
        if isinstance(ports, str) or not isinstance(ports, (Mapping, Sequence)):
            refuse(argument, "a list of names, or a dictionary from names to types", ports)
        names = [p.removesuffix("?").removesuffix("[]") if isinstance(p, str) else p for p in ports]
        for name in names:
            if not isinstance(name, str) or not name.isidentifier():
                refuse(f"each of {argument}", "a port's name, such as 'x', 'x?' or 'x[]'", name)
        if len(set(names)) < len(names):
            refuse(argument, "names that differ", names)
    if not isinstance(attrs or {}, Mapping):
        refuse("attrs", "a dictionary from names to kinds", attrs)
    for name, spec in (attrs or {}).items():
        if not isinstance(name, str) or not name.isidentifier():
            refuse("each of attrs", "a name", name)
        if not isinstance(spec, str) and not (isinstance(spec, (tuple, list)) and len(spec) == 2):
            refuse(f"attrs[{name!r}]", "a kind, or (kind, default)", spec)


def _ports(spec: Mapping[str, Any] | Sequence[str], table: Mapping[str, tuple[int, ...]]) -> tuple[PortSpec, ...]:
    items: Iterable[tuple[str, Any]] = spec.items() if isinstance(spec, Mapping) else ((n, None) for n in spec)
    return tuple(_port(name, types, table) for name, types in items)


def _port(name: str, types: Any, table: Mapping[str, tuple[int, ...]]) -> PortSpec:
    kind = "optional" if name.endswith("?") else "dynamic" if name.endswith("[]") else "required"
    name = name.removesuffix("?").removesuffix("[]")
    if types is None:
        return PortSpec(name, kind)
    if isinstance(types, str) and types in table:
        return PortSpec(name, kind, table[types], types)
    if isinstance(types, str):
        types = types.split("|")
    if not isinstance(types, (list, tuple)):
        types = [types]
    return PortSpec(name, kind, tuple(ge_dtype(t) for t in types))


def _attr(name: str, spec: Any) -> AttrSpec:
    kind, required, default = (spec, True, None) if isinstance(spec, str) else (spec[0], False, spec[1])
    if kind not in KINDS:
        raise errors.BadOptionValue(option=f"attrs[{name!r}]", value=kind, allowed=", ".join(sorted(KINDS)))
    wanted = KINDS[kind]
    return AttrSpec(name, wanted.tag, required, None if required else wanted.make(default).value)


def _caller() -> str:
    frame: Any = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("ferrata.ge"):
        frame = frame.f_back
    return "Python" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def caller() -> str:
    """`file:line` of the first frame outside this package: who registers."""
    return _caller()
