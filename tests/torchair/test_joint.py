"""The joint graph: one graph gives results and gradients, and the backward scales them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import ferrata
from ferrata import errors
from ferrata.torchair import backend

pytestmark = pytest.mark.slow


class Model(nn.Module):
    """Two layers, a dropped bias, and the loss beside what it is of."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x: torch.Tensor, wanted: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.down(functional.gelu(self.up(x)))
        return y, functional.cross_entropy(y, wanted)


def compiled(module: Callable[..., Any], loss: int, dynamic: bool = False) -> Any:
    torch._dynamo.reset()
    config = ferrata.CompilerConfig()
    config.experimental_config.aot_config_enable_joint_graph = True
    config.experimental_config.aot_config_output_loss_index = loss
    return torch.compile(
        module, backend=ferrata.get_npu_backend(compiler_config=config), fullgraph=True, dynamic=dynamic
    )


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    convert = backend.convert

    def keeping(*args: Any, **options: Any) -> Any:
        found.append(convert(*args, **options))
        return found[-1]

    monkeypatch.setattr(backend, "convert", keeping)
    return found


def gradients(run: Any, module: nn.Module, *inputs: Any, scale: float, loss: int = 1) -> list[torch.Tensor]:
    module.zero_grad()
    results = run(*inputs)
    (results[loss] * scale).backward()
    return [*(r.detach() for r in results), *(p.grad.clone() for p in module.parameters() if p.grad is not None)]


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_are_those_of_eager_mode(device: str, dynamic: bool, graphs: list[Any]) -> None:
    import ferrata.npu  # noqa: F401  the device

    module = Model().to(device)
    run = compiled(module, 1, dynamic)
    for n, scale in ((3, 1.0), (5, 0.25), (9, -3.0)):
        if n > 3 and not dynamic:
            torch._dynamo.reset()
        x, wanted = torch.randn(n, 6).to(device), torch.randint(4, (n,)).to(device)
        got, expected = (gradients(r, module, x, wanted, scale=scale) for r in (run, module))
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-6)
        assert len(got) == 6
    forward, *rest = graphs
    assert sum(n.type.startswith("MatMul") for n in forward.nodes) >= 4  # those of the backward too
    assert not any(n.type.startswith("MatMul") for n in rest[0].nodes)


def test_the_input_has_a_gradient_too_and_half_floats_scale() -> None:
    module = nn.Linear(4, 4).bfloat16()
    x = torch.randn(5, 4).bfloat16().requires_grad_()
    run = compiled(lambda x: module(x).float().sum(), 0)
    for scale in (1.0, 2.0):
        (got,) = torch.autograd.grad(run(x) * scale, x)
        (expected,) = torch.autograd.grad(module(x).float().sum() * scale, x)
        torch.testing.assert_close(got, expected)


def test_a_loss_of_one_element_with_dimensions() -> None:
    x = torch.randn(3, requires_grad=True)
    (got,) = torch.autograd.grad(compiled(lambda x: (x * x).sum(0, keepdim=True), 0)(x), x)
    torch.testing.assert_close(got, 2 * x.detach())


def test_a_gradient_of_another_result_is_refused() -> None:
    module, x, wanted = Model(), torch.randn(3, 6), torch.tensor([0, 1, 2])
    y, loss = compiled(module, 1)(x, wanted)
    with pytest.raises(errors.JointGradient, match="output_loss_index"):
        (loss + y.sum()).backward()


@pytest.mark.parametrize(("index", "told"), [(0, "result 1"), (5, "result 1")])
def test_a_result_that_is_no_loss(index: int, told: str) -> None:
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=rf"BadOptionValue(?s:.*){told}"):
        compiled(Model(), index)(torch.randn(3, 6), torch.tensor([0, 1, 2]))


def test_without_gradients_nothing_changes() -> None:
    module, x, wanted = Model(), torch.randn(3, 6), torch.tensor([0, 1, 2])
    with torch.no_grad():
        torch.testing.assert_close(compiled(module, 1)(x, wanted), module(x, wanted))
