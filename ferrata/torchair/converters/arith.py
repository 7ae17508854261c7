"""Elementwise operators: arithmetic, comparison, logic, rounding, activation, casts."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import Unsupported, dtype_of, ops, out, promote, require
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten


def _unary(op_type: str, *overloads: Any) -> None:
    """Operators of one tensor, computed in the result's dtype."""

    @converts(*overloads)
    def convert(x: Tensor) -> Any:
        return getattr(ops, op_type)(promote(x))


for _type, _overload in {
    "Acos": aten.acos, "Acosh": aten.acosh, "Asin": aten.asin, "Asinh": aten.asinh, "Atan": aten.atan,
    "Atanh": aten.atanh, "Cos": aten.cos, "Cosh": aten.cosh, "Erf": aten.erf, "Erfc": aten.erfc, "Exp": aten.exp,
    "Expm1": aten.expm1, "Log": aten.log, "Log1p": aten.log1p, "Neg": aten.neg,
    "Reciprocal": aten.reciprocal, "Relu": aten.relu, "Rsqrt": aten.rsqrt, "Sigmoid": aten.sigmoid, "Sign": aten.sign,
    "Sin": aten.sin, "Sinh": aten.sinh, "Sqrt": aten.sqrt, "Tan": aten.tan, "Tanh": aten.tanh,
    "Erfinv": aten.erfinv, "HardSwish": aten.hardswish, "HardSigmoid": aten.hardsigmoid, "Mish": aten.mish,
    "Lgamma": aten.lgamma, "Digamma": aten.digamma, "Square": aten.square,
}.items():  # fmt: skip
    _unary(_type, _overload.default)


@converts(aten.abs.default)
def absolute(x: Tensor) -> Any:
    return ops.ComplexAbs(x, Tout=ge_dtype(out().dtype)) if dtype_of(x).is_complex else ops.Abs(x)


@converts(aten.log2.default)
def log2(x: Tensor) -> Any:
    return ops.Log(promote(x), base=2.0)


@converts(aten.log10.default)
def log10(x: Tensor) -> Any:
    return ops.Log(promote(x), base=10.0)


@converts(aten.ceil.default)
def ceil(x: Tensor) -> Any:
    return _rounding("Ceil", x)


@converts(aten.floor.default)
def floor(x: Tensor) -> Any:
    return _rounding("Floor", x)


@converts(aten.trunc.default)
def trunc(x: Tensor) -> Any:
    return _rounding("Trunc", x)


@converts(aten.round.default)
def rounded(x: Tensor) -> Any:
    return _rounding("Round", x)


@converts(aten.round.decimals)
def rounded_to(x: Tensor, *, decimals: int) -> Any:
    return ops.Round(x, decimals=decimals)


def _rounding(op_type: str, x: Tensor) -> Any:
    """Integers are whole already: rounding copies them."""
    return getattr(ops, op_type)(x) if dtype_of(x).is_floating_point else ops.TensorMove(x)


@converts(aten.isnan.default)
def isnan(x: Tensor) -> Any:
    require(dtype_of(x).is_floating_point, "integers are never NaN")
    return ops.IsNan(x)


@converts(aten.isinf.default)
def isinf(x: Tensor) -> Any:
    require(dtype_of(x).is_floating_point, "integers are never infinite")
    return ops.IsInf(x)


@converts(aten.add.Tensor, aten.add.Scalar)
def add(x: Any, y: Any, alpha: Any = 1) -> Any:
    x, y = promote(x, y)
    return ops.Add(x, y) if alpha == 1 else ops.AxpyV2(x, y, promote(alpha))


@converts(aten.sub.Tensor, aten.sub.Scalar)
def sub(x: Any, y: Any, alpha: Any = 1) -> Any:
    x, y = promote(x, y)
    if alpha != 1 and isinstance(alpha, (int, float)):
        return ops.AxpyV2(x, y, promote(-alpha))  # rounded once, as PyTorch does
    return ops.Sub(x, y if alpha == 1 else ops.Mul(y, promote(alpha)))


@converts(aten.rsub.Tensor, aten.rsub.Scalar)
def rsub(x: Any, y: Any, alpha: Any = 1) -> Any:
    return sub(y, x, alpha)


def _by_wider(op_type: str, x: Any, y: Any) -> Any:
    """What PyTorch computes in float32 where a tensor of a half type meets one element of another type, not rounded."""
    kind = out().dtype
    number = isinstance(y, Tensor) and not y.desc.host and y.desc.shape is not None and set(y.desc.shape) <= {1}
    if number and kind in (torch.float16, torch.bfloat16) and dtype_of(y) not in (kind, torch.bool):
        result = getattr(ops, op_type)(*promote(promote(x), y, to=torch.float32))
        return ops.Cast(result, dst_type=ge_dtype(kind))
    return getattr(ops, op_type)(*promote(x, y))


@converts(aten.mul.Tensor, aten.mul.Scalar)
def mul(x: Any, y: Any) -> Any:
    return _by_wider("Mul", x, y)


@converts(aten.div.Tensor, aten.div.Scalar, aten.true_divide.Tensor)
def div(x: Any, y: Any) -> Any:
    return _by_wider("RealDiv", x, y)


@converts(aten.div.Tensor_mode, aten.div.Scalar_mode)
def div_mode(x: Any, y: Any, *, rounding_mode: str | None) -> Any:
    kind = {None: "RealDiv", "floor": "FloorDiv", "trunc": "TruncateDiv"}[rounding_mode]
    return _by_wider(kind, x, y)


@converts(aten.floor_divide.default, aten.floor_divide.Scalar)
def floor_divide(x: Any, y: Any) -> Any:
    return _by_wider("FloorDiv", x, y)


@converts(aten.fmod.Tensor, aten.fmod.Scalar)
def fmod(x: Any, y: Any) -> Any:
    return ops.TruncateMod(*promote(x, y))


@converts(aten.remainder.Tensor, aten.remainder.Scalar, aten.remainder.Scalar_Tensor)
def remainder(x: Any, y: Any) -> Any:
    return ops.FloorMod(*promote(x, y))


@converts(aten.pow.Tensor_Tensor, aten.pow.Tensor_Scalar, aten.pow.Scalar)
def power(x: Any, y: Any) -> Any:
    return ops.Pow(*promote(x, y))


@converts(aten.atan2.default)
def atan2(x: Any, y: Any) -> Any:
    return ops.Atan2(*promote(x, y))


@converts(aten.exp2.default)
def exp2(x: Tensor) -> Any:
    return ops.Pow(*promote(2.0, x))


@converts(aten.maximum.default, aten.clamp_min.default, aten.clamp_min.Tensor)
def maximum(x: Any, y: Any) -> Any:
    return ops.Maximum(*promote(x, y))


@converts(aten.minimum.default, aten.clamp_max.default, aten.clamp_max.Tensor)
def minimum(x: Any, y: Any) -> Any:
    return ops.Minimum(*promote(x, y))


@converts(aten.hardtanh.default)
def hardtanh(x: Tensor, low: Any = -1, high: Any = 1) -> Any:
    require(dtype_of(x) == out().dtype, "a result of another type")
    return ops.ClipByValueV2(*promote(x, low, high))


@converts(aten.clamp.default, aten.clamp.Tensor)
def clamp(x: Any, low: Any = None, high: Any = None, **bounds: Any) -> Any:
    low, high = bounds.get("min", low), bounds.get("max", high)
    if low is None and high is None:
        raise Unsupported("no bound")
    if low is None:
        return ops.Minimum(*promote(x, high))
    if high is None:
        return ops.Maximum(*promote(x, low))
    return ops.ClipByValueV2(*promote(x, low, high))


def _comparison(op_type: str, *overloads: Any) -> None:
    @converts(*overloads)
    def convert(x: Any, y: Any) -> Any:
        """Compared in the type that PyTorch would compute in."""
        wide = _result_type(x, y)
        return getattr(ops, op_type)(*promote(x, y, to=wide))


for _type, _packet in {
    "Equal": aten.eq, "NotEqual": aten.ne, "Less": aten.lt, "LessEqual": aten.le, "Greater": aten.gt,
    "GreaterEqual": aten.ge,
}.items():  # fmt: skip
    _comparison(_type, _packet.Tensor, _packet.Scalar)


def _result_type(*values: Any) -> torch.dtype:
    """PyTorch's promotion: numbers and tensors without dimensions only decide the kind."""

    def stand_in(v: Any) -> Any:
        if not isinstance(v, Tensor):
            return v
        if v.desc.host:
            return {torch.int64: 1, torch.float64: 1.0, torch.bool: True}[dtype_of(v)]
        return torch.empty((1,) * v.rank, dtype=dtype_of(v), device="meta")

    return torch.result_type(*map(stand_in, values))


def _bitwise(logical: str, bits: str, *overloads: Any) -> None:
    @converts(*overloads)
    def convert(x: Any, y: Any) -> Any:
        kind = logical if out().dtype == torch.bool else bits
        return getattr(ops, kind)(*promote(x, y))


_bitwise("LogicalAnd", "BitwiseAnd", aten.bitwise_and.Tensor, aten.bitwise_and.Scalar)
_bitwise("LogicalOr", "BitwiseOr", aten.bitwise_or.Tensor, aten.bitwise_or.Scalar)
_bitwise("NotEqual", "BitwiseXor", aten.bitwise_xor.Tensor, aten.bitwise_xor.Scalar)


@converts(aten.bitwise_not.default)
def bitwise_not(x: Tensor) -> Any:
    return ops.LogicalNot(x) if dtype_of(x) == torch.bool else ops.Invert(x)


@converts(aten.logical_not.default)
def logical_not(x: Tensor) -> Any:
    return ops.LogicalNot(promote(x, to=torch.bool))


@converts(aten.logical_and.default)
def logical_and(x: Tensor, y: Tensor) -> Any:
    return ops.LogicalAnd(*promote(x, y, to=torch.bool))


@converts(aten.logical_or.default)
def logical_or(x: Tensor, y: Tensor) -> Any:
    return ops.LogicalOr(*promote(x, y, to=torch.bool))


@converts(aten.logical_xor.default)
def logical_xor(x: Tensor, y: Tensor) -> Any:
    return ops.NotEqual(*promote(x, y, to=torch.bool))


@converts(aten.where.self)
def where(condition: Tensor, x: Any, y: Any) -> Any:
    require(dtype_of(condition) == torch.bool, "a condition of bytes")
    return ops.SelectV2(condition, *promote(x, y))


@converts(aten.masked_fill.Scalar, aten.masked_fill.Tensor)
def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Any:
    return ops.MaskedFill(x, mask, promote(value, to=dtype_of(x)))


@converts(aten._to_copy.default)
def to_copy(x: Tensor, *, dtype: Any = None, memory_format: Any = None, **where: Any) -> Any:
    to = where.pop("device", None)
    require(to is None or (to.type == "cpu") == (x.desc.placement == "CPU"), "a copy to another device")
    require(all(v in (None, False, torch.strided) for v in where.values()), "a copy to pinned memory")
    if out().dtype == dtype_of(x):
        return ops.TensorMove(x)
    require(not dtype_of(x).is_complex or out().dtype.is_complex, "the real part of complex numbers")
    return ops.Cast(x, dst_type=ge_dtype(out().dtype))


@converts(torch.ops.prims.convert_element_type.default)
def convert_element_type(x: Tensor, dtype: torch.dtype) -> Any:
    """Numbers that change from call to call come as tensors without dimensions, cast where they are used."""
    return to_copy(x, dtype=dtype)


@converts(aten.gelu.default)
def gelu(x: Tensor, *, approximate: str = "none") -> Any:
    return ops.GeluV2(x, approximate=approximate)


@converts(aten.silu.default)
def silu(x: Tensor) -> Any:
    return ops.Swish(x)


@converts(aten.elu.default)
def elu(x: Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return ops.Elu(x, alpha=float(alpha), scale=float(scale), input_scale=float(input_scale))


@converts(aten.leaky_relu.default)
def leaky_relu(x: Tensor, negative_slope: Any = 0.01) -> Any:
    return ops.LeakyRelu(x, negative_slope=float(negative_slope))


@converts(aten.softplus.default)
def softplus(x: Tensor, beta: Any = 1, threshold: Any = 20) -> Any:
    return ops.SoftplusV2(x, beta=float(beta), threshold=float(threshold))


@converts(aten.glu.default)
def glu(x: Tensor, dim: int = -1) -> Any:
    return ops.GLU(x, dim=dim)


@converts(aten.log_sigmoid_forward.default)
def log_sigmoid(x: Tensor) -> Any:
    """PyTorch also gives a buffer for its own gradient: exp(-|x|), or nothing off the CPU."""
    y = ops.LogSigmoid(x)
    if out(1).shape == (0,):
        return y, ops.Fill([0], promote(0.0, to=out(1).dtype))
    return y, ops.Exp(ops.Neg(ops.Abs(x)))


@converts(aten.prelu.default, aten._prelu_kernel.default)
def prelu(x: Tensor, weight: Tensor) -> Any:
    return ops.PRelu(x, weight) if weight.rank == 1 else _prelu(x, weight)


def _prelu(x: Tensor, weight: Tensor) -> Any:
    """The slope is already shaped for x."""
    return ops.SelectV2(ops.Greater(x, promote(0, to=dtype_of(x))), x, ops.Mul(x, weight))


@converts(aten.addcmul.default)
def addcmul(x: Tensor, a: Any, b: Any, *, value: Any = 1) -> Any:
    return ops.Addcmul(*promote(x, a, b, value))


@converts(aten.addcdiv.default)
def addcdiv(x: Tensor, a: Any, b: Any, *, value: Any = 1) -> Any:
    return ops.Addcdiv(*promote(x, a, b, value))


@converts(aten.lerp.Scalar, aten.lerp.Tensor)
def lerp(start: Tensor, end: Tensor, weight: Any) -> Any:
    return ops.Lerp(*promote(start, end, weight))


@converts(aten.nan_to_num.default)
def nan_to_num(x: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    require(dtype_of(x).is_floating_point, "integers are always finite")
    bounds = torch.finfo(dtype_of(x))
    high, low = bounds.max if posinf is None else posinf, bounds.min if neginf is None else neginf
    return ops.NanToNum(x, nan=float(nan or 0.0), posinf=float(high), neginf=float(low))
