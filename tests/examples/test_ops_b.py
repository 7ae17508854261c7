"""The second half of the catalogue, examples/ops: each operator through the checks and through a compiled model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata as fe
from examples.ops.compact import compact
from examples.ops.cumsum import cumsum
from examples.ops.dequantize import dequantize
from examples.ops.dropout import dropout
from examples.ops.embedding import embedding
from examples.ops.foreach_add import foreach_add
from examples.ops.quantize import quantize
from examples.ops.scatter_add import scatter_add
from examples.ops.segment_sum import segment_sum
from examples.ops.top_k import top_k
from ferrata import errors
from ferrata.op.export import export
from tests.op.test_export import build

case, ints = fe.testing.case, fe.testing.ints


def whole(*shape: int) -> Callable[[torch.dtype], torch.Tensor]:
    """Whole numbers, whose sums are exact in any order."""
    return lambda dtype: torch.randint(-9, 10, shape).to(dtype)


def positive(n: int) -> Callable[[torch.dtype], torch.Tensor]:
    """Scales, none of them near zero."""
    return lambda dtype: (torch.rand(n) * 0.05 + 0.01).to(dtype)


def offsets(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int32)


CASES: dict[Any, list[Any]] = {
    top_k: [case(x=(5, 7), k=3), case(x=(2, 5000), k=100), case(x=(1,), k=1), case(x=(3, 2, 4096), k=2048)],
    embedding: [
        case(table=(100, 70), index=ints(-100, 100, 5, 3)), case(table=(1, 1), index=ints(0, 1, 1)),
        case(table=(3, 5000), index=ints(0, 3, 20)), case(table=(9, 8), index=ints(0, 9, 0)),
    ],
    scatter_add: [
        case(out=whole(9, 70), index=ints(-9, 9, 20), src=whole(20, 70)),
        case(out=whole(1, 1), index=ints(0, 1, 100), src=whole(100, 1)),
        case(out=whole(2, 5000), index=ints(0, 2, 3), src=whole(3, 5000)),
    ],
    segment_sum: [
        case(x=(20, 70), offsets=offsets(0, 0, 3, 10, 10, 20)), case(x=(1, 1), offsets=offsets(0, 1)),
        case(x=(3, 5000), offsets=offsets(0, 3)), case(x=(3, 4), offsets=offsets(0)),
    ],
    cumsum: [case(x=(7,)), case(x=(1,)), case(x=(5000,)), case(x=whole(9001))],
    quantize: [
        case(x=(3, 4, 50), scale=positive(50)), case(x=(1, 1), scale=positive(1)), case(x=(5, 3000), scale=positive(3000)),
    ],
    dequantize: [case(q=(3, 4, 50), scale=(50,)), case(q=(1, 1), scale=(1,)), case(q=(5, 3000), scale=(3000,))],
    dropout: [case(x=(3, 50), p=0.5, seed=7), case(x=(1,), p=0.0, seed=-3), case(x=(5000,), p=0.25, seed=2**63 - 1)],
    foreach_add: [
        case(xs=[(7,), (3, 5000), (0,), ()], ys=[(7,), (3, 5000), (0,), ()]), case(xs=[(3,)], ys=[(3,)], alpha=0.5),
    ],
    compact: [case(x=(50,)), case(x=(20000,), threshold=0.5), case(x=(1,)), case(x=(300,), threshold=9.0)],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("op", CASES, ids=lambda op: op.__name__)
def test_checks(op: Any) -> None:
    fe.testing.check(op, CASES[op], show=False)


# --- values, without the machinery --------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "k"), [(1, 1), (33, 33), (2048, 1), (2049, 2048), (20_001, 100)])
def test_top_k_is_the_head_of_a_stable_sort(columns: int, k: int) -> None:
    x = torch.randint(0, 50, (3, columns)).float()  # many equal ones: the earlier comes first
    values, indices = top_k(x.to("npu"), k)
    expected, places = x.sort(dim=-1, descending=True, stable=True)
    assert torch.equal(values.cpu(), expected[:, :k])
    assert torch.equal(indices.cpu(), places[:, :k].int())


def test_top_k_refuses_more_than_there_are() -> None:
    with pytest.raises(errors.PlanRefuses, match="k is 8; it is at most the row's length"):
        top_k(torch.randn(7, device="npu"), 8)


@pytest.mark.parametrize("n", [0, 1, 2047, 2049, 100_003])
def test_cumsum_over_all_cores(n: int) -> None:
    x = torch.randint(-9, 10, (n,), dtype=torch.int32)
    assert torch.equal(cumsum(x.to("npu")).cpu(), x.cumsum(0, dtype=torch.int32))


@pytest.mark.parametrize("kept", ["none", "some", "all"])
@pytest.mark.parametrize("n", [1, 127, 4097, 60_001])
def test_compact_keeps_the_order(n: int, kept: str) -> None:
    x = torch.randn(n)
    x = {"none": -x.abs(), "some": x, "all": x.abs() + 1}[kept]
    values, places = compact(x.to("npu"))
    assert torch.equal(values.cpu(), x[x > 0])
    assert torch.equal(places.cpu(), (x > 0).nonzero().flatten().int())


def test_quantize_rounds_halves_to_even_and_saturates() -> None:
    x = torch.tensor([0.5, 1.5, 2.5, -0.5, 3.4999, 1e30, -1e30, 127.4, -128.6, float("inf")])
    assert quantize(x.to("npu"), torch.ones(10).to("npu")).tolist() == [0, 2, 2, 0, 3, 127, -128, 127, -128, 127]


def test_what_was_quantized_comes_back_within_half_a_step() -> None:
    x = torch.randn(64, 300)
    scale = x.abs().amax(0) / 127
    back = dequantize(quantize(x.to("npu"), scale.to("npu")), scale.to("npu")).cpu()
    assert ((back - x).abs() <= scale * 0.5001).all()


def test_dropout_drops_a_share_that_neither_position_nor_seed_tells() -> None:
    x = torch.ones(200_000, device="npu")
    first, again, other = (dropout(x, 0.3, seed).cpu() for seed in (1, 1, 2))
    kept = (first != 0).float()
    assert torch.equal(first, again)
    assert abs(kept.mean() - 0.7) < 0.01
    assert set(first.unique().tolist()) == {0.0, (torch.tensor(1.0) / 0.7).item()}
    for moved in (kept.roll(1), kept.roll(8), (other != 0).float()):
        assert abs(torch.corrcoef(torch.stack([kept, moved]))[0, 1]) < 0.01


def test_a_list_is_added_in_one_launch() -> None:
    from ferrata.run import runtime

    shapes = [(3,), (), (0, 4), (70, 90), (2, 3, 4)]
    xs, ys = [torch.randn(s) for s in shapes], [torch.randn(s) for s in shapes]
    there = [x.to("npu") for x in xs], [y.to("npu") for y in ys]
    foreach_add(*there, 2.0)
    before = runtime().launches()
    zs = foreach_add(*there, 2.0)
    assert runtime().launches() - before == 1
    for z, x, y in zip(zs, xs, ys, strict=True):
        assert torch.equal(z.cpu(), x + 2 * y)


def test_embedding_trains_by_scatter_add() -> None:
    table, index = torch.randn(10, 33), torch.randint(-10, 10, (4, 5))
    mine, theirs = table.to("npu").requires_grad_(), table.clone().requires_grad_()
    weight = torch.randint(-3, 4, (4, 5, 33)).float()
    (embedding(mine, index.to("npu")) * weight.to("npu")).sum().backward()
    (theirs[index] * weight).sum().backward()
    assert mine.grad is not None and theirs.grad is not None
    assert torch.equal(mine.grad.cpu(), theirs.grad)


# --- compiled models ----------------------------------------------------------------------------------------------


def lookup(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Top-k as indices of an embedding, summed by segments."""
    _, best = top_k(x, 3)
    rows = embedding(y, best % y.shape[0])
    ends = torch.arange(x.shape[0] + 1, dtype=torch.int32, device=x.device) * 3
    return segment_sum(rows.flatten(0, 1), ends)


def squeezed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Quantised there and back, with dropout, added to lists."""
    scale = x.abs().amax(0) / 127 + 1e-3
    back = dequantize(quantize(x, scale), scale)
    first, second = foreach_add([back, y], [x, y], -1.0)
    return dropout(first, 0.5, 3) + second.sum()


def counted(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A size that is known after the kernel ran, in the middle of a graph."""
    values, places = compact(x.flatten(), 0.25)
    total = torch.zeros_like(y)
    scatter_add(total, places % y.shape[0], values[:, None] * y[:1])
    return cumsum(total.flatten())


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("model", [lookup, squeezed, counted])
def test_models_compile(model: Callable[..., torch.Tensor], dynamic: bool) -> None:
    torch._dynamo.reset()
    run = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for rows, columns in ((4, 16), (7, 40)):
        x, y = (
            torch.randint(-3, 4, (rows, columns)).float().to("npu"),
            torch.randint(-3, 4, (rows, 8)).float().to("npu"),
        )
        torch.testing.assert_close(run(x, y), model(x, y), rtol=1e-6, atol=1e-5)


# --- exported -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("op", [cumsum, foreach_add], ids=lambda op: op.__name__)
def test_exported_projects_pass_their_own_test(op: Any, tmp_path: Path) -> None:
    export([op], tmp_path / "out")
    assert "OK" in build(tmp_path / "out")
