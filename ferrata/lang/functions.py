"""Every interface under its Python name, with the types of its forms: what an editor shows of `ac.data_copy_pad`.

Made from the API registry by tools/gen_lang.py: change ferrata/lang/apis/*.py and run it.
A call has a meaning inside a kernel only, where the translator binds it (ferrata/lang/binding). Element types are
`ac.f16` and others; a list of one or two ints is a mask of bits; a structure may be written as a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

from ferrata.errors import OnlyInKernels
from ferrata.lang.enums import (
    CMPMODE,
    SELMODE,
    AtomicDtype,
    AtomicOp,
    CacheLine,
    DcciDst,
    GatherMaskMode,
    MaskMode,
    MemDsbT,
    ReduceOrder,
    ReduceType,
    RoundMode,
    SaturationMode,
    TPosition,
    pipe_t,
)
from ferrata.lang.structures import (
    BinaryRepeatParams,
    BrcbRepeatParams,
    CheckLocalMemoryIAParam,
    DataCopyEnhancedParams,
    DataCopyExtParams,
    DataCopyPadExtParams,
    DataCopyPadParams,
    DataCopyParams,
    GatherMaskParams,
    GatherRepeatParams,
    GlobalTensor,
    LocalTensor,
    MrgSort4Info,
    MrgSortSrcList,
    Nd2NzParams,
    Nz2NdParamsFull,
    ShapeInfo,
    SliceInfo,
    TransDataTo5HDParams,
    TransposeParamsExt,
    UnaryRepeatParams,
    VdeqInfo,
)

if TYPE_CHECKING:
    from ferrata.lang.hints.elements import Element


def _only(name: str) -> NoReturn:
    raise OnlyInKernels(name=name)


@overload
def abs(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def abs(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def abs(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def abs(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = |src[i]| (sign bit cleared)

    In C++: Abs. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: -0 -> +0; -inf -> +inf; NaN stays NaN. Saturation mode: half NaN -> 0. (unclear: one table row shows
    float NaN -> 0 in saturation mode, while the general rule says float never saturates; keep NaN)
    """
    _only("abs")


@overload
def exp(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def exp(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def exp(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def exp(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = e^src[i].

    In C++: Exp. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: exp(-inf)=0, exp(most negative finite)=0, exp(+-0)=1, overflow -> +inf, NaN -> NaN. Accuracy stated as <=
    1 ulp for the single-instruction algorithm; no bit pattern is published, so compare with tolerance. The overload
    with a config template argument does not exist on dav-2201.
    """
    _only("exp")


@overload
def ln(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def ln(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def ln(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def ln(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = ln(src[i])

    In C++: Ln. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: ln(+-0) = -inf; negative or -inf -> NaN; ln(+inf)=+inf; NaN -> NaN. <= 1 ulp stated. No config overload
    on dav-2201.
    """
    _only("ln")


@overload
def reciprocal(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def reciprocal(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reciprocal(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def reciprocal(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = 1 / src[i].

    In C++: Reciprocal. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Approximate on hardware: half misses 1e-3 and float misses 1e-4 relative comparison, Div is the accurate
    alternative; emulate correctly rounded and compare with tolerance. 1/+0=+inf, 1/-0=-inf (unclear: constraint
    text says a zero input may give an unknown result), 1/+-inf=+-0. float 1/FLT_MAX = 2.938736e-39, so subnormal
    results are kept.
    """
    _only("reciprocal")


@overload
def sqrt(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def sqrt(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def sqrt(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def sqrt(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = sqrt(src[i])

    In C++: Sqrt. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: sqrt(+-0)=+-0; negative -> NaN; +inf -> +inf. (unclear: constraint text says a non-positive input may
    give an unknown result, the boundary table gives the values quoted here.) No config overload on dav-2201.
    """
    _only("sqrt")


@overload
def rsqrt(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def rsqrt(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def rsqrt(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def rsqrt(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = 1 / sqrt(src[i])

    In C++: Rsqrt. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Approximate on hardware like Reciprocal. +0 -> +inf, -0 -> -inf, negative -> NaN, +inf -> 0 (unclear:
    text calls non-positive inputs unknown)
    """
    _only("rsqrt")


@overload
def relu(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def relu(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def relu(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def relu(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = max(0, src[i])

    In C++: Relu. T: f16, i32, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: -0 -> +0; -inf -> 0; NaN -> NaN (0 in half saturation mode)
    """
    _only("relu")


@overload
def not_(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def not_(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def not_(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def not_(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = ~src[i].

    In C++: Not. T: i16, u16.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: For 32-bit data reinterpret the tensor as 16-bit and double the element count.
    """
    _only("not_")


@overload
def add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def add(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def add(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor) -> None: ...
def add(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] + src1[i].

    In C++: Add. T: i16, f16, i32, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: int16/int32 overflow wraps (two's complement) by default; in saturation mode the table clamps to MIN/MAX
    (unclear: the dav-2201 control-bit description covers only half and bfloat16_t). inf + -inf = NaN; -0 + -0 = -0,
    -0 + +0 = +0.
    """
    _only("add")


@overload
def sub(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def sub(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def sub(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def sub(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor) -> None: ...
def sub(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] - src1[i].

    In C++: Sub. T: i16, f16, i32, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: int16/int32 overflow wraps (two's complement) by default; in saturation mode the table clamps to MIN/MAX
    (unclear: the dav-2201 control-bit description covers only half and bfloat16_t). inf - inf = NaN; -0 - +0 = -0.
    """
    _only("sub")


@overload
def mul(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def mul(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def mul(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def mul(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor) -> None: ...
def mul(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] * src1[i].

    In C++: Mul. T: i16, f16, i32, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: int16/int32 overflow wraps (two's complement) by default; in saturation mode the table clamps to MIN/MAX
    (unclear: the dav-2201 control-bit description covers only half and bfloat16_t). Integer product keeps the low
    16/32 bits. 0 * inf = NaN.
    """
    _only("mul")


@overload
def div(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def div(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def div(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def div(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor) -> None: ...
def div(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] / src1[i].

    In C++: Div. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: IEEE special values: x/0 = signed inf, 0/0 and inf/inf = NaN, finite/inf = signed 0. No config overload
    on dav-2201.
    """
    _only("div")


@overload
def max(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def max(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def max(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def max(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = max(src0[i], src1[i])

    In C++: Max. T: i16, f16, i32, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: Any NaN operand -> NaN (not the C fmax rule). max(+0,-0) = +0.
    """
    _only("max")


@overload
def min(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def min(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def min(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def min(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = min(src0[i], src1[i])

    In C++: Min. T: i16, f16, i32, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: Any NaN operand -> NaN. min(+0,-0) = -0.
    """
    _only("min")


@overload
def and_(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def and_(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def and_(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def and_(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor) -> None: ...
def and_(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] & src1[i].

    In C++: And. T: i16, u16.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Direct use with int32_t/uint32_t: A/M forms are rejected at compile time; C form compiles but count is
    then counted in 16-bit units (pass twice the element count); operator form accepts the type (unclear: whether it
    covers all 32-bit elements; covering them is the useful reading)
    """
    _only("and_")


@overload
def or_(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def or_(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def or_(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def or_(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor) -> None: ...
def or_(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] | src1[i].

    In C++: Or. T: i16, u16.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Direct use with int32_t/uint32_t: A/M forms are rejected at compile time; C form compiles but count is
    then counted in 16-bit units (pass twice the element count); operator form accepts the type (unclear: whether it
    covers all 32-bit elements; covering them is the useful reading)
    """
    _only("or_")


@overload
def adds(dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True) -> None: ...
@overload
def adds(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def adds(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def adds(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src[i] + scalarValue.

    In C++: Adds. T: i16, f16, i32, f32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). Integer overflow as for Add.
    """
    _only("adds")


@overload
def muls(dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True) -> None: ...
@overload
def muls(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def muls(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def muls(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src[i] * scalarValue.

    In C++: Muls. T: i16, f16, i32, f32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). Integer overflow as for Mul.
    """
    _only("muls")


@overload
def maxs(dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True) -> None: ...
@overload
def maxs(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def maxs(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def maxs(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = max(src[i], scalarValue)

    In C++: Maxs. T: i16, f16, i32, f32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). NaN and signed-zero rules as for
    Max.
    """
    _only("maxs")


@overload
def mins(dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True) -> None: ...
@overload
def mins(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def mins(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def mins(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = min(src[i], scalarValue)

    In C++: Mins. T: i16, f16, i32, f32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). NaN and signed-zero rules as for
    Min.
    """
    _only("mins")


@overload
def leaky_relu(
    dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True
) -> None: ...
@overload
def leaky_relu(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def leaky_relu(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def leaky_relu(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = signbit(src[i]) ? src[i] * scalarValue : src[i].

    In C++: LeakyRelu. T: f16, f32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). Formula text says src >= 0 passes
    through, but the boundary table multiplies -0 (e.g. -0 * inf = NaN) while +0 passes even with a NaN slope, so
    test the sign bit. NaN src -> NaN. (unclear: saturation column for finite-negative * +-inf and -inf * +-inf has
    flipped signs; use the sign of the product)
    """
    _only("leaky_relu")


@overload
def shift_left(
    dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True
) -> None: ...
@overload
def shift_left(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def shift_left(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def shift_left(*args: Any, **kwargs: Any) -> Any:
    """unsigned: dst = src << n, dropped bits lost; signed: sign bit kept, remaining bits shifted left and truncated.

    In C++: ShiftLeft. T: i16, u16, i32, u32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). n in [0,16] for 16-bit, [0,32]
    for 32-bit elements. int16 examples: 0x9003 << 2 = 0xC00C, 0x4001 << 1 = 0x0002 (unclear: differs from a plain C
    shift; documented rule)
    """
    _only("shift_left")


@overload
def shift_right(
    dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int, *, is_set_mask: bool = True
) -> None: ...
@overload
def shift_right(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    round_en: bool = False,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def shift_right(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    round_en: bool = False,
    *,
    is_set_mask: bool = True,
) -> None: ...
def shift_right(*args: Any, **kwargs: Any) -> Any:
    """unsigned: logical shift; signed: arithmetic shift; with roundEn (int16_t/int32_t only) add bit (n-1) of src to
    the shifted value.

    In C++: ShiftRight. T: i16, u16, i32, u32.

    Limits: Scalar must have exactly the element type unless T is given explicitly. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are
    the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: C form with isSetMask=false ignores count and uses the externally set mask (Counter mode expected)
    (unclear: the mask summary table says the C form always sets the mask itself). roundEn exists only on A/M forms.
    n in [0,16] or [0,32]; full-width shift gives 0 or the sign fill. Examples with roundEn: 14 >> 2 = 4, -14 >> 2 =
    -3.
    """
    _only("shift_right")


@overload
def add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def add_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def add_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def add_relu(*args: Any, **kwargs: Any) -> Any:
    """t = src0[i] + src1[i] rounded to T; dst[i] = max(0, t)

    In C++: AddRelu. T: i16, f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: Result zero is +0. NaN stays NaN. half saturation mode saturates t first. int16 sum wraps or saturates as
    for Add.
    """
    _only("add_relu")


@overload
def sub_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def sub_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def sub_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def sub_relu(*args: Any, **kwargs: Any) -> Any:
    """t = src0[i] - src1[i] rounded to T; dst[i] = max(0, t)

    In C++: SubRelu. T: i16, f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or
    src1RepStride 0 the repeats accumulate in order. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: As AddRelu.
    """
    _only("sub_relu")


@overload
def add_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def add_relu_cast(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def add_relu_cast(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def add_relu_cast(*args: Any, **kwargs: Any) -> Any:
    """t = src0[i] + src1[i] in U; dst[i] = cast_RINT_saturate(max(0, t))

    In C++: AddReluCast. T, U: i8 <- f16, i8 <- i16, f16 <- f32.

    Limits: Lanes per repeat = 256/sizeof(wider type): 128 for b16->b8, 64 for float->half. Every tensor starts at a
    32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and
    source are the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to
    255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Contiguous use: dstRepStride 4 with srcRepStride 8. Rounding as CAST_NONE (=RINT). NaN -> 0 for int8
    output, +inf -> 127, negative -> 0. int16 rows: MAX sum -> 127, wrap or saturate of the 16-bit intermediate is
    (unclear; table implies saturate). float->half overflow: text says saturate, general half rule says inf by
    default (unclear; follow the global half saturation flag)
    """
    _only("add_relu_cast")


@overload
def sub_relu_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def sub_relu_cast(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def sub_relu_cast(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def sub_relu_cast(*args: Any, **kwargs: Any) -> Any:
    """t = src0[i] - src1[i] in U; dst[i] = cast_RINT_saturate(max(0, t))

    In C++: SubReluCast. T, U: i8 <- f16, i8 <- i16, f16 <- f32.

    Limits: Lanes per repeat = 256/sizeof(wider type): 128 for b16->b8, 64 for float->half. Every tensor starts at a
    32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and
    source are the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to
    255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Contiguous use: dstRepStride 4 with srcRepStride 8. Rounding as CAST_NONE (=RINT). NaN -> 0 for int8
    output, +inf -> 127, negative -> 0. int16 rows: MAX sum -> 127, wrap or saturate of the 16-bit intermediate is
    (unclear; table implies saturate). float->half overflow: text says saturate, general half rule says inf by
    default (unclear; follow the global half saturation flag)
    """
    _only("sub_relu_cast")


@overload
def axpy(dst: LocalTensor, src: LocalTensor, scalar_value: float, count: int) -> None: ...
@overload
def axpy(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def axpy(
    dst: LocalTensor,
    src: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def axpy(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = dst[i] + src[i] * scalarValue (dst is read)

    In C++: Axpy. T, U: f16 <- f16, f32 <- f32, f32 <- f16.

    Limits: half->float: no overlap, 64 lanes per repeat, src uses 4 blocks (contiguous: dstRepStride 8,
    srcRepStride 4). Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or
    VECOUT). Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later
    repeat does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Not fused: product rounded to T, then sum rounded to T; for half->float the product is exact in float.
    (unclear for float,float->float: only the boundary table, which lists an intermediate inf, supports unfused)
    """
    _only("axpy")


@overload
def mul_add_dst(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def mul_add_dst(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def mul_add_dst(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def mul_add_dst(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] * src1[i] + dst[i] (dst is read)

    In C++: MulAddDst. T, U: f16 <- f16, f32 <- f32, f32 <- f16.

    Limits: half->float: no overlap, 64 lanes per repeat, contiguous strides {1,1,1,8,4,4}. Every tensor starts at a
    32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and
    source are the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to
    255. A count, repeatTime or mask of 0 writes nothing.

    Notes: half->float: 256 published values match exact product then one float rounding. Same-type: product rounded
    first (unclear for float). MAX*MAX overflows to inf for half but not for half->float.
    """
    _only("mul_add_dst")


@overload
def fused_mul_add(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def fused_mul_add(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def fused_mul_add(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def fused_mul_add(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = src0[i] * dst[i] + src1[i] (dst is read)

    In C++: FusedMulAdd. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Despite the name NOT a single-rounding fma for half: 256 of 256 published outputs match
    round(round(src0*dst)+src1), 70 of them contradict fma. (unclear for float; use the same rule)
    """
    _only("fused_mul_add")


@overload
def mul_add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def mul_add_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def mul_add_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def mul_add_relu(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = max(0, src0[i] * dst[i] + src1[i]) (dst is read)

    In C++: MulAddRelu. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Same unfused rounding as FusedMulAdd (verified on 256 half values); zero result is +0.
    """
    _only("mul_add_relu")


@overload
def fused_mul_add_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def fused_mul_add_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def fused_mul_add_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def fused_mul_add_relu(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = max(0, src0[i] * dst[i] + src1[i]) (dst is read)

    In C++: FusedMulAddRelu. T: f16, f32.

    Limits: Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).
    Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat
    does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Same unfused rounding as FusedMulAdd (verified on 256 half values); zero result is +0.
    """
    _only("fused_mul_add_relu")


@overload
def mul_cast(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def mul_cast(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def mul_cast(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def mul_cast(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = cast_RINT_saturate(round_half(src0[i] * src1[i]))

    In C++: MulCast. T, U: i8 <- f16, u8 <- f16.

    Limits: 128 lanes per repeat; dst uses 4 blocks (contiguous: dstRepStride 4, srcRepStride 8). Every tensor
    starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat,
    destination and source are the same bytes or disjoint; what a repeat wrote, a later repeat does not read.
    repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Inf -> MAX, -inf -> MIN of the 8-bit type, NaN -> 0.
    """
    _only("mul_cast")


@overload
def cast_dequant(
    dst: LocalTensor, src: LocalTensor, count: int, *, is_vec_deq: bool = True, half_block: bool = True
) -> None: ...
@overload
def cast_dequant(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
    is_vec_deq: bool = True,
    half_block: bool = True,
) -> None: ...
@overload
def cast_dequant(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
    is_vec_deq: bool = True,
    half_block: bool = True,
) -> None: ...
def cast_dequant(*args: Any, **kwargs: Any) -> Any:
    """b8: dst = sat8(round(src*scale) + offset) with one parameter set (isVecDeq=false) or set j = lane%16 of the UB
    table (isVecDeq=true); int32->half: dst = half_RINT(src*scale)

    In C++: CastDequant. T, U: f16 <- i32, i8 <- i16, u8 <- i16.

    Limits: SetDeqScale must precede (float form for isVecDeq=false, table form for true, half form for int32);
    signMode true <=> T int8_t, false <=> uint8_t; vdeq table needs 128 B. Every tensor starts at a 32-byte aligned
    address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are the same
    bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: b8 layout: each 32-byte source block (16 int16) makes 16 bytes inside one 32-byte dst block, so dst spans
    as many blocks as src (also in C form: 2*count bytes); halfBlock=true fills bytes 16..31, false bytes 0..15,
    other half untouched (unclear: prose, struct comment and example disagree on which half; the printed example
    shows bytes 16..31 for true; prose also says 8 outputs per block, the example 16). Scale is used as 1-8-10
    float, offset as signed 9 bits, output saturates. (unclear: rounding of src*scale before offset; use RINT.)
    int32->half is computed as (src/2^17)*scale*2^17; INT32_MAX -> inf (65504 saturated); isVecDeq/halfBlock
    ignored.
    """
    _only("cast_dequant")


@overload
def cast_deq(
    dst: LocalTensor, src: LocalTensor, count: int, *, is_vec_deq: bool = True, half_block: bool = True
) -> None: ...
@overload
def cast_deq(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
    is_vec_deq: bool = True,
    half_block: bool = True,
) -> None: ...
@overload
def cast_deq(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
    is_vec_deq: bool = True,
    half_block: bool = True,
) -> None: ...
def cast_deq(*args: Any, **kwargs: Any) -> Any:
    """b8: dst = sat8(round(src*scale) + offset) with one parameter set (isVecDeq=false) or set j = lane%16 of the UB
    table (isVecDeq=true); int32->half: dst = half_RINT(src*scale)

    In C++: CastDeq. T, U: f16 <- i32, i8 <- i16, u8 <- i16.

    Limits: SetDeqScale must precede (float form for isVecDeq=false, table form for true, half form for int32);
    signMode true <=> T int8_t, false <=> uint8_t; vdeq table needs 128 B. Every tensor starts at a 32-byte aligned
    address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are the same
    bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: b8 layout: each 32-byte source block (16 int16) makes 16 bytes inside one 32-byte dst block, so dst spans
    as many blocks as src (also in C form: 2*count bytes); halfBlock=true fills bytes 16..31, false bytes 0..15,
    other half untouched (unclear: prose, struct comment and example disagree on which half; the printed example
    shows bytes 16..31 for true; prose also says 8 outputs per block, the example 16). Scale is used as 1-8-10
    float, offset as signed 9 bits, output saturates. (unclear: rounding of src*scale before offset; use RINT.)
    int32->half is computed as (src/2^17)*scale*2^17; INT32_MAX -> inf (65504 saturated); isVecDeq/halfBlock
    ignored.
    """
    _only("cast_deq")


@overload
def add_deq_relu(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None: ...
@overload
def add_deq_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def add_deq_relu(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def add_deq_relu(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = max(0, half_RINT((src0[i]+src1[i]) * scale)), scale from SetDeqScale(half)

    In C++: AddDeqRelu. T, U: f16 <- i32.

    Limits: 64 lanes per repeat (contiguous strides {1,1,1,4,8,8}); uses reserved UB: min(count*4, 8192) bytes, so
    unavailable when the reserved area is disabled. Every tensor starts at a 32-byte aligned address of the Unified
    Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are the same bytes or disjoint;
    what a repeat wrote, a later repeat does not read. repeatTime is 0 to 255. A count, repeatTime or mask of 0
    writes nothing.

    Notes: Dequantisation is scaled by 2^-17 and back to avoid overflow; emulate as exact product rounded once.
    (unclear: int32 sum overflow; wrap) Tensors of TensorTraits: template<T,U> with T = half, U = int32_t, and
    template<T,U,bool isSetMask=true>.
    """
    _only("add_deq_relu")


@overload
def compare(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, cmp_mode: CMPMODE, count: int) -> None: ...
@overload
def compare(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    cmp_mode: CMPMODE,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def compare(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    cmp_mode: CMPMODE,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def compare(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, cmp_mode: CMPMODE) -> None: ...
@overload
def compare(
    src0: LocalTensor,
    src1: LocalTensor,
    cmp_mode: CMPMODE,
    mask: Sequence[int],
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def compare(
    src0: LocalTensor,
    src1: LocalTensor,
    cmp_mode: CMPMODE,
    mask: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def compare(*args: Any, **kwargs: Any) -> Any:
    """bit i of dst (byte i/8, bit i%8, LSB first) = src0[i] cmp src1[i].

    CMPMASK bit l = src0[lane l] cmp src1[lane l] for one 256-byte repeat (128 half or 64 float lanes)

    In C++: Compare. U, T: i8 <- f16, u8 <- f16, i8 <- f32, u8 <- f32, i8 <- i32, u8 <- i32. T: f16, f32.

    Limits: count*sizeof(T) must be a multiple of 256: only whole 256-byte groups are computed, the tail is skipped;
    W needs 256-byte multiples. Only the block strides of src0/src1 matter; repeat count is 1. Every tensor starts
    at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). repeatTime is 0 to 255. A count,
    repeatTime or mask of 0 writes nothing.

    Notes: mask/mask[] have no effect on dav-2201 (unclear: one printed example, product not named, shows a masked
    result and 127 for eight true bits; ignore it). Repeat r writes 256/sizeof(T)/8 bytes (16 half, 8 32-bit) packed
    one after another; dst strides do not spread them (unclear: not stated; the strided and plain examples print the
    same packed bytes). Any NaN operand gives 0 for every mode including NE. +0 == -0.

    Notes: Vector mask selects the compared lanes; bits of masked-off lanes and bits 64..127 for float are (unclear;
    write 0). Result consumed by Select no-mask form (mode 0) or GetCmpMask.
    """
    _only("compare")


@overload
def compares(dst: LocalTensor, src0: LocalTensor, src1_scalar: float, cmp_mode: CMPMODE, count: int) -> None: ...
@overload
def compares(
    dst: LocalTensor,
    src0: LocalTensor,
    src1_scalar: float,
    cmp_mode: CMPMODE,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def compares(
    dst: LocalTensor,
    src0: LocalTensor,
    src1_scalar: float,
    cmp_mode: CMPMODE,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def compares(*args: Any, **kwargs: Any) -> Any:
    """bit i of dst = src0[i] cmp src1Scalar (same packing as Compare)

    In C++: Compares. U, T: u8 <- f16, u8 <- f32, u8 <- i32.

    Limits: count*sizeof(T) multiple of 256. Every tensor starts at a 32-byte aligned address of the Unified Buffer
    (VECIN, VECCALC or VECOUT). repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Mask has no effect on dav-2201. NaN rule as Compare (unclear: the saturation column shows NE against a
    NaN scalar as 1 while the footnote says 0; use 0)
    """
    _only("compares")


@overload
def compare_scalar(dst: LocalTensor, src0: LocalTensor, src1_scalar: float, cmp_mode: CMPMODE, count: int) -> None: ...
@overload
def compare_scalar(
    dst: LocalTensor,
    src0: LocalTensor,
    src1_scalar: float,
    cmp_mode: CMPMODE,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def compare_scalar(
    dst: LocalTensor,
    src0: LocalTensor,
    src1_scalar: float,
    cmp_mode: CMPMODE,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def compare_scalar(*args: Any, **kwargs: Any) -> Any:
    """bit i of dst = src0[i] cmp src1Scalar (same packing as Compare)

    In C++: CompareScalar. U, T: u8 <- f16, u8 <- f32, u8 <- i32.

    Limits: count*sizeof(T) multiple of 256. Every tensor starts at a 32-byte aligned address of the Unified Buffer
    (VECIN, VECCALC or VECOUT). repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Mask has no effect on dav-2201. NaN rule as Compare (unclear: the saturation column shows NE against a
    NaN scalar as 1 while the footnote says 0; use 0)
    """
    _only("compare_scalar")


def get_cmp_mask(dst: LocalTensor) -> None:
    """Store the 128-bit CMPMASK register to dst (16 bytes, bit 0 = LSB of byte 0)

    In C++: GetCmpMask. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32.

    Limits: dst 16-byte aligned and at least 128 bytes long.

    Notes: (unclear: what the other 112 bytes receive; leave them)
    """
    _only("get_cmp_mask")


def set_cmp_mask(src: LocalTensor) -> None:
    """Load CMPMASK (128 bits) from the first 16 bytes of src.

    In C++: SetCmpMask. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.

    Limits: src 16-byte aligned.

    Notes: Meaning depends on the following Select no-mask form: mode 0 = selection bits; mode 1 = scalar in the
    first element (type T of Select); mode 2 = UB address of the selection bits in the low bits (host-debug code
    stores a 64-bit pointer value, device code a 32-bit address, so accept what GetPhyAddr returns)
    """
    _only("set_cmp_mask")


@overload
def select(
    dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: float, sel_mode: SELMODE, count: int
) -> None: ...
@overload
def select(
    dst: LocalTensor,
    sel_mask: LocalTensor,
    src0: LocalTensor,
    src1: float,
    sel_mode: SELMODE,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def select(
    dst: LocalTensor,
    sel_mask: LocalTensor,
    src0: LocalTensor,
    src1: float,
    sel_mode: SELMODE,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def select(
    dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: LocalTensor, sel_mode: SELMODE, count: int
) -> None: ...
@overload
def select(
    dst: LocalTensor,
    sel_mask: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    sel_mode: SELMODE,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def select(
    dst: LocalTensor,
    sel_mask: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    sel_mode: SELMODE,
    mask: int,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def select(
    sel_mode: SELMODE,
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
) -> None: ...
@overload
def select(
    dst: LocalTensor,
    src0: LocalTensor,
    src1: LocalTensor,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
    *,
    sel_mode: SELMODE,
) -> None: ...
@overload
def select(
    dst: LocalTensor,
    sel_mask: LocalTensor,
    src0: LocalTensor,
    repeat_time: int,
    repeat_params: BinaryRepeatParams | Sequence[Any],
) -> None: ...
def select(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = bit(selMask,i) ? src0[i] : src1; selMode = VSEL_TENSOR_SCALAR_MODE.

    dst[i] = bit(selMask,k) ? src0[i] : src1[i]; mode 2: k = i; mode 0: k = i mod E (first E bits reused by every
    repeat)

    As the two rows above; selection source comes from SetCmpMask (mode 0 bits, mode 2 address of bits, mode 1
    scalar) and lane mask from SetVectorMask.

    In C++: Select. T, U: f16 <- u8, f16 <- u16, f16 <- u32, f16 <- u64, f32 <- u8, f32 <- u16, f32 <- u32, f32 <-
    u64. T: f16, f32.

    Limits: Uses the 8 KB reserved UB (every Select overload is rejected at compile time when that area is
    disabled). Mode 2 uses the 8 KB reserved UB (every Select overload is rejected at compile time when that area is
    disabled). Call SetCmpMask and SetVectorMask first, PipeBarrier<PIPE_V> between. Every tensor starts at a
    32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and
    source are the same bytes or disjoint; what a repeat wrote, a later repeat does not read. repeatTime is 0 to
    255. A count, repeatTime or mask of 0 writes nothing.

    Notes: Repeat r consumes bits r*E .. r*E+E-1, E = 256/sizeof(T), contiguous across repeats. Vector mask keeps
    dst where 0. src1 strides of the params are ignored. Bit order LSB first (verified on 256 published values)

    Notes: E = 256/sizeof(T). Mode 0 = VSEL_CMPMASK_SPR (CMPMASK is overwritten with the first 128 selMask bits),
    mode 2 = VSEL_TENSOR_TENSOR_MODE. Both verified on 256 published values each.

    Notes: Works in Normal or Counter mode as set outside.
    """
    _only("select")


@overload
def gather_mask(
    dst: LocalTensor,
    src0: LocalTensor,
    src1_pattern: LocalTensor,
    reduce_mode: bool,
    mask: int,
    p: GatherMaskParams | Sequence[Any],
    *,
    mode: GatherMaskMode = GatherMaskMode.VERSION_V2,
) -> int: ...
@overload
def gather_mask(
    dst: LocalTensor,
    src0: LocalTensor,
    src1_pattern: int,
    reduce_mode: bool,
    mask: int,
    p: GatherMaskParams | Sequence[Any],
    *,
    mode: GatherMaskMode = GatherMaskMode.VERSION_V2,
) -> int: ...
def gather_mask(*args: Any, **kwargs: Any) -> Any:
    """Append to dst every src0 element whose pattern bit is 1, packed, in order over all repeats; rsvdCnt = number
    appended.

    As user pattern with bit k = 1 iff: 1: k even; 2: k odd; 3/4/5/6: k%4 = 0/1/2/3; 7: always.

    In C++: GatherMask. T, U: i16 <- u16, u16 <- u16, f16 <- u16, bf16 <- u16, i32 <- u32, u32 <- u32, f32 <- u32.
    T: i16, u16, f16, bf16, i32, u32, f32.

    Limits: in-place dst==src0 works; p.repeatTimes 0 = NOP, 16-bit field (unclear: whether the general 255 limit
    applies). src1Pattern in 1..7; src1RepeatStride ignored. Every tensor starts at a 32-byte aligned address of the
    Unified Buffer (VECIN, VECCALC or VECOUT). Within one repeat, destination and source are the same bytes or
    disjoint; what a repeat wrote, a later repeat does not read.

    Notes: N = elements per repeat: reduceMode=false -> 256/sizeof(T), mask ignored (pass 0); reduceMode=true ->
    mask (1..2^32-1), repeatTimes still counts on dav-2201. Repeat r element k: src0 byte r*src0RepeatStride*32 +
    blk*src0BlockStride*32 + in-block, blk=floor(k*sizeof(T)/32) (may exceed 8); pattern bit k counted LSB first
    from src1 byte r*src1RepeatStride*32. Ends with mask mode = Normal, so re-enter Counter mode afterwards if
    needed.

    Notes: K restarts at 0 in every repeat. See user pattern row for N, addressing and side effects.
    """
    _only("gather_mask")


@overload
def cast(dst: LocalTensor, src: LocalTensor, round_mode: RoundMode, count: int) -> None: ...
@overload
def cast(
    dst: LocalTensor,
    src: LocalTensor,
    round_mode: RoundMode,
    mask: Sequence[int],
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def cast(
    dst: LocalTensor,
    src: LocalTensor,
    round_mode: RoundMode,
    mask: int,
    repeat_time: int,
    repeat_params: UnaryRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def cast(U: Element, round_mode: RoundMode, value_in: float, *, T: Element | None = None) -> float: ...
@overload
def cast(U: Element, value_in: float, *, round_mode: RoundMode, T: Element | None = None) -> float: ...
@overload
def cast(f_val: float) -> float: ...
@overload
def cast(b_val: float) -> float: ...
def cast(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = convert(src[i], roundMode) per cast table.

    Scalar conversion with the given rounding.

    Round to nearest even.

    Exact widening (bits << 16)

    In C++: Cast. T, U: f16 <- i4, f16 <- i8, f16 <- u8, f16 <- i16, f32 <- i16, i4 <- f16, i8 <- f16, u8 <- f16,
    i16 <- f16, i32 <- f16, f32 <- f16, i32 <- bf16, f32 <- bf16, i16 <- i32, f16 <- i32, f32 <- i32, i64 <- i32,
    i16 <- f32, f16 <- f32, bf16 <- f32, i32 <- f32, f32 <- f32, i64 <- f32, i32 <- i64, f32 <- i64. T, U: f32 <-
    f16, f32 <- i32.

    Limits: OV, and narrow->wide must not overlap; lanes per repeat = 256/sizeof(wider type), mask counted in those
    lanes. Only the listed (type, mode) combinations. integer literals must be cast to float first. Every tensor
    starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). repeatTime is 0 to 255. A
    count, repeatTime or mask of 0 writes nothing.

    Notes: int4b_t: count and contiguous mask must be even, mask bits 2k and 2k+1 equal; element 2k is the low
    nibble; obtain the tensor by ReinterpretCast from an int8_t tensor of half the element count. int32_t->half
    ignores roundMode and multiplies by SetDeqScale(half)

    Notes: Examples: 0.1f ODD -> half 0x2E67; 4.5f RINT -> 4, ROUND -> 5.

    Notes: Only way to build a bfloat16_t value from a number.

    Notes: NaN and inf preserved.
    """
    _only("cast")


@overload
def set_deq_scale(scale: float) -> None: ...
@overload
def set_deq_scale(scale: float, offset: int, sign_mode: bool) -> None: ...
@overload
def set_deq_scale(vdeq: LocalTensor, vdeq_info: VdeqInfo | Sequence[Any]) -> None: ...
def set_deq_scale(*args: Any, **kwargs: Any) -> Any:
    """DEQSCALE[15:0] = bits of scale.

    DEQSCALE[31:0] = float bits of scale, [45:37] = offset as signed 9 bits, [46] = signMode.

    vdeq[j] = packed (scale_j, offset_j, sign_j) in the bit layout of the previous row, j=0..15; DEQSCALE[13:0] = UB
    location of vdeq.

    In C++: SetDeqScale. T: f16. T: f32. T: u64.

    Limits: Set before AddDeqRelu, Cast int32_t->half, CastDequant int32_t->half. For CastDequant with
    isVecDeq=false and int16_t input. vdeq 32-byte aligned, 128 bytes; must stay alive until the CastDequant calls.

    Notes: InitSocState on dav-2201 does not initialise it, so the value is unspecified until set (unclear: pipe not
    listed)

    Notes: Scale mantissa is used with 10 bits (unclear: truncated or rounded; truncate)

    Notes: CastDequant isVecDeq=true reads the 16 entries from UB when it executes.
    """
    _only("set_deq_scale")


@overload
def scalar_cast(U: Element, round_mode: RoundMode, value_in: float, *, T: Element | None = None) -> float: ...
@overload
def scalar_cast(U: Element, value_in: float, *, round_mode: RoundMode, T: Element | None = None) -> float: ...
def scalar_cast(*args: Any, **kwargs: Any) -> Any:
    """Scalar conversion with the given rounding.

    In C++: ScalarCast. T, U: f32 <- f16, f32 <- i32.

    Limits: Only the listed (type, mode) combinations.

    Notes: Examples: 0.1f ODD -> half 0x2E67; 4.5f RINT -> 4, ROUND -> 5.
    """
    _only("scalar_cast")


def to_bfloat16(f_val: float) -> float:
    """Round to nearest even.

    In C++: ToBfloat16.

    Limits: integer literals must be cast to float first.

    Notes: Only way to build a bfloat16_t value from a number.
    """
    _only("to_bfloat16")


def to_float(b_val: float) -> float:
    """Exact widening (bits << 16)

    In C++: ToFloat.

    Notes: NaN and inf preserved.
    """
    _only("to_float")


@overload
def set_saturation_flag(mode: SaturationMode, enable_sat: bool) -> None: ...
@overload
def set_saturation_flag(enable_sat: bool, *, mode: SaturationMode) -> None: ...
def set_saturation_flag(*args: Any, **kwargs: Any) -> Any:
    """FLOAT true: inf -> +-MAX, NaN -> 0 on every half result (bfloat16_t: cast results); CAST false: overflowing
    integer casts keep the low bits instead of clamping.

    In C++: SetSaturationFlag.

    Notes: (unclear: default. Register description says 0 = saturating is the reset value; the vector boundary
    appendix and reduction page say half defaults to inf/NaN. Make it configurable, default inf/NaN.) (unclear: CAST
    has no control bit on dav-2201 although the call is listed as supported)
    """
    _only("set_saturation_flag")


@overload
def get_saturation_flag(mode: SaturationMode) -> bool: ...
@overload
def get_saturation_flag(*, mode: SaturationMode) -> bool: ...
def get_saturation_flag(*args: Any, **kwargs: Any) -> Any:
    """Returns the current flag.

    In C++: GetSaturationFlag.
    """
    _only("get_saturation_flag")


@overload
def set_ctrl_spr(start_bit: int, end_bit: int, value: int) -> None: ...
@overload
def set_ctrl_spr(value: int, *, start_bit: int, end_bit: int) -> None: ...
def set_ctrl_spr(*args: Any, **kwargs: Any) -> Any:
    """write/read CTRL[endBit:startBit]; CTRL[48]: 0 = saturate half/bfloat16_t results, 1 = keep inf/NaN.

    In C++: SetCtrlSpr.

    Limits: dav-2201 supports only bit 48 for writing; value must fit the field.

    Notes: Same flag as SetSaturationFlag<FLOAT> inverted. ResetCtrlSpr does not exist on dav-2201.
    """
    _only("set_ctrl_spr")


@overload
def get_ctrl_spr(start_bit: int, end_bit: int) -> int: ...
@overload
def get_ctrl_spr(*, start_bit: int, end_bit: int) -> int: ...
def get_ctrl_spr(*args: Any, **kwargs: Any) -> Any:
    """write/read CTRL[endBit:startBit]; CTRL[48]: 0 = saturate half/bfloat16_t results, 1 = keep inf/NaN.

    In C++: GetCtrlSpr.

    Limits: dav-2201 supports only bit 48 for writing; value must fit the field.

    Notes: Same flag as SetSaturationFlag<FLOAT> inverted. ResetCtrlSpr does not exist on dav-2201.
    """
    _only("get_ctrl_spr")


@overload
def reduce_data_block(
    reduce_type: ReduceType,
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_data_block(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    reduce_type: ReduceType,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_data_block(
    reduce_type: ReduceType,
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_data_block(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    reduce_type: ReduceType,
    is_set_mask: bool = True,
) -> None: ...
def reduce_data_block(*args: Any, **kwargs: Any) -> Any:
    """One result per 32-byte source block: op over its active lanes; result b of repeat r at dst +
    r*dstRepStride*(8*sizeof(T)) + b*sizeof(T) bytes.

    In C++: ReduceDataBlock. T, U: f16 <- f16, f32 <- f32.

    Limits: src 32-byte aligned; dst 16-byte (half) / 32-byte (float) aligned; repeatTime 0..255; strides 0..65535.
    A count, repeatTime or mask of 0 writes nothing. Within one repeat, destination and source are the same bytes or
    disjoint; what a repeat wrote, a later repeat does not read.

    Notes: dstRepStride unit 16 B half, 32 B float. SUM by adjacent-pair binary tree, every node rounded to T. Block
    with no active lane: dst element not written. Counter mode allowed: block count = ceil(n/elements per block)
    """
    _only("reduce_data_block")


@overload
def reduce_repeat(
    reduce_type: ReduceType,
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_repeat(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    reduce_type: ReduceType,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_repeat(
    reduce_type: ReduceType,
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_repeat(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    reduce_type: ReduceType,
    is_set_mask: bool = True,
) -> None: ...
def reduce_repeat(*args: Any, **kwargs: Any) -> Any:
    """One result per repeat over active lanes; MAX/MIN also yield the lane index within the repeat, smallest index on
    ties.

    In C++: ReduceRepeat. T, U: f16 <- f16, f32 <- f32.

    Limits: src 32-byte aligned; repeatTime 0..255; strides 0..65535; dst alignment = dstRepStride unit: SUM and
    ONLY_VALUE sizeof(T); VALUE_INDEX and INDEX_VALUE 2*sizeof(T); ONLY_INDEX 4 bytes. A count, repeatTime or mask
    of 0 writes nothing. Within one repeat, destination and source are the same bytes or disjoint; what a repeat
    wrote, a later repeat does not read.

    Notes: Order ignored for SUM. Index stored as raw integer bits: 16-bit for half, 32-bit for float; ONLY_INDEX
    always uint32_t. SUM is an adjacent-pair tree over 128/64 lanes. NaN in any active lane -> NaN (index then
    unclear). In Counter mode ceil(n/E) repeats run, last one partial; in-place chains dst==src work because repeats
    run in order. Updates the max/min readback register.
    """
    _only("reduce_repeat")


@overload
def reduce_pair_elem(
    reduce_type: ReduceType,
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_pair_elem(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    reduce_type: ReduceType,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_pair_elem(
    reduce_type: ReduceType,
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def reduce_pair_elem(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    reduce_type: ReduceType,
    is_set_mask: bool = True,
) -> None: ...
def reduce_pair_elem(*args: Any, **kwargs: Any) -> Any:
    """dst[r*(E/2)+k] = src lane 2k + src lane 2k+1 of repeat r, E = 256/sizeof(T)

    In C++: ReducePairElem. T, U: f16 <- f16, f32 <- f32.

    Limits: repeatTime 0..255; strides 0..65535; dstRepStride unit 128 bytes. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT). A count, repeatTime or mask of 0 writes
    nothing. Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later
    repeat does not read.

    Notes: Both lanes masked off: dst element kept. Exactly one active: (unclear; result is that lane alone)
    """
    _only("reduce_pair_elem")


@overload
def reduce_max(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, count: int, cal_index: bool = False
) -> None: ...
@overload
def reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    shared_tmp_buffer: LocalTensor,
    mask: int,
    repeat_time: int,
    src_rep_stride: int,
    cal_index: bool = False,
) -> None: ...
@overload
def reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    shared_tmp_buffer: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    src_rep_stride: int,
    cal_index: bool = False,
) -> None: ...
def reduce_max(*args: Any, **kwargs: Any) -> Any:
    """dst[0] = max/min of src[0..count); if calIndex dst[1] = bits of its index (smallest on ties)

    max/min over active lanes of all repeats, source block stride 1; dst as in count form.

    In C++: ReduceMax. T: f16, f32.

    Limits: src and sharedTmpBuffer 32-byte aligned; dst aligned as ReduceRepeat value/index; count fits UB; tmp
    size in notes; dst may overlap tmp; tmp may reuse src; a count of 0 writes nothing. As count form with R =
    repeatTime; repeatTime up to INT32_MAX; srcRepStride 0..65535 blocks. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: Only dst[0] written when calIndex is false. half index limited to 65535. Tmp elements: Eb=32/sizeof(T),
    E=256/sizeof(T), R=ceil(count/E) min 1, up(x)=ceil to Eb multiple; no index: up(2R); index: n2=2*ceil(2R/E);
    up(2R)+up(n2), plus up(2*ceil(n2/E)) if n2>2. Tmp content is clobbered. NaN propagates; in half saturation mode
    each repeat with a NaN yields 0 which then competes.

    Notes: Index = repeat*E + lane for full masks and srcRepStride 8 (unclear for other strides or partial masks;
    use repeat*E + lane)
    """
    _only("reduce_max")


@overload
def reduce_min(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, count: int, cal_index: bool = False
) -> None: ...
@overload
def reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    shared_tmp_buffer: LocalTensor,
    mask: int,
    repeat_time: int,
    src_rep_stride: int,
    cal_index: bool = False,
) -> None: ...
@overload
def reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    shared_tmp_buffer: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    src_rep_stride: int,
    cal_index: bool = False,
) -> None: ...
def reduce_min(*args: Any, **kwargs: Any) -> Any:
    """dst[0] = max/min of src[0..count); if calIndex dst[1] = bits of its index (smallest on ties)

    max/min over active lanes of all repeats, source block stride 1; dst as in count form.

    In C++: ReduceMin. T: f16, f32.

    Limits: src and sharedTmpBuffer 32-byte aligned; dst aligned as ReduceRepeat value/index; count fits UB; tmp
    size in notes; dst may overlap tmp; tmp may reuse src; a count of 0 writes nothing. As count form with R =
    repeatTime; repeatTime up to INT32_MAX; srcRepStride 0..65535 blocks. A count, repeatTime or mask of 0 writes
    nothing.

    Notes: Only dst[0] written when calIndex is false. half index limited to 65535. Tmp elements: Eb=32/sizeof(T),
    E=256/sizeof(T), R=ceil(count/E) min 1, up(x)=ceil to Eb multiple; no index: up(2R); index: n2=2*ceil(2R/E);
    up(2R)+up(n2), plus up(2*ceil(n2/E)) if n2>2. Tmp content is clobbered. NaN propagates; in half saturation mode
    each repeat with a NaN yields 0 which then competes.

    Notes: Index = repeat*E + lane for full masks and srcRepStride 8 (unclear for other strides or partial masks;
    use repeat*E + lane)
    """
    _only("reduce_min")


@overload
def reduce_sum(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, count: int, *, is_set_mask: bool = True
) -> None: ...
@overload
def reduce_sum(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, mask: int, repeat_time: int, src_rep_stride: int
) -> None: ...
@overload
def reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    shared_tmp_buffer: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    src_rep_stride: int,
) -> None: ...
def reduce_sum(*args: Any, **kwargs: Any) -> Any:
    """dst[0] = sequential sum over repeats of per-repeat tree sums; also latched for GetReduceRepeatSumSpr.

    Round 1: tree sum per repeat; further rounds: tree sums over the packed partials in groups of E until one value;
    dst[0] = it.

    In C++: ReduceSum. T: f16, f32.

    Limits: src 32-byte aligned; dst sizeof(T) aligned; tmp of any size is accepted and unused. src, tmp 32-byte
    aligned; tmp >= ceil(repeatTime/Eb)*Eb elements, Eb=32/sizeof(T); dst may overlap tmp; repeatTime up to
    INT32_MAX. A count, repeatTime or mask of 0 writes nothing.

    Notes: Only dst[0] is written. Accumulator precision between repeats (unclear: T assumed, rounded after each
    addition). Partial last repeat: absent lanes do not take part.

    Notes: Differs from the count form in accumulation order, so low bits may differ. Not readable through
    GetReduceRepeatSumSpr.
    """
    _only("reduce_sum")


def get_reduce_repeat_max_min_spr(T: Element) -> tuple[float, int]:
    """Value and raw-bit index of the extreme over all repeats of the last ReduceRepeat<MAX/MIN>; value only (index
    invalid) after ReduceMax/ReduceMin.

    In C++: GetReduceRepeatMaxMinSpr. T: f16, f32.

    Limits: Reduction must use srcBlkStride 1, srcRepStride 8 and Normal mask mode; needs a V->S event before.

    Notes: Index encoding as ReduceRepeat (unclear: global element index or lane index for repeatTime > 1; use
    repeat*E + lane)
    """
    _only("get_reduce_repeat_max_min_spr")


def get_reduce_max_min_count(T: Element) -> tuple[float, int]:
    """Value and raw-bit index of the extreme over all repeats of the last ReduceRepeat<MAX/MIN>; value only (index
    invalid) after ReduceMax/ReduceMin.

    In C++: GetReduceMaxMinCount. T: f16, f32.

    Limits: Reduction must use srcBlkStride 1, srcRepStride 8 and Normal mask mode; needs a V->S event before.

    Notes: Index encoding as ReduceRepeat (unclear: global element index or lane index for repeatTime > 1; use
    repeat*E + lane)
    """
    _only("get_reduce_max_min_count")


def get_reduce_repeat_sum_spr(T: Element) -> float:
    """Returns the result of the last ReduceSum (count)

    In C++: GetReduceRepeatSumSpr. T: f16, f32.

    Limits: Only after ReduceSum (count); needs a V->S event before.
    """
    _only("get_reduce_repeat_sum_spr")


def get_acc_val(T: Element) -> float:
    """Returns the result of the last ReduceSum (count)

    In C++: GetAccVal. T: f16, f32.

    Limits: Only after ReduceSum (count); needs a V->S event before.
    """
    _only("get_acc_val")


@overload
def block_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def block_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: Sequence[int],
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
def block_reduce_sum(*args: Any, **kwargs: Any) -> Any:
    """ReduceDataBlock with repeatTime BEFORE mask.

    In C++: BlockReduceSum. T: f16, f32.

    Limits: As ReduceDataBlock.

    Notes: Argument order changed in the rename; old signature from the 8.x/9.0 public reference.
    """
    _only("block_reduce_sum")


@overload
def block_reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def block_reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: Sequence[int],
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
def block_reduce_max(*args: Any, **kwargs: Any) -> Any:
    """ReduceDataBlock with repeatTime BEFORE mask.

    In C++: BlockReduceMax. T: f16, f32.

    Limits: As ReduceDataBlock.

    Notes: Argument order changed in the rename; old signature from the 8.x/9.0 public reference.
    """
    _only("block_reduce_max")


@overload
def block_reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def block_reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: Sequence[int],
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
def block_reduce_min(*args: Any, **kwargs: Any) -> Any:
    """ReduceDataBlock with repeatTime BEFORE mask.

    In C++: BlockReduceMin. T: f16, f32.

    Limits: As ReduceDataBlock.

    Notes: Argument order changed in the rename; old signature from the 8.x/9.0 public reference.
    """
    _only("block_reduce_min")


@overload
def whole_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def whole_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
def whole_reduce_sum(*args: Any, **kwargs: Any) -> Any:
    """ReduceRepeat<SUM>, same argument order.

    In C++: WholeReduceSum. T: f16, f32.

    Limits: As ReduceRepeat.

    Notes: Signature inferred from the rename table (order unchanged) and the sibling old names.
    """
    _only("whole_reduce_sum")


@overload
def whole_reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def whole_reduce_max(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    is_set_mask: bool = True,
) -> None: ...
def whole_reduce_max(*args: Any, **kwargs: Any) -> Any:
    """ReduceRepeat<MAX/MIN>, same argument order.

    In C++: WholeReduceMax. T: f16, f32.

    Limits: As ReduceRepeat.

    Notes: Old signature from the 8.x/9.0 public reference.
    """
    _only("whole_reduce_max")


@overload
def whole_reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def whole_reduce_min(
    dst: LocalTensor,
    src: LocalTensor,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    order: ReduceOrder = ReduceOrder.ORDER_VALUE_INDEX,
    *,
    is_set_mask: bool = True,
) -> None: ...
def whole_reduce_min(*args: Any, **kwargs: Any) -> Any:
    """ReduceRepeat<MAX/MIN>, same argument order.

    In C++: WholeReduceMin. T: f16, f32.

    Limits: As ReduceRepeat.

    Notes: Old signature from the 8.x/9.0 public reference.
    """
    _only("whole_reduce_min")


def repeat_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: int,
    dst_blk_stride: int,
    src_blk_stride: int,
    dst_rep_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None:
    """ReduceRepeat<SUM> with reordered arguments; dstBlkStride has no effect.

    In C++: RepeatReduceSum. T: f16, f32.

    Limits: As ReduceRepeat; contiguous mask only.

    Notes: Documented for dav-2201 but not for A3 in the old reference. Old signature from the 8.x/9.0 public
    reference.
    """
    _only("repeat_reduce_sum")


@overload
def pair_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: int,
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def pair_reduce_sum(
    dst: LocalTensor,
    src: LocalTensor,
    repeat_time: int,
    mask: Sequence[int],
    dst_rep_stride: int,
    src_blk_stride: int,
    src_rep_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
def pair_reduce_sum(*args: Any, **kwargs: Any) -> Any:
    """ReducePairElem with repeatTime BEFORE mask.

    In C++: PairReduceSum. T: f16, f32.

    Limits: As ReducePairElem.

    Notes: Old signature from the 8.x/9.0 public reference.
    """
    _only("pair_reduce_sum")


@overload
def duplicate(dst: LocalTensor, scalar_value: float, count: int) -> None: ...
@overload
def duplicate(
    dst: LocalTensor,
    scalar_value: float,
    mask: Sequence[int],
    repeat_time: int,
    dst_block_stride: int,
    dst_repeat_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
@overload
def duplicate(
    dst: LocalTensor,
    scalar_value: float,
    mask: int,
    repeat_time: int,
    dst_block_stride: int,
    dst_repeat_stride: int,
    *,
    is_set_mask: bool = True,
) -> None: ...
def duplicate(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = scalarValue on active lanes.

    In C++: Duplicate. T: i16, u16, f16, bf16, i32, u32, f32.

    Limits: Strides in 32-byte blocks. Every tensor starts at a 32-byte aligned address of the Unified Buffer
    (VECIN, VECCALC or VECOUT). repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: The overload taking a source tensor does not exist on dav-2201; 8-bit types are not accepted (reinterpret
    as 16-bit)
    """
    _only("duplicate")


def brcb(dst: LocalTensor, src: LocalTensor, repeat_time: int, p: BrcbRepeatParams | Sequence[Any]) -> None:
    """For r, j in 0..7: the 32-byte block at dst + (r*dstRepStride + j*dstBlkStride)*32 is filled with src[8*r + j].

    In C++: Brcb. T: i16, u16, f16, bf16, i32, u32, f32.

    Limits: src holds >= 8*repeatTime elements read contiguously; src and dst must not overlap; repeatTime 0..255, 0
    = NOP. Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: No mask. dstBlkStride 0: prose says undefined, pseudo code treats it as 1 (unclear; use 1)
    """
    _only("brcb")


@overload
def create_vec_index(dst: LocalTensor, first_value: float, count: int) -> None: ...
@overload
def create_vec_index(
    dst: LocalTensor,
    first_value: float,
    mask: Sequence[int],
    repeat_time: int,
    dst_blk_stride: int,
    dst_rep_stride: int,
) -> None: ...
@overload
def create_vec_index(
    dst: LocalTensor, first_value: float, mask: int, repeat_time: int, dst_blk_stride: int, dst_rep_stride: int
) -> None: ...
def create_vec_index(*args: Any, **kwargs: Any) -> Any:
    """count: dst[i] = firstValue + i; repeat: lane l of repeat r gets firstValue + r*E + l, E = 256/sizeof(T)

    In C++: CreateVecIndex. T: i16, f16, i32, f32.

    Limits: Values must stay in range of T. Every tensor starts at a 32-byte aligned address of the Unified Buffer
    (VECIN, VECCALC or VECOUT). repeatTime is 0 to 255. A count, repeatTime or mask of 0 writes nothing.

    Notes: A,M take dst by non-const reference (named tensor needed). Overflow and NaN behave as Adds. (unclear:
    numbering across repeats when the mask is shorter than E, and half rounding above 2048; compute firstValue +
    index in T. The mask summary says masks are unsupported here although A,M take one; honour it)
    """
    _only("create_vec_index")


def arange(dst: LocalTensor, first_value: float, diff_value: float, count: int) -> None:
    """dst[i] = firstValue + i*diffValue.

    In C++: Arange. T: i16, f16, i32, f32.

    Limits: count > 0; diffValue >= 0; dst holds count elements. Every tensor starts at a 32-byte aligned address of
    the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: Built as: first 8 values by scalar stores, then blocks of 8 up to 64 by Adds of 8*diff, then blocks of 64
    by Adds, so floating results follow that add chain. Host helper GetArangeMaxMinTmpSize(uint32_t& maxValue,
    uint32_t& minValue) returns 0, 0.
    """
    _only("arange")


def arith_progression(dst: LocalTensor, first_value: float, diff_value: float, count: int) -> None:
    """dst[i] = firstValue + i*diffValue.

    In C++: ArithProgression. T: i16, f16, i32, f32.

    Limits: count > 0; diffValue >= 0; dst holds count elements. Every tensor starts at a 32-byte aligned address of
    the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: Built as: first 8 values by scalar stores, then blocks of 8 up to 64 by Adds of 8*diff, then blocks of 64
    by Adds, so floating results follow that add chain. Host helper GetArangeMaxMinTmpSize(uint32_t& maxValue,
    uint32_t& minValue) returns 0, 0.
    """
    _only("arith_progression")


def fill(gm_workspace_addr: GlobalTensor, size: int, value: float) -> None:
    """gm[0..size) = value via a UB staging buffer.

    In C++: Fill. T: u16, i16, f16, u32, i32, f32.

    Limits: Call before any InitBuffer; later UB use needs MTE3->MTE2 sync; consecutive fills with different values
    need MTE3->V sync; cores not mutually synchronised.

    Notes: The cube-side Fill for L1/L0 (old InitConstValue) is a different API.
    """
    _only("fill")


def init_global_memory(gm_workspace_addr: GlobalTensor, size: int, value: float) -> None:
    """gm[0..size) = value via a UB staging buffer.

    In C++: InitGlobalMemory. T: u16, i16, f16, u32, i32, f32.

    Limits: Call before any InitBuffer; later UB use needs MTE3->MTE2 sync; consecutive fills with different values
    need MTE3->V sync; cores not mutually synchronised.

    Notes: The cube-side Fill for L1/L0 (old InitConstValue) is a different API.
    """
    _only("init_global_memory")


@overload
def gather(dst: LocalTensor, src: LocalTensor, src_offset: LocalTensor, src_base_addr: int, count: int) -> None: ...
@overload
def gather(
    dst: LocalTensor,
    src: LocalTensor,
    src_offset: LocalTensor,
    src_base_addr: int,
    mask: Sequence[int],
    repeat_time: int,
    dst_rep_stride: int,
) -> None: ...
@overload
def gather(
    dst: LocalTensor,
    src: LocalTensor,
    src_offset: LocalTensor,
    src_base_addr: int,
    mask: int,
    repeat_time: int,
    dst_rep_stride: int,
) -> None: ...
def gather(*args: Any, **kwargs: Any) -> Any:
    """dst[i] = element of src at byte srcBaseAddr + srcOffset[i]; repeat form i = r*E + l, dst lane at
    r*dstRepStride*32 + l*sizeof(T) bytes.

    In C++: Gather. T: i16, u16, f16, bf16, i32, u32, f32.

    Limits: Offsets and base in bytes, multiples of sizeof(T), uint32 range, inside UB; src and dst distinct memory;
    repeatTime 0..255. Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or
    VECOUT). A count, repeatTime or mask of 0 writes nothing.

    Notes: E = 256/sizeof(T) (128 or 64); offsets are always 32-bit and consumed contiguously (masked lanes still
    occupy an offset slot). Mask set internally, no isSetMask (unclear: the mask summary says Gather does not
    support a mask although A/M forms take one; honour it). Misaligned base/offset: wrong data, no fault.
    """
    _only("gather")


def gatherb(
    dst: LocalTensor, src: LocalTensor, offset: LocalTensor, repeat_time: int, p: GatherRepeatParams | Sequence[Any]
) -> None:
    """For r, j in 0..7: copy 32 bytes from src byte offset[8*r+j] to dst block r*dstRepStride + j*dstBlkStride.

    In C++: Gatherb. T: u16, u32.

    Limits: Offset in bytes, resulting address 32-byte aligned and inside UB; src/dst distinct; repeatTime 0..255, 0
    = NOP. Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: dstBlkStride 0 means 1. No mask. Other struct fields ignored.
    """
    _only("gatherb")


@overload
def bilinear_interpolation(
    dst: LocalTensor,
    src0: LocalTensor,
    src0_offset: LocalTensor,
    src1: LocalTensor,
    mask: Sequence[int],
    h_repeat: int,
    repeat_mode: bool,
    dst_blk_stride: int,
    v_r_offset: int,
    v_repeat: int,
    shared_tmp_buffer: LocalTensor,
) -> None: ...
@overload
def bilinear_interpolation(
    dst: LocalTensor,
    src0: LocalTensor,
    src0_offset: LocalTensor,
    src1: LocalTensor,
    mask: int,
    h_repeat: int,
    repeat_mode: bool,
    dst_blk_stride: int,
    v_r_offset: int,
    v_repeat: int,
    shared_tmp_buffer: LocalTensor,
) -> None: ...
def bilinear_interpolation(*args: Any, **kwargs: Any) -> Any:
    """i = v*H+h; G(i,b) = 16 halfs of src0 at byte src0Offset[8i+b], b 0..7; w = repeatMode ? src1[8i+b] : src1[i];
    dst block at element v*vROffset + b*dstBlkStride*16 = sum over h of G(i,b)*w.

    In C++: BilinearInterpolation. T: f16.

    Limits: hRepeat, vRepeat 1..255; vROffset 128..65534 elements, vROffset*2 multiple of 32; offsets 32-byte
    aligned after adding base; repeatMode=true needs 16*len(src1) >= len(src0); src0/src1/src0Offset distinct;
    vertical outputs must not overlap; tmp >= 32*(src0.GetSize()+src1.GetSize()) bytes. Every tensor starts at a
    32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: Each product rounded to half, then added in ascending h with half rounding. Mask selects lanes of each
    128-lane repeat. Check: src0[k]=k, offsets 0,32,..,992, src1=1,2,3,4, H=V=2, false: dst[0]=0*1+128*2=256,
    element vROffset = 256*3+384*4=2304. (unclear: mask when Counter mode was active)
    """
    _only("bilinear_interpolation")


def sort32(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, repeat_time: int) -> None:
    """Per repeat: 32 (src0[i], src1[i]) pairs sorted by score descending, stable, stored as 8-byte records.

    In C++: Sort32. T: f16, f32.

    Limits: src0 128 B (float) / 64 B (half) aligned, src1 128 B, dst 256 B aligned; repeatTime 0..255, 0 = NOP.

    Notes: Record: score in bytes 0-3 (float) or 0-1 (half, bytes 2-3 reserved), index in bytes 4-7. Repeat r uses
    elements 32r..32r+31 and writes 256 bytes at 256r (unclear: a parameter note says src0 advances 128 B for half
    too; 64 B is consistent). NaN order (unclear)
    """
    _only("sort32")


@overload
def mrg_sort(dst: LocalTensor, src: MrgSortSrcList | Sequence[Any], params: MrgSort4Info | Sequence[Any]) -> None: ...
@overload
def mrg_sort(
    dst: LocalTensor,
    sort_list: MrgSortSrcList | Sequence[Any],
    element_count_list: Sequence[int],
    valid_bit: int,
    repeat_time: int,
    *,
    is_exhausted_suspension: bool = False,
) -> tuple[int, int, int, int]: ...
def mrg_sort(*args: Any, **kwargs: Any) -> Any:
    """Merge the first 2/3/4 descending queues into one descending queue; ties: lower queue first, then earlier
    element.

    As MrgSort (params struct); sortedNum receives per-queue counts when suspended.

    In C++: MrgSort. T: f16, f32.

    Limits: dst 32 B aligned, each src 8 B aligned; no overlap; elementLengths 0..4095 records; validBit 3, 7 or 15;
    repeatTimes 0..255, 0 = NOP. repeatTime 1..255 under the same four conditions; lengths 0..4095.

    Notes: Records as Sort32. repeatTimes > 1 only if 4 equal-length, back-to-back queues, no suspension, validBit
    15; each repeat then advances src and dst by the total of the four lengths. ifExhaustedSuspension=true stops
    right after some queue is used up; read counts with GetMrgSortResult.

    Notes: Unused queues may be empty tensors.
    """
    _only("mrg_sort")


def get_mrg_sort_result() -> tuple[int, int, int, int]:
    """Number of records taken from each queue by the last suspended MrgSort.

    In C++: GetMrgSortResult.

    Limits: MrgSort must have run with ifExhaustedSuspension=true.

    Notes: (unclear: the printed example shows all queues fully merged although suspension is on)
    """
    _only("get_mrg_sort_result")


def concat(concat: LocalTensor, src: LocalTensor, tmp: LocalTensor, repeat_time: int) -> None:
    """Prepare src for Sort: concat must present the same 16*repeatTime values as src.

    In C++: Concat. T: f16, f32.

    Limits: repeatTime 0..255, 16 elements each; tmp size from GetConcatTmpSize. Every tensor starts at a 32-byte
    aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: The shipped sample passes an unallocated concat handle, so on dav-2201 concat has to be re-bound to src
    (no copy) (derived)
    """
    _only("concat")


@overload
def sort(
    is_full_sort: bool, dst: LocalTensor, concat: LocalTensor, index: LocalTensor, tmp: LocalTensor, repeat_time: int
) -> None: ...
@overload
def sort(
    dst: LocalTensor, concat: LocalTensor, index: LocalTensor, tmp: LocalTensor, repeat_time: int, *, is_full_sort: bool
) -> None: ...
def sort(*args: Any, **kwargs: Any) -> Any:
    """false: Sort32 over 32*repeatTime elements in groups of 32; true: one stable descending sort of all of them;
    output records as Sort32.

    In C++: Sort. T: f16, f32.

    Limits: dst 8 bytes per element; repeatTime 0..255; tmp size from GetSortTmpSize. Every tensor starts at a
    32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: Overloads with SortConfig do not exist on dav-2201.
    """
    _only("sort")


def extract(dst_value: LocalTensor, dst_index: LocalTensor, sorted: LocalTensor, repeat_time: int) -> None:
    """Split records: dstValue[i] = score, dstIndex[i] = index for i < 32*repeatTime.

    In C++: Extract. T: f16, f32.

    Limits: repeatTime 0..255, 256 bytes of records (32) each. Every tensor starts at a 32-byte aligned address of
    the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: Documented as 64 float or 128 half elements per repeat, i.e. 32 records.
    """
    _only("extract")


def get_sort_offset(T: Element, elem_offset: int) -> int:
    """n * 8 / sizeof(T): half 4n, float 2n.

    In C++: GetSortOffset. T: f16, f32.

    Notes: (unclear: prose says bytes, but the result indexes LocalTensor<T> in the example, and the public
    record-size constants are 4 and 2 elements; return elements)
    """
    _only("get_sort_offset")


def get_sort_len(T: Element, elem_count: int) -> int:
    """n * 8 / sizeof(T): half 4n, float 2n.

    In C++: GetSortLen. T: f16, f32.

    Notes: (unclear: prose says bytes, but the result indexes LocalTensor<T> in the example, and the public
    record-size constants are 4 and 2 elements; return elements)
    """
    _only("get_sort_len")


@overload
def transpose(dst: LocalTensor, src: LocalTensor) -> None: ...
@overload
def transpose(
    dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, p: TransposeParamsExt | Sequence[Any]
) -> None: ...
def transpose(*args: Any, **kwargs: Any) -> Any:
    """dst[c*16+r] = src[r*16+c], r,c in 0..15.

    ND2ND_B16: 16x16 transpose; NCHW2NHWC: `dst[n][h][w][c] = src[n][c][h][w]`; NHWC2NCHW: inverse; TYPE_NONE:
    nothing.

    In C++: Transpose. T: i16, u16, f16. T: i8, u8, i16, u16, f16, i32, u32, f32.

    Limits: dst may equal src. ND2ND_B16: hSize=wSize=16, n/c ignored, in place allowed; others: nSize 0..65535,
    cSize 0..4095, hSize*wSize 0..4095, hSize*wSize*sizeof(T) multiple of 32, no in place; any size 0 = NOP. Every
    tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).

    Notes: No mask.

    Notes: Scratch bytes with h0 = 32 for 8-bit types else 16, w0 = 32/sizeof(T): ND2ND 0; NCHW2NHWC
    (cSize+2)*h0*w0*sizeof(T); NHWC2NCHW (2*cSize+1)*h0*w0*sizeof(T). Other enum values unsupported.
    """
    _only("transpose")


@overload
def trans_data_to_5hd(
    dst_list: Sequence[LocalTensor],
    src_list: Sequence[LocalTensor],
    p: TransDataTo5HDParams | Sequence[Any],
    *,
    T: Element | None = None,
) -> None: ...
@overload
def trans_data_to_5hd(
    T: Element, dst_list: Sequence[int], src_list: Sequence[int], p: TransDataTo5HDParams | Sequence[Any]
) -> None: ...
@overload
def trans_data_to_5hd(
    T: Element, dst: LocalTensor, src: LocalTensor, p: TransDataTo5HDParams | Sequence[Any]
) -> None: ...
def trans_data_to_5hd(*args: Any, **kwargs: Any) -> Any:
    """16 source blocks S0..S15 (32 B), 16 destination blocks D0..D15. b16: Di[j] = Sj[i]. b32: D(2c+r/8)[r%8] = Sr[c],
    r 0..15, c 0..7. b8: Di[16*dh+j] = Sj[16*sh+i], dh/sh = dstHighHalf/srcHighHalf.

    In C++: TransDataTo5HD. T: i8, u8, i16, u16, f16, i32, u32, f32.

    Limits: AL32 for every address; repeatTimes 0..255 (0 = NOP); strides in 32-byte blocks; no overlap.

    Notes: uint64_t values are GetPhyAddr results. repeatTimes > 1: repeat r uses list address + r*RepStride*32.
    repeatTimes == 1: address + RepStride*32, so pass strides 0 for the plain case (documented quirk). b8: other
    half of Di kept (unclear; example shows zeros in a fresh buffer). NCHW->NC1HWC0 with C0=16: srcList spaced H*W
    elements, dstList spaced 16 elements, repeatTimes=H*W*sizeof(T)/32, dstRepStride 16, srcRepStride 1.
    """
    _only("trans_data_to_5hd")


def set_mask_count() -> None:
    """Mask mode = Counter.

    In C++: SetMaskCount.

    Limits: Pair with SetMaskNorm.

    Notes: Persists across calls and into the next kernel on the core; count forms switch back to Normal on exit.
    """
    _only("set_mask_count")


def set_mask_norm() -> None:
    """Mask mode = Normal (default)

    In C++: SetMaskNorm.
    """
    _only("set_mask_norm")


@overload
def set_vector_mask(T: Element, mask_high: int, mask_low: int, *, mode: MaskMode = MaskMode.NORMAL) -> None: ...
@overload
def set_vector_mask(T: Element, len: int, *, mode: MaskMode = MaskMode.NORMAL) -> None: ...
def set_vector_mask(*args: Any, **kwargs: Any) -> Any:
    """128-bit mask register = maskHigh:maskLow as raw bits; in Counter mode the low 64 bits are the element count.

    NORMAL: lowest len bits 1, rest 0; COUNTER: register = len.

    In C++: SetVectorMask. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.

    Limits: b32: maskHigh 0; b64: only 32 low bits; Counter: maskHigh 0. NORMAL len 0..256/sizeof(T); larger clamps;
    negative undefined.

    Notes: Argument order is high then low, opposite to mask[] arrays. Samples use it with default mode while
    Counter mode is active, so write raw bits whatever T and mode are. mask 0 makes following vector calls NOPs.
    """
    _only("set_vector_mask")


def reset_mask() -> None:
    """Mask register = all 128 bits 1.

    In C++: ResetMask.

    Notes: Does not change the mode.
    """
    _only("reset_mask")


@overload
def data_copy(dst: LocalTensor, src: GlobalTensor, count: int) -> None: ...
@overload
def data_copy(dst: GlobalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def data_copy(dst: LocalTensor, src: LocalTensor, count: int) -> None: ...
@overload
def data_copy(dst: LocalTensor, src: GlobalTensor, params: DataCopyParams | Sequence[Any]) -> None: ...
@overload
def data_copy(dst: GlobalTensor, src: LocalTensor, params: DataCopyParams | Sequence[Any]) -> None: ...
@overload
def data_copy(dst: LocalTensor, src: LocalTensor, params: DataCopyParams | Sequence[Any]) -> None: ...
@overload
def data_copy(
    dst: LocalTensor,
    src: GlobalTensor,
    params: DataCopyParams | Sequence[Any],
    enhanced_params: DataCopyEnhancedParams | Sequence[Any],
) -> None: ...
@overload
def data_copy(
    dst: GlobalTensor,
    src: LocalTensor,
    params: DataCopyParams | Sequence[Any],
    enhanced_params: DataCopyEnhancedParams | Sequence[Any],
) -> None: ...
@overload
def data_copy(dst: LocalTensor, src: GlobalTensor, params: Nd2NzParams | Sequence[Any]) -> None: ...
@overload
def data_copy(dst: GlobalTensor, src: LocalTensor, params: Nz2NdParamsFull | Sequence[Any]) -> None: ...
@overload
def data_copy(
    dst: LocalTensor,
    src: GlobalTensor,
    dst_slice: Sequence[SliceInfo],
    src_slice: Sequence[SliceInfo],
    dim_value: int = 1,
) -> None: ...
@overload
def data_copy(
    dst: GlobalTensor,
    src: LocalTensor,
    dst_slice: Sequence[SliceInfo],
    src_slice: Sequence[SliceInfo],
    dim_value: int = 1,
) -> None: ...
def data_copy(*args: Any, **kwargs: Any) -> Any:
    """GM to UB. Moves floor(count * sizeof(T) / 32) * 32 bytes; what remains is silently dropped.

    UB to GM. Moves floor(count * sizeof(T) / 32) * 32 bytes; what remains is silently dropped.

    UB to UB. Moves floor(count * sizeof(T) / 32) * 32 bytes; what remains is silently dropped.

    GM to UB. Block i: source byte i*(blockLen+srcGap)*32 to destination byte i*(blockLen+dstGap)*32, blockLen*32
    bytes; gaps from the end of one block to the start of the next.

    UB to GM. Block i: source byte i*(blockLen+srcGap)*32 to destination byte i*(blockLen+dstGap)*32, blockLen*32
    bytes; gaps from the end of one block to the start of the next.

    UB to UB. Block i: source byte i*(blockLen+srcGap)*32 to destination byte i*(blockLen+dstGap)*32, blockLen*32
    bytes; gaps from the end of one block to the start of the next.

    GM to UB with C0 = 32/sizeof(T): element (k, n, d) goes from k*srcNdMatrixStride + n*srcDValue + d to
    k*dstNzMatrixStride + (d div C0)*dstNzC0Stride*C0 + n*dstNzNStride*C0 + d mod C0. Missing columns of the last
    group are written as 0.

    UB to GM: element (k, n, d) from k*256*srcNdMatrixStride + (d div 16)*16*srcNStride + n*16 + d mod 16 to
    k*dstNdMatrixStride + n*dstDStride + d. The column group is 16 elements for every type.

    GM to UB, slices: the k-th selected source piece goes to the k-th destination piece, dimension 0 fastest.
    Dimension 0 has pieces of burstLen*32 bytes separated by `stride` elements from startIndex to endIndex
    inclusive; in the others a piece is one index. shapeValue is the extent of a dimension.

    UB to GM, slices, as GM to UB.

    In C++: DataCopy. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64. T: i8, u8, i16, u16, f16, bf16, i32,
    u32, f32. T: i16, u16, f16, bf16, i32, u32, f32.

    Limits: UB start 32-byte aligned; GM start aligned to sizeof(T). Both 32-byte aligned. blockCount 0..4095,
    blockLen and gaps 0..65535, in 32 bytes; blockCount or blockLen 0 does nothing. ndNum 0..4095; nValue,
    dstNzC0Stride, dstNzNStride up to 16384; dValue, srcDValue, matrix strides up to 65535; ndNum, nValue or dValue
    0 does nothing. dValue a multiple of 16; nValue and dValue 1..8192; ndNum 0..4095; srcNdMatrixStride 1..512;
    srcNStride 0..4096. dimValue up to 8; burstLen equal on both sides, 1 in dimensions above 0;
    endIndex-startIndex+1 = (N-1)*stride + N*L. As GM to UB.

    Notes: Asynchronous: later work of another pipe on the same bytes needs an event or a queue.

    Notes: The enhanced parameters have no effect on dav-2201.

    Notes: (unclear: one sentence limits burstLen to dimValue = 1; the two-dimensional use is documented, accept it)
    """
    _only("data_copy")


@overload
def data_copy_pad(
    dst: LocalTensor,
    src: GlobalTensor,
    params: DataCopyExtParams | Sequence[Any],
    pad_params: DataCopyPadExtParams | Sequence[Any],
) -> None: ...
@overload
def data_copy_pad(dst: GlobalTensor, src: LocalTensor, params: DataCopyExtParams | Sequence[Any]) -> None: ...
@overload
def data_copy_pad(
    dst: LocalTensor,
    src: GlobalTensor,
    params: DataCopyParams | Sequence[Any],
    pad_params: DataCopyPadParams | Sequence[Any],
) -> None: ...
@overload
def data_copy_pad(dst: GlobalTensor, src: LocalTensor, params: DataCopyParams | Sequence[Any]) -> None: ...
def data_copy_pad(*args: Any, **kwargs: Any) -> Any:
    """GM to UB, any number of bytes, with padding at both sides of each block.

    UB to GM, exactly blockLen bytes of each block; never writes dummy bytes.

    As the form with DataCopyExtParams.

    In C++: DataCopyPad. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.

    Limits: blockCount 0..4095; blockLen 0..2097151 bytes, a multiple of sizeof(T); GM gaps in bytes, UB gaps in 32
    bytes after the block rounded up to 32; blockCount or blockLen 0 does nothing. Each pad at most 32 bytes;
    paddingValue 0 for 64-bit types. The 16-bit structures: blockLen and the GM gap in bytes, the UB gap in blocks.

    Notes: Each UB block starts at the sum of R + 32*dstStride, R = roundup32(left*s + blockLen + right*s): left
    pads, data, right pads, dummy bytes. isPad with some pad: all of them paddingValue; no pads and a remainder: the
    first element of the block (unclear: whether isPad with zero pads uses paddingValue; the first element); isPad
    false with pads: the value of SetPadValue, else undefined.

    Notes: Asynchronous: later work of another pipe on the same bytes needs an event or a queue.
    """
    _only("data_copy_pad")


def set_pad_value(padding_value: float, *, pos: TPosition = TPosition.MAX, T: Element | None = None) -> None:
    """The value that DataCopyPad uses for pads when isPad is false; stays until set again.

    In C++: SetPadValue. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.

    Limits: pos VECIN, VECOUT or MAX.
    """
    _only("set_pad_value")


def set_atomic_add(T: Element) -> None:
    """Writes to GM become gm = gm + value.

    In C++: SetAtomicAdd. T: i8, i16, f16, bf16, i32, f32.

    Notes: Applies to every later write to GM from UB, L1 or L0C, and interprets the data as this T. Each element's
    read-modify-write is indivisible across cores. (unclear: integer overflow of the sum; it wraps)
    """
    _only("set_atomic_add")


def set_atomic_max(T: Element) -> None:
    """Writes to GM become gm = max(gm, value).

    In C++: SetAtomicMax. T: i8, i16, f16, bf16, i32, f32.

    Notes: Applies to every later write to GM from UB, L1 or L0C, and interprets the data as this T. Each element's
    read-modify-write is indivisible across cores. (unclear: integer overflow of the sum; it wraps)
    """
    _only("set_atomic_max")


def set_atomic_min(T: Element) -> None:
    """Writes to GM become gm = min(gm, value).

    In C++: SetAtomicMin. T: i8, i16, f16, bf16, i32, f32.

    Notes: Applies to every later write to GM from UB, L1 or L0C, and interprets the data as this T. Each element's
    read-modify-write is indivisible across cores. (unclear: integer overflow of the sum; it wraps)
    """
    _only("set_atomic_min")


def set_atomic_type(T: Element) -> None:
    """Changes only the data type of the atomic that is set.

    In C++: SetAtomicType. T: i8, i16, f16, bf16, i32, f32.

    Notes: Applies to every later write to GM from UB, L1 or L0C, and interprets the data as this T. Each element's
    read-modify-write is indivisible across cores. (unclear: integer overflow of the sum; it wraps)
    """
    _only("set_atomic_type")


def disable_dma_atomic() -> None:
    """Plain writes again.

    In C++: DisableDmaAtomic.
    """
    _only("disable_dma_atomic")


def set_atomic_none() -> None:
    """Plain writes again.

    In C++: SetAtomicNone.
    """
    _only("set_atomic_none")


@overload
def set_store_atomic_config(type: AtomicDtype, op: AtomicOp) -> None: ...
@overload
def set_store_atomic_config(*, type: AtomicDtype, op: AtomicOp) -> None: ...
def set_store_atomic_config(*args: Any, **kwargs: Any) -> Any:
    """Sets type (ATOMIC_NONE 0, F32 1, F16 2, S16 3, S32 4, S8 5, BF16 6) and operation (ATOMIC_SUM 0).

    In C++: SetStoreAtomicConfig.
    """
    _only("set_store_atomic_config")


def get_store_atomic_config() -> tuple[int, int]:
    """Reads what SetStoreAtomicConfig wrote.

    In C++: GetStoreAtomicConfig.
    """
    _only("get_store_atomic_config")


@overload
def data_cache_clean_and_invalid(entire_type: CacheLine, dcci_dst: DcciDst, dst: GlobalTensor) -> None: ...
@overload
def data_cache_clean_and_invalid(dst: GlobalTensor, *, entire_type: CacheLine, dcci_dst: DcciDst) -> None: ...
@overload
def data_cache_clean_and_invalid(entire_type: CacheLine, dcci_dst: DcciDst, dst: LocalTensor) -> None: ...
@overload
def data_cache_clean_and_invalid(dst: LocalTensor, *, entire_type: CacheLine, dcci_dst: DcciDst) -> None: ...
@overload
def data_cache_clean_and_invalid(entire_type: CacheLine, dst: GlobalTensor) -> None: ...
@overload
def data_cache_clean_and_invalid(dst: GlobalTensor, *, entire_type: CacheLine) -> None: ...
def data_cache_clean_and_invalid(*args: Any, **kwargs: Any) -> Any:
    """Writes back and drops the 64-byte line that holds the address, or all lines.

    In C++: DataCacheCleanAndInvalid. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.

    Limits: CACHELINE_ATOMIC is not available.
    """
    _only("data_cache_clean_and_invalid")


def data_cache_preload(src: GlobalTensor, cache_offset: float) -> None:
    """Brings one line in; a hint.

    In C++: DataCachePreload. T: i16, i64.
    """
    _only("data_cache_preload")


def read_gm_by_pass_dcache(addr: Any, *, T: Element | None = None) -> float:
    """A scalar load straight from GM.

    In C++: ReadGmByPassDCache. T: i8, u8, i16, u16, i32, u32, i64, u64.
    """
    _only("read_gm_by_pass_dcache")


def write_gm_by_pass_dcache(addr: Any, value: float, *, T: Element | None = None) -> None:
    """A scalar store straight to GM.

    In C++: WriteGmByPassDCache. T: i8, u8, i16, u16, i32, u32, i64, u64.

    Limits: A line that may be dirty is cleaned first, then DataSyncBarrier<DDR>.
    """
    _only("write_gm_by_pass_dcache")


def icache_preload(pre_fetch_len: int) -> None:
    """Preloads instructions, in units of 2 KB; no visible effect.

    In C++: ICachePreLoad.
    """
    _only("icache_preload")


def get_icache_preload_status() -> int:
    """0 when the preload is done, 1 while it runs.

    In C++: GetICachePreloadStatus.
    """
    _only("get_icache_preload_status")


@overload
def pipe_barrier(pipe: pipe_t) -> None: ...
@overload
def pipe_barrier(*, pipe: pipe_t) -> None: ...
def pipe_barrier(*args: Any, **kwargs: Any) -> Any:
    """What was issued to the pipe before completes before anything later on it starts; PIPE_ALL: on all pipes.

    In C++: PipeBarrier.

    Limits: Not PIPE_S.
    """
    _only("pipe_barrier")


@overload
def data_sync_barrier(type: MemDsbT) -> None: ...
@overload
def data_sync_barrier(*, type: MemDsbT) -> None: ...
def data_sync_barrier(*args: Any, **kwargs: Any) -> Any:
    """The scalar unit waits until earlier accesses to ALL, DDR (GM), UB or SEQ memory are done.

    In C++: DataSyncBarrier.
    """
    _only("data_sync_barrier")


def alloc_mutex_id() -> int:
    """Returns 0 on dav-2201.

    In C++: AllocMutexID.
    """
    _only("alloc_mutex_id")


def release_mutex_id(id: int) -> None:
    """No effect on dav-2201.

    In C++: ReleaseMutexID.
    """
    _only("release_mutex_id")


def init_soc_state() -> None:
    """DMA atomics off, mask mode Normal, vector mask all ones; on a cube core LoadData padding 0.

    In C++: InitSocState.

    Notes: TPipe does it too. The dequantisation scale and the saturation flag stay as they are.
    """
    _only("init_soc_state")


def set_next_task_start(
    *, aiv_start_pipe: pipe_t = pipe_t.PIPE_MTE3, aic_start_pipe: pipe_t = pipe_t.PIPE_FIX, is_force: bool = False
) -> None:
    """Only in super kernels; no effect in a direct launch.

    In C++: SetNextTaskStart.
    """
    _only("set_next_task_start")


def wait_pre_task_end(*, is_force: bool = False) -> None:
    """Only in super kernels; no effect in a direct launch.

    In C++: WaitPreTaskEnd.
    """
    _only("wait_pre_task_end")


@overload
def cross_core_set_flag(mode_id: int, pipe: pipe_t, flag_id: int) -> None: ...
@overload
def cross_core_set_flag(flag_id: int, *, mode_id: int, pipe: pipe_t) -> None: ...
def cross_core_set_flag(*args: Any, **kwargs: Any) -> Any:
    """Reports when earlier work of the pipe is complete. Mode 0: all cores of the type; 1: the two vector cores of a
    block; 2: a cube core and its vector cores. When all that take part have reported, 1 is added to the counter.

    In C++: CrossCoreSetFlag.

    Limits: flagId 0..15; the counter stays at most 15; pipe is neither PIPE_S nor PIPE_ALL; only in __mix__
    kernels.

    Notes: (unclear: ids from 11 on are used by SyncAll; accepted, a warning together with SyncAll)
    """
    _only("cross_core_set_flag")


def cross_core_wait_flag(flag_id: int, *, mode_id: int = 0, pipe: pipe_t = pipe_t.PIPE_S) -> None:
    """Everything later on this core waits until the counter is above 0, then 1 is taken from it.

    In C++: CrossCoreWaitFlag.

    Limits: flagId 0..15.
    """
    _only("cross_core_wait_flag")


@overload
def sync_all(*, is_aiv_only: bool = True) -> None: ...
@overload
def sync_all(
    gm_workspace: GlobalTensor, ub_workspace: LocalTensor, used_cores: int = 0, *, is_aiv_only: bool = True
) -> None: ...
def sync_all(*args: Any, **kwargs: Any) -> Any:
    """A barrier among all vector cores of the launch, or (false) all cores.

    A barrier among vector cores through GM.

    In C++: SyncAll.

    Limits: At most as many blocks as cores; true: __mix__(0,1) and above; false: __mix__(1,1) and (1,2).
    gmWorkspace of at least GetBlockNum()*32 bytes, zero before the kernel; ubWorkspace the same; twice that where a
    block has two vector cores.

    Notes: (unclear: what later rounds leave in the workspace; only the barrier is emulated)
    """
    _only("sync_all")


def ib_set(
    gm_workspace: GlobalTensor, ub_workspace: LocalTensor, block_idx: int, event_id: int, *, is_aiv_only: bool = True
) -> None:
    """Stores 1 into the slot (blockIdx, eventID) at byte (cores*eventID + blockIdx)*32.

    In C++: IBSet.

    Limits: gmWorkspace zeroed by the host; ubWorkspace at least 32 bytes.
    """
    _only("ib_set")


def ib_wait(
    gm_workspace: GlobalTensor, ub_workspace: LocalTensor, block_idx: int, event_id: int, *, is_aiv_only: bool = True
) -> None:
    """Waits until the slot is 1.

    In C++: IBWait.

    Notes: (unclear: whether the slot returns to 0; it does here)
    """
    _only("ib_wait")


def init_determine_compute_workspace(gm_workspace: GlobalTensor, ub_workspace: LocalTensor) -> None:
    """Once per vector core before ordered sections; GM need not be zero.

    In C++: InitDetermineComputeWorkspace.

    Limits: gm at least GetBlockNum()*32 bytes, ub 32 bytes more.
    """
    _only("init_determine_compute_workspace")


def wait_pre_block(gm_workspace: GlobalTensor, ub_workspace: LocalTensor) -> None:
    """Returns when all lower blocks have finished their section of this round.

    In C++: WaitPreBlock.
    """
    _only("wait_pre_block")


def notify_next_block(gm_workspace: GlobalTensor, ub_workspace: LocalTensor) -> None:
    """Marks this block's section as finished.

    In C++: NotifyNextBlock.
    """
    _only("notify_next_block")


@overload
def pop_stack_buffer(T: Element, pos: TPosition) -> LocalTensor: ...
@overload
def pop_stack_buffer(T: Element, *, pos: TPosition) -> LocalTensor: ...
def pop_stack_buffer(*args: Any, **kwargs: Any) -> Any:
    """A tensor from the current end of the allocations to the end of the memory.

    In C++: PopStackBuffer.

    Limits: Not nested.
    """
    _only("pop_stack_buffer")


@overload
def get_bit_count(count_value: int, value_in: int) -> int: ...
@overload
def get_bit_count(value_in: int, *, count_value: int) -> int: ...
def get_bit_count(*args: Any, **kwargs: Any) -> Any:
    """How many bits are 0 or 1.

    In C++: GetBitCount.
    """
    _only("get_bit_count")


@overload
def scalar_get_count_of_value(count_value: int, value_in: int) -> int: ...
@overload
def scalar_get_count_of_value(value_in: int, *, count_value: int) -> int: ...
def scalar_get_count_of_value(*args: Any, **kwargs: Any) -> Any:
    """How many bits are 0 or 1.

    In C++: ScalarGetCountOfValue.
    """
    _only("scalar_get_count_of_value")


def count_leading_zero(value_in: int) -> int:
    """Zeros above the highest 1; 64 for 0.

    In C++: CountLeadingZero.
    """
    _only("count_leading_zero")


def scalar_count_leading_zero(value_in: int) -> int:
    """Zeros above the highest 1; 64 for 0.

    In C++: ScalarCountLeadingZero.
    """
    _only("scalar_count_leading_zero")


def count_bits_cnt_same_as_sign_bit(value_in: int) -> int:
    """How many bits below the sign bit equal it without a break; -1 for 0 and -1.

    In C++: CountBitsCntSameAsSignBit.
    """
    _only("count_bits_cnt_same_as_sign_bit")


@overload
def get_sff_value(count_value: int, value_in: int) -> int: ...
@overload
def get_sff_value(value_in: int, *, count_value: int) -> int: ...
def get_sff_value(*args: Any, **kwargs: Any) -> Any:
    """The lowest position of a 0 or 1 bit; -1 if there is none.

    In C++: GetSFFValue.
    """
    _only("get_sff_value")


@overload
def scalar_get_sff_value(count_value: int, value_in: int) -> int: ...
@overload
def scalar_get_sff_value(value_in: int, *, count_value: int) -> int: ...
def scalar_get_sff_value(*args: Any, **kwargs: Any) -> Any:
    """The lowest position of a 0 or 1 bit; -1 if there is none.

    In C++: ScalarGetSFFValue.
    """
    _only("scalar_get_sff_value")


def ceil_division(num1: int, num2: int) -> int:
    """num1 / num2 rounded up; 0 if num2 is 0.

    In C++: CeilDivision.

    Limits: Operands are not negative.
    """
    _only("ceil_division")


def get_block_num() -> int:
    """Blocks of the launch.

    In C++: GetBlockNum.
    """
    _only("get_block_num")


def get_block_idx() -> int:
    """This core's number among the cores of its type.

    In C++: GetBlockIdx.
    """
    _only("get_block_idx")


def get_sub_block_idx() -> int:
    """Number inside the block: 0 or 1 for the vector cores of __mix__(1,2), else 0.

    In C++: GetSubBlockIdx.
    """
    _only("get_sub_block_idx")


def get_sub_block_num() -> int:
    """2 on a vector core of __mix__(1,2), else 1.

    In C++: GetSubBlockNum.
    """
    _only("get_sub_block_num")


def get_task_ratio() -> int:
    """2 on a vector core of __mix__(1,2), else 1.

    In C++: GetTaskRatio.
    """
    _only("get_task_ratio")


def get_data_block_size_in_bytes() -> int:
    """32.

    In C++: GetDataBlockSizeInBytes.
    """
    _only("get_data_block_size_in_bytes")


def get_arch_version() -> int:
    """The architecture, coded in hexadecimal.

    In C++: GetArchVersion.

    Notes: (unclear: the value; 0x2201)
    """
    _only("get_arch_version")


def get_program_counter() -> int:
    """A program counter; only growth is meaningful.

    In C++: GetProgramCounter.
    """
    _only("get_program_counter")


def get_system_cycle() -> int:
    """A counter of 50 MHz.

    In C++: GetSystemCycle.
    """
    _only("get_system_cycle")


def get_ub_size_in_bytes() -> int:
    """0 on dav-2201.

    In C++: GetUBSizeInBytes.
    """
    _only("get_ub_size_in_bytes")


def get_runtime_ub_size() -> int:
    """0 on dav-2201.

    In C++: GetRuntimeUBSize.
    """
    _only("get_runtime_ub_size")


def get_vec_len() -> int:
    """0 on dav-2201.

    In C++: GetVecLen.
    """
    _only("get_vec_len")


def nop() -> None:
    """Nothing.

    In C++: Nop.
    """
    _only("nop")


def get_sys_work_space_ptr() -> Any:
    """The system workspace; in the global namespace.

    In C++: GetSysWorkSpacePtr.
    """
    _only("get_sys_work_space_ptr")


def set_sys_workspace(workspace: Any) -> None:
    """Stores the base of the whole workspace.

    In C++: SetSysWorkspace.
    """
    _only("set_sys_workspace")


def get_user_workspace(workspace: Any) -> Any:
    """The user's part: behind the system's.

    In C++: GetUserWorkspace.
    """
    _only("get_user_workspace")


def printf(fmt: str, *args: Any) -> None:
    """Prints with the prefix `[AIV Block i/N] `; no newline is added.

    In C++: printf.

    Limits: %d %i %u %x with l and ll, %f %F %s %p; only \\n as an escape; at most 30 KB a call.

    Notes: (unclear: width and precision; they are passed through)
    """
    _only("printf")


@overload
def dump_tensor(tensor: LocalTensor, desc: int, dump_size: int) -> None: ...
@overload
def dump_tensor(tensor: GlobalTensor, desc: int, dump_size: int) -> None: ...
@overload
def dump_tensor(tensor: LocalTensor, desc: int, dump_size: int, shape_info: ShapeInfo | Sequence[Any]) -> None: ...
@overload
def dump_tensor(tensor: GlobalTensor, desc: int, dump_size: int, shape_info: ShapeInfo | Sequence[Any]) -> None: ...
def dump_tensor(*args: Any, **kwargs: Any) -> Any:
    """Prints dumpSize elements, plainly or in a shape.

    In C++: DumpTensor. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.
    """
    _only("dump_tensor")


@overload
def dump_acc_chk_point(tensor: LocalTensor, index: int, count_off: int, dump_size: int) -> None: ...
@overload
def dump_acc_chk_point(tensor: GlobalTensor, index: int, count_off: int, dump_size: int) -> None: ...
def dump_acc_chk_point(*args: Any, **kwargs: Any) -> Any:
    """DumpTensor from element countOff.

    In C++: DumpAccChkPoint. T: i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64.
    """
    _only("dump_acc_chk_point")


def trap() -> None:
    """Stops the core with an exception.

    In C++: Trap.
    """
    _only("trap")


def check_local_memory_ia(check_params: CheckLocalMemoryIAParam | Sequence[Any]) -> None:
    """Watches one of four ranges of the local memory; an access of a chosen kind faults.

    In C++: CheckLocalMemoryIA.
    """
    _only("check_local_memory_ia")


def print_time_stamp(desc_id: int) -> None:
    """Records a time; compiled in with ASCENDC_TIME_STAMP_ON.

    In C++: PrintTimeStamp.
    """
    _only("print_time_stamp")


def metrics_prof_start() -> None:
    """Starts the profiler's range; no other effect.

    In C++: MetricsProfStart.
    """
    _only("metrics_prof_start")


def metrics_prof_stop() -> None:
    """Ends the profiler's range; no other effect.

    In C++: MetricsProfStop.
    """
    _only("metrics_prof_stop")


@overload
def mark_stamp(pipe: pipe_t, idx: int) -> None: ...
@overload
def mark_stamp(*, pipe: pipe_t, idx: int) -> None: ...
@overload
def mark_stamp(idx: int, *, pipe: pipe_t) -> None: ...
def mark_stamp(*args: Any, **kwargs: Any) -> Any:
    """A mark in the profiler's trace; no other effect.

    In C++: MarkStamp.

    Limits: idx 0..4095.
    """
    _only("mark_stamp")


class Mutex:
    """Members of Mutex, called on the class."""

    @overload
    @staticmethod
    def lock(pipe: pipe_t, id: int) -> None: ...
    @overload
    @staticmethod
    def lock(id: int, *, pipe: pipe_t) -> None: ...
    @staticmethod
    def lock(*args: Any, **kwargs: Any) -> Any:
        """No effect on dav-2201.

        In C++: Mutex::Lock.
        """
        _only("Mutex.lock")

    @overload
    @staticmethod
    def unlock(pipe: pipe_t, id: int) -> None: ...
    @overload
    @staticmethod
    def unlock(id: int, *, pipe: pipe_t) -> None: ...
    @staticmethod
    def unlock(*args: Any, **kwargs: Any) -> Any:
        """No effect on dav-2201.

        In C++: Mutex::Unlock.
        """
        _only("Mutex.unlock")
