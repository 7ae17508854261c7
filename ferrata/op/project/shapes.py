"""Symbolic output shapes from an inference function that computes with integers.

The function is asked in several worlds, in which each symbolic size has another value; an output dimension is then the
expression that agrees with all of them. No guard is added. What no expression explains becomes a new unknown size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import torch

from ferrata.errors import ProjectError

Infer = Callable[[list[list[int]]], list[list[int]]]
# Multiples of 64 satisfy the divisibility that operators ask for; the primes keep sizes apart.
_WORLDS = (
    [64 * p for p in (3, 7, 13, 19, 29, 37, 43, 53, 61, 71, 79, 89)],
    [64 * p for p in (5, 11, 17, 23, 31, 41, 47, 59, 67, 73, 83, 97)],
    [128 * p for p in (7, 3, 11, 13, 5, 23, 19, 29, 17, 37, 31, 41)],
)


def infer(function: Infer, shapes: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Output shapes for input shapes of int and SymInt. Raises what `function` raises when it refuses every world."""
    symbols: dict[Any, Any] = {}
    for shape in shapes:
        for size in shape:
            if not isinstance(size, int) and not size.node.expr.is_number:
                symbols.setdefault(size.node.expr, size)
    if not symbols:
        return [list(shape) for shape in function([[int(size) for size in shape] for shape in shapes])]
    worlds: list[dict[Any, int]] = []
    results: list[list[list[int]]] = []
    refused: Exception | None = None
    for table in _WORLDS:
        values = {expr: table[i % len(table)] * (1 + i // len(table)) for i, expr in enumerate(symbols)}
        try:
            results.append(function([[_value(size, values) for size in shape] for shape in shapes]))
            worlds.append(values)
        except ProjectError as error:
            refused = error
    if not results:
        assert refused is not None
        raise refused
    out = []
    for i, shape in enumerate(results[0]):
        dims = [[result[i][d] for result in results] for d in range(len(shape))]
        out.append([_fit(numbers, worlds, symbols, shapes) for numbers in dims])
    return out


def _value(size: Any, values: dict[Any, int]) -> int:
    return size if isinstance(size, int) else values.get(size.node.expr) or int(size.node.expr)


def _fit(numbers: list[int], worlds: list[dict[Any, int]], symbols: dict[Any, Any], shapes: Any) -> Any:
    """The size that has these numbers in the worlds."""
    if len(worlds) < 2:
        return unknown()
    if len(set(numbers)) == 1:
        return numbers[0]
    named = list(symbols.items())
    for expr, size in named:
        found = _linear(numbers, [world[expr] for world in worlds])
        if found is not None:
            times, plus = found
            scaled = size if times == 1 else size * times.numerator // times.denominator
            return scaled + plus if plus else scaled
    for i, (left, a) in enumerate(named):
        for right, b in named[i:]:
            if [w[left] * w[right] for w in worlds] == numbers:
                return a * b
            if [w[left] + w[right] for w in worlds] == numbers:
                return a + b
    for shape in shapes:
        for start in range(len(shape)):
            for stop in range(start + 2, len(shape) + 1):
                if [_product(shape[start:stop], world) for world in worlds] == numbers:
                    total = shape[start]
                    for size in shape[start + 1 : stop]:
                        total = total * size
                    return total
    return unknown()


def _product(sizes: Any, world: dict[Any, int]) -> int:
    result = 1
    for size in sizes:
        result *= _value(size, world)
    return result


def _linear(numbers: list[int], sizes: list[int]) -> tuple[Fraction, int] | None:
    """numbers == times * sizes + plus in every world, plus whole."""
    times = Fraction(numbers[0] - numbers[1], sizes[0] - sizes[1])
    plus = numbers[0] - times * sizes[0]
    if times <= 0 or plus.denominator != 1:
        return None
    agrees = all(times * s + plus == n for n, s in zip(numbers, sizes, strict=True))
    # two unknowns need a third world, but for what is plain
    sure = len(numbers) > 2 or (times == 1 and plus == 0)
    return (times, int(plus)) if agrees and sure else None


def unknown() -> Any:
    """A size that only running tells."""
    return torch.library.get_ctx().new_dynamic_size()
