"""Gradients, vmap and autocast of operators defined in Python, against plain torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import errors
from ferrata.torchair import get_npu_backend
from tests.op import defined as ops
from tests.op.pretend import kernel

DEVICES = ["npu", "cpu"]
F = ops.F


def _rms(x: torch.Tensor, w: torch.Tensor | None, eps: float) -> torch.Tensor:
    return torch.nn.functional.rms_norm(x, x.shape[-1:], w, eps)


GRADIENTS: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[tuple[int, ...]]]] = {
    "add": (ops.add, torch.add, [(3, 4), (3, 4)]),
    "axpy": (lambda x, y: ops.axpy(x, y, 0.3), lambda x, y: 0.3 * x + y, [(5,), (5,)]),
    "add_wide": (ops.add_wide, torch.add, [(3, 1), (4,)]),
    "rms_norm": (lambda x, w: ops.rms_norm(x, w, eps=1e-5)[0], lambda x, w: _rms(x, w, 1e-5), [(2, 3, 8), (8,)]),
    "rms_norm, default": (lambda x: ops.rms_norm(x)[0], lambda x: _rms(x, None, 1e-6), [(4, 8)]),
    "a list": (lambda x, y: sum(t.sum() for t in ops.scaled_all([x, y], 3.0)), lambda x, y: 3 * (x.sum() + y.sum()), [(3,), (2, 2)]),
}  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, device: str) -> None:
    ours, theirs, shapes = GRADIENTS[name]
    plain = [torch.randn(shape, requires_grad=True) for shape in shapes]
    there = [t.detach().to(device).requires_grad_() for t in plain]
    expected, found = theirs(*plain), ours(*there)
    weight = torch.randn_like(expected)
    expected.backward(weight)
    found.backward(weight.to(device))
    torch.testing.assert_close(found.detach().cpu(), expected.detach())
    for a, b in zip(plain, there, strict=True):
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["add", "rms_norm"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_a_compiled_model(name: str, dynamic: bool) -> None:
    torch._dynamo.reset()
    ours, theirs, shapes = GRADIENTS[name]
    compiled = torch.compile(lambda *args: ours(*args) * 2, backend=get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for extra in (0, 3):
        sizes = [(shape[0] + extra, *shape[1:]) if len(shape) > 1 else shape for shape in shapes]
        plain = [torch.randn(shape, requires_grad=True) for shape in sizes]
        there = [t.detach().to("npu").requires_grad_() for t in plain]
        (theirs(*plain) * 2).sum().backward()
        compiled(*there).sum().backward()
        for a, b in zip(plain, there, strict=True):
            torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-4, atol=1e-5)


def test_only_what_is_asked_for_is_computed() -> None:
    x, w = torch.randn(3, 8, device="npu", requires_grad=True), torch.randn(8, device="npu")
    ops.rms_norm(x, w)[0].sum().backward()
    assert x.grad is not None and w.grad is None
    x, w = x.detach(), w.requires_grad_()
    ops.rms_norm(x, w)[0].sum().backward()
    assert w.grad is not None


def test_the_second_derivative_goes_through_the_backward() -> None:
    x, y = (torch.randn(4, device="npu", requires_grad=True) for _ in range(2))
    (g,) = torch.autograd.grad(ops.axpy(x * x, y, 2.0).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    torch.testing.assert_close(h.cpu(), torch.full((4,), 4.0))


def test_gradcheck_in_single_precision() -> None:
    w = torch.randn(6, device="npu")
    x = torch.randn(3, 6, device="npu", requires_grad=True)
    step, weight = 1e-2, torch.randn(3, 6, device="npu")
    (ops.rms_norm(x, w, eps=1e-3)[0] * weight).sum().backward()
    for i in range(3):
        delta = torch.zeros_like(x)
        delta[i, 2 * i] = step
        with torch.no_grad():
            up, down = (ops.rms_norm(x + sign * delta, w, eps=1e-3)[0] for sign in (1, -1))
            slope = ((up - down) * weight).sum() / (2 * step)
        torch.testing.assert_close(x.grad[i, 2 * i], slope, rtol=1e-2, atol=1e-3)


def _made(name: str) -> Any:
    @kernel("x: F, y: F, z: F!", F)
    def mul_kernel(x: Any, y: Any, z: Any) -> None:
        torch.mul(x, y, out=z)

    @fe.op(f"defined_backward::{name}", ge=f"DefinedBackward{name.title()}")
    def mul(x: fe.Tensor[F, ...], y: fe.Tensor[F, ...]) -> fe.Tensor[F, ...]:
        """x * y."""

    @mul.plan
    def _(x, y, z):
        return mul_kernel.launch(x, y, z, cores=1)

    return mul


def test_gradients_by_name() -> None:
    mul = _made("by_name")

    @mul.backward
    def _(grad_z, x, y):
        return {"y": grad_z * x}

    x, y = (torch.randn(4, device="npu", requires_grad=True) for _ in range(2))
    mul(x, y).sum().backward()
    torch.testing.assert_close(y.grad, x.detach())
    assert x.grad is None


def test_a_backward_that_names_nothing_of_the_operator_is_refused() -> None:
    mul = _made("misnamed")
    with pytest.raises(errors.BackwardSignature, match=r"has a parameter 'grad_zz'. Did you mean 'grad_z'\?") as caught:

        @mul.backward
        def _(grad_zz, x):
            return grad_zz, None

    assert "        def _(grad_zz, x):\n                  ^~~~~~~" in str(caught.value)


def test_a_backward_that_returns_too_little() -> None:
    mul = _made("short")

    @mul.backward
    def _(grad):
        return grad

    x = torch.randn(4, device="npu", requires_grad=True)
    with pytest.raises(errors.BackwardResult, match=r"returned 1 gradient; expected a gradient for each of x, y"):
        mul(x, x).sum().backward()


def test_a_backward_cannot_ask_for_what_is_overwritten() -> None:
    with pytest.raises(
        errors.BackwardOfWritten, match=r"(?s)asks for x, which the operator overwrites.*grad or grad_x"
    ):

        @ops.scale_.backward
        def _(grad, x, factor):
            return grad * factor


@pytest.mark.parametrize("device", DEVICES)
def test_without_a_backward_there_is_no_gradient(device: str) -> None:
    x = torch.randn(3, device=device, requires_grad=True)
    y = ops.frame(x, x)
    with pytest.raises(RuntimeError, match="derivative for defined::frame is not implemented"):
        y.sum().backward()
    assert not ops.frame(x.detach(), x.detach()).requires_grad
    with torch.no_grad():
        assert not ops.frame(x, x).requires_grad


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_written_cannot_need_a_gradient(device: str) -> None:
    x = torch.randn(3, device=device, requires_grad=True)
    before = x.detach().clone()
    for written in (x, x * 1):
        with pytest.raises(errors.WrittenNeedsGradient, match="writes x and has no backward, and its argument x"):
            ops.scale_(written, 2.0)
    with pytest.raises(errors.WrittenNeedsGradient, match="argument x requires a gradient"):
        ops.accumulate(torch.zeros(3, device=device), x)
    torch.testing.assert_close(x.detach(), before)
    with torch.no_grad():
        ops.scale_(x, 2.0)
    torch.testing.assert_close(x.detach(), 2 * before)


def test_a_saved_tensor_that_is_written_is_noticed() -> None:
    x, y = torch.randn(3, device="npu", requires_grad=True), torch.randn(3, device="npu")
    z = (x * y).sum()
    ops.scale_(y, 2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


# --- operators that write ---


def fma_kernel(x: Any, y: Any, total: Any, factor: float) -> None:
    total.fill_(0).add_((x * y).sum())
    x.mul_(factor).add_(y)


@fe.op("written::fma_")
def fma_(x: fe.Mut[fe.Tensor[F, ...]], y: fe.Tensor[F, ...], factor: float = 2.0) -> fe.Tensor[F, 1]:
    """x = x * factor + y; returns a number that is not differentiated."""


fma = kernel("x: F!, y: F, total: F!, factor: float", F)(fma_kernel)


@fma_.plan
def _(x, y, factor, total):
    return fma.launch(x, y, total, factor, cores=1)


@fma_.backward
def _(grad_x, factor, needs):
    return {"x": grad_x * factor if "x" in needs else None, "y": grad_x}


@fe.op("written::scale_all_")
def scale_all_(xs: fe.Mut[list[fe.Tensor[F, ...]]], factor: float = 2.0) -> None:
    """Each times the factor, in place."""


@scale_all_.plan
def _(xs, factor):
    return [ops.scale_kernel.launch(x, factor, cores=1) for x in xs]


@scale_all_.backward
def _(grad_xs, factor):
    return [[g * factor for g in grad_xs]]


@pytest.mark.parametrize("device", DEVICES)
def test_the_gradient_of_a_write(device: str) -> None:
    x, y = (torch.randn(3, device=device, requires_grad=True) for _ in range(2))
    z = x * 1
    version = z._version
    fma_(z, y, 3.0)
    assert z._version > version and type(z.grad_fn).__name__ != "MulBackward0"
    (z * torch.arange(3.0, device=device)).sum().backward()
    torch.testing.assert_close(x.grad.cpu(), 3 * torch.arange(3.0))
    torch.testing.assert_close(y.grad.cpu(), torch.arange(3.0))


def test_what_needed_no_gradient_needs_one_after_the_write() -> None:
    x, y = torch.zeros(3, device="npu"), torch.randn(3, device="npu", requires_grad=True)
    fma_(x, y)
    assert x.requires_grad
    x.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0, 1.0]


@fe.op("written::times_")
def times_(x: fe.Mut[fe.Tensor[F, ...]], factor: float) -> None:
    """x *= factor."""


@times_.plan
def _(x, factor):
    return ops.scale_kernel.launch(x, factor, cores=1)


@times_.backward
def _(grad, factor):
    return grad * factor


def test_a_view_and_its_base_after_a_write() -> None:
    x = torch.randn(2, 3, device="npu", requires_grad=True)
    base = x * 1
    times_(base[0], 5.0)
    times_(base[:, 1], 2.0)  # not contiguous
    base.sum().backward()
    assert x.grad.tolist() == [[5.0, 10.0, 5.0], [1.0, 2.0, 1.0]]


def test_writes_torch_refuses() -> None:
    x, y = torch.randn(3, device="npu", requires_grad=True), torch.randn(3, device="npu")
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        fma_(x, y)
    squared = x * 1
    loss = (squared * squared).sum()  # saves what is written
    fma_(squared, y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_gradients_of_a_written_list() -> None:
    xs = [torch.randn(n, device="npu", requires_grad=True) for n in (2, 3)]
    ys = [x * 1 for x in xs]
    scale_all_(ys, 4.0)
    (ys[0].sum() + 2 * ys[1].sum()).backward()
    assert xs[0].grad.tolist() == [4.0] * 2 and xs[1].grad.tolist() == [8.0] * 3


@pytest.mark.parametrize("dynamic", [False, True])
def test_the_gradient_of_a_write_in_a_graph(dynamic: bool) -> None:
    def function(x: Any, y: Any) -> Any:
        z = x * 2
        fma_(z, y, 3.0)
        return (z * z).sum()

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for n in (3, 5):
        first = [torch.randn(n, device="npu", requires_grad=True) for _ in range(2)]
        second = [t.detach().clone().requires_grad_() for t in first]
        function(*first).backward()
        compiled(*second).backward()
        for a, b in zip(first, second, strict=True):
            torch.testing.assert_close(a.grad, b.grad, rtol=0, atol=0)


def test_written_arguments_of_a_graph() -> None:
    """The graph writes what came in, which is no leaf."""

    def function(z: Any, y: Any) -> None:
        fma_(z, y, 3.0)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=get_npu_backend(), fullgraph=True)
    grads = []
    for one in (function, compiled):
        torch.manual_seed(0)
        x, y = (torch.randn(4, device="npu", requires_grad=True) for _ in range(2))
        z = x * 1
        one(z, y)
        (z * z).sum().backward()
        grads.append((x.grad.cpu(), y.grad.cpu()))
    for a, b in zip(*grads, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)


# --- vmap ---


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("in_dims", [(0, 0), (1, 0), (None, 1), (-1, None)])
def test_vmap_of_an_elementwise_operator_is_one_launch(in_dims: Any, device: str) -> None:
    x = torch.randn((4, 5) if in_dims[0] == 0 else (5, 4) if in_dims[0] is not None else (5,))
    y = torch.randn((4, 5) if in_dims[1] == 0 else (5, 4) if in_dims[1] is not None else (5,))
    before = len(ops.axpy_kernel.runs)
    z = torch.vmap(ops.add, in_dims=in_dims)(x.to(device), y.to(device))
    assert len(ops.axpy_kernel.runs) == before + 1
    torch.testing.assert_close(z.cpu(), torch.vmap(torch.add, in_dims=in_dims)(x, y))


def test_vmap_over_rows() -> None:
    x, w = torch.randn(4, 3, 8), torch.randn(8)
    found = torch.vmap(ops.rms_norm, in_dims=(0, None))(x.to("npu"), w.to("npu"))
    torch.testing.assert_close(found[0].cpu(), _rms(x, w, 1e-6))
    assert found[1].shape == (4, 3)


def test_vmap_falls_back_to_samples() -> None:
    x, w = torch.randn(4, 3, 8), torch.randn(4, 8)  # the weight has no batch dimensions
    found = torch.vmap(ops.rms_norm)(x.to("npu"), w.to("npu"))[0]
    torch.testing.assert_close(found.cpu(), torch.stack([_rms(a, b, 1e-6) for a, b in zip(x, w, strict=True)]))
    a, b = torch.randn(2, 3, 1), torch.randn(2, 4)
    torch.testing.assert_close(torch.vmap(ops.add_wide)(a.to("npu"), b.to("npu")).cpu(), a + b[:, None])
    xs = [torch.randn(2, 3), torch.randn(2, 5)]
    lists = torch.vmap(lambda p, q: ops.scaled_all([p, q], 2.0))(*(x.to("npu") for x in xs))
    for found_one, expected in zip(lists, xs, strict=True):
        torch.testing.assert_close(found_one.cpu(), 2 * expected)


def test_vmap_of_no_samples() -> None:
    x, w = torch.randn(0, 3, 8, device="npu"), torch.randn(0, 8, device="npu")
    y, rstd = torch.vmap(ops.rms_norm)(x, w)
    assert (y.shape, rstd.shape) == ((0, 3, 8), (0, 3))


def test_vmap_of_an_operator_that_writes() -> None:
    x = torch.randn(3, 4, device="npu")
    expected = 2 * x
    torch.vmap(lambda t: ops.scale_(t, 2.0), in_dims=1, out_dims=None)(x)
    torch.testing.assert_close(x, expected)
    with pytest.raises(errors.VmapWrites, match="it writes total, which is not batched, while x is"):
        torch.vmap(ops.accumulate, in_dims=(None, 0))(torch.zeros(4, device="npu"), x)


def test_vmap_of_a_counted_size_is_refused() -> None:
    with pytest.raises(errors.VmapRagged, match="the size found is counted"):
        torch.vmap(ops.positive)(torch.randn(2, 4, device="npu"))


def test_vmap_of_gradients() -> None:
    x = torch.randn(4, device="npu", requires_grad=True)
    y = ops.axpy(x * x, x, 3.0)
    (found,) = torch.autograd.grad(y, x, torch.eye(4, device="npu"), is_grads_batched=True)
    torch.testing.assert_close(found, torch.diag(6 * x + 1).detach())


# --- autocast ---


@pytest.mark.parametrize("device", DEVICES)
def test_autocast_gives_tensors_of_one_variable_one_type(device: str) -> None:
    x, w = torch.randn(3, 8, device=device).half(), torch.randn(8, device=device)
    with pytest.raises(errors.WrongDtype):
        ops.rms_norm(x, w)
    with torch.autocast(device, dtype=torch.float16):
        y, _ = ops.rms_norm(x, w)
    assert y.dtype == torch.float32
    torch.testing.assert_close(y, ops.rms_norm(x.float(), w)[0])


def test_autocast_leaves_one_type_alone() -> None:
    x = torch.randn(3, 8, device="npu").half()
    with torch.autocast("npu", dtype=torch.float16):
        assert ops.add(x, x).dtype == torch.float16
        assert ops.scale_(x, 2.0) is None
        z = ops.axpy(x, (x @ x.t()).sum() + x)
    assert z.dtype == torch.float16
