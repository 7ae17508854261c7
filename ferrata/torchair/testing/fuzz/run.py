"""Many programs: generate, check at several sizes, count, and collect what differs."""

from __future__ import annotations

import collections
import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ferrata.torchair.testing.fuzz.check import Report, Verdict, check
from ferrata.torchair.testing.fuzz.generate import generate
from ferrata.torchair.testing.fuzz.program import Program

SIZES = 3  # further sets of sizes for each program


@dataclass
class Tally:
    """What a run saw. overloads: how many programs have each, converted and left as an ATen node."""

    programs: int = 0
    runs: int = 0
    nodes: int = 0
    verdicts: dict[Verdict, int] = field(default_factory=lambda: collections.defaultdict(int))
    overloads: dict[str, list[int]] = field(default_factory=lambda: collections.defaultdict(lambda: [0, 0]))
    failures: list[tuple[Program, Exception]] = field(default_factory=list)

    def add(self, report: Report) -> None:
        self.runs += report.runs
        self.nodes += report.nodes
        self.verdicts[report.verdict] += 1
        for target in report.targets:
            self.overloads[target][target in report.left] += 1


def examine(program: Program, more: int = SIZES) -> Report:
    """Check one program at the sizes of its capture and at others. Raises what differs."""
    quiet()
    given = [program.arguments(program.symbols)]
    for salt, sizes in enumerate(_others(program, more), 1):
        try:
            given.append(program.arguments(sizes, salt))
        except Exception:  # noqa: BLE001  bounds that are empty at these sizes, and the like
            continue
    return check(program.function(), *given, symbolic=program.symbolic)


def _others(program: Program, count: int) -> Iterator[dict[str, int]]:
    """Other sizes; those at which 0 and 1 were captured stay, as they are specialised."""
    rng = random.Random(program.seed + 1)
    for _ in range(count):
        if not program.symbolic:  # the same sizes, other values
            yield dict(program.symbols)
            continue
        yield {s: v if v < 2 else rng.choice([2, 3, 4, 5, 6, 8, 9, 11]) for s, v in program.symbols.items()}


def run(
    programs: int, seed: int, failed: Callable[[Program, Exception], Any] | None = None, steps: int | None = None
) -> Tally:
    """Programs number `seed`, `seed + 1`, ...; failed: called with each that differs."""
    tally = Tally()
    for number in range(seed, seed + programs):
        program = generate(number, steps)
        tally.programs += 1
        if not program.outputs:
            continue
        try:
            tally.add(examine(program))
        except Exception as failure:  # noqa: BLE001  every failure counts
            tally.failures.append((program, failure))
            if failed is not None:
                failed(program, failure)
    return tally


def quiet() -> None:
    """PyTorch writes a trace of its tracing for any handler; half of the time would go there."""
    log = logging.getLogger("torch.__trace")
    log.handlers.clear()
    log.propagate = False
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # what cannot be captured is counted
