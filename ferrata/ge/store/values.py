"""Python values as JSON and back: what stands in attributes, in the arguments of ATen calls, in shapes.

JSON's own values stand for themselves, a list for a list; everything else is an object with one key, which says what
it is: {"r": ["add_1", 0]} a value of the graph, {"op": "aten::add.Tensor"} an operator, {"e": ...} an expression of sizes.
Reading makes nothing but these: no module is imported and no code is run that a file could name freely.
"""

from __future__ import annotations

import base64
import builtins
import math
import operator
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.ir import Ref
from ferrata.ge.sizes import Size, check_symbol

# Functions on sizes that a file may name. Those of `operator` and `math` that compute; nothing that reaches further.
_MODULES: dict[str, Any] = {"operator": operator, "math": math, "builtins": builtins}
_BUILTINS = frozenset(["abs", "bool", "divmod", "float", "int", "len", "max", "min", "pow", "round", "sum"])
_NEVER = frozenset(["attrgetter", "itemgetter", "methodcaller", "setitem", "delitem", "call"])


class Writer:
    """Encodes; `tensors` collects the tensors met, each once."""

    def __init__(self) -> None:
        self.tensors: list[torch.Tensor] = []
        self.torch_operators: dict[str, None] = {}  # names of operators that are not PyTorch's own
        self._known: dict[Any, int] = {}

    def encode(self, value: Any) -> Any:
        """Raises TypeError for what a file cannot hold."""
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return value
        if isinstance(value, Ref):
            return {"r": [value.node, value.index]}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"f": repr(value)}
        if isinstance(value, list):
            return [self.encode(v) for v in value]
        if isinstance(value, tuple):  # torch.Size among them
            return {"t": [self.encode(v) for v in value]}
        if isinstance(value, Mapping):
            return {"d": [[self.encode(k), self.encode(v)] for k, v in value.items()]}
        if isinstance(value, torch.Tensor):
            return {"T": self.tensor(value)}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, (torch.layout, torch.memory_format)):
            return {"torch": str(value).removeprefix("torch.")}
        if isinstance(value, torch.device):
            return {"device": str(value)}
        if isinstance(value, complex):
            return {"c": [self.encode(value.real), self.encode(value.imag)]}
        if isinstance(value, slice):
            return {"s": [self.encode(v) for v in (value.start, value.stop, value.step)]}
        if isinstance(value, bytes):
            return {"b": base64.b64encode(value).decode()}
        if isinstance(value, int):  # an enumeration
            return int(value)
        if isinstance(value, Size) or hasattr(value, "free_symbols"):
            return {"e": _expression(value)}
        return self._function(value)

    def tensor(self, value: torch.Tensor) -> int:
        """The index of a tensor among those of the file."""
        if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout is not torch.strided:
            raise TypeError(f"a {type(value).__name__} of layout {value.layout}")
        if value.is_quantized:
            raise TypeError("a quantized tensor")
        same = (value.data_ptr(), value.dtype, tuple(value.shape), value.stride(), value.device)
        key = same if value.numel() else id(value)
        if key not in self._known:
            self._known[key] = len(self.tensors)
            self.tensors.append(value.detach())
        return self._known[key]

    def _function(self, value: Any) -> Any:
        if isinstance(value, torch._ops.OpOverload):
            if value.namespace not in ("aten", "prim", "prims"):
                self.torch_operators[value._name] = None
            return {"op": value._name}
        if isinstance(value, torch._ops.OpOverloadPacket):
            return {"packet": value._qualified_op_name}
        if isinstance(value, torch._ops.HigherOrderOperator):
            return {"hop": value._name}
        name, module = getattr(value, "__name__", ""), (getattr(value, "__module__", "") or "").removeprefix("_")
        if _allowed(module, name) is value:
            return {"py": f"{module}.{name}"}
        if name and getattr(torch.Tensor, name, None) is value:
            return {"method": name}
        if name.startswith(("sym_", "_sym_")) and getattr(torch, name, None) is value:
            return {"sym": name}
        raise TypeError(f"{name or value!r} of {module or type(value).__module__}")


class Reader:
    """Decodes. tensors: those of the file; device: moves every device of the file, where given."""

    def __init__(self, tensors: list[torch.Tensor], device: torch.device | None = None) -> None:
        self.tensors, self.device = tensors, device
        self._symbols: dict[str, Any] = {}
        self._sizes: dict[str, Size] = {}
        self._kinds: dict[str, Callable[[Any], Any]] = {
            "r": lambda v: Ref(str(v[0]), int(v[1])),
            "f": float,
            "t": lambda v: tuple(self.decode(x) for x in v),
            "d": lambda v: {self.decode(k): self.decode(x) for k, x in v},
            "T": lambda v: self.tensors[v],
            "dtype": _dtype,
            "torch": _torch_constant,
            "device": lambda v: self.device or torch.device(v),
            "c": lambda v: complex(self.decode(v[0]), self.decode(v[1])),
            "s": lambda v: slice(*(self.decode(x) for x in v)),
            "b": base64.b64decode,
            "e": self._expression,
            "op": _operator,
            "packet": lambda v: _attribute(torch.ops, v.replace("::", "."), v),
            "hop": lambda v: _attribute(torch.ops.higher_order, v, f"higher_order::{v}"),
            "py": _python,
            "method": lambda v: _attribute(torch.Tensor, v, f"torch.Tensor.{v}"),
            "sym": lambda v: _attribute(torch, v, f"torch.{v}") if v.startswith(("sym_", "_sym_")) else _no(v),
        }

    def decode(self, value: Any) -> Any:
        """Raises MissingTorchOperator for an operator that nobody has loaded; ValueError for what no writer writes."""
        if isinstance(value, list):
            return [self.decode(v) for v in value]
        if isinstance(value, dict):
            ((kind, inner),) = value.items()
            make = self._kinds.get(kind)
            if make is None:
                raise ValueError(f"unknown kind of value {kind!r}")
            return make(inner)
        return value

    def _expression(self, tree: Any) -> Any:
        if "sympy" not in sys.modules:  # who only runs the graph needs none of it
            key = repr(tree)
            if key not in self._sizes:
                try:
                    self._sizes[key] = Size(tree, self._sympy)
                except ValueError:
                    return self._sympy(tree)
            return self._sizes[key]
        return self._sympy(tree)

    def _sympy(self, tree: Any) -> Any:
        import sympy  # type: ignore[import-untyped]
        from torch.utils._sympy import functions

        if isinstance(tree, dict):
            (name, assumptions) = tree["symbol"]
            if name not in self._symbols:
                check_symbol(name)
                self._symbols[name] = sympy.Symbol(name, **{str(k): bool(v) for k, v in assumptions.items()})
            return self._symbols[name]
        if isinstance(tree, int):
            return sympy.Integer(tree)
        kind, *args = tree
        if kind == "Float":
            return sympy.Float(args[0])
        if kind == "Rational":
            return sympy.Rational(*args)
        made = getattr(sympy if kind in _CLASSES_SYMPY else functions, kind, None)
        if not (isinstance(made, type) and issubclass(made, sympy.Basic)):
            raise ValueError(f"unknown function of sizes {kind!r}")
        return made(*(self._sympy(a) for a in args))


_CLASSES_SYMPY = frozenset(
    [
        *("Add", "Mul", "Pow", "Abs", "floor", "ceiling", "Piecewise", "ExprCondPair"),
        *("And", "Or", "Not", "Equality", "Unequality"),
        *("LessThan", "GreaterThan", "StrictLessThan", "StrictGreaterThan"),
    ]
)


def _expression(value: Any) -> Any:
    if isinstance(value, Size):
        return value.tree
    import sympy

    if isinstance(value, sympy.Symbol):
        given = getattr(value, "_assumptions_orig", None) or value.assumptions0
        return {"symbol": [value.name, {k: v for k, v in given.items() if v is not None}]}
    if isinstance(value, sympy.Integer):
        return int(value)
    if isinstance(value, sympy.Rational):
        return ["Rational", int(value.p), int(value.q)]
    if isinstance(value, sympy.Float):
        return ["Float", str(value)]
    kind = type(value).__name__
    known = kind in _CLASSES_SYMPY or type(value).__module__ == "torch.utils._sympy.functions"
    if not known or not value.args:
        raise TypeError(f"the expression {value} ({kind})")
    return [kind, *(_expression(a) for a in value.args)]


def _dtype(name: str) -> torch.dtype:
    found = getattr(torch, name, None)
    return found if isinstance(found, torch.dtype) else _no(name)


def _torch_constant(name: str) -> Any:
    found = getattr(torch, name, None)
    return found if isinstance(found, (torch.layout, torch.memory_format)) else _no(name)


def _operator(name: str) -> Any:
    full, _, overload = name.partition(".")
    packet = _attribute(torch.ops, full.replace("::", "."), name)
    return _attribute(packet, overload or "default", name)


def _python(name: str) -> Any:
    module, _, function = name.partition(".")
    found = _allowed(module, function)
    return found if found is not None else _no(name)


def _allowed(module: str, name: str) -> Any:
    if module not in _MODULES or name.startswith("__") or name in _NEVER:
        return None
    if module == "builtins" and name not in _BUILTINS:
        return None
    return getattr(_MODULES[module], name, None)


def _attribute(owner: Any, path: str, name: str) -> Any:
    try:
        for part in path.split("."):
            owner = getattr(owner, part)
    except (AttributeError, RuntimeError):
        raise errors.MissingTorchOperator(op=name) from None
    return owner


def _no(name: str) -> Any:
    raise ValueError(f"{name!r} is nothing that a graph file may name")
