"""The checks, in the order of the table: from causes to consequences.

Each is a function from the Context to an Outcome and looks at one promise of the operator. To add one, write it in the
file of its subject and name it here.
"""

from __future__ import annotations

from collections.abc import Callable

from ferrata.testing.checks import fakes, gradients, graphs, hazards, library, plans, runs
from ferrata.testing.context import Context
from ferrata.testing.report import Outcome

CHECKS: tuple[tuple[str, Callable[[Context], Outcome]], ...] = (
    ("runs", runs.runs),
    ("launches", runs.launches),
    ("memory", runs.memory),
    ("values", runs.values),
    ("special values", runs.special),
    ("deterministic", runs.deterministic),
    ("fake", fakes.fake),
    ("symbolic shapes", fakes.symbolic),
    ("GE inference", graphs.inference),
    ("C++ plan", plans.plans),
    ("compiled, static", graphs.static),
    ("compiled, dynamic", graphs.dynamic),
    ("gradients", gradients.gradients),
    ("opcheck", library.opcheck),
)

__all__ = ["CHECKS", "hazards"]
