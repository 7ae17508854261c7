"""The operator types that every graph knows: its ends, constants, copies. Prototype and execution in one row.

Types with `run` None are structure: the session deals with them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata.ge.prototype import AttrSpec, PortSpec, Prototype
from ferrata.ge.types import torch_dtype

Shapes = Sequence[list[int]]


@dataclass(frozen=True, slots=True)
class Builtin:
    """run(inputs, attrs) -> outputs; infer(dtypes, shapes, attrs) -> [(dtype, shape)]; None: nothing to do."""

    proto: Prototype
    run: Callable[[list[Any], Mapping[str, Any]], list[Any]] | None = None
    infer: Callable[[list[int], Shapes, Mapping[str, Any]], list[tuple[int, list[int]]]] | None = None
    effect: bool = False


def _proto(op: str, inputs: str, outputs: str, *attrs: AttrSpec) -> Prototype:
    def ports(text: str) -> tuple[PortSpec, ...]:
        return tuple(
            PortSpec(p.removesuffix("[]"), "dynamic" if p.endswith("[]") else "required") for p in text.split()
        )

    return Prototype(op, ports(inputs), ports(outputs), attrs, {}, "built in")


def _same(dtypes: list[int], shapes: Shapes, attrs: Mapping[str, Any]) -> list[tuple[int, list[int]]]:
    return [(dtypes[0], list(shapes[0]))]


def _cast(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [inputs[0].to(torch_dtype(attrs["dst_type"]), copy=True)]


def _assign(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [inputs[0].copy_(inputs[1])]


def _pack_shape(dtypes: list[int], shapes: Shapes, attrs: Mapping[str, Any]) -> list[tuple[int, list[int]]]:
    shape = list(shapes[0])
    axis = attrs["axis"] % (len(shape) + 1)
    return [(dtypes[0], [*shape[:axis], len(shapes), *shape[axis:]])]


_ROWS = (
    Builtin(_proto("Data", "x", "y", AttrSpec("index", "VT_INT", False, 0))),
    Builtin(_proto("RefData", "x", "y", AttrSpec("index", "VT_INT", False, 0))),
    Builtin(_proto("Const", "", "y", AttrSpec("value", "VT_TENSOR", True))),
    Builtin(_proto("NetOutput", "input[]", "")),
    Builtin(_proto("Identity", "x", "y"), lambda i, a: [i[0]], _same),
    Builtin(_proto("TensorMove", "x", "y"), lambda i, a: [i[0].clone(memory_format=torch.contiguous_format)], _same),
    Builtin(
        _proto("Cast", "x", "y", AttrSpec("dst_type", "VT_INT", True), AttrSpec("truncate", "VT_BOOL", False, False)),
        _cast,
        lambda d, s, a: [(int(a["dst_type"]), list(s[0]))],
    ),
    Builtin(
        _proto("Pack", "x[]", "y", AttrSpec("N", "VT_INT", False, 1), AttrSpec("axis", "VT_INT", False, 0)),
        lambda i, a: [torch.stack(i, a["axis"])],
        _pack_shape,
    ),
    Builtin(
        _proto(
            "Assign",
            "ref value",
            "ref",
            AttrSpec("validate_shape", "VT_BOOL", False, True),
            AttrSpec("use_locking", "VT_BOOL", False, False),
        ),
        _assign,
        _same,
        effect=True,
    ),
)

BUILTINS: dict[str, Builtin] = {row.proto.op_type: row for row in _ROWS}
PROTOTYPES: dict[str, Prototype] = {name: row.proto for name, row in BUILTINS.items()}
STRUCTURE = frozenset(name for name, row in BUILTINS.items() if row.run is None)
