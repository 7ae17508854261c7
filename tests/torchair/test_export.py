"""dynamo_export and ferrata run-graph: a model leaves as files and runs without its code."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from ferrata import errors, ge, torchair
from ferrata.cli.graphs import run_graph
from ferrata.ge.store import device_of

pytestmark = pytest.mark.slow


class Model(nn.Module):
    """A parameter, a buffer that is written, keyword arguments, a structured result."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, x: Any, scale: Any = 2, *, bias: Any = None, past: Any = ()) -> Any:
        self.steps.add_(1)
        h = self.linear(x) * scale + (0 if bias is None else bias)
        return {
            "h": h,
            "steps": self.steps + 0,
            "rows": x.shape[0],
            "nothing": None,
            "pair": [h.sum(0), past[0] if past else 3],
        }


def export(tmp_path: Path, *args: Any, model: Any, **options: Any) -> Path:
    torchair.dynamo_export(*args, model=model, export_path=tmp_path, export_name="m", **options)
    return tmp_path / "m.air"


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_model_comes_back_with_names_state_and_values(tmp_path: Path, dynamic: bool) -> None:
    model, x, b = Model(), torch.randn(3, 4), torch.randn(3, 4)
    air = export(tmp_path, x, 2, model=model, dynamic=dynamic, bias=b, past=(torch.ones(2),))
    assert model.steps == 0  # captured, not run
    run = ge.load(air)
    assert list(run.inputs) == ["x", "bias", "past_0"]
    assert run.outputs == ["h", "steps", "rows", "nothing", "pair_0", "pair_1"]
    for i in range(3):
        n = 3 + (2 * i if dynamic else 0)
        x, b, p = torch.randn(n, 4), torch.randn(n, 4), torch.randn(2)
        expected = model(x, 2, bias=b, past=(p,))
        got = run(x, bias=b, past_0=p)
        torch.testing.assert_close(got[0], expected["h"])
        assert got[1] == i + 1 and got[2:4] == (n, None)
        torch.testing.assert_close(got[4], expected["pair"][0])


def test_what_is_written(tmp_path: Path) -> None:
    config = torchair.CompilerConfig()
    config.ge_config.oo_level = "O1"
    before = dict(torchair.config.leaves(config))
    export(tmp_path, torch.randn(3, 4), model=Model(), config=config)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dynamo.pbtxt", "m.air", "options.json"]
    assert dict(torchair.config.leaves(config)) == before
    options = json.loads((tmp_path / "options.json").read_text())
    assert options["config"] == {"ge_config.oo_level": "O1"} and options["graph_options"]["ge.oo.level"] == "O1"
    assert 'op: "RefData"' in (tmp_path / "dynamo.pbtxt").read_text()


def test_other_tools_read_the_message(tmp_path: Path) -> None:
    from ferrata.ge.dump.proto import messages

    model = nn.Linear(4, 2)
    air = export(tmp_path, torch.randn(3, 4), model=model)
    message = messages()["ModelDef"].FromString(air.read_bytes())
    ops = {op.name: op for op in message.graph[0].op}
    assert ops["input"].type == "Data" and ops["weight"].type == "Const"
    assert ops["weight"].attr["value"].t.data == model.weight.detach().numpy().tobytes()


def test_weights_that_are_too_many_go_to_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ferrata.torchair.export.INLINE_LIMIT", 64)
    model, x = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)), torch.randn(3, 4)
    air = export(tmp_path, x, model=model)
    assert {"0_weight", "0_bias", "1_weight", "1_bias"} <= {p.name for p in tmp_path.iterdir()}
    assert (tmp_path / "dynamo.pbtxt").read_text().count("Const") and air.stat().st_size < 40000
    torch.testing.assert_close(ge.load(air)(x)[0], model(x))
    (tmp_path / "0_weight").write_bytes(b"\0" * 128)
    with pytest.raises(errors.GraphFileDamaged, match="in 0_weight"):
        ge.load(air)
    (tmp_path / "0_weight").unlink()
    with pytest.raises(errors.GraphFileDamaged, match="0_weight cannot be read"):
        ge.load(air)


def test_sizes_are_held_to_what_the_capture_assumed(tmp_path: Path) -> None:
    air = export(tmp_path, torch.randn(6, 4), torch.randn(6, 4), model=lambda x, y: (x + y).view(-1, 8), dynamic=True)
    run = ge.load(air)
    x = torch.randn(10, 4)
    torch.testing.assert_close(run(x, x)[0], (2 * x).view(-1, 8))
    for a, b, message in [(10, 6, "as another input has it"), (1, 1, "at least 2"), (5, 5, "those for which")]:
        with pytest.raises(errors.FeedMismatch, match=message):
            run(torch.randn(a, 4), torch.randn(b, 4))


class Moved(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.order = nn.Linear(4, 3), nn.Buffer(torch.tensor([2, 0]))
        self.total = nn.Buffer(torch.zeros(3))

    def forward(self, x: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
        y = self.linear(x) + torch.arange(3, device=x.device)
        self.total.add_(y.sum(0))
        cache.mul_(2)
        return (self.total + y)[:, self.order] + cache


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("made_for", ["cpu", "npu"])
def test_a_graph_moves_with_its_weights_and_inputs(tmp_path: Path, made_for: str, device: str) -> None:
    import ferrata.npu  # noqa: F401  (the device)

    model, x = Moved(), torch.randn(3, 4)
    there = copy.deepcopy(model).to(made_for)
    air = export(tmp_path, x.to(made_for), torch.ones(2).to(made_for), model=there, dynamic=True)
    run, cache, expected = ge.load(air, device=device), torch.ones(2), torch.ones(2)
    for given in ("cpu", "npu", "cpu"):
        cache = cache.to(given)
        y = run(x.to(given), cache)[0]
        assert y.device.type == device
        torch.testing.assert_close(y.cpu(), model(x, expected))
        assert torch.equal(cache.cpu(), expected)  # written where the caller has it


def test_marked_dimensions_alone_vary(tmp_path: Path) -> None:
    x = torch.randn(6, 4)
    torch._dynamo.mark_dynamic(x, 0)
    run = ge.load(export(tmp_path, x, model=torch.relu))
    assert run(torch.randn(9, 4))[0].shape == (9, 4)
    with pytest.raises(errors.FeedMismatch, match="4 in dimension 1"):
        run(torch.randn(9, 5))


def test_the_caller_gets_errors_instead_of_a_log(tmp_path: Path) -> None:
    def branching(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    x = torch.randn(3)
    with pytest.raises(errors.NotOneGraph, match=r"branching.*as one graph(.|\n)*test_export.py:\d+"):
        export(tmp_path, x, model=branching)
    for bad in ("a/b", "", ".."):
        with pytest.raises(errors.BadExport, match="export_name"):
            torchair.dynamo_export(x, model=torch.relu, export_path=tmp_path, export_name=bad)
    (tmp_path / "file").touch()
    with pytest.raises(errors.BadExport, match="a folder; it is a file"):
        torchair.dynamo_export(x, model=torch.relu, export_path=tmp_path / "file")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(errors.BadExport, match="no symbolic link"):
        torchair.dynamo_export(x, model=torch.relu, export_path=tmp_path / "link")
    with pytest.raises(errors.BadExport, match="model"):
        torchair.dynamo_export(x, model=3, export_path=tmp_path)
    with pytest.raises(errors.BadOptionKind, match="config"):
        torchair.dynamo_export(x, model=torch.relu, export_path=tmp_path, config={})
    assert not list(tmp_path.glob("*.air"))


MODULE = """
import torch
from ferrata import ge

ge.register_op("AddThreeT", inputs={"x": torch.float32}, outputs={"y": torch.float32})

@ge.register_op_impl("AddThreeT")
class AddThree:
    def infer_shape(self, ctx): ctx.set_output_shape(0, ctx.input_shape(0))
    def infer_dtype(self, ctx): ctx.set_output_dtype(0, ctx.input_dtype(0))
    def execute(self, ctx):
        x = ctx.input("x")
        torch.add(x, 3, out=ctx.malloc_output("y", x.shape, x.dtype))

lib = torch.library.Library("exported_ops", "DEF")
lib.define("add_three(Tensor x) -> Tensor")
lib.impl("add_three", lambda x: x + 3, "CompositeExplicitAutograd")
torch.library.register_fake("exported_ops::add_three", torch.empty_like, lib=lib)
from ferrata import torchair
torchair.register_fx_node_ge_converter(torch.ops.exported_ops.add_three.default)(lambda x: torchair.ge.custom_op("AddThreeT", x))
"""

SCRIPT = """
import sys; sys.path.insert(0, ".")
import torch, my_ops
from ferrata import torchair
def model(x, *, y): return {"z": torch.ops.exported_ops.add_three(x) * y}
torchair.dynamo_export(torch.randn(4, 2), y=torch.randn(4, 2), model=model, export_path="out", export_name="m", dynamic=True)
"""


@pytest.mark.slow
def test_the_command_runs_a_graph_with_custom_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my_ops.py").write_text(MODULE)
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, check=True)
    x, y = np.random.rand(5, 2).astype("f"), np.random.rand(5, 2).astype("f")
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "why.npy", y)
    monkeypatch.chdir(tmp_path)
    air = Path("out/m.air")

    def run(
        *inputs: str, output: Any = None, modules: Any = ("my_ops.py",), libraries: Any = (), info: bool = False
    ) -> str:
        run_graph(air, inputs, output, libraries, modules, None, info)
        return capsys.readouterr().out

    with pytest.raises(errors.MissingOperators, match=r"AddThreeT\(x\) -> \(y\) \(made with(.|\n)*--import"):
        run(modules=())
    with pytest.raises(errors.OperatorsNotLoaded, match="No module named 'nope'"):
        run(modules=["nope"])
    with pytest.raises(errors.OperatorsNotLoaded, match=r"library nope\.so"):
        run(libraries=[Path("nope.so")])
    shown = run(info=True)
    for part in ("input  x: f32[s", "output z: f32[s", "AddThreeT 1", "2 to any"):
        assert part in shown
    assert run("x.npy", "y=why.npy", output=Path("res"), modules=()) == "z: float32[5, 2]\n"
    np.testing.assert_allclose(np.load("res/z.npy"), (x + 3) * y, rtol=1e-6)
    with pytest.raises(errors.FeedMismatch, match="no 'y'"):
        run("x.npy", modules=())
    with pytest.raises(errors.BadArrayFile, match=r"nope\.npy is no array"):
        run("x.npy", "y=nope.npy", modules=())
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", "/nope")
    with pytest.raises(errors.OperatorsNotLoaded, match="no such folder"):
        run(modules=())


def test_the_command_has_its_options() -> None:
    from typer.testing import CliRunner

    from ferrata.cli.commands import app

    result = CliRunner().invoke(app, ["run-graph", "nope.air", "--info"])
    assert isinstance(result.exception, errors.GraphFileMissing)


def test_the_command_moves_a_graph_in_a_process_that_knows_no_device_yet(tmp_path: Path) -> None:
    torchair.dynamo_export(torch.ones(2, 3), model=lambda x: x * 2, export_path=str(tmp_path), export_name="m")
    np.save(tmp_path / "x.npy", np.ones((2, 3), "f"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ferrata", "run-graph", "m.air", "-i", "x.npy", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    done = run("--device", "npu", "-o", "results")
    assert done.returncode == 0, done.stderr
    assert [np.load(f).tolist() for f in (tmp_path / "results").iterdir()] == [[[2.0] * 3] * 2]
    done = run("--device", "cuda")
    assert done.returncode == 1 and done.stderr.startswith("BadOptionValue: Option device cannot be 'cuda'")


@pytest.mark.parametrize("device", ["cuda", "meta", "npu:x", "npu:99", "", "cpu:1"])
def test_a_graph_runs_on_no_other_device(tmp_path: Path, device: str) -> None:
    with pytest.raises(errors.BadOptionValue, match="device"):
        device_of(device)


def test_the_command_refuses_an_input_twice_and_a_folder_that_cannot_be(tmp_path: Path) -> None:
    torchair.dynamo_export(torch.ones(2), model=lambda x: x * 2, export_path=str(tmp_path), export_name="m")
    file = tmp_path / "x.npy"
    np.save(file, np.ones(2, "f"))
    for inputs in ([str(file), str(file)], [f"x={file}", f"x={file}"]):
        with pytest.raises(errors.FeedMismatch, match=r"x\.npy and .*x\.npy for x"):
            run_graph(tmp_path / "m.air", inputs, None, (), (), None, False)
    with pytest.raises(errors.NotWritable, match=r"x\.npy"):
        run_graph(tmp_path / "m.air", [str(file)], file, (), (), None, False)


def test_results_are_written_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torchair.dynamo_export(torch.ones(2), model=lambda x: (x + 1, x + 2), export_path=str(tmp_path), export_name="m")
    np.save(tmp_path / "x.npy", np.ones(2, "f"))
    place = tmp_path / "results"

    def run(value: float) -> list[Any]:
        np.save(tmp_path / "x.npy", np.full(2, value, "f"))
        run_graph(tmp_path / "m.air", [str(tmp_path / "x.npy")], place, [], [], None, False)
        return held()

    def held() -> list[Any]:
        return [np.load(f).tolist() for f in sorted(place.iterdir())]

    assert run(1.0) == [[2.0] * 2, [3.0] * 2]
    save, calls = np.save, []

    def full(file: Any, array: Any) -> None:
        calls.append(file)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        save(file, array)

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(errors.NotWritable, match="No space left"):
        run(5.0)
    assert held() == [[2.0] * 2, [3.0] * 2]  # as they were, and nothing beside them
