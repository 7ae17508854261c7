"""What stands behind the names in a signature: `fe.Tensor[T, "rows", 4096]` and `fe.Mut[...]`.

At run time the brackets make a `TensorOf` or `MutOf`, which signature.py reads. For type checkers both names are `Any`:
a dimension is no type. Linters that look for the names in the strings are content when they exist:
`rows, d = "rows", "d"` above the operator, then `fe.Tensor[T, rows, d]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any


@dataclass(frozen=True)
class TensorOf:
    """`Tensor[items]`, as written. `| None` makes it optional."""

    items: tuple[Any, ...]

    def __or__(self, other: Any) -> Maybe:
        return Maybe(self, other)

    def __ror__(self, other: Any) -> Maybe:
        return Maybe(self, other)


@dataclass(frozen=True)
class MutOf:
    """`Mut[item]`, as written."""

    item: Any

    def __or__(self, other: Any) -> Maybe:
        return Maybe(self, other)


@dataclass(frozen=True)
class Maybe:
    """`item | other`; None is the only other that has a meaning."""

    item: Any
    other: Any


if TYPE_CHECKING:
    Tensor: Any
    Mut: Any
else:

    class Tensor:
        """A tensor argument or an output of an operator: `Tensor[dtype, dimension, ...]`.

        dtype: `ac.f32`, or a variable `ac.dtype_var("T", ac.f16, ac.f32)`, which is one type in one call.
        Dimensions: a number; a name ("rows"), one size in one call; "_" for any; `...` for any number of batch dimensions;
        "*lead" for any number under a name. In an output also "n*2", "max(a, b)", "broadcast(*a, *b)", and "found <= n"
        for a size that the kernel counts. No dimension at all is a tensor with one element and no dimension.
        `Tensor[...] | None` may be absent, `list[Tensor[...]]` is a list of tensors.
        """

        def __class_getitem__(cls, items: Any) -> TensorOf:
            return TensorOf(items if isinstance(items, tuple) else (items,))

    class Mut:
        """A tensor argument that the operator writes: `Mut[Tensor[T, ...]]`. It is no output."""

        def __class_getitem__(cls, item: Any) -> MutOf:
            return MutOf(item)
