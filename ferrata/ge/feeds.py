"""What a graph may be fed: a check of the actual inputs against what is known of them, made once per graph.

Programs do not check what they are fed, because Dynamo's guards did. Where no guard stands in front (a graph from a
file or the cache) this does: data types, ranks, fixed sizes, and sizes that one symbol makes equal.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.ir import Desc, Graph
from ferrata.ge.sizes import python_text, symbols_of, value_of
from ferrata.ge.types import UNDEFINED, dtype_name, torch_dtype


class Feeds:
    """The check of one graph's inputs.

    ranges: (lower, upper) by symbol, where sizes are bounded; guards: what else must hold of the symbols, as expressions.
    strides: whether these must be as described, too.
    """

    def __init__(
        self,
        graph: Graph,
        ranges: Mapping[str, Sequence[int | None]] | None = None,
        guards: Sequence[Any] = (),
        *,
        strides: bool = False,
    ) -> None:
        self.name, self.strides = graph.name, strides
        self.ranges = dict(ranges or {})
        self.guards = [(str(g), _compiled(g)) for g in guards]
        self.rows = [(f.name, f.outputs[0].desc) for f in graph.feeds]
        self._dtypes = [
            None if d.host or d.dtype == UNDEFINED else torch_dtype(d.dtype) for _, d in self.rows
        ]  # looked up once: it is asked for on every call

    def only(self, places: Sequence[int]) -> Feeds:
        """The check of some of the inputs, in the order given."""
        part = copy.copy(self)
        part.rows = [self.rows[i] for i in places]
        part._dtypes = [self._dtypes[i] for i in places]
        return part

    def problem(self, values: Sequence[Any]) -> tuple[str, str, str] | None:
        """(input, what is expected, what came) of the first input that does not fit; None if all do."""
        if len(values) != len(self.rows):
            return "the call", f"{len(self.rows)} inputs", f"{len(values)}"
        symbols: dict[str, int] = {}
        for (name, desc), dtype, value in zip(self.rows, self._dtypes, values, strict=True):
            if desc.host:
                if not isinstance(value, (int, float, bool)):
                    return name, "a number", type(value).__name__
                continue
            if not isinstance(value, torch.Tensor):
                return name, f"a tensor {desc}", type(value).__name__
            if dtype is not None and value.dtype != dtype:
                return name, f"{dtype_name(desc.dtype)} ({dtype})", str(value.dtype)
            if desc.shape is None:
                continue
            if value.dim() != len(desc.shape):
                return name, f"{len(desc.shape)} dimensions, {desc}", f"shape {tuple(value.shape)}"
            for i, dim in enumerate(desc.shape):
                size = value.shape[i]
                wrong = self._dim(dim, size, symbols)
                if wrong is not None:
                    return name, f"{wrong} in dimension {i}, {desc}", f"shape {tuple(value.shape)}"
            if self.strides:
                found = self._stride(desc, value, symbols)
                if found is not None:
                    return name, found, f"strides {tuple(value.stride())}"
        for text, holds in self.guards:
            if not holds(symbols):
                shown = ", ".join(f"{s} = {v}" for s, v in symbols.items() if s in text)
                return "sizes", f"those for which {text}", shown
        return None

    @staticmethod
    def _stride(desc: Desc, value: torch.Tensor, symbols: Mapping[str, int]) -> str | None:
        if desc.stride is None:
            return None if value.is_contiguous() else "contiguous memory"
        for size, step, dim in zip(value.shape, value.stride(), desc.stride, strict=True):
            wanted = dim if isinstance(dim, int) else value_of(dim, symbols)
            if size > 1 and wanted not in (step, -1, None):
                return f"strides {tuple(map(str, desc.stride))}"
        return None

    def _dim(self, dim: Any, size: int, symbols: dict[str, int]) -> str | None:
        if isinstance(dim, int):
            return None if dim in (-1, size) else str(dim)
        if not dim.is_Symbol:
            expected = value_of(dim, symbols)
            return None if expected in (None, size) else f"{expected} ({dim})"
        name = str(dim)
        known = symbols.setdefault(name, size)
        if known != size:
            return f"{known} ({name}, as another input has it)"
        lower, upper = self.ranges.get(name, (None, None))
        if (lower is not None and size < lower) or (upper is not None and size > upper):
            return f"{'at least ' + str(lower) if upper is None else f'{lower} to {upper}'} ({name})"
        return None

    def check(self, values: Sequence[Any]) -> None:
        """Raises FeedMismatch."""
        found = self.problem(values)
        if found is not None:
            name, expected, got = found
            raise errors.FeedMismatch(graph=self.name, expected=f"for {name} {expected}", got=got)


def _compiled(guard: Any) -> Callable[[Mapping[str, int]], bool]:
    """The guard as a function of the symbols' values; one that lacks a value holds."""
    names = symbols_of(guard)
    source = f"lambda {', '.join(names)}: {python_text(guard, {n: n for n in names})}"
    test = eval(source, {"math": math, "__builtins__": {"min": min, "max": max, "abs": abs, "int": int}})

    def holds(values: Mapping[str, int]) -> bool:
        return any(n not in values for n in names) or bool(test(*(values[n] for n in names)))

    return holds
