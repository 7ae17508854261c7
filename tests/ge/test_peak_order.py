"""Which nodes move so that less memory is alive at once, which never do, and that nothing else changes."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

import ferrata
from ferrata import ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.dump.passes import Stages
from ferrata.ge.ir import Call, Desc, Graph
from ferrata.ge.memory import plan_memory
from ferrata.ge.passes.peak import order_for_peak
from ferrata.torchair.backend import session_of
from tests.ge.nodes import FLOAT, add


def names(graph: Graph) -> list[str]:
    return [n.name for n in graph.nodes if n.type not in ("Data", "Const")]


def early(waiting: int = 2) -> Graph:
    """`Exp` and so on are made first and read last; `Tanh` has to live for them in the end, too."""
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        t = add(g, "Tanh", x)
        first = [add(g, op, t) for op in ("Exp", "Log1p", "Square")[:waiting]]
        y = add(g, "Less", add(g, "Cos", t), add(g, "Sin", t))
        z = add(g, "Cast", y, dst_type=AttrValue("Int", 0))
        for value in first:
            z = add(g, "Add", z, value)
        return g.finish([z])


def test_a_value_that_is_read_late_is_made_late() -> None:
    graph = early()
    ordered = order_for_peak(graph)
    assert names(graph) == ["Tanh", "Exp", "Log1p", "Cos", "Sin", "Less", "Cast", "Add", "Add_1"]
    late = names(ordered)
    assert late.index("Exp") > late.index("Less") and late.index("Log1p") > late.index("Less")
    assert plan_memory(graph).lower_bound == 5 * 1024
    assert plan_memory(ordered).lower_bound < plan_memory(graph).lower_bound


@pytest.mark.parametrize("waiting", [2, 3])
def test_the_values_are_the_same_and_the_program_follows(waiting: int) -> None:
    graph = early(waiting)
    plain = ge.Session(off=frozenset({"PeakOrder"})).compile(graph)
    ordered = ge.Session().compile(graph)
    x = torch.rand(16, 16)
    torch.testing.assert_close(ordered(x)[0], plain(x)[0], rtol=0, atol=0)
    assert ordered.memory.lower_bound < plain.memory.lower_bound
    assert ordered.source.index("Exp = ") > ordered.source.index("Less = ")
    assert plain.source.index("Exp = ") < plain.source.index("Less = ")


def test_a_graph_that_no_order_improves_is_the_same_object() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        graph = g.finish([add(g, "Exp", add(g, "Tanh", x))])
    assert order_for_peak(graph) is graph
    ordered = order_for_peak(early())
    assert order_for_peak(ordered) is ordered


def test_nothing_moves_across_an_effect() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        t = add(g, "Tanh", x)
        e = add(g, "Exp", t)
        call = Call(torch.ops.aten.copy_.default, "aten.copy_", (x, t))
        g.aten("aten::copy_", call, [("y", FLOAT)], ports=[("self", x), ("src", t)], effect=True)
        y = add(g, "Less", add(g, "Cos", t), add(g, "Sin", t))
        graph = g.finish([add(g, "Add", add(g, "Cast", y, dst_type=AttrValue("Int", 0)), e)])
    ordered = names(order_for_peak(graph))
    assert sorted(ordered) == sorted(names(graph))
    assert ordered.index("Exp") < ordered.index("copy_") < ordered.index("Cos")


def test_random_numbers_are_drawn_in_the_order_of_the_program() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        t = torch.tanh(x)
        first = torch.rand_like(t)
        low = torch.cos(t) < torch.sin(t)
        second = torch.rand_like(t)
        return low.float() + first + second.exp() * 2

    config = ferrata.CompilerConfig()
    config.ge_config.oo_level = "O1"
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=ferrata.get_npu_backend(compiler_config=config))
    x = torch.rand(16, 16)
    torch.manual_seed(5)
    expected = model(x)
    torch.manual_seed(5)
    torch.testing.assert_close(compiled(x), expected, rtol=0, atol=0)


def test_calls_that_are_not_known_keep_their_order() -> None:
    """They are functional by declaration, and may print or count all the same."""
    seen: list[str] = []

    def noted(name: str) -> Any:
        return lambda x: (seen.append(name), x * 2)[1]

    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        t = add(g, "Tanh", x)
        made = [
            g.aten("mylib::op", Call(noted(name), name, (t,)), [("y", FLOAT)], ports=[("x", t)], name=name)[0]
            for name in ("first", "second", "third")
        ]
        y = add(g, "Cast", add(g, "Less", add(g, "Cos", t), add(g, "Sin", t)), dst_type=AttrValue("Int", 0))
        for value in reversed(made):
            y = add(g, "Add", y, value)
        graph = g.finish([y])
    ge.Session().compile(graph)(torch.rand(16, 16))
    assert seen == ["first", "second", "third"]


@pytest.mark.parametrize("given_up", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_keep_their_values_and_never_need_more(seed: int, given_up: bool) -> None:
    rng = random.Random(seed)
    with ge.GraphBuilder("g") as g:
        values = [g.data("x", FLOAT), g.data("y", FLOAT)]
        for _ in range(40):
            op = rng.choice(["Tanh", "Sin", "Cos", "Neg", "Add", "Sub", "Mul", "Maximum"])
            count = 1 if op in ("Tanh", "Sin", "Cos", "Neg") else 2
            values.append(add(g, op, *(rng.choice(values[-12:]) for _ in range(count))))
        graph = g.finish(rng.sample(values, 3))
    ordered = order_for_peak(graph, given_up=given_up)
    assert sorted(names(ordered)) == sorted(names(graph))
    place = {n.name: i for i, n in enumerate(ordered.nodes)}
    assert all(place[r.node] < place[n.name] for n in ordered.nodes for r in n.refs)
    off = frozenset({"PeakOrder", "CommonSubexpressions", "DeadNodes", "RedundantNodes"})
    before, after = (ge.Session(off=off).compile(one) for one in (graph, ordered))
    assert after.memory.lower_bound <= before.memory.lower_bound
    x, y = torch.randn(16, 16), torch.randn(16, 16)
    for a, b in zip(before(x, y), after(x, y), strict=True):
        torch.testing.assert_close(b, a, rtol=0, atol=0, equal_nan=True)


def test_the_change_is_shown_and_switched_off() -> None:
    stages = Stages()
    ge.Session(dump_options=(stages,)).compile(early())
    assert "PeakOrder" in [step.name for step in stages.steps()]
    off = Stages()
    ge.Session(off=frozenset({"PeakOrder"}), dump_options=(off,)).compile(early())
    assert "PeakOrder" not in [step.name for step in off.steps()]


def test_an_order_that_the_user_asked_for_stays() -> None:
    config = ferrata.CompilerConfig()
    assert "PeakOrder" not in session_of(config).off
    config.experimental_config.topology_sorting_strategy = "BFS"
    assert "PeakOrder" in session_of(config).off


def test_sizes_that_are_symbols_count_as_the_hints_say() -> None:
    import sympy

    from ferrata.ge.worlds import World

    rows = sympy.Symbol("s0", integer=True)
    with ge.GraphBuilder("g", [World({rows: 8}, "a"), World({rows: 24}, "b")]) as g:
        n = g.data("n", Desc(9, (), host=True))
        x, w = g.data("x", Desc(0, (rows, 16))), g.data("w", Desc(0, (16, 16)))
        small = add(g, "Exp", add(g, "Tanh", x))  # rows x 16
        big = add(g, "Less", add(g, "Cos", w), add(g, "Sin", w))
        more = add(g, "Cast", add(g, "MatMul", small, w), dst_type=AttrValue("Int", 1))
        graph = g.finish([add(g, "Cast", big, dst_type=AttrValue("Int", 0)), more], {"s0": n})
    for size in (8, 800):
        ordered = order_for_peak(graph, {"s0": size})
        assert plan_memory(ordered, {"s0": size}).lower_bound <= plan_memory(graph, {"s0": size}).lower_bound
