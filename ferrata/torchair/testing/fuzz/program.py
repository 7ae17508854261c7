"""A random program: inputs whose sizes are symbols, calls of operators in order, results. Printable as Python.

The text is what runs: `Program.function()` executes `Program.source()`. Values have names, so that a program with some
of its calls left out is still one.
"""

from __future__ import annotations

import dataclasses
import math
import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class Var:
    """A value of the program by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Size:
    """A number that depends on the sizes: an expression over the program's symbols."""

    text: str


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor that the program is given.

    dims: expressions over the symbols. low, high: bounds of whole numbers, expressions too. layout: "contiguous",
    "transposed" (the last two dimensions swapped in memory), "strided" (every second column), "offset" (a row later).
    values: "plain", "special" (with NaN, infinities, zeros), "positive", "distinct" (no two alike), "wide" (large).
    """

    name: str
    dtype: torch.dtype
    dims: tuple[str, ...]
    low: str = "-4"
    high: str = "5"
    layout: str = "contiguous"
    values: str = "plain"


@dataclass(frozen=True, slots=True)
class Step:
    """One call. results: names of what it returns, None for what nobody gets; none at all where it returns nothing."""

    op: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[str | None, ...] = ()
    many: bool = False  # it returns a list or tuple


@dataclass(frozen=True)
class Program:
    """symbols: name -> size at which it is captured. numbers: symbols that are arguments of their own."""

    symbols: Mapping[str, int]
    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    symbolic: bool = True
    seed: int = 0

    def source(self, name: str = "program") -> str:
        """The program as a Python function of its inputs and numbers."""
        used = {n for s in self.steps for n in _symbols((s.args, dict(s.kwargs)))}
        lines = [f"def {name}({', '.join([*(i.name for i in self.inputs), *self.numbers])}):"]
        for symbol in sorted(used - set(self.numbers)):
            place = self._place(symbol)
            lines.append(f"    {symbol} = {self.symbols[symbol] if place is None else place}")
        for step in self.steps:
            args = [text(a) for a in step.args] + [f"{k}={text(v)}" for k, v in step.kwargs.items()]
            left = ", ".join(r or "_" for r in step.results) + ("," if step.many and len(step.results) == 1 else "")
            lines.append(f"    {left + ' = ' if left else ''}{step.op}({', '.join(args)})")
        lines.append(f"    return ({', '.join(self.outputs)}{',' if len(self.outputs) == 1 else ''})")
        return "\n".join(lines) + "\n"

    def _place(self, symbol: str) -> str | None:
        for given in self.inputs:
            if symbol in given.dims:
                return f"{given.name}.size({given.dims.index(symbol)})"
        return None

    def function(self) -> Callable[..., Any]:
        """The function that `source` defines."""
        scope: dict[str, Any] = {"torch": torch, "aten": torch.ops.aten, "inf": math.inf, "nan": math.nan}
        exec(compile(self.source(), "<fuzz>", "exec"), scope)
        return scope["program"]  # type: ignore[no-any-return]

    def arguments(self, sizes: Mapping[str, int], salt: int = 0) -> list[Any]:
        """Inputs and numbers at these sizes; the same for the same seed and salt."""
        made: list[Any] = [make(i, sizes, self.seed + 7919 * salt) for i in self.inputs]
        return made + [sizes[n] for n in self.numbers]

    def replace(self, **changes: Any) -> Program:
        return dataclasses.replace(self, **changes)


def text(value: Any) -> str:
    """A value as it stands in the source."""
    if isinstance(value, Var):
        return value.name
    if isinstance(value, Size):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(map(text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(text, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def variables(value: Any) -> Iterator[str]:
    """The names of the values that an argument mentions."""
    if isinstance(value, Var):
        yield value.name
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from variables(v)
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from variables(v)


def _symbols(value: Any) -> Iterator[str]:
    if isinstance(value, Size):
        yield from names_in(value.text)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _symbols(v)
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from _symbols(v)


def names_in(expression: str) -> set[str]:
    """The symbols of an expression: single letters."""
    return {c for c in expression if c.isalpha()}


def evaluate(expression: str, sizes: Mapping[str, int]) -> int:
    """An expression over the symbols, at these sizes."""
    return int(eval(expression, {"__builtins__": {}}, dict(sizes)))


_SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1e4, -1e4)


def make(given: Input, sizes: Mapping[str, int], seed: int) -> torch.Tensor:
    """The tensor of an input at these sizes."""
    shape = [evaluate(d, sizes) for d in given.dims]
    number = zlib.crc32(given.name.encode()) + seed
    generator = torch.Generator().manual_seed(number)
    laid = _laid(shape, given.layout)
    tensor = _values(given, shape, sizes, generator, random.Random(number))
    if laid is None:
        return tensor
    memory = torch.zeros(laid[0], dtype=given.dtype)
    view = laid[1](memory)
    view.copy_(tensor)
    return view


def _laid(shape: Sequence[int], layout: str) -> tuple[list[int], Callable[[torch.Tensor], torch.Tensor]] | None:
    if layout == "transposed" and len(shape) >= 2:
        return [*shape[:-2], shape[-1], shape[-2]], lambda m: m.transpose(-1, -2)
    if layout == "strided" and shape:
        return [*shape[:-1], 2 * shape[-1]], lambda m: m[..., ::2]
    if layout == "offset" and shape:
        return [shape[0] + 1, *shape[1:]], lambda m: m[1:]
    return None


def _values(
    given: Input, shape: list[int], sizes: Mapping[str, int], generator: torch.Generator, rng: random.Random
) -> torch.Tensor:
    dtype = given.dtype
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if not (dtype.is_floating_point or dtype.is_complex):
        low, high = evaluate(given.low, sizes), evaluate(given.high, sizes)
        if given.values == "distinct":
            return torch.randperm(math.prod(shape), generator=generator).reshape(shape).to(dtype)
        low = max(low, 0) if dtype == torch.uint8 else low
        return torch.randint(low, max(high, low + 1), shape, generator=generator).to(dtype)
    if given.values == "distinct":
        order = torch.randperm(math.prod(shape), generator=generator).reshape(shape)
        return ((order - math.prod(shape) // 2) / 4).to(dtype)
    made = torch.randn(shape, generator=generator, dtype=torch.complex64 if dtype.is_complex else torch.float32)
    if given.values == "positive":
        made = made.abs() + 0.1
    elif given.values == "wide":
        made = made * 50
    elif given.values == "special" and made.numel():
        flat = made.view(-1)
        for _ in range(max(1, made.numel() // 4)):
            flat[rng.randrange(made.numel())] = rng.choice(_SPECIAL)
    return made.to(dtype)
