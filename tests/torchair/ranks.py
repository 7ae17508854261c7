"""Scenarios of several processes, run as `python -m tests.torchair.ranks NAME RANK WORLD STORE`; used by
test_collectives.py. A rank that fails prints its traceback and ends with 1.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
import torch.nn.functional as F

import ferrata.npu
import ferrata.torchair as torchair
from tests.torchair.agree import agree, compiled, same, watching

GROUP = "0"  # the name of the default group


def every(device: str) -> None:
    """Each collective in one graph, static and dynamic."""
    world, rank = dist.get_world_size(), dist.get_rank()

    def f(x: torch.Tensor) -> Any:
        y = x.clone()
        dist.all_reduce(y)
        return (
            fc.all_reduce(x, "sum", GROUP) + 1, fc.all_reduce(x, "max", GROUP), fc.all_gather_tensor(x, 0, GROUP),
            fc.all_gather_tensor(x, 1, GROUP), fc.reduce_scatter_tensor(x, "sum", 0, GROUP),
            fc.broadcast(x, world - 1, GROUP), fc.all_to_all_single(x, None, None, GROUP), y,
            fc.all_reduce(x.double(), "avg", GROUP),
        )  # fmt: skip

    x = (torch.arange(world * 8.0).reshape(world * 2, 4) * (rank + 1)).to(device)
    seen = agree(f, x, dynamic=False).types()
    for op_type, count in {
        "HcomAllReduce": 3, "HcomAllGather": 2, "HcomReduceScatter": 1, "HcomBroadcast": 1, "HcomAllToAllV": 1
    }.items():  # fmt: skip
        assert seen.count(op_type) == count, (op_type, seen)
    assert "_c10d_functional::all_reduce.default" in seen  # the mean, which GE lacks
    agree(lambda x: fc.all_gather_tensor(fc.all_reduce(x, "sum", GROUP), 0, GROUP) * 2, x, dynamic=True)
    uneven = [r + 1 for r in range(world)]  # to rank r go r + 1 rows
    rows = torch.arange(float(sum(uneven) * 3)).reshape(-1, 3).to(device) + 100 * rank
    agree(lambda x: fc.all_to_all_single(x, [rank + 1] * world, uneven, GROUP) + 0, rows, dynamic=False)


class ToRanks(torch.autograd.Function):
    """The same value on all ranks; their gradients add up."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return fc.all_reduce(grad, "sum", GROUP)


class FromRanks(torch.autograd.Function):
    """The sum of what the ranks have."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return fc.all_reduce(x, "sum", GROUP)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad


def parallel_mlp(device: str) -> None:
    """A layer split by columns, one split by rows: outputs and gradients are those of one process."""
    world, rank = dist.get_world_size(), dist.get_rank()
    torch.manual_seed(0)
    x, w1, b1, w2 = (torch.randn(s) * 0.3 for s in ((5, 8), (16, 8), (16,), (8, 16)))
    whole = [t.clone().requires_grad_() for t in (x, w1, b1, w2)]
    expected = F.linear(F.gelu(F.linear(whole[0], whole[1], whole[2])), whole[3])
    expected.square().sum().backward()

    def part(t: torch.Tensor, dim: int) -> torch.Tensor:
        return t.chunk(world, dim)[rank].contiguous()

    parts = [x.clone(), part(w1, 0), part(b1, 0), part(w2, 1)]
    mine = [t.to(device).requires_grad_() for t in parts]

    def f(x: torch.Tensor, w1: torch.Tensor, b1: torch.Tensor, w2: torch.Tensor) -> Any:
        return FromRanks.apply(F.linear(F.gelu(F.linear(ToRanks.apply(x), w1, b1)), w2))

    for dynamic in (False, True):
        torch._dynamo.reset()
        for t in mine:
            t.grad = None
        with watching() as seen:
            got = compiled(f, dynamic=dynamic)(*mine)
            torch.testing.assert_close(got.cpu(), expected)
            got.square().sum().backward()
        grads = [whole[0].grad, part(whole[1].grad, 0), part(whole[2].grad, 0), part(whole[3].grad, 1)]
        for t, grad in zip(mine, grads, strict=True):
            torch.testing.assert_close(t.grad.cpu(), grad)
        assert seen.types().count("HcomAllReduce") == 2  # one forward, one backward


def tensor_parallel(device: str) -> None:
    """PyTorch's own tensor parallelism, which shards a module by DTensor."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 8))
    x = torch.randn(5, 8)
    expected = model(x)
    expected.square().sum().backward()
    grad = model[0].weight.grad.clone()
    model.zero_grad()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    with watching() as seen:
        got = compiled(model)(x)
        torch.testing.assert_close(got, expected)
        got.square().sum().backward()
    torch.testing.assert_close(model[0].weight.grad.full_tensor(), grad)
    assert "HcomAllReduce" in seen.types()


class Net(torch.nn.Module):
    """A module of one's own: Dynamo does not compile `torch.nn.Sequential` that is called by PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.norm, self.out = torch.nn.Linear(8, 16), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.out(self.norm(F.gelu(self.into(x))))
        return y


def trained(wrap: Callable[[torch.nn.Module], tuple[Any, Any]], device: str, *, parts: bool) -> tuple[Any, Any]:
    """Two steps of AdamW on this rank's part of the batch, or on all of it; the wrapped module, and what was compiled.

    wrap: module -> (what has the parameters, what is called).
    """
    torch._dynamo.reset()
    torch.manual_seed(0)
    module, call = wrap(Net().to(device))
    x, target = torch.randn(2, 8, 8).to(device), torch.randn(2, 8, 4).to(device)
    rows = 8 // dist.get_world_size()
    mine = slice(dist.get_rank() * rows, (dist.get_rank() + 1) * rows) if parts else slice(None)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
    with watching() as seen:
        for step in range(2):
            optimizer.zero_grad()
            F.mse_loss(call(x[step, mine]), target[step, mine]).backward()
            optimizer.step()
    return module, seen


def data_parallel(device: str) -> None:
    """DistributedDataParallel around a compiled module, compiled as a whole, and in several buckets: gradients and
    parameters are those of one process with the whole batch."""
    from torch.nn.parallel import DistributedDataParallel as DDP

    backend = torchair.get_npu_backend()

    def around(m: torch.nn.Module) -> tuple[Any, Any]:
        ddp = DDP(torch.compile(m, backend=backend, fullgraph=True))
        return ddp, ddp

    def inside(m: torch.nn.Module) -> tuple[Any, Any]:
        m.compile(backend=backend, fullgraph=True)
        ddp = DDP(m)
        return ddp, ddp

    def whole(m: torch.nn.Module) -> tuple[Any, Any]:
        ddp = DDP(m)
        return ddp, torch.compile(ddp, backend=backend)

    def buckets(m: torch.nn.Module) -> tuple[Any, Any]:
        ddp = DDP(m)
        ddp.bucket_bytes_cap = 600  # bytes, by which Dynamo splits the graph
        return ddp, torch.compile(ddp, backend=backend, dynamic=True)

    expected, _ = trained(lambda m: (m, m), device, parts=False)
    for wrap, least in ((around, 2), (inside, 2), (whole, 2), (buckets, 4)):
        with mock.patch.object(dist, "_DEFAULT_FIRST_BUCKET_BYTES", 100):
            module, seen = trained(wrap, device, parts=True)
        assert len(seen.graphs) >= least, (wrap, len(seen.graphs))
        for p, q in zip(module.parameters(), expected.parameters(), strict=True):
            torch.testing.assert_close(p, q)
            torch.testing.assert_close(p.grad, q.grad)


def sharded(device: str) -> None:
    """Both forms of FSDP, compiled around or within: parameters are those of one process with the whole batch."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

    mesh = init_device_mesh(device, (dist.get_world_size(),))
    backend = torchair.get_npu_backend()

    def within(m: torch.nn.Module) -> tuple[Any, Any]:
        m.compile(backend=backend)
        return (fully_shard(m, mesh=mesh),) * 2

    def around(m: torch.nn.Module) -> tuple[Any, Any]:
        fully_shard(m, mesh=mesh)
        return m, torch.compile(m, backend=backend)

    def first_form(m: torch.nn.Module) -> tuple[Any, Any]:
        module = FullyShardedDataParallel(m, use_orig_params=True, device_id=torch.device(device))
        return module, torch.compile(module, backend=backend)

    expected, _ = trained(lambda m: (m, m), device, parts=False)
    for wrap in (within, around, first_form):
        module, seen = trained(wrap, device, parts=True)
        assert len(seen.graphs) >= 2, (wrap, len(seen.graphs))
        whole = FullyShardedDataParallel.summon_full_params(module) if wrap is first_form else contextlib.nullcontext()
        with whole:
            for p, q in zip(module.parameters(), expected.parameters(), strict=True):
                torch.testing.assert_close(p.full_tensor() if hasattr(p, "full_tensor") else p, q)


def missing(device: str) -> None:
    """The last rank never comes: the others say so."""
    done = Path(sys.argv[4] + ".done")
    if dist.get_rank() == dist.get_world_size() - 1:
        while not done.exists():
            time.sleep(0.1)
        return
    try:
        compiled(lambda x: fc.all_reduce(x, "sum", GROUP) + 1)(torch.ones(3, device=device))
    except ferrata.errors.CollectiveTimeout as error:
        print(f"rank {dist.get_rank()}: {error}", flush=True)
    done.touch()


def leaving(device: str) -> None:
    """The last rank ends in the middle: the others get an error with the group, and may go on."""
    g = compiled(lambda x: fc.all_reduce(x, "sum", GROUP) + 1)
    same(g(torch.ones(3)), torch.full((3,), dist.get_world_size() + 1.0))
    if dist.get_rank() == dist.get_world_size() - 1:
        os._exit(0)
    try:
        g(torch.ones(3))
    except ferrata.errors.CollectiveFailed as error:
        print(f"rank {dist.get_rank()}: {error}", flush=True)
    same(compiled(lambda x: x + 1)(torch.ones(3)), torch.full((3,), 2.0))
    os._exit(0)  # the group cannot be taken down


def killed(device: str) -> None:
    """The last of three ranks is killed between two collectives: neither of the others waits for it."""
    g = compiled(lambda x: fc.all_reduce(x, "sum", GROUP) + 1)
    g(torch.ones(3))
    if dist.get_rank() == dist.get_world_size() - 1:
        os.kill(os.getpid(), 9)
    try:
        g(torch.ones(3))
    except ferrata.errors.CollectiveFailed as error:
        print(f"rank {dist.get_rank()}: {error}", flush=True)
    os._exit(0)


def mismatched(device: str) -> None:
    """Two ranks run what does not fit together: each is told what the other runs, and the group goes on."""
    rank = dist.get_rank()
    pairs: list[tuple[str, Any, Any]] = [
        ("another size", lambda x: fc.all_reduce(x, "sum", GROUP), lambda x: fc.all_reduce(x[:2], "sum", GROUP)),
        ("another type", lambda x: fc.all_gather_tensor(x, 0, GROUP), lambda x: fc.all_gather_tensor(x.half(), 0, GROUP)),
        ("another reduction", lambda x: fc.all_reduce(x, "sum", GROUP), lambda x: fc.all_reduce(x, "max", GROUP)),
        ("another root", lambda x: fc.broadcast(x, 0, GROUP), lambda x: fc.broadcast(x, 1, GROUP)),
        (
            "another order",
            lambda x: fc.all_gather_tensor(fc.all_reduce(x, "sum", GROUP), 0, GROUP),
            lambda x: fc.all_reduce(fc.all_gather_tensor(x, 0, GROUP), "sum", GROUP),
        ),
        (
            "another share",
            lambda x: fc.all_to_all_single(x, [2, 3], [2, 2], GROUP),
            lambda x: fc.all_to_all_single(x, [2, 2], [2, 2], GROUP),
        ),
    ]  # fmt: skip
    for name, *functions in pairs:
        try:
            compiled(functions[rank])(torch.arange(4.0).to(device))
        except ferrata.errors.CollectiveMismatch as error:
            print(f"{name}: {error}", flush=True)
        total = compiled(lambda x: fc.all_reduce(x, "sum", GROUP) + 1)(torch.ones(3, device=device))
        same(total.cpu(), torch.full((3,), 3.0))


SCENARIOS: dict[str, Callable[[str], None]] = {
    f.__name__: f
    for f in (every, parallel_mlp, tensor_parallel, data_parallel, sharded, missing, leaving, killed, mismatched)
}


def main() -> None:
    name, rank, world, store, device = sys.argv[1:6]
    dist.init_process_group(
        "gloo", init_method=f"file://{store}", rank=int(rank), world_size=int(world), timeout=timedelta(seconds=60)
    )
    torch.set_num_threads(1)
    for scenario in name.split(","):
        SCENARIOS[scenario](device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
