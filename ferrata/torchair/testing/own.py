"""Samples of our own for overloads that PyTorch's database does not call: gradients, Scalar forms, lists, writes.

    for case in cases("aten.gelu_backward.default", torch.float32):
        op_db.run(case)

A row is a function of tensors and their shapes, or other `operands`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch

from ferrata.torchair.testing import op_db, whole
from ferrata.torchair.testing.op_db import Case
from ferrata.torchair.testing.operands import make

aten = torch.ops.aten
Row = tuple[Callable[..., Any], tuple[Any, ...]]

_PICTURE = (2, 4, 6, 5)
_INDEX = torch.tensor([[0, 2, 1], [1, 0, 2]])


def _gradient(name: str, *more: Any, **named: Any) -> Row:
    return (lambda g, x: getattr(aten, name).default(g, x, *more, **named), ((3, 4), (3, 4)))


def _scalar(name: str, overload: str, *numbers: Any) -> list[Row]:
    return [(lambda x, n=n: getattr(getattr(aten, name), overload)(x, n), ((3, 4),)) for n in numbers]


def _list(name: str, overload: str, *more: Any, lists: int = 1, named: dict[str, Any] | None = None) -> Row:
    def run(*tensors: torch.Tensor) -> Any:
        half = len(tensors) // lists
        given = [list(tensors[i * half : (i + 1) * half]) for i in range(lists)]
        return getattr(getattr(aten, f"_foreach_{name}"), overload)(*given, *more, **(named or {}))

    return run, ((3, 4), (2,)) * lists


def _batch_norm_backward(train: bool) -> Row:
    def run(g: Any, x: Any, w: Any, mean: Any, var: Any) -> Any:
        made = aten._native_batch_norm_legit_functional.default(x, w, w, mean, var.abs() + 1, train, 0.1, 1e-5)
        mask = [True, True, True]
        return aten.native_batch_norm_backward.default(
            g, x, w, mean, var.abs() + 1, made[1], made[2], train, 1e-5, mask
        )

    return run, (_PICTURE, _PICTURE, (4,), (4,), (4,))


def _group_norm_backward(g: Any, x: Any, w: Any) -> Any:
    _, mean, rstd = aten.native_group_norm.default(x, w, w, 2, 4, 30, 2, 1e-5)
    return aten.native_group_norm_backward.default(g, x, mean, rstd, w, 2, 4, 30, 2, [True, True, True])


def _layer_norm_backward(g: Any, x: Any, w: Any) -> Any:
    _, mean, rstd = aten.native_layer_norm.default(x, [4], w, w, 1e-5)
    return aten.native_layer_norm_backward.default(g, x, [4], mean, rstd, w, w, [True, True, True])


def _nll_backward(x: Any, g: Any) -> Any:
    target = torch.tensor([0, 3, 1])
    _, total = aten.nll_loss_forward.default(x, target, None, 1, -100)
    return aten.nll_loss_backward.default(g, x, target, None, 1, -100, total)


def _max_pool3d_backward(x: Any) -> Any:
    how = ([2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False)
    y, places = aten.max_pool3d_with_indices.default(x, *how)
    return aten.max_pool3d_with_indices_backward.default(y, x, *how, places)


def _avg_pool(n: int) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        how = ([2] * n, [2] * n, [0] * n, False, True, None)
        y = getattr(aten, f"avg_pool{n}d").default(x, *how)
        return getattr(aten, f"avg_pool{n}d_backward").default(y, x, *how)

    return run


def _convolution_backward(n: int, transposed: bool) -> Row:
    def run(x: Any, w: Any) -> Any:
        how = ([2] * n, [1] * n, [1] * n, transposed, [0] * n, 1)
        y = aten.convolution.default(x, w, None, *how)
        return aten.convolution_backward.default(y, x, w, [y.size(1)], *how, [True, True, True])

    return run, ((2, 3, 6, 5, 4)[: n + 2], ((3, 2) if transposed else (2, 3)) + (3,) * n)


def _padded(mode: str, n: int) -> Row:
    amounts = [1, 2] * n

    def run(x: Any) -> Any:
        y = getattr(aten, f"{mode}_pad{n}d").default(x, amounts)
        return y, getattr(aten, f"{mode}_pad{n}d_backward").default(y, x, amounts)

    return run, ((2, 3, 4, 5, 4)[: n + 2],)


def _resized(name: str, n: int, *corners: bool) -> Row:
    def run(x: Any) -> Any:
        size = [2 * s for s in x.shape[2:]]
        y = getattr(aten, f"upsample_{name}").default(x, size, *corners)
        return y, getattr(aten, f"upsample_{name}_backward").default(y, size, list(x.shape), *corners)

    return run, ((2, 3, 4, 3, 2)[: n + 2],)


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """Nothing has been written into new memory yet: fill it."""
    return lambda *tensors: aten.fill.Scalar(function(*tensors), 2)


def _log_sigmoid_backward(g: Any, x: Any) -> Any:
    return aten.log_sigmoid_backward.default(g, x, aten.log_sigmoid_forward.default(x)[1])


@cache
def rows() -> dict[str, list[Row]]:
    """Samples by overload."""
    found: dict[str, list[Row]] = {
        "_adaptive_avg_pool2d_backward.default": [(aten._adaptive_avg_pool2d_backward.default, ((2, 4, 3, 5), _PICTURE))],
        "_adaptive_avg_pool3d_backward.default": [
            (aten._adaptive_avg_pool3d_backward.default, ((2, 3, 2, 2, 2), (2, 3, 4, 4, 4)))
        ],
        "_embedding_bag.default": [
            (lambda w, i, o, m=m: aten._embedding_bag.default(w, i, o, False, m)[0],
             ((3, 4), _INDEX.flatten(), torch.tensor([0, 2])))
            for m in (0, 1)
        ],
        "_log_softmax_backward_data.default": [
            (lambda g, x: aten._log_softmax_backward_data.default(g, aten._log_softmax.default(x, -1, False), -1, x.dtype),
             ((3, 4), (3, 4)))
        ],
        "_native_batch_norm_legit.no_stats": [
            (lambda x, w: aten._native_batch_norm_legit.no_stats(x, w, w, True, 0.1, 1e-5)[0], (_PICTURE, (4,)))
        ],
        "_prelu_kernel_backward.default": [(aten._prelu_kernel_backward.default, ((3, 4), (3, 4), (1, 4)))],
        "_upsample_nearest_exact2d.default": [
            (lambda x: aten._upsample_nearest_exact2d.default(x, [7, 3]), (_PICTURE,))
        ],
        "alias.default": [(lambda x: aten.alias.default(x) + 1, ((3, 4),))],
        "all.dims": [(lambda x: aten.all.dims(x, [0, -1], True), ((2, 3, 4),)), (lambda x: aten.all.dims(x, []), ((3,),))],
        "any.dims": [(lambda x: aten.any.dims(x, [1]), ((2, 3, 4),)), (lambda x: aten.any.dims(x, None), ((3, 2),))],
        "arange.start": [(lambda x: x + aten.arange.start(1, 4, dtype=torch.int64, device=x.device), ((3,),))],
        "as_strided_scatter.default": [
            (lambda x, y: aten.as_strided_scatter.default(x, y, [2, 2], [4, 1], 1), ((3, 4), (2, 2)))
        ],
        "avg_pool2d_backward.default": [(_avg_pool(2), (_PICTURE,))],
        "avg_pool3d_backward.default": [(_avg_pool(3), ((2, 3, 4, 4, 4),))],
        "clamp_max.default": _scalar("clamp_max", "default", 1, 0.5),
        "col2im.default": [
            (lambda x: aten.col2im.default(x, [4, 5], [2, 2], [1, 1], [0, 0], [1, 1]), ((2, 12, 12),))
        ],
        "convolution_backward.default": [_convolution_backward(n, t) for n in (1, 2, 3) for t in (False, True)],
        "copy.default": [(aten.copy.default, ((3, 4), (3, 4))), (aten.copy.default, ((3, 4), (4,)))],
        "copy_.default": [(lambda x, y: aten.copy_.default(x, y * 2) + 1, ((3, 4), (3, 4)))],
        "div.Scalar_mode": [
            (lambda x, m=m: aten.div.Scalar_mode(x, 2, rounding_mode=m), ((3, 4),)) for m in (None, "floor", "trunc")
        ],
        "elu_backward.default": [
            (lambda g, x, r=r: aten.elu_backward.default(g, 1.5, 1.0, 0.5, r, x), ((3, 4), (3, 4))) for r in (False, True)
        ],
        "embedding_dense_backward.default": [
            (lambda g, i: aten.embedding_dense_backward.default(g, i, 5, -1, False), ((2, 3, 4), _INDEX))
        ],
        "empty.memory_format": [
            (_written(lambda x: aten.empty.memory_format([2, 3], dtype=x.dtype, device=x.device)), ((3,),))
        ],
        "empty_like.default": [(_written(aten.empty_like.default), ((3, 4),))],
        "empty_strided.default": [
            (_written(lambda x: aten.empty_strided.default([2, 3], [1, 2], dtype=x.dtype, device=x.device)), ((3,),))
        ],
        "fill.Tensor": [(aten.fill.Tensor, ((3, 4), ()))],
        "floor_divide.Scalar": _scalar("floor_divide", "Scalar", 2, 3),
        "fmod.Scalar": _scalar("fmod", "Scalar", 2, 1.5),
        "ge.Scalar": _scalar("ge", "Scalar", 0, 0.5),
        "gelu_backward.default": [_gradient("gelu_backward", approximate=a) for a in ("none", "tanh")],
        "glu_backward.default": [(lambda g, x: aten.glu_backward.default(g, x, -1), ((3, 2), (3, 4)))],
        "grid_sampler_2d_backward.default": [
            (lambda g, x, p: aten.grid_sampler_2d_backward.default(g, x, p, 0, 0, False, [True, True]),
             ((2, 4, 3, 3), _PICTURE, (2, 3, 3, 2)))
        ],
        "hardtanh_backward.default": [_gradient("hardtanh_backward", -1.0, 1.0)],
        "leaky_relu_backward.default": [_gradient("leaky_relu_backward", 0.1, False)],
        "lerp.Tensor": [(aten.lerp.Tensor, ((3, 4), (3, 4), (4,)))],
        "linspace.default": [
            (lambda x: x + aten.linspace.default(0, 1, 4, dtype=torch.float32, device=x.device), ((4,),))
        ],
        "log_sigmoid_backward.default": [(_log_sigmoid_backward, ((3, 4), (3, 4)))],
        "logit_backward.default": [_gradient("logit_backward", 0.1)],
        "max_pool3d_with_indices_backward.default": [(_max_pool3d_backward, ((2, 3, 4, 4, 4),))],
        "mse_loss_backward.default": [
            (lambda g, x, y: aten.mse_loss_backward.default(g, x, y, 1), ((), (3, 4), (3, 4)))
        ],
        "native_batch_norm_backward.default": [_batch_norm_backward(True), _batch_norm_backward(False)],
        "native_dropout_backward.default": [
            (lambda g: aten.native_dropout_backward.default(g, g > 0, 2.0), ((3, 4),))
        ],
        "native_group_norm_backward.default": [(_group_norm_backward, (_PICTURE, _PICTURE, (4,)))],
        "native_layer_norm_backward.default": [(_layer_norm_backward, ((3, 4), (3, 4), (4,)))],
        "new_empty.default": [(_written(lambda x: aten.new_empty.default(x, [2, 3])), ((3,),))],
        "new_empty_strided.default": [(_written(lambda x: aten.new_empty_strided.default(x, [2, 3], [1, 2])), ((3,),))],
        "nll_loss_backward.default": [(_nll_backward, ((3, 4), ()))],
        "pow.Scalar": [(lambda x: aten.pow.Scalar(2, x), ((3, 4),)), (lambda x: aten.pow.Scalar(0.5, x), ((3, 4),))],
        "remainder.Scalar_Tensor": [(lambda x: aten.remainder.Scalar_Tensor(7, x.abs() + 1), ((3, 4),))],
        "scatter.value": [(lambda x, i: aten.scatter.value(x, 1, i, 2), ((2, 3), _INDEX))],
        "select_backward.default": [(lambda g: aten.select_backward.default(g, [3, 4, 2], 1, -2), ((3, 2),))],
        "slice_backward.default": [
            (lambda g: aten.slice_backward.default(g, [3, 6], 1, 1, 5, 1), ((3, 4),)),
            (lambda g: aten.slice_backward.default(g, [3, 8], 1, 0, 2**63 - 1, 2), ((3, 4),)),
        ],
        "softplus_backward.default": [_gradient("softplus_backward", 1.5, 10)],
        "sort.stable": [(lambda x, d=d: aten.sort.stable(x, stable=True, dim=0, descending=d), ((5, 3),)) for d in (0, 1)],
        "threshold_backward.default": [_gradient("threshold_backward", 0)],
        "upsample_nearest2d.default": [_resized("nearest2d", 2)],
        "upsample_nearest2d_backward.default": [_resized("nearest2d", 2)],
        "upsample_nearest3d.default": [_resized("nearest3d", 3)],
        "upsample_nearest3d_backward.default": [_resized("nearest3d", 3)],
        "upsample_bilinear2d_backward.default": [_resized("bilinear2d", 2, c) for c in (False, True)],
        "upsample_bicubic2d_backward.default": [_resized("bicubic2d", 2, c) for c in (False, True)],
        "upsample_trilinear3d_backward.default": [_resized("trilinear3d", 3, c) for c in (False, True)],
        "view.dtype": [(lambda x: aten.view.dtype(x, torch.int32), ((3, 4),))],
        "zero.default": [(aten.zero.default, ((3, 4),))],
    }  # fmt: skip
    for name in ("and", "or", "xor"):
        found[f"bitwise_{name}.Scalar"] = _scalar(f"bitwise_{name}", "Scalar", 3)
    for name in ("hardsigmoid", "hardswish", "silu", "mish"):
        found[f"{name}_backward.default"] = [_gradient(f"{name}_backward")]
    for name in ("sigmoid", "tanh"):
        found[f"{name}_backward.default"] = [_gradient(f"{name}_backward")]
    for name in ("hardshrink", "softshrink"):
        found[f"{name}_backward.default"] = [_gradient(f"{name}_backward", 0.5)]
    for mode in ("reflection", "replication"):
        for n in (1, 2, 3):
            found[f"{mode}_pad{n}d.default"] = found[f"{mode}_pad{n}d_backward.default"] = [_padded(mode, n)]
    found |= _lists()
    return {f"aten.{name}": samples for name, samples in found.items()} | whole.rows()


def _lists() -> dict[str, list[Row]]:
    """Operators on lists."""
    from ferrata.torchair.converters.foreach import UNARY

    found = {f"_foreach_{name}.default": [_list(name, "default")] for name in UNARY}
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max"):
        found[f"_foreach_{name}.List"] = [_list(name, "List", lists=2)]
        found[f"_foreach_{name}.Scalar"] = [_list(name, "Scalar", 2), _list(name, "Scalar", 1.5)]
        found[f"_foreach_{name}.ScalarList"] = [_list(name, "ScalarList", [2, 3])]
    for name in ("add", "mul", "div"):
        found[f"_foreach_{name}.Tensor"] = [
            (lambda x, y, n=name: getattr(aten, f"_foreach_{n}").Tensor([x, x], y), ((3, 4), ()))
        ]
    found["_foreach_add.List"].append(_list("add", "List", lists=2, named={"alpha": 2}))
    found["_foreach_pow.List"] = [_list("pow", "List", lists=2)]
    found["_foreach_pow.Scalar"] = [_list("pow", "Scalar", 2)]
    found["_foreach_pow.ScalarList"] = [_list("pow", "ScalarList", [2, 3])]
    found["_foreach_pow.ScalarAndTensor"] = [
        (lambda x, y: aten._foreach_pow.ScalarAndTensor(2, [x, y]), ((3, 4), (2,)))
    ]
    found["_foreach_lerp.List"] = [_list("lerp", "List", lists=3)]
    found["_foreach_lerp.Scalar"] = [_list("lerp", "Scalar", 0.3, lists=2)]
    for name in ("addcmul", "addcdiv"):
        found[f"_foreach_{name}.Scalar"] = [_list(name, "Scalar", 0.5, lists=3)]
        found[f"_foreach_{name}.ScalarList"] = [_list(name, "ScalarList", [0.5, 2.0], lists=3)]
    found["_foreach_norm.Scalar"] = [_list("norm", "Scalar", 2)]
    return found


DTYPES = (*op_db.DTYPES, torch.int16, torch.int8, torch.complex64)

# GE's prototype has no sample of these in its data types
STAY = frozenset({"col2im.default"})


def functional(overload: str) -> bool:
    """Whether a sample is traced as AOTAutograd does it: only what writes; the others keep their overload without."""
    return overload == "aten.copy_.default"


def cases(overload: str, dtype: torch.dtype) -> Iterator[Case]:
    """The samples of an overload in a data type; none where PyTorch refuses it."""
    generator = torch.Generator().manual_seed(len(overload))
    for function, operands in rows().get(overload, ()):
        yield Case(overload, dtype, _closed(function), tuple(make(o, dtype, generator) for o in operands))


def _closed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Tracing looks at a function's own parameters, and takes those with defaults for inputs."""
    return lambda *tensors: function(*tensors)
