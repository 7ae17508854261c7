"""When values live, where the plan puts them, and what the report says."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
import sympy  # type: ignore[import-untyped]
import torch

from ferrata import ge
from ferrata.ge.ir import Desc, Graph
from ferrata.ge.memory import Interval, MemoryPlan, place_all, plan_memory
from ferrata.ge.worlds import World
from tests.ge.nodes import FLOAT, add


def lives(plan: MemoryPlan) -> dict[str, tuple[int, int]]:
    return {i.value: (i.start, i.end) for i in plan.intervals}


def sound(plan: MemoryPlan) -> bool:
    """No two values that live at once share a byte."""
    return not any(
        a.start <= b.end and b.start <= a.end and a.offset < b.offset + b.nbytes and b.offset < a.offset + a.nbytes
        for a, b in itertools.combinations([i for i in plan.intervals if i.nbytes], 2)
    )


def diamond() -> Graph:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        a = add(g, "Tanh", x)
        b = add(g, "Exp", a)
        c = add(g, "Relu", a)
        return g.finish([add(g, "Less", b, c)])


def test_a_value_lives_to_its_last_reader() -> None:
    plan = plan_memory(diamond())
    assert lives(plan) == {"Tanh": (0, 2), "Exp": (1, 3), "Relu": (2, 3), "Less": (3, 3)}
    assert plan.live == [1024, 2048, 3072, 2048 + 256]
    assert (plan.lower_bound, plan.peak, plan.without_reuse, plan.fullest) == (3072, 3072, 3072 + 256, 2)
    assert sound(plan)


def test_inputs_and_constants_are_not_planned_and_results_live_to_the_end() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        z = add(g, "Add", x, g.const(torch.ones(16, 16)))
        graph = g.finish([y, add(g, "Exp", z)])
    assert lives(plan_memory(graph)) == {"Tanh": (0, 2), "Add": (1, 2), "Exp": (2, 2)}


def test_a_view_keeps_its_owner_alive_and_needs_nothing() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        flat = add(g, "Reshape", y, g.const(torch.tensor([256])))
        z = add(g, "Exp", x)
        graph = g.finish([add(g, "Add", flat, add(g, "Reshape", z, g.const(torch.tensor([256]))))])
    plan = plan_memory(graph)
    assert lives(plan) == {"Tanh": (0, 4), "Exp": (2, 4), "Add": (4, 4)}
    assert next(i for i in plan.intervals if i.value == "Tanh").shared == ("Reshape",)


def test_what_is_written_in_place_is_one_piece_of_memory() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        graph = g.finish([add(g, "Exp", add(g, "Tanh", x))])
    (one,) = ge.Session().compile(graph).memory.intervals
    assert (one.value, one.shared, one.start, one.end) == ("Tanh", ("Exp",), 0, 1)
    assert len(ge.Session(off=frozenset({"InPlaceReuse"})).compile(graph).memory.intervals) == 2


def test_sizes_that_are_symbols_count_as_the_hints_say() -> None:
    rows = sympy.Symbol("s0", integer=True)
    with ge.GraphBuilder("g", [World({rows: 8}, "a"), World({rows: 24}, "b")]) as g:
        n = g.data("n", Desc(9, (), host=True))
        x = g.data("x", Desc(0, (rows, 16)))
        graph = g.finish([add(g, "Tanh", x)], {"s0": n})
    assert plan_memory(graph, {"s0": 8}).peak == 8 * 16 * 4
    assert plan_memory(graph, {"s0": 80}).peak == 80 * 16 * 4
    assert plan_memory(graph, {"s0": 8}).hints == {"s0": 8}
    assert plan_memory(graph).guessed == ("s0",)


def test_the_report_names_figures_and_the_largest_values_of_the_fullest_step() -> None:
    text = str(plan_memory(diamond()))
    assert "planned peak    3.00 KiB (1.000 of the lower bound)" in text
    assert "fullest at step 2, Relu:" in text
    assert "1.00 KiB  Exp float32[16, 16], steps 1..3" in text


def test_an_empty_graph_has_a_plan() -> None:
    with ge.GraphBuilder("g") as g:
        graph = g.finish([g.data("x", FLOAT)])
    plan = plan_memory(graph)
    assert (plan.peak, plan.lower_bound, plan.live) == (0, 0, [])
    assert "0 values" in str(plan)


@pytest.mark.parametrize("seed", range(20))
def test_random_lives_never_overlap_and_stay_near_the_bound(seed: int) -> None:
    rng = random.Random(seed)
    steps = 60
    some = []
    for k in range(60):
        start = rng.randrange(steps)
        end = min(steps - 1, start + rng.choice([0, 1, 1, 2, 3, 20]))
        some.append(Interval(f"v{k}", f"v{k}", "T", "f", "[]", "", rng.choice([64, 128, 1024, 4096]), start, end))
    plan = MemoryPlan("g", tuple(map(str, range(steps))), tuple(place_all(some)), {})
    assert sound(plan)
    assert plan.lower_bound <= plan.peak <= 1.05 * plan.lower_bound


def test_dumps_have_the_report(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ferrata.ge.dump import GraphDump

    monkeypatch.setenv("DUMP_GE_GRAPH", "2")
    monkeypatch.setenv("DUMP_GRAPH_FORMAT", "memory")
    monkeypatch.setenv("DUMP_GRAPH_PATH", str(tmp_path))
    ge.Session(dump_options=(GraphDump("py", str(tmp_path)),)).compile(diamond())
    files = sorted(tmp_path.glob("**/*memory*.txt"))
    assert len(files) == 2
    assert all("planned peak" in f.read_text() for f in files)


def test_a_view_of_an_input_that_a_cluster_gives_out_is_no_new_memory() -> None:
    from ferrata.ge.cluster import enclosed

    with ge.GraphBuilder("g") as g:
        x, w = g.data("x", FLOAT), g.data("w", FLOAT)
        turned = add(g, "Transpose", w, g.const(torch.tensor([1, 0])))
        y = add(g, "Exp", add(g, "Tanh", x))
        graph = g.finish([add(g, "Mul", y, y), turned])
    around = enclosed(graph, torch.device("cpu"), 1)
    (cluster,) = [n for n in around.nodes if n.graphs]
    assert len(cluster.outputs) == 2
    assert [i.nbytes for i in plan_memory(around).intervals] == [1024]
