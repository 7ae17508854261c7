"""CompilerConfig: every option of the table, what is refused, and that errors help."""

from __future__ import annotations

import copy
import csv
import glob
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ferrata import errors, torchair
from ferrata.torchair import config as options
from ferrata.torchair.config import CompilerConfig


def set_path(config: CompilerConfig, path: str, value: Any) -> None:
    *groups, name = path.split(".")
    place: Any = config
    for group in groups:
        place = getattr(place, group)
    setattr(place, name, value)


def good_value(row: options.Row, folder: Path) -> Any:
    file = folder / "x.json"
    file.write_text("{}")
    samples = {
        "bool": not row.default, "int": 3, "str": "a b", "path": "here", "dir": str(folder), "file": str(file),
        "json": str(file),
        "call": print, "dict": {"a": 1}, "any": "x", "step": "0|2-5", "cores": "24|48", "switches": "DeadNodes:off",
    }  # fmt: skip
    if isinstance(row.allowed, list):
        return row.allowed[-1]
    return row.allowed[0] if isinstance(row.allowed, tuple) else samples[row.allowed]


@pytest.mark.parametrize("row", options._TABLE, ids=lambda r: r.path)
def test_every_option_is_honoured_or_accepted_with_a_reason(row: options.Row, tmp_path: Path) -> None:
    config = CompilerConfig()
    value = good_value(row, tmp_path)
    options._told.discard(row.path)
    assert config.raw(row.path) == row.default
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        set_path(config, row.path, value)
        set_path(CompilerConfig(), row.path, value)
    assert config.raw(row.path) == value
    effectless = row.policy == "N" and value != row.default
    assert len(told) == (1 if effectless else 0), "the reason is told once"
    assert config != CompilerConfig() or value == row.default
    if row.allowed == "any":
        anything = object()
        set_path(config, row.path, anything)
        assert config.raw(row.path) is anything
    else:
        with pytest.raises((ValueError, TypeError, FileNotFoundError)):
            set_path(config, row.path, object())


@pytest.mark.parametrize(
    ("path", "value", "kind", "text"),
    [
        ("mod", 1, ValueError, "Did you mean 'mode'"),
        ("debug.graph_dmp", 1, ValueError, "Did you mean 'graph_dump'"),
        ("graph_dump", 1, ValueError, "There is 'debug.graph_dump'"),
        ("debug", 1, TypeError, "set through its members"),
        ("mode", "fast", ValueError, "'max-autotune' or 'reduce-overhead'"),
        ("debug.run_eagerly", 1, ValueError, "True or False"),
        ("debug.graph_dump.type", "onnx", ValueError, "'txt' or 'pbtxt' or 'py'"),
        ("post_grad_custom_pre_pass", 1, TypeError, "must be callable"),
        ("aoe_config.work_path", "/not/there", FileNotFoundError, "'/not/there' does not exist"),
        ("dump_config.dump_step", "1-", ValueError, "dump_step"),
        ("dump_config.dump_step", "3-1", ValueError, "'3-1': allowed: text such as '0|2-5'.*the smaller first"),
        ("dump_config.dump_step", "0|10-9", ValueError, "the smaller first"),
        ("debug.graph_dump.path", "", ValueError, "the path of a folder"),
        ("debug.data_dump.path", __file__, ValueError, "the path of a folder"),
        ("debug.aclgraph.static_capture_size_limit", 0, ValueError, "an int from 1"),
        ("debug.aclgraph.static_capture_size_limit", "64", TypeError, "an int from 1"),
    ],
)
def test_mistakes(path: str, value: Any, kind: type, text: str) -> None:
    with pytest.raises(kind, match=text):
        set_path(CompilerConfig(), path, value)


@pytest.mark.parametrize("row", options._TABLE, ids=lambda r: r.path)
def test_every_bad_value_is_one_error_with_the_option_and_what_is_allowed(row: options.Row) -> None:
    for value in (object(), "nonsense", "", -2, 1.5, [], b"x", True, 10**30, "9-1", None):
        config = CompilerConfig()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                set_path(config, row.path, value)
        except (errors.BadOptionValue, errors.BadOptionKind, errors.OptionPathMissing) as error:
            assert row.path in str(error) and options.allowed_text(row) in str(error), error
            assert config.raw(row.path) == row.default, "a refused value changes nothing"
        else:
            assert config.raw(row.path) == value and type(config.raw(row.path)) is type(value)


def test_reading_gives_an_option_object() -> None:
    config = CompilerConfig()
    assert config.debug.run_eagerly.value == "0" and not config.debug.run_eagerly
    config.debug.run_eagerly = True
    assert (
        config.debug.run_eagerly.value == "1" and config.debug.run_eagerly and config.debug.run_eagerly.default is False
    )
    assert config.mode == "max-autotune" and config.mode.value == "max-autotune"
    assert "max-autotune" in config.mode.optional
    assert copy.deepcopy(config) == config and not hasattr(config, "nothing")
    with pytest.raises(ValueError, match="Options: mode"):
        config.nothing  # noqa: B018


def test_as_dict_has_the_ge_keys(tmp_path: Path) -> None:
    config = CompilerConfig()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config.ge_config.oo_level = "O1"
        config.ge_config.aicore_num = "24|48"
        config.dump_config.enable_dump = True
    local, glob_ = config.as_dict()
    assert local["ge.oo.level"] == "O1" and local["ge.topoSortingMode"] == "3" and local["ge.jit_compile"] == "2"
    assert (
        local["ge.aicoreNum"] == "24|48" and local["ge.exec.enableDump"] == "1" and glob_["ge.exportCompileStat"] == "2"
    )


def compiled(f: Any, config: CompilerConfig, **more: Any) -> Any:
    return torch.compile(f, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True, **more)


@pytest.mark.parametrize("kind", ["py", "txt", "pbtxt"])
def test_graph_dump(add: Any, tmp_path: Path, kind: str) -> None:
    config = CompilerConfig()
    config.debug.graph_dump.type = kind
    config.debug.graph_dump.path = str(tmp_path / "dumps")
    compiled(lambda x: add(x, x), config)(torch.ones(3))
    files = sorted(p.name for p in (tmp_path / "dumps").iterdir())
    reports = [files.pop(0)] if kind == "py" else []  # how the memory was planned
    assert [f.split("_graph_")[0] for f in reports + files] == ["dynamo_memory"] * len(reports) + [
        "dynamo_optimized",
        "dynamo_original",
    ]
    assert all(f.endswith(f".{kind}") and "_rank_0_pid_" in f for f in files)
    text = (tmp_path / "dumps" / files[0]).read_text()
    assert "AddCustomT" in text and "test_config.py:" in text


def test_run_eagerly(add: Any, operators: Any) -> None:
    config = CompilerConfig()
    config.debug.run_eagerly = True
    assert compiled(lambda x: add(x, x), config)(torch.ones(2)).tolist() == [2, 2]
    assert operators.runs["AddCustomT"] == 0


def test_data_dump_writes_inputs_and_outputs(add: Any, tmp_path: Path) -> None:
    config = CompilerConfig()
    config.debug.data_dump.type = "npy"
    config.debug.data_dump.path = str(tmp_path)
    config.debug.data_dump.filter = lambda node: None if "mul" in node.name else node
    x = torch.arange(3.0)
    f = compiled(lambda x: add(x, x) * 2, config)
    f(x)
    assert torch.equal(f(x), 4 * x)
    files = glob.glob(f"{tmp_path}/worldsize1_global_rank0/graph_*/1/*.npy")
    names = sorted(Path(p).name.split(".", 1)[0] + "|" + ("IN" if ".INPUT." in p else "OUT") for p in files)
    assert len(names) == 3 and not any("mul" in n for n in names)
    (out,) = [p for p in files if ".OUTPUT." in p]
    np.testing.assert_array_equal(np.load(out), 2 * x.numpy())


def test_fx_summary(add: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = CompilerConfig()
    config.debug.fx_summary.type = "csv"
    x = torch.ones(3)
    torch.testing.assert_close(compiled(lambda x: torch.relu(add(x, x)), config)(x), 2 * x)
    (file,) = tmp_path.glob("summary_rank_0_pid_*_ts_*.csv")
    rows = list(csv.DictReader(file.open(encoding="utf-8-sig")))
    assert {r["target"].split(".")[-2]: r["status"] for r in rows} == {"ascendc_add": "converted", "relu": "converted"}
    assert rows[0]["calls"] == "1" and rows[0]["outputs"] == "float32[3] x1" and "test_config.py:" in rows[0]["lines"]


def test_output_clone(add: Any) -> None:
    config = CompilerConfig()
    config.debug.aclgraph.enable_output_clone = True
    assert compiled(lambda x: add(x, x), config)(torch.ones(2)).tolist() == [2, 2]


def test_dead_nodes_can_be_kept(add: Any) -> None:
    from ferrata.torchair.backend import session_of

    config = CompilerConfig()
    assert session_of(config).off == frozenset()
    config.ge_config.optimization_switch = "DeadNodes:off"
    assert session_of(config).off == {"DeadNodes"}


def test_backend_keeps_its_config_in_keywords() -> None:
    config = CompilerConfig()
    assert torchair.get_npu_backend(compiler_config=config).keywords["compiler_config"] is config
