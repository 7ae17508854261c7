"""How a tensor lies in memory: the layouts in which every case is run.

`place` puts values into memory so that the tensor has the wanted view, inside a block whose other elements are a
pattern; a kernel that ignores strides or the storage offset reads the pattern, one that writes too far destroys it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

# name -> what the tensor looks like
LAYOUTS: dict[str, str] = {
    "contiguous": "its own block, in order",
    "strided": "every second element of the last dimension of a larger block",
    "transposed": "the dimensions in reverse order in memory",
    "expanded": "stride 0 along the first dimension that is larger than 1",
    "offset": "in order, one element into a larger block: its address is misaligned",
}
_MARGIN = 1


def chosen(layouts: Iterable[str] | None) -> tuple[str, ...]:
    """The layouts to run; all for None. Raises UnknownLayout."""
    names = tuple(LAYOUTS) if layouts is None else tuple(layouts)
    for name in names:
        if name not in LAYOUTS:
            from ferrata import errors

            raise errors.UnknownLayout(layout=name, known=", ".join(LAYOUTS))
    return names


def applies(layout: str, shape: torch.Size, mutated: bool) -> bool:
    """Whether a tensor of this shape looks different in this layout, and may have it.

    A mutated tensor is never expanded: torch forbids writing to memory that several elements share.
    """
    if layout == "contiguous":
        return True
    if shape.numel() == 0:
        return False
    if layout == "strided":
        return len(shape) > 0
    if layout == "transposed":
        return sum(n > 1 for n in shape) > 1
    if layout == "expanded":
        return not mutated and any(n > 1 for n in shape)
    return True


def place(values: torch.Tensor, layout: str, device: Any, *, mutated: bool = False) -> torch.Tensor:
    """A tensor on `device` in `layout`; the values of `values`, but those of one slice repeated when expanded."""
    shape = values.shape
    if not applies(layout, shape, mutated):
        layout = "contiguous"
    if layout == "contiguous":
        return values.contiguous().to(device, copy=True)
    if layout == "expanded":
        dim = next(i for i, n in enumerate(shape) if n > 1)
        return values.narrow(dim, 0, 1).contiguous().to(device, copy=True).expand(shape)
    if layout == "transposed":
        backward = tuple(reversed(range(len(shape))))
        return values.permute(backward).contiguous().to(device, copy=True).permute(backward)
    if layout == "strided":
        block = pattern((*shape[:-1], 2 * shape[-1]), values.dtype)
        block[..., ::2] = values
        return block.to(device)[..., ::2]
    block = pattern((values.numel() + 2 * _MARGIN,), values.dtype)
    block[_MARGIN : _MARGIN + values.numel()] = values.reshape(-1)
    return block.to(device)[_MARGIN : _MARGIN + values.numel()].view(shape)


def pattern(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """A block of values that no result should contain: 77, or True."""
    return torch.ones(shape, dtype=dtype) if dtype == torch.bool else torch.full(shape, 77, dtype=dtype)


def whole(tensor: torch.Tensor) -> torch.Tensor:
    """The whole memory that a tensor is a view of, as bytes, in place."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def block(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of it on the CPU."""
    return whole(tensor).cpu().clone()


def footprint(tensor: torch.Tensor) -> torch.Tensor:
    """Which bytes of its block a tensor covers: a mask for `block`."""
    storage = tensor.untyped_storage()
    size = tensor.element_size()
    mask = torch.zeros(storage.nbytes() // size, dtype=torch.bool)
    mask.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(True)
    whole = mask.repeat_interleave(size)
    rest = storage.nbytes() - whole.numel()
    return torch.cat([whole, torch.zeros(rest, dtype=torch.bool)]) if rest else whole
