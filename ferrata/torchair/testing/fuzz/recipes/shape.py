"""Views, copies, concatenation, slices, padding, creation; sizes that are computed."""

from __future__ import annotations

import math
from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import Gen, Reject, Value, recipe
from ferrata.torchair.testing.fuzz.program import Size


@recipe(8)
def view(g: Gen) -> None:
    x = g.pick("fib")
    shape = list(x.shape)
    kind = g.one("flat", "merge", "split", "same", "infer")
    if kind == "merge" and len(shape) >= 2:
        i = g.rng.randrange(len(shape) - 1)
        merged: list[Any] = [*g.sizes(shape[:i]), g.sized(shape[i] * shape[i + 1]), *g.sizes(shape[i + 2 :])]
    elif kind == "split" and shape:
        i = g.rng.randrange(len(shape))
        n = shape[i]
        parts = [k for k in range(1, n + 1) if n % k == 0] or [1]
        k = g.rng.choice(parts)
        merged = [*g.sizes(shape[:i]), g.sized(k), g.sized(n // k), *g.sizes(shape[i + 1 :])]
    elif kind == "infer" and shape and 0 not in shape:
        merged = [*g.sizes(shape)]
        merged[g.rng.randrange(len(merged))] = -1
    else:
        merged = [g.sized(math.prod(shape))] if kind == "flat" else g.sizes(shape)
    g.emit(f"aten.{g.one('view', 'reshape', '_unsafe_view')}.default", x, merged)


@recipe(5)
def permute(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("permute", "transpose", "t")
    if kind == "t":
        x = g.pick("fib", rank=(0, 1, 2))
        g.emit("aten.t.default", x)
    elif kind == "transpose":
        g.emit("aten.transpose.int", x, g.dim(x), g.dim(x))
    else:
        order = g.rng.sample(range(x.rank), x.rank)
        g.emit("aten.permute.default", x, [d - x.rank if g.chance(0.2) else d for d in order])


@recipe(5)
def squeeze(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("unsqueeze", "unsqueeze", "dim", "dims", "all")
    if kind == "unsqueeze":
        g.emit("aten.unsqueeze.default", x, g.rng.randint(-x.rank - 1, x.rank))
    elif kind == "dim":
        g.emit("aten.squeeze.dim", x, g.dim(x))
    elif kind == "dims":
        g.emit("aten.squeeze.dims", x, g.dims(x))
    else:
        g.emit("aten.squeeze.default", x)


@recipe(4)
def expand(g: Gen) -> None:
    x = g.pick("fib")
    shape = [g.sized(g.one(*g.symbols.values(), 3)) if n == 1 else g.one(-1, g.sized(n)) for n in x.shape]
    lead = [g.sized(g.one(*g.symbols.values(), 2))] if g.chance(0.4) else []
    g.emit("aten.expand.default", x, [*lead, *shape])


@recipe(2)
def repeat(g: Gen) -> None:
    x = g.pick("fib")
    lead = [g.one(1, 2)] if g.chance(0.3) else []
    times: list[Any] = [*lead, *(g.one(0, 1, 1, 2, 3) for _ in x.shape)]
    if times and g.chance(0.3):
        times[-1] = g.sized(g.one(*g.symbols.values()))
    g.emit("aten.repeat.default", x, times)


def _bound(g: Gen, n: int) -> Any:
    """A bound of a slice: inside, outside, from the end, or one of the sizes."""
    return g.one(0, 1, -1, 2, n, n + 2, -n - 1, 2**63 - 1, g.sized(n), g.sized(g.one(*g.symbols.values())))


@recipe(8)
def slice_of(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3, 4))
    d = g.dim(x)
    n = x.shape[d]
    start, end = (None if g.chance(0.2) else _bound(g, n) for _ in range(2))
    g.emit("aten.slice.Tensor", x, d, start, end, g.one(1, 1, 1, 2, 3))


@recipe(4)
def select(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3, 4))
    d = g.dim(x)
    n = x.shape[d]
    g.emit("aten.select.int", x, d, g.one(0, -1, min(1, n - 1), -n))


@recipe(4)
def split(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3))
    d = g.dim(x)
    n = x.shape[d]
    kind = g.one("split", "sizes", "unbind", "chunk")
    if kind == "split":
        g.emit("aten.split.Tensor", x, g.one(1, 2, max(n, 1), g.sized(max(n, 1))), d)
    elif kind == "sizes":
        k = g.rng.randint(0, n)
        parts: list[Any] = [k, n - k]
        if g.chance(0.3):
            parts = [g.sized(k), g.sized(n - k)]
        g.emit("aten.split_with_sizes.default", x, parts, d)
    elif kind == "chunk":
        g.emit("aten.chunk.default", x, g.one(1, 2, 3), d)
    else:
        g.emit("aten.unbind.int", x, d)


@recipe(2)
def diagonal(g: Gen) -> None:
    x = g.pick("fib", rank=(2, 3))
    first, second = g.rng.sample(range(x.rank), 2)
    g.emit("aten.diagonal.default", x, g.one(0, 0, 1, -1, 5), first, second - x.rank if g.chance(0.3) else second)


@recipe(1)
def as_strided(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3))
    if g.chance(0.5):
        x = g.emit("aten.clone.default", x, memory_format=torch.contiguous_format)
    size = [g.one(1, 2), g.one(1, 2)]
    g.emit("aten.as_strided.default", x, size, [g.one(1, 2), g.one(0, 1)], g.one(None, 0, 1))


@recipe(4)
def copies(g: Gen) -> None:
    x = g.pick("fibc")
    kind = g.one("clone", "clone", "alias", "detach", "lift_fresh_copy", "contiguous", "copy")
    if kind == "contiguous":
        g.emit("aten.clone.default", x, memory_format=torch.contiguous_format)
    elif kind == "copy":
        g.emit("aten.copy.default", x, g.broadcast(x, x.dtype))
    else:
        g.emit(f"aten.{kind}.default", x)


@recipe(1)
def channels_last(g: Gen) -> None:
    x = g.pick("f", rank=(4,))
    g.emit("aten.clone.default", x, memory_format=torch.channels_last)


@recipe(6)
def cat(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3))
    d = g.dim(x)
    others: list[Value] = []
    for _ in range(g.one(0, 1, 1, 2)):
        kind = x.dtype if g.chance(0.8) else g.dtype("fib")
        fit = [v for v in g.values if v.rank == x.rank and v.dtype == kind and _all_but(v, x, d)]
        if fit and g.chance(0.6):
            others.append(g.rng.choice(fit))
        else:
            shape: list[Any] = list(x.shape)
            shape[d] = g.one(*g.symbols)
            others.append(g.input(kind, shape))
    if g.chance(0.04):
        others.append(g.input(x.dtype, ["0"]))
    g.emit("aten.cat.default", g.rng.sample([x, *others], len(others) + 1), d)


def _all_but(v: Value, x: Value, d: int) -> bool:
    d %= x.rank
    return all(i == d or m == n for i, (m, n) in enumerate(zip(v.shape, x.shape, strict=True)))


@recipe(3)
def stack(g: Gen) -> None:
    x = g.pick("fib", rank=(0, 1, 2))
    others = [g.like(x, x.dtype if g.chance(0.8) else g.dtype("fib")) for _ in range(g.one(0, 1, 2))]
    g.emit("aten.stack.default", [x, *others], g.rng.randint(-x.rank - 1, x.rank))


@recipe(3)
def arrange(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3))
    kind = g.one("flip", "roll", "tril", "triu")
    if kind == "flip":
        g.emit("aten.flip.default", x, g.dims(x, least=0))
    elif kind == "roll" and g.chance(0.3):
        g.emit("aten.roll.default", x, [g.one(1, -2, 7)])
    elif kind == "roll":
        dims = g.dims(x)
        g.emit("aten.roll.default", x, [g.one(0, 1, -1, 5) for _ in dims], dims)
    else:
        x = g.pick("fib", rank=(2, 3))
        g.emit(f"aten.{kind}.default", x, g.one(0, 1, -1, 10, -10))


@recipe(4)
def pad(g: Gen) -> None:
    kind = g.one("constant", "constant", "replication", "reflection")
    if kind == "constant":
        x = g.pick("fib")
        count = g.rng.randint(0, x.rank)
        amounts = [g.one(0, 1, 2, -1) for _ in range(2 * count)]
        g.emit("aten.constant_pad_nd.default", x, amounts, *([g.number(x.dtype)] if g.chance(0.6) else []))
        return
    n = g.one(1, 2, 3)
    x = g.pick("f", rank=(n + 1, n + 2))
    g.emit(f"aten.{kind}_pad{n}d.default", x, [g.one(0, 1, 1, 2) for _ in range(2 * n)])


@recipe(4)
def create(g: Gen) -> None:
    shape = [g.sized(g.one(*g.symbols.values())) for _ in range(g.one(0, 1, 1, 2))]
    dtype = g.dtype("fib")
    kind = g.one("full", "zeros", "ones", "scalar_tensor", "arange", "start", "step", "eye", "linspace")
    where = {"dtype": dtype, "device": torch.device("cpu"), "pin_memory": False}
    if kind == "full":
        g.emit("aten.full.default", shape, g.number(dtype), **where)
    elif kind in ("zeros", "ones"):
        g.emit(f"aten.{kind}.default", shape, **where)
    elif kind == "scalar_tensor":
        value = g.number(dtype) if g.chance(0.7) else g.sized(g.one(*g.symbols.values()))
        g.emit("aten.scalar_tensor.default", value, **(where if g.chance(0.7) else {"device": torch.device("cpu")}))
    elif kind == "eye":
        g.emit("aten.eye.default", g.sized(g.one(*g.symbols.values())), **where)
    elif kind == "linspace":
        g.emit("aten.linspace.default", 0, 1, g.one(1, 4), dtype=torch.float32, device=torch.device("cpu"))
    else:
        _arange(g, kind)


def _arange(g: Gen, kind: str) -> None:
    end = g.sized(g.one(*g.symbols.values())) if g.chance(0.6) else g.one(0, 3, 4.5)
    where: dict[str, Any] = {"device": torch.device("cpu"), "pin_memory": False}
    if g.chance(0.5):
        where["dtype"] = g.dtype("fi")
    if kind == "arange":
        g.emit("aten.arange.default", end, **where)
    elif kind == "start":
        g.emit("aten.arange.start", g.one(0, 1, -2, 0.5), end, **where)
    else:
        g.emit("aten.arange.start_step", g.one(0, 1), end, g.one(1, 2, 0.5), **where)


@recipe(3)
def create_like(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "fill", "fill.Tensor")
    more = {"dtype": g.dtype("fib")} if g.chance(0.3) else {}
    dtype = more.get("dtype", x.dtype)
    shape = [g.sized(g.one(*g.symbols.values())) for _ in range(g.one(0, 1, 2))]
    if kind == "full_like":
        g.emit("aten.full_like.default", x, g.number(dtype), **more)
    elif kind == "new_full":
        g.emit("aten.new_full.default", x, shape, g.number(dtype), **more)
    elif kind == "fill":
        g.emit("aten.fill.Scalar", x, g.number(x.dtype))
    elif kind == "fill.Tensor":
        g.emit("aten.fill.Tensor", x, g.pick(rank=(0,), dtype=x.dtype))
    elif kind.startswith("new_"):
        g.emit(f"aten.{kind}.default", x, shape, **more)
    else:
        g.emit(f"aten.{kind}.default", x, **more)


@recipe(3)
def write_part(g: Gen) -> None:
    """Values with a part written anew."""
    x = g.pick("fib", rank=(1, 2, 3))
    d = g.dim(x)
    n = x.shape[d]
    kind = g.one("slice_scatter", "slice_scatter", "select_scatter", "diagonal_scatter")
    if kind == "slice_scatter":
        start, end, step = (None if g.chance(0.2) else _bound(g, n)), (None if g.chance(0.3) else _bound(g, n)), \
            g.one(1, 1, 2)  # fmt: skip
        first, last = (_value(g, v) for v in (start, end))
        length = len(range(*slice(first, last, step).indices(n)))
        shape: list[Any] = list(x.shape)
        shape[d] = length
        g.emit("aten.slice_scatter.default", x, g.input(x.dtype, shape), d, start, end, step)
    elif kind == "select_scatter":
        if n == 0:
            raise Reject
        shape = [s for i, s in enumerate(x.shape) if i != d % x.rank]
        g.emit("aten.select_scatter.default", x, g.input(x.dtype, shape), d, g.one(0, -1, n - 1))
    else:
        x = g.pick("fib", rank=(2, 3))
        shape = list(torch.diagonal(x.tensor, 0, 0, 1).shape)
        g.emit("aten.diagonal_scatter.default", x, g.input(x.dtype, shape))


def _value(g: Gen, bound: Any) -> Any:
    from ferrata.torchair.testing.fuzz.program import evaluate

    return evaluate(bound.text, g.symbols) if isinstance(bound, Size) else bound


@recipe(1)
def unfold(g: Gen) -> None:
    x = g.pick("fib", rank=(1, 2, 3))
    g.emit("aten.unfold.default", x, g.dim(x), g.one(1, 2), g.one(1, 2))
