# ruff: noqa: F722, F821, UP037  (dimensions in strings are no names of Python)
"""Operators that the tests of the definition share: one for each thing that a signature can say."""

from __future__ import annotations

from typing import Any

import torch

import ferrata as fe
from ferrata.lang import elements as ac
from tests.op.pretend import kernel

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)
F = ac.dtype_var("F", ac.f16, ac.f32)
n, d, k, rows, found, a, b = "n", "d", "k", "rows", "found", "a", "b"


@kernel("x: T, y: T, z: T!, n: int, alpha: float", T)
def axpy_kernel(x: Any, y: Any, z: Any, n: int, alpha: float) -> None:
    assert z.numel() == n
    z.copy_(x * alpha + y)


@fe.op("defined::add", ge="DefinedAdd")
def add(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
    """x + y."""


@add.plan
def _(x, y, z):
    return axpy_kernel.launch(x, y, z, x.numel(), 1.0, cores=fe.at_most(fe.ceil_div(x.numel(), 64)))


@add.backward
def _(grad):
    return grad, grad


@fe.op("defined::axpy")
def axpy(x: fe.Tensor[F, ...], y: fe.Tensor[F, ...], alpha: float = 1.0) -> fe.Tensor[F, ...]:
    """alpha * x + y."""


@axpy.plan
def _(x, y, alpha, z):
    return axpy_kernel.launch(x, y, z, x.numel(), alpha, cores=1)


@axpy.backward
def _(grad, alpha):
    return grad * alpha, grad


@axpy.reference
def _(x, y, alpha=1.0):
    return alpha * x + y


@kernel("x: T, y: T, z: T!", T)
def wide_kernel(x: Any, y: Any, z: Any) -> None:
    torch.add(x, y, out=z)


@fe.op("defined::add_wide")
def add_wide(x: fe.Tensor[T, "*a"], y: fe.Tensor[T, "*b"]) -> fe.Tensor[T, "broadcast(*a, *b)"]:
    """x + y, broadcast."""


@add_wide.plan
def _(x, y, z):
    return wide_kernel.launch(x, y, z, cores=1)


@add_wide.backward
def _(grad, x, y):
    return grad.sum_to_size(x.shape), grad.sum_to_size(y.shape)


@kernel("x: F, weight: F, y: F!, rstd: f32!, rows: int, d: int, eps: float", F, f32=ac.f32)
def rms_kernel(x: Any, weight: Any, y: Any, rstd: Any, rows: int, d: int, eps: float) -> None:
    wide = x.reshape(rows, d).float()
    scale = (wide.square().mean(-1) + eps).rsqrt()
    rstd.copy_(scale.reshape(rstd.shape))
    result = wide * scale[:, None]
    y.copy_((result if weight is None else result * weight).reshape(y.shape))


@fe.op("defined::rms_norm")
def rms_norm(
    x: fe.Tensor[F, ..., d], weight: fe.Tensor[F, d] | None = None, *, eps: float = 1e-6
) -> tuple[fe.Tensor[F, ..., d], fe.Tensor[ac.f32, ...]]:
    """x / sqrt(mean(x^2) + eps) * weight, and 1 / sqrt(...)."""
    raise NotImplementedError


@rms_norm.plan
def _(x, weight, eps, y, rstd):
    rows = rstd.numel()
    return rms_kernel.launch(x, weight, y, rstd, rows, x.shape[-1], eps, cores=fe.at_most(rows, "vector"))


@rms_norm.backward
def _(grad_y, x, weight, rstd, needs):
    normed = x * rstd[..., None]
    scaled = grad_y if weight is None else grad_y * weight
    dx = rstd[..., None] * (scaled - normed * (scaled * normed).mean(-1, keepdim=True))
    dw = (grad_y * normed).flatten(0, -2).sum(0) if "weight" in needs else None
    return dx, dw


@kernel("x: F!, factor: float", F)
def scale_kernel(x: Any, factor: float) -> None:
    x.mul_(factor)


@fe.op("defined::scale_")
def scale_(x: fe.Mut[fe.Tensor[F, ...]], factor: float) -> None:
    """x *= factor."""


@scale_.plan
def _(x, factor):
    return scale_kernel.launch(x, factor, cores=1)


@kernel("total: F!, x: F, before: F!", F)
def accumulate_kernel(total: Any, x: Any, before: Any) -> None:
    before.copy_(total)
    total.add_(x)


@fe.op("defined::accumulate")
def accumulate(total: fe.Mut[fe.Tensor[F, n]], x: fe.Tensor[F, n]) -> fe.Tensor[F, n]:
    """total += x; returns the total before."""


@accumulate.plan
def _(total, x, before):
    return accumulate_kernel.launch(total, x, before, cores=1)


@kernel("x: F, z: F!, factor: float", F)
def scaled_kernel(x: Any, z: Any, factor: float) -> None:
    torch.mul(x, factor, out=z)


@fe.op("defined::scaled_all")
def scaled_all(xs: list[fe.Tensor[F, ...]], factor: float) -> list[fe.Tensor[F, ...]]:
    """Each tensor times factor."""
    raise NotImplementedError


@scaled_all.plan
def _(xs, factor, zs):
    return [scaled_kernel.launch(x, z, factor, cores=1) for x, z in zip(xs, zs, strict=True) if x.numel()]


@scaled_all.backward
def _(grad, factor):
    return ([g * factor for g in grad],)


@kernel("x: F, values: F!, indices: i32!, count: i32!", F, i32=ac.i32)
def positive_kernel(x: Any, values: Any, indices: Any, count: Any) -> None:
    where = (x > 0).nonzero().flatten()
    values[: len(where)] = x[where]
    indices[: len(where)] = where.int()
    count.fill_(len(where))


@fe.op("defined::positive")
def positive(x: fe.Tensor[F, n]) -> tuple[fe.Tensor[F, "found <= n"], fe.Tensor[ac.i32, "found <= n"]]:
    """The elements above zero and where they are."""
    raise NotImplementedError


@positive.plan
def _(x, values, indices, found):
    return positive_kernel.launch(x, values, indices, found, cores=1)


@kernel("x: F, values: F!, indices: i32!, k: int", F, i32=ac.i32)
def top_kernel(x: Any, values: Any, indices: Any, k: int) -> None:
    v, i = x.topk(k)
    values.copy_(v)
    indices.copy_(i)


@fe.op("defined::top")
def top(x: fe.Tensor[F, ..., n], k: int) -> tuple[fe.Tensor[F, ..., k], fe.Tensor[ac.i32, ..., k]]:
    """The k largest of each row, and where they are."""
    raise NotImplementedError


@top.plan
def _(x, k, values, indices):
    return top_kernel.launch(x, values, indices, k, cores=1)


@kernel("x: F, y: F, z: F!", F)
def frame_kernel(x: Any, y: Any, z: Any) -> None:
    z.zero_()
    z[: x.shape[0], : y.shape[0]] = x[:, None] * y


@fe.op("defined::frame")
def frame(x: fe.Tensor[F, a], y: fe.Tensor[F, b]) -> fe.Tensor[F, "ceil_div(a, 8) * 8", "max(a, b) + 1"]:
    """The outer product in a frame of zeros."""


@frame.plan
def _(x, y, z):
    return frame_kernel.launch(x, y, z, cores=1)


@kernel("x: F, z: F!, at: int", F)
def place_kernel(x: Any, z: Any, at: int) -> None:
    z[at : at + x.shape[0]] = x


@fe.op("defined::joined")
def joined(xs: list[fe.Tensor[F, "_", d]]) -> fe.Tensor[F, rows, d]:
    """The tensors one below the other."""


@joined.shape
def _(xs):
    return sum(x.shape[0] for x in xs), xs[0].shape[1]


@joined.plan
def _(xs, z):
    launches, at = [], 0
    for x in xs:
        launches.append(place_kernel.launch(x, z, at, cores=1))
        at += x.shape[0]
    return launches


SEEN: list[dict[str, Any]] = []


@kernel("x: F, z: F!, i: int, f: float, flag: bool", F)
def attributes_kernel(x: Any, z: Any, i: int, f: float, flag: bool) -> None:
    z.copy_(x * i + f if flag else x)


@fe.op("defined::attributes")
def attributes(
    x: fe.Tensor[F, ...],
    i: int,
    f: float = 0.1,
    *,
    flag: bool = True,
    text: str = 'a "quoted\\" text',
    ints: list[int] = [1, -2],  # noqa: B006
    floats: list[float] = (0.1, 2),  # type: ignore[assignment]
    flags: list[bool] = [],  # noqa: B006
) -> fe.Tensor[F, ...]:
    """x * i + f; the rest is shown to the plan."""


@attributes.plan
def _(x, i, f, flag, text, ints, floats, flags, z):
    SEEN.append({"i": i, "f": f, "flag": flag, "text": text, "ints": ints, "floats": floats, "flags": flags})
    return attributes_kernel.launch(x, z, i, f, flag, cores=1)


@kernel("x: F, z: F!, scratch: F!, tile = 64", F)
def through_kernel(x: Any, z: Any, scratch: Any) -> None:
    assert scratch.numel() == 2 * x.numel()
    scratch[: x.numel()] = x.flatten()
    z.copy_(scratch[: x.numel()].reshape(x.shape))


@fe.op("defined::through")
def through(x: fe.Tensor[F, ...]) -> fe.Tensor[F, ...]:
    """x, copied through scratch."""


@through.plan
def _(x, z):
    return (through_kernel.launch(x, z, fe.workspace(2 * x.numel(), ac.f32), cores=1, tile=128),)
