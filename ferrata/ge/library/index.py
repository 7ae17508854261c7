"""Operators that pick and place elements by index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import torch_dtype

_REDUCE = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


@rule("GatherV2", host="axis")
def gather(
    x: Any, indices: Any, axis: Any, *, batch_dims: int = 0, is_preprocessed: bool = False,
    negative_index_support: bool = False,
) -> Any:  # fmt: skip
    """Slices of x along the axis, in the shape of the indices."""
    if batch_dims:
        raise KeyError("batch_dims")
    axis = axis if isinstance(axis, int) else axis[0]
    if axis == 0 and x.dim() == 2 and not negative_index_support:
        return torch.embedding(x, indices)
    axis = axis % max(x.dim(), 1)
    if negative_index_support:
        indices = torch.where(indices < 0, indices + x.size(axis), indices)
    picked = torch.index_select(x, axis, indices.reshape(-1))
    return picked.reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :])


@rule("Gather")
def gather_rows(x: Any, indices: Any, **_: Any) -> Any:
    return gather(x, indices, 0)


@rule("GatherElements")
def gather_elements(x: Any, index: Any, *, dim: int = 0) -> Any:
    return torch.gather(x, dim, index.long())


def _scatter_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str:
    data, indices, updates = parts
    where = f"{attrs.get('axis', 0)}, {indices}.long(), {updates}"
    reduction = attrs.get("reduction", "none")
    if reduction in ("none", "add"):
        return f"{data}.{'scatter' if reduction == 'none' else 'scatter_add'}({where})"
    return f"{data}.scatter_reduce({where}, {_REDUCE[reduction]!r})"


@rule("ScatterElements", text=_scatter_text)
def scatter_elements(data: Any, indices: Any, updates: Any, *, axis: int = 0, reduction: str = "none") -> Any:
    indices = indices.long()
    if reduction == "none":
        return torch.scatter(data, axis, indices, updates)
    if reduction == "add":
        return torch.scatter_add(data, axis, indices, updates)
    return torch.scatter_reduce(data, axis, indices, updates, _REDUCE[reduction], include_self=True)


def _index_text(operands: Sequence[str], ranks: Sequence[int | None], attrs: Mapping[str, Any]) -> str | None:
    """Python's own index: it takes a tensor without dimensions for a number, and would give a view."""
    if None in ranks or 0 in ranks or len(operands) < 2:
        return None
    x, *indices = operands
    places = [":" if i is None else i for i in _spread(indices, attrs.get("indices_mask", ()), len(indices))]
    while places[-1] == ":":
        places.pop()
    return f"{x}[{', '.join(places)}]"


@rule("IndexByTensor", dynamic=True, ranked=_index_text)
def index_by_tensor(x: Any, indices: list[Any], *, indices_mask: Sequence[int] = ()) -> Any:
    return torch.ops.aten.index.Tensor(x, _spread(indices, indices_mask, len(indices)))


@rule("IndexPutV2", host="indexed_sizes indexed_strides")
def index_put(
    x: Any, value: Any, indexed_sizes: Sequence[int], indexed_strides: Sequence[int], indices: list[Any], *,
    accumulate: bool = False,
) -> Any:  # fmt: skip
    """In place: x is written and returned; indexed_sizes is 1 for each dimension that has an index."""
    return torch.ops.aten.index_put_.default(x, _spread(indices, indexed_sizes, len(indices)), value, accumulate)


@rule("MaskedScatter")
def masked_scatter(x: Any, mask: Any, updates: Any) -> Any:
    return torch.masked_scatter(x, mask, updates)


def _nonzero_shape(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [(int(attrs.get("dtype", 9)), None)]


@rule("NonZero", dynamic=True, infer=_nonzero_shape)
def nonzero(x: Any, *, transpose: bool = False, dtype: int = 9) -> Any:
    found = torch.nonzero(x)
    return (found.t() if transpose else found).to(torch_dtype(dtype))


def _unique_shape(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    kind = int(attrs.get("out_idx", 9))
    inverse = list(inputs[0].shape) if attrs.get("return_inverse") else [0]
    return [(inputs[0].dtype, None), (kind, inverse), (kind, None if attrs.get("return_counts") else [0])]


@rule("UniqueWithCountsAndSorting", dynamic=True, infer=_unique_shape)
def unique(
    x: Any, *, return_inverse: bool = False, return_counts: bool = False, sorted: bool = True, out_idx: int = 9
) -> Any:
    y, inverse, counts = torch.ops.aten._unique2.default(x, sorted, return_inverse, return_counts)
    return y, inverse.to(torch_dtype(out_idx)), counts.to(torch_dtype(out_idx))


def _repeated_shape(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [(inputs[0].dtype, None)]


@rule("RepeatInterleave", dynamic=True, infer=_repeated_shape)
def repeat_interleave(x: Any, repeats: Any, *, axis: int = 1000) -> Any:
    return torch.repeat_interleave(x, repeats, None if axis == 1000 else axis)


def _index_add_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str:
    var, indices, updates, *alpha = parts
    return f"{var}.index_add_({attrs['axis']}, {indices}, {updates}{f', alpha={alpha[0]}' if alpha else ''})"


@rule("InplaceIndexAdd", host="alpha", text=_index_add_text)
def index_add(var: Any, indices: Any, updates: Any, alpha: Any = None, *, axis: int) -> Any:
    """In place: var is written and returned."""
    return var.index_add_(axis, indices, updates, alpha=1 if alpha is None else alpha)


@rule("ScatterNdUpdate", infer=lambda inputs, attrs: [(inputs[0].dtype, list(inputs[0].shape))])
def scatter_nd_update(var: Any, indices: Any, updates: Any, *, use_locking: bool = False) -> Any:
    """Written in place: each index, the last dimension of `indices`, selects what one update replaces."""
    if indices.numel() == 1 and indices.dim() == 2:  # one row: what a loop over a counter writes
        var[int(indices)] = updates[0]
        return var
    return var.index_put_(tuple(indices.long().unbind(-1)), updates)


@rule("SearchSorted")
def search_sorted(sorted_sequence: Any, values: Any, sorter: Any = None, *, dtype: int = 9, right: bool = False) -> Any:
    found = torch.searchsorted(sorted_sequence, values, right=right, sorter=sorter)
    return found.to(torch_dtype(dtype))


@rule("EmbeddingDenseGrad")
def embedding_grad(
    grad: Any, indices: Any, *, num_weights: int, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> Any:
    return torch.ops.aten.embedding_dense_backward.default(grad, indices, num_weights, padding_idx, scale_grad_by_freq)


def _spread(indices: list[Any], mask: Sequence[int], count: int) -> list[Any]:
    """The indices with None for the dimensions that have none."""
    if not mask:
        return list(indices)
    rest = iter(indices)
    return [next(rest) if bit else None for bit in mask]
