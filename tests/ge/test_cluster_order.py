"""The order of kernels in a cluster: the estimate against a plain count, against real peaks, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.bench_memory import peak as measured
from ferrata import ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.cluster import order as module
from ferrata.ge.cluster.order import LeastMemory, Step, Work, improved, peak
from tests.clusters import clustered, one_process
from tests.ge.nodes import add
from tests.ge.test_clusters import FLOAT, chain, custom, same, shown


def plain_peak(work: Work, order: list[int]) -> int:
    """Bytes at the fullest moment: group by group, what exists by name."""
    groups: list[list[int]] = []
    for number in order:
        if groups and not work.steps[number].alone and not work.steps[groups[-1][-1]].alone:
            groups[-1].append(number)
        else:
            groups.append([number])
    last = {b: i for i, number in enumerate(order) for b in work.steps[number].read}
    exists = dict.fromkeys(range(len(work.made)), 0)
    most = 0
    at = -1
    for group in groups:
        gone = []
        for number in group:
            at += 1
            step = work.steps[number]
            ends = [b for b in step.read if last[b] == at and b not in work.kept]
            for b in step.made:
                taken = [a for a in step.instead.get(b, []) if a in ends]
                exists[b] = work.made[b]
                if taken:  # the memory has another name from now on
                    exists[taken[0]] = 0
                    ends.remove(taken[0])
                if b not in last and b not in work.kept:
                    ends.append(b)
            gone += ends
        most = max(most, sum(exists.values()))
        exists.update(dict.fromkeys(gone, 0))
    return most


@st.composite
def works(draw: Any) -> Work:
    count = draw(st.integers(1, 12))
    work = Work([], [], [], [], set())
    for number in range(count):
        step = Step(draw(st.booleans()))
        step.made = [number]
        size = draw(st.sampled_from((0, 8, 8, 16, 100)))
        work.made.append(size)
        work.freed.append(size)
        work.readers.append(0)
        step.read = sorted(draw(st.sets(st.integers(0, number - 1), max_size=3))) if number else []
        step.after = set(step.read)
        if step.read and draw(st.booleans()):
            step.instead[number] = [b for b in step.read if work.made[b] == size]
        for b in step.read:
            work.readers[b] += 1
        work.steps.append(step)
    work.kept = {i for i in range(count) if work.readers[i] == 0 or draw(st.integers(0, 5)) == 0}
    return work


@settings(max_examples=300, deadline=None)
@given(works())
def test_the_estimate_and_what_is_improved_by_it(work: Work) -> None:
    given_order = list(range(len(work.steps)))
    assert peak(work, given_order) == plain_peak(work, given_order)
    better = improved(work, given_order, 200)
    assert sorted(better) == given_order
    place = {number: i for i, number in enumerate(better)}
    assert all(place[a] < place[number] for number in better for a in work.steps[number].after)
    assert peak(work, better) == plain_peak(work, better) <= peak(work, given_order)
    assert improved(work, given_order, 0) == given_order


def test_nothing_to_order() -> None:
    assert peak(Work([], [], [], [], set()), []) == 0
    assert improved(Work([], [], [], [], set()), [], 100) == []


W = torch.randn(64, 64) / 8
BIG = torch.randn(64, 64)
WIDE = torch.randn(64, 256) / 8


def early_but_read_late(x: torch.Tensor) -> torch.Tensor:
    """A table made first, which only the end reads."""
    table = (torch.arange(64 * 64, device=x.device, dtype=torch.float32).reshape(64, 64) * 0.1).sin() @ W
    return torch.mm(torch.mm(x, WIDE).cos(), WIDE.t()) + table


def late_but_frees(x: torch.Tensor) -> torch.Tensor:
    """Sums that the program asks for at the end, of values that nothing else needs."""
    wide = [torch.mm(x, W + float(i)) for i in range(4)]
    deep = torch.mm(torch.mm(x, W), W)
    return deep + sum(w.sum() for w in wide)


def plain(x: torch.Tensor) -> torch.Tensor:
    return torch.mm(torch.mm(x, W).tanh(), W).exp() * x


@pytest.mark.slow
@pytest.mark.parametrize(("function", "before", "after"), [
    (early_but_read_late, 5, 5), (late_but_frees, 6, 5), (plain, 2, 2),
])  # fmt: skip
def test_the_estimate_is_what_a_call_needs(
    function: Any, before: int, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In tensors of 64 x 64: so many exist at once, estimated and counted by the device's allocator."""
    found: list[tuple[int, int]] = []

    def spied(self: LeastMemory, nodes: list[Any]) -> list[Any]:
        work = module._work(nodes)
        result = original(self, nodes)
        index = {n: i for i, n in enumerate(nodes)}
        found.append((peak(work, list(range(len(nodes)))), peak(work, [index[n] for n in result])))
        return result

    original = LeastMemory.__call__
    monkeypatch.setattr(LeastMemory, "__call__", spied)
    with one_process(), torch._inductor.config.patch(fx_graph_cache=False):
        run = clustered(function)
        torch.testing.assert_close(run(BIG), function(BIG), rtol=1e-4, atol=1e-3)
        whole = measured(lambda: run(BIG))
    tensor = 64 * 64 * 4
    assert [(a // tensor, b // tensor) for a, b in found] == [(before, after)]
    assert abs(whole - found[0][1]) <= 64 * 8  # sums of a number each may be counted or not


@pytest.mark.slow
def test_a_table_made_of_constants_is_made_in_the_cluster_that_reads_it() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        bounds = [g.const(torch.tensor(v)) for v in (0.0, 6.0, 1.0)]
        table = add(g, "Cos", add(g, "Range", *bounds))
        first = chain(g, x)
        middle = custom(g, first)
        graph = g.finish([add(g, "Add", chain(g, middle), table)])
    assert shown(graph)[:2] == ["cluster_0[Tanh, Tanh, Tanh]", "custom"]
    assert shown(graph)[2].endswith("Range, Cos, Tanh, Tanh, Tanh, Add]")
    with one_process():
        same(graph, torch.randn(4, 6))


def test_a_copy_of_a_constant_and_what_writes_it_late_join_one_cluster() -> None:
    with ge.GraphBuilder("g") as g:
        x, index = g.data("x", FLOAT), g.data("index", ge.Desc(9, (4,)))
        copy = add(g, "TensorMove", g.const(torch.zeros(20, 6)))
        late = chain(g, custom(g, chain(g, x)))
        put = add(g, "InplaceIndexAdd", copy, index, late, axis=AttrValue("Int", 0))
        graph = g.finish([add(g, "Exp", put)])
    names = shown(graph)
    assert names[1] == "custom" and names[2].startswith("cluster_1[") and "TensorMove" in names[2], names


@pytest.fixture(autouse=True)
def _nothing_compiled() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
