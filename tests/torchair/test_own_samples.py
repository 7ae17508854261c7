"""Converters of overloads that PyTorch's database does not call, on samples of our own, compiled against eager."""

from __future__ import annotations

import logging

import pytest
import torch

from ferrata.torchair.converters import every
from ferrata.torchair.testing import op_db, own

pytestmark = pytest.mark.slow

# Operators that are their parts by the time AOTAutograd hands over a graph: only a converter of a graph from elsewhere
# meets them.
PARTS = {
    "adaptive_avg_pool1d.default", "avg_pool1d.default", "matmul.default", "prelu.default", "reshape.default",
    "square.default", "upsample_bilinear2d.vec", "upsample_nearest2d.vec", "var.dim",
}  # fmt: skip


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
    assert converted or overload.removeprefix("aten.") in PARTS | own.STAY


def test_samples_are_of_overloads_with_a_converter() -> None:
    assert set(own.rows()) <= {str(t) for t in every()}
