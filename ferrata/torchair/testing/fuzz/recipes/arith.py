"""Elementwise calls: arithmetic, comparison, logic, activation, casts, and their in-place forms."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import FLOATS, Gen, Reject, Value, recipe
from ferrata.torchair.testing.fuzz.program import Size

_UNARY = {
    "fib": "abs neg sign square relu",
    "fi": "ceil floor trunc round",
    "f": "frac",
    "b": "logical_not bitwise_not",
    "i": "bitwise_not",
    "fibx": "acos acosh asin asinh atan atanh cos cosh erf erfc exp expm1 log log1p log2 log10 reciprocal rsqrt sigmoid "
    "sin sinh sqrt tan tanh erfinv lgamma digamma exp2 logical_not isnan isinf isfinite signbit",
    "fx": "hardswish hardsigmoid mish silu gelu elu leaky_relu softplus log_sigmoid_forward selu celu",
    "c": "neg abs exp sqrt",
}
UNARY = [(name, kinds.replace("x", "")) for kinds, names in _UNARY.items() for name in names.split()]


@recipe(14)
def unary(g: Gen) -> None:
    name, kinds = g.rng.choice(UNARY)
    g.emit(f"aten.{name}.default", g.pick(kinds))


@recipe(2)
def activation(g: Gen) -> None:
    """Activations with their arguments."""
    x = g.pick("f")
    kind = g.one("gelu", "elu", "leaky_relu", "softplus", "hardtanh", "threshold", "hardshrink", "softshrink")
    if kind == "gelu":
        g.emit("aten.gelu.default", x, approximate=g.one("none", "tanh"))
    elif kind == "elu":
        g.emit("aten.elu.default", x, g.positive(), g.positive(), g.positive())
    elif kind == "softplus":
        g.emit("aten.softplus.default", x, g.positive(), g.one(1, 5.0, 20))
    elif kind == "hardtanh":
        g.emit("aten.hardtanh.default", x, g.one(-1, -0.5), g.one(1, 2.5))
    elif kind == "threshold":
        g.emit("aten.threshold.default", x, g.number(x.dtype), g.number(x.dtype))
    else:
        g.emit(f"aten.{kind}.default", x, g.positive())


@recipe(1)
def glu(g: Gen) -> None:
    x = g.pick("f", rank=(1, 2, 3))
    g.emit("aten.glu.default", x, g.dim(x))


@recipe(1)
def prelu(g: Gen) -> None:
    x = g.pick("f", rank=(1, 2, 3))
    if g.chance(0.5):
        channels = x.shape[1] if x.rank > 1 else 1
        g.emit("aten.prelu.default", x, g.input(x.dtype, [channels if g.chance(0.5) else 1]))
        return
    shape = [x.shape[1] if i == 1 else 1 for i in range(x.rank)]
    g.emit("aten._prelu_kernel.default", x, g.input(x.dtype, shape))


_BINARY = ("add", "sub", "mul", "div", "rsub")


def _operand(g: Gen, x: Value) -> Any:
    """A tensor of the same or another type that broadcasts, or a number, or one of the sizes."""
    if g.chance(0.06):
        size = g.sized(g.one(*g.symbols.values()))
        if isinstance(size, Size):
            return size
    if g.chance(0.35):
        return g.number(x.dtype if g.chance(0.8) else torch.float32)
    return g.broadcast(x, x.dtype if g.chance(0.75) else g.dtype("fib"))


def _overload(y: Any) -> str:
    return "Tensor" if isinstance(y, Value) or not isinstance(y, (int, float)) else "Scalar"


@recipe(14)
def binary(g: Gen) -> None:
    x = g.pick("fib")
    name = g.rng.choice(_BINARY)
    y = _operand(g, x)
    overload = g.one("Tensor", "Scalar") if not isinstance(y, Value) and name != "rsub" else _overload(y)
    if name == "rsub" and isinstance(y, Size):
        raise Reject
    if isinstance(y, Size):
        overload = "Tensor"
    more = {"alpha": g.number(x.dtype)} if name in ("add", "sub") and g.chance(0.25) and overload == "Tensor" else {}
    g.emit(f"aten.{name}.{overload}", x, y, **more)


@recipe(4)
def division(g: Gen) -> None:
    x = g.pick("fi")
    y = _operand(g, x)
    if isinstance(y, Size):
        raise Reject
    kind = g.one("div_mode", "floor_divide", "fmod", "remainder")
    tensor = isinstance(y, Value)
    if kind == "div_mode":
        mode = g.one(None, "floor", "trunc")
        g.emit(f"aten.div.{'Tensor' if tensor else 'Scalar'}_mode", x, y, rounding_mode=mode)
    elif kind == "floor_divide":
        g.emit(f"aten.floor_divide.{'default' if tensor else 'Scalar'}", x, y)
    elif kind == "remainder" and g.chance(0.2):
        g.emit("aten.remainder.Scalar_Tensor", g.number(x.dtype), x)
    else:
        g.emit(f"aten.{kind}.{'Tensor' if tensor else 'Scalar'}", x, y)


@recipe(3)
def power(g: Gen) -> None:
    x = g.pick("fi")
    kind = g.one("Tensor_Scalar", "Tensor_Scalar", "Tensor_Tensor", "Scalar")
    if kind == "Tensor_Scalar":
        g.emit("aten.pow.Tensor_Scalar", x, g.one(0, 1, 2, 3, 0.5, -1, -0.5, 2.0, 1.5))
    elif kind == "Scalar":
        g.emit("aten.pow.Scalar", g.one(0.5, 1, 2, 2.0), x)
    else:
        g.emit("aten.pow.Tensor_Tensor", x, g.broadcast(x, x.dtype))


@recipe(3)
def extremes(g: Gen) -> None:
    x = g.pick("fib")
    kind = g.one("maximum", "minimum", "atan2", "clamp_min", "clamp_max", "fmax", "fmin", "logaddexp", "xlogy.Tensor",
                 "hypot", "nextafter", "copysign.Tensor", "heaviside")  # fmt: skip
    if kind in ("clamp_min", "clamp_max"):
        if g.chance(0.5):
            g.emit(f"aten.{kind}.default", x, g.number(x.dtype))
        else:
            g.emit(f"aten.{kind}.Tensor", x, g.broadcast(x, x.dtype))
        return
    other = g.broadcast(x, x.dtype if g.chance(0.8) else g.dtype("fib"))
    g.emit(f"aten.{kind}" if "." in kind else f"aten.{kind}.default", x, other)


@recipe(2)
def clamp(g: Gen) -> None:
    x = g.pick("fi")
    if g.chance(0.5):
        low, high = (g.number(x.dtype) if g.chance(0.8) else None for _ in range(2))
        g.emit("aten.clamp.default", x, low, high)
    else:
        low, high = (g.broadcast(x, x.dtype) if g.chance(0.8) else None for _ in range(2))
        g.emit("aten.clamp.Tensor", x, low, high)


@recipe(7)
def comparison(g: Gen) -> None:
    x = g.pick("fib")
    y = _operand(g, x)
    if isinstance(y, Size):
        raise Reject
    name = g.one("eq", "ne", "lt", "le", "gt", "ge")
    g.emit(f"aten.{name}.{_overload(y)}", x, y)


@recipe(3)
def logic(g: Gen) -> None:
    if g.chance(0.5):
        x = g.pick("fib")
        g.emit(f"aten.logical_{g.one('and', 'or', 'xor')}.default", x, g.broadcast(x, g.dtype("fib")))
        return
    x = g.pick("ib")
    name = g.one("and", "or", "xor")
    if g.chance(0.4):
        g.emit(f"aten.bitwise_{name}.Scalar", x, g.number(x.dtype))
    else:
        g.emit(f"aten.bitwise_{name}.Tensor", x, g.broadcast(x, x.dtype if g.chance(0.7) else g.dtype("ib")))


@recipe(1)
def shifts(g: Gen) -> None:
    x = g.pick("i")
    name = g.one("left_shift", "right_shift")
    g.emit(f"aten.bitwise_{name}.Tensor_Scalar", x, g.one(0, 1, 2))


@recipe(4)
def where(g: Gen) -> None:
    x = g.pick("fib")
    condition = g.broadcast(x, torch.bool)
    g.emit("aten.where.self", condition, x, g.broadcast(x, x.dtype if g.chance(0.7) else g.dtype("fib")))


@recipe(2)
def masked_fill(g: Gen) -> None:
    x = g.pick("fib")
    mask = g.broadcast(x, torch.bool)
    if g.chance(0.6):
        g.emit("aten.masked_fill.Scalar", x, mask, g.number(x.dtype))
    else:
        g.emit("aten.masked_fill.Tensor", x, mask, g.pick(rank=(0,), dtype=x.dtype))


@recipe(3)
def fused(g: Gen) -> None:
    x = g.pick("f")
    kind = g.one("addcmul", "addcdiv", "lerp", "nan_to_num", "logit")
    if kind in ("addcmul", "addcdiv"):
        more = {"value": g.number(x.dtype)} if g.chance(0.6) else {}
        g.emit(f"aten.{kind}.default", x, g.broadcast(x, x.dtype), g.broadcast(x, x.dtype), **more)
    elif kind == "lerp" and g.chance(0.5):
        g.emit("aten.lerp.Scalar", x, g.broadcast(x, x.dtype), g.number(x.dtype))
    elif kind == "lerp":
        g.emit("aten.lerp.Tensor", x, g.broadcast(x, x.dtype), g.broadcast(x, x.dtype))
    elif kind == "logit":
        g.emit("aten.logit.default", x, g.one(None, 0.1))
    else:
        g.emit("aten.nan_to_num.default", x, g.one(None, 0.5), g.one(None, 2.0), g.one(None, -2.0))


@recipe(1)
def rounding(g: Gen) -> None:
    g.emit("aten.round.decimals", g.pick("f"), decimals=g.one(0, 1, 2, -1))


@recipe(6)
def cast(g: Gen) -> None:
    """From floating numbers to whole ones only what the latter can hold: the rest is nobody's."""
    x = g.pick("fib")
    to = g.dtype("fib")
    if x.dtype.is_floating_point and not to.is_floating_point and to != torch.bool:
        x = g.emit("aten.nan_to_num.default", x, 0.0, 7.0, 0.0 if to == torch.uint8 else -7.0)
        x = g.emit("aten.clamp.default", x, 0 if to == torch.uint8 else -100, 100)
    more = {"memory_format": torch.contiguous_format} if g.chance(0.2) else {}
    g.emit("aten._to_copy.default", x, dtype=to, **more)


_IN_PLACE_UNARY = ("relu_", "sigmoid_", "tanh_", "neg_", "abs_", "exp_", "sqrt_", "floor_", "zero_", "square_", "cos_")


@recipe(6)
def in_place(g: Gen) -> None:
    """Writes into a value: an input, a result, or a view of either."""
    x = g.pick("fi", where=lambda v: v.tensor.numel() == 0 or 0 not in v.tensor.stride() or v.tensor.is_contiguous())
    kind = g.one("unary", "binary", "binary", "fill", "copy", "mask", "clamp", "lerp")
    if kind == "unary":
        g.emit(f"aten.{g.rng.choice(_IN_PLACE_UNARY)}.default", x)
    elif kind == "binary":
        y = _operand(g, x)
        if isinstance(y, Size):
            raise Reject
        g.emit(f"aten.{g.one('add_', 'sub_', 'mul_', 'div_')}.{_overload(y)}", x, y)
    elif kind == "fill":
        if g.chance(0.6):
            g.emit("aten.fill_.Scalar", x, g.number(x.dtype))
        else:
            g.emit("aten.fill_.Tensor", x, g.pick(rank=(0,), dtype=x.dtype))
    elif kind == "copy":
        source = g.broadcast(x, x.dtype if g.chance(0.7) or x.dtype not in FLOATS else g.dtype("fib"))
        g.emit("aten.copy_.default", x, source)
    elif kind == "mask":
        g.emit("aten.masked_fill_.Scalar", x, g.broadcast(x, torch.bool), g.number(x.dtype))
    elif kind == "clamp":
        g.emit("aten.clamp_.default", x, g.number(x.dtype), g.one(None, 4))
    else:
        g.emit("aten.lerp_.Scalar", x, g.broadcast(x, x.dtype), 0.25)


@recipe(2)
def foreach(g: Gen) -> None:
    """Lists of tensors, one result for each."""
    x = g.pick("f")
    xs = [x, *(g.like(x) if g.chance(0.5) else g.pick(dtype=x.dtype) for _ in range(g.one(0, 1, 2)))]
    kind = g.one("unary", "scalar", "list", "list", "addcmul", "scalars", "lerp")
    if kind == "unary":
        names: tuple[str, ...] = (
            "abs",
            "neg",
            "sqrt",
            "exp",
            "sigmoid",
            "tanh",
            "reciprocal",
            "log",
            "sin",
            "cos",
            "erf",
            "sign",
        )
        g.emit(f"aten._foreach_{g.rng.choice(names)}.default", xs)
    elif kind == "scalar":
        names = ("add", "mul", "sub", "div", "maximum", "minimum", "pow")
        g.emit(f"aten._foreach_{g.rng.choice(names)}.Scalar", xs, g.one(2.0, 0.5, 1.5))
    elif kind == "scalars":
        g.emit(f"aten._foreach_{g.one('add', 'mul', 'sub', 'div')}.ScalarList", xs, [g.positive() for _ in xs])
    else:
        ys, zs = ([g.like(v) for v in xs] for _ in range(2))
        if kind == "list":
            g.emit(f"aten._foreach_{g.one('add', 'mul', 'sub', 'div', 'maximum', 'minimum')}.List", xs, ys)
        elif kind == "lerp":
            g.emit("aten._foreach_lerp.Scalar", xs, ys, g.one(0.3, 0.75))
        else:
            g.emit(f"aten._foreach_{g.one('addcmul', 'addcdiv')}.Scalar", xs, ys, zs, g.one(1, 0.5))
