"""Make random programs: each call is tried on real tensors as it is added, and what PyTorch refuses is left out.

`Gen` is what recipes write with. Sizes that recipes read off tensors become expressions over the symbols wherever one
gives the number, so that the program also runs at other sizes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata.torchair.testing.fuzz.program import Input, Program, Size, Step, Var, evaluate, make

FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
INTS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_WEIGHTS = {
    torch.float32: 50, torch.float16: 9, torch.bfloat16: 9, torch.float64: 6, torch.int64: 12, torch.int32: 6,
    torch.int16: 2, torch.int8: 2, torch.uint8: 2, torch.bool: 8, torch.complex64: 1,
}  # fmt: skip
_KINDS = {"f": FLOATS, "i": INTS, "b": (torch.bool,), "c": (torch.complex64,)}
MOST = 3000  # elements of one value


class Reject(Exception):
    """This recipe does not fit here."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the program with the tensor that it is at the sizes of capture."""

    name: str
    tensor: torch.Tensor

    @property
    def var(self) -> Var:
        return Var(self.name)

    @property
    def dtype(self) -> torch.dtype:
        return self.tensor.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def rank(self) -> int:
        return self.tensor.dim()


Recipe = Callable[["Gen"], None]
_recipes: list[tuple[Recipe, float]] = []


def recipe(weight: float = 1.0) -> Callable[[Recipe], Recipe]:
    """Register a function that adds calls to the program it is given. Raises Reject where it cannot."""

    def register(function: Recipe) -> Recipe:
        _recipes.append((function, weight))
        return function

    return register


class Gen:
    """A program under construction."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        hints = self.rng.sample([2, 3, 4, 5, 7], 4)
        self.symbols = dict(zip("abcd", hints, strict=True))
        if self.rng.random() < 0.16:
            self.symbols[self.rng.choice("abcd")] = self.rng.choice([0, 0, 1])
        self.inputs: list[Input] = []
        self.steps: list[Step] = []
        self.values: list[Value] = []
        self.numbers: list[str] = []
        if self.rng.random() < 0.15:
            self.numbers.append(self.rng.choice("abcd"))

    # ---- choosing ----

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def one(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def dtype(self, kinds: str = "fib") -> torch.dtype:
        allowed = [d for k in kinds for d in _KINDS[k]]
        return self.rng.choices(allowed, [_WEIGHTS[d] for d in allowed])[0]

    def pick(
        self,
        kinds: str = "fib",
        rank: Iterable[int] | None = None,
        where: Callable[[Value], bool] | None = None,
        dtype: torch.dtype | None = None,
    ) -> Value:
        """A value of the program, or a new input; later values are likelier."""
        ranks = None if rank is None else set(rank)
        allowed = {dtype} if dtype is not None else {d for k in kinds for d in _KINDS[k]}
        fit = [
            v for v in self.values
            if v.dtype in allowed and (ranks is None or v.rank in ranks) and (where is None or where(v))
        ]  # fmt: skip
        if fit and not self.chance(0.12):
            return fit[min(len(fit) - 1, int(len(fit) * math.sqrt(self.rng.random())))]
        chosen = dtype if dtype is not None else self.dtype(kinds)
        wanted = self.rng.choice(sorted(ranks)) if ranks else self.rng.choices([0, 1, 2, 3, 4], [1, 3, 5, 3, 1])[0]
        made = self.input(chosen, [self.rng.choice(list(self.symbols)) for _ in range(wanted)])
        if where is not None and not where(made):
            raise Reject
        return made

    def dim(self, v: Value) -> int:
        """A dimension, counted from either end."""
        if v.rank == 0:
            return int(self.one(0, -1))
        d: int = self.rng.randrange(v.rank)
        return d - v.rank if self.chance(0.3) else d

    def dims(self, v: Value, least: int = 1) -> list[int]:
        count = self.rng.randint(min(least, v.rank), v.rank)
        return [d - v.rank if self.chance(0.2) else d for d in self.rng.sample(range(v.rank), count)]

    def number(self, dtype: torch.dtype) -> Any:
        """A scalar that suits a data type."""
        if dtype == torch.bool:
            return self.one(True, False)
        if not dtype.is_floating_point and not dtype.is_complex:
            return self.one(0, 1, 2, 3, 5) if dtype == torch.uint8 else self.one(-3, -1, 0, 1, 2, 3)
        return self.one(-1.5, -1.0, 0.0, 0.5, 1, 2, 2.0, 3, 0.1)

    def positive(self) -> Any:
        return self.one(0.5, 1.0, 1.5, 2.0, 3)

    # ---- sizes ----

    def size(self, n: int) -> str:
        """An expression over the symbols that is n at the sizes of capture, else the number."""
        exact = [s for s, v in self.symbols.items() if v == n]
        if exact:
            return self.rng.choice(exact)
        pairs = [f"{s} * {t}" for s, v in self.symbols.items() for t, w in self.symbols.items() if v * w == n and s < t]
        if pairs and n > 1:
            return self.rng.choice(pairs)
        sums = [f"{s} + {t}" for s, v in self.symbols.items() for t, w in self.symbols.items() if v + w == n and s < t]
        sums += [f"{k} * {s}" for s, v in self.symbols.items() for k in (2, 3) if v * k == n and v > 1]
        return self.rng.choice(sums) if sums and n > 1 else str(n)

    def sized(self, n: int) -> Any:
        """The number as an argument of a call."""
        expression = self.size(n)
        known = {s for i in self.inputs for s in i.dims} | set(self.numbers)
        letters = {c for c in expression if c.isalpha()}
        return Size(expression) if letters and letters <= known else n

    def sizes(self, shape: Sequence[int]) -> list[Any]:
        return [self.sized(n) for n in shape]

    # ---- adding ----

    def input(
        self, dtype: torch.dtype, dims: Sequence[Any], *, low: str = "-4", high: str = "5", values: str | None = None,
        layout: str | None = None,
    ) -> Value:  # fmt: skip
        """A new input. dims: expressions, or numbers, for which expressions are sought."""
        texts = tuple(d if isinstance(d, str) else self.size(d) for d in dims)
        if math.prod(evaluate(d, self.symbols) for d in texts) > MOST:
            raise Reject
        if layout is None:
            layout = self.rng.choices(["contiguous", "transposed", "strided", "offset"], [80, 9, 6, 5])[0]
        if values is None:
            values = self.rng.choices(["plain", "special", "positive", "wide"], [70, 12, 12, 6])[0]
        given = Input(f"x{len(self.inputs)}", dtype, texts, low, high, layout, values)
        value = Value(given.name, make(given, self.symbols, self.seed))
        self.inputs.append(given)
        self.values.append(value)
        return value

    def like(self, v: Value, dtype: torch.dtype | None = None, **how: Any) -> Value:
        """A value of the same shape: one that is there, or a new input."""
        kind = dtype if dtype is not None else v.dtype
        if not how:
            fit = [w for w in self.values if w.shape == v.shape and w.dtype == kind]
            if fit and self.chance(0.7):
                return self.rng.choice(fit)
        return self.input(kind, v.shape, **how)

    def broadcast(self, v: Value, dtype: torch.dtype) -> Value:
        """A value whose shape broadcasts with that of v."""
        fit = [w for w in self.values if w.dtype == dtype and _broadcast(w.shape, v.shape)]
        if fit and self.chance(0.75):
            return self.rng.choice(fit)
        shape: list[int] = [1 if self.chance(0.25) else n for n in v.shape]
        return self.input(dtype, shape[self.rng.randint(0, len(shape)) if self.chance(0.4) else 0 :])

    def emit(self, op: str, *args: Any, **kwargs: Any) -> Any:
        """Add a call. Returns its Value, or a list of them. Raises Reject if PyTorch refuses or the result is large."""
        target = resolve(op)
        try:
            result = target(*map(self._real, args), **{k: self._real(v) for k, v in kwargs.items()})
        except Exception as refusal:
            raise Reject(f"{op}: {refusal}") from refusal
        many = isinstance(result, (list, tuple))
        made: list[Value | None] = []
        for tensor in result if many else [] if result is None else [result]:
            if isinstance(tensor, torch.Tensor) and tensor.numel() > MOST:
                raise Reject(f"{op}: large")
            fits = isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided
            made.append(Value(f"v{self._next}", tensor) if fits else None)
        self.steps.append(
            Step(
                op, tuple(_plain(a) for a in args), {k: _plain(v) for k, v in kwargs.items()},
                tuple(m.name if m else None for m in made), many,
            )
        )  # fmt: skip
        self.values += [m for m in made if m is not None]
        return made if many else made[0] if made else None

    @property
    def _next(self) -> int:
        self._count = getattr(self, "_count", -1) + 1
        return self._count

    def _real(self, value: Any) -> Any:
        if isinstance(value, Value):
            return value.tensor
        if isinstance(value, Size):
            return evaluate(value.text, self.symbols)
        if isinstance(value, (list, tuple)):
            return type(value)(self._real(v) for v in value)
        return value


def _plain(value: Any) -> Any:
    if isinstance(value, Value):
        return value.var
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v) for v in value)
    return value


def _broadcast(a: Sequence[int], b: Sequence[int]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b), strict=False))


def resolve(op: str) -> Callable[..., Any]:
    """`aten.add.Tensor` or `torch.ops.mylib.add.default` as the function that it names."""
    parts = op.removeprefix("torch.ops.").split(".")
    found: Any = torch.ops
    for part in parts:
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def generate(seed: int, steps: int | None = None, recipes: Sequence[tuple[Recipe, float]] | None = None) -> Program:
    """The program of a seed."""
    from ferrata.torchair.testing.fuzz import recipes as _all  # noqa: F401  (fills the table)

    g = Gen(seed)
    wanted = steps if steps is not None else g.rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12])
    table = list(recipes) if recipes is not None else _recipes
    functions, weights = [f for f, _ in table], [w for _, w in table]
    for _ in range(10 * wanted + 10):
        if len(g.steps) >= wanted:
            break
        before = len(g.steps), len(g.values), len(g.inputs)
        try:
            g.rng.choices(functions, weights)[0](g)
        except Reject:
            del g.steps[before[0] :], g.values[before[1] :], g.inputs[before[2] :]
    return _finished(g)


def _finished(g: Gen) -> Program:
    """Results: what nobody reads, and some of the rest; inputs and numbers that are used."""
    made = [r for s in g.steps for r in s.results if r is not None]
    read = {n for s in g.steps for n in _names((s.args, s.kwargs))}
    outputs = [r for r in made if r not in read or g.chance(0.15)]
    alive = [v.name for v in g.values if v.name.startswith("x") and v.name in read and g.chance(0.05)]
    outputs += alive
    used = read | set(outputs)
    symbols_used = {c for s in g.steps for c in _letters((s.args, s.kwargs))}
    inputs = tuple(i for i in g.inputs if i.name in used or (symbols_used & set(i.dims)))
    return Program(
        dict(g.symbols), inputs, tuple(g.steps), tuple(outputs[:12]), tuple(n for n in g.numbers if n in symbols_used),
        symbolic=not g.chance(0.2), seed=g.seed,
    )  # fmt: skip


def _names(value: Any) -> Iterable[str]:
    from ferrata.torchair.testing.fuzz.program import variables

    return variables(value)


def _letters(value: Any) -> Iterable[str]:
    if isinstance(value, Size):
        yield from (c for c in value.text if c.isalpha())
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _letters(v)
    elif isinstance(value, Mapping):
        for v in value.values():
            yield from _letters(v)
