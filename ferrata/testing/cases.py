"""Cases: what a user writes down, and how it becomes tensors.

A `Case` gives each parameter a value: a tensor as its shape, as a tensor or as a function that makes one, an attribute
as it is. A `Sample` is a case with dtypes and a layout chosen; the checks run samples. Values depend on nothing but
the case and the parameter's name, so a failing case fails again.
"""

from __future__ import annotations

import difflib
import inspect
import itertools
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ferrata import errors
from ferrata.testing.layouts import place
from ferrata.testing.subject import MISSING, AttrParam, Subject, TensorParam

Dtypes = Mapping[str, torch.dtype]


class Case:
    """One call of an operator; make it with `fe.testing.case`. Its repr is the expression that makes it again."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)

    def __repr__(self) -> str:
        return f"fe.testing.case({', '.join(f'{k}={show(v)}' for k, v in self.values.items())})"

    def replaced(self, values: Mapping[str, Any]) -> Case:
        """The same case with some values replaced."""
        return Case({**self.values, **values})


def case(**values: Any) -> Case:
    """One case of a check: a value for each parameter of the operator.

    A tensor is given as its shape `(8, 2048)` (the check chooses values and runs every dtype), as a tensor (its dtype
    then binds the dtype variable), or as a function that returns a tensor, without arguments or with the dtype as its
    only one; optional tensors may be None or absent. A list of tensors is a list of these. Attributes are given as
    they are, and may be absent where they have a default.

    >>> case(x=(8, 2048), y=(8, 2048), alpha=2.0)
    fe.testing.case(x=(8, 2048), y=(8, 2048), alpha=2.0)
    """
    return Case(values)


@dataclass(frozen=True)
class Ints:
    """Integers of a range, as a tensor of a case: `ints(0, 100, 5)` are 5 numbers from 0 to 99."""

    low: int
    high: int
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return f"fe.testing.ints({', '.join(map(str, (self.low, self.high, *self.shape)))})"


def ints(low: int, high: int, *shape: int) -> Ints:
    """A tensor of a case with integers from low to high - 1: indices, lengths, segment numbers.

    >>> case(table=(100, 64), index=ints(0, 100, 7))
    fe.testing.case(table=(100, 64), index=fe.testing.ints(0, 100, 7))
    """
    return Ints(low, high, shape)


@dataclass(frozen=True)
class Sample:
    """One run: a case with its dtypes (by variable) and layout. masters: tensors on the CPU, and attributes.

    special: the floats contain NaN, infinities, denormals and the largest numbers.
    """

    case: Case
    dtypes: Dtypes
    layout: str = "contiguous"
    special: bool = False
    masters: Mapping[str, Any] = field(default_factory=dict, repr=False)
    mutated: frozenset[str] = frozenset()

    def inputs(self, device: Any) -> dict[str, Any]:
        """Fresh tensors on the device, in the layout."""
        return {k: self._placed(v, device, k in self.mutated) for k, v in self.masters.items()}

    def _placed(self, value: Any, device: Any, mutated: bool) -> Any:
        if isinstance(value, torch.Tensor):
            return place(value, self.layout, device, mutated=mutated)
        if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            return [place(v, self.layout, device, mutated=mutated) for v in value]
        return value

    def __str__(self) -> str:
        dtypes = ", ".join(f"{k} = {str(v).removeprefix('torch.')}" for k, v in self.dtypes.items())
        extra = ", values with NaN and infinities" if self.special else ""
        return f"{self.case}, {dtypes + ', ' if dtypes else ''}{self.layout}{extra}"


def tensors_in(values: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Names and tensors of values; those of a list as `x[0]`."""
    for name, value in values.items():
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{i}]", v) for i, v in enumerate(value) if isinstance(v, torch.Tensor))


def bind(subject: Subject, raw: Any) -> Case:
    """A case with every parameter of the operator in it, in order. Raises BadCase."""
    if isinstance(raw, Mapping):
        raw = Case(raw)
    if not isinstance(raw, Case):
        raise _bad(subject, raw, "a case is fe.testing.case(...) or a dictionary of values")
    names = [p.name for p in subject.params]
    for name in raw.values:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names)}"
            raise _bad(subject, raw, f"the operator has no parameter {name}{hint}")
    values = {}
    for param in subject.params:
        value = raw.values.get(param.name, MISSING)
        if value is MISSING:
            if isinstance(param, AttrParam) and param.default is not MISSING:
                continue
            if isinstance(param, TensorParam) and param.kind == "optional":
                continue
            raise _bad(subject, raw, f"{param.name} is missing")
        if isinstance(param, TensorParam):
            _check_tensor(subject, raw, param, value)
        values[param.name] = value
    return Case(values)


def combinations(subject: Subject, bound: Case, dtypes: Any) -> list[dict[str, torch.dtype]]:
    """The dtypes to run a case with: each dtype of each variable at least once. dtypes: a restriction, or None."""
    allowed: dict[str, tuple[torch.dtype, ...]] = {}
    for param in subject.tensors:
        value = bound.values.get(param.name)
        key = param.variable or param.name
        if value is None:
            continue
        mine = _restricted(subject, key, param.dtypes, dtypes)
        fixed = _fixed(value)
        allowed[key] = (fixed,) if fixed is not None else allowed.get(key, mine)
    count = max((len(a) for a in allowed.values()), default=1)
    return [{k: a[i % len(a)] for k, a in allowed.items()} for i in range(count)]


def sample(
    subject: Subject, bound: Case, dtypes: Dtypes, layout: str = "contiguous", *, special: bool = False
) -> Sample:
    """Make the values of a case."""
    sizes = [s for p in subject.tensors for shape in _shapes(p, bound.values.get(p.name)) for s in shape if s]
    masters: dict[str, Any] = {}
    for param in subject.params:
        if param.name not in bound.values:
            if isinstance(param, TensorParam):
                masters[param.name] = None
            continue
        value = bound.values[param.name]
        if isinstance(param, AttrParam):
            masters[param.name] = value
            continue
        make = _Maker(param, dtypes.get(param.variable or param.name), special, min(sizes, default=1), repr(bound))
        if param.kind == "list":
            masters[param.name] = [make(v, f"{param.name}[{i}]") for i, v in enumerate(value)]
        else:
            masters[param.name] = None if value is None else make(value, param.name)
    mutated = frozenset(p.name for p in subject.tensors if p.mutated)
    return Sample(bound, dict(dtypes), layout, special, masters, mutated)


def show(value: Any) -> str:
    """A value as a Python expression."""
    if isinstance(value, torch.Tensor):
        dtype = "" if value.dtype == torch.float32 else f", dtype={value.dtype}"
        if value.numel() <= 32:
            return f"torch.tensor({value.tolist()}{dtype})"
        return f"<the tensor given, {tuple(value.shape)}{dtype}>"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(show, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if callable(value) and not isinstance(value, (Ints, type)):
        return getattr(value, "__qualname__", repr(value))
    return repr(value)


@dataclass(frozen=True)
class _Maker:
    """Makes a tensor of one parameter from what the case says of it."""

    param: TensorParam
    dtype: torch.dtype | None
    special: bool
    smallest: int  # size of a dimension of this case: integers below it are valid indices
    seed: str

    def __call__(self, value: Any, name: str) -> torch.Tensor:
        if isinstance(value, torch.Tensor):
            return value.detach().cpu()
        dtype = self.dtype or torch.float32
        generator = torch.Generator().manual_seed(zlib.crc32(f"{self.seed} {name}".encode()))
        if isinstance(value, Ints):
            return torch.randint(value.low, value.high, value.shape, generator=generator).to(dtype)
        if callable(value):
            torch.manual_seed(zlib.crc32(name.encode()))
            made = value() if not inspect.signature(value).parameters else value(dtype)
            return torch.as_tensor(made).detach().cpu()
        return self._values(tuple(value), dtype, generator)

    def _values(self, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
        if dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=generator).bool()
        if not dtype.is_floating_point:
            if self.param.dtypes and not any(d.is_floating_point for d in self.param.dtypes):
                return torch.randint(0, max(self.smallest, 1), shape, generator=generator).to(dtype)
            low = 0 if torch.iinfo(dtype).min == 0 else -20
            return torch.randint(low, 21, shape, generator=generator).to(dtype)
        values = torch.randn(shape, generator=generator).to(dtype)
        if self.special:
            info = torch.finfo(dtype)
            inf, denormal = float("inf"), info.smallest_normal / 4
            # an infinity stands between the largest and the smallest: their sum alone would depend on the order of adding
            odd = torch.tensor([float("nan"), info.max, inf, denormal, -0.0, -info.max, -inf, info.tiny]).to(dtype)
            places = torch.arange(0, values.numel(), 3)
            values.view(-1)[places] = odd[torch.arange(len(places)) % len(odd)]
        return values


def _fixed(value: Any) -> torch.dtype | None:
    if isinstance(value, torch.Tensor):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return next((v.dtype for v in value if isinstance(v, torch.Tensor)), None)
    return None


def _restricted(subject: Subject, key: str, mine: tuple[torch.dtype, ...], wanted: Any) -> tuple[torch.dtype, ...]:
    if isinstance(wanted, Mapping):
        wanted = wanted.get(key)
    if wanted is None:
        return mine or (torch.float32,)
    chosen: tuple[torch.dtype, ...] = (wanted,) if isinstance(wanted, torch.dtype) else tuple(wanted)
    if not mine:
        return chosen
    both = tuple(d for d in mine if d in chosen)
    # index = int64 beside x of the dtypes wanted: one dtype is no choice
    if not both and len(mine) > 1:
        raise errors.BadCase(
            op=subject.name, case=f"dtypes={list(chosen)}", reason=f"{key} is one of {', '.join(map(str, mine))}"
        )
    return both or mine


def _shapes(param: TensorParam, value: Any) -> list[tuple[int, ...]]:
    if value is None:
        return []
    if param.kind == "list":
        return [s for v in value for s in _shapes(TensorParam(param.name), v)]
    if isinstance(value, (torch.Tensor, Ints)):
        return [tuple(value.shape)]
    return [] if callable(value) else [tuple(value)]


def _check_tensor(subject: Subject, raw: Any, param: TensorParam, value: Any) -> None:
    if param.kind == "list":
        if not isinstance(value, (list, tuple)) or any(isinstance(v, int) for v in value):
            raise _bad(subject, raw, f"{param.name} is a list of tensors: give a list of shapes or tensors")
        for v in value:
            _check_tensor(subject, raw, TensorParam(param.name), v)
    elif value is None and param.kind == "optional":
        return
    elif not (isinstance(value, (torch.Tensor, Ints)) or callable(value) or _is_shape(value)):
        raise _bad(subject, raw, f"{param.name} is a tensor: give its shape, a tensor or a function, not {value!r}")


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(n, int) and n >= 0 for n in value)


def _bad(subject: Subject, raw: Any, reason: str) -> errors.BadCase:
    return errors.BadCase(op=subject.name, case=repr(raw), reason=reason)


def expand(
    subject: Subject, cases: Iterable[Case], dtypes: Any, layouts: tuple[str, ...]
) -> list[tuple[Case, dict[str, torch.dtype], str]]:
    """Every case with every dtype and layout, contiguous first, so that the plainest failure is met first."""
    ordered = sorted(layouts, key=lambda name: name != "contiguous")
    rows = [(c, d) for c in cases for d in combinations(subject, c, dtypes)]
    return [(c, d, layout) for layout, (c, d) in itertools.product(ordered, rows)]
