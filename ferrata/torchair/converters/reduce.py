"""Reductions, sorts, scans, softmax."""

from __future__ import annotations

import math
from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import Unsupported, axes_of, dtype_of, ops, out, promote, require
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten
INT64 = ge_dtype(torch.int64)


@converts(aten.sum.dim_IntList)
def sum_dims(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _reduced("ReduceSum", promote(x), dim, keepdim)


@converts(aten.sum.default)
def sum_all(x: Tensor, *, dtype: Any = None) -> Any:
    return _reduced("ReduceSum", promote(x), None, False)


@converts(aten.mean.dim)
def mean_dims(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    require(not _narrower(x), "a mean of another type, which is rounded once")
    return _reduced("ReduceMean", promote(x), dim, keepdim)


@converts(aten.mean.default)
def mean_all(x: Tensor, *, dtype: Any = None) -> Any:
    require(not _narrower(x), "a mean of another type, which is rounded once")
    return _reduced("ReduceMean", promote(x), None, False)


def _narrower(x: Tensor) -> bool:
    """Whether the result has fewer bits than the operand."""
    return bool(dtype_of(x).is_floating_point and out().dtype.itemsize < dtype_of(x).itemsize)


@converts(aten.prod.default)
def prod_all(x: Tensor, *, dtype: Any = None) -> Any:
    return _reduced("ReduceProd", promote(x), None, False)


@converts(aten.prod.dim_int)
def prod_dim(x: Tensor, dim: int, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _reduced("ReduceProd", promote(x), dim, keepdim)


@converts(aten.amax.default)
def amax(x: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    return _reduced("ReduceMax", x, dim, keepdim)


@converts(aten.amin.default)
def amin(x: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    return _reduced("ReduceMin", x, dim, keepdim)


@converts(aten.any.default, aten.any.dim, aten.any.dims)
def any_of(x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return _logical("ReduceAny", x, dim, keepdim)


@converts(aten.all.default, aten.all.dim, aten.all.dims)
def all_of(x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return _logical("ReduceAll", x, dim, keepdim)


def _logical(op_type: str, x: Tensor, dim: Any, keepdim: bool) -> Any:
    require(dtype_of(x) != torch.uint8, "bytes keep their type")
    if isinstance(dim, (list, tuple)) and not dim:  # over no dimension, here
        return ops.TensorMove(promote(x, to=torch.bool))
    return _reduced(op_type, promote(x, to=torch.bool), dim, keepdim)


def _reduced(op_type: str, x: Tensor, dim: Any, keepdim: bool) -> Any:
    axes = axes_of(dim, x.rank)
    if not axes:  # a tensor without dimensions
        return ops.TensorMove(x)
    return getattr(ops, op_type)(x, axes, keep_dims=keepdim)


@converts(aten.argmax.default)
def argmax(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    return _arg("ArgMaxV2", "ArgMaxWithValue", x, dim, keepdim)


@converts(aten.argmin.default)
def argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    return _arg("ArgMin", "ArgMinWithValue", x, dim, keepdim)


def _arg(plain: str, with_value: str, x: Tensor, dim: int | None, keepdim: bool) -> Any:
    if dim is None:
        require(not keepdim, "the index over all dimensions, kept")
        return getattr(ops, plain)(ops.Reshape(x, [-1]), 0)
    require(x.rank > 0, "no dimensions")
    if not keepdim:
        return getattr(ops, plain)(x, dim)
    return getattr(ops, with_value)(x, dimension=dim, keep_dims=True, indice_dtype=INT64)[0]


@converts(aten.max.dim)
def max_dim(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    return _with_index("ArgMaxWithValue", x, dim, keepdim)


@converts(aten.min.dim)
def min_dim(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    return _with_index("ArgMinWithValue", x, dim, keepdim)


def _with_index(op_type: str, x: Tensor, dim: int, keepdim: bool) -> Any:
    indices, values = getattr(ops, op_type)(x, dimension=dim, keep_dims=keepdim, indice_dtype=INT64)
    return values, indices


@converts(aten.cumsum.default)
def cumsum(x: Tensor, dim: int, *, dtype: Any = None) -> Any:
    return ops.Cumsum(promote(x), dim)


@converts(aten._softmax.default)
def softmax(x: Tensor, dim: int, half_to_float: bool) -> Any:
    return ops.SoftmaxV2(x, axes=[dim], half_to_float=half_to_float)


@converts(aten._log_softmax.default)
def log_softmax(x: Tensor, dim: int, half_to_float: bool) -> Any:
    if half_to_float:
        raise Unsupported("a wider result")
    return ops.LogSoftmaxV2(x, axes=[dim])


@converts(aten.topk.default)
def topk(x: Tensor, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    require(isinstance(k, int), "a k that changes from call to call")
    return ops.TopKV2(x, k, sorted=sorted, dim=dim, largest=largest, indices_dtype=INT64)


@converts(aten.sort.default, aten.sort.stable)
def sort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None, **given: Any) -> Any:
    dim, descending = given.get("dim", dim), given.get("descending", descending)
    return ops.Sort(x, axis=dim, descending=descending, stable=bool(stable), y2_dtype=INT64)


@converts(aten.max.default)
def max_all(x: Tensor) -> Any:
    return _reduced("ReduceMax", x, None, False)


@converts(aten.min.default)
def min_all(x: Tensor) -> Any:
    return _reduced("ReduceMin", x, None, False)


@converts(aten.logsumexp.default)
def logsumexp(x: Tensor, dim: Any, keepdim: bool = False) -> Any:
    return _reduced("ReduceLogSumExp", promote(x), dim, keepdim)


@converts(aten.linalg_vector_norm.default)
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    require(x.rank > 0, "no dimensions")
    return ops.LpNormV2(promote(x), p=float(ord), axes=axes_of(dim, x.rank), keepdim=keepdim, epsilon=0.0)


@converts(aten._safe_softmax.default)
def safe_softmax(x: Tensor, dim: int, dtype: Any = None) -> Any:
    """Rows of -inf alone give zeros."""
    x = promote(x)
    low = ops.Equal(x, promote(float("-inf"), to=dtype_of(x)))
    require(x.rank > 0, "no dimensions")
    nothing = ops.ReduceAll(low, [dim % x.rank], keep_dims=True)
    return ops.MaskedFill(ops.SoftmaxV2(x, axes=[dim]), nothing, promote(0.0, to=dtype_of(x)))


@converts(aten.std.correction)
def std(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    if dtype_of(x) == torch.float64:
        return ops.Sqrt(var(x, dim, correction=correction, keepdim=keepdim))
    return _varied("ReduceStdV2", x, dim, correction, keepdim, mean=False)[0]


@converts(aten.std_mean.correction)
def std_mean(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    if dtype_of(x) != torch.float64:
        return _varied("ReduceStdV2", x, dim, correction, keepdim, mean=True)
    spread, mean = var_mean(x, dim, correction=correction, keepdim=keepdim)
    return ops.Sqrt(spread), mean


@converts(aten.var.dim)
def var_dim(x: Tensor, dim: Any, unbiased: bool = True, keepdim: bool = False) -> Any:
    return var(x, dim, correction=1 if unbiased else 0, keepdim=keepdim)


@converts(aten.var_mean.correction)
def var_mean(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """In float64 an infinite element makes both NaN, as where PyTorch finds them in one pass."""
    if dtype_of(x) != torch.float64:
        return _varied("ReduceVar", x, dim, correction, keepdim, mean=True)
    mean = _reduced("ReduceMean", x, dim, keepdim)
    return var(x, dim, correction=correction, keepdim=keepdim), ops.Add(mean, ops.Sub(mean, mean))


@converts(aten.var.correction)
def var(x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """In float64, which GE's operator lacks, the squared differences from the mean, over n - correction."""
    if dtype_of(x) != torch.float64:
        return _varied("ReduceVar", x, dim, correction, keepdim, mean=False)[0]
    axes = axes_of(dim, x.rank)
    sizes = [x.desc.shape[a] for a in axes] if x.desc.shape is not None and axes else []
    require(bool(sizes) and all(isinstance(s, int) for s in sizes), "no dimension, or sizes that change")
    n = math.prod(sizes)
    left = n - (1 if correction is None else correction)
    require(left > 0, "no degrees of freedom")
    mean = ops.ReduceSum(
        ops.RealDiv(x, promote(n, to=torch.float64)), axes, keep_dims=True
    )  # huge numbers have one too
    total = ops.ReduceSum(ops.Square(ops.Sub(x, mean)), axes, keep_dims=keepdim)
    return ops.RealDiv(total, promote(left, to=torch.float64))


def _varied(op_type: str, x: Tensor, dim: Any, correction: Any, keepdim: bool, mean: bool) -> Any:
    """GE's operator for the spread of elements, and their mean where it is wanted."""
    correction = 1 if correction is None else correction
    require(isinstance(correction, (int, float)) and int(correction) == correction, "a part of a degree of freedom")
    return getattr(ops, op_type)(
        x, dim=axes_of(dim, x.rank), correction=int(correction), keepdim=keepdim, is_mean_out=mean
    )


@converts(aten.histc.default)
def histc(x: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:
    require(all(isinstance(v, (int, float)) for v in (bins, min, max)), "bounds that change from call to call")
    return ops.Histogram(x, bins=bins, min=float(min), max=float(max))


@converts(aten._weight_norm_interface.default)
def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Any:
    """v of the length that g says, for each index of one dimension; and how long it was."""
    axes = [i for i in range(v.rank) if i != dim % v.rank]
    require(bool(axes) and dtype_of(v) == torch.float32, "one dimension, or a type in which it is rounded otherwise")
    length = ops.LpNormV2(v, p=2.0, axes=axes, keepdim=True, epsilon=0.0)
    return ops.Mul(v, ops.RealDiv(g, length)), length
