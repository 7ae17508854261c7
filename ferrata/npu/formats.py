"""Memory formats of tensors: numbers that a tensor carries as a tag; the data never changes its layout here."""

from __future__ import annotations

import enum
from typing import Any

import torch

from ferrata.errors import BadOption


class Format(enum.IntEnum):
    """Format numbers of the graph engine, as torch_npu's functions take and return them."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51
    FRACTAL_NZ_C0_2 = 52
    FRACTAL_NZ_C0_4 = 53
    FRACTAL_NZ_C0_8 = 54


def _checked(number: int) -> Format:
    try:
        return Format(int(number))
    except ValueError:
        known = ", ".join(f"{item.name}={item.value}" for item in Format)
        raise BadOption(where="npu_format_cast", problem=f"{number!r} is not a format", allowed=known) from None


def npu_format_cast(
    tensor: torch.Tensor, acl_format: int, customize_dtype: Any = None, input_dtype: Any = None
) -> torch.Tensor:
    """`tensor` tagged with a format; the values and their layout stay. Raises ValueError for an unknown number."""
    chosen = _checked(acl_format)
    out = tensor.view_as(tensor)
    return _tag(out, chosen)


def npu_format_cast_(tensor: torch.Tensor, acl_format: int | torch.Tensor) -> torch.Tensor:
    """Tag `tensor` itself; the format may be given as another tensor that carries it."""
    chosen = get_npu_format(acl_format) if isinstance(acl_format, torch.Tensor) else _checked(acl_format)
    return _tag(tensor, chosen)


def _tag(tensor: torch.Tensor, chosen: Format) -> torch.Tensor:
    tensor._npu_format = chosen  # type: ignore[attr-defined]
    return tensor


def get_npu_format(tensor: torch.Tensor) -> Format:
    """The tag of a tensor; untagged ones are NCHW with four dimensions, NCDHW with five, else ND."""
    tag = getattr(tensor, "_npu_format", None)
    if isinstance(tag, Format):
        return tag
    return {4: Format.NCHW, 5: Format.NCDHW}.get(tensor.dim(), Format.ND)


def get_storage_size(tensor: torch.Tensor) -> int:
    """Number of elements that the tensor's storage holds. A compiled function breaks its graph here."""
    # nbytes, which Dynamo does not trace: `size` it makes a constant that no guard watches
    return tensor.untyped_storage().nbytes() // tensor.element_size()


def empty_with_format(
    size: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    acl_format: int = 2,
    **_: Any,
) -> torch.Tensor:
    """An uninitialised tensor of `size`, tagged with a format."""
    chosen = _checked(acl_format)
    return _tag(torch.empty(size, dtype=dtype, device=device or "npu", pin_memory=bool(pin_memory)), chosen)


def copy_memory_(destination: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    """Copy one npu tensor into another of the same dtype and size."""
    if destination.dtype != source.dtype or destination.numel() != source.numel():
        raise RuntimeError(
            f"copy_memory_: both tensors must have one dtype and size, not {destination.dtype} "
            f"{list(destination.shape)} and {source.dtype} {list(source.shape)}"
        )
    return destination.copy_(source.reshape(destination.shape), non_blocking)


def one_(tensor: torch.Tensor) -> torch.Tensor:
    """Fill with ones."""
    return tensor.fill_(1)


def npu_dtype_cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """tensor.to(dtype)."""
    return tensor.to(dtype)


def npu_transpose(tensor: torch.Tensor, perm: Any, require_contiguous: bool = True) -> torch.Tensor:
    """tensor.permute(perm), contiguous."""
    out = tensor.permute(perm)
    return out.contiguous() if require_contiguous else out


def npu_broadcast(tensor: torch.Tensor, size: Any) -> torch.Tensor:
    """tensor.expand(size), contiguous."""
    return tensor.expand(size).contiguous()
