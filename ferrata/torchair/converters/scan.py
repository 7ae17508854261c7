"""Scans, steps, bits, selections by mask; types that are read anew."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.builder import current
from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import const, dtype_of, ops, out, promote, require, sizes_of
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten


@converts(aten.cumprod.default)
def cumprod(x: Tensor, dim: int, *, dtype: Any = None) -> Any:
    return ops.Cumprod(promote(x), dim)


@converts(aten.logcumsumexp.default)
def logcumsumexp(x: Tensor, dim: int) -> Any:
    return ops.CumulativeLogsumexp(x, dim)


@converts(aten.cummax.default)
def cummax(x: Tensor, dim: int) -> Any:
    return ops.Cummax(x, dim=dim)


@converts(aten.cummin.default)
def cummin(x: Tensor, dim: int) -> Any:
    return ops.Cummin(x, axis=dim)


@converts(aten.linspace.default)
def linspace(start: Any, end: Any, steps: Any, **_: Any) -> Any:
    require(out().dtype.is_floating_point, "whole numbers are rounded otherwise")
    return ops.LinSpace(*promote(float(start), float(end)), steps)


@converts(aten.eye.default)
def eye(n: Any, **_: Any) -> Any:
    require(isinstance(n, int) and n > 0, "a size that changes from call to call")
    return ops.Eye(num_rows=n, dtype=ge_dtype(out().dtype))


@converts(aten.eye.m)
def eye_of(n: Any, m: Any, **_: Any) -> Any:
    require(isinstance(n, int) and isinstance(m, int) and m > 0, "a size that changes from call to call")
    return ops.Eye(num_rows=n, num_columns=m, dtype=ge_dtype(out().dtype))


@converts(aten.bucketize.Tensor)
def bucketize(x: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    require(dtype_of(x) == dtype_of(boundaries), "mixed types")
    return ops.BucketizeV2(x, boundaries, out_int32=out_int32, right=right)


@converts(aten.masked_select.default)
def masked_select(x: Tensor, mask: Tensor) -> Any:
    return ops.MaskedSelect(x, mask)


@converts(aten.index_fill.int_Scalar)
def index_fill(x: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    require(x.rank > 0 and index.rank == 1, "an index or a tensor without dimensions")
    return ops.IndexFill(x, index, promote(value, to=dtype_of(x)), dim=dim % x.rank)


for _type, _packet in (("LeftShift", aten.bitwise_left_shift), ("RightShift", aten.bitwise_right_shift)):

    def _shift(op_type: str, *overloads: Any) -> None:
        @converts(*overloads)
        def convert(x: Any, y: Any) -> Any:
            return getattr(ops, op_type)(*promote(x, y))

    _shift(_type, _packet.Tensor, _packet.Tensor_Scalar)


def _plain(op_type: str, overload: Any) -> None:
    @converts(overload)
    def convert(*operands: Any) -> Any:
        made = promote(*operands)
        return getattr(ops, op_type)(*(made if isinstance(made, list) else [made]))


for _type, _overload in {
    "Xlogy": aten.xlogy.Tensor, "NextAfter": aten.nextafter.default, "LogAddExp": aten.logaddexp.default,
    "Heaviside": aten.heaviside.default, "Gcd": aten.gcd.default,
}.items():  # fmt: skip
    _plain(_type, _overload)


def _question(op_type: str, overload: Any) -> None:
    @converts(overload)
    def convert(x: Tensor) -> Any:
        require(not dtype_of(x).is_complex, "complex numbers")
        return getattr(ops, op_type)(x)


for _type, _overload in {
    "Signbit": aten.signbit.default, "IsPosInf": aten.isposinf.default, "IsNegInf": aten.isneginf.default,
    "IsFinite": aten.isfinite.default,
}.items():  # fmt: skip
    _question(_type, _overload)


@converts(aten.sgn.default)
def sgn(x: Tensor) -> Any:
    require(not dtype_of(x).is_complex, "complex numbers")
    return ops.Sign(x)


@converts(aten.frac.default)
def frac(x: Tensor) -> Any:
    return ops.Sub(x, ops.Trunc(x))


@converts(aten.zero.default)
def zero(x: Tensor) -> Any:
    return ops.ZerosLike(x)


@converts(aten.view.dtype)
def view_as(x: Tensor, dtype: torch.dtype) -> Any:
    """The same bits as another type. A wider or narrower one changes the last dimension, which GE states otherwise."""
    require(dtype_of(x).itemsize == dtype.itemsize, "a type of another width")
    return ops.Bitcast(x, type=ge_dtype(dtype))


@converts(aten.view_as_complex.default)
def view_as_complex(x: Tensor) -> Any:
    real, imaginary = (ops.GatherV2(x, const(i, torch.int64), [x.rank - 1]) for i in (0, 1))
    return ops.Complex(real, imaginary, Tout=ge_dtype(out().dtype))


@converts(aten.copy_.default)
def copy_into(x: Tensor, src: Tensor, non_blocking: bool = False) -> Any:
    """A write into memory that the graph was given."""
    src = promote(src, to=dtype_of(x))
    if src.desc.shape != x.desc.shape:
        src = ops.BroadcastTo(src, sizes_of(x, torch.int64))
    builder = current("copy_")
    return Tensor(builder, builder.add("Assign", {"ref": x.ref, "value": src.ref})[0])


@converts(aten.atan2.out)
def atan2_into(x: Tensor, y: Tensor, *, out: Tensor) -> Any:
    require(dtype_of(x) == dtype_of(y) == dtype_of(out) and x.desc.shape == out.desc.shape, "a result of another kind")
    builder = current("atan2.out")
    return Tensor(builder, builder.add("Assign", {"ref": out.ref, "value": ops.Atan2(x, y).ref})[0])
