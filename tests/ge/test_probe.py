"""Instrumented variants of a program: profiled nodes, times, taps; plain programs stay as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import _disable_current_modes

from ferrata import ge, torchair
from ferrata.ge.ir import Desc, Where
from ferrata.ge.probe import Tap, Timing, paths
from ferrata.torchair.convert import convert
from ferrata.torchair.eager import running
from ferrata.torchair.watch import watching

F32 = Desc(0, (2, 3))


@pytest.fixture
def compiled() -> Iterator[Any]:
    """Two built-in nodes, a custom one, one without outputs."""
    ge.register_op("ProbeDemo", inputs=["x"], outputs=["y", "z"], attrs={})

    class ProbeDemo:
        def execute(self, ctx: Any) -> None:
            x = ctx.input("x")
            torch.add(x, 1, out=ctx.malloc_output("y", x.shape, x.dtype))
            torch.mul(x, 2, out=ctx.malloc_output("z", x.shape, x.dtype))

    ge.register_op_impl("ProbeDemo")(ProbeDemo)
    with ge.GraphBuilder("graph_0") as g, g.at(Where("model.py:12", "y = op(x)", "op_1", module="blocks.0")):
        x = g.data("x", F32)
        (a,) = g.add("Add", {"x1": x, "x2": x})
        y, z = g.add("ProbeDemo", {"x": a}, ["y", "z"])
        (last,) = g.add("Mul", {"x1": y, "x2": z})
        for ref in (a, y, z, last):
            g.set_desc(ref, F32)
        graph = g.finish([last])
    yield ge.Session().compile(graph)
    ge.unregister_op("ProbeDemo")


X = torch.arange(6.0).reshape(2, 3)
EXPECTED = (2 * X + 1) * (4 * X)


def events(trace: Path) -> dict[str, dict[str, Any]]:
    return {e["name"]: e for e in json.loads(trace.read_text())["traceEvents"] if e.get("cat") == "cpu_op"}


def test_the_profiler_shows_nodes_by_type_and_name_with_shapes(compiled: Any, tmp_path: Path) -> None:
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
        (got,) = compiled(X)
    torch.testing.assert_close(got, EXPECTED)
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    found = events(tmp_path / "trace.json")
    assert {"Add/Add", "ProbeDemo/ProbeDemo", "Mul/Mul"} <= set(found)
    node = found["Mul/Mul"]["args"]
    assert node["Input Dims"] == [[2, 3], [2, 3]] and node["Input type"] == ["float", "float"]
    assert (node["line"], node["module"], node["fx_node"]) == ("model.py:12", "blocks.0", "op_1")
    kernel, outer = found["aten::mul"], found["Mul/Mul"]  # what runs lies inside its node
    assert outer["ts"] <= kernel["ts"] and kernel["ts"] + kernel["dur"] <= outer["ts"] + outer["dur"]


def test_without_a_profiler_nothing_is_instrumented(compiled: Any) -> None:
    lines = compiled.source.splitlines()
    assert lines[2].strip() == "if profiler._is_profiler_enabled: return profiled(args)"
    assert "record" not in compiled.source and "clock" not in compiled.source
    compiled(X)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        compiled(X)
    torch.testing.assert_close(compiled(X)[0], EXPECTED)
    assert [e.count for e in prof.key_averages() if e.key == "Add/Add"] == [1]


def test_times_by_node(compiled: Any) -> None:
    timing = Timing()
    run = compiled.probed(timing)
    for _ in range(3):
        torch.testing.assert_close(run([X])[0], EXPECTED)
    assert timing.runs == {"Add": 3, "ProbeDemo": 3, "Mul": 3}
    assert all(seconds > 0 for seconds in timing.seconds.values()) and set(timing.seconds) == set(timing.runs)


def test_a_tap_gets_what_nodes_read_and_give(compiled: Any) -> None:
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    tap = Tap(
        lambda node, values: before.update({node.name: [v.clone() for v in values]}),
        lambda node, values: after.update({node.name: [v.clone() for v in values]}),
        wanted=lambda node: node.type != "Mul",
    )
    torch.testing.assert_close(compiled.probed(tap)([X])[0], EXPECTED)
    assert set(before) == set(after) == {"Add", "ProbeDemo"}
    torch.testing.assert_close(before["Add"], [X, X])
    torch.testing.assert_close(after["ProbeDemo"], [2 * X + 1, 4 * X])


def test_nodes_of_subgraphs_are_told_apart() -> None:
    torch._dynamo.reset()

    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: (x + 1).relu(), lambda x: (x + 2).relu(), ((x + 3).relu(),))

    compiled = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)
    compiled(torch.ones(3))
    seen = []

    def watcher(gm: Any, inputs: Any, config: Any) -> Any:
        with _disable_current_modes():
            seen.append(ge.Session().compile(convert(gm, inputs)))
        return running(gm)

    with watching(watcher):
        torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(3))
    graph = seen[0].graph
    names = paths(graph)
    assert len(set(names.values())) == len(names) == len([*graph.every_node()])
    timing = Timing(names)
    torch.testing.assert_close(seen[0].probed(timing)([torch.ones(3)])[0], f(torch.ones(3)))
    inner = [name for name in timing.runs if "/" in name]
    assert set(timing.runs.values()) == {1} and any(name.endswith("Relu") for name in inner) and "Relu" in timing.runs
