"""The first half of the catalogue, examples/ops: each operator through the checks and through a compiled model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata as fe
from examples.ops.add import add
from examples.ops.add_broadcast import add_broadcast
from examples.ops.axpy import axpy
from examples.ops.layer_norm import layer_norm
from examples.ops.masked_fill import masked_fill
from examples.ops.rms_norm import rms_norm
from examples.ops.rotary import rotary_
from examples.ops.softmax import softmax
from examples.ops.swiglu import swiglu

case = fe.testing.case
FOLDER = Path(__file__).parents[2] / "examples" / "ops"
LONG = 9001  # more than two tiles of a row: no buffer holds it as float twice

CASES: dict[Any, list[Any]] = {
    add: [case(x=(3, 7), y=(3, 7)), case(x=(1,), y=(1,)), case(x=(5000,), y=(5000,))],
    axpy: [case(x=(3, 7), y=(3, 7)), case(x=(1,), y=(1,), alpha=0.0), case(x=(5000,), y=(5000,), alpha=-2.5)],
    add_broadcast: [
        case(x=(3, 7), y=(7,)), case(x=(2, 5000), y=(2, 1)), case(x=(4, 1, 5), y=(3, 1)),
        case(x=(2, 3, 4, 5), y=(2, 1, 4, 5)), case(x=(), y=(1,)),
    ],
    swiglu: [case(gate=(3, 7), up=(3, 7)), case(gate=(1,), up=(1,)), case(gate=(5000,), up=(5000,))],
    rms_norm: [case(x=(3, 7), weight=(7,)), case(x=(2, LONG), weight=(LONG,), eps=0.1), case(x=(1,)), case(x=(2, 3, 4096))],
    layer_norm: [
        case(x=(3, 7), weight=(7,), bias=(7,)), case(x=(2, LONG), weight=(LONG,), bias=(LONG,), eps=0.1),
        case(x=(1,), weight=(1,), bias=(1,)), case(x=(2, 3, 4096), weight=(4096,), bias=(4096,)),
    ],
    softmax: [case(x=(3, 7)), case(x=(2, LONG)), case(x=(1,)), case(x=(2, 3, 4096))],
    rotary_: [
        case(x=(5, 3, 14), cos=(5, 7), sin=(5, 7)), case(x=(2, 3, 4, 64), cos=(3, 32), sin=(3, 32)),
        case(x=(1, 1, 2), cos=(1, 1), sin=(1, 1)),
    ],
    masked_fill: [
        case(x=(3, 7), mask=(3, 7), value=2.5), case(x=(1,), mask=(1,), value=0.0),
        case(x=(5001,), mask=(5001,), value=-math.inf),
    ],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("op", CASES, ids=lambda op: op.__name__)
def test_checks(op: Any) -> None:
    fe.testing.check(op, CASES[op], show=False)


# --- values, without the machinery --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int16, torch.int32])
@pytest.mark.parametrize("n", [0, 1, 4097, 100_003])
def test_add_of_any_dtype(dtype: torch.dtype, n: int) -> None:
    x, y = (torch.randint(-60, 60, (n,)).to(dtype) for _ in range(2))
    assert torch.equal(add(x.to("npu"), y.to("npu")).cpu(), x + y)


@pytest.mark.parametrize("columns", [1, 33, 4096, 4097, 70_001])
def test_softmax_of_any_length(columns: int) -> None:
    x = torch.randn(3, columns) * 10
    x[1, 0] = 80  # the peak is in the first tile
    x[2, -1] = 80  # and in the last
    torch.testing.assert_close(softmax(x.to("npu")).cpu(), x.softmax(-1))


def test_softmax_of_rows_with_infinities_is_torch_s() -> None:
    x = torch.randn(3, 5000)
    x[0, :4500] = -math.inf
    x[1] = -math.inf
    x[2, 4999] = math.inf
    torch.testing.assert_close(softmax(x.to("npu")).cpu(), x.softmax(-1), equal_nan=True)


def test_norms_are_torch_s() -> None:
    x, w, b = torch.randn(4, 5, 300) + 3, torch.randn(300), torch.randn(300)
    there, gain, bias = x.to("npu"), w.to("npu"), b.to("npu")
    expected = torch.native_layer_norm(x, [300], w, b, 1e-5)
    for got, want in zip(layer_norm(there, gain, bias), expected, strict=True):
        torch.testing.assert_close(got.cpu(), want.reshape(got.shape), rtol=2e-5, atol=2e-5)
    torch.testing.assert_close(rms_norm(there, gain)[0].cpu(), torch.nn.functional.rms_norm(x, (300,), w, 1e-6))
    torch.testing.assert_close(rms_norm(there)[0].cpu(), torch.nn.functional.rms_norm(x, (300,), None, 1e-6))


def test_more_than_four_dimensions_are_refused() -> None:
    x = torch.ones(1, 1, 1, 1, 2, device="npu")
    with pytest.raises(Exception, match="at most four dimensions"):
        add_broadcast(x, x)


# --- compiled models ----------------------------------------------------------------------------------------------


def activations(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return swiglu(torch.relu(x), axpy(add(x, y), y, 0.5)) * 2


def attention(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    normed = rms_norm(x)[0]
    scores = torch.matmul(normed, layer_norm(y, y[0], y[-1])[0].T)
    scores = masked_fill(scores, torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return torch.matmul(softmax(scores), y)


def turned(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    q = add_broadcast(x, y[:1]).reshape(x.shape[0], 2, 8).contiguous()
    rotary_(q, y[:, :4].cos(), y[:, :4].sin())
    return q * 2


def plain(model: Callable[..., Any]) -> Callable[..., torch.Tensor]:
    """The same with torch's functions."""

    def rotated(q: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        a, b = q.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def activations(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(torch.relu(x)) * (0.5 * (x + y) + y) * 2

    def attention(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        normed = torch.nn.functional.rms_norm(x, x.shape[-1:], None, 1e-6)
        scores = normed @ torch.nn.functional.layer_norm(y, y.shape[-1:], y[0], y[-1]).T
        mask = torch.ones_like(scores, dtype=torch.bool).triu(1)
        result: torch.Tensor = scores.masked_fill(mask, -math.inf).softmax(-1) @ y
        return result

    def turned(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        q = (x + y[:1]).reshape(x.shape[0], 2, 8)
        return rotated(q, y[:, None, :4].cos(), y[:, None, :4].sin()) * 2

    return {"activations": activations, "attention": attention, "turned": turned}[model.__name__]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("model", [activations, attention, turned], ids=lambda model: model.__name__)
def test_compiled(model: Callable[..., Any], dynamic: bool) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for n in (6, 9):
        x, y = torch.randn(n, 16), torch.randn(n, 16)
        expected = plain(model)(x, y)
        torch.testing.assert_close(model(x.to("npu"), y.to("npu")).cpu(), expected, rtol=1e-5, atol=2e-5)
        torch.testing.assert_close(compiled(x.to("npu"), y.to("npu")).cpu(), expected, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_of_a_model(compiled: bool) -> None:
    torch._dynamo.reset()

    def run(functions: Any, x: torch.Tensor) -> list[torch.Tensor]:
        norm, act, soft = functions
        w = torch.linspace(0.5, 1.5, 16, device=x.device).requires_grad_()
        x = x.requires_grad_()

        def model(x: torch.Tensor, w: torch.Tensor) -> Any:
            return soft(act(norm(x, w), x) * 0.3).square().sum()

        if compiled and functions is not torch_s:
            model = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True)
        model(x, w).backward()
        assert x.grad is not None and w.grad is not None
        return [x.grad.cpu(), w.grad.cpu()]

    torch_s = (
        lambda x, w: torch.nn.functional.rms_norm(x, (16,), w, 1e-6),
        lambda g, u: torch.nn.functional.silu(g) * u,
        lambda x: x.softmax(-1),
    )
    x = torch.randn(5, 16)
    mine = run((lambda x, w: rms_norm(x, w)[0], swiglu, softmax), x.to("npu"))
    torch.testing.assert_close(mine, run(torch_s, x.clone()), rtol=1e-4, atol=1e-5)


# --- how it reads -------------------------------------------------------------------------------------------------


def test_every_file_has_at_most_sixty_lines() -> None:
    files = sorted(FOLDER.glob("*.py"))
    assert len(files) > 20
    long = {path.name: lines for path in files if (lines := path.read_text().count("\n")) > 60}
    assert not long


@pytest.mark.parametrize("page", ["howto/operators.md", "zh/howto/operators.md"])
def test_the_how_to_shows_the_examples(page: str) -> None:
    text = (FOLDER.parents[1] / "docs" / page).read_text()
    sources = "\n".join(path.read_text() for path in FOLDER.glob("*.py"))
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    strangers = [block for block in blocks if block not in sources and "fe.testing.check(" not in block]
    assert not strangers
