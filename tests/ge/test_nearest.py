"""The suggested name of an operator type, port or attribute."""

from __future__ import annotations

import pytest

from ferrata.ge import library
from ferrata.ge.nearest import near


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("AddCustm", "AddCustom"),
        ("RmsNormm", "RmsNorm"),
        ("rms_norm", "RmsNorm"),
        ("Softmax", "SoftmaxV2"),
        ("BatchMatmul", "BatchMatMul"),
        ("MulCustom", None),
        ("MyOp", None),
        ("FusedGadget", None),
        ("Gelu", "Gelu"),
        ("FlashAttention", "FlashAttentionScore"),
        ("ReduceSumm", "ReduceSum"),
    ],
)
def test_operator_types(name: str, meant: str | None) -> None:
    assert near(name, ["AddCustom", *library.names()]) == (f" Did you mean {meant!r}?" if meant else "")


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("alhpa", ["x", "beta", "alpha"], "alpha"),
        ("axis", ["x", "axes", "keep_dims"], "axes"),
        ("keep_dim", ["x", "axes", "keep_dims"], "keep_dims"),
        ("scale_grad", ["grad_scale", "scales"], "grad_scale"),
        ("z", ["x", "y"], None),
    ],
)
def test_ports_and_attributes(name: str, known: list[str], meant: str | None) -> None:
    assert near(name, known) == (f" Did you mean {meant!r}?" if meant else "")
