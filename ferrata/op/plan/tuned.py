"""`fe.tuned` in the C++ of a plan: the value that is chosen here, or the choice by size, and where it comes from.

The text says that it was CPU time of the emulation, so that nobody takes the number for one of the NPU's.
"""

from __future__ import annotations

import ast

from ferrata.errors import PlanType
from ferrata.lang.tuning import CLOCK
from ferrata.lang.values import INT
from ferrata.op.plan.expressions import expression, integer
from ferrata.op.plan.kinds import RELATION, TERNARY, ListType, PlanValue, wrap
from ferrata.op.plan.scope import Scope
from ferrata.op.tuning import rows, site_of


def tuned(scope: Scope, node: ast.Call) -> PlanValue:
    """A constant, or `n <= 4096 ? 1024 : 2048`."""
    given = dict(zip(("name", "choices"), node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
    if not {"name", "choices"} <= given.keys() <= {"name", "choices", "by"}:
        raise scope.refuse(PlanType, node, "tuned() takes a name, the values to choose from, and by=")
    name, listed = expression(scope, given["name"]), expression(scope, given["choices"])
    values = tuple(part.const for part in listed.parts) if isinstance(listed.type, ListType) else ()
    if not isinstance(name.const, str) or not values or not all(isinstance(value, int) for value in values):
        raise scope.refuse(PlanType, node, "tuned() takes a text and a list of integers that are written out")
    site = site_of(scope.source.function, scope.source.names, name.const, values)
    table = rows(site)
    measured = site.record.read() is not None
    said = f"the fastest by {CLOCK}" if measured else "the first, as nothing was measured"
    scope.writer.comment = f"{name.const}: {said}, of {', '.join(map(str, values))}"
    last = str(table[-1][1])
    if len(table) == 1 or "by" not in given:
        value = table[-1][1]
        return PlanValue(last, INT, value, minimum=value, constexpr=True, choices=(value,))
    size = wrap(integer(scope, given["by"]), RELATION)
    text = "".join(f"{size} <= {limit} ? {value} : " for limit, value in table[:-1]) + last
    chosen = tuple(dict.fromkeys(value for _, value in table))
    return PlanValue(text, INT, precedence=TERNARY, minimum=min(chosen), choices=chosen)
