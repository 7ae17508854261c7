"""The page of `ferrata view`: its facts, that it is self-contained, and that it works in a browser without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors, ge, torchair
from ferrata.ge.dump import proto
from ferrata.ge.dump.passes import Stages
from ferrata.ge.ir import Desc, Where
from ferrata.ge.view import Shown, page, write
from ferrata.ge.view.memory import live_bytes
from ferrata.ge.view.model import described
from ferrata.ge.view.read import read_dump, read_folder
from ferrata.torchair.view import view

F32 = Desc(0, (256,))  # 1024 bytes


def browser() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


needs_browser = pytest.mark.skipif(browser() is None, reason="no chromium or chrome is installed")


def selftest(file: Path, profile: Path) -> dict[str, Any]:
    """What the page found out about itself when it drove itself in a headless browser."""
    command = [
        browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--no-first-run", f"--user-data-dir={profile}",
        "--window-size=1400,900", "--dump-dom", f"{file.as_uri()}#selftest",
    ]  # fmt: skip
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    found = re.search(r'<pre id="selftest">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    text = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    made: dict[str, Any] = json.loads(text)
    assert made["ok"], made
    return made


def add(g: Any, op_type: str, desc: Desc = F32, **inputs: Any) -> Any:
    (ref,) = g.add(op_type, inputs)
    g.set_desc(ref, desc)
    return ref


def diamond() -> Any:
    """x -> a -> (b, c) -> d, where a dies before the end."""
    with ge.GraphBuilder("graph_0") as g, g.at(Where("model.py:3", "y = f(x) </script>", "f", module="net.0")):
        x = g.data("x", F32)
        a = add(g, "Relu", x=x)
        b = add(g, "Sigmoid", x=a)
        c = add(g, "Tanh", x=a)
        return g.finish([add(g, "Add", x1=b, x2=c)])


def test_live_bytes() -> None:
    alive, plan = live_bytes(diamond(), {})
    assert alive == [0, 1024, 2048, 3072, 3072]  # x; a; a b; a b c; b c d
    assert plan.peak == 3072 and not plan.guessed


def test_live_bytes_of_views_symbols_and_results() -> None:
    import sympy

    s = sympy.Symbol("s0", integer=True, positive=True)
    with ge.GraphBuilder("graph_0") as g:
        x = g.data("x", Desc(0, (s, 4)))
        a = add(g, "Relu", Desc(0, (s, 4)), x=x)
        b = add(g, "Tanh", Desc(0, (s, 4)), x=a)
        graph = g.finish([a, b])
    assert live_bytes(graph, {"s0": 8})[0] == [0, 128, 256]
    alive, plan = live_bytes(graph, {})
    assert alive == [0, 512, 1024] and plan.guessed == ("s0",)


def test_the_facts_of_a_graph() -> None:
    stages = Stages()
    compiled = ge.Session(dump_options=(stages,)).compile(diamond())
    shown = Shown(compiled.original, compiled.graph, tuple(stages.steps()), compiled.source, {"Relu": 2e-6})
    (program,) = described([shown])
    graph = program["graphs"][0]
    relu = next(n for n in graph["nodes"] if n["t"] == "Relu")
    assert relu["i"] == [["x", 0, 0]] and relu["o"] == [["y", "f32[256]", 1024]] and relu["x"] == 2.0
    assert (relu["l"], relu["p"], relu["f"], relu["k"]) == ("model.py:3", "net.0", "f", "library")
    assert graph["results"] == [[4, 0]] and graph["plan"]["peak"] >= graph["plan"]["bound"] == max(graph["memory"])
    assert "def run(args):" in program["source"] and program["text"].startswith("graph_0:")


def test_the_page_is_one_file_without_a_network(tmp_path: Path) -> None:
    text = page([Shown(diamond(), diamond())])
    assert not re.search(r'(src|href)="?(https?:)?//', text) and "@import" not in text and "fetch(" not in text
    assert "default-src 'none'" in text and text.count("</script>") == 2  # the user's line cannot end the data
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert data["programs"][0]["graphs"][0]["nodes"][1]["c"] == "y = f(x) </script>"
    path = write(tmp_path / "deep" / "page.html", [Shown(diamond(), diamond())])
    assert path.is_file()


def large(nodes: int) -> Any:
    """Layers of attention-like modules: branches, residuals, a mask that every layer reads."""
    with ge.GraphBuilder("graph_0") as g:
        x, mask = g.data("x", F32), g.data("mask", F32)
        made, layer = 2, 0
        while made < nodes:
            residual = x
            for part in ("attention", "mlp"):
                module = f"model.layers.{layer}.{part}"
                with g.at(Where(f"model.py:{layer}", "x = layer(x)", f"n{made}", module=module)):
                    q, k = add(g, "Relu", x=x), add(g, "Sigmoid", x=x)
                    x = add(g, "Add", x1=add(g, "Mul", x1=q, x2=k), x2=mask)
                    made += 4
                with g.at(Where(f"model.py:{layer}", "x = x + residual", "", module=f"model.layers.{layer}")):
                    x = residual = add(g, "Add", x1=x, x2=residual)
                    made += 1
            layer += 1
        return g.finish([x])


@needs_browser
@pytest.mark.slow
def test_two_thousand_nodes_in_a_browser(tmp_path: Path) -> None:
    compiled = ge.Session().compile(large(2000))
    shown = Shown(compiled.original, compiled.graph, (), compiled.source, {n.name: 1e-6 for n in compiled.graph.nodes})
    seen = selftest(write(tmp_path / "page.html", [shown]), tmp_path / "profile")
    assert seen["nodes"] >= 2000 and seen["visibleUnfolded"] >= 2000 and seen["modules"] > 400
    assert seen["overlaps"] == seen["overlapsUnfolded"] == seen["backwardEdges"] == 0
    assert seen["visibleFolded"] < 5 < seen["visibleAtFirst"] <= 300
    assert seen["found"] >= 400 and seen["selectedBySearch"] and seen["selectedByClick"] and seen["toggled"]


@needs_browser
@pytest.mark.slow
def test_a_model_with_branches_and_passes_in_a_browser(tmp_path: Path) -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = torch.nn.ModuleList(torch.nn.Linear(6, 6) for _ in range(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for block in self.blocks:
                x = (block(x) + x) * (x + x)
            return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    file = view(Model(), torch.randn(4, 6), tmp_path / "page.html", dynamic=False)
    seen = selftest(file, tmp_path / "profile")
    assert seen["subgraphs"] >= 2 and seen["back"] and seen["diffLines"] > 0 and seen["tab_times"] > 100
    assert seen["details"] and seen["line"] and seen["themeChanged"] and seen["drawn"] and seen["overlapsUnfolded"] == 0
    assert {seen["otherLanguage"]} <= {"Fit", "全图"} and seen["cleared"] == 0


def test_a_proto_dump_is_read_back(tmp_path: Path) -> None:
    graph = diamond()
    (tmp_path / "dump.txt").write_text(proto.to_txt(graph))
    again = read_dump(tmp_path / "dump.txt")
    assert [(n.name, n.type, n.refs) for n in again.nodes] == [(n.name, n.type, n.refs) for n in graph.nodes]
    assert [n.outputs[0].desc.shape for n in again.nodes] == [(256,)] * 5 and again.outputs == graph.outputs
    assert str(again.nodes[1].outputs[0].desc) == "f32[256]" and again.nodes[1].where.line == "model.py:3"
    page([Shown(again, again)])


def test_a_folder_of_dumps_shows_the_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("DUMP_GE_GRAPH", "2"), ("DUMP_GRAPH_LEVEL", "1"), ("DUMP_GRAPH_PATH", str(tmp_path))):
        monkeypatch.setenv(name, value)
    compiled = ge.Session().compile(diamond())
    (shown,) = read_folder(tmp_path)
    assert [n.name for n in shown.original.nodes] == [n.name for n in compiled.original.nodes]
    assert [n.name for n in shown.graph.nodes] == [n.name for n in compiled.graph.nodes]
    assert [step.name for step in shown.steps] == ["InPlaceReuse"]
    page([shown])
    with pytest.raises(errors.BadDumpFile, match="holds no ge_proto"):
        read_folder(Path(__file__).parent)


def test_files_that_are_no_dump(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("graph { nonsense")
    for name in ("bad.txt", "missing.txt"):
        with pytest.raises(errors.BadDumpFile, match=name):
            read_dump(tmp_path / name)


def test_view_of_something_without_graphs() -> None:
    with pytest.raises(errors.NothingCaptured, match="view: "):
        view(lambda x: x, 3)


def test_times_are_those_of_every_node(tmp_path: Path) -> None:
    from ferrata.torchair.view import viewing

    with viewing(repeat=3) as seen:
        torch.compile(lambda x: x.sin() * 2, backend=torchair.get_npu_backend())(torch.randn(3))
    (shown,) = seen.shown()
    assert set(shown.seconds) == {n.name for n in shown.graph.nodes if n.type not in ("Data", "Const")}
    assert len(seen.graphs[0].times) == 3 and all(s >= 0 for s in shown.seconds.values())


def test_a_dump_of_optional_and_dynamic_inputs_is_read_back(tmp_path: Path) -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", ge.Desc(0, (2, 2)))
        (product,) = g.add("MatMulV2", {"x1": x, "x2": x})
        axis = g.const(torch.tensor(0))
        (joined,) = g.add("ConcatV2", {"x": [product, x, x], "concat_dim": axis})
        graph = g.finish([joined])
    (tmp_path / "dump.txt").write_text(proto.to_txt(graph))
    again = read_dump(tmp_path / "dump.txt")
    counts = {n.type: n.counts for n in again.nodes if n.inputs}
    assert counts == {"MatMulV2": (1, 1, 0, 0), "ConcatV2": (3, 1)}
    page([Shown(again, again)])
