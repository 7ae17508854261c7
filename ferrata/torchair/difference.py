"""How two values differ, in numbers and in words: what `compare` measures for each node and prints for the first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ferrata import errors
from ferrata.ge.ir import Where

# relative and absolute tolerance, those of torch.testing.assert_close; other types must be equal
TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """The distance of two values. problem: what cannot be measured in numbers, such as another shape.

    worst: the index of the largest difference; beside it both values there, and the first few of each.
    """

    problem: str = ""
    count: int = 0
    total: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    worst: tuple[int, ...] = ()
    at_worst: tuple[Any, Any] = (None, None)
    excerpts: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        if self.problem:
            return self.problem
        expected, got = self.at_worst
        return (
            f"{self.count} of {self.total} elements differ; max abs {self.max_abs:.6g}, max rel {self.max_rel:.6g}\n"
            f"largest at {list(self.worst)}: eager {expected!r}, graph {got!r}\n"
            f"eager  {self.excerpts[0]}\ngraph  {self.excerpts[1]}"
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """The first node that differs: the FX node and operator, the GE node, the user's line, and by how much.

    local: the node differs also when eager gets the graph's own inputs, so that it is this node that is wrong and not
    only the rounding of those before it.
    """

    graph: str
    fx_node: str
    op: str
    ge_node: str
    ge_type: str
    where: Where
    output: int
    measure: Measure
    local: bool = True

    def __str__(self) -> str:
        made = f", made by {self.where.made_by}" if self.where.made_by else ""
        line = f"\n  {self.where.line}  {self.where.code}".rstrip() if self.where.line else ""
        index = f", output {self.output}" if self.output else ""
        words = "\n".join(f"  {text}" for text in str(self.measure).splitlines())
        drift = "" if self.local else (
            "\n  With the graph's own inputs the node agrees: the difference comes from the rounding of earlier nodes."
        )  # fmt: skip
        return f"{self.op} (FX node {self.fx_node}){index}: {self.ge_type} {self.ge_node}{made}{line}\n{words}{drift}"


def measure(expected: Any, got: Any, rtol: float | None = None, atol: float | None = None) -> Measure | None:
    """None where the values agree within the tolerance of their type."""
    if isinstance(expected, torch.Tensor) and isinstance(got, torch.Tensor):
        if expected.shape != got.shape:
            return Measure(f"shape: eager {list(expected.shape)}, graph {list(got.shape)}")
        if expected.dtype != got.dtype:
            return Measure(f"data type: eager {_short(expected.dtype)}, graph {_short(got.dtype)}")
        return _numbers(expected.detach().cpu(), got.detach().cpu(), rtol, atol)
    if isinstance(expected, torch.Tensor) or isinstance(got, torch.Tensor):
        return Measure(f"kind: eager {_kind(expected)}, graph {_kind(got)}")
    same = expected == got or (isinstance(expected, float) and math.isnan(expected) and got != got)
    return None if same else Measure(f"eager {expected!r}, graph {got!r}")


def check_tolerances(rtol: float | None, atol: float | None) -> None:
    """Raises BadOptionValue where one is negative or NaN."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value is not None and not value >= 0:
            raise errors.BadOptionValue(option=name, value=value, allowed="a tolerance is 0 or more")


def copied(value: Any) -> Any:
    """The value with every tensor in it copied."""
    return pytree.tree_map(lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v, value)


def _numbers(expected: torch.Tensor, got: torch.Tensor, rtol: float | None, atol: float | None) -> Measure | None:
    if torch.equal(expected, got):
        return None
    usual = TOLERANCES.get(expected.dtype, (0.0, 0.0))
    relative, absolute = usual[0] if rtol is None else rtol, usual[1] if atol is None else atol
    wide = torch.complex128 if expected.is_complex() else torch.float64
    a, b = expected.to(wide), got.to(wide)
    near = torch.isclose(b, a, rtol=relative, atol=absolute, equal_nan=True)
    if expected.dtype == torch.int64 and not relative and not absolute:  # float64 does not hold all of them
        near = expected == got
    if bool(near.all()):
        return None
    distance = (a - b).abs()
    distance = torch.where(distance.isnan(), torch.full_like(distance, math.inf), distance)
    distance = torch.where(near, torch.zeros_like(distance), distance)
    ratio = torch.where(distance > 0, distance / a.abs(), distance)
    flat = int(distance.argmax())
    worst = tuple(int(i) for i in torch.unravel_index(torch.tensor(flat), expected.shape))
    return Measure(
        count=int((~near).sum()), total=near.numel(), max_abs=float(distance.max()), max_rel=float(ratio.max()),
        worst=worst, at_worst=(expected[worst].item(), got[worst].item()),
        excerpts=(excerpt(expected, worst), excerpt(got, worst)),
    )  # fmt: skip


def excerpt(tensor: torch.Tensor, worst: Sequence[int]) -> str:
    """A few values of the row with the largest difference."""
    if not tensor.dim():
        return repr(tensor.item())
    row = tensor[tuple(worst[:-1])]
    begin = max(0, min(worst[-1] - 2, row.numel() - 6))
    items = [f"{v:.6g}" if isinstance(v, float) else str(v) for v in row[begin : begin + 6].tolist()]
    place = ", ".join([*map(str, worst[:-1]), f"{begin}:{min(begin + 6, row.numel())}"])
    return f"[{place}] = {', '.join(items)}"


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _kind(value: Any) -> str:
    return f"a tensor {list(value.shape)}" if isinstance(value, torch.Tensor) else repr(value)
