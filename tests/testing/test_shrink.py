"""A failing case that was drawn is reported as the smallest one that fails; the launches tell their kernels and cores."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import errors
from ferrata import lang as ac


@ac.kernel
def forgets_kernel(x: ac.Gm[ac.f32], y: ac.Gm[ac.f32], n: int):
    """Each core computes all."""
    for i in range(n):
        y[i] = x[i] + x[i] if i < 20 else 0.0


@fe.op("shrinking::forgets")
def forgets(x: fe.Tensor[ac.f32, "rows", "d"]) -> fe.Tensor[ac.f32, "rows", "d"]:  # noqa: F821, UP037
    """2 * x, wrong from element 20 on."""


@forgets.plan
def _(x, y):
    return forgets_kernel.launch(x, y, x.numel(), cores=fe.at_most(x.numel() // 8))


def check(**options: Any) -> Any:
    return fe.testing.check(
        forgets, reference=lambda x: 2 * x, only=["launches", "values"], show=False, force=True, **options
    )


def test_a_drawn_case_is_made_small() -> None:
    with pytest.raises(errors.CheckFailed) as caught:
        check()
    text = str(caught.value)
    assert "the smallest case found, of those drawn" in text
    found = caught.value.report["values"].findings[0]
    # of the sizes that are drawn none has a smaller product above 20
    namespace: dict[str, Any] = {"fe": fe}
    case = eval(found.sample.split("), ")[0] + ")", namespace)
    rows, d = case.values["x"]
    assert 20 < rows * d <= 31
    assert found.again.startswith(f"fe.testing.check(forgets, cases=[fe.testing.case(x=({rows}, {d}))]")


def test_a_case_of_the_users_stays() -> None:
    with pytest.raises(errors.CheckFailed, match=r"case\(x=\(40, 50\)\)") as caught:
        check(cases=[fe.testing.case(x=(40, 50))])
    assert "smallest" not in str(caught.value)


def test_launches_tell_kernels_and_cores() -> None:
    report = fe.testing.check(
        forgets, [fe.testing.case(x=(2, 4)), fe.testing.case(x=(8, 2))], reference=lambda x: torch.add(x, x),
        only=["launches"], show=False, force=True,
    )  # fmt: skip
    assert report["launches"].note == "1 a call: forgets_kernel on 1 to 2 cores"
