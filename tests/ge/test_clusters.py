"""Clusters: which nodes they take, in which order they run, and that they compute what ATen does."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import ferrata
import ferrata.npu
from ferrata import ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.cluster import enclosed
from ferrata.ge.ir import CLUSTER, Call, Desc, Graph, Ref
from ferrata.ge.worlds import World
from tests.clusters import clustered, one_process
from tests.ge.nodes import add

pytestmark = pytest.mark.slow

FLOAT = Desc(0, (4, 6))
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    with one_process():
        yield


def custom(g: Any, *reads: Ref, effect: bool = False, name: str = "custom") -> Ref:
    """A node that no cluster takes: the double of its first operand, or with an effect, doubled in place."""

    def double(x: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        return x.mul_(2) if effect else x * 2

    call = Call(double, "double", tuple(reads))
    ports = [(f"x{i}", r) for i, r in enumerate(reads)]
    ref: Ref = g.aten("mylib::double", call, [("y", FLOAT)], ports=ports, effect=effect, name=name)[0]
    return ref


def chain(g: Any, x: Ref, count: int = 3) -> Ref:
    for _ in range(count):
        x = add(g, "Tanh", x)
    return x


def shown(graph: Graph, smallest: int = 3) -> list[str]:
    """The nodes with clusters as "cluster_0[Tanh, Tanh]"."""
    out = []
    for node in enclosed(graph, CPU, smallest).nodes:
        if node.type == CLUSTER:
            inner = [n.type for n in node.graphs["f"].nodes if n.type != "Data"]
            out.append(f"{node.name}[{', '.join(inner)}]")
        elif node.type not in ("Data", "Const"):
            out.append(node.name)
    return out


def same(graph: Graph, *inputs: Any, hints: dict[str, int] | None = None) -> ge.CompiledGraph:
    """The graph with clusters gives what it gives without, and writes the same into its inputs."""
    plain = ge.Session().compile(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fast = ge.Session(clusters=True).compile(graph, hints=hints)
        for _ in range(2):
            first = [i.clone() if isinstance(i, torch.Tensor) else i for i in inputs]
            second = [i.clone() if isinstance(i, torch.Tensor) else i for i in inputs]
            torch.testing.assert_close(fast(*second), plain(*first))
            torch.testing.assert_close(second, first)
    return fast


def test_nodes_around_a_custom_one_make_two_clusters() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        graph = g.finish([chain(g, custom(g, chain(g, x)))])
    assert shown(graph) == ["cluster_0[Tanh, Tanh, Tanh]", "custom", "cluster_1[Tanh, Tanh, Tanh]"]


def test_a_path_around_a_custom_node_makes_no_cycle() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        a = chain(g, x)
        outer = add(g, "Add", custom(g, a), chain(g, a))
        graph = g.finish([outer])
    assert shown(graph, 1) == ["cluster_0[Tanh, Tanh, Tanh, Tanh, Tanh, Tanh]", "custom", "cluster_1[Add]"]


def test_small_clusters_stay_nodes() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        graph = g.finish([chain(g, custom(g, chain(g, x)), 2)])
    assert shown(graph) == ["cluster_0[Tanh, Tanh, Tanh]", "custom", "Tanh_3", "Tanh_4"]


def test_nothing_crosses_an_effect() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        before = chain(g, x)
        custom(g, x, effect=True)
        after = chain(g, x)
        graph = g.finish([before, after, chain(g, y)])
    assert shown(graph) == [
        "cluster_0[Tanh, Tanh, Tanh]",
        "custom",
        "cluster_1[Tanh, Tanh, Tanh, Tanh, Tanh, Tanh]",
    ]


def test_what_an_effect_writes_stays_outside_with_its_views() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        made = add(g, "Exp", chain(g, x))
        view = add(g, "Reshape", made, g.const(torch.tensor([24])))
        custom(g, made, effect=True)
        graph = g.finish([chain(g, view)])
    assert shown(graph) == ["cluster_0[Tanh, Tanh, Tanh]", "Exp", "Reshape", "custom", "cluster_1[Tanh, Tanh, Tanh]"]


def test_nodes_outside_keep_their_order() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        first = custom(g, chain(g, x), name="first")
        second = custom(g, y, name="second")
        graph = g.finish([add(g, "Add", chain(g, first), chain(g, second))])
    names = [n for n in shown(graph) if not n.startswith("cluster")]
    assert names == ["first", "second"]


def test_random_complex_and_sizes_from_values_stay_outside() -> None:
    random = torch.ops.aten.rand_like.default
    complex64 = Desc(16, (4, 6))
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        r = g.aten("aten::rand_like", Call(random, "aten.rand_like.default", (x,)), [("y", FLOAT)], ports=[("x", x)],
                   name="random")[0]  # fmt: skip
        z = g.aten("aten::view_as", Call(torch.ops.aten.clone.default, "aten.clone", (x,)), [("y", complex64)],
                   ports=[("x", x)], name="complex")[0]  # fmt: skip
        n = g.aten("aten::nonzero", Call(torch.ops.aten.nonzero.default, "aten.nonzero", (x,)), [("y", Desc(9, (-1, 2)))],
                   ports=[("x", x)], name="nonzero")[0]  # fmt: skip
        graph = g.finish([chain(g, r), z, n])
    assert shown(graph) == ["random", "complex", "nonzero", "cluster_0[Tanh, Tanh, Tanh]"]


@pytest.mark.slow
def test_a_cluster_computes_what_its_nodes_do() -> None:
    with ge.GraphBuilder("g") as g:
        x, w = g.data("x", FLOAT), g.data("w", Desc(0, (6, 5)))
        y = add(g, "MatMulV2", add(g, "Tanh", x), w)
        turned = add(g, "Transpose", custom(g, chain(g, x)), g.const(torch.tensor([1, 0])))
        graph = g.finish([add(g, "Exp", y), add(g, "Tanh", add(g, "Add", add(g, "Tanh", turned), turned))])
    compiled = same(graph, torch.randn(4, 6), torch.randn(6, 5))
    assert [n.type for n in compiled.graph.nodes if n.type == CLUSTER] == [CLUSTER, CLUSTER]
    assert "del x" in compiled.source.split("run_cluster_0(")[0]  # the cluster may free what it reads last


@pytest.mark.slow
def test_one_compilation_serves_all_sizes_and_others_run_on_aten() -> None:
    import sympy  # type: ignore[import-untyped]

    rows, columns = sympy.Symbol("s0", integer=True), sympy.Symbol("s1", integer=True)
    worlds = [World({rows: 4, columns: 6}, "first"), World({rows: 7, columns: 11}, "other")]
    with ge.GraphBuilder("g", worlds) as g:
        n, m = g.data("n", Desc(9, (), host=True)), g.data("m", Desc(9, (), host=True))
        x = g.data("x", Desc(0, (rows, columns)))
        graph = g.finish([chain(g, x)], {"s0": n, "s1": m})
    fast = ge.Session(clusters=True).compile(graph, hints={"s0": 4, "s1": 6})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in ((4, 6), (7, 3), (2, 2), (100, 5)):
            value = torch.randn(shape)
            torch.testing.assert_close(fast(*shape, value)[0], value.tanh().tanh().tanh())
    one = torch.randn(1, 6)
    with pytest.warns(RuntimeWarning, match=r"g_cluster_0 was compiled for sizes .* run on ATen"):
        torch.testing.assert_close(fast(1, 6, one)[0], one.tanh().tanh().tanh())


@pytest.mark.slow
def test_assignments_that_end_the_graph_are_part_of_the_cluster() -> None:
    with ge.GraphBuilder("g") as g:
        x, state = g.data("x", FLOAT), g.data("state", FLOAT)
        y = add(g, "Add", chain(g, x), state)
        result = add(g, "Exp", chain(g, x))
        g.add("Assign", {"ref": state, "value": y})
        graph = g.finish([result])
    compiled = same(graph, torch.randn(4, 6), torch.randn(4, 6))
    assert [n.type for n in compiled.graph.nodes if n.type != "Data"] == [CLUSTER]
    assert compiled.graph.nodes[-1].effect


def test_a_node_that_cannot_be_traced_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from ferrata.ge.cluster import compile as compiling
    from ferrata.ge.cluster import trace
    from ferrata.ge.library import rules
    from ferrata.ge.program import Program

    def by_value(x: torch.Tensor) -> torch.Tensor:
        return x.exp() if x.sum().item() > 0 else torch.exp(x)

    def alike(inputs: list[Any], attrs: Any) -> list[Any]:
        return [(inputs[0].dtype, list(inputs[0].shape))]

    monkeypatch.setitem(rules._RULES, "Exp", rules.Rule("Exp", by_value, attrs=frozenset(), infer=alike))

    def traced(graph: Graph, hints: Any, kind: str, whole: bool) -> Any:
        trace.trace(graph, hints)
        return Program(graph, CPU).compile(), None

    monkeypatch.setattr(compiling, "_inductor", traced)
    with ge.GraphBuilder("g") as g, g.at(ge.Where(line="model.py:9", code="x.exp()")):
        x = g.data("x", FLOAT)
        graph = g.finish([chain(g, add(g, "Exp", chain(g, x)))])
    with pytest.warns(RuntimeWarning, match=r"Exp \(Exp\) at model.py:9 cannot be part of a compiled cluster"):
        compiled = ge.Session(clusters=True).compile(graph)
    assert [n.type for n in compiled.graph.nodes if n.type != "Data"] == [CLUSTER, "Exp", CLUSTER]
    value = torch.randn(4, 6)
    torch.testing.assert_close(compiled(value), ge.Session().compile(graph)(value))


def test_what_inductor_refuses_runs_on_aten_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from ferrata.ge.cluster import compile as compiling

    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no such lowering: Tanh_1")

    monkeypatch.setattr(compiling, "_inductor", refuse)
    with ge.GraphBuilder("g") as g, g.at(ge.Where(line="model.py:7", code="x.tanh()", fx_node="Tanh_1")):
        x = g.data("x", FLOAT)
        graph = g.finish([chain(g, x)])
    with pytest.warns(
        RuntimeWarning, match=r"(?s)does not compile g_cluster_0 .*model.py:7.*runs on ATen.*no such low"
    ):
        compiled = ge.Session(clusters=True).compile(graph)
    value = torch.randn(4, 6)
    torch.testing.assert_close(compiled(value)[0], value.tanh().tanh().tanh())


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down, self.norm = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8), torch.nn.LayerNorm(16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = x + self.down(torch.nn.functional.gelu(self.norm(self.up(x))))
        return found


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_a_model_and_its_gradients_on_either_device(device: str) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    module = Block().to(device)
    fast = clustered(module, dynamic=True)

    def step(run: Any, x: torch.Tensor) -> list[torch.Tensor]:
        module.zero_grad()
        x = x.clone().requires_grad_()
        run(x).square().sum().backward()
        assert x.grad is not None
        return [x.grad, *(p.grad for p in module.parameters() if p.grad is not None)]

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for rows in (5, 9):
            x = torch.randn(rows, 3, 8, device=device)
            torch.testing.assert_close(step(fast, x), step(module, x))
            assert fast(x).device.type == device
    torch._dynamo.reset()


@pytest.mark.slow
def test_on_the_device_memory_stays_the_devices_and_is_freed() -> None:
    torch._dynamo.reset()
    module = Block().to("npu").requires_grad_(False)
    fast = clustered(module)
    x = torch.randn(5, 3, 8, device="npu")
    y = fast(x)
    npu: Any = torch.get_device_module("npu")
    npu.synchronize()
    del y
    before = npu.memory_allocated()
    y = fast(x)
    assert npu.memory_allocated() > before
    assert y.data_ptr() != x.data_ptr() and (y + 1).device.type == "npu"
    del y
    assert npu.memory_allocated() == before
    torch._dynamo.reset()


def test_the_default_level_compiles_no_cluster() -> None:
    from ferrata.torchair.backend import session_of

    config = ferrata.CompilerConfig()
    assert not session_of(config).clusters
    config.ge_config.oo_level = "O3"
    assert session_of(config).clusters
    config.ge_config.optimization_switch = "InductorClusters:off"
    assert not session_of(config).clusters


def test_an_assignment_waits_for_whoever_reads_the_old_value_outside() -> None:
    nonzero = torch.ops.aten.nonzero.default
    with ge.GraphBuilder("g") as g:
        x, state = g.data("x", FLOAT), g.data("state", FLOAT)
        y = chain(g, x)
        places = g.aten("aten::nonzero", Call(nonzero, "aten.nonzero", (state,)), [("y", Desc(9, (-1, 2)))],
                        ports=[("x", state)], name="nonzero")[0]  # fmt: skip
        g.add("Assign", {"ref": state, "value": y})
        graph = g.finish([places])
    assert shown(graph) == ["cluster_0[Tanh, Tanh, Tanh]", "nonzero", "Assign"]


def test_a_copy_and_what_writes_it_join_one_cluster() -> None:
    with ge.GraphBuilder("g") as g:
        x, index, more = g.data("x", FLOAT), g.data("index", Desc(9, (2,))), g.data("more", Desc(0, (2, 6)))
        copy = add(g, "TensorMove", chain(g, x))
        put = add(g, "InplaceIndexAdd", copy, index, more, axis=AttrValue("Int", 0))
        graph = g.finish([add(g, "Exp", put)])
    assert shown(graph) == ["cluster_0[Tanh, Tanh, Tanh, TensorMove, InplaceIndexAdd, Exp]"]
