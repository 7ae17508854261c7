"""Are two tensors equal within a tolerance, and if not, where do they differ first?

The reference's values are rounded to the output's dtype before they are compared, so that a reference in a higher
precision and a kernel in a lower one overflow alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

# rtol, atol by dtype. Relative: about two units in the last place; absolute: for results near zero that come from
# terms near one. Integers and bool are compared exactly.
TOLERANCES: dict[torch.dtype, tuple[float, float]] = {
    torch.float64: (1e-7, 1e-7),
    torch.float32: (1.3e-6, 1e-5),
    torch.float16: (1e-3, 1e-3),
    torch.bfloat16: (1.6e-2, 1e-2),
}
Tolerance = float | Mapping[torch.dtype, float] | None


def tolerance(dtype: torch.dtype, rtol: Tolerance, atol: Tolerance) -> tuple[float, float]:
    """(rtol, atol) for a dtype: what the user gave, else TOLERANCES, else exact."""
    default = TOLERANCES.get(dtype, (0.0, 0.0))

    def pick(given: Tolerance, index: int) -> float:
        if isinstance(given, Mapping):
            return float(given.get(dtype, default[index]))
        # a plain number is for floating point; integers stay exact unless named
        return default[index] if given is None or not dtype.is_floating_point else float(given)

    return pick(rtol, 0), pick(atol, 1)


def difference(
    name: str, actual: Any, expected: Any, rtol: float = 0.0, atol: float = 0.0, versus: str = "the reference"
) -> str | None:
    """What differs between two tensors, None when nothing does: shape, dtype, else the first value out of tolerance."""
    if not isinstance(actual, torch.Tensor) or not isinstance(expected, torch.Tensor):
        return None if actual == expected else f"{name} is {actual!r}, {versus} gives {expected!r}"
    if actual.shape != expected.shape:
        return f"{name} has shape {tuple(actual.shape)}, {versus} gives {tuple(expected.shape)}"
    mine, theirs = actual.detach().cpu(), expected.detach().cpu()
    if theirs.dtype != mine.dtype:
        theirs = theirs.to(mine.dtype)
    if mine.numel() == 0:
        return None
    wrong = ~_close(mine, theirs, rtol, atol)
    count = int(wrong.sum())
    if not count:
        return None
    at = tuple(int(i) for i in torch.nonzero(wrong.reshape(mine.shape))[0]) if mine.dim() else ()
    apart = (_wide(mine) - _wide(theirs)).abs()[wrong]
    apart = apart[apart.isfinite()]
    largest = f"; largest difference {float(apart.max()):.4g}" if apart.numel() else ""
    limits = f"\n    tolerance  rtol {rtol:g}, atol {atol:g}{largest}" if rtol or atol else ""
    return (
        f"{name} differs from {versus} in {count} of {mine.numel()} values, first at {list(at)}:\n"
        f"    expected   {_number(theirs[at])}\n"
        f"    actual     {_number(mine[at])}{limits}"
    )


def either(actual: Any, first: Any, second: Any, rtol: float, atol: float) -> Any:
    """The first reference, with the values of the second where that is what the actual is close to."""
    if not all(isinstance(t, torch.Tensor) and t.shape == actual.shape for t in (actual, first, second)):
        return first
    mine, theirs = actual.detach().cpu(), second.detach().cpu().to(actual.dtype)
    return torch.where(_close(mine, theirs, rtol, atol), theirs, first.detach().cpu().to(actual.dtype))


def _close(mine: torch.Tensor, theirs: torch.Tensor, rtol: float, atol: float) -> torch.Tensor:
    if not mine.dtype.is_floating_point and not mine.dtype.is_complex and not (rtol or atol):
        return mine == theirs
    return torch.isclose(_wide(mine), _wide(theirs), rtol=rtol, atol=atol, equal_nan=True)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.dtype.is_complex else tensor.double()


def _number(value: torch.Tensor) -> str:
    return repr(value.item())
