"""Choosing a kernel's Consts by measuring: `add.tune(x, y, z, n, cores=48, tile=[2048, 1024, 4096])`.

What is measured is CPU time of the emulation, not the NPU's: it finds choices that are wasteful (tiny tiles, a loop
that runs once a row), not the best one on hardware. Every text that shows a result says so. Candidates are timed in
turn (A B C A B C ...), the median counts, and a candidate must beat those before it by more than the noise.
op/tuning.py builds on this for operators. Records are kept by content.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache as memoize
from pathlib import Path
from time import perf_counter
from typing import Any

import ferrata
from ferrata import cache, chips, errors

CLOCK = "CPU time of the emulation, not the NPU's"
ROUNDS = 9
SAMPLE = 2e-3  # seconds of one sample, at least: calls are repeated up to it
MOST = 64  # configurations of one tuning


@dataclass(frozen=True)
class Trial:
    """One configuration. seconds: median of a launch over the rounds; noise: interquartile range over the median.

    error: why it cannot run (the Unified Buffer is too small, say).
    """

    consts: Mapping[str, int]
    seconds: float = 0.0
    noise: float = 0.0
    rounds: int = 1
    error: str = ""

    def __str__(self) -> str:
        return ", ".join(f"{k}={v}" for k, v in self.consts.items())


@dataclass(frozen=True)
class Tuning:
    """What was measured for one input, and what was chosen. clock: what the seconds are."""

    of: str
    inputs: str
    trials: tuple[Trial, ...]
    best: Mapping[str, int]
    clock: str = CLOCK
    kept: bool = False  # from the cache

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=120, no_color=True)
        with console.capture() as captured:
            console.print(self)
        return captured.get().rstrip()

    def __rich__(self) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        kept = ", measured before" if self.kept else ""
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("")
        table.add_column("a launch", justify="right")
        table.add_column("noise", justify="right")
        table.add_column("")
        for trial in self.trials:
            time_ = "" if trial.error else f"{trial.seconds * 1e6:.1f} us"
            noise = "" if trial.error else f"{trial.noise:.0%}"
            note = trial.error.splitlines()[0] if trial.error else "chosen" if trial.consts == self.best else ""
            table.add_row(escape(str(trial)), time_, noise, escape(note))
        return Group(Text(f"{self.of}, {self.inputs}: {self.clock}{kept}"), table)


def tune(
    kernel: Any, *args: Any, cores: int, rounds: int = ROUNDS, force: bool = False, **choices: Sequence[int]
) -> Tuning:
    """Measure a kernel with each combination of the listed Consts; the result is kept by content.

    args: what a launch takes, tensors on npu. choices: values for each Const to try, the usual one first.
    Returns the trials and `best`, to be passed on: `kernel.launch(..., **result.best)`.
    Raises BadTuning; what a kernel raises counts against its configuration only.

    >>> tune(add, x, y, z, x.numel(), cores=48, tile=[2048, 1024, 4096]).best
    {'tile': 2048}
    """
    known = [p.name for p in kernel.params if p.kind == "const"]
    for name in choices:
        if name not in known:
            raise errors.BadTuning(
                what=kernel.name, reason=f"it has no Const {name}; its Consts are {', '.join(known) or '(none)'}"
            )
    configurations = combinations(kernel.name, choices)
    inputs = ", ".join(shown(a) for a in args)
    record = Record((kernel.source(), inputs, str(cores), json.dumps(configurations)))
    found = None if force else record.tuning(kernel.name, inputs)
    if found is not None:
        return found
    runs = [(c, kernel.launch(*args, cores=cores, **c).run) for c in configurations]
    trials = measure(runs, rounds)
    result = Tuning(kernel.name, inputs, trials, pick(kernel.name, trials).consts)
    record.keep(result)
    return result


def combinations(what: str, choices: Mapping[str, Sequence[int]]) -> list[dict[str, int]]:
    """Every combination, that of the first values first. Raises BadTuning."""
    if not choices:
        raise errors.BadTuning(what=what, reason="nothing is listed to choose from; say tile=[1024, 2048]")
    for name, values in choices.items():
        whole = all(isinstance(v, int) and not isinstance(v, bool) for v in values)
        if not values or not whole or len(set(values)) != len(values):
            raise errors.BadTuning(what=what, reason=f"{name}={list(values)} is not a list of different integers")
    rows = [dict(zip(choices, row, strict=True)) for row in itertools.product(*choices.values())]
    if len(rows) > MOST:
        raise errors.BadTuning(what=what, reason=f"{len(rows)} combinations are more than {MOST}: list fewer values")
    return rows


def measure(runs: Sequence[tuple[Mapping[str, int], Callable[[], Any]]], rounds: int = ROUNDS) -> tuple[Trial, ...]:
    """Time the candidates in turn. One that raises is out, and its error is kept."""
    failed: dict[int, str] = {}
    calls: dict[int, int] = {}
    for i, (_, run) in enumerate(runs):
        try:
            run()  # compiles
            start = perf_counter()
            run()
            calls[i] = max(1, int(SAMPLE / max(perf_counter() - start, 1e-7)))
        except Exception as problem:  # noqa: BLE001  of the user's kernel, for this configuration
            failed[i] = str(problem)
    samples: dict[int, list[float]] = {i: [] for i in calls}
    for _ in range(rounds):
        for i, count in calls.items():
            run = runs[i][1]
            start = perf_counter()
            for _ in range(count):
                run()
            samples[i].append((perf_counter() - start) / count)
    return tuple(
        Trial(dict(consts), error=failed[i])
        if i in failed
        else Trial(dict(consts), *_median(samples[i]), len(samples[i]))
        for i, (consts, _) in enumerate(runs)
    )


def pick(what: str, trials: Sequence[Trial]) -> Trial:
    """The fastest; of those within the noise of it, the one listed first. Raises BadTuning when none runs."""
    able = [t for t in trials if not t.error]
    if not able:
        raise errors.BadTuning(what=what, reason=f"no configuration runs; the first says: {trials[0].error}")
    fastest = min(able, key=lambda t: t.seconds)
    return next(t for t in able if t.seconds <= fastest.seconds * (1 + max(_doubt(t), _doubt(fastest))))


class Record:
    """One record of the cache, under the content of `parts`, this machine and this version."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.place = Path(cache.root()) / "tuned" / f"{cache.key([*parts, machine(), ferrata.__version__])}.json"

    def read(self) -> Any:
        """What was written, None when nothing was."""
        try:
            return json.loads(self.place.read_text())
        except (OSError, ValueError):
            return None

    def tuning(self, of: str, inputs: str) -> Tuning | None:
        """A tuning that was kept."""
        found = self.read()
        if found is None:
            return None
        return Tuning(of, inputs, tuple(Trial(**trial) for trial in found["trials"]), found["best"], kept=True)

    def keep(self, result: Tuning) -> None:
        """Keep a tuning. Raises CacheNotWritable."""
        self.write({"trials": [asdict(trial) for trial in result.trials], "best": dict(result.best)})

    def write(self, value: Any) -> None:
        """Replace it in one step. Raises CacheNotWritable."""
        partial = self.place.with_suffix(f".{os.getpid()}")
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(value))
            partial.replace(self.place)
        except OSError as problem:
            raise cache.not_writable(problem) from None


@memoize
def machine() -> str:
    """What makes measured times comparable: the processor and the emulated chip."""
    model = platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{platform.machine()} {model} {os.cpu_count()} {chips.current().arch}"


def _doubt(trial: Trial) -> float:
    """How far the median itself may be off: the spread of the samples, less the more there are."""
    return trial.noise / math.sqrt(trial.rounds)


def _median(samples: list[float]) -> tuple[float, float]:
    middle = statistics.median(samples)
    if len(samples) < 2:
        return middle, 0.0
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    return middle, (quartiles[2] - quartiles[0]) / middle


def shown(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return repr(value) if shape is None else f"{str(value.dtype).removeprefix('torch.')}{list(shape)}"
