"""torch.autocast("npu") and GradScaler."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rules_of_autocast(dtype: torch.dtype) -> None:
    x, w = torch.randn(4, 4, device="npu"), torch.randn(4, 4, device="npu")
    with torch.autocast("npu", dtype=dtype):
        assert torch.is_autocast_enabled("npu") and torch.get_autocast_dtype("npu") == dtype
        low = x @ w
        assert low.dtype == dtype and torch.nn.functional.linear(x, w).dtype == dtype
        assert torch.nn.functional.conv1d(x[None], w[:, :, None]).dtype == dtype
        assert low.softmax(-1).dtype == torch.float32 and low.exp().dtype == torch.float32
        assert low.sum().dtype == torch.float32 and torch.nn.functional.layer_norm(low, (4,)).dtype == torch.float32
        assert torch.addcmul(x, low, low).dtype == torch.float32
        assert (low + 1).dtype == dtype and low.norm().dtype == torch.float32
        with torch.autocast("npu", enabled=False):
            assert (x @ w).dtype == torch.float32
        with pytest.raises(RuntimeError, match="unsafe under autocast"):
            torch.nn.functional.binary_cross_entropy(low.sigmoid(), low)
    assert not torch.is_autocast_enabled("npu") and (x @ w).dtype == torch.float32


def test_values_under_autocast_are_those_of_the_cpu() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))
    x = torch.randn(3, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = layer(x)
    layer.npu()
    with torch.autocast("npu", dtype=torch.bfloat16):
        actual = layer(x.npu())
    torch.testing.assert_close(actual.cpu(), expected, rtol=2e-2, atol=2e-2)


def test_outputs_of_kernels_keep_obeying_autocast() -> None:
    with torch.autocast("npu"):
        x = torch.randn(4, 4, device="npu")
        view = (x + 1).t()[1:]  # results and views of results
        assert (view @ x).dtype == torch.float16


def test_autocast_of_the_module_and_its_state() -> None:
    with torch.npu.amp.autocast():
        assert torch.npu.is_autocast_enabled() and torch.npu.get_autocast_dtype() == torch.float16
        assert (torch.ones(2, 2, device="npu") @ torch.ones(2, 2, device="npu")).dtype == torch.float16
    assert torch.float16 in torch.npu.get_amp_supported_dtype() and torch.npu.is_bf16_supported()
    torch.npu.set_autocast_dtype(torch.bfloat16)
    assert torch.npu.get_autocast_dtype() == torch.bfloat16
    torch.npu.set_autocast_dtype(torch.float16)


@pytest.mark.parametrize(
    "make", [lambda: torch.amp.GradScaler("npu", init_scale=4.0), lambda: torch.npu.GradScaler(init_scale=4.0)]
)
def test_grad_scaler_scales_skips_and_backs_off(make: object) -> None:
    scaler = make()  # type: ignore[operator]
    layer = torch.nn.Linear(2, 1, bias=False).npu()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    before = layer.weight.detach().clone()
    scaler.scale(layer(torch.ones(1, 2, device="npu")).sum()).backward()
    assert layer.weight.grad.tolist() == [[4, 4]]
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(layer.weight.detach(), before - 0.1)
    optimizer.zero_grad()
    scaler.scale(layer(torch.full((1, 2), float("inf"), device="npu")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(layer.weight.detach(), before - 0.1)
    assert scaler.get_scale() == 2.0


def test_custom_forward_and_backward() -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="npu", cast_inputs=torch.float32)
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            assert not torch.is_autocast_enabled("npu")
            return x @ x

        @staticmethod
        @torch.amp.custom_bwd(device_type="npu")
        def backward(ctx: object, g: torch.Tensor) -> torch.Tensor:
            return g

    with torch.autocast("npu"):
        assert Product.apply(torch.ones(2, 2, device="npu", dtype=torch.float16)).dtype == torch.float32
    with pytest.warns(FutureWarning, match="custom_fwd"):
        torch.npu.amp.custom_fwd(lambda ctx, x: x)
