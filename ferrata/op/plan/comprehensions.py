"""Comprehensions in a plan or a shape function: a loop before the statement, and a variable with what it collects."""

from __future__ import annotations

import ast

from ferrata.errors import PlanFeature, PlanType
from ferrata.lang.values import INT
from ferrata.op.plan.expressions import expression, number, truth
from ferrata.op.plan.kinds import TEXT, ListType, PlanValue, TensorType, cpp_type, described, is_number
from ferrata.op.plan.scope import Scope

Comprehension = ast.ListComp | ast.GeneratorExp


def collected(scope: Scope, node: Comprehension) -> PlanValue:
    """`[f(x) for x in xs if ...]` as a list."""
    name = _fresh(scope, "items")
    place = scope.writer.slot()
    before = _open(scope, node)
    item = expression(scope, node.elt)
    if not is_number(item.type) and item.type != TEXT and not isinstance(item.type, TensorType):
        raise scope.refuse(PlanType, node.elt, f"a list of {described(item.type)} has no counterpart in C++")
    scope.writer.emit(f"{name}.push_back({item.cpp});")
    _close(scope, node, before)
    sizes = item.type == INT and item.minimum is not None and item.minimum >= 0
    kind = ListType(item.type, sizes)
    scope.writer.fill(place, f"{cpp_type(kind, scope.size)} {name};")
    return PlanValue(name, kind)


def total(scope: Scope, node: Comprehension) -> PlanValue:
    """`sum(f(x) for x in xs)` as a number."""
    name = _fresh(scope, "total")
    place = scope.writer.slot()
    before = _open(scope, node)
    item = number(scope, node.elt)
    # the Int of a shape function has no +=
    scope.writer.emit(f"{name} = {name} + {item.cpp};" if scope.symbolic else f"{name} += {item.cpp};")
    _close(scope, node, before)
    scope.writer.fill(place, f"{cpp_type(item.type, scope.size)} {name} = 0;")
    return PlanValue(name, item.type, minimum=0 if item.minimum is not None and item.minimum >= 0 else None)


def _open(scope: Scope, node: Comprehension) -> dict[str, PlanValue]:
    """The loop's head. Gives the variables that its own hide."""
    from ferrata.op.plan import loops

    if len(node.generators) != 1 or node.generators[0].is_async:
        raise scope.refuse(PlanFeature, node, "a comprehension over several lists has no counterpart in C++")
    generator = node.generators[0]
    before = dict(scope.variables)
    heads = loops.heads(scope, generator.target, generator.iter, set())
    scope.writer.open(heads[0])
    for head in heads[1:]:
        scope.writer.emit(head)
    for test in generator.ifs:
        scope.writer.open(f"if ({truth(scope, test).cpp}) {{")
    return before


def _close(scope: Scope, node: Comprehension, before: dict[str, PlanValue]) -> None:
    for _ in range(len(node.generators[0].ifs) + 1):
        scope.writer.close()
    for one in ast.walk(node.generators[0].target):
        if isinstance(one, ast.Name):
            scope.variables.pop(one.id, None)
            if one.id in before:
                scope.variables[one.id] = before[one.id]


def _fresh(scope: Scope, name: str) -> str:
    while name in scope.declared or name in scope.variables or name in scope.kinds:
        name += "_"
    scope.declared.add(name)
    return name
