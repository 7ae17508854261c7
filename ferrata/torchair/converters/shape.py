"""Views, copies, concatenation, slices, padding, creation."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import const, dtype_of, laid_as, ops, out, out_list, promote, require, sizes_of
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten
LAST = 2**63 - 1


@converts(aten.clone.default, aten.lift_fresh_copy.default)
def clone(x: Tensor, *, memory_format: Any = None) -> Any:
    return ops.TensorMove(x)


@converts(aten.alias.default, aten.detach.default)
def alias(x: Tensor) -> Any:
    return ops.Identity(x)


@converts(aten.view.default, aten._unsafe_view.default, aten.reshape.default)
def view(x: Tensor, size: Any) -> Any:
    return ops.Reshape(x, size)


@converts(aten.permute.default)
def permute(x: Tensor, dims: Any) -> Any:
    return ops.Transpose(x, list(dims))


@converts(aten.t.default)
def t(x: Tensor) -> Any:
    return ops.Transpose(x, [1, 0]) if x.rank == 2 else ops.Identity(x)


@converts(aten.transpose.int)
def transpose(x: Tensor, a: int, b: int) -> Any:
    if x.rank == 0:
        return ops.Identity(x)
    order = list(range(x.rank))
    order[a], order[b] = order[b], order[a]
    return ops.Transpose(x, order)


@converts(aten.unsqueeze.default)
def unsqueeze(x: Tensor, dim: int) -> Any:
    return ops.Unsqueeze(x, axes=[dim])


@converts(aten.squeeze.dim, aten.squeeze.dims)
def squeeze(x: Tensor, dim: Any) -> Any:
    """Which of the dimensions have size 1 is what Meta found while tracing."""
    dims = [d % x.rank for d in (dim if isinstance(dim, (list, tuple)) else [dim])] if x.rank else []
    require(x.desc.shape is not None, "an unknown rank")
    gone = [d for d in dims if x.desc.shape is not None and x.desc.shape[d] == 1]
    require(x.rank - len(gone) == out().dim(), "a size that is 1 by a guard")
    return ops.Squeeze(x, axis=gone) if gone else ops.Identity(x)


@converts(aten.expand.default)
def expand(x: Tensor, size: Any, *, implicit: bool = False) -> Any:
    return ops.BroadcastTo(x, size)


@converts(aten.repeat.default)
def repeat(x: Tensor, repeats: Any) -> Any:
    return ops.Tile(x, repeats)


@converts(aten.cat.default)
def cat(tensors: Any, dim: int = 0) -> Any:
    require(
        all(t.rank != 1 or t.desc.shape != (0,) for t in tensors) or out().dim() == 1, "an empty list that is skipped"
    )
    made = [promote(t) for t in tensors]
    return ops.ConcatV2(made, dim, N=len(made))


@converts(aten.stack.default)
def stack(tensors: Any, dim: int = 0) -> Any:
    made = [promote(t) for t in tensors]
    return ops.Pack(made, axis=dim, N=len(made))


@converts(aten.split_with_sizes.default)
def split_with_sizes(x: Tensor, sizes: Any, dim: int = 0) -> Any:
    require(not isinstance(sizes, Tensor), "sizes that change from call to call")
    return ops.SplitV(x, list(sizes), dim, num_split=len(sizes), outputs=len(sizes))


@converts(aten.slice.Tensor)
def slice_tensor(x: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    require(isinstance(step, int), "a step that changes from call to call")
    bounds = [bound(0 if start is None else start), bound(LAST if end is None else end)]
    return ops.StridedSliceV2(x, bounds[0], bounds[1], [dim], [step])


def bound(value: Any) -> Any:
    """One number as a list of one; a number of the host is packed."""
    return ops.Pack([value], axis=0, N=1) if isinstance(value, Tensor) else [value]


@converts(aten.select.int)
def select(x: Tensor, dim: int, index: Any) -> Any:
    """A slice of length 1 whose dimension goes: a view, as in PyTorch."""
    require(isinstance(index, int), "an index that changes from call to call")
    end = LAST if index == -1 else index + 1
    row = ops.StridedSliceV2(x, [index], [end], [dim], [1])
    return ops.Squeeze(laid_as(row, x), axis=[dim % x.rank])


@converts(aten.flip.default)
def flip(x: Tensor, dims: Any) -> Any:
    return ops.ReverseV2(x, list(dims)) if dims else ops.TensorMove(x)


@converts(aten.constant_pad_nd.default)
def constant_pad(x: Tensor, pad: Any, value: Any = 0) -> Any:
    require(not isinstance(pad, Tensor), "sizes that change from call to call")
    return ops.PadV3(x, _pairs(pad, x.rank), promote(value, to=dtype_of(x)), mode="constant")


@converts(aten.replication_pad1d.default, aten.replication_pad2d.default, aten.replication_pad3d.default)
def replication_pad(x: Tensor, pad: Any) -> Any:
    require(not isinstance(pad, Tensor), "sizes that change from call to call")
    return ops.PadV3(x, _pairs(pad, x.rank), mode="edge")


@converts(aten.reflection_pad1d.default, aten.reflection_pad2d.default, aten.reflection_pad3d.default)
def reflection_pad(x: Tensor, pad: Any) -> Any:
    require(not isinstance(pad, Tensor), "sizes that change from call to call")
    flat = _pairs(pad, x.rank)
    return ops.MirrorPad(x, const([flat[i : i + 2] for i in range(0, len(flat), 2)], torch.int64), mode="REFLECT")


def _pairs(pad: Any, rank: int) -> list[int]:
    """PyTorch pads from the last dimension; GE lists all dimensions from the first."""
    pairs = [list(pad[i : i + 2]) for i in range(0, len(pad), 2)]
    pairs += [[0, 0]] * (rank - len(pairs))
    return [n for pair in reversed(pairs) for n in pair]


@converts(aten.full.default)
def full(size: Any, value: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(value))


@converts(aten.zeros.default, aten.empty.memory_format)
def zeros(size: Any, **_: Any) -> Any:
    """Memory that nobody has written yet is zero, so that every run gives the same."""
    return ops.Fill(_sizes(size), promote(0))


@converts(aten.ones.default)
def ones(size: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(1))


@converts(aten.empty_strided.default)
def empty_strided(size: Any, stride: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(0))


@converts(aten.new_zeros.default, aten.new_empty.default)
def new_zeros(x: Tensor, size: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(0))


@converts(aten.new_empty_strided.default)
def new_empty_strided(x: Tensor, size: Any, stride: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(0))


@converts(aten.new_ones.default)
def new_ones(x: Tensor, size: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(1))


@converts(aten.new_full.default)
def new_full(x: Tensor, size: Any, value: Any, **_: Any) -> Any:
    return ops.Fill(_sizes(size), promote(value))


@converts(aten.zeros_like.default, aten.empty_like.default)
def zeros_like(x: Tensor, **_: Any) -> Any:
    return ops.Fill(sizes_of(x, torch.int64), promote(0))


@converts(aten.ones_like.default)
def ones_like(x: Tensor, **_: Any) -> Any:
    return ops.Fill(sizes_of(x, torch.int64), promote(1))


@converts(aten.full_like.default)
def full_like(x: Tensor, value: Any, **_: Any) -> Any:
    return ops.Fill(sizes_of(x, torch.int64), promote(value))


@converts(aten.tril.default)
def tril(x: Tensor, diagonal: int = 0) -> Any:
    return ops.Tril(x, diagonal=diagonal)


@converts(aten.triu.default)
def triu(x: Tensor, diagonal: int = 0) -> Any:
    return ops.Triu(x, diagonal=diagonal)


@converts(aten.roll.default)
def roll(x: Tensor, shifts: Any, dims: Any = ()) -> Any:
    require(not isinstance(shifts, Tensor), "shifts that change from call to call")
    return ops.Roll(x, shifts=list(shifts), dims=list(dims))


@converts(aten.unbind.int)
def unbind(x: Tensor, dim: int = 0) -> Any:
    count = len(out_list())
    require(count > 0, "nothing to take apart")
    return ops.Unpack(x, num=count, axis=dim, outputs=count)


@converts(aten.split.Tensor)
def split(x: Tensor, size: Any, dim: int = 0) -> Any:
    """The last part is what is left."""
    count = len(out_list())
    total = x.desc.shape[dim] if x.desc.shape is not None else -1
    require(isinstance(size, int) and isinstance(total, int) and total > 0, "sizes that change from call to call")
    parts = [min(size, int(total) - i * size) for i in range(count)]
    return ops.SplitV(x, parts, dim, num_split=count, outputs=count)


@converts(aten.squeeze.default)
def squeeze_all(x: Tensor) -> Any:
    gone = [i for i, d in enumerate(x.desc.shape or ()) if d == 1]
    require(x.rank - len(gone) == out().dim(), "a size that is 1 by a guard")
    return ops.Squeeze(x, axis=gone) if gone else ops.Identity(x)


@converts(aten.scalar_tensor.default)
def scalar_tensor(value: Any, **_: Any) -> Any:
    require(not isinstance(value, Tensor), "a number that changes from call to call")
    return ops.TensorMove(promote(value))


@converts(aten.arange.default)
def arange_end(end: Any, **_: Any) -> Any:
    return arange(0, end)


@converts(aten.arange.start)
def arange_start(start: Any, end: Any, **_: Any) -> Any:
    return arange(start, end)


@converts(aten.arange.start_step)
def arange(start: Any, end: Any, step: Any = 1, **_: Any) -> Any:
    require(
        not any(isinstance(v, float) for v in (start, end, step)), "steps of floating numbers are counted otherwise"
    )
    kind = out().dtype
    if kind in (torch.float32, torch.float64):  # whole numbers, counted as such
        return ops.Cast(ops.Range(*promote(start, end, step, to=torch.int64)), dst_type=ge_dtype(kind))
    require(kind in (torch.int64, torch.int32), "another type")
    return ops.Range(*promote(start, end, step))


def _sizes(size: Any) -> Any:
    return size if isinstance(size, Tensor) else list(size)
