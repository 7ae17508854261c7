"""`fe.testing`: the verdict on an operator, whoever wrote it and in whatever language.

    fe.testing.check(add_op, cases=[fe.testing.case(x=(8, 2048), y=(8, 2048))])

verdict.py drives; subject.py says what an operator is, cases.py, layouts.py, dims.py and strategies.py what it is run
with; checks/ holds one file for each kind of promise; report.py is the table. This room stands above the operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrata.testing.cases import Case as Case
    from ferrata.testing.cases import case as case
    from ferrata.testing.cases import ints as ints
    from ferrata.testing.checks.hazards import register_checker as register_checker
    from ferrata.testing.compare import TOLERANCES as TOLERANCES
    from ferrata.testing.layouts import LAYOUTS as LAYOUTS
    from ferrata.testing.report import Finding as Finding
    from ferrata.testing.report import Report as Report
    from ferrata.testing.strategies import shapes as shapes
    from ferrata.testing.verdict import check as check

_HOMES = {
    "Case": "cases",
    "Finding": "report",
    "LAYOUTS": "layouts",
    "Report": "report",
    "TOLERANCES": "compare",
    "case": "cases",
    "check": "verdict",
    "ints": "cases",
    "register_checker": "checks.hazards",
    "shapes": "strategies",
}
__all__ = [
    "LAYOUTS",
    "TOLERANCES",
    "Case",
    "Finding",
    "Report",
    "case",
    "check",
    "ints",
    "register_checker",
    "shapes",
]


def __getattr__(name: str) -> Any:
    # late: what an unchanged operator's check does not need is not imported
    if name in _HOMES:
        from importlib import import_module

        value = getattr(import_module(f"ferrata.testing.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ferrata.testing' has no attribute {name!r}")
