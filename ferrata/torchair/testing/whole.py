"""Samples of our own for overloads that neither PyTorch's database nor a trace of AOTAutograd's shows: operators that are
their parts by then (a graph from elsewhere has them whole), random ones, and a few that other devices' kernels call.

Rows as in `own`, each overload with what is at its edges: no dimension, no element, one element, operands that are
broadcast, gaps in memory, NaN and infinities, dimensions counted from the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ferrata.torchair.testing.operands import FORMS, PAIRS, between, make, odd, of, spaced, turned, wide

aten, prims = torch.ops.aten, torch.ops.prims
Row = tuple[Callable[..., Any], tuple[Any, ...]]

_TYPES = (
    torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool,
)  # fmt: skip


def each(function: Callable[..., Any], *operands: Any) -> list[Row]:
    """A sample for each tuple of operands."""
    return [(function, given) for given in operands]


def unary(function: Callable[..., Any]) -> list[Row]:
    return [(function, (form,)) for form in FORMS]


def rows() -> dict[str, list[Row]]:
    """Samples by overload."""
    return {f"aten.{name}": found for name, found in (_parts() | _random() | _others()).items()} | {
        "prims.convert_element_type.default": [
            (lambda x, to=to: prims.convert_element_type.default(x, to), (given,))
            for to in _TYPES
            for given in ((), (0, 3), (3, 4), spaced(3, 4), between(0, 100, 2, 3))
        ]
        + [
            (lambda x, to=to: prims.convert_element_type.default(x, to), (odd(),))
            for to in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.bool)
        ]
    }


# ---- operators that are their parts once AOTAutograd has traced them ----


def _parts() -> dict[str, list[Row]]:
    pool, resize = aten.avg_pool1d.default, aten.adaptive_avg_pool1d.default
    bilinear, nearest = aten.upsample_bilinear2d.vec, aten.upsample_nearest2d.vec
    signals = ((2, 3, 7), (3, 7), (1, 1, 7), spaced(2, 3, 7), turned(2, 3, 7), odd(3))
    pictures = ((2, 3, 4, 5), (1, 1, 2, 2), spaced(2, 3, 4, 5), turned(2, 3, 4, 5))
    return {
        "adaptive_avg_pool1d.default": [
            (lambda x, n=n: resize(x, [n]), (x,)) for n in (1, 3, 7, 9) for x in (*signals, (0, 3, 7))
        ],
        "avg_pool1d.default": [
            (lambda x, how=how: pool(x, *how), (x,))
            for how in (
                ([3], [2], [1]), ([3], [2], [1], True), ([3], [2], [1], True, False), ([2],), ([7], [1]), ([1], [3]),
            )
            for x in signals
        ],
        "isfinite.default": unary(aten.isfinite.default),
        "matmul.default": each(
            aten.matmul.default,
            ((3, 4), (4, 2)), ((4,), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((2, 1, 3, 4), (3, 4, 2)),
            ((3, 4), (4,)), ((4,), (4, 3)), ((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 2)), ((1, 1), (1, 1)), ((1,), (1,)),
            ((0, 4), (4, 2)), ((3, 0), (0, 2)), ((0,), (0,)), ((0, 3, 4), (0, 4, 2)), ((0, 3, 4), (4,)),
            (spaced(3, 4), turned(4, 2)), (turned(2, 3, 4), spaced(4, 2)), (wide(3, 4), (4, 2)),
            (odd(2), (8, 3)), ((8,), odd(8)), ((5, 1, 3, 4), (4, 3)),
        ),
        "prelu.default": each(
            aten.prelu.default,
            ((3, 4), (4,)), ((3, 4), (1,)), ((3, 4), ()), ((2, 3, 4, 5), (3,)), ((4,), (1,)), ((), (1,)), ((), ()),
            ((0, 3), (3,)), (spaced(3, 4), turned(4)), (turned(2, 3, 4), (3,)), (odd(2), (8,)), (odd(2), (1,)),
        ),
        "reshape.default": [
            (lambda x, to=to: aten.reshape.default(x, to), (given,))
            for to, shapes in (
                ([-1, 3], ((3, 4), (0, 3), spaced(3, 4), turned(3, 4), wide(3, 4))), ([], ((), (1,), (1, 1))),
                ([1, 1], ((), (1,))), ([2, -1, 2], ((3, 4), turned(2, 3, 4))), ([12], ((3, 4), spaced(3, 4))),
                ([0, 5], ((0, 3), (2, 0))), ([3, 4], ((3, 4), turned(3, 4))),
            )
            for given in shapes
        ],
        "square.default": unary(aten.square.default),
        "true_divide.Tensor": each(aten.true_divide.Tensor, *PAIRS, ((3, 4), of(torch.int64, (4,))), ((3,), of(torch.float32, ()))),
        "upsample_bilinear2d.vec": [
            (lambda x, how=how: bilinear(x, *how), (x,))
            for how in (
                (None, False, [2.0, 1.5]), (None, True, [2.0, 1.5]), ([7, 3], False, None), ([7, 3], True, None),
                ([1, 1], True, None), ([1, 1], False, None), (None, False, [0.5, 0.6]),
            )
            for x in pictures
        ],
        "upsample_nearest2d.vec": [
            (lambda x, how=how: nearest(x, *how), (x,))
            for how in (([7, 5], None), ([1, 1], None), ([2, 9], None), (None, [2.0, 1.5]), (None, [0.5, 0.6]))
            for x in (*pictures, (1, 8, 2, 3))
        ],
        "var.dim": [
            (lambda x, how=how: aten.var.dim(x, *how), (x,))
            for how in (
                ([1], False, True), ([-1], True, False), ([0, -1], True, True), ([], True), (None, False), ([0], True),
            )
            for x in ((3, 4), (1, 2), (2, 3, 4), (2, 0), spaced(3, 4), turned(2, 3, 4), odd(2))
        ] + [(lambda x: aten.var.dim(x, [0], False), ((),)), (lambda x: aten.var.dim(x, [-1], True), ((),))],
    }  # fmt: skip


# ---- random numbers: both runs draw from one seed ----


def _random() -> dict[str, list[Row]]:
    shapes = ((), (1,), (0, 3), (3, 4), (40, 5), spaced(3, 4), turned(2, 3, 4))
    rates = (between(0, 5, 3, 4), between(0, 0, 3), between(0, 50, 0, 3), between(1, 2))
    return {
        "bernoulli.p": [(lambda x, p=p: aten.bernoulli.p(x, p), (x,)) for p in (0.0, 0.3, 1.0, 0, 1) for x in shapes],
        "native_dropout.default": [
            (lambda x, how=how: aten.native_dropout.default(x, *how), (x,))
            for how in ((0.3, True), (0.0, True), (1.0, True), (0.3, None), (0.3, False))
            for x in (*shapes, odd())
        ],
        "normal.Tensor_float": [
            (lambda x, s=s: aten.normal.Tensor_float(x, s), (x,)) for s in (1.0, 0.0, 2) for x in shapes
        ],
        "normal.float_Tensor": [
            (lambda x, m=m: aten.normal.float_Tensor(m, x), (x,))
            for m in (0.0, -1.5, 2)
            for x in (between(0, 2, 3, 4), between(0, 2), between(1, 1, 1), between(0, 1, 0, 3), between(0, 0, 3))
        ],
        "poisson.default": each(aten.poisson.default, *((r,) for r in rates)),
        "_standard_gamma.default": each(
            aten._standard_gamma.default, *((between(0.1, 5, *shape),) for shape in ((3, 4), (), (1,), (0, 3)))
        ),
        "rand_like.default": unary(aten.rand_like.default) + [
            (lambda x, to=to: aten.rand_like.default(x, dtype=to), ((3, 4),))
            for to in (torch.float32, torch.float64, torch.float16, torch.bfloat16)
        ] + [
            (lambda x, to=to: aten.rand_like.default(x, memory_format=to), (turned(2, 3, 4, 5),))
            for to in (torch.contiguous_format, torch.preserve_format, torch.channels_last)
        ],
        "randperm.default": [
            (lambda x, n=n: x + aten.randperm.default(n, dtype=x.dtype, device=x.device), ((n,),)) for n in (0, 1, 7, 100)
        ] + [(lambda x: aten.randperm.default(x.shape[0], device=x.device), ((6,),))],
    }  # fmt: skip


# ---- the rest ----


def _others() -> dict[str, list[Row]]:
    entropy, smooth = aten.binary_cross_entropy_backward.default, _floating(aten.smooth_l1_loss_backward.default)
    left, right = aten.bitwise_left_shift.Tensor_Scalar, aten.bitwise_right_shift.Tensor_Scalar
    shifts = (0, 1, 3, 7, 8, 31, 32, 63, 64, -1)
    unit = between(0.1, 0.9, 3, 4)
    ends = of(torch.int32, torch.tensor([2, 2, 8], dtype=torch.int32))
    return {
        "_grouped_mm.default": [
            *each(
                aten._grouped_mm.default,
                ((8, 16), (3, 16, 8), ends), ((8, 16), turned(3, 16, 8), ends), ((16, 8), (8, 24), ends),
                (turned(16, 8), (8, 24), ends), ((3, 16, 8), (8, 8), ends),
            ),
            (lambda x, y: aten._grouped_mm.default(x, y), ((3, 8, 16), (3, 16, 8))),
        ],
        "_weight_norm_interface.default": each(
            aten._weight_norm_interface.default,
            ((3, 4), (3, 1)), ((2, 3, 4), (2, 1, 1)), ((1, 4), (1, 1)),
            (between(0, 0, 3, 4), (3, 1)), (odd(2), (2, 1)), ((3,), (3,)),
        ) + [
            (lambda v, g, d=d: aten._weight_norm_interface.default(v, g, d), shapes)
            for d, shapes in ((1, ((3, 4), (1, 4))), (2, ((2, 3, 4), (1, 1, 4))))
        ],
        "atan2.out": [
            (lambda x, y, o: aten.atan2.out(x, y, out=o), (*pair, _shape(pair))) for pair in PAIRS
        ] + [(lambda x, y, o: aten.atan2.out(x, y, out=o) + o, ((3, 4), (3, 4), spaced(3, 4)))],
        "binary_cross_entropy_backward.default": [
            (lambda g, x, y, how=how: entropy(g, x, y, None, how), (grad, x, y))
            for how, grad in ((0, (3, 4)), (1, ()), (2, ()))
            for x, y in ((unit, unit), (between(0, 0, 3, 4), unit), (between(1, 1, 3, 4), between(0, 0, 3, 4)))
        ] + [
            (lambda g, x, y, w, how=how: entropy(g, x, y, w, how), (grad, unit, unit, weight))
            for how, grad in ((0, (3, 4)), (1, ()), (2, ()))
            for weight in ((3, 4), (4,), ())
        ] + each(
            lambda g, x, y: entropy(g, x, y, None, 1), ((), between(0, 1, 0, 3), between(0, 1, 0, 3)),
            ((), between(0.2, 0.8), between(0, 1)), ((), odd(), between(0, 1, 1, 8)),
        ),
        "bitwise_left_shift.Tensor_Scalar": [
            (lambda x, n=n: left(x, n), (form,)) for n in shifts for form in ((3, 4), odd())
        ] + unary(lambda x: left(x, 2)),
        "bitwise_right_shift.Tensor_Scalar": [
            (lambda x, n=n: right(x, n), (form,)) for n in shifts for form in ((3, 4), odd())
        ] + unary(lambda x: right(x, 2)),
        "repeat_interleave.Tensor": [
            *each(
                aten.repeat_interleave.Tensor,
                *((of(kind, torch.tensor(counts, dtype=kind)),) for kind in (torch.int64, torch.int32)
                  for counts in ([1, 0, 3], [2], [0], [0, 0], [5, 5, 5, 5])),
                (torch.zeros(0, dtype=torch.int64),), (torch.tensor([1, 9, 2, 9, 0, 9])[::2],),
            ),
            (lambda n: aten.repeat_interleave.Tensor(n, output_size=6), (torch.tensor([1, 2, 3]),)),
        ],
        "smooth_l1_loss_backward.default": [
            (lambda g, x, y, how=how: smooth(g, x, y, *how), (grad, x, y))
            for how, grad in (((0, 1.0), (3, 4)), ((1, 0.5), ()), ((2, 2.0), ()), ((2, 0.0), ()), ((0, 0.0), (3, 4)))
            for x, y in (((3, 4), (3, 4)), (spaced(3, 4), turned(3, 4)))
        ] + each(
            lambda g, x, y: smooth(g, x, y, 1, 1.0), ((), (), ()), ((), (1,), (1,)), ((), odd(), odd()),
            ((), (3, 4), (4,)), ((1, 8), odd(), (1, 8)), ((3, 1), (3, 4), (3, 4)),
        ),
    }  # fmt: skip


def _floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuses whole numbers, with which PyTorch's own kernel ends the process: it divides by what rounds to 0."""

    def run(x: torch.Tensor, *more: Any) -> Any:
        if not x.is_floating_point():
            raise TypeError("whole numbers")
        return function(x, *more)

    return run


def _shape(pair: tuple[Any, Any]) -> tuple[int, ...]:
    """The shape of what two operands give together."""
    generator = torch.Generator()
    return tuple(sum(make(operand, torch.float32, generator) for operand in pair).shape)  # type: ignore[union-attr]
