"""Elementwise operators: arithmetic, comparison, logic, rounding, transcendental functions, casts."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import plain, rule
from ferrata.ge.types import torch_dtype

for _type, _operator, _sign in (
    ("Add", operator.add, "+"), ("AddV2", operator.add, "+"), ("Sub", operator.sub, "-"), ("Mul", operator.mul, "*"),
    ("RealDiv", operator.truediv, "/"), ("Div", operator.truediv, "/"), ("Pow", operator.pow, "**"),
    ("Less", operator.lt, "<"), ("LessEqual", operator.le, "<="), ("Greater", operator.gt, ">"),
    ("GreaterEqual", operator.ge, ">="), ("Equal", operator.eq, "=="), ("NotEqual", operator.ne, "!="),
    ("BitwiseAnd", operator.and_, "&"), ("BitwiseOr", operator.or_, "|"), ("BitwiseXor", operator.xor, "^"),
):  # fmt: skip
    plain(
        _operator, _type, numbers="x1 x2", text="{0} " + _sign + " {1}",
        to="bool" if _sign in ("<", "<=", ">", ">=", "==", "!=") else "",
    )  # fmt: skip

_function: Any
for _type, _function in {
    "Acos": torch.acos, "Acosh": torch.acosh, "Asin": torch.asin, "Asinh": torch.asinh,
    "Atan": torch.atan, "Atanh": torch.atanh, "Ceil": torch.ceil, "Cos": torch.cos, "Cosh": torch.cosh,
    "Erf": torch.erf, "Erfc": torch.erfc, "Erfinv": torch.erfinv, "Expm1": torch.expm1,
    "Floor": torch.floor, "Invert": torch.bitwise_not,
    "Log1p": torch.log1p, "Neg": torch.neg,
    "Reciprocal": torch.reciprocal, "Rint": torch.round, "Rsqrt": torch.rsqrt, "Sigmoid": torch.sigmoid,
    "Sign": torch.sign, "Sin": torch.sin, "Sinh": torch.sinh, "Sqrt": torch.sqrt, "Square": torch.square,
    "Tan": torch.tan, "Tanh": torch.tanh, "Trunc": torch.trunc, "Lgamma": torch.lgamma, "Digamma": torch.digamma,
    "Relu": torch.relu, "Softsign": torch.nn.functional.softsign,
    "Conj": torch.conj_physical, "HardSwish": torch.nn.functional.hardswish, "Mish": torch.nn.functional.mish,
    "LogSigmoid": torch.nn.functional.logsigmoid,
}.items():  # fmt: skip
    plain(_function, _type)

for _type, _function in {
    "Maximum": torch.maximum, "Minimum": torch.minimum, "Atan2": torch.atan2,
    "TruncateMod": torch.fmod, "FloorMod": torch.remainder, "Xlogy": torch.xlogy,
    "NextAfter": torch.nextafter,
}.items():  # fmt: skip
    plain(_function, _type)


for _type, _function in {
    "IsFinite": torch.isfinite, "IsInf": torch.isinf, "IsNan": torch.isnan, "LogicalNot": torch.logical_not,
    "LogicalAnd": torch.logical_and, "LogicalOr": torch.logical_or,
}.items():  # fmt: skip
    plain(_function, _type, to="bool")

for _type, _function in {"Abs": torch.abs, "Angle": torch.angle}.items():
    plain(_function, _type, to="?")


@rule("Real", view=True)
def real(x: Any, *, Tout: int = 0) -> Any:
    return torch.real(x)


@rule("Imag", view=True)
def imaginary(x: Any, *, Tout: int = 0) -> Any:
    return torch.imag(x)


@rule("FloorDiv", numbers="x2")
def floor_div(x1: Any, x2: Any) -> Any:
    return torch.div(x1, x2, rounding_mode="floor")


@rule("TruncateDiv", numbers="x2")
def truncate_div(x1: Any, x2: Any) -> Any:
    return torch.div(x1, x2, rounding_mode="trunc")


@rule("DivNoNan")
def div_no_nan(x1: Any, x2: Any) -> Any:
    return torch.where(x2 == 0, torch.zeros_like(x2), x1 / x2)


@rule("Exp", text="torch.exp({0})")
def exp(x: Any, *, base: float = -1.0, scale: float = 1.0, shift: float = 0.0) -> Any:
    """base^(scale * x + shift); base -1 stands for e."""
    if scale != 1.0 or shift != 0.0:
        x = x * scale + shift
    return torch.exp(x) if base == -1.0 else torch.pow(base, x)


@rule("Log", text="torch.log({0})")
def log(x: Any, *, base: float = -1.0, scale: float = 1.0, shift: float = 0.0) -> Any:
    """The logarithm of scale * x + shift; base -1 stands for e."""
    if scale != 1.0 or shift != 0.0:
        x = x * scale + shift
    if base == -1.0:
        return torch.log(x)
    return torch.log2(x) if base == 2.0 else torch.log10(x) if base == 10.0 else torch.log(x) / math.log(base)


@rule("Round")
def rounded(x: Any, *, decimals: int = 0) -> Any:
    return torch.round(x, decimals=decimals) if decimals else torch.round(x)


@rule("Muls")
def muls(x: Any, *, value: float) -> Any:
    return x * value


@rule("Adds")
def adds(x: Any, *, value: float) -> Any:
    return x + value


@rule("Axpy")
def axpy(x1: Any, x2: Any, *, alpha: float) -> Any:
    return torch.add(x1, x2, alpha=alpha)


@rule("AxpyV2", host="alpha", numbers="x2")
def axpy_v2(x1: Any, x2: Any, alpha: Any) -> Any:
    return torch.add(x1, x2, alpha=alpha)


@rule("AddN")
def add_n(x: list[Any], **_: Any) -> Any:
    total = x[0]
    for term in x[1:]:
        total = total + term
    return total


@rule("ClipByValueV2", numbers="clip_value_min clip_value_max", text="torch.clamp({0}, {1}, {2})")
def clip(x: Any, low: Any, high: Any) -> Any:
    return torch.clamp(x, low, high)


def _cast_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    return f"{parts[0]}.to({torch_dtype(attrs['dst_type'])}, copy=True)"


@rule("Cast", text=_cast_text)
def cast(x: Any, *, dst_type: int) -> Any:
    return x.to(torch_dtype(dst_type), copy=True)


@rule("SelectV2", "Select", numbers="then else x1 x2", text="torch.where({0}, {1}, {2})")
def select(condition: Any, then: Any, other: Any) -> Any:
    return torch.where(condition, then, other)


@rule("MaskedFill", numbers="value", text="{0}.masked_fill({1}, {2})")
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    return x.masked_fill(mask, value)


@rule("ComplexAbs")
def complex_abs(x: Any, *, Tout: int = 0) -> Any:
    return torch.abs(x).to(torch_dtype(Tout))


@rule("Complex")
def complex_of(real: Any, imag: Any, **_: Any) -> Any:
    return torch.complex(real, imag)


@rule("LeakyRelu")
def leaky_relu(x: Any, *, negative_slope: float = 0.0) -> Any:
    return torch.nn.functional.leaky_relu(x, negative_slope)


@rule("Elu")
def elu(x: Any, *, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    return torch.ops.aten.elu.default(x, alpha, scale, input_scale)


@rule("Gelu")
def gelu(x: Any) -> Any:
    return torch.nn.functional.gelu(x)


def _gelu_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str | None:
    return f"torch.nn.functional.gelu({parts[0]}, approximate={attrs.get('approximate', 'none')!r})"


@rule("GeluV2", text=_gelu_text)
def gelu_v2(x: Any, *, approximate: str = "none") -> Any:
    return torch.nn.functional.gelu(x, approximate=approximate)


@rule("Swish", text="torch.nn.functional.silu({0})")
def swish(x: Any, *, scale: float = 1.0) -> Any:
    return torch.nn.functional.silu(x) if scale == 1.0 else x * torch.sigmoid(scale * x)


@rule("SoftplusV2")
def softplus(x: Any, *, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return torch.nn.functional.softplus(x, beta, threshold)


@rule("HardSigmoid")
def hard_sigmoid(x: Any) -> Any:
    return torch.nn.functional.hardsigmoid(x)


@rule("PRelu")
def prelu(x: Any, weight: Any) -> Any:
    return torch.prelu(x, weight)


@rule("GLU")
def glu(x: Any, *, dim: int = -1) -> Any:
    return torch.nn.functional.glu(x, dim)


@rule("Addcmul", host="value")
def addcmul(x: Any, x1: Any, x2: Any, value: Any) -> Any:
    return torch.addcmul(x, x1, x2, value=value)


@rule("Addcdiv", host="value")
def addcdiv(x: Any, x1: Any, x2: Any, value: Any) -> Any:
    return torch.addcdiv(x, x1, x2, value=value)


@rule("Lerp", numbers="weight")
def lerp(start: Any, end: Any, weight: Any) -> Any:
    return torch.lerp(start, end, weight)


@rule("NanToNum")
def nan_to_num(x: Any, *, nan: float, posinf: float, neginf: float) -> Any:
    return torch.nan_to_num(x, nan, posinf, neginf)
