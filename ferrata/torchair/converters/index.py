"""Indexing: gather, scatter, index, embedding."""

from __future__ import annotations

import math
from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.ge.worlds import dim_of
from ferrata.torchair.build import dtype_of, ops, out, promote, require, size, sizes_of, told
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten


@converts(aten.embedding.default)
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: Any = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    return ops.GatherV2(weight, indices, [0])


@converts(aten.embedding_dense_backward.default)
def embedding_backward(
    grad: Tensor, indices: Tensor, num_weights: Any, padding_idx: Any, scale_grad_by_freq: bool
) -> Any:
    require(isinstance(num_weights, int) and isinstance(padding_idx, int), "sizes that change from call to call")
    return ops.EmbeddingDenseGrad(
        grad, indices, num_weights=num_weights, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq
    )


@converts(aten.index_select.default)
def index_select(x: Tensor, dim: int, index: Tensor) -> Any:
    require(x.rank > 0 and index.rank == 1, "an index or a tensor without dimensions")
    return ops.GatherV2(x, index, [dim % x.rank])


@converts(aten.gather.default)
def gather(x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:
    return ops.GatherElements(x, index, dim=dim)


@converts(aten.scatter.src)
def scatter(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    return ops.ScatterElements(x, index, src, axis=dim)


@converts(aten.scatter.value)
def scatter_value(x: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    updates = ops.Fill(sizes_of(index, torch.int64), promote(value, to=dtype_of(x)))
    return ops.ScatterElements(x, index, updates, axis=dim)


@converts(aten.scatter_add.default)
def scatter_add(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    return ops.ScatterElements(x, index, src, axis=dim, reduction="add")


_REDUCE = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


@converts(aten.scatter_reduce.two)
def scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Any:
    """Without the original values, what is reduced into first gets the value that changes nothing. A mean is the sum
    by the count of its terms."""
    dtype = dtype_of(x)
    require(reduce in _REDUCE and dtype != torch.bool, f"{reduce} of {dtype}")
    if reduce == "mean":
        require(dtype not in (torch.float16, torch.bfloat16), "a mean of small floats, of which PyTorch keeps the sum")
        require(not dtype.is_complex, "a mean of complex numbers")

    def into(to: Any, updates: Any, reduction: str) -> Any:
        return ops.ScatterElements(to, index, updates, axis=dim, reduction=reduction)

    def filled(value: Any) -> Any:
        return ops.Fill(sizes_of(index, torch.int64), promote(value, to=dtype))

    if not include_self:
        x = into(x, filled(_neutral(reduce, dtype)), "none")
    result = into(x, src, _REDUCE[reduce])
    if reduce != "mean":
        return result
    own = ops.Fill(sizes_of(x, torch.int64), promote(int(include_self), to=dtype))
    count = into(own, filled(1), "add")
    if not include_self:
        count = ops.Maximum(count, promote(1, to=dtype))
    return ops.RealDiv(result, count) if dtype.is_floating_point else ops.FloorDiv(result, count)


def _neutral(reduce: str, dtype: torch.dtype) -> Any:
    """The value that a reduction leaves others unchanged by."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    if dtype.is_floating_point:
        return -math.inf if reduce == "amax" else math.inf
    info = torch.iinfo(dtype)
    return info.min if reduce == "amax" else info.max


@converts(aten.index.Tensor, aten._unsafe_index.Tensor)
def index(x: Tensor, indices: Any) -> Any:
    given = [i for i in indices if i is not None]
    if len(given) == 1 and dtype_of(given[0]) == torch.bool:
        return _masked(x, given[0], indices.index(given[0]))
    require(all(i.rank > 0 and dtype_of(i) in (torch.int64, torch.int32) for i in given), "a mask among indices")
    mask = [0 if i is None else 1 for i in indices]
    return ops.IndexByTensor(x, given, indices_mask=mask)


def _masked(x: Tensor, mask: Tensor, first: int) -> Any:
    """What a mask over some dimensions, from `first` on, selects: the places where it is true are an index for each."""
    if mask.rank == x.rank and dtype_of(x) != torch.bool:
        return ops.MaskedSelect(x, mask)
    require(mask.rank > 0, "a mask without dimensions")
    places = ops.NonZero(mask, transpose=True, dtype=ge_dtype(torch.int64))
    told(places, torch.int64, (mask.rank, dim_of(out().shape[first])))
    columns = ops.Unpack(places, num=mask.rank, axis=0, outputs=mask.rank)
    return ops.IndexByTensor(x, columns, indices_mask=[0] * first + [1] * mask.rank)


def _put_masked(x: Tensor, mask: Tensor, values: Tensor, first: int) -> Any:
    """One value wherever the mask is true, or a value for each such place."""
    if values.rank == 0 or (values.rank == 1 and values.desc.shape == (1,)):
        one = values if values.rank == 0 else ops.Reshape(values, [])
        rest = x.rank - first - mask.rank
        wide = ops.Unsqueeze(mask, axes=list(range(mask.rank, mask.rank + rest))) if rest else mask
        return ops.MaskedFill(x, wide, one)
    require(mask.rank == x.rank and values.rank == 1, "a mask over some dimensions, with many values")
    return ops.MaskedScatter(x, mask, values)


@converts(aten.index_put.default)
def index_put(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    given = [i for i in indices if i is not None]
    if len(given) == 1 and dtype_of(given[0]) == torch.bool and not accumulate:
        return _put_masked(x, given[0], values, indices.index(given[0]))
    require(all(dtype_of(i) in (torch.int64, torch.int32) for i in given), "a mask as index")
    mask = [0 if i is None else 1 for i in indices]
    return ops.IndexPutV2(ops.TensorMove(x), values, mask, [0], given, accumulate=accumulate)


@converts(aten.nonzero.default)
def nonzero(x: Tensor) -> Any:
    return ops.NonZero(x, dtype=ge_dtype(torch.int64))


@converts(aten.masked_scatter.default)
def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Any:
    require(x.desc.shape == mask.desc.shape and out().dim() == x.rank, "a mask of another shape")
    return ops.MaskedScatter(x, mask, source)


@converts(aten.searchsorted.Tensor)
def search_sorted(
    sequence: Tensor, values: Tensor, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Any:  # fmt: skip
    require(dtype_of(sequence) == dtype_of(values), "mixed types")
    kind = ge_dtype(torch.int32 if out_int32 else torch.int64)
    return ops.SearchSorted(sequence, values, sorter, dtype=kind, right=right or side == "right")


@converts(aten._unique2.default)
def unique(x: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    return ops.UniqueWithCountsAndSorting(
        x, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, out_idx=ge_dtype(torch.int64)
    )


@converts(aten.repeat_interleave.Tensor)
def repeat_interleave(repeats: Tensor, *, output_size: Any = None) -> Any:
    """Each place as often as is said there."""
    require(dtype_of(repeats) in (torch.int64, torch.int32), "another type of counts")
    places = ops.Range(*promote(0, size(repeats, 0), 1, to=torch.int64))
    return promote(ops.RepeatInterleave(places, repeats, axis=0))
