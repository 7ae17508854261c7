"""Gradients through the device: first and second order, custom functions, checkpoints, hooks, compiled graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def gradients(loss: Loss, *values: torch.Tensor, device: str) -> list[torch.Tensor]:
    leaves = [value.detach().to(device).requires_grad_() for value in values]
    return [g.cpu() for g in torch.autograd.grad(loss(*leaves), leaves)]


@pytest.mark.parametrize(
    "loss",
    [
        lambda a, b: (a @ b).sin().sum(),
        lambda a, b: torch.cat([a, b.t()]).cumsum(0).prod(),
        lambda a, b: torch.nn.functional.layer_norm(a, (5,)).pow(3).sum() + b.norm(),
        lambda a, b: a.t()[1:, ::2].exp().sum() * b.max(),
        lambda a, b: torch.linalg.svdvals(a).sum() + b.softmax(0)[0].sum(),
        lambda a, b: a.masked_fill(a > 0, 1.0).sum() + (b * b.detach()).mean(),
        lambda a, b: torch.einsum("ij,jk->ik", a, b).logsumexp(1).sum(),
    ],
)
def test_gradients_equal_those_of_the_cpu(loss: Loss) -> None:
    a, b = torch.randn(4, 5), torch.randn(5, 4)
    for npu, cpu in zip(gradients(loss, a, b, device="npu"), gradients(loss, a, b, device="cpu"), strict=True):
        torch.testing.assert_close(npu, cpu)


def test_gradcheck_and_gradgradcheck() -> None:
    x = torch.randn(3, 4, dtype=torch.float64, device="npu", requires_grad=True)
    w = torch.randn(4, 2, dtype=torch.float64, device="npu", requires_grad=True)

    def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ w).view(-1)[1:].pow(2)

    assert torch.autograd.gradcheck(f, (x, w)) and torch.autograd.gradgradcheck(f, (x, w))


def test_double_backward_of_convolution_and_lstm() -> None:
    for device in ("npu", "cpu"):
        torch.manual_seed(1)
        x = torch.randn(1, 2, 6, 6).to(device).requires_grad_()
        w = torch.randn(3, 2, 3, 3).to(device).requires_grad_()
        (g,) = torch.autograd.grad(torch.nn.functional.conv2d(x, w).pow(2).sum(), x, create_graph=True)
        g.pow(2).sum().backward()
        lstm = torch.nn.LSTM(3, 4).to(device).double()
        y = torch.randn(5, 2, 3, dtype=torch.float64).to(device).requires_grad_()
        (h,) = torch.autograd.grad(lstm(y)[0].pow(2).sum(), y, create_graph=True)
        h.pow(2).sum().backward()
        if device == "npu":
            kept = (w.grad.cpu(), y.grad.cpu())
    torch.testing.assert_close(kept, (w.grad, y.grad))


def test_in_place_on_a_saved_tensor_is_noticed() -> None:
    x = torch.ones(3, device="npu", requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_in_place_on_views_of_leaves_and_versions() -> None:
    x = torch.zeros(4, device="npu")
    before = x._version
    x[1:].mul_(2)
    assert x._version == before + 1
    y = torch.ones(4, device="npu", requires_grad=True) * 2
    y[1:3].mul_(3)
    y.sum().backward()


def test_custom_function_hooks_and_accumulation() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: object, g: torch.Tensor) -> torch.Tensor:
            assert g.device.type == "npu"
            return g * 2

    x = torch.ones(2, device="npu", requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append(g.device.type))
    for _ in range(2):
        Double.apply(x).sum().backward()
    assert x.grad.tolist() == [4, 4] and seen == ["npu", "npu"]


def test_gradients_cross_devices() -> None:
    x = torch.ones(2, requires_grad=True)
    (x.npu() * 3).cpu().sum().backward()
    assert x.grad.device.type == "cpu" and x.grad.tolist() == [3, 3]


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoint_draws_the_same_random_numbers(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(100, device="npu", requires_grad=True)
    y = checkpoint(lambda v: torch.nn.functional.dropout(v, 0.5), x, use_reentrant=reentrant)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_sparse_gradients_of_an_embedding() -> None:
    table = torch.nn.Embedding(5, 2, sparse=True).npu()
    table(torch.tensor([1, 3], device="npu")).sum().backward()
    assert table.weight.grad.is_sparse and table.weight.grad.to_dense().sum().item() == 4


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.slow
def test_torch_compile_with_torch_backends(backend: str) -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2)).npu()
    compiled = torch.compile(layer, backend=backend, fullgraph=True)
    x = torch.randn(3, 4, device="npu")
    torch.testing.assert_close(compiled(x), layer(x))
    compiled(x).sum().backward()
    assert layer[0].weight.grad.device.type == "npu"


def test_fake_tensors_know_the_device() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(2, 3, device="npu")
        y = torch.nn.functional.linear(x, torch.empty(4, 3, device="npu"))
        assert y.device == torch.device("npu:0") and y.shape == (2, 4)
