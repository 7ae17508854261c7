"""Worlds: assignments of numbers to the symbols of a graph, under which shapes can be compared.

C++ inference computes with integers. To check it against symbolic shapes, each is evaluated in at least two worlds: the
sizes the graph was captured with, and others that satisfy every guard. No guard is ever added: only expressions are
substituted, so nothing is specialised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ferrata.ge.ir import Dim, Shape

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]


@dataclass(frozen=True, slots=True)
class World:
    """One assignment; `what` says where it comes from."""

    values: Mapping[sympy.Symbol, int]
    what: str

    def dim(self, dim: Dim) -> int:
        """The number of a dimension; -1 if it depends on something unknown here."""
        if isinstance(dim, int):
            return dim
        from sympy import Integer  # late: a graph of fixed sizes, and eager use, need none of it

        result = dim.xreplace({s: Integer(v) for s, v in self.values.items()})
        try:
            return int(result) if result.is_number else -1
        except TypeError:
            return -1

    def shape(self, shape: Shape) -> list[int]:
        return [self.dim(d) for d in shape]

    def __str__(self) -> str:
        return "" if not self.values else " with " + ", ".join(f"{s} = {v}" for s, v in self.values.items())


STATIC = (World({}, "the static shapes"),)


def dim_of(size: Any) -> Dim:
    """An int, or the expression of a SymInt; adds no guard."""
    if isinstance(size, int):
        return size
    expr = size.node.expr
    return int(expr) if expr.is_number else expr


def shape_of(sizes: Sequence[Any]) -> Shape:
    return tuple(dim_of(s) for s in sizes)


def make_worlds(shape_env: Any, used: Iterable[sympy.Symbol]) -> tuple[World, ...]:
    """The world of the hints, and one further that fulfils all guards; one static world without symbols."""
    symbols = sorted(set(used), key=str)
    hints = {s: int(shape_env.backed_var_to_val[s]) for s in symbols if s in shape_env.backed_var_to_val}
    if not hints:
        return STATIC
    worlds = [World(hints, "the sizes of the first call")]
    further = _further(shape_env, hints)
    if further is not None:
        worlds.append(World(further, "other sizes"))
    return tuple(worlds)


# candidates in the order tried: distinct changes first, so that swapped dimensions show; then changes that keep
# divisibility or equality relations between symbols
_CHANGES = (
    lambda i, v: v + 3 + 2 * i,
    lambda i, v: v * (2 + i),
    lambda i, v: v * 2,
    lambda i, v: v + 8,
    lambda i, v: v + 1,
)


def _further(shape_env: Any, hints: Mapping[sympy.Symbol, int]) -> dict[sympy.Symbol, int] | None:
    guards = [g.expr for g in shape_env.guards]
    everything = dict(shape_env.backed_var_to_val)
    for change in _CHANGES:
        values = {s: change(i, v) for i, (s, v) in enumerate(hints.items())}  # type: ignore[no-untyped-call]
        if all(_within(shape_env, s, v) for s, v in values.items()) and all(
            _holds(g, everything | values) for g in guards
        ):
            return values
    return None


def _within(shape_env: Any, symbol: sympy.Symbol, value: int) -> bool:
    bounds = shape_env.var_to_range.get(symbol)
    return bounds is None or bool(bounds.lower <= value <= bounds.upper)


def _holds(guard: Any, values: Mapping[sympy.Symbol, Any]) -> bool:
    from sympy import Integer

    try:
        return bool(guard.xreplace({s: Integer(v) for s, v in values.items()}))
    except TypeError:  # it depends on a symbol without a value
        return True
