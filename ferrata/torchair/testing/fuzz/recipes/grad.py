"""Gradients: calls that AOTAutograd puts into backward graphs."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import Gen, Reject, recipe
from ferrata.torchair.testing.fuzz.recipes.nn import conv_arguments, image


@recipe(7)
def activation(g: Gen) -> None:
    x = g.pick("f")
    grad = g.like(x)
    kind = g.rng.choice(
        [
            "sigmoid",
            "tanh",
            "threshold",
            "gelu",
            "silu",
            "hardswish",
            "hardsigmoid",
            "hardtanh",
            "leaky_relu",
            "elu",
            "softplus",
            "log_sigmoid",
            "mish",
            "hardshrink",
            "softshrink",
            "logit",
        ]
    )
    if kind in ("sigmoid", "tanh"):
        g.emit(f"aten.{kind}_backward.default", grad, g.emit(f"aten.{kind}.default", x))
    elif kind == "threshold":
        g.emit("aten.threshold_backward.default", grad, x, g.one(0, 0, 0.0, 0.5))
    elif kind == "gelu":
        g.emit("aten.gelu_backward.default", grad, x, approximate=g.one("none", "tanh"))
    elif kind == "hardtanh":
        g.emit("aten.hardtanh_backward.default", grad, x, -1.0, g.one(1.0, 2.0))
    elif kind == "leaky_relu":
        g.emit("aten.leaky_relu_backward.default", grad, x, g.one(0.01, 0.3), False)
    elif kind == "elu":
        g.emit("aten.elu_backward.default", grad, g.positive(), g.positive(), g.positive(), g.chance(0.3), x)
    elif kind == "softplus":
        g.emit("aten.softplus_backward.default", grad, x, g.positive(), g.one(5.0, 20))
    elif kind == "log_sigmoid":
        buffer = g.emit("aten.log_sigmoid_forward.default", x)[1]
        g.emit("aten.log_sigmoid_backward.default", grad, x, buffer)
    elif kind in ("hardshrink", "softshrink"):
        g.emit(f"aten.{kind}_backward.default", grad, x, 0.5)
    elif kind == "logit":
        g.emit("aten.logit_backward.default", grad, x, g.one(None, 0.1))
    else:
        g.emit(f"aten.{kind}_backward.default", grad, x)


@recipe(1)
def gated(g: Gen) -> None:
    """Of GLU and of PReLU."""
    if g.chance(0.5):
        x = g.pick("f", rank=(1, 2, 3))
        d = g.dim(x)
        y = g.emit("aten.glu.default", x, d)
        g.emit("aten.glu_backward.default", g.input(x.dtype, y.shape), x, d)
        return
    x = g.pick("f", rank=(2, 3))
    shape = [x.shape[1] if i == 1 else 1 for i in range(x.rank)]
    g.emit("aten._prelu_kernel_backward.default", g.like(x), x, g.input(x.dtype, shape))


@recipe(3)
def softmax(g: Gen) -> None:
    x = g.pick("f")
    d = g.dim(x)
    name = g.one("_softmax", "_log_softmax")
    y = g.emit(f"aten.{name}.default", x, d, False)
    g.emit(f"aten.{name}_backward_data.default", g.like(x), y, d, x.dtype)


@recipe(3)
def losses(g: Gen) -> None:
    x = g.pick("f")
    kind = g.one("mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")
    how = g.one(0, 1, 2)
    other = g.like(x)
    if kind == "binary_cross_entropy":
        x, other = (g.emit("aten.sigmoid.default", v) for v in (x, other))
    shape = x.shape if how == 0 else ()
    grad = g.input(x.dtype, shape)
    if kind == "mse_loss":
        g.emit("aten.mse_loss.default", x, other, how)
        g.emit("aten.mse_loss_backward.default", grad, x, other, how)
    elif kind == "binary_cross_entropy":
        g.emit("aten.binary_cross_entropy.default", x, other, None, how)
        g.emit("aten.binary_cross_entropy_backward.default", grad, x, other, None, how)
    else:
        g.emit(f"aten.{kind}.default", x, other, how, 0.7)
        g.emit(f"aten.{kind}_backward.default", grad, x, other, how, 0.7)


@recipe(2)
def nll(g: Gen) -> None:
    x = g.pick("f", rank=(1, 2))
    classes = x.shape[-1]
    if classes == 0:
        raise Reject
    high = g.size(classes)
    target = g.input(torch.int64, [x.shape[0]] if x.rank == 2 else [], low="0", high=high)
    weight = g.input(x.dtype, [classes], values="positive") if g.chance(0.4) else None
    how, ignore = g.one(0, 1, 2), g.one(-100, 0)
    _, total = g.emit("aten.nll_loss_forward.default", x, target, weight, how, ignore)
    if g.chance(0.6):
        grad = g.input(x.dtype, [x.shape[0]] if how == 0 and x.rank == 2 else [])
        g.emit("aten.nll_loss_backward.default", grad, x, target, weight, how, ignore, total)


def _mask(g: Gen) -> list[bool]:
    mask = [g.chance(0.8) for _ in range(3)]
    return mask if any(mask) else [True, True, True]


@recipe(3)
def norms(g: Gen) -> None:
    kind = g.one("layer", "group", "batch")
    if kind == "layer":
        x = g.pick("f", rank=(2, 3))
        if 0 in x.shape:
            raise Reject
        count = g.rng.randint(1, x.rank - 1)
        inner = x.shape[-count:]
        weight, bias = (g.input(x.dtype, inner) if g.chance(0.8) else None for _ in range(2))
        _, mean, rstd = g.emit("aten.native_layer_norm.default", x, g.sizes(inner), weight, bias, 1e-5)
        mask = [True, weight is not None, bias is not None] if g.chance(0.7) else [True, False, False]
        g.emit("aten.native_layer_norm_backward.default", g.like(x), x, g.sizes(inner), mean, rstd, weight, bias, mask)
        return
    x = image(g, g.one(1, 2))
    if 0 in x.shape:  # PyTorch's kernels divide by zero, and the process ends
        raise Reject
    n, c, *rest = x.shape
    weight = g.input(x.dtype, [c], values="plain") if g.chance(0.8) else None
    bias = g.input(x.dtype, [c], values="plain") if weight is not None else None
    mask = _mask(g) if weight is not None else [True, False, False]
    if kind == "group":
        hw = 1
        for r in rest:
            hw *= r
        groups = g.one(*[k for k in range(1, c + 1) if c % k == 0] or [1])
        _, mean, rstd = g.emit("aten.native_group_norm.default", x, weight, bias, n, c, hw, groups, 1e-5)
        g.emit("aten.native_group_norm_backward.default", g.like(x), x, mean, rstd, weight, n, c, hw, groups, mask)
        return
    mean, var = g.input(x.dtype, [c], values="plain"), g.input(x.dtype, [c], values="positive")
    train = g.chance(0.7)
    made = g.emit(
        "aten._native_batch_norm_legit_functional.default", x, weight, bias, mean, var, train, 0.1, 1e-5
    )  # fmt: skip
    g.emit(
        "aten.native_batch_norm_backward.default", g.like(x), x, weight, mean, var, made[1], made[2], train, 1e-5, mask
    )


@recipe(3)
def convolution(g: Gen) -> None:
    x, weight, arguments = conv_arguments(g)
    outputs = arguments.pop("outputs")
    y = g.emit("aten.convolution.default", x, weight, None, *arguments.values())
    if y.tensor.numel() == 0:
        raise Reject
    grad = g.input(x.dtype, y.shape, values="plain")
    sizes: Any = [outputs] if g.chance(0.5) else None
    mask = [g.chance(0.8), True, sizes is not None]
    g.emit("aten.convolution_backward.default", grad, x, weight, sizes, *arguments.values(), mask)


@recipe(2)
def pooling(g: Gen) -> None:
    n = g.one(2, 2, 3)
    x = image(g, n)
    kernel = [g.one(1, 2, 3) for _ in range(n)]
    stride, pad = [g.one(1, 2) for _ in range(n)], [g.one(0, k // 2) for k in kernel]
    kind = g.one("avg", "max", "adaptive")
    if kind == "avg":
        how = (kernel, stride, pad, g.chance(0.3), g.chance(0.6), g.one(None, 2))
        y = g.emit(f"aten.avg_pool{n}d.default", x, *how)
        g.emit(f"aten.avg_pool{n}d_backward.default", g.input(x.dtype, y.shape), x, *how)
    elif kind == "max":
        x = g.input(torch.float32, x.shape, values="distinct")
        args = (kernel, stride, pad, [1] * n, g.chance(0.3))
        y, places = g.emit(f"aten.max_pool{n}d_with_indices.default", x, *args)
        g.emit(f"aten.max_pool{n}d_with_indices_backward.default", g.input(x.dtype, y.shape), x, *args, places)
    else:
        y = g.emit(f"aten._adaptive_avg_pool{n}d.default", x, [g.one(1, 2, 3) for _ in range(n)])
        g.emit(f"aten._adaptive_avg_pool{n}d_backward.default", g.input(x.dtype, y.shape), x)


@recipe(3)
def parts(g: Gen) -> None:
    """Of views: zeros around what was taken."""
    x = g.pick("f", rank=(1, 2, 3))
    d = g.dim(x)
    n = x.shape[d]
    kind = g.one("slice", "select", "embedding", "diagonal", "unfold", "gather")
    if kind == "slice":
        start, end, step = g.one(0, 1, -2), g.one(n, 2**63 - 1, n - 1), g.one(1, 1, 2)
        y = g.emit("aten.slice.Tensor", x, d, start, end, step)
        g.emit("aten.slice_backward.default", g.input(x.dtype, y.shape), g.sizes(x.shape), d, start, end, step)
    elif kind == "select":
        y = g.emit("aten.select.int", x, d, g.one(0, -1))
        g.emit("aten.select_backward.default", g.input(x.dtype, y.shape), g.sizes(x.shape), d, g.one(0, -1))
    elif kind == "diagonal" and x.rank > 1:
        y = g.emit("aten.diagonal.default", x, 0, 0, 1)
        g.emit("aten.diagonal_backward.default", g.input(x.dtype, y.shape), g.sizes(x.shape), 0, 0, 1)
    elif kind == "unfold":
        y = g.emit("aten.unfold.default", x, d, 2, 1)
        g.emit("aten.unfold_backward.default", g.input(x.dtype, y.shape), g.sizes(x.shape), d, 2, 1)
    elif kind == "embedding":
        if x.shape[0] == 0:
            raise Reject
        index = g.input(torch.int64, [x.shape[0]], low="0", high=g.size(x.shape[0]))
        grad = g.input(torch.float32, [x.shape[0], g.one(*g.symbols)])
        g.emit("aten.embedding_dense_backward.default", grad, index, g.sized(x.shape[0]), g.one(-1, 0), g.chance(0.2))


@recipe(2)
def resample(g: Gen) -> None:
    kind = g.one("nearest1d", "nearest2d", "nearest3d", "bilinear2d", "linear1d", "trilinear3d", "bicubic2d")
    n = int(kind.split("d")[0][-1])
    x = image(g, n)
    size = [g.one(1, 3, 6) for _ in range(n)]
    corners = [g.chance(0.4)] if "linear" in kind or "cubic" in kind else []
    grad = g.input(x.dtype, [*x.shape[:2], *map(str, size)])
    g.emit(f"aten.upsample_{kind}_backward.default", grad, size, g.sizes(x.shape), *corners)
