"""What a function ends with: launches of a plan, shapes of a shape function, a value, an exception."""

from __future__ import annotations

import ast

from ferrata.errors import PlanLaunches, PlanType
from ferrata.lang.translate.writer import WIDTH
from ferrata.lang.values import INT
from ferrata.op.plan import launches, loops
from ferrata.op.plan.expressions import expression, text_literal, truth
from ferrata.op.plan.kinds import (
    ANY_NONE,
    TEXT,
    LaunchType,
    ListType,
    ObjectType,
    PlanValue,
    TensorType,
    comma,
    described,
)
from ferrata.op.plan.members import as_vector
from ferrata.op.plan.scope import Scope


def is_launches(scope: Scope, name: str) -> bool:
    value = scope.variables.get(name)
    return value is not None and isinstance(value.type, LaunchType)


def returned(scope: Scope, node: ast.Return) -> None:
    if scope.mode == "plan":
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            raise scope.refuse(
                PlanLaunches, node, "the plan returns nothing", "Return a launch, or [] to launch nothing."
            )
        launched(scope, node.value)
        if scope.pending:
            raise scope.refuse(PlanLaunches, node, f"the launch {scope.pending[0]} is made and not returned")
        scope.writer.emit("return;")
        return
    if node.value is None:
        raise scope.refuse(PlanType, node, "the function returns nothing")
    value = expression(scope, node.value)
    if scope.mode == "shape":
        _shapes(scope, node, value)
        return
    if isinstance(value.type, ListType) and not value.cpp:
        value = as_vector(scope, value)
    if isinstance(value.type, TensorType | ObjectType) or value.type == ANY_NONE:
        raise scope.refuse(PlanType, node, f"a helper cannot return {described(value.type)}")
    scope.returns.append(value.type)
    scope.writer.emit(f"return {value.cpp};")


def _shapes(scope: Scope, node: ast.Return, value: PlanValue) -> None:
    """The return of a shape function: the shape of one output, or one shape an output."""
    if not isinstance(value.type, ListType):
        raise scope.refuse(
            PlanType, node, f"a shape function returns {described(value.type)}", "Return a tuple of sizes."
        )
    shapes = [value]
    if value.parts and all(isinstance(part.type, ListType) for part in value.parts):
        shapes = list(value.parts)
    for shape in shapes:
        if not isinstance(shape.type, ListType) or (shape.type.item != INT and (shape.parts or shape.cpp)):
            raise scope.refuse(PlanType, node, f"a shape holds sizes, not {described(shape.type)}")
    texts = [as_vector(scope, shape).cpp for shape in shapes]
    if len(shapes) == 1 and shapes[0] is value:
        scope.returns.append(ListType(INT))
        scope.writer.emit(f"return {texts[0]};")
        return
    scope.returns.append(ListType(ListType(INT)))
    scope.writer.emit(f"return {{{comma(texts)}}};")


def launched(scope: Scope, node: ast.expr) -> None:
    """Write the launches of an expression; a name stands for what was written before."""
    kernel = launches.launch_of(scope, node)
    if kernel is not None:
        assert isinstance(node, ast.Call)
        launches.emit(scope, node, kernel)
        return
    match node:
        case ast.Name(id=name) if is_launches(scope, name):
            if not scope.pending or scope.pending[0] != name:
                raise scope.refuse(
                    PlanLaunches, node, f"{name} is returned out of the order in which launches were made",
                    "Launches run in the order in which they are returned; make them in that order.",
                )  # fmt: skip
            scope.pending.pop(0)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for item in items:
                launched(scope, item.value if isinstance(item, ast.Starred) else item)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            launched(scope, left)
            launched(scope, right)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            made = scope.made()
            scope.writer.open(f"if ({truth(scope, test).cpp}) {{")
            launched(scope, body)
            scope.writer.depth -= 1
            scope.writer.open("} else {")
            scope.made(made)
            launched(scope, orelse)
            scope.writer.close()
        case ast.ListComp(elt=element, generators=[generator]):
            heads = loops.heads(scope, generator.target, generator.iter, set())
            scope.writer.open(heads[0])
            for head in heads[1:]:
                scope.writer.emit(head)
            for test in generator.ifs:
                scope.writer.open(f"if ({truth(scope, test).cpp}) {{")
            if scope.tiling is not None:
                scope.tiling.loops += 1
            launched(scope, element)
            if scope.tiling is not None:
                scope.tiling.loops -= 1
            for _ in range(len(generator.ifs) + 1):
                scope.writer.close()
        case _:
            value = expression(scope, node)
            raise scope.refuse(
                PlanLaunches, node, f"this is {described(value.type)}, where a launch is needed",
                "A plan returns kernel.launch(...), or a list of these.",
            )  # fmt: skip


def throw(scope: Scope, message: str) -> None:
    line = f"throw std::invalid_argument({message});"
    if 4 * scope.writer.depth + len(line) <= WIDTH:
        scope.writer.emit(line)
        return
    scope.writer.emit("throw std::invalid_argument(")
    scope.writer.depth += 1
    text = ""
    for part in message.split(" + "):
        longer = f"{text} + {part}" if text else part
        if text and 4 * scope.writer.depth + len(longer) > WIDTH - 4:
            scope.writer.emit(f"{text} +")
            longer = part
        text = longer
    scope.writer.emit(f"{text});")
    scope.writer.depth -= 1


def message(scope: Scope, node: ast.Raise) -> str:
    error = node.exc
    if isinstance(error, ast.Call) and len(error.args) == 1:
        text = expression(scope, error.args[0])
        if text.type == TEXT:
            return text.cpp
    return text_literal(ast.unparse(error) if error is not None else "error")
