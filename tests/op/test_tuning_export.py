"""`fe.tuned` in the C++ of a plan: the same choice as in Python, and a comment that says where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import lang as ac
from ferrata.errors import BadTuning, KernelSourceError
from ferrata.lang import tuning
from ferrata.op import tuning as choosing
from ferrata.op.plan.function import translate_plan


@ac.kernel
def copy(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int, *, tile: ac.Const[int] = 1024):
    """z = x."""
    a = ac.ub(ac.f32, tile)
    for i in range(0, n, tile):
        m = min(tile, n - i)
        ac.copy(a[:m], x[i:])
        ac.order(ac.MTE2, ac.MTE3)
        ac.copy(z[i:], a[:m])
        ac.order(ac.MTE3, ac.MTE2)


@pytest.fixture(autouse=True)
def own_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning.cache, "root", lambda: tmp_path)
    choosing._rows.clear()


@pytest.fixture
def operator() -> Iterator[Any]:
    @fe.op("tunedexport::copy", ge="CopyTunedExport")
    def made(x: fe.Tensor[ac.f32, ...]) -> fe.Tensor[ac.f32, ...]:
        """x."""

    @made.plan
    def _(x: Any, z: Any) -> Any:
        n = x.numel()
        return copy.launch(x, z, n, tile=fe.tuned("tile", [1024, 256], by=n), cores=1)

    yield made
    made.close()


def site(operator: Any) -> choosing.Site:
    plan = operator.definition.plan
    return choosing.site_of(plan, {**plan.__globals__}, "tile", [1024, 256])


def test_without_a_measurement_the_first_value_is_written(operator: Any) -> None:
    body = translate_plan(operator.definition).body
    assert "copy<1024>" in body
    assert "tile: the first, as nothing was measured, of 1024, 256" in body


def test_one_measured_value_is_a_constant(operator: Any) -> None:
    site(operator).record.write([[4096, 256]])
    body = translate_plan(operator.definition).body
    assert "copy<256>" in body and "copy<1024>" not in body
    assert "tile: the fastest by CPU time of the emulation, not the NPU's, of 1024, 256" in body


def test_values_by_size_are_a_choice(operator: Any) -> None:
    site(operator).record.write([[4096, 256], [65536, 1024]])
    body = translate_plan(operator.definition).body
    assert "n <= 4096 ? 256 : 1024" in body
    assert "copy<256>" in body and "copy<1024>" in body


def test_a_kernel_is_tuned_alone_and_remembers(tmp_path: Path) -> None:
    x = torch.arange(5000.0).npu()
    z = torch.zeros_like(x)
    first = copy.tune(x, z, 5000, cores=1, tile=[1024, 256, 1 << 20])
    assert [t.consts for t in first.trials] == [{"tile": 1024}, {"tile": 256}, {"tile": 1 << 20}]
    assert "Unified Buffer" in first.trials[2].error  # 4 MiB
    assert first.best in ({"tile": 1024}, {"tile": 256}) and not first.kept
    assert torch.equal(z.cpu(), torch.arange(5000.0))
    again = copy.tune(x, z, 5000, cores=1, tile=[1024, 256, 1 << 20])
    assert again.kept and again.best == first.best
    assert not copy.tune(x, z, 5000, cores=1, tile=[256, 1024]).kept
    with pytest.raises(BadTuning, match="it has no Const size; its Consts are tile"):
        copy.tune(x, z, 5000, cores=1, size=[1, 2])


def test_values_that_are_not_written_out_are_refused(operator: Any) -> None:
    @operator.plan
    def _(x: Any, z: Any) -> Any:
        return copy.launch(x, z, x.numel(), tile=fe.tuned("tile", [x.numel()]), cores=1)

    with pytest.raises(KernelSourceError, match="a list of integers that are written out"):
        translate_plan(operator.definition)
