"""Data dumps at execution (dump_config), and two dumps compared."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ferrata import errors, torchair
from ferrata.ge.dump.data import DataDump, statistics
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.folders import compare_folders

pytestmark = pytest.mark.slow

X = torch.arange(6.0).reshape(2, 3)


def config(folder: Path, **options: Any) -> CompilerConfig:
    made = CompilerConfig()
    made.dump_config.enable_dump = True
    made.dump_config.dump_path = str(folder)
    for name, value in options.items():
        setattr(made.dump_config, name, value)
    return made


def run(add: Any, config: CompilerConfig, times: int = 1) -> Any:
    def f(x: torch.Tensor) -> torch.Tensor:
        return add(x * 2, x).relu()

    compiled = torch.compile(f, backend=torchair.get_npu_backend(compiler_config=config))
    for _ in range(times):
        torch.testing.assert_close(compiled(X), f(X))


def names(folder: Path) -> list[str]:
    return sorted(p.name.rsplit(".", 2)[0] for p in folder.rglob("*.npy"))


def test_every_node_is_written(add: Any, tmp_path: Path) -> None:
    run(add, config(tmp_path))
    (graph,) = (tmp_path / "worldsize1_global_rank0").iterdir()
    assert names(graph / "0") == [
        "AddCustomT-AddCustomT.INPUT.0", "AddCustomT-AddCustomT.INPUT.1", "AddCustomT-AddCustomT.OUTPUT.0",
        "Mul-Mul.INPUT.0", "Mul-Mul.INPUT.1", "Mul-Mul.OUTPUT.0", "Relu-Relu.INPUT.0", "Relu-Relu.OUTPUT.0",
    ]  # fmt: skip
    (file,) = (graph / "0").glob("AddCustomT-*.OUTPUT.0.*")
    np.testing.assert_array_equal(np.load(file), 3 * X.numpy())
    index = {n["name"]: n for n in json.loads((graph / "nodes.json").read_text())["nodes"]}
    assert index["AddCustomT"]["fx_node"] == "ascendc_add" and index["AddCustomT"]["outputs"] == ["f32[2, 3]"]
    assert "test_data_dump.py:" in index["AddCustomT"]["line"] and index["Relu"]["made_by"] == "converter"


def test_modes_steps_and_layers(add: Any, tmp_path: Path) -> None:
    run(add, config(tmp_path, dump_mode="output", dump_step="0|2-3", dump_layer="Relu ascendc_add"), times=5)
    (graph,) = (tmp_path / "worldsize1_global_rank0").iterdir()
    assert sorted(p.name for p in graph.iterdir() if p.is_dir()) == ["0", "2", "3"]
    assert names(graph / "2") == ["AddCustomT-AddCustomT.OUTPUT.0", "Relu-Relu.OUTPUT.0"]


class Model(torch.nn.Module):
    """Its functions do not call it `self`."""

    def __init__(this) -> None:
        super().__init__()
        this.layers = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(2))

    def forward(this, self: torch.Tensor) -> torch.Tensor:
        for layer in this.layers:
            self = layer(self)
        return self


model = Model()


@pytest.mark.parametrize(
    ("called", "layer"),
    [
        (model, "layers.0"),
        (model.forward, "layers.0"),
        (lambda x: model(x) + 1, "model.layers.0"),
        ((lambda net: lambda x: net(x))(model), "net.layers.0"),
    ],
)
def test_a_layer_is_found_by_the_path_of_its_module(called: Any, layer: str, tmp_path: Path) -> None:
    torch._dynamo.reset()
    made = config(tmp_path, dump_mode="output", dump_layer=layer)
    torch.compile(called, backend=torchair.get_npu_backend(compiler_config=made), fullgraph=True)(X)
    assert sum(".OUTPUT." in name for name in names(tmp_path)) >= 1


def test_an_unknown_layer_is_told(add: Any, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"no node, FX node or module 'Relo'\. Near: Relu"):
        run(add, config(tmp_path, dump_layer="Relo"))
    assert not names(tmp_path)


def test_statistics(add: Any, tmp_path: Path) -> None:
    run(add, config(tmp_path, dump_data="stats", dump_mode="output"))
    (file,) = tmp_path.rglob("stats.csv")
    rows = {row["node"]: row for row in csv.DictReader(file.open())}
    row = rows["AddCustomT"]
    assert (row["dtype"], row["shape"], row["min"], row["max"], row["mean"]) == (
        "float32", "[2, 3]", "0.0", "15.0", "7.5",
    )  # fmt: skip
    assert row["nan"] == row["inf"] == "0" and not list(tmp_path.rglob("*.npy"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, float("nan"), 3.0, float("inf")], [1.0, 3.0, 2.0, 1.0, 1, 1]),
        ([], ["", "", "", "", 0, 0]),
        ([True, False], [0.0, 1.0, 0.5, 0.5, 0, 0]),
    ],
)
def test_statistics_of_odd_values(values: list[Any], expected: list[Any]) -> None:
    assert statistics(torch.tensor(values))[2:] == expected


def test_the_original_graph_may_be_dumped(add: Any, tmp_path: Path) -> None:
    run(add, config(tmp_path, data_dump_stage="original", dump_mode="output"))
    assert "Relu-Relu.OUTPUT.0" in names(tmp_path)


def test_nodes_of_branches_are_written_under_their_branch(add: Any, tmp_path: Path) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: add(x, x).relu(), lambda x: x.relu(), (x.relu(),))

    made = torchair.get_npu_backend(compiler_config=config(tmp_path, dump_mode="output"))
    torch.testing.assert_close(torch.compile(f, backend=made)(X), f(X))
    found = names(tmp_path)
    assert "Relu-Relu.OUTPUT.0" in found and any(n.endswith("_AddCustomT-AddCustomT.OUTPUT.0") for n in found)
    (index,) = tmp_path.rglob("nodes.json")
    listed = [n["name"] for n in json.loads(index.read_text())["nodes"]]
    assert len(listed) == len(set(listed)) and any(name.endswith("/AddCustomT") for name in listed)


def test_steps() -> None:
    assert [n for n in range(12) if DataDump(steps="0|3-5|10").step(n)] == [0, 3, 4, 5, 10]
    assert DataDump().step(7)


def eager_dump(add: Any, folder: Path) -> None:
    made = CompilerConfig()
    made.debug.data_dump.type = "npy"
    made.debug.data_dump.path = str(folder)
    run(add, made)
    torch._dynamo.reset()


def test_an_eager_dump_agrees_with_the_graphs(add: Any, tmp_path: Path) -> None:
    eager_dump(add, tmp_path / "eager")
    (tmp_path / "graph").mkdir()
    run(add, config(tmp_path / "graph"))
    report = compare_folders(tmp_path / "eager", tmp_path / "graph")
    assert report.same and report.compared >= 3, str(report)
    back = compare_folders(tmp_path / "graph", tmp_path / "eager")
    assert back.same and back.compared >= 3


def test_the_first_node_that_differs_between_dumps(add: Any, operators: Any, tmp_path: Path) -> None:
    eager_dump(add, tmp_path / "eager")
    operators.converter(
        add,
        lambda x, y, meta_outputs=None: torchair.ge.custom_op("AddCustomT", inputs={"x": x, "y": x}, outputs=["z"]),
    )
    (tmp_path / "graph").mkdir()
    compiled = torch.compile(
        lambda x: add(x * 2, x).relu(),
        backend=torchair.get_npu_backend(compiler_config=config(tmp_path / "graph", dump_mode="output")),
    )
    compiled(X)
    report = compare_folders(tmp_path / "eager", tmp_path / "graph")
    first = report.first
    assert first is not None and first.ge_node == "AddCustomT" and first.fx_node == "ascendc_add"
    assert first.measure.max_abs == 5 and "test_data_dump.py:" in first.where.line


def test_inputs_of_an_eager_dump_are_not_those_of_the_graph(tmp_path: Path) -> None:
    """addmm(bias, x, w) is MatMulV2(x, w, bias): their inputs are told apart, their results compared."""
    made = CompilerConfig()
    made.debug.data_dump.type, made.debug.data_dump.path = "npy", str(tmp_path / "eager")
    (tmp_path / "graph").mkdir()
    for one in (made, config(tmp_path / "graph")):
        torch._dynamo.reset()
        torch.compile(
            lambda x, w, b: torch.addmm(b, x, w).relu(), backend=torchair.get_npu_backend(compiler_config=one)
        )(X, torch.ones(3, 4), torch.arange(4.0))
    for folders in (("eager", "graph"), ("graph", "eager")):
        report = compare_folders(*(tmp_path / f for f in folders))
        assert report.same and report.compared == 2, str(report)
    assert compare_folders(tmp_path / "graph", tmp_path / "graph").compared == 2 + 4


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"nodes": 3}', '{"nodes": [1]}', '{"nodes": [{}]}'])
def test_a_damaged_list_of_nodes(add: Any, tmp_path: Path, text: str) -> None:
    run(add, config(tmp_path))
    (index,) = tmp_path.rglob("nodes.json")
    index.write_text(text)
    with pytest.raises(errors.BadDumpFolder, match=r"nodes\.json"):
        compare_folders(tmp_path, tmp_path)


@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_tolerances_are_numbers_from_0(tmp_path: Path, value: float) -> None:
    with pytest.raises(errors.BadOptionValue, match="atol"):
        compare_folders(tmp_path, tmp_path, atol=value)


def test_folders_without_dumps(tmp_path: Path) -> None:
    with pytest.raises(errors.BadDumpFolder, match=r"no \.npy file of a node"):
        compare_folders(tmp_path, tmp_path)
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / f"a-b.OUTPUT.0.{'1' * 20}.npy").write_bytes(b"nothing")
    with pytest.raises(errors.BadDumpFolder, match="cannot be read"):
        compare_folders(tmp_path, tmp_path)


def test_a_scope_selects_nodes(add: Any, tmp_path: Path) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        x = x * 2
        with torchair.scope.data_dump():
            x = x.sin()
        return add(x, x)

    made = torchair.get_npu_backend(compiler_config=config(tmp_path, dump_mode="output"))
    torch.testing.assert_close(torch.compile(f, backend=made, fullgraph=True)(X), f(X))
    assert names(tmp_path) == ["Sin-Sin.OUTPUT.0"]


def only(folder: Path, pattern: str) -> Path:
    (file,) = folder.rglob(pattern)
    return file


def test_a_file_that_one_dump_lacks_is_told(add: Any, tmp_path: Path) -> None:
    """By dumps of both kinds, whichever lacks it; what the user chose not to dump lacks nowhere."""
    eager_dump(add, tmp_path / "eager")
    for name, options in (
        ("graph", {}),
        ("again", {}),
        ("chosen", {"dump_layer": "AddCustomT", "dump_mode": "output"}),
    ):
        torch._dynamo.reset()
        (tmp_path / name).mkdir()
        run(add, config(tmp_path / name, **options))
    assert compare_folders(tmp_path / "eager", tmp_path / "chosen").same
    assert compare_folders(tmp_path / "graph", tmp_path / "again").same
    only(tmp_path / "graph", "AddCustomT*.OUTPUT.*.npy").unlink()
    for one, other in (("graph", "again"), ("again", "graph"), ("eager", "graph"), ("graph", "eager")):
        report = compare_folders(tmp_path / one, tmp_path / other)
        (line,) = report.missing
        assert not report.same and report.first is None
        assert line.startswith(f"{tmp_path / 'graph'}: output 0 of AddCustomT in") and line in str(report)
    only(tmp_path / "eager", "ascendc_add*.OUTPUT.*.npy").unlink()
    report = compare_folders(tmp_path / "eager", tmp_path / "again")
    assert [m.partition(": ")[2].partition(" in ")[0] for m in report.missing] == ["output 0 of ascendc_add"]


def test_a_step_or_a_graph_that_one_dump_lacks_is_told(add: Any, tmp_path: Path) -> None:
    for name, times in (("one", 1), ("two", 2)):
        torch._dynamo.reset()
        (tmp_path / name).mkdir()
        run(add, config(tmp_path / name), times)
    report = compare_folders(tmp_path / "two", tmp_path / "one")
    assert not report.same and [m.partition(": ")[2][:7] for m in report.missing] == ["step 1 "]
    (graph,) = (tmp_path / "two").glob("*/*")
    shutil.copytree(graph, graph.parent / "graph_another")
    report = compare_folders(tmp_path / "one", tmp_path / "two")
    assert any("has 1 graph(s)" in m for m in report.missing)


def written(folder: Path, rank: int, value: float, time: int) -> None:
    place = folder / f"worldsize2_global_rank{rank}" / "graph_0" / "0"
    place.mkdir(parents=True)
    np.save(place / f"relu-aten.relu.OUTPUT.0.{time:020}.npy", np.full(3, value, "f"))


def test_ranks_are_paired_by_number(tmp_path: Path) -> None:
    """Whichever rank wrote first."""
    for folder, times in (("a", (1, 2)), ("b", (2, 1))):
        for rank in (0, 1):
            written(tmp_path / folder, rank, float(rank), times[rank])
    report = compare_folders(tmp_path / "a", tmp_path / "b")
    assert report.same and report.compared == 2, str(report)
    of_rank = tmp_path / "b" / "worldsize2_global_rank1"
    assert compare_folders(tmp_path / "a" / "worldsize2_global_rank1", of_rank).compared == 1
    np.save(only(of_rank, "*.npy"), np.full(3, 5, "f"))
    first = compare_folders(tmp_path / "a", tmp_path / "b").first
    assert first is not None and first.graph.startswith("worldsize2_global_rank1: ")
    shutil.rmtree(of_rank)
    report = compare_folders(tmp_path / "a", tmp_path / "b")
    assert report.missing == [f"worldsize2_global_rank1: {tmp_path / 'a'} has 1 graph(s), {tmp_path / 'b'} 0"]


def test_the_command_fails_where_a_file_lacks(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from ferrata.cli.commands import app

    for folder, ranks in (("a", (0, 1)), ("b", (0, 1)), ("c", (0,))):
        for rank in ranks:
            written(tmp_path / folder, rank, 1.0, 1)
    for other, code in (("b", 0), ("c", 1)):
        done = CliRunner().invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / other)])
        assert done.exit_code == code and ("missing: worldsize2_global_rank1" in done.output) == (code == 1), (
            done.output
        )
