"""Reductions, sorts and scans along axes, and softmax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import UNDEFINED, torch_dtype

Axes = Sequence[int]


def _text(call: str) -> Any:
    """`call` with the axes and keep_dims, where the axes are written out and there are some."""

    def text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
        known = parts[1].startswith("[") and parts[1] != "[]" and attrs.keys() <= {"keep_dims"}
        return f"{call}({parts[0]}, {parts[1]}, {attrs.get('keep_dims', False)})" if known else None

    return text


def _softmax_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    return None if attrs.get("half_to_float") else f"torch._softmax({parts[0]}, {attrs.get('axes', [-1])[0]}, False)"


@rule("ReduceSum", host="axes")
def reduce_sum(x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = True) -> Any:
    return x if not axes else torch.sum(x, tuple(axes), keep_dims, dtype=x.dtype)


@rule("ReduceMean", host="axes", text=_text("torch.mean"))
def reduce_mean(x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = True) -> Any:
    return x if not axes else torch.mean(x, tuple(axes), keep_dims)


@rule("ReduceMeanWithCast", host="axes")
def reduce_mean_cast(
    x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = True, dtype: int = UNDEFINED
) -> Any:
    return torch.mean(x, tuple(axes), keep_dims, dtype=None if dtype == UNDEFINED else torch_dtype(dtype))


@rule("ReduceMax", host="axes", text=_text("torch.amax"))
def reduce_max(x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = True) -> Any:
    return x if not axes else torch.amax(x, tuple(axes), keep_dims)


@rule("ReduceMin", host="axes", text=_text("torch.amin"))
def reduce_min(x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = True) -> Any:
    return x if not axes else torch.amin(x, tuple(axes), keep_dims)


@rule("ReduceProd", host="axes")
def reduce_prod(x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = True) -> Any:
    if not keep_dims and len(axes) == x.dim() > 0:
        return torch.prod(x, dtype=x.dtype)
    for axis in sorted((a % max(x.dim(), 1) for a in axes), reverse=True) if x.dim() else ():
        x = torch.prod(x, axis, keep_dims, dtype=x.dtype)
    return x


@rule("ReduceProdD")
def reduce_prod_d(x: Any, *, axes: Axes, keep_dims: bool = False) -> Any:
    return reduce_prod(x, axes, keep_dims=keep_dims)


@rule("ReduceAny", host="axes")
def reduce_any(x: Any, axes: Axes, *, keep_dims: bool = False) -> Any:
    return x if not axes else torch.any(x, tuple(axes), keep_dims)


@rule("ReduceAll", host="axes")
def reduce_all(x: Any, axes: Axes, *, keep_dims: bool = False) -> Any:
    return x if not axes else torch.all(x, tuple(axes), keep_dims)


@rule("ReduceLogSumExp", host="axes")
def reduce_log_sum_exp(x: Any, axes: Axes, *, keep_dims: bool = False, noop_with_empty_axes: bool = False) -> Any:
    return torch.logsumexp(x, tuple(axes), keep_dims)


@rule("LpNormV2")
def lp_norm(x: Any, *, p: float = 2.0, axes: Axes = (), keepdim: bool = False, epsilon: float = 1e-12) -> Any:
    """epsilon is no part of the value."""
    return torch.linalg.vector_norm(x, p, tuple(axes) or None, keepdim)


@rule("ReduceVar")
def reduce_var(x: Any, *, dim: Axes = (), correction: int = 1, keepdim: bool = False, is_mean_out: bool = True) -> Any:
    how: dict[str, Any] = {"dim": tuple(dim) or None, "correction": correction, "keepdim": keepdim}
    return torch.var_mean(x, **how) if is_mean_out else (torch.var(x, **how), x.new_empty(0))


@rule("ReduceStdV2")
def reduce_std(x: Any, *, dim: Axes = (), correction: int = 1, keepdim: bool = False, is_mean_out: bool = True) -> Any:
    how: dict[str, Any] = {"dim": tuple(dim) or None, "correction": correction, "keepdim": keepdim}
    return torch.std_mean(x, **how) if is_mean_out else (torch.std(x, **how), x.new_empty(0))


@rule("ArgMaxV2", host="dimension")
def arg_max(x: Any, dimension: Any, *, dtype: int = 9) -> Any:
    return torch.argmax(x, _one(dimension)).to(torch_dtype(dtype))


@rule("ArgMin", host="dimension")
def arg_min(x: Any, dimension: Any, *, dtype: int = 9) -> Any:
    return torch.argmin(x, _one(dimension)).to(torch_dtype(dtype))


@rule("ArgMaxWithValue")
def arg_max_with_value(x: Any, *, dimension: int, keep_dims: bool = False, indice_dtype: int = 3) -> Any:
    values, indices = torch.max(x, dimension, keep_dims)
    return indices.to(torch_dtype(indice_dtype)), values


@rule("ArgMinWithValue")
def arg_min_with_value(x: Any, *, dimension: int, keep_dims: bool = False, indice_dtype: int = 3) -> Any:
    values, indices = torch.min(x, dimension, keep_dims)
    return indices.to(torch_dtype(indice_dtype)), values


@rule("Cumsum", host="axis")
def cumsum(x: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False) -> Any:
    axis = _one(axis)
    if reverse:
        x = torch.flip(x, (axis,))
    total = torch.cumsum(x, axis, dtype=x.dtype)
    if exclusive:
        total = total - x
    return torch.flip(total, (axis,)) if reverse else total


@rule("Cumprod", host="axis")
def cumprod(x: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False) -> Any:
    if exclusive or reverse:
        raise KeyError("exclusive")
    return torch.cumprod(x, _one(axis), dtype=x.dtype)


@rule("SoftmaxV2", text=_softmax_text)
def softmax(x: Any, *, axes: Axes = (-1,), half_to_float: bool = False) -> Any:
    return torch.ops.aten._softmax.default(x, axes[0], half_to_float and x.dtype == torch.float16)


@rule("LogSoftmaxV2")
def log_softmax(x: Any, *, axes: Axes = (-1,)) -> Any:
    return torch.ops.aten._log_softmax.default(x, axes[0], False)


@rule("TopKV2", host="k")
def topk(x: Any, k: Any, *, sorted: bool = True, dim: int = -1, largest: bool = True, indices_dtype: int = 3) -> Any:
    values, indices = torch.topk(x, _one(k), dim, largest, sorted)
    return values, indices.to(torch_dtype(indices_dtype))


@rule("Sort")
def sort(x: Any, *, axis: int = -1, descending: bool = False, stable: bool = False, y2_dtype: int = 3) -> Any:
    values, indices = torch.sort(x, dim=axis, descending=descending, stable=stable)
    return values, indices.to(torch_dtype(y2_dtype))


def _one(value: Any) -> int:
    """A number that may come as a list of one."""
    number: int = value[0] if isinstance(value, (list, tuple)) else value
    return number


@rule("Histogram")
def histogram(x: Any, *, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
    if x.is_floating_point():
        return torch.histc(x, bins, min=min, max=max)
    return torch.histc(x.double(), bins, min=min, max=max).to(x.dtype)  # PyTorch's CPU kernel has no integers
