"""register_replacement, needless operators, and the options that shape a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from ferrata import errors, torchair
from ferrata.torchair import patterns, scope

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    torch._dynamo.reset()
    patterns.forget()
    yield
    patterns.forget()


def compiled(f: Any, dynamic: Any = None, **options: Any) -> tuple[Any, list[Any]]:
    config = torchair.CompilerConfig()
    for path, value in options.items():
        *groups, name = path.split("__")
        place: Any = config
        for group in groups:
            place = getattr(place, group)
        setattr(place, name, value)
    graphs: list[Any] = []

    def keep(gm: Any, inputs: Any, config: Any) -> None:
        graphs.append([str(n.target) for n in gm.graph.nodes if n.op == "call_function"])

    config.post_grad_custom_post_pass = keep
    return torch.compile(
        f, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True, dynamic=dynamic
    ), graphs


def add_relu(x: Any, y: Any) -> Any:
    return torch.relu(x + y)


def replaced(x: Any, y: Any) -> Any:
    return torch.clamp_min(torch.add(y, x), 0.0)


def layer(x: Any, w: Any) -> Any:
    return torch.relu(x @ w + x).sum(-1)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_pattern_is_replaced_where_it_occurs(dynamic: bool) -> None:
    torchair.register_replacement(add_relu, replaced, [torch.empty(2), torch.empty(2)])
    f, graphs = compiled(layer, dynamic)
    x, w = torch.randn(4, 4), torch.randn(4, 4)
    torch.testing.assert_close(f(x, w), layer(x, w))
    assert "aten.clamp_min.default" in graphs[0] and "aten.relu.default" not in graphs[0]


def test_an_operator_may_be_the_replacement(add: Any, operators: Any) -> None:
    torchair.register_replacement(lambda x, y: torch.sin(x) + torch.sin(y), add, [torch.empty(2), torch.empty(2)])
    f, graphs = compiled(lambda x, y: (torch.sin(x) + torch.sin(y)) * 2)
    x, y = torch.randn(3), torch.randn(3)
    torch.testing.assert_close(f(x, y), (x + y) * 2)
    assert operators.runs["AddCustomT"] == 1 and len(graphs[0]) == 2


def test_the_switch_and_the_extra_check() -> None:
    seen: list[Any] = []

    def check(match: Any) -> bool:
        seen.append(match.nodes)
        return match.kwargs["x"].meta["val"].shape[0] == 4

    torchair.register_replacement(add_relu, replaced, [torch.empty(2), torch.empty(2)], extra_check=check)
    for size, hit in ((4, True), (5, False)):
        torch._dynamo.reset()
        f, graphs = compiled(layer, False)
        f(torch.randn(size, size), torch.randn(size, size))
        assert ("aten.clamp_min.default" in graphs[0]) == hit
    assert len(seen) == 2
    f, graphs = compiled(layer, False, experimental_config__pattern_fusion_pass=False)
    torch._dynamo.reset()
    f(torch.randn(4, 4), torch.randn(4, 4))
    assert "aten.relu.default" in graphs[0]


def test_no_match_across_streams() -> None:
    def apart(x: Any, y: Any) -> Any:
        with scope.npu_stream_switch("side"):
            z = x + y
        return torch.relu(z)

    def together(x: Any, y: Any) -> Any:
        with scope.npu_stream_switch("side"):
            return torch.relu(x + y)

    torchair.register_replacement(add_relu, replaced, [torch.empty(2), torch.empty(2)])
    for f, hit in ((apart, False), (together, True)):
        torch._dynamo.reset()
        g, graphs = compiled(f)
        g(torch.randn(3), torch.randn(3))
        assert ("aten.clamp_min.default" in graphs[0]) == hit


def test_errors_name_the_pattern() -> None:
    inputs = [torch.empty(2), torch.empty(2)]

    def bad(match: Any) -> bool:
        raise KeyError("oops")

    def broken(x: Any, y: Any) -> Any:
        return x.nope()

    with pytest.raises(
        errors.PatternFailed, match=r"cannot trace it(.|\n)*nope(.|\n)*broken \(.*test_patterns\.py:\d+\)"
    ):
        torchair.register_replacement(broken, replaced, inputs)
    with pytest.raises(errors.PatternFailed, match="replace_fn is 3"):
        torchair.register_replacement(add_relu, 3, inputs)
    torchair.register_replacement(add_relu, replaced, inputs, extra_check=bad)
    with pytest.raises(errors.PatternFailed, match="registered already"):
        torchair.register_replacement(add_relu, replaced, inputs)
    torchair.register_replacement(add_relu, replaced, inputs, skip_duplicates=True)
    with pytest.raises(
        Exception, match=r"extra_check for the match at .*test_patterns\.py:\d+: KeyError(.|\n)*add_relu"
    ):
        compiled(layer)[0](torch.randn(4, 4), torch.randn(4, 4))


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (
            {"replace_fn": lambda x: x},
            r"<lambda> \(.*test_patterns\.py:\d+\) takes other arguments than \(x, y\): too many",
        ),
        ({"replace_fn": lambda x, y, z: x}, r"takes other arguments than \(x, y\): missing a required argument: 'z'"),
        ({"example_inputs": [torch.empty(2)]}, "it takes x, y, and there are 1 example inputs"),
        ({"trace_fn": 3}, "trace_fn is 3, no function"),
        ({"extra_check": "x"}, "extra_check is 'x', no function"),
        ({"scalar_workaround": [1]}, r"scalar_workaround is \[1\], no dictionary"),
        ({"scalar_workaround": {"z": 1.0}}, "scalar_workaround names z, and its arguments are x, y"),
    ],
)
def test_what_cannot_be_registered_is_told_at_once(wrong: dict[str, Any], text: str) -> None:
    right = {"replace_fn": replaced, "example_inputs": [torch.empty(2), torch.empty(2)]}
    with pytest.raises(errors.PatternFailed, match=rf"cannot register it: (.|\n)*{text}(.|\n)*The pattern is add_relu"):
        torchair.register_replacement(add_relu, **{**right, **wrong})
    assert not torchair.patterns.registered()


def test_the_line_of_a_failing_replacement_is_told() -> None:
    def outer(x: Any, y: Any) -> Any:
        return fails(x, y)

    torchair.register_replacement(add_relu, outer, [torch.empty(2), torch.empty(2)])
    line = fails.__code__.co_firstlineno + 1
    with pytest.raises(Exception, match=rf"KeyError: 'boo'\n\nIn .*outer, .*test_patterns\.py:{line}\n"):
        compiled(add_relu)[0](torch.ones(3), torch.ones(3))


def sine_of_sum(x: Any, y: Any) -> Any:
    return torch.sin(x + y)


def fails(x: Any, y: Any) -> Any:
    raise KeyError("boo")


@pytest.mark.parametrize(
    ("replacement", "text"),
    [
        (fails, r"trace its replacement for the match at .*test_patterns.py:\d+: KeyError: 'boo'"),
        (lambda x, y: (x, y), r"gives f32\[4, 4\], the replacement f32\[4, 4\], f32\[4, 4\]"),
        (lambda x, y: x.sum(), r"gives f32\[4, 4\], the replacement f32\[\]"),
        (lambda x, y: x.half(), r"gives f32\[4, 4\], the replacement f16\[4, 4\]"),
        (lambda x, y: None, r"gives f32\[4, 4\], the replacement None"),
    ],
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_replacement_gives_what_the_pattern_gave(replacement: Any, text: str, dynamic: bool) -> None:
    torchair.register_replacement(add_relu, replaced, [torch.empty(2), torch.empty(2)])
    torchair.register_replacement(sine_of_sum, replacement, [torch.empty(2), torch.empty(2)])
    x = torch.randn(4, 4)
    if dynamic:
        text = text.replace("4, 4", r"s\d+, s\d+")
    with pytest.raises(Exception, match=text + r"(.|\n)*The pattern is sine_of_sum \([^,]*\)\.") as caught:
        compiled(lambda x: torch.relu(torch.sin(x + x.T)).sum(), dynamic)[0](x)
    assert isinstance(getattr(caught.value, "inner_exception", None), errors.PatternFailed)


def test_every_argument_of_a_pattern_plays_a_part() -> None:
    with pytest.raises(errors.PatternFailed, match=r"its argument 'y' plays no part in it(.|\n)*<lambda>"):
        torchair.register_replacement(lambda x, y: x.sin().cos(), replaced, [torch.empty(2), torch.empty(2)])

    def scaled(x: Any, number: float) -> Any:
        return torch.sin(x) * number

    torchair.register_replacement(
        scaled, lambda x, number: torch.cos(x) * number, [torch.empty(2)], scalar_workaround={"number": 0.25}
    )
    x = torch.randn(3, 4)
    torch.testing.assert_close(compiled(lambda x: x.sin() * 3.0)[0](x), x.cos() * 3.0)


def noops(x: Any) -> Any:
    y = (x * 1).view(4, 6).permute(0, 1)[:, 0:6].to(x.dtype) - 0
    return torch.cat([y]).sin() + torch.cat(y.split(2, 0)).cos()


def test_needless_operators_are_taken_out() -> None:
    x = torch.randn(4, 6)
    f, graphs = compiled(noops, mode="reduce-overhead")
    torch.testing.assert_close(f(x), noops(x))
    assert graphs[0] == ["aten.sin.default", "aten.split.Tensor", "<built-in function getitem>",
                         "<built-in function getitem>", "aten.cos.default", "aten.add.Tensor"] or graphs[0] == [
        "aten.sin.default", "aten.cos.default", "aten.add.Tensor"]  # fmt: skip
    torch._dynamo.reset()
    kept, graphs = compiled(noops, experimental_config__remove_noop_ops=False, debug__aclgraph__remove_cat_ops=False)
    torch.testing.assert_close(kept(x), noops(x))
    assert "aten.mul.Tensor" in graphs[0] and graphs[0].count("aten.cat.default") == 2


def test_what_looks_needless_and_is_not() -> None:
    def f(x: Any) -> Any:
        return x + 0, x.clone(), (x * 1).view(-1), x[::1][::2], x.permute(1, 0), x.double() * 1

    x = torch.tensor([[-0.0, 2.0], [3.0, 4.0]])
    got = compiled(f)[0](x)
    for a, b in zip(got, f(x), strict=True):
        assert torch.equal(a, b) and torch.equal(torch.signbit(a), torch.signbit(b))
    got[1].fill_(7)
    got[2].fill_(7)
    assert x.tolist() == [[0, 2], [3, 4]]


def test_frozen_parameters_are_constants() -> None:
    model = nn.Linear(4, 4)
    with torch.no_grad(), pytest.warns(UserWarning, match="become constants"):
        torch._dynamo.reset()
        config = torchair.CompilerConfig()
        config.experimental_config.frozen_parameter = True
        seen: list[Any] = []
        original = torchair.backend.to_ge
        try:
            torchair.backend.to_ge = lambda *a: seen.append(original(*a)) or seen[-1]
            f = torch.compile(model, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True)
            x = torch.randn(2, 4)
            torch.testing.assert_close(f(x), model(x))
            model.weight.mul_(2)
            torch.testing.assert_close(f(x), model(x))
        finally:
            torchair.backend.to_ge = original
    assert sum(n.name.startswith("frozen_") for n in seen[0].nodes) == 2


def test_mutated_inputs_become_ref_data() -> None:
    from ferrata.ge.builder import GraphBuilder
    from ferrata.ge.ir import Call, Desc
    from ferrata.ge.order import with_ref_data

    with GraphBuilder("g") as g:
        a, b = g.data("a", Desc(0, (2,))), g.data("b", Desc(0, (2,)))
        call = Call(torch.ops.aten.copy_.default, "copy_", (a, b))
        g.aten("aten::copy_.default", call, [("y", Desc(0, (2,)))], ports=[("self", a), ("src", b)], effect=True)
        graph = with_ref_data(g.finish([b]))
    assert [n.type for n in graph.nodes[:2]] == ["RefData", "Data"]


@pytest.mark.parametrize("strategy", ["DFS", "BFS", "RDFS", "StableRDFS"])
@torch.no_grad()
def test_every_order_computes_the_same(strategy: str) -> None:
    def f(x: Any, y: Any) -> Any:
        a, b = torch.sin(x), torch.sin(torch.cos(y))
        y.add_(a)
        c = a * b + torch.exp(y)
        return c.sum(), torch.tanh(b) - a, y

    x, y = torch.randn(3), torch.randn(3)
    z = y.clone()
    g, _ = compiled(
        f, experimental_config__topology_sorting_strategy=strategy, experimental_config__enable_ref_data=True
    )
    torch.testing.assert_close((g(x, y), y), (f(x, z), z))


def test_levels_and_reverse_depth() -> None:
    from ferrata.ge.builder import GraphBuilder
    from ferrata.ge.ir import Desc
    from ferrata.ge.order import reordered

    with GraphBuilder("g") as g:
        x = g.data("x", Desc(0, (2,)))
        (a,) = g.add("Sin", {"x": x}, name="a")
        (b,) = g.add("Cos", {"x": a}, name="b")
        (c,) = g.add("Tan", {"x": x}, name="c")
        (d,) = g.add("Add", {"x1": b, "x2": c}, name="d")
        graph = g.finish([d])
    names = {s: "".join(n.name for n in reordered(graph, s).nodes) for s in ("DFS", "BFS", "RDFS")}
    assert names == {"DFS": "xabcd", "BFS": "xacbd", "RDFS": "xcabd"}


@torch.no_grad()
def test_deterministic_runs_are_equal_bit_by_bit() -> None:
    def f(x: Any, i: Any) -> Any:
        out = torch.zeros(8, 4).index_add(0, i, x)
        return out.scatter_add(0, i[:, None].expand(-1, 4) % 8, x), torch.cumsum(x, 0), x.sum(), (x.t() @ x)

    x, i = torch.randn(20000, 4), torch.randint(0, 8, (20000,))
    torch.use_deterministic_algorithms(True)
    try:
        for options in ({}, {"mode": "reduce-overhead"}):
            torch._dynamo.reset()
            g, _ = compiled(f, **options)
            first = [t.clone() for t in g(x, i)]
            for _ in range(3):
                assert all(torch.equal(a, b) for a, b in zip(first, g(x, i), strict=True))
    finally:
        torch.use_deterministic_algorithms(False)


def test_folding_is_switched() -> None:
    config = torchair.CompilerConfig()
    config.ge_config.oo_constant_folding = False
    config.experimental_config.remove_noop_ops = False
    assert torchair.backend.session_of(config).off >= {"ConstantFolding", "RedundantNodes"}
    assert not torchair.backend.session_of(torchair.CompilerConfig()).off
