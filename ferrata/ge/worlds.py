"""Worlds: assignments of numbers to the symbols of a graph, under which shapes can be compared.

C++ inference computes with integers. To check it against symbolic shapes, each is evaluated in at least two worlds: the
sizes the graph was captured with, and others that satisfy every guard. No guard is ever added: only expressions are
substituted, so nothing is specialised.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ferrata.ge.ir import Dim, Shape

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]


@dataclass(frozen=True, slots=True)
class World:
    """One assignment; `what` says where it comes from."""

    values: Mapping[sympy.Symbol, int]
    what: str
    # few expressions and few shapes, asked often
    _known: dict[Any, int] = field(default_factory=dict, compare=False, repr=False)
    _shapes: dict[Shape, list[int]] = field(default_factory=dict, compare=False, repr=False)

    def dim(self, dim: Dim) -> int:
        """The number of a dimension; -1 if it depends on something unknown here."""
        if isinstance(dim, int):
            return dim
        known = self._known.get(dim)
        if known is None:
            known = self._known[dim] = self._evaluate(dim)
        return known

    def _evaluate(self, dim: sympy.Expr) -> int:
        from sympy import Integer  # late: a graph of fixed sizes, and eager use, need none of it

        result = dim.xreplace({s: Integer(v) for s, v in self.values.items()})
        try:
            return int(result) if result.is_number else -1
        except TypeError:
            return -1

    def shape(self, shape: Shape) -> list[int]:
        if not self.values:  # one of these serves every graph: it remembers nothing
            return [d if isinstance(d, int) else self.dim(d) for d in shape]
        known = self._shapes.get(shape)
        if known is None:
            known = self._shapes[shape] = [self.dim(d) for d in shape]
        return known.copy()

    def __str__(self) -> str:
        return "" if not self.values else " with " + ", ".join(f"{s} = {v}" for s, v in self.values.items())


STATIC = (World({}, "the static shapes"),)


def dim_of(size: Any) -> Dim:
    """An int, or the expression of a SymInt; adds no guard."""
    return size if isinstance(size, int) else _dim(size.node.expr)


@functools.lru_cache(4096)
def _dim(expr: sympy.Expr) -> Dim:
    """Of equal expressions the first one seen: what is compared later is mostly the same object."""
    return int(expr) if expr.is_number else expr


def shape_of(sizes: Sequence[Any]) -> Shape:
    return tuple([s if isinstance(s, int) else _dim(s.node.expr) for s in sizes])


def make_worlds(shape_env: Any, used: Iterable[sympy.Symbol]) -> tuple[World, ...]:
    """The world of the hints, and one further that fulfils all guards; one static world without symbols.

    Sizes that only a run tells have no hint; they get numbers that fulfil what is known of them, others in each world.
    """
    symbols = sorted(set(used), key=str)
    hints = {s: int(shape_env.backed_var_to_val[s]) for s in symbols if s in shape_env.backed_var_to_val}
    found = _found_later(shape_env)
    if not hints and not found:
        return STATIC
    further = _further(shape_env, hints) if hints else None
    worlds = [World(hints, "the sizes of the first call" if hints else "sizes that a run might tell")]
    if further is not None or found:
        worlds.append(World(further or hints, "other sizes"))
    return tuple(_with_found(shape_env, world, found, i) for i, world in enumerate(worlds))


def _found_later(shape_env: Any) -> list[sympy.Symbol]:
    """The symbols of sizes that depend on values."""
    if not getattr(shape_env, "unbacked_symint_counter", 0):
        return []
    from torch.utils._sympy.symbol import SymT, symbol_is_type

    return sorted(
        (s for s in shape_env.var_to_range if symbol_is_type(s, SymT.UNBACKED_INT) and s not in shape_env.replacements),
        key=str,
    )


# numbers for sizes that depend on values, in the order tried: all different first, then what conditions on them allow
_GUESSES = (
    lambda i, w: 3 + 2 * i + 4 * w,
    lambda i, w: 4 + 4 * w,
    lambda i, w: 2 + w,
    lambda i, w: 1 + w,
    lambda i, w: 1,
)


def _with_found(shape_env: Any, world: World, found: list[sympy.Symbol], number: int) -> World:
    """The world with numbers for such sizes, if there are any that hold; number: which world it is."""
    if not found:
        return world
    conditions = [a.expr for asserts in shape_env.deferred_runtime_asserts.values() for a in asserts]
    for guess in _GUESSES:
        values = {s: guess(i, number) for i, s in enumerate(found)}
        everything = dict(shape_env.backed_var_to_val) | dict(world.values) | values
        if all(_within(shape_env, s, v) for s, v in values.items()) and all(_holds(c, everything) for c in conditions):
            return World({**world.values, **values}, world.what)
    return world


# candidates in the order tried: distinct changes first, so that swapped dimensions show, and far ones before near
# ones, so that a quotient (`s // 16`, the frames of a signal) changes too; then changes that keep divisibility or
# equality relations between symbols
_CHANGES = (
    lambda i, v: 2 * v + 1031 + 2 * i,
    lambda i, v: 2 * v + 67 + 2 * i,
    lambda i, v: v + 3 + 2 * i,
    lambda i, v: v * (32 + i),
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
