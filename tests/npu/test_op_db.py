"""A sample of PyTorch's operator database on the device; tools/op_db_report.py runs all of it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPORT = Path(__file__).parent.parent.parent / "tools" / "op_db_report.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("op_db_report", REPORT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["op_db_report"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_eighth_operator_agrees_with_the_cpu(part: int) -> None:
    report = load()
    known = report.PAGE.read_text()
    failed = []
    for op in report.operators()[part * 8 :: 32]:
        tally = report.run_operator(op, samples=2)
        if tally.failed and f"| `{tally.name}` |" not in known:
            failed.append((tally.name, tally.reasons))
    assert not failed


@pytest.mark.parametrize(
    "name", ["add", "nn.functional.conv2d", "linalg.svd", "index_put", "sort", "nn.functional.embedding_bag"]
)
def test_operators_of_every_kind(name: str) -> None:
    report = load()
    for op in [op for op in report.operators(name) if op.name == name]:
        tally = report.run_operator(op, samples=3)
        assert tally.failed == 0, tally.reasons
        assert tally.passed > 3
