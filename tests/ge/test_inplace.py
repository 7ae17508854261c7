"""Which nodes write into an operand that dies with them, and that nothing else sees it."""

from __future__ import annotations

import torch

from ferrata import ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import IN_PLACE, Call, Desc, Graph
from ferrata.ge.passes.inplace import reuse_operands
from ferrata.ge.probe import Tap
from tests.ge.nodes import add

FLOAT = Desc(0, (4, 6))


def marked(graph: Graph) -> dict[str, int]:
    """Node -> operand into which it writes."""
    return {n.name: n.attrs[IN_PLACE].value for n in reuse_operands(graph).nodes if IN_PLACE in n.attrs}


def same(graph: Graph, *inputs: torch.Tensor) -> None:
    """Twice the same as without the pass, and the inputs stay as they are."""
    plain, fast = ge.Session(off=frozenset({"InPlaceReuse"})).compile(graph), ge.Session().compile(graph)
    for _ in range(2):
        given = [i.clone() for i in inputs]
        for a, b in zip(plain(*inputs), fast(*given), strict=True):
            torch.testing.assert_close(b, a, rtol=0, atol=0)
        assert all(map(torch.equal, given, inputs))


def test_a_chain_of_elementwise_nodes_needs_one_piece_of_memory() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        graph = g.finish([add(g, "Tanh", add(g, "Mul", add(g, "Add", x, y), y))])
    assert marked(graph) == {"Mul": 0, "Tanh": 0}
    compiled = ge.Session().compile(graph)
    assert "Add.mul_(y)" in compiled.source and "Mul.tanh_()" in compiled.source
    assert [i.value for i in compiled.memory.intervals] == ["Add"]
    same(graph, torch.randn(4, 6), torch.randn(4, 6))


def test_inputs_and_constants_are_not_written() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        c = g.const(torch.ones(4, 6))
        graph = g.finish([add(g, "Tanh", x), add(g, "Exp", c)])
    assert marked(graph) == {}
    same(graph, torch.randn(4, 6))


def test_a_result_of_the_graph_is_not_written() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        graph = g.finish([y, add(g, "Exp", y)])
    assert marked(graph) == {}
    same(graph, torch.randn(4, 6))


def test_a_value_that_is_read_later_is_not_written() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        z = add(g, "Exp", y)
        graph = g.finish([add(g, "Sub", z, y)])
    assert marked(graph) == {"Sub": 0}
    same(graph, torch.randn(4, 6))


def test_a_value_of_which_a_view_is_read_later_is_not_written() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        flat = add(g, "Reshape", y, g.const(torch.tensor([24])))
        z = add(g, "Exp", y)
        back = add(g, "Reshape", flat, g.const(torch.tensor([4, 6])))
        graph = g.finish([add(g, "Add", z, back)])
    assert marked(graph) == {"Add": 0}
    same(graph, torch.randn(4, 6))


def test_a_view_of_dying_memory_is_written() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        flat = add(g, "Reshape", add(g, "Tanh", x), g.const(torch.tensor([24])))
        graph = g.finish([add(g, "Exp", flat)])
    assert marked(graph) == {"Exp": 0}
    same(graph, torch.randn(4, 6))


def test_an_input_behind_a_view_is_not_written() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        flat = add(g, "Reshape", x, g.const(torch.tensor([24])))
        graph = g.finish([add(g, "Exp", flat)])
    assert marked(graph) == {}
    same(graph, torch.randn(4, 6))


def test_a_result_of_another_shape_takes_the_operand_that_has_it() -> None:
    with ge.GraphBuilder("g") as g:
        x, row = g.data("x", FLOAT), g.data("row", Desc(0, (6,)))
        graph = g.finish([add(g, "Add", add(g, "Tanh", row), add(g, "Exp", x))])
    assert marked(graph) == {"Add": 1}
    same(graph, torch.randn(4, 6), torch.randn(6))


def test_another_data_type_needs_new_memory() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        graph = g.finish([add(g, "Less", add(g, "Tanh", x), y)])
    assert marked(graph) == {}


def test_aten_nodes_use_their_form_in_place() -> None:
    relu = torch.ops.aten.relu.default
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        z = g.aten("aten::relu.default", Call(relu, "aten.relu.default", (y,)), [("y", FLOAT)], ports=[("self", y)])[0]
        graph = g.finish([z])
    assert marked(graph) == {z.node: 0}
    same(graph, torch.randn(4, 6))


def test_what_an_unknown_operator_may_keep_is_not_written() -> None:
    def keep(v: torch.Tensor) -> torch.Tensor:
        return v

    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        y = add(g, "Tanh", x)
        kept = g.aten("host::keep", Call(keep, "keep", (y,)), [("y", FLOAT)], ports=[("v", y)])[0]
        graph = g.finish([add(g, "Exp", y), kept])
    assert marked(graph) == {}
    same(graph, torch.randn(4, 6))


def test_probes_that_look_at_values_see_each_as_it_was() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        graph = g.finish([add(g, "Exp", add(g, "Tanh", x))])
    seen: dict[str, torch.Tensor] = {}
    given = torch.randn(4, 6)
    tap = Tap(after=lambda node, values: seen.update({node.name: values[0]}))
    ge.Session().compile(graph).probed(tap)([given])
    torch.testing.assert_close(seen["Tanh"], given.tanh())


def test_the_switch() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        graph = g.finish([add(g, "Exp", add(g, "Tanh", x))])
    assert "exp_" in ge.Session().compile(graph).source
    assert "exp_" not in ge.Session(off=frozenset({"InPlaceReuse"})).compile(graph).source


def test_activations_write_into_what_normalisations_and_convolutions_made() -> None:
    """In inference and training form, through torch.compile: `silu(group_norm(conv(x)))` needs no memory for silu."""
    import ferrata

    torch.manual_seed(0)
    plain, turned, groups = torch.nn.Conv2d(3, 4, 3), torch.nn.ConvTranspose2d(4, 4, 2, 2), torch.nn.GroupNorm(2, 4)
    batch = torch.nn.BatchNorm2d(4).eval()
    batch.load_state_dict(batch.state_dict() | {"running_mean": torch.rand(4), "running_var": torch.rand(4) + 0.5})

    def function(x: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.silu(groups(plain(x)))
        y = torch.relu(batch(torch.max_pool2d(y, 2)))
        return torch.tanh(turned(y))

    backend = ferrata.get_npu_backend()
    for gradients in (False, True):
        torch._dynamo.reset()
        x = torch.randn(2, 3, 11, 14, requires_grad=gradients)
        with torch.set_grad_enabled(gradients):
            expected, got = function(x), torch.compile(function, backend=backend)(x)
            torch.testing.assert_close(got, expected)
            if gradients:
                weight = torch.randn_like(got)
                wanted = torch.autograd.grad((expected * weight).sum(), [x, groups.weight, batch.weight])
                torch.testing.assert_close(
                    torch.autograd.grad((got * weight).sum(), [x, groups.weight, batch.weight]), wanted
                )


def test_they_are_written_by_name() -> None:
    with ge.GraphBuilder("g") as g:
        x, w = g.data("x", Desc(0, (2, 4, 3, 5))), g.data("w", Desc(0, (4,)))
        group, _, _ = g.add("GroupNormV2", {"x": x, "gamma": w, "beta": w}, attrs={"num_groups": AttrValue("Int", 2)})
        norm = add(g, "BNInfer", add(g, "Relu", group), w, w, w, w, epsilon=AttrValue("Float", 1e-3))
        graph = g.finish([add(g, "Swish", norm)])
    assert marked(graph) == {"Relu": 0, "Swish": 0}
    source = ge.Session().compile(graph).source
    assert "torch.native_group_norm(x, w, w, x.size(0), x.size(1), x.shape[2:].numel(), 2, 1e-05)" in source
    same(graph, torch.randn(2, 4, 3, 5), torch.rand(4) + 0.5)
