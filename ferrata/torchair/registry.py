"""Which converter belongs to which operator. This module holds state: the table of registrations.

`register_fx_node_ge_converter` fills it, the conversion asks `find`. The last registration for an operator wins.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from ferrata import errors
from ferrata.torchair.source import shorten

_table: dict[Any, Converter] = {}


class Converter:
    """A user's converter function, still callable, with what the conversion must know about it."""

    def __init__(self, function: Callable[..., Any], target: Any) -> None:
        self.function, self.target = function, target
        self.supported: Sequence[Any] = getattr(function, "supported", ())
        self.signature = _signature(function)
        self.wants_meta = self.signature is not None and "meta_outputs" in self.signature.parameters
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<converter of {self.target}, {described(self.function)}>"

    def misfit(self, failure: BaseException, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
        """Why the function cannot be called like this, if that is what `failure`, raised by calling it, means."""
        if not isinstance(failure, TypeError) or self.signature is None:
            return None
        *_, (frame, _) = traceback.walk_tb(failure.__traceback__)
        if frame.f_code not in (Converter.__call__.__code__, *_wrappers(self.function)):
            return None  # raised inside
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError as problem:
            return str(problem)
        return None


def described(function: Any, signature: object = "") -> str:
    """`name(signature) (file:line)` of a user's function."""
    inner = inspect.unwrap(function)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    name = getattr(inner, "__qualname__", None) or type(inner).__qualname__
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    place = "" if code is None else f" ({shorten(code.co_filename)}:{code.co_firstlineno})"
    return f"{name}{signature}{place}"


def _signature(function: Any) -> inspect.Signature | None:
    """None for a function of C that does not tell."""
    try:
        return inspect.signature(function)
    except ValueError:
        if isinstance(function, functools.partial):
            raise
        return None


def _wrappers(function: Any) -> list[Any]:
    """The code of what functools.wraps put around a function: it raises there what a wrong call of the inner one is."""
    found = []
    while hasattr(function, "__wrapped__"):
        found.append(getattr(function, "__code__", None))
        function = function.__wrapped__
    return found


def register_fx_node_ge_converter(aten_op: Any) -> Callable[[Any], Any]:
    """Decorator: the function builds the GE nodes for `aten_op` when a captured graph contains it.

    aten_op: an OpOverload (torch.ops.mylib.add.default), a packet (all its overloads), a Python builtin on sizes
        (operator.mul, math.floor, ...), a higher-order operator; None does nothing.
    The function gets the node's arguments as the schema has them: tensors as ge.Tensor, lists of sizes with symbols as
    one packed ge.Tensor, everything else as it is. If it has a parameter `meta_outputs` it is told what Meta says.
    It returns a ge.Tensor per output of the operator.

    >>> @register_fx_node_ge_converter(torch.ops.ascendc_ops.ascendc_add.default)
    ... def convert(x, y, z=None, meta_outputs=None):
    ...     return ge.custom_op("AddCustom", inputs={"x": x, "y": y}, outputs=["z"])
    """
    if aten_op is None:
        return lambda function: function
    if not _is_target(aten_op):
        example = _captured_as(aten_op) or "torch.ops.mylib.add.default"
        raise errors.BadDeclaration(
            what="register_fx_node_ge_converter",
            where=_caller(),
            argument="its argument",
            expected=f"an operator, such as {example} (write it in parentheses after the decorator)",
            got=repr(aten_op),
        )

    def decorate(function: Any) -> Converter:
        inner = function.function if isinstance(function, Converter) else function
        if not callable(inner):
            raise errors.BadDeclaration(
                what=f"register_fx_node_ge_converter({aten_op})",
                where=_caller(),
                argument="the converter",
                expected="a function",
                got=repr(inner),
            )
        try:
            converter = Converter(inner, aten_op)
        except ValueError as problem:
            raise errors.BadDeclaration(
                what=f"register_fx_node_ge_converter({aten_op})",
                where=_caller(),
                argument="the converter",
                expected="a function that can be called",
                got=f"{inner!r} ({problem.__cause__ or problem})",
            ) from None
        if isinstance(function, Converter):
            converter.supported = function.supported
        _table[aten_op] = converter
        return converter

    return decorate


def _is_target(aten_op: Any) -> bool:
    """Whether an FX node can have this target: an operator, or a function of Python or PyTorch on sizes."""
    if isinstance(aten_op, (OpOverload, OpOverloadPacket, HigherOrderOperator)):
        return True
    module = getattr(aten_op, "__module__", None) or ""
    if not callable(aten_op) or _captured_as(aten_op) is not None:
        return False
    return module.split(".")[0] in ("", "builtins", "_operator", "operator", "math", "torch")


def _captured_as(function: Any) -> str | None:
    """The operator that a function of PyTorch's Python interface is in a captured graph; None if it is none such."""
    name = str(getattr(function, "__name__", ""))
    module = getattr(function, "__module__", None) or ""
    if "sym_" in name or not (module.split(".")[0] == "torch" or getattr(torch.Tensor, name, None) is function):
        return None
    if isinstance(function, type):
        name = name.lower()
    if name in _HIGHER:
        return f"torch.ops.higher_order.{name}"
    packet = getattr(torch.ops.aten, name, None) if name.isidentifier() else None
    return None if packet is None else f"torch.ops.aten.{name}.{packet.overloads()[0]}"


_HIGHER = ("cond", "while_loop", "scan", "associative_scan", "map")


def _caller() -> str:
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def declare_supported(samples: Sequence[Any]) -> Callable[[Converter], Converter]:
    """Decorate a Converter with samples of what it supports; they are kept, not run. Raises BadDeclaration."""
    if not isinstance(samples, (list, tuple)):
        raise errors.BadDeclaration(
            what="declare_supported",
            where=_caller(),
            argument="its argument",
            expected="a list of samples (write it in parentheses after the decorator)",
            got=repr(samples),
        )

    def decorate(converter: Converter) -> Converter:
        converter.supported = samples
        return converter

    return decorate


def find(target: Any) -> Converter | None:
    """The converter registered for a target, or for its packet."""
    found = _table.get(target)
    if found is None and isinstance(target, OpOverload):
        found = _table.get(target.overloadpacket)
    return found


def near(target: Any) -> str:
    """A note where a converter is registered for an operator that is nearly called so, such as one of another namespace."""
    name = str(target)
    known = [str(t) for t in _table if isinstance(t, (OpOverload, OpOverloadPacket))]
    operator = name.partition(".")[2]
    alike = [k for k in known if k.partition(".")[2] in (operator, operator.removesuffix(".default"))]
    alike = difflib.get_close_matches(name, alike, n=1, cutoff=0.0)  # of several, the most like it
    alike = alike or difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    return f"; a converter is registered for torch.ops.{alike[0]}" if alike else ""


def registrations() -> list[tuple[Any, Converter]]:
    """Every registration, in order."""
    return list(_table.items())


def unregister(target: Any) -> None:
    """Forget a registration; for tests and notebooks."""
    _table.pop(target, None)


def builtin_namespaces() -> frozenset[str]:
    """Namespaces whose operators PyTorch itself defines: they run as ATen nodes when nothing else converts them."""
    return _OWN


_OWN = frozenset(
    [
        "aten",
        "prim",
        "prims",
        "quantized",
        "_quantized",
        "quantized_decomposed",
        "_c10d_functional",
        "_c10d_functional_autograd",
        "c10d_functional",
        "c10d",
        "_dtensor",
        "inductor",
        "rngprims",
        "higher_order",
        "fsdp",
        "symm_mem",
        "mkldnn",
        "mkldnn_prepacked",
        "sparse",
        "nested",
        "export",
        "profiler",
        "_inductor_test",
        "streams",
        "debugprims",
        "torch_nn",
        "air",  # ours: torchair.scope and torchair.ops
    ]
)


def is_custom(target: Any) -> bool:
    """Whether the target is an operator that a library outside PyTorch defines."""
    return isinstance(target, torch._ops.OpOverload) and target.namespace not in _OWN
