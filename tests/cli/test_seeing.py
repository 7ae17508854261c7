"""`ferrata compare` and `ferrata coverage`: on scripts, on pairs in files, on dump folders; their exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from ferrata import errors
from ferrata.cli.commands import app

MODEL = """
import sys
import torch
from ferrata import ge, torchair

lib = torch.library.Library("{space}", "DEF")
lib.define("twice(Tensor x) -> Tensor")
lib.impl("twice", lambda x: x * 2, "CPU")
lib.impl("twice", lambda x: torch.empty_like(x), "Meta")
{more}

class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.ops.{space}.twice(x + 1)
        return y.relu()

def make():
    return Model(), torch.arange(6.0)

def wrong():
    return 3

if __name__ == "__main__":
    print("arguments", sys.argv[1:])
    torch.compile(Model(), backend=torchair.get_npu_backend())(torch.arange(float(sys.argv[1])))
"""

CONVERTER = """
@torchair.register_fx_node_ge_converter(torch.ops.{space}.twice.default)
def convert(x, meta_outputs=None):
    return torchair.ge.custom_op("Square{space}", inputs={{"x": x}}, outputs=["y"])

ge.register_op("Square{space}", inputs={{"x": torch.float32}}, outputs={{"y": torch.float32}})

@ge.register_op_impl("Square{space}")
class Square:
    def infer_shape(self, ctx):
        ctx.set_output_shape(0, ctx.input_shape(0))

    def execute(self, ctx):
        x = ctx.input("x")
        torch.mul(x, {factor}, out=ctx.malloc_output("y", x.shape, x.dtype))
"""


@pytest.fixture(autouse=True)
def _the_process_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands put the vendor's names on the path, of child processes too."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    for name in ("PYTHONPATH", "FERRATA_AUTOLOAD"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Any]:
    """Write model.py; each in a namespace of its own."""
    number = 0

    def writer(factor: float | None) -> Path:
        nonlocal number
        number += 1
        space = f"seeing{os.getpid()}x{abs(hash(str(tmp_path))) % 10**8}n{number}"
        more = "" if factor is None else CONVERTER.format(space=space, factor=factor)
        file = tmp_path / "model.py"
        file.write_text(MODEL.format(space=space, more=more))
        return file

    yield writer
    sys.modules.pop("model", None)
    torch._dynamo.reset()


def command(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


def test_compare_finds_the_wrong_converter_of_a_script(write: Any) -> None:
    done = command("compare", write(factor=3.0), "6")
    assert done.exit_code == 1, done.output
    assert "arguments ['6']" in done.output and "The first node that differs" in done.output
    assert "model.py:" in done.output and "y = torch.ops." in done.output and "5 of 6 elements" not in done.output
    assert "6 of 6 elements differ; max abs 6, max rel 0.5" in done.output


def test_compare_agrees(write: Any) -> None:
    done = command("compare", f"{write(factor=2.0)}:make")
    assert done.exit_code == 0 and "Eager and graph agree: 1 call(s) of graphs, 3 values compared" in done.output


def test_coverage_of_a_pair(write: Any) -> None:
    target = f"{write(factor=None)}:make"
    done = command("coverage", target)
    assert done.exit_code == 1, done.output
    assert "missing" in done.output and "twice.default" in done.output and "1 missing" in done.output
    torch._dynamo.reset()
    sys.modules.pop("model", None)


def test_coverage_as_json_of_a_script(write: Any) -> None:
    done = command("coverage", "--json", write(factor=2.0), "4")
    assert done.exit_code == 0, done.output
    made = json.loads(done.stdout)
    assert made["complete"] and made["counts"] == {"converted": 3}
    assert "arguments ['4']" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"), [("nothing", r"has no 'nothing' \(it has .*make"), ("wrong", r"gives int, not \(model, inputs\)")]
)
def test_targets_that_are_none(write: Any, name: str, text: str) -> None:
    done = command("coverage", f"{write(factor=2.0)}:{name}")
    assert isinstance(done.exception, errors.BadTarget)
    with pytest.raises(errors.BadTarget, match=text):
        raise done.exception


def test_a_script_without_graphs(tmp_path: Path, write: Any) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    for name in ("compare", "coverage"):
        assert isinstance(command(name, tmp_path / "empty.py").exception, errors.NothingCaptured)
    assert isinstance(command("compare", tmp_path).exception, errors.BadDumpFolder)


def test_view_writes_the_page_of_a_script(write: Any, tmp_path: Path) -> None:
    page = tmp_path / "out" / "page.html"
    done = command("view", "-o", page, "--repeat", "1", write(factor=2.0), "4")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == str(page) and "arguments ['4']" in done.output
    text = page.read_text()
    assert '"t":"Square' in text and "model.py:" in text and '"x":' in text


def test_view_of_files(tmp_path: Path) -> None:
    from ferrata import ge
    from ferrata.ge.dump import proto
    from ferrata.ge.store import save

    with ge.GraphBuilder("graph_0") as g:
        x = g.data("x", ge.Desc(0, (3,)))
        (y,) = g.add("Relu", {"x": x})
        g.set_desc(y, ge.Desc(0, (3,)))
        graph = g.finish([y])
    save(graph, tmp_path / "model.air")
    (tmp_path / "dump.txt").write_text(proto.to_txt(graph))
    for name in ("model.air", "dump.txt"):
        done = command("view", "-o", tmp_path / f"{name}.html", tmp_path / name)
        assert done.exit_code == 0, (done.output, done.exception)
        assert '"t":"Relu"' in (tmp_path / f"{name}.html").read_text()


def test_profile_prints_nodes_and_writes_a_trace(write: Any, tmp_path: Path) -> None:
    done = command("profile", "-o", tmp_path / "deep" / "trace.json", f"{write(factor=2.0)}:make")
    assert done.exit_code == 0, (done.output, done.exception)
    assert "Square" in done.output and "Relu/Relu" in done.output and "[[6]" in done.output
    events = json.loads((tmp_path / "deep" / "trace.json").read_text())["traceEvents"]
    assert any(e.get("name") == "Relu/Relu" and e["args"]["Input Dims"] == [[6]] for e in events)


@pytest.mark.parametrize("command", ["view", "profile"])
def test_a_place_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("kept")
    for place in (tmp_path, tmp_path / "file" / "x"):
        result = CliRunner().invoke(app, [command, "absent.py", "-o", str(place)])
        assert isinstance(result.exception, errors.NotWritable) and str(place) in str(result.exception)
    assert (tmp_path / "file").read_text() == "kept"


def test_words_behind_a_target_are_not_overlooked(write: Any, tmp_path: Path) -> None:
    path = write(None)
    result = CliRunner().invoke(app, ["compare", f"{path}:make", "more"])
    assert isinstance(result.exception, errors.BadTarget) and "more" in str(result.exception)
    result = CliRunner().invoke(app, ["compare", str(tmp_path), str(tmp_path), "third"])
    assert isinstance(result.exception, errors.BadDumpFolder) and "third" in str(result.exception)
    path.write_text("def needs(a):\n    return a\n")
    result = CliRunner().invoke(app, ["compare", f"{path}:needs"])
    assert isinstance(result.exception, errors.BadTarget) and "'a'" in str(result.exception)


@pytest.mark.parametrize("name", ["compare", "coverage", "view", "profile"])
def test_a_file_of_another_kind_is_not_run_as_a_script(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.npy").write_text("raise SystemExit('it ran')")
    for target in (tmp_path / "x.npy", f"{tmp_path / 'x.npy'}:make"):
        problem = command(name, target).exception
        assert isinstance(problem, errors.BadTarget), problem
        assert "x.npy is not a Python file" in str(problem) and "FILE.py:NAME" in str(problem)
        assert (name == "view") == (".air (an exported graph)" in str(problem))
    (tmp_path / "script").write_text("x = 1\n")  # a script needs no ending
    assert isinstance(command("coverage", tmp_path / "script").exception, errors.NothingCaptured)
