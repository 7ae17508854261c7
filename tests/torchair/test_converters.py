"""The converters of PyTorch's operators: every operator of its database, compiled against eager."""

from __future__ import annotations

import logging

import pytest
import torch

import ferrata.npu  # noqa: F401  (registers the device)
from ferrata.ge import library
from ferrata.ge.library import rules, table
from ferrata.torchair.converters import every
from ferrata.torchair.testing import op_db

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch writes a trace of its tracing for any handler, pytest's among them; half of the time goes there."""
    monkeypatch.setattr(logging.getLogger("torch.__trace"), "handlers", [])
    monkeypatch.setattr(logging.getLogger("torch.__trace"), "propagate", False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(op_db.operators()))
def test_compiled_equals_eager(name: str) -> None:
    """Few samples each: tools/converters_report.py runs many, in every data type."""
    for dtype, limit in ((torch.float32, 2), (torch.bfloat16, 1), (torch.int64, 1)):
        for case in op_db.cases(name, dtype, limit):
            op_db.run(case)
    for case in op_db.cases(name, torch.float32, limit=1):
        op_db.run(case, symbolic=True)
        op_db.run(case.on("npu"))  # constants must lie where the graph's tensors do


def test_every_rule_has_a_prototype_and_takes_its_attributes() -> None:
    for op_type, rule in rules.every().items():
        proto = library.prototype(op_type)
        assert proto is not None, op_type
        names = {a.name for a in proto.attrs}
        assert set(rule.host) <= {p.name for p in proto.inputs}, op_type
        assert (rule.attrs or frozenset()) - {"dtype"} <= names, op_type


def test_prototypes_parse() -> None:
    assert len(library.names()) > 850
    for name in library.names():
        proto = library.prototype(name)
        assert proto is not None and table.meaning(name)


def test_converters_are_of_overloads_that_exist() -> None:
    assert len(every()) > 150
    assert all(isinstance(target, torch._ops.OpOverload) for target in every())
