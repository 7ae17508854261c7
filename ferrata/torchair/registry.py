"""Which converter belongs to which operator. This module holds state: the table of registrations.

`register_fx_node_ge_converter` fills it, the conversion asks `find`. The last registration for an operator wins.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket

from ferrata import errors

_table: dict[Any, Converter] = {}


class Converter:
    """A user's converter function, still callable, with what the conversion must know about it."""

    def __init__(self, function: Callable[..., Any], target: Any) -> None:
        self.function, self.target = function, target
        self.supported: Sequence[Any] = ()
        self.wants_meta = "meta_outputs" in inspect.signature(function).parameters
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        code = getattr(self.function, "__code__", None)
        where = f" at {code.co_filename}:{code.co_firstlineno}" if code is not None else ""
        return f"<converter of {self.target}{where}>"


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
        raise errors.BadDeclaration(
            what="register_fx_node_ge_converter",
            where=_caller(),
            argument="its argument",
            expected="an operator, such as torch.ops.mylib.add.default (write it in parentheses after the decorator)",
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
        converter = Converter(inner, aten_op)
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
    return callable(aten_op) and module.split(".")[0] in ("", "builtins", "_operator", "operator", "math", "torch")


def _caller() -> str:
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def declare_supported(samples: Sequence[Any]) -> Callable[[Converter], Converter]:
    """Decorate a Converter with samples of what it supports; they are kept, not run."""

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
