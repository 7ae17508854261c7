"""Writes into a part: slices, rows, diagonals, strided views, copies."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.build import const, dtype_of, maker, ops, out, promote, require, shape_list, sizes_of
from ferrata.torchair.converters.shape import LAST, bound
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten


@converts(aten.slice_scatter.default)
def slice_scatter(x: Tensor, src: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    """What lies before, the new part, what lies behind. A stride needs indices."""
    dim %= x.rank
    if step == 1 and src.desc.shape is not None and src.desc.shape == x.desc.shape:
        return ops.TensorMove(promote(src, to=dtype_of(x)))  # all of it
    size = x.desc.shape[dim] if x.desc.shape is not None else -1
    start, end = (0 if start is None else start), (LAST if end is None else end)
    if step != 1:
        require(isinstance(step, int), "a step that changes from call to call")
        return _strided(x, src, dim, start, end, step)
    if isinstance(size, int) and size >= 0 and isinstance(start, int) and isinstance(end, int):
        start, end, _ = slice(start, end).indices(size)
        end = max(start, end)
    else:
        require(not any(isinstance(v, int) and v < 0 for v in (start, end)), "a bound from the end, of an unknown size")
        require(start == 0 or (isinstance(end, int) and end == LAST), "two bounds of an unknown size")
        size = LAST
    parts = [promote(src, to=dtype_of(x))]
    if not (isinstance(start, int) and start == 0):
        parts.insert(0, ops.StridedSliceV2(x, [0], bound(start), [dim], [1]))
    if not (isinstance(end, int) and end >= size):
        parts.append(ops.StridedSliceV2(x, bound(end), [LAST], [dim], [1]))
    return ops.ConcatV2(parts, dim, N=len(parts))


def _strided(x: Tensor, src: Tensor, dim: int, start: Any, end: Any, step: int) -> Any:
    require(isinstance(start, int) and isinstance(end, int), "bounds that change from call to call")
    places = list(range(*slice(start, end, step).indices(shape_list(x)[dim])))
    shape = [len(places) if i == dim else 1 for i in range(x.rank)]
    indices = ops.BroadcastTo(ops.Reshape(const(places, torch.int64), shape), shape_list(src))
    return ops.ScatterElements(x, indices, promote(src, to=dtype_of(x)), axis=dim)


@converts(aten.select_scatter.default)
def select_scatter(x: Tensor, src: Tensor, dim: int, index: Any) -> Any:
    require(isinstance(index, int), "an index that changes from call to call")
    dim %= x.rank
    row = ops.Unsqueeze(src, axes=[dim])
    parts = [promote(row, to=dtype_of(x))]
    size = x.desc.shape[dim] if x.desc.shape is not None else -1
    if isinstance(size, int) and size > 0:
        index %= size
    if index != 0:
        parts.insert(0, ops.StridedSliceV2(x, [0], [index], [dim], [1]))
    if index != -1:
        parts.append(ops.StridedSliceV2(x, [index + 1], [LAST], [dim], [1]))
    return ops.ConcatV2(parts, dim, N=len(parts))


@converts(aten.copy.default)
def copy(x: Tensor, src: Tensor, non_blocking: bool = False) -> Any:
    require(not dtype_of(src).is_complex or dtype_of(x).is_complex, "the real part of complex numbers")
    src = promote(src, to=dtype_of(x))
    if src.desc.shape == x.desc.shape:
        return src if dtype_of(src) != dtype_of(x) else ops.TensorMove(src)
    return ops.TensorMove(ops.BroadcastTo(src, sizes_of(x, torch.int64)))


@converts(aten.fill.Scalar, aten.fill.Tensor)
def fill(x: Tensor, value: Any) -> Any:
    require(not isinstance(value, Tensor) or not dtype_of(value).is_complex or dtype_of(x).is_complex, "complex value")
    if isinstance(value, Tensor):
        return ops.TensorMove(ops.BroadcastTo(promote(value, to=dtype_of(x)), sizes_of(x, torch.int64)))
    return ops.Fill(sizes_of(x, torch.int64), promote(value, to=dtype_of(x)))


@converts(aten.as_strided.default)
def as_strided(x: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """GE counts the offset from x, PyTorch from the start of the memory in which x may lie anywhere."""
    require(x.desc.stride is None, "strides of its own")
    require(storage_offset is None or _owns_memory(x), "a tensor that may lie anywhere in its memory")
    require(not any(isinstance(v, Tensor) for v in (size, stride, storage_offset)), "sizes that change")
    return ops.AsStrided(x, _list(size), _list(stride), const(storage_offset or 0, torch.int64))


def _owns_memory(x: Tensor) -> bool:
    """Whether it begins where its memory does: results of operators that are no views."""
    made = maker(x)
    return made is not None and made.type not in ("Identity", "Reshape", "Squeeze", "Unsqueeze", "ExpandDims")


@converts(aten.diagonal.default)
def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A view: one step along both dimensions at a time."""
    require(x.desc.stride is None, "strides of its own")
    shape = shape_list(x)
    dim1, dim2 = dim1 % x.rank, dim2 % x.rank
    steps = [1] * x.rank
    for i in reversed(range(x.rank - 1)):
        steps[i] = steps[i + 1] * shape[i + 1]
    count = out().shape[-1]
    require(isinstance(count, int), "sizes that change from call to call")
    rest = [i for i in range(x.rank) if i not in (dim1, dim2)]
    start = (offset * steps[dim2] if offset >= 0 else -offset * steps[dim1]) if count else 0
    sizes, strides = [*(shape[i] for i in rest), count], [*(steps[i] for i in rest), steps[dim1] + steps[dim2]]
    return ops.AsStrided(x, _list(sizes), _list(strides), const(start, torch.int64))


def _list(values: Any) -> Any:
    return const(list(values), torch.int64)


@converts(aten.index_add.default)
def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    require(x.rank > 0 and index.rank == 1 and source.rank == x.rank, "an index or a tensor without dimensions")
    require(dtype_of(x) == dtype_of(source), "mixed types")
    factor = None if alpha == 1 else promote(alpha, to=dtype_of(x))
    return ops.InplaceIndexAdd(ops.TensorMove(x), index, source, factor, axis=dim % x.rank)
