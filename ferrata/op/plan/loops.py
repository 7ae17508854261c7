"""The heads of `for` loops: range(), lists, zip() and enumerate()."""

from __future__ import annotations

import ast

from ferrata.errors import PlanFeature
from ferrata.lang.values import INT, Type
from ferrata.op.plan.expressions import cpp_name, expression, integer
from ferrata.op.plan.kinds import (
    TEXT,
    ListType,
    ObjectType,
    PlanValue,
    TensorType,
    comma,
    cpp_type,
    described,
    wrap,
)
from ferrata.op.plan.members import as_vector
from ferrata.op.plan.scope import Scope


def heads(scope: Scope, target: ast.expr, iterable: ast.expr, assigned: set[str]) -> list[str]:
    """The head of a loop and the declarations at the start of its body."""
    python = None
    if isinstance(iterable, ast.Call):
        function = expression(scope, iterable.func)
        python = function.type.python if isinstance(function.type, ObjectType) else None
    if python is range:
        assert isinstance(iterable, ast.Call)
        return _range(scope, target, iterable, assigned)
    if python in (zip, enumerate):
        assert isinstance(iterable, ast.Call)
        return _together(scope, target, iterable, python is enumerate)
    value = expression(scope, iterable)
    if not isinstance(value.type, ListType):
        raise scope.refuse(PlanFeature, iterable, f"a loop over {described(value.type)} has no counterpart in C++")
    if not isinstance(target, ast.Name):
        raise scope.refuse(PlanFeature, target, "this loop has one name")
    item = value.type.item
    text = as_vector(scope, value).cpp
    if value.parts:
        text = "{" + comma([part.cpp for part in value.parts]) + "}"
    typed = _typed(scope, item)
    scope.variables[target.id] = PlanValue(cpp_name(target.id), item, minimum=0 if value.type.sizes else None)
    return [f"for ({typed}{cpp_name(target.id)} : {text}) {{"]


def _typed(scope: Scope, item: Type) -> str:
    """The declaration of a loop's variable, before its name."""
    if scope.symbolic and isinstance(item, TensorType):
        return f"const TensorInfo<{scope.size}> &"  # what a shape function knows of a tensor
    plain = cpp_type(item, scope.size)
    return f"const {plain} &" if isinstance(item, TensorType) or item == TEXT else f"const {plain} "


def _range(scope: Scope, target: ast.expr, call: ast.Call, assigned: set[str]) -> list[str]:
    if not isinstance(target, ast.Name) or call.keywords or not 1 <= len(call.args) <= 3:
        raise scope.refuse(PlanFeature, call, "range() with one to three numbers and one name")
    bounds = [integer(scope, argument) for argument in call.args]
    start = bounds[0] if len(bounds) > 1 else PlanValue("0", INT, 0, minimum=0, constexpr=True)
    stop = bounds[0] if len(bounds) == 1 else bounds[1]
    step = bounds[2] if len(bounds) == 3 else PlanValue("1", INT, 1, minimum=1, constexpr=True)
    if not (step.minimum is not None and step.minimum > 0) and not (isinstance(step.const, int) and step.const < 0):
        raise scope.refuse(PlanFeature, call, "the step of range() may be zero or negative", "Write it as a number.")
    name = cpp_name(target.id)
    stop_text = wrap(stop, 9)
    used = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
    if used & assigned:  # range() looks at its bounds once
        scope.writer.emit(f"const int64_t {name}_end = {stop.cpp};")
        stop_text = f"{name}_end"
    down = isinstance(step.const, int) and step.const < 0
    advance = f"++{name}" if step.const == 1 else f"--{name}" if step.const == -1 else f"{name} += {step.cpp}"
    low = start.minimum if not down else None
    scope.variables[target.id] = PlanValue(name, INT, minimum=low)
    return [f"for (int64_t {name} = {start.cpp}; {name} {'>' if down else '<'} {stop_text}; {advance}) {{"]


def _together(scope: Scope, target: ast.expr, call: ast.Call, counted: bool) -> list[str]:
    values = [expression(scope, argument) for argument in call.args]
    wanted = 2 if counted else len(values)
    if not isinstance(target, ast.Tuple) or len(target.elts) != wanted:
        raise scope.refuse(PlanFeature, target, f"this loop has {wanted} names")
    strict = not counted and _strict(scope, call)
    if counted and (len(values) != 1 or call.keywords):
        raise scope.refuse(PlanFeature, call, "enumerate() with one list, from 0")
    names = []
    for name in target.elts:
        if not isinstance(name, ast.Name):
            raise scope.refuse(PlanFeature, name, "names in a loop are plain")
        names.append(name.id)
    for value, argument in zip(values, call.args, strict=True):
        if not isinstance(value.type, ListType) or value.parts:
            raise scope.refuse(PlanFeature, argument, f"a loop over {described(value.type)} has no counterpart in C++")
    index = cpp_name(names[0]) if counted else f"at_{names[0]}"
    items = names[1:] if counted else names
    sizes = [f"static_cast<int64_t>({value.cpp}.size())" for value in values]
    stop = sizes[0] if len(sizes) == 1 else f"std::min<int64_t>({{{comma(sizes)}}})"
    if len(sizes) == 2:
        stop = f"std::min<int64_t>({comma([f'{value.cpp}.size()' for value in values])})"
    if strict:
        scope.unit.needs.add("Unpack")
        for value in values[1:]:
            scope.writer.emit(f"Unpack({value.cpp}, {values[0].cpp}.size());")
        stop = sizes[0]
    heads = [f"for (int64_t {index} = 0; {index} < {stop}; ++{index}) {{"]
    if counted:
        scope.variables[names[0]] = PlanValue(index, INT, minimum=0)
    for one, value in zip(items, values, strict=True):
        assert isinstance(value.type, ListType)
        item = value.type.item
        typed = _typed(scope, item)
        heads.append(f"{typed}{cpp_name(one)} = {value.cpp}[{index}];")
        scope.variables[one] = PlanValue(cpp_name(one), item, minimum=0 if value.type.sizes else None)
    return heads


def _strict(scope: Scope, call: ast.Call) -> bool:
    """Whether zip() wants lists of one length."""
    for keyword in call.keywords:
        if keyword.arg != "strict" or not isinstance(keyword.value, ast.Constant):
            raise scope.refuse(PlanFeature, keyword.value, "zip() with strict=True or strict=False written out")
    return any(isinstance(k.value, ast.Constant) and bool(k.value.value) for k in call.keywords)


def used_outside(tree: ast.AST, name: str) -> ast.Name | None:
    """Where a name is read outside of the loops and comprehensions that it counts."""
    if isinstance(tree, ast.Name):
        return tree if tree.id == name and isinstance(tree.ctx, ast.Load) else None
    children: list[ast.AST] = list(ast.iter_child_nodes(tree))
    if isinstance(tree, ast.For) and _names(tree.target, name):
        children = [tree.iter]
    generators = getattr(tree, "generators", [])
    if any(_names(one.target, name) for one in generators):
        children = [generators[0].iter]
    return next((found for child in children if (found := used_outside(child, name)) is not None), None)


def _names(target: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))
