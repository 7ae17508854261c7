"""Gears: the sizes that a dynamic dimension may take. `set_dim_gears` marks a tensor, compiled functions check.

One program serves every size; gears are the promise which sizes will come, and a size outside of them is an error
instead of a surprise on the hardware. Several dimensions combine by position ("zip") or freely ("product").
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair.config import CompilerConfig

_MOST = 100


def set_dim_gears(t: torch.Tensor, dim_gears: Mapping[int, Sequence[int]]) -> None:
    """The dimensions named become dynamic and may have these sizes; the tensor's other dimensions are fixed.

    dim_gears: {dimension: 2 to 100 sizes}; not 0 and 1, for which PyTorch always compiles anew. Raises BadGears (an
    AssertionError) for anything else, and for a second setting that differs from the first.

    >>> set_dim_gears(tokens, {1: [128, 512, 2048]})
    """
    if not isinstance(t, torch.Tensor):
        raise errors.BadGears(problem=f"the first argument is a {type(t).__name__}, not a tensor")
    if not isinstance(dim_gears, Mapping) or not dim_gears:
        raise errors.BadGears(problem=f"dim_gears is {dim_gears!r}, not a dictionary such as {{0: [2, 4, 8]}}")
    made: dict[int, tuple[int, ...]] = {}
    for dim, sizes in dim_gears.items():
        if not _is_int(dim) or not 0 <= dim < t.dim():
            raise errors.BadGears(problem=f"{dim!r} is no dimension of a tensor with {t.dim()} (0 is the first)")
        if not isinstance(sizes, (list, tuple)) or not 2 <= len(sizes) <= _MOST:
            raise errors.BadGears(
                problem=f"the gears of dimension {dim} are {sizes!r}, not a list of 2 to {_MOST} sizes"
            )
        bad = [s for s in sizes if not _is_int(s) or s < 2]
        if bad:
            raise errors.BadGears(problem=f"dimension {dim} has the gear {bad[0]!r}; a gear is a size from 2")
        if len(set(sizes)) < len(sizes):
            raise errors.BadGears(problem=f"the gears of dimension {dim} are {list(sizes)}, where one stands twice")
        made[dim] = tuple(sizes)
    known = gears_of(t)
    if known is not None and known != made:
        raise errors.BadGears(problem=f"the tensor has the gears {known} already, and now {made}")
    for dim in range(t.dim()):
        if dim in made:
            torch._dynamo.mark_dynamic(t, dim)
        else:
            torch._dynamo.mark_static(t, dim)
    t._ferrata_gears = made  # type: ignore[attr-defined]


def gears_of(value: Any) -> dict[int, tuple[int, ...]] | None:
    """What `set_dim_gears` left on a tensor."""
    return getattr(value, "_ferrata_gears", None) if isinstance(value, torch.Tensor) else None


@dataclass(frozen=True, slots=True)
class Gears:
    """The gears of one compiled function. rows: (place of the input, its name, dimension, sizes); allowed: for "zip",
    the combinations."""

    rows: tuple[tuple[int, str, int, tuple[int, ...]], ...]
    allowed: frozenset[tuple[int, ...]] | None

    def check(self, values: Sequence[Any]) -> None:
        """Raises SizeOutsideGears."""
        sizes = tuple(values[place].shape[dim] for place, _, dim, _ in self.rows)
        if self.allowed is not None and sizes in self.allowed:
            return
        for size, (_, name, dim, gears) in zip(sizes, self.rows, strict=True):
            if size not in gears:
                raise errors.SizeOutsideGears(
                    size=size, what=f"dimension {dim} of {name}", gears=", ".join(map(str, gears)), hint=""
                )
        if self.allowed is not None:
            raise errors.SizeOutsideGears(
                size=" and ".join(map(str, sizes)),
                what=" and ".join(f"dimension {dim} of {name}" for _, name, dim, _ in self.rows),
                gears="; ".join(map(str, sorted(self.allowed))),
                hint=' With inference_config.dynamic_gears_merge_policy = "product" every combination is allowed.',
            )


def collect(values: Sequence[Any], names: Sequence[str], policy: str) -> Gears | None:
    """The gears that inputs carry, None if none does. Raises BadGears where they do not combine."""
    rows = [
        (place, names[place], dim, sizes)
        for place, value in enumerate(values)
        for dim, sizes in (gears_of(value) or {}).items()
    ]
    return combine(rows, policy) if rows else None


def combine(rows: Sequence[tuple[int, str, int, Sequence[int]]], policy: str) -> Gears:
    """Gears of several dimensions under a policy. Raises BadGears."""
    kept = tuple((place, name, dim, tuple(sizes)) for place, name, dim, sizes in rows)
    lengths = [len(sizes) for *_, sizes in kept]
    listed = ", ".join(f"{len(sizes)} for dimension {dim} of {name}" for _, name, dim, sizes in kept)
    if policy == "zip":
        if len(set(lengths)) > 1:
            raise errors.BadGears(
                problem=f'"zip" takes the gears of all dimensions together, and there are {listed}; make them as many, '
                'or set inference_config.dynamic_gears_merge_policy = "product"'
            )
        return Gears(kept, frozenset(zip(*(sizes for *_, sizes in kept), strict=True)))
    if math.prod(lengths) > _MOST:
        raise errors.BadGears(problem=f"{math.prod(lengths)} combinations, at most {_MOST} are allowed: {listed}")
    return Gears(kept, None)


def of_call(gm: torch.fx.GraphModule, values: Sequence[Any], config: CompilerConfig) -> Gears | None:
    """The gears of the inputs that Dynamo hands to a backend."""
    if all(gears_of(v) is None for v in values):
        return None
    return collect(values, placeholder_names(gm), config.raw("inference_config.dynamic_gears_merge_policy"))


def checking(function: Callable[..., Any], gears: Gears) -> Callable[..., Any]:
    """The function behind a check of its arguments."""

    def checked(*values: Any) -> Any:
        gears.check(values)
        return function(*values)

    return checked


def placeholder_names(gm: torch.fx.GraphModule) -> list[str]:
    """What the user calls the inputs of Dynamo's graph: `x` for L['x']."""
    names = []
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            source = getattr(node.meta.get("grapharg"), "source", None)
            text = getattr(source, "name", None)
            text = text() if callable(text) else text
            match = re.fullmatch(r"L\['(\w+)'\](.*)", text or "")
            names.append(f"{match[1]}{match[2]}" if match else str(node.target))
    return names


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
