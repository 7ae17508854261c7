"""Before and after each pass, as diffs; ONNX of graphs with subgraphs opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes

from ferrata import ge, torchair
from ferrata.ge.dump.onnx import to_model
from ferrata.ge.dump.passes import Stages, Step
from ferrata.ge.ir import Desc, Where
from ferrata.torchair.convert import convert
from ferrata.torchair.eager import running
from ferrata.torchair.watch import watching

F32 = Desc(0, (2, 3))


def graph() -> Any:
    """Two equal nodes, a node that nobody reads."""
    with ge.GraphBuilder("graph_3") as g, g.at(Where("model.py:7", "y = a + b", "add")):
        x = g.data("x", F32)
        a, b, dead = (g.add("Add", {"x1": x, "x2": x})[0] for _ in range(3))
        (y,) = g.add("Mul", {"x1": a, "x2": b})
        for ref in (a, b, dead, y):
            g.set_desc(ref, F32)
        return g.finish([y])


def test_the_passes_are_shown_as_diffs() -> None:
    stages = Stages()
    ge.Session(off=frozenset({"InPlaceReuse"}), dump_options=(stages,)).compile(graph())
    first, second, third = stages.steps()
    assert [first.name, second.name, third.name] == ["DeadNodes", "CommonSubexpressions", "DeadNodes"]
    assert stages.found[0][0] == "PreRunBegin" and stages.found[-1][0] == "Build"
    line = " -> f32[2, 3]  # model.py:7  y = a + b"
    assert changed(first) == [f"-Add_2 = Add(x1=x, x2=x){line}"]
    assert changed(second) == [f"-Mul = Mul(x1=Add, x2=Add_1){line}", f"+Mul = Mul(x1=Add, x2=Add){line}"]
    assert changed(third) == [f"-Add_1 = Add(x1=x, x2=x){line}"]
    text = stages.text()
    assert "# 1. DeadNodes on graph_3: 5 -> 4 nodes" in text and "# 3. DeadNodes on graph_3: 4 -> 3 nodes" in text


def changed(step: Step) -> list[str]:
    return [line for line in step.diff() if line[0] in "+-"][2:]


def test_results_that_take_the_memory_of_an_operand_say_so() -> None:
    stages = Stages()
    ge.Session(dump_options=(stages,)).compile(graph())
    last = [step for step in stages.steps() if step.name == "InPlaceReuse"]
    assert len(last) == 1 and changed(last[0])[-1].startswith("+Mul = Mul(x1=Add, x2=Add) into Add -> f32[2, 3]")


def test_a_graph_that_no_pass_changes() -> None:
    stages = Stages()
    ge.Session(
        off=frozenset({"DeadNodes", "CommonSubexpressions", "PeakOrder", "InPlaceReuse"}), dump_options=(stages,)
    ).compile(graph())
    assert stages.text() == "# No pass changed the graph.\n" and len(stages.found) == 2


@pytest.mark.parametrize("kind", ["diff", "html"])
def test_the_option_writes_a_file_a_graph(tmp_path: Path, kind: str) -> None:
    torch._dynamo.reset()
    config = torchair.CompilerConfig()
    config.debug.graph_dump.type = kind
    config.debug.graph_dump.path = str(tmp_path)
    run = torch.compile(
        lambda x: (x + x) * (x + x), backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True
    )
    run(torch.randn(3))
    (file,) = tmp_path.iterdir()
    name = {"diff": "dynamo_passes_graph_", "html": "dynamo_view_graph_"}[kind]
    assert file.name.startswith(name) and file.suffix == f".{kind}"
    assert "CommonSubexpressions" in file.read_text()


def test_a_listener_hears_of_subgraphs() -> None:
    torch._dynamo.reset()
    heard = Stages()

    def watcher(gm: Any, inputs: Any, config: Any) -> Any:
        with _disable_current_modes():
            ge.Session(dump_options=(heard,)).compile(convert(gm, inputs))
        return running(gm)

    def f(x: torch.Tensor) -> torch.Tensor:
        def double(x: torch.Tensor) -> torch.Tensor:
            return (x + x) * (x + x)

        return torch.cond(x.sum() > 0, double, lambda x: x.sin(), (x,))

    with watching(watcher):
        torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True)(torch.ones(3))
    built = next(g for name, g in heard.found if name == "Build")
    inner = {path.split("/")[-1]: g for path, _, _, g in built.subgraphs()}
    assert len(inner) == 2
    found = [step for step in heard.steps() if step.name == "CommonSubexpressions"]
    assert len(found) == 1 and found[0].after.name in {g.name for g in inner.values()}
    onnx.checker.check_model(to_model(built))
    assert str(built).count("\n  return (") == 3 and "test_pass_dump.py:" in str(built)
