"""Several steps of training, compiled: mixed precision, optimizers with groups and schedules, averages, recomputation.

The reference in float32 is eager mode. In bfloat16 it is PyTorch's own trace of the same program (aot_eager): eager mode
rounds elsewhere, and Adam makes a step of the learning rate of a gradient that is nothing but rounding, such as that of
the bias of attention's keys.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._functorch.aot_autograd import aot_module_simplified
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

import ferrata.npu  # noqa: F401  registers the device
import ferrata.torchair as torchair

pytestmark = pytest.mark.slow

aten = torch.ops.aten
DEVICES = ("cpu", "npu")


class Block(nn.Module):
    """Attention between an embedding and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(50, 16), nn.Linear(16, 50)
        self.heads, self.norm = nn.Linear(16, 48), nn.LayerNorm(16)

    def forward(self, x: Tensor) -> Any:
        h = self.embed(x)
        q, k, v = (part.unsqueeze(1) for part in self.heads(self.norm(h)).chunk(3, -1))
        h = h + F.scaled_dot_product_attention(q, k, v, dropout_p=0.1).squeeze(1)
        return self.out(F.gelu(h))


def train(device: str, backend: Any, dtype: torch.dtype, dynamic: bool) -> list[Tensor]:
    """Three steps of AdamW: all losses, gradients and parameters. Without a backend eagerly."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = Block().to(device)
    run = torch.compile(model, backend=backend, dynamic=dynamic) if backend else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    seen: list[Tensor] = []
    for i in range(3):
        x, y = torch.randint(50, (2, 3, 6 + i * dynamic)).to(device)
        with torch.autocast(device, dtype, enabled=dtype != torch.float32):
            loss = F.cross_entropy(run(x).flatten(0, 1), y.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        gradients = [p.grad.clone() for p in model.parameters() if p.grad is not None]
        optimizer.step()
        optimizer.zero_grad()
        seen += [loss.detach(), *gradients, *(p.detach().clone() for p in model.parameters())]
    return seen


@pytest.mark.parametrize("dynamic", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["static", "dynamic"])
@pytest.mark.parametrize("device", DEVICES)
def test_mixed_precision_is_bit_for_bit_that_of_pytorchs_own_trace(device: str, dynamic: bool) -> None:
    ours = train(device, torchair.get_npu_backend(), torch.bfloat16, dynamic)
    theirs = train(device, "aot_eager", torch.bfloat16, dynamic)
    assert len(ours) == len(theirs) == 3 * (1 + 2 * 7) and all(map(torch.equal, ours, theirs))


@pytest.mark.parametrize(("device", "dynamic"), [("cpu", False), pytest.param("npu", True, marks=pytest.mark.slow)])
def test_full_precision_is_that_of_eager_mode(device: str, dynamic: bool) -> None:
    ours, theirs = (train(device, b, torch.float32, dynamic) for b in (torchair.get_npu_backend(), None))
    assert len(ours) == len(theirs) == 3 * (1 + 2 * 7)
    for got, expected in zip(ours, theirs, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


# ---- optimizers ----

Maker = Callable[..., torch.optim.Optimizer]
OPTIMIZERS: dict[str, Maker] = {
    "SGD": functools.partial(torch.optim.SGD, momentum=0.9, nesterov=True, weight_decay=0.01),
    "AdamW": torch.optim.AdamW,
    "AdamW fused": functools.partial(torch.optim.AdamW, fused=True),
    "RMSprop": functools.partial(torch.optim.RMSprop, momentum=0.5, centered=True),
    "Adagrad": functools.partial(torch.optim.Adagrad, lr_decay=0.1),
    "NAdam": torch.optim.NAdam,
    "RAdam": torch.optim.RAdam,
    "Adamax": torch.optim.Adamax,
    "Adadelta": torch.optim.Adadelta,
    "ASGD": torch.optim.ASGD,
    "Rprop": torch.optim.Rprop,
}


def small(device: str) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 3)).to(device)


def batches(device: str, count: int = 4) -> Iterator[Tensor]:
    """Of growing size."""
    generator = torch.Generator().manual_seed(3)
    for i in range(count):
        yield torch.randn(4 + i, 6, generator=generator).to(device)


def compiling(backend: Any) -> Callable[..., Any]:
    return functools.partial(torch.compile, backend=backend) if backend else lambda f, **_: f


def steps_with_groups(device: str, backend: Any, make: Maker, **options: Any) -> list[Tensor]:
    """Four steps of an optimizer with two groups, whose learning rates a schedule changes."""
    torch._dynamo.reset()
    model = small(device)
    first, rest = [*model[0].parameters()], [*model[2].parameters(), *model[3].parameters()]
    optimizer = make([{"params": first, "weight_decay": 0}, {"params": rest, "lr": 0.02}], lr=0.01, **options)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    step = compiling(backend)(optimizer.step)
    for x in batches(device):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        step()
        schedule.step()
    counts = [state["step"].cpu().float() for state in optimizer.state.values() if "step" in state]
    return [*(p.detach() for p in model.parameters()), *counts]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == "AdamW" else pytest.mark.slow) for n in OPTIMIZERS])
def test_groups_with_rates_that_change_have_the_steps_of_eager_mode(name: str, device: str) -> None:
    """Each group from its first step on: on a device that is not CUDA, Dynamo by itself loses one of the first group."""
    foreach = None if "fused" in name else (device == "npu") != (name == "NAdam")
    ours = steps_with_groups(device, torchair.get_npu_backend(), OPTIMIZERS[name], foreach=foreach)
    theirs = steps_with_groups(device, None, OPTIMIZERS[name], foreach=foreach)
    for got, expected in zip(ours, theirs, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


def late_steps(device: str, compiled: Callable[..., Any], make: Maker) -> list[Tensor]:
    """Three steps with two groups; two parameters of the first join after a step."""
    model = small(device)
    model[0].requires_grad_(False)
    first, rest = [*model[0].parameters(), *model[2].parameters()], [*model[3].parameters()]
    optimizer = make([{"params": first}, {"params": rest, "lr": 0.02}], lr=0.01)
    step = compiled(optimizer.step)
    for i, x in enumerate(batches(device, 3)):
        model[0].requires_grad_(i > 0)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        step()
    counts = [state["step"].cpu().float() for state in optimizer.state.values()]
    assert [*map(int, counts)] in ([3] * 4 + [2] * 2, [2] * 2 + [3] * 4)
    return [p.detach().cpu() for p in model.parameters()]


def own_backend(gm: torch.fx.GraphModule, inputs: Any) -> Any:
    return aot_module_simplified(gm, inputs, fw_compiler=torchair.get_compiler())


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("backend", ["npu", own_backend, "aot_eager"], ids=["npu", "own", "aot_eager"])
def test_parameters_that_join_a_group_late_lose_no_step(backend: Any, foreach: bool) -> None:
    """Adafactor has no `capturable`, by which PyTorch evades the loss on CUDA. Whoever compiles, from the first use on."""
    torch._dynamo.reset()
    make = functools.partial(torch.optim.Adafactor, foreach=foreach)
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        ours = late_steps("npu", compiling(backend), make)
    for got, expected in zip(ours, late_steps("cpu", compiling(None), make), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-6)


FRESH = """
import sys, torch
import ferrata.npu
assert DYNAMO_FIRST == ("torch._dynamo.variables.optimizer" in sys.modules)
a, b = (torch.ones(2, device="npu", requires_grad=True) for _ in range(2))
optimizer = torch.optim.Adadelta([{"params": [a]}, {"params": [b]}])
a.grad, b.grad = torch.ones_like(a), torch.ones_like(b)
step = torch.compile(optimizer.step, backend="eager")
for _ in range(2):
    step()
assert [int(optimizer.state[p]["step"]) for p in (a, b)] == [2, 2]
assert not any(type(f).__name__ == "_OnImport" for f in sys.meta_path)
"""


@pytest.mark.parametrize("dynamo_first", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_first_thing_that_a_process_compiles_is_an_optimizer(dynamo_first: bool) -> None:
    code = FRESH.replace("DYNAMO_FIRST", str(dynamo_first))
    if dynamo_first:
        code = "import torch._dynamo.variables.optimizer\n" + code
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- whole steps ----


def scaled(device: str, compiled: Callable[..., Any]) -> Iterator[Any]:
    """float16 with a scale that overflows first; gradients clipped."""
    model = small(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler(device, init_scale=2.0**20, growth_interval=2)

    def step(x: Tensor) -> Any:
        with torch.autocast(device, torch.float16):
            loss = model(x).float().square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    run = compiled(step)
    scales = [2.0**20]
    for x in batches(device):
        yield run(x)
        scales.append(scaler.get_scale())
    assert scales[1] < scales[0]
    yield from (*scales, *model.parameters())


def averaged(device: str, compiled: Callable[..., Any]) -> Iterator[Any]:
    """An exponential average of the weights, updated by a graph; it runs as a graph."""
    model = small(device)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))  # type: ignore[no-untyped-call]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run, update = compiled(model), compiled(lambda: average.update_parameters(model))
    for x in batches(device):
        run(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        update()
    yield from (compiled(average)(x).detach(), *average.parameters())


def accumulated(device: str, compiled: Callable[..., Any]) -> Iterator[Any]:
    """A step every second batch; the norm of the gradients is clipped in the graph of the step."""
    model = small(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.01, device=device), foreach=False)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)

    def part(x: Tensor) -> Any:
        loss = model(x).square().mean() / 2
        loss.backward()
        return loss.detach()

    def step() -> Any:
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        schedule.step()
        return norm

    run, make = compiled(part), compiled(step)
    for i, x in enumerate(batches(device)):
        yield run(x)
        if i % 2:
            yield make()
            optimizer.zero_grad()
    yield from (float(optimizer.param_groups[0]["lr"]), *model.parameters())


def recomputed(device: str, compiled: Callable[..., Any]) -> Iterator[Any]:
    """All but the products of matrices is computed again; a layer with dropout draws the same numbers again."""
    model = small(device)
    kept = [aten.mm.default, aten.addmm.default]
    contexts = functools.partial(create_selective_checkpoint_contexts, kept)

    def loss(x: Tensor) -> Tensor:
        def first(x: Tensor) -> Tensor:
            return F.dropout(model[:2](x), 0.3)

        h = checkpoint(first, x, use_reentrant=False)
        found: Tensor = checkpoint(model[2:], h, use_reentrant=False, context_fn=contexts).square().mean()
        return found

    run = compiled(loss, fullgraph=True)
    torch.manual_seed(1)
    for x in batches(device):
        found = run(x)
        found.backward()
        yield found.detach()
    yield from (p.grad for p in model.parameters())


def functional(device: str, compiled: Callable[..., Any]) -> Iterator[Any]:
    """Gradient and step as one graph."""
    model = small(device)

    def step(weights: dict[str, Tensor], x: Tensor) -> tuple[dict[str, Tensor], Tensor]:
        def loss(w: dict[str, Tensor]) -> Tensor:
            found: Tensor = torch.func.functional_call(model, w, (x,)).square().mean()
            return found

        gradients, found = torch.func.grad_and_value(loss)(weights)
        return {k: v - 0.1 * gradients[k] for k, v in weights.items()}, found

    run = compiled(step, fullgraph=True)
    weights = {k: v.detach() for k, v in model.named_parameters()}
    for x in batches(device):
        weights, found = run(weights, x)
        yield found
    yield from weights.values()


def traced_backward(device: str, compiled: Callable[..., Any]) -> Iterator[Any]:
    """The backward is captured as it runs (compiled autograd), hooks of parameters included."""
    model = small(device)
    next(model.parameters()).register_hook(lambda g: g * 0.5)  # type: ignore[no-untyped-call]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step(x: Tensor) -> Tensor:
        loss: Tensor = model(x).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    run = compiled(step)
    with torch._dynamo.config.patch(compiled_autograd=run is not step):
        for x in batches(device):
            yield run(x)
            optimizer.step()
            optimizer.zero_grad()
    yield from model.parameters()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "program", [scaled, averaged, accumulated, recomputed, functional, traced_backward], ids=lambda p: p.__name__
)
def test_whole_steps_have_the_values_of_eager_mode(program: Callable[..., Iterator[Any]], device: str) -> None:
    found = []
    for backend in (torchair.get_npu_backend(), None):
        torch._dynamo.reset()
        found.append([v.detach().clone() if isinstance(v, Tensor) else v for v in program(device, compiling(backend))])
    ours, theirs = found
    assert len(ours) == len(theirs) > 4
    for got, expected in zip(ours, theirs, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)
