"""Gradients through the graph: forward and backward compiled, both against eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._functorch.aot_autograd import aot_function

from ferrata.torchair.backend import get_compiler

pytestmark = pytest.mark.slow

CASES: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    (
        "ln",
        lambda x, w, b: F.layer_norm(x, (8,), w, b),
        (
            (4, 8),
            (8,),
            (8,),
        ),
    ),
    ("ln0", lambda x: F.layer_norm(x, (8,)), ((4, 8),)),
    (
        "gn",
        lambda x, w, b: F.group_norm(x, 2, w, b),
        (
            (2, 4, 5),
            (4,),
            (4,),
        ),
    ),
    (
        "bn",
        lambda x, w, b: F.batch_norm(x, torch.zeros(3), torch.ones(3), w, b, training=True),
        (
            (4, 3, 5, 5),
            (3,),
            (3,),
        ),
    ),
    (
        "conv2d",
        lambda x, w, b: F.conv2d(x, w, b, 2, 1),
        (
            (2, 4, 9, 8),
            (6, 4, 3, 3),
            (6,),
        ),
    ),
    (
        "conv2dg",
        lambda x, w: F.conv2d(x, w, None, 1, 1, 2, 2),
        (
            (2, 4, 9, 8),
            (6, 2, 3, 3),
        ),
    ),
    (
        "conv1d",
        lambda x, w, b: F.conv1d(x, w, b, 2, 1),
        (
            (2, 4, 9),
            (6, 4, 3),
            (6,),
        ),
    ),
    (
        "conv3d",
        lambda x, w, b: F.conv3d(x, w, b, 1, 1),
        (
            (2, 2, 5, 4, 6),
            (3, 2, 3, 3, 3),
            (3,),
        ),
    ),
    (
        "convT2d",
        lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1),
        (
            (2, 4, 5, 6),
            (4, 3, 3, 3),
            (3,),
        ),
    ),
    (
        "convT1d",
        lambda x, w, b: F.conv_transpose1d(x, w, b, 2, 1, 1),
        (
            (2, 4, 5),
            (4, 3, 3),
            (3,),
        ),
    ),
    ("avg", lambda x: F.avg_pool2d(x, 3, 2, 1), ((2, 3, 9, 8),)),
    ("max", lambda x: F.max_pool2d(x, 3, 2, 1), ((2, 3, 9, 8),)),
    ("adapt", lambda x: F.adaptive_avg_pool2d(x, (3, 2)), ((2, 3, 9, 8),)),
    ("gelut", lambda x: F.gelu(x, approximate="tanh"), ((4, 9),)),
    ("softmax", lambda x: F.softmax(x, 1), ((4, 9),)),
    ("lsm", lambda x: F.log_softmax(x, -1), ((4, 9),)),
    (
        "ce",
        lambda x, t: F.cross_entropy(x, t),
        (
            (6, 9),
            torch.tensor([1, 2, 0, 8, -100, 3]),
        ),
    ),
    (
        "mse",
        lambda x, y: F.mse_loss(x, y),
        (
            (4, 9),
            (4, 9),
        ),
    ),
    ("up", lambda x: F.interpolate(x, scale_factor=2), ((2, 3, 4, 5),)),
    ("slice", lambda x: x[:, 1:-2] * x[1:2, 1:-2] + x[0, 1:-2], ((4, 9),)),
    (
        "emb",
        lambda w, i: F.embedding(i, w),
        (
            (9, 4),
            torch.tensor([[1, 2], [3, 1]]),
        ),
    ),
    (
        "embbag",
        lambda w, i, o: F.embedding_bag(i, w, o, mode="sum"),
        (
            (9, 4),
            torch.tensor([1, 2, 4, 5]),
            torch.tensor([0, 2]),
        ),
    ),
    ("glu", lambda x: F.glu(x), ((4, 8),)),
    (
        "prelu",
        lambda x, w: F.prelu(x, w),
        (
            (4, 8),
            (8,),
        ),
    ),
]
CASES += [
    (name, getattr(F, name), ((4, 9),))
    for name in [
        "gelu",
        "silu",
        "relu",
        "hardswish",
        "hardsigmoid",
        "leaky_relu",
        "elu",
        "softplus",
        "logsigmoid",
        "hardtanh",
        "mish",
    ]
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "operands"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_gradients_equal_those_of_eager(function: Callable[..., Any], operands: tuple[Any, ...]) -> None:
    torch.manual_seed(0)
    made = [o if isinstance(o, torch.Tensor) else torch.randn(o, requires_grad=True) for o in operands]
    wanted = [m for m in made if m.requires_grad]

    def gradients(run: Callable[..., Any]) -> list[Any]:
        result = run(*made)
        weights = torch.linspace(-1, 1, result.numel()).reshape(result.shape)
        return [result.detach(), *torch.autograd.grad((result * weights).sum(), wanted, allow_unused=True)]

    compiler = get_compiler()
    expected, actual = gradients(function), gradients(aot_function(function, compiler, compiler))
    for e, a in zip(expected, actual, strict=True):
        assert (e is None) == (a is None)
        if e is not None:
            torch.testing.assert_close(a, e, rtol=1e-4, atol=1e-5)
