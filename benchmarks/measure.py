"""Measure two callables in turn (A B A B …) and report the ratio of medians with the machine's noise."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Result:
    """Seconds are medians. `limit` is the goal: of `ratio` when there is a baseline, else of `seconds`.

    `noise` is the interquartile range of the baseline's (or the only) samples over their median.
    """

    name: str
    seconds: float
    baseline: float | None
    ratio: float | None
    limit: float | None
    noise: float
    note: str = ""

    @property
    def ok(self) -> bool | None:
        value = self.seconds if self.ratio is None else self.ratio
        return None if self.limit is None else value <= self.limit

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "ok": self.ok}


def spread(samples: list[float]) -> float:
    """The interquartile range over the median."""
    quartiles = statistics.quantiles(samples, n=4)
    return (quartiles[2] - quartiles[0]) / statistics.median(samples)


def _time(run: Callable[[], object], calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    for _ in range(calls):
        run()
    return (clock() - start) / calls


def versus(
    name: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    limit: float | None,
    calls: int = 200,
    rounds: int = 31,
    warmup: int = 20,
    note: str = "",
    clock: Callable[[], float] = time.perf_counter,
) -> Result:
    """Median of the per-round ratios ours/theirs; each round times `calls` calls of both, in turn.

    clock: `time.process_time` for the time of all threads on processors, which other processes disturb less.
    """
    for _ in range(warmup):
        ours()
        theirs()
    pairs = [(_time(ours, calls, clock), _time(theirs, calls, clock)) for _ in range(rounds)]
    mine, base = [a for a, _ in pairs], [b for _, b in pairs]
    ratio = statistics.median(a / b for a, b in pairs)
    return Result(name, statistics.median(mine), statistics.median(base), ratio, limit, spread(base), note)


def overhead(
    name: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    limit: float,
    calls: int = 500,
    note: str = "",
) -> Result:
    """Median of the per-round differences ours - theirs, in seconds a call."""
    for _ in range(50):
        ours()
        theirs()
    pairs = [(_time(ours, calls), _time(theirs, calls)) for _ in range(31)]
    base = [b for _, b in pairs]
    return Result(name, statistics.median(a - b for a, b in pairs), None, None, limit, spread(base), note)


def alone(name: str, run: Callable[[], object], *, limit: float | None, rounds: int = 7, note: str = "") -> Result:
    """Median seconds of single calls, for what has no counterpart."""
    samples = [_time(run, 1) for _ in range(rounds)]
    return Result(name, statistics.median(samples), None, None, limit, spread(samples), note)
