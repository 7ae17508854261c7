"""Converters of overloads that PyTorch's database does not call, on samples of our own, compiled against eager."""

from __future__ import annotations

import logging

import pytest
import torch

from ferrata.torchair.converters import every
from ferrata.torchair.testing import collective, op_db, own

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch writes a trace of its tracing for any handler, pytest's among them; half of the time goes there."""
    monkeypatch.setattr(logging.getLogger("torch.__trace"), "handlers", [])
    monkeypatch.setattr(logging.getLogger("torch.__trace"), "propagate", False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("overload", list(own.rows()))
def test_compiled_equals_eager(overload: str) -> None:
    """In float32 and bfloat16, whole numbers where PyTorch has them; the report runs every data type."""
    converted = 0
    for dtype, symbolic in (
        (torch.float32, False),
        (torch.float32, True),
        (torch.bfloat16, False),
        (torch.int64, False),
    ):
        for case in own.cases(overload, dtype):
            outcome = op_db.run(case, symbolic=symbolic, functional=own.functional(overload))
            converted += outcome is not None and overload in outcome.converted
    assert converted or overload.removeprefix("aten.") in own.STAY


def test_collectives_of_two_processes_equal_eager() -> None:
    counts, failures = collective.run((torch.float32, torch.int64))
    assert not failures
    assert {name for name, (converted, _) in counts.items() if converted} == {
        f"_c10d_functional.{name}" for name in collective.rows()
    }


def test_samples_are_of_overloads_with_a_converter() -> None:
    assert set(own.rows()) <= {str(t) for t in every()}


def test_only_where_the_trace_itself_differs_is_it_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    case = op_db.Case("x", torch.float32, lambda x: x * 2, (x,))
    outcome = op_db.run(case)
    assert outcome is not None and not outcome.rounded
    wrong = lambda gm, inputs: lambda args: [args[0] * 3]  # noqa: E731
    monkeypatch.setattr(op_db, "get_compiler", lambda: wrong)
    with pytest.raises(AssertionError, match="not close"):
        op_db.run(case)


def test_a_sample_in_new_memory_keeps_its_gaps() -> None:
    x = torch.arange(24.0).reshape(4, 6)[1:, ::2]
    (copied,) = op_db._fresh(op_db.Case("x", torch.float32, torch.square, (x,)))
    assert torch.equal(copied, x) and copied.stride() == (6, 2) and copied.storage_offset() == 6
    copied.zero_()
    assert x.any()
