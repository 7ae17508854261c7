"""Operators that arrange elements: reshape, transpose, slice, concatenate, broadcast, pad, fill, copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import torch_dtype


@rule("Identity", text="{0}")
def identity(x: Any) -> Any:
    return x


@rule("TensorMove", text="{0}.clone(memory_format=torch.contiguous_format)")
def tensor_move(x: Any) -> Any:
    return x.clone(memory_format=torch.contiguous_format)


@rule("Reshape", host="shape", text="{0}.reshape({1})")
def reshape(x: Any, shape: Sequence[int]) -> Any:
    """A 0 in the new shape is a dimension of size 0: converters state every size."""
    return x.reshape(shape)


@rule("FlattenV2")
def flatten(x: Any, *, axis: int = 1, end_axis: int = -1) -> Any:
    return torch.flatten(x, axis, end_axis)


@rule("Transpose", view=True, host="perm", text="{0}.permute({1})")
def transpose(x: Any, perm: Sequence[int]) -> Any:
    return x.permute(perm)


def _squeeze_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    axis = attrs.get("axis") or []
    return f"{parts[0]}.squeeze({axis[0]})" if len(axis) == 1 else None


def _unsqueeze_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    axes = attrs.get("axes") or []
    return f"{parts[0]}.unsqueeze({axes[0]})" if len(axes) == 1 else None


@rule("Squeeze", text=_squeeze_text)
def squeeze(x: Any, *, axis: Sequence[int] = ()) -> Any:
    return x.squeeze(tuple(axis)) if axis else x.squeeze()


@rule("Unsqueeze", text=_unsqueeze_text)
def unsqueeze(x: Any, *, axes: Sequence[int] = ()) -> Any:
    """The axes count in the result."""
    rank = x.dim() + len(axes)
    for axis in sorted(a % rank for a in axes):
        x = x.unsqueeze(axis)
    return x


@rule("ExpandDims", host="axis")
def expand_dims(x: Any, axis: Any) -> Any:
    return x.unsqueeze(axis if isinstance(axis, int) else axis[0])


@rule("BroadcastTo", view=True, host="shape", text="{0}.expand({1})")
def broadcast_to(x: Any, shape: Sequence[int]) -> Any:
    return x.expand(shape)


@rule("Tile", host="multiples")
def tile(x: Any, multiples: Sequence[int]) -> Any:
    return x.repeat(multiples)


@rule("ConcatV2", host="concat_dim", text=lambda parts, attrs: f"torch.cat({parts[0]}, {parts[1]})")
def concat(x: list[Any], concat_dim: int, **_: Any) -> Any:
    return torch.cat(x, concat_dim)


@rule("ConcatD")
def concat_d(x: list[Any], *, concat_dim: int, N: int = 1) -> Any:
    return torch.cat(x, concat_dim)


@rule("Pack")
def pack(x: list[Any], *, axis: int = 0, N: int = 1) -> Any:
    return torch.stack(x, axis)


@rule("Unpack", view=True)
def unpack(x: Any, *, num: int, axis: int = 0) -> Any:
    return x.unbind(axis)


def _split_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    return f"{parts[0]}.split_with_sizes({parts[1]}, {parts[2]})"


@rule("SplitV", view=True, host="size_splits split_dim", text=_split_text)
def split(x: Any, size_splits: Sequence[int], split_dim: int, *, num_split: int) -> Any:
    return torch.split(x, list(size_splits), split_dim)


@rule("SplitD", view=True)
def split_d(x: Any, *, split_dim: int, num_split: int) -> Any:
    return x.chunk(num_split, split_dim)


@rule("Slice", view=True, host="offsets size")
def slice_of(x: Any, offsets: Sequence[int], size: Sequence[int]) -> Any:
    for dim, (start, length) in enumerate(zip(offsets, size, strict=True)):
        x = x.narrow(dim, start, length)
    return x


def _slice_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    """Python's own slice, along one axis, where the numbers are written out."""
    if len(parts) != 5 or not all(p.startswith("[") and "," not in p for p in parts[1:]):
        return None
    begin, end, axis, step = (p[1:-1] for p in parts[1:])
    if not axis.removeprefix("-").isdigit() or begin == "" or "(" in begin + end:
        return None
    stop = "" if end == str(2**63 - 1) else end
    one = f"{'' if begin == '0' else begin}:{stop}" + ("" if step == "1" else f":{step}")
    n = int(axis)
    places = [":"] * n + [one] if n >= 0 else ["...", one] + [":"] * (-n - 1)
    return f"{parts[0]}[{', '.join(places)}]"


@rule("StridedSliceV2", view=True, host="begin end axes strides", text=_slice_text)
def strided_slice(x: Any, begin: Sequence[int], end: Sequence[int], axes: Any = None, strides: Any = None) -> Any:
    """x[begin:end:strides] along the axes; without masks."""
    for i, (start, stop) in enumerate(zip(begin, end, strict=True)):
        axis = i if axes is None else axes[i]
        step = 1 if strides is None else strides[i]
        x = torch.ops.aten.slice.Tensor(x, axis, start, stop, step)
    return x


@rule("ReverseV2", host="axis")
def reverse(x: Any, axis: Sequence[int]) -> Any:
    return torch.flip(x, tuple(axis))


@rule("PadV3", host="paddings constant_values")
def pad(
    x: Any,
    paddings: Sequence[int],
    constant_values: Any = 0,
    *,
    mode: str = "constant",
    paddings_contiguous: bool = True,
) -> Any:
    """paddings: before and after for each dimension, from the first to the last."""
    pairs = [list(paddings[i : i + 2]) for i in range(0, len(paddings), 2)]
    if not paddings_contiguous:
        half = len(paddings) // 2
        pairs = [[paddings[i], paddings[half + i]] for i in range(half)]
    if mode == "constant":
        flat = [n for pair in reversed(pairs) for n in pair]
        return torch.constant_pad_nd(x, flat, 0 if constant_values is None else constant_values)
    while pairs and pairs[0] == [0, 0] and len(pairs) > max(1, x.dim() - 2):
        pairs = pairs[1:]
    flat = [n for pair in reversed(pairs) for n in pair]
    names = {"edge": "replicate", "reflect": "reflect", "circular": "circular"}
    return torch.nn.functional.pad(x, flat, mode=names[mode])


@rule("MirrorPad", host="paddings")
def mirror_pad(x: Any, paddings: Sequence[Any], *, mode: str) -> Any:
    """paddings: [[before, after], ...] for each dimension; mode "REFLECT"."""
    if mode != "REFLECT":
        raise KeyError("mode")
    pairs = [list(p) for p in paddings]
    spatial = [i for i, p in enumerate(pairs) if p != [0, 0]] or [x.dim() - 1]
    pairs = pairs[min(*spatial, 2, x.dim() - 1) :]  # of pictures always all dimensions but batch and channel
    return torch.nn.functional.pad(x, [n for pair in reversed(pairs) for n in pair], mode="reflect")


@rule("AsStrided", view=True, host="size stride storage_offset")
def as_strided(x: Any, size: Sequence[int], stride: Sequence[int], storage_offset: Any) -> Any:
    """A view of x as it lies in memory, contiguous."""
    start = storage_offset if isinstance(storage_offset, int) else storage_offset[0]
    x = x.contiguous()
    return x.as_strided(size, stride, x.storage_offset() + start)


@rule("Tril")
def tril(x: Any, *, diagonal: int = 0) -> Any:
    return torch.tril(x, diagonal)


@rule("Triu")
def triu(x: Any, *, diagonal: int = 0) -> Any:
    return torch.triu(x, diagonal)


@rule("Roll")
def roll(x: Any, *, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    return torch.roll(x, tuple(shifts), tuple(dims))


@rule("Fill", host="dims value", creates="value")
def fill(dims: Sequence[int], value: Any, *, dtype: torch.dtype, device: Any) -> Any:
    return torch.full(tuple(dims), value, dtype=dtype, device=device)


@rule("Range", host="start limit delta", creates="start")
def value_range(start: Any, limit: Any, delta: Any, *, dtype: torch.dtype, device: Any) -> Any:
    return torch.arange(start, limit, delta, dtype=dtype, device=device)


@rule("Shape")
def shape_of(x: Any, *, dtype: int = 3) -> Any:
    kind = torch_dtype(dtype)
    if any(isinstance(n, torch.SymInt) for n in x.shape):  # traced for a cluster: torch.tensor would ask for numbers
        return torch.stack([torch.scalar_tensor(n, dtype=kind, device=x.device) for n in x.shape])
    return torch.tensor(list(x.shape), dtype=kind, device=x.device)


@rule("Size")
def size_of(x: Any, *, dtype: int = 3) -> Any:
    return torch.tensor(x.numel(), dtype=torch_dtype(dtype), device=x.device)
