"""Choosing Consts by measuring: the plan's choices, the records, what is shown. Kernels are torch functions here, and the
clock is one that they move on."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import errors
from ferrata.lang import tuning
from ferrata.lang.elements import f32
from ferrata.op import tuning as choosing
from ferrata.op.tuning import autotune, rows, tuned
from tests.op.pretend import Kernel, kernel

_numbers = itertools.count()
SLOW = {1024: 2e-3, 2048: 1e-3, 4096: 3e-3}


class Clock:
    """Time that only kernels take."""

    now = 0.0


class Timed(Kernel):
    """A pretend kernel that takes the time that SLOW gives its tile, and that has a text."""

    fails_at = 0

    def source(self) -> str:
        return f"kernel {self.name}"

    def instance(self, dtypes: Any, consts: Any) -> Any:
        if consts["tile"] == self.fails_at:
            raise errors.FerrataError(message="the Unified Buffer is too small")
        run = super().instance(dtypes, consts)

        def slowed(cores: int, *args: Any) -> None:
            Clock.now += SLOW[consts["tile"]]
            run(cores, *args)

        return slowed


@pytest.fixture(autouse=True)
def own_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(tuning.Record):
        def __init__(self, parts: Any) -> None:
            super().__init__(parts)
            self.place = tmp_path / "tuned" / self.place.name

    monkeypatch.setattr(tuning, "perf_counter", lambda: Clock.now)
    monkeypatch.setattr(tuning, "Record", Own)
    monkeypatch.setattr(choosing, "Record", Own)
    choosing._rows.clear()


@pytest.fixture
def operator() -> Iterator[Any]:
    """An operator whose plan chooses a tile, by the number of elements."""
    pretend = kernel("x: T, z: T!, n: int, tile = 1024", T=f32)(lambda x, z, n: z.copy_(x))
    copy = Timed(pretend.name, pretend.params, pretend.function)

    @fe.op(f"tuned{next(_numbers)}::copy", ge=f"CopyTuned{next(_numbers)}")
    def made(x: fe.Tensor[f32, ...]) -> fe.Tensor[f32, ...]:
        """x."""

    @made.plan
    def _(x: Any, z: Any) -> Any:
        n = x.numel()
        return copy.launch(x, z, n, tile=tuned("tile", [1024, 2048, 4096], by=n), cores=1)

    made.kernel = copy
    yield made
    made.close()


def ran(op: Any, n: int) -> int:
    """The tile of a call."""
    op(torch.ones(n, device="npu"))
    return int(op.kernel.runs[-1][2]["tile"])


def test_the_first_value_counts_until_somebody_measures(operator: Any) -> None:
    assert ran(operator, 8) == 1024


def test_the_fastest_value_is_used_from_then_on(operator: Any) -> None:
    assert ran(operator, 100) == 1024
    results = autotune(operator, [{"x": torch.ones(100, device="npu")}], rounds=3, show=False)
    assert results[0].best == {"tile": 2048}
    assert ran(operator, 100) == 2048  # also where the call was prepared before
    assert ran(operator, 100000) == 2048  # nothing else was measured


def test_what_is_shown_says_that_it_is_the_time_of_the_emulation(operator: Any, capsys: Any) -> None:
    (result,) = autotune(operator, [{"x": torch.ones(100, device="npu")}], rounds=3)
    shown = capsys.readouterr().out
    assert "CPU time of the emulation, not the NPU's" in shown and "tile=2048" in shown and "chosen" in shown
    assert result.clock == tuning.CLOCK and "noise" in str(result)
    assert [t.consts["tile"] for t in result.trials] == [1024, 2048, 4096]
    assert all(t.seconds > 0 for t in result.trials)


def test_each_range_of_sizes_has_its_own_value(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = ({"x": torch.ones(n, device="npu")} for n in (100, 5000))
    autotune(operator, [small], rounds=3, show=False)
    monkeypatch.setitem(SLOW, 2048, 4e-3)
    monkeypatch.setitem(SLOW, 4096, 1e-3)
    results = autotune(operator, [small, large], rounds=3, show=False)
    assert [r.kept for r in results] == [True, False]
    assert (ran(operator, 128), ran(operator, 129), ran(operator, 1 << 20)) == (2048, 4096, 4096)


def test_a_measurement_is_kept_for_the_next_process(operator: Any) -> None:
    case = {"x": torch.ones(100, device="npu")}
    autotune(operator, [case], rounds=3, show=False)
    choosing._rows.clear()  # as in a new process
    operator.executor.update(operator.definition)
    assert ran(operator, 100) == 2048
    assert autotune(operator, [case], show=False)[0].kept
    assert not autotune(operator, [case], rounds=3, force=True, show=False)[0].kept


def test_a_value_that_cannot_run_is_out(operator: Any, capsys: Any) -> None:
    operator.kernel.fails_at = 2048
    (result,) = autotune(operator, [{"x": torch.ones(100, device="npu")}], rounds=3)
    assert result.best == {"tile": 1024}
    assert "the Unified Buffer is too small" in capsys.readouterr().out


def test_a_plan_without_a_choice_is_refused(operator: Any) -> None:
    operator.plan(lambda x, z: operator.kernel.launch(x, z, x.numel(), cores=1))
    with pytest.raises(errors.BadTuning, match="its plan has no choice"):
        autotune(operator, [{"x": torch.ones(3, device="npu")}])


@pytest.mark.parametrize("choices", [[], [1, 1], [1.5], ["1024"], [True]])
def test_choices_are_different_integers(choices: Any) -> None:
    with pytest.raises(errors.BadTuning, match="is not a list of different integers"):
        tuned("tile", choices)


def test_within_the_noise_the_value_listed_first_is_taken() -> None:
    trials = [tuning.Trial({"t": 1}, 1.05, 0.1), tuning.Trial({"t": 2}, 1.0, 0.02), tuning.Trial({"t": 3}, 0.99, 0.01)]
    assert tuning.pick("k", trials).consts == {"t": 1}
    assert tuning.pick("k", [tuning.Trial({"t": 1}, 1.05, 0.01), *trials[1:]]).consts == {"t": 2}


def test_candidates_are_timed_in_turn() -> None:
    order: list[int] = []

    def run(i: int) -> None:
        order.append(i)
        Clock.now += tuning.SAMPLE

    runs = [({"t": i}, functools.partial(run, i)) for i in (1, 2)]
    tuning.measure(runs, rounds=3)
    assert order[4:] == [1, 2, 1, 2, 1, 2]


def test_too_many_combinations_are_refused() -> None:
    with pytest.raises(errors.BadTuning, match="81 combinations are more than 64"):
        tuning.combinations("k", {name: [1, 2, 3] for name in "abcd"})


def test_a_site_that_is_read_from_outside_is_the_one_that_runs(operator: Any) -> None:
    autotune(operator, [{"x": torch.ones(100, device="npu")}], rounds=3, show=False)
    plan = operator.definition.plan
    names = {**plan.__globals__, "copy": operator.kernel}
    site = choosing.site_of(plan, names, "tile", [1024, 2048, 4096])
    assert rows(site) == ((None, 2048),)


def test_later_measurements_add_to_earlier_ones(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    autotune(operator, [{"x": torch.ones(100, device="npu")}], rounds=3, show=False)
    monkeypatch.setitem(SLOW, 2048, 4e-3)
    monkeypatch.setitem(SLOW, 4096, 1e-3)
    autotune(operator, [{"x": torch.ones(5000, device="npu")}], rounds=3, show=False)
    assert (ran(operator, 100), ran(operator, 5000)) == (2048, 4096)
    autotune(operator, [{"x": torch.ones(100, device="npu")}], rounds=3, force=True, show=False)
    assert (ran(operator, 100), ran(operator, 5000)) == (4096, 4096)
