"""What a kernel needs of the Unified Buffer: refused where it has not so much, with every line that allocates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ferrata import chips, errors
from ferrata.lang.declaration import Declaration
from ferrata.lang.elements import Dtype
from ferrata.lang.translate.entry import Translation


def budget(
    kernel: Declaration,
    allocations: Any,
    binding: Mapping[str, Any],
    dtypes: Mapping[str, Dtype],
    consts: Mapping[str, int],
) -> int | None:
    """Bytes of the Unified Buffer. Raises UbOverBudgetAtInstance, which names every line that allocates."""
    chip = chips.current()
    rows = [(one, one.bytes(binding) if one.bytes is not None else None) for one in allocations]
    total = sum(size for _, size in rows if size is not None)
    if total > chip.ub:
        listing = "\n".join(
            f"    {size if size is not None else '?':>9}  {Path(one.file).name}:{one.line}  {one.what}"
            for one, size in rows
        )
        raise errors.UbOverBudgetAtInstance(
            file=kernel.file, line=kernel.line, kernel=kernel.name, binding=describe(dtypes, consts), bytes=total,
            arch=chip.arch, budget=chip.ub, listing=listing, excerpt="", message="over budget",
            help="Take a smaller tile, fewer buffers, or one buffer for two uses.",
        )  # fmt: skip
    return None if any(size is None for _, size in rows) else total


def check_translated(kernel: Declaration, made: Translation) -> None:
    """Refuse a kernel whose buffers of constant size cannot fit, whatever it is instantiated with."""
    smallest = {v.name: min(v.allowed, key=lambda dtype: dtype.bytes) for v in kernel.dtype_vars}
    fixed = []
    for one in made.allocations:
        try:
            if one.bytes is not None:
                one.bytes(smallest)
                fixed.append(one)
        except KeyError:  # needs a Const
            continue
    budget(kernel, fixed, smallest, smallest, {})


def describe(dtypes: Mapping[str, Dtype], consts: Mapping[str, int]) -> str:
    """A binding in words."""
    parts = [f"{name} = {dtype!r}" for name, dtype in dtypes.items()] + [f"{k} = {v}" for k, v in consts.items()]
    return ", ".join(parts) or "no parameters of its own"
