"""Matrix products, convolutions, pooling, normalisation, resampling, distances, transforms."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import Gen, Reject, Value, recipe

CHANNELS = ("b", "c", "d")


def _mats(g: Gen) -> tuple[Value, Value]:
    x = g.pick("fi" if g.chance(0.2) else "f", rank=(2,))
    fit = [v for v in g.values if v.rank == 2 and v.dtype == x.dtype and v.shape[0] == x.shape[1]]
    y = g.rng.choice(fit) if fit and g.chance(0.6) else g.input(x.dtype, [x.shape[1], g.one(*g.symbols)])
    return x, y


@recipe(6)
def matmul(g: Gen) -> None:
    kind = g.one("mm", "mm", "addmm", "addmm", "dot", "mv")
    if kind == "dot":
        x = g.pick("f", rank=(1,))
        g.emit("aten.dot.default", x, g.like(x))
        return
    x, y = _mats(g)
    if kind == "mm":
        g.emit("aten.mm.default", x, y)
    elif kind == "mv":
        g.emit("aten.mv.default", x, g.input(x.dtype, [x.shape[1]]))
    else:
        shape = [x.shape[0], y.shape[1]]
        bias = g.input(x.dtype, g.one([y.shape[1]], shape, [1, y.shape[1]], [x.shape[0], 1]))
        more = {"beta": g.one(1, 0, 2), "alpha": g.one(1, 2)} if g.chance(0.4) else {}
        g.emit("aten.addmm.default", bias, x, y, **more)


@recipe(4)
def batched(g: Gen) -> None:
    x = g.pick("f", rank=(3,))
    if g.chance(0.5):
        x = g.emit("aten.transpose.int", x, 1, 2)
    y = g.input(x.dtype, [x.shape[0], x.shape[2], g.one(*g.symbols)])
    if g.chance(0.7):
        g.emit("aten.bmm.default", x, y)
        return
    more = {"beta": g.one(1, 0, 2), "alpha": g.one(1, 2)} if g.chance(0.4) else {}
    g.emit("aten.baddbmm.default", g.input(x.dtype, [x.shape[0], x.shape[1], y.shape[2]]), x, y, **more)


def image(g: Gen, n: int) -> Value:
    """A batch of pictures of n spatial dimensions that are not tiny."""
    fit = [v for v in g.values if v.rank == n + 2 and v.dtype in (torch.float32,) and 0 not in v.shape]
    if fit and g.chance(0.5):
        return g.rng.choice(fit)
    dims = [
        g.one("a", "1", "2"),
        g.one(*CHANNELS, "2"),
        *(g.one(f"{g.one(*g.symbols)} + {k}", "5") for k in [4, 3, 2][:n]),
    ]
    return g.input(g.one(torch.float32, torch.float32, torch.float32, g.dtype("f")), dims, values="plain")


@recipe(4)
def convolution(g: Gen) -> None:
    x, weight, arguments = conv_arguments(g)
    bias = None if g.chance(0.4) else g.input(x.dtype, [arguments.pop("outputs")], values="plain")
    arguments.pop("outputs", None)
    g.emit("aten.convolution.default", x, weight, bias, *arguments.values())


def conv_arguments(g: Gen) -> tuple[Value, Value, dict[str, Any]]:
    """Operands of a convolution that fit: the picture, the filters, and the rest in order."""
    n = g.one(1, 2, 2, 2, 3)
    x = image(g, n)
    transposed = g.chance(0.25)
    channels = x.shape[1]
    groups = g.one(1, 1, channels) if channels else 1
    kernel = [g.one(1, 2, 3) for _ in range(n)]
    outputs = groups * g.one(1, 2)
    filters = [channels, outputs // groups] if transposed else [outputs, channels // groups]
    weight = g.input(x.dtype, [*filters, *map(str, kernel)], values="plain")
    stride = [g.one(1, 1, 2) for _ in range(n)]
    more = [g.rng.randrange(s) for s in stride] if transposed and g.chance(0.4) else [0] * n
    return x, weight, {
        "stride": stride, "padding": [g.one(0, 0, 1) for _ in range(n)], "dilation": [g.one(1, 1, 2) for _ in range(n)],
        "transposed": transposed, "output_padding": more, "groups": groups, "outputs": outputs,
    }  # fmt: skip


@recipe(4)
def pooling(g: Gen) -> None:
    n = g.one(1, 2, 2, 2, 3)
    x = image(g, n)
    kind = g.one("avg", "avg", "max", "max", "adaptive")
    kernel = [g.one(1, 2, 3) for _ in range(n)]
    stride = [] if g.chance(0.3) else [g.one(1, 2) for _ in range(n)]
    pad = [g.one(0, k // 2) for k in kernel]
    if kind == "avg":
        divisor = [g.one(None, 2)] if n > 1 else []
        g.emit(f"aten.avg_pool{n}d.default", x, kernel, stride, pad, g.chance(0.3), g.chance(0.6), *divisor)
    elif kind == "adaptive" and n > 1:
        g.emit(f"aten._adaptive_avg_pool{n}d.default", x, [g.one(1, 2, 3) for _ in range(n)])
    elif kind == "adaptive":
        g.emit("aten.adaptive_avg_pool1d.default", x, [g.one(1, 2, 3)])
    elif n > 1:
        x = g.input(torch.float32, x.shape, values="distinct")
        dilation = [g.one(1, 1, 2) for _ in range(n)]
        g.emit(f"aten.max_pool{n}d_with_indices.default", x, kernel, stride, pad, dilation, g.chance(0.3))
    else:
        raise Reject


@recipe(4)
def layer_norm(g: Gen) -> None:
    x = g.pick("f", rank=(1, 2, 3))
    count = g.rng.randint(1, x.rank)
    inner = x.shape[-count:]
    weight, bias = (g.input(x.dtype, inner) if g.chance(0.6) else None for _ in range(2))
    g.emit("aten.native_layer_norm.default", x, g.sizes(inner), weight, bias, g.one(1e-5, 1e-3))


@recipe(2)
def group_norm(g: Gen) -> None:
    x = image(g, g.one(1, 2))
    n, c, *rest = x.shape
    hw = 1
    for r in rest:
        hw *= r
    groups = g.one(*[k for k in range(1, c + 1) if c % k == 0] or [1])
    weight, bias = (g.input(x.dtype, [c], values="plain") if g.chance(0.8) else None for _ in range(2))
    g.emit("aten.native_group_norm.default", x, weight, bias, g.sized(n), c, g.sized(hw), groups, 1e-5)


@recipe(3)
def batch_norm(g: Gen) -> None:
    x = image(g, g.one(1, 2)) if g.chance(0.8) else g.pick("f", rank=(2,))
    c = x.shape[1]
    weight, bias = (g.input(x.dtype, [c], values="plain") if g.chance(0.8) else None for _ in range(2))
    mean, var = g.input(x.dtype, [c], values="plain"), g.input(x.dtype, [c], values="positive")
    kind = g.one("functional", "training", "no_stats", "inference", "inference")
    if kind == "functional":
        g.emit("aten._native_batch_norm_legit_functional.default", x, weight, bias, mean, var, True, 0.1, 1e-5)
    elif kind == "training":
        g.emit("aten._native_batch_norm_legit.default", x, weight, bias, mean, var, True, 0.1, 1e-5)
    elif kind == "no_stats":
        g.emit("aten._native_batch_norm_legit.no_stats", x, weight, bias, True, 0.1, 1e-5)
    elif g.chance(0.5):
        g.emit("aten._native_batch_norm_legit_no_training.default", x, weight, bias, mean, var, 0.1, 1e-5)
    else:
        g.emit("aten._native_batch_norm_legit.default", x, weight, bias, mean, var, False, 0.1, 1e-5)


@recipe(3)
def resample(g: Gen) -> None:
    kind = g.one("nearest1d", "nearest2d", "nearest3d", "bilinear2d", "trilinear3d", "linear1d", "bicubic2d", "exact2d",
                 "nearest2d.vec", "bilinear2d.vec")  # fmt: skip
    n = int(kind.split("d")[0][-1])
    x = image(g, n)
    size = [g.one(1, 3, 6) if g.chance(0.7) else g.sized(2 * s) for s in x.shape[2:]]
    corners = [g.chance(0.4)] if "linear" in kind or "cubic" in kind else []
    scales: list[Any] = [] if g.chance(0.7) else [2.0] * n
    if kind == "exact2d":
        g.emit("aten._upsample_nearest_exact2d.default", x, size)
    elif kind.endswith(".vec"):
        given = [None, [2.0, 1.5]] if g.chance(0.5) else [size, None]
        g.emit(f"aten.upsample_{kind}", x, given[0], *corners, given[1])
    else:
        if scales:
            size = [g.sized(2 * s) for s in x.shape[2:]]
        g.emit(f"aten.upsample_{kind}.default", x, size, *corners, *scales)


@recipe(1)
def grid(g: Gen) -> None:
    x = image(g, 2)
    places = g.input(x.dtype, [x.shape[0], g.one("a", "3"), "b", "2"], values="plain")
    g.emit("aten.grid_sampler_2d.default", x, places, g.one(0, 1), g.one(0, 1, 2), g.chance(0.5))


@recipe(1)
def distances(g: Gen) -> None:
    p = g.one(2.0, 1.0, 0.0, 3.0, float("inf"))
    if g.chance(0.4):
        g.emit("aten._pdist_forward.default", g.input(torch.float32, ["a", "b"], values="plain"), p)
        return
    x, y = (g.input(torch.float32, [n, "c"], values="plain") for n in ("a", "b"))
    g.emit("aten._cdist_forward.default", x, y, p, g.one(None, 1, 2))


@recipe(1)
def columns(g: Gen) -> None:
    kernel = [g.one(1, 2) for _ in range(2)]
    how = (kernel, [1, 1], [g.one(0, 1) for _ in range(2)], [g.one(1, 2) for _ in range(2)])
    x = image(g, 2)
    found = g.emit("aten.im2col.default", x, *how)
    if g.chance(0.6):
        g.emit("aten.col2im.default", found, g.sizes(x.shape[2:]), *how)


@recipe(2)
def fourier(g: Gen) -> None:
    x = g.input(torch.float32, [g.one(*g.symbols, "4") for _ in range(g.one(1, 2))], values="plain")
    dims = g.dims(x)
    dims = list(dict.fromkeys(d % x.rank for d in dims))
    how = g.one(0, 1, 2)
    one_sided = g.chance(0.5)
    y = g.emit("aten._fft_r2c.default", x, dims, how, one_sided)
    if g.chance(0.4):
        y = g.emit("aten._fft_c2c.default", y, dims, how, g.chance(0.5))
    if one_sided:
        g.emit("aten._fft_c2r.default", y, dims, how, g.sized(x.shape[dims[-1]]))
    elif g.chance(0.5):
        g.emit("aten.abs.default", y)
