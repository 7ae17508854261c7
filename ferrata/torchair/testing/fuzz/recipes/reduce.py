"""Reductions, scans, sorts, softmax."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import Gen, Reject, Value, recipe


def _where_to(g: Gen, x: Value) -> tuple[Any, bool]:
    dims = g.dims(x, least=0)
    return dims, g.chance(0.4)


@recipe(8)
def sums(g: Gen) -> None:
    kind = g.one("sum", "sum", "mean", "prod")
    x = g.pick("f" if kind == "mean" else "fib")
    more = {"dtype": g.dtype("f")} if g.chance(0.15) else {}
    if g.chance(0.3):
        g.emit(f"aten.{kind}.default", x, **more)
    elif kind == "prod":
        g.emit("aten.prod.dim_int", x, g.dim(x), g.chance(0.4), **more)
    else:
        dims, keep = _where_to(g, x)
        g.emit(f"aten.{kind}.{'dim_IntList' if kind == 'sum' else 'dim'}", x, dims, keep, **more)


@recipe(5)
def extremes(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("amax", "amin", "max", "min", "max.dim", "min.dim", "aminmax")
    if kind in ("amax", "amin"):
        dims, keep = _where_to(g, x)
        g.emit(f"aten.{kind}.default", x, dims, keep)
    elif kind in ("max", "min"):
        g.emit(f"aten.{kind}.default", x)
    elif kind == "aminmax":
        g.emit("aten.aminmax.default", x, dim=g.dim(x), keepdim=g.chance(0.5))
    else:
        x = _distinct(g, x)
        g.emit(f"aten.{kind}", x, g.dim(x), g.chance(0.4))


def _distinct(g: Gen, x: Value) -> Value:
    """Ties have no first: which of them is reported depends on the layout."""
    flat = x.tensor.flatten().tolist()
    if len(set(flat)) == len(flat) and all(v == v for v in flat):
        return x
    kind = x.dtype if x.dtype in (torch.float32, torch.float64, torch.int64, torch.int32) else torch.float32
    return g.input(kind, x.shape, values="distinct")


@recipe(3)
def arg(g: Gen) -> None:
    x = _distinct(g, g.pick("fi"))
    name = g.one("argmax", "argmin")
    if g.chance(0.3):
        g.emit(f"aten.{name}.default", x, None, g.chance(0.2))
    else:
        g.emit(f"aten.{name}.default", x, g.dim(x), g.chance(0.4))


@recipe(3)
def logical(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("any", "all")
    form = g.one("default", "dim", "dims")
    if form == "default":
        g.emit(f"aten.{kind}.default", x)
    elif form == "dim":
        g.emit(f"aten.{kind}.dim", x, g.dim(x), g.chance(0.4))
    else:
        dims, keep = _where_to(g, x)
        g.emit(f"aten.{kind}.dims", x, dims, keep)


@recipe(3)
def scans(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("cumsum", "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")
    if kind in ("logcumsumexp", "cummax", "cummin"):
        x = _distinct(g, g.pick("f"))
    g.emit(f"aten.{kind}.default", x, g.dim(x))


@recipe(4)
def spread(g: Gen) -> None:
    x = g.pick("f")
    kind = g.one("var.correction", "std.correction", "var_mean.correction", "var.dim")
    dims, keep = _where_to(g, x)
    if kind == "var.dim":
        g.emit("aten.var.dim", x, dims, g.chance(0.5), keep)
    else:
        given = dims if g.chance(0.8) else None
        g.emit(f"aten.{kind}", x, given, correction=g.one(None, 0, 1), keepdim=keep)


@recipe(3)
def norms(g: Gen) -> None:
    x = g.pick("f")
    if g.chance(0.5):
        dims, keep = _where_to(g, x)
        g.emit("aten.logsumexp.default", x, dims, keep)
        return
    order = g.one(2, 1, 0, 3, 2.0, 0.5, float("inf"), float("-inf"))
    dims = None if g.chance(0.2) else g.dims(x)
    g.emit("aten.linalg_vector_norm.default", x, order, dims, g.chance(0.4))


@recipe(5)
def softmax(g: Gen) -> None:
    x = g.pick("f")
    kind = g.one("_softmax", "_softmax", "_log_softmax", "_safe_softmax")
    if kind == "_safe_softmax":
        g.emit("aten._safe_softmax.default", x, g.dim(x))
    else:
        g.emit(f"aten.{kind}.default", x, g.dim(x), False)


@recipe(4)
def order(g: Gen) -> None:
    x = _distinct(g, g.pick("fi"))
    kind = g.one("topk", "sort", "stable", "argsort", "kthvalue")
    if kind == "topk":
        if x.rank == 0:
            raise Reject
        d = g.dim(x)
        n = x.shape[d]
        g.emit("aten.topk.default", x, g.sized(n) if g.chance(0.2) else min(n, g.one(1, 2)), d, g.chance(0.6))
    elif kind == "sort":
        g.emit("aten.sort.default", x, g.dim(x), g.chance(0.5))
    elif kind == "argsort":
        g.emit("aten.argsort.default", x, g.dim(x), g.chance(0.5))
    elif kind == "kthvalue":
        g.emit("aten.kthvalue.default", x, 1, g.dim(x), g.chance(0.5))
    else:
        g.emit("aten.sort.stable", x, stable=g.one(True, False), dim=g.dim(x), descending=g.chance(0.5))
