"""Indexing: gather, scatter, embedding, masks, positions."""

from __future__ import annotations

import math
from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import Gen, Reject, Value, recipe


def indices(
    g: Gen, bound: int, dims: Any, *, negative: bool = False, unique: bool = False, dtype: torch.dtype = torch.int64
) -> Value:
    """Whole numbers below a size. unique: no two alike, for writes whose order nobody states."""
    if bound == 0 and math.prod(d if isinstance(d, int) else g.symbols[d] for d in dims) > 0:
        raise Reject
    high = g.size(bound)
    if unique:
        return g.input(dtype, dims, values="distinct", layout="contiguous")
    return g.input(dtype, dims, low=f"-({high})" if negative else "0", high=high)


def _some(g: Gen) -> list[str]:
    return [g.one(*g.symbols) for _ in range(g.one(1, 1, 2))]


@recipe(3)
def embedding(g: Gen) -> None:
    weight = g.pick("f", rank=(2,))
    index = indices(g, weight.shape[0], _some(g), dtype=g.one(torch.int64, torch.int64, torch.int32))
    more = [g.one(-1, 0)] if g.chance(0.3) else []
    g.emit("aten.embedding.default", weight, index, *more)


@recipe(3)
def index_select(g: Gen) -> None:
    x = g.pick("fib", rank=(0, 1, 2, 3))
    d = g.dim(x)
    bound = x.shape[d] if x.rank else 1
    index = indices(g, bound, [g.one(*g.symbols)] if g.chance(0.9) else [], dtype=g.one(torch.int64, torch.int32))
    g.emit("aten.index_select.default", x, d, index)


@recipe(3)
def gather(g: Gen) -> None:
    x = g.pick("fib", rank=(0, 1, 2, 3))
    d = g.dim(x)
    shape: list[Any] = list(x.shape)
    if shape:
        shape[d] = g.one(*g.symbols)
    g.emit("aten.gather.default", x, d, indices(g, x.shape[d] if x.rank else 1, shape))


def _scattered(g: Gen) -> tuple[Value, int, Value]:
    x = g.pick("fi", rank=(1, 2, 3))
    d = g.dim(x)
    shape: list[Any] = list(x.shape)
    shape[d] = x.shape[d] if g.chance(0.5) else g.one(*g.symbols)
    return x, d, indices(g, x.shape[d], shape)


@recipe(5)
def scatter(g: Gen) -> None:
    x, d, index = _scattered(g)
    kind = g.one("value", "src", "scatter_add", "two", "two", "in place")
    if kind == "value":
        g.emit("aten.scatter.value", x, d, index, g.number(x.dtype))
    elif kind == "src":  # to rows that differ: which of two writes to one place stays is not stated
        x = g.pick("fi", rank=(1,))
        g.emit("aten.scatter.src", x, 0, indices(g, x.shape[0], list(x.shape), unique=True), g.like(x))
    elif kind == "scatter_add":
        g.emit("aten.scatter_add.default", x, d, index, g.input(x.dtype, index.shape))
    elif kind == "in place":
        g.emit("aten.scatter_add_.default", x, d, index, g.input(x.dtype, index.shape))
    else:
        how = g.one("sum", "prod", "amax", "amin", "mean")
        source = g.input(x.dtype, index.shape)
        g.emit("aten.scatter_reduce.two", x, d, index, source, how, include_self=g.chance(0.7))


def _index_list(g: Gen, x: Value) -> tuple[list[Any], int]:
    """Some dimensions with an index, None for the rest; one shape for all."""
    shape = _some(g)
    count = g.rng.randint(1, x.rank)
    given: list[Any] = [
        indices(g, x.shape[i], shape if g.chance(0.8) else shape[-1:], negative=g.chance(0.3)) for i in range(count)
    ]
    if len(given) > 1 and g.chance(0.3):
        given[g.rng.randrange(len(given) - 1)] = None
    return given, len(shape)


@recipe(4)
def index(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3))
    given, _ = _index_list(g, x)
    g.emit(f"aten.{g.one('index', '_unsafe_index')}.Tensor", x, given)


@recipe(3)
def index_put(g: Gen) -> None:
    x = g.pick("fi", rank=(1, 2, 3))
    given, _ = _index_list(g, x)
    accumulate = g.chance(0.5)
    shape = torch.ops.aten.index.Tensor(x.tensor, [None if i is None else i.tensor for i in given]).shape
    one = not accumulate or g.chance(0.3)  # one number for all: the order of writes cannot show
    values = g.pick(rank=(0,), dtype=x.dtype) if one else g.input(x.dtype, list(shape))
    g.emit(f"aten.{g.one('index_put', 'index_put', 'index_put_', '_unsafe_index_put')}.default", x, given, values,
           accumulate)  # fmt: skip


@recipe(1)
def index_put_mask(g: Gen) -> None:
    x = g.pick("fi", rank=(1, 2))
    g.emit("aten.index_put.default", x, [g.like(x, torch.bool)], g.pick(rank=(0,), dtype=x.dtype))


@recipe(2)
def index_add(g: Gen) -> None:
    x = g.pick("fi", rank=(1, 2, 3))
    d = g.dim(x)
    n = g.one(*g.symbols)
    shape: list[Any] = list(x.shape)
    shape[d] = n
    index = indices(g, x.shape[d], [n])
    more = {"alpha": g.number(x.dtype)} if g.chance(0.3) else {}
    g.emit(
        f"aten.{g.one('index_add', 'index_add', 'index_add_')}.default", x, d, index, g.input(x.dtype, shape), **more
    )


@recipe(1)
def index_fill(g: Gen) -> None:
    x = g.pick("fi", rank=(1, 2, 3))
    d = g.dim(x)
    g.emit("aten.index_fill.int_Scalar", x, d, indices(g, x.shape[d], [g.one(*g.symbols)]), g.number(x.dtype))


@recipe(1)
def masked_scatter(g: Gen) -> None:
    x = g.pick("fi", rank=(1, 2, 3))
    g.emit("aten.masked_scatter.default", x, g.like(x, torch.bool), g.input(x.dtype, x.shape))


@recipe(0.6)
def data_dependent(g: Gen) -> None:
    """Sizes that only a run tells, and what may follow on them."""
    x = g.pick("fib", rank=(1, 2))
    found = g.emit(g.one("aten.nonzero.default", "aten.masked_select.default"), x, *[]) if g.chance(0.5) else None
    if found is None:
        found = g.emit("aten.masked_select.default", x, g.like(x, torch.bool))
    after = g.emit(f"aten.{g.one('abs', 'neg')}.default", found)
    if g.chance(0.5):
        g.emit("aten.sum.default", after)
    g.values = [v for v in g.values if v.name not in (found.name, after.name)]


@recipe(1)
def search(g: Gen) -> None:
    rows = g.pick("f", rank=(1,))
    ordered = g.emit("aten.sort.default", rows, 0, False)[0]
    values = g.pick(dtype=rows.dtype, rank=(0, 1, 2))
    if g.chance(0.5):
        g.emit("aten.searchsorted.Tensor", ordered, values, out_int32=g.chance(0.3), right=g.chance(0.5))
    else:
        g.emit("aten.bucketize.Tensor", values, ordered, out_int32=g.chance(0.3), right=g.chance(0.5))


@recipe(1)
def embedding_bag(g: Gen) -> None:
    weight = g.input(torch.float32, [g.one("b", "c"), "d"], values="plain", layout="contiguous")
    index = indices(g, weight.shape[0], ["a"])
    count = g.one(1, 2)
    offsets = g.input(torch.int64, [str(count)], low="0", high="1", layout="contiguous")
    if index.shape[0] == 0:
        raise Reject
    result = g.emit("aten._embedding_bag.default", weight, index, offsets, False, g.one(0, 1))
    g.values = [v for v in g.values if v not in result[1:]]


@recipe(1)
def one_hot_like(g: Gen) -> None:
    """Masks from positions."""
    n = g.one(*g.symbols.values())
    index = indices(g, max(n, 1), _some(g))
    row = g.emit("aten.unsqueeze.default", index, -1)
    steps = g.emit("aten.arange.default", g.sized(n), device=torch.device("cpu"), pin_memory=False)
    g.emit("aten.eq.Tensor", row, steps)
