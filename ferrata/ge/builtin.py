"""The operator types that make up a graph itself: its ends, constants, assignment. Prototype and execution in one row.

Types with `run` None are structure: the session deals with them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferrata.ge.prototype import AttrSpec, PortSpec, Prototype

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


def _assign(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [inputs[0].copy_(inputs[1])]


_ROWS = (
    Builtin(_proto("Data", "x", "y", AttrSpec("index", "VT_INT", False, 0))),
    Builtin(_proto("RefData", "x", "y", AttrSpec("index", "VT_INT", False, 0))),
    Builtin(_proto("Const", "", "y", AttrSpec("value", "VT_TENSOR", True))),
    Builtin(_proto("NetOutput", "input[]", "")),
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
