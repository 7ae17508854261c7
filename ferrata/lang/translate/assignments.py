"""Assignments: plain, annotated, augmented, of several targets at once."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang import parameters
from ferrata.lang.elements import Dtype, DtypeVar, i64
from ferrata.lang.translate import arithmetic, buffers, tensors
from ferrata.lang.translate.expressions import translate
from ferrata.lang.translate.function import Function, Variable
from ferrata.lang.translate.operands import plain
from ferrata.lang.translate.types import NUMBERS, PYTHON, ResultType, cpp, spelled
from ferrata.lang.translate.variables import assign_name, converted, read
from ferrata.lang.values import FLOAT, INT, LocalType, ScalarType, TupleType, Type, Value


def assignment(f: Function, node: ast.Assign) -> None:
    first = node.targets[0]
    if isinstance(first, ast.Tuple | ast.List) and len(node.targets) == 1:
        _unpack(f, first, node.value, node)
        return
    if buffers.assigned(f, node):
        return
    value = _named(f, first, node.value)
    for target in node.targets:
        assign(f, target, value, node)


def _named(f: Function, target: ast.expr, node: ast.expr) -> Value:
    """An expression for a variable: what it must declare of its own takes the variable's name."""
    if isinstance(target, ast.Name) and isinstance(node, ast.Call | ast.Subscript) and f.usage.declares.get(id(target)):
        f.suggested = target.id if target.id not in f.slots else ""
    value = translate(f, node)
    f.suggested = ""
    return value


def assign(f: Function, target: ast.expr, value: Value, node: ast.stmt) -> None:
    """`target = value`."""
    match target:
        case ast.Name():
            assign_name(f, target, value, node)
        case ast.Subscript():
            if value.type == PYTHON:
                plain(f, getattr(node, "value", target))
            tensors.store(f, translate(f, target.value), target, value)
        case ast.Tuple() | ast.List():
            _unpack_value(f, target, value, node)
        case ast.Attribute():
            owner = translate(f, target.value)
            field = tensors.attribute(f, owner, target)
            f.out.emit(f"{field.cpp} = {value.cpp};")
        case _:
            f.fail(errors.UnsupportedStatement, target, what=f"an assignment to `{ast.unparse(target)}`")


def annotated(f: Function, node: ast.AnnAssign) -> None:
    if not isinstance(node.target, ast.Name):
        f.fail(errors.UnsupportedStatement, node, what="an annotation here", help="Annotate variables only.")
    kind = _declared(f, node.annotation)
    if node.value is None:
        f.fail(
            errors.UnsupportedStatement, node, what="a declaration without a value",
            help="Give the variable its first value: x: int = 0.",
        )  # fmt: skip
    value = translate(f, node.value)
    text = converted(f, value, kind, node)
    if text is None and isinstance(kind, ScalarType) and isinstance(value.type, ScalarType) and kind.element != i64:
        text = arithmetic.cast(f, value, kind.element, node).cpp
    if text is None:
        f.fail(
            errors.WrongType,
            node.value,
            what=f"the variable {node.target.id!r}",
            expected=spelled(kind),
            got=spelled(value.type),
        )
    keep = replace(value, cpp=text, type=kind) if value.type == kind or value.const is not None else Value(text, kind)
    assign_name(f, node.target, keep, node, declared=kind)


def _declared(f: Function, node: ast.expr) -> Type:
    if isinstance(node, ast.Name) and node.id in NUMBERS:
        return NUMBERS[node.id]
    obj = _evaluate(f, node)
    if isinstance(obj, Dtype | DtypeVar):
        return ScalarType(f.use(obj))
    parsed = parameters.parse(obj)
    if parsed is not None and parsed.kind == "local" and parsed.element is not None:
        return LocalType(f.use(parsed.element))
    f.fail(
        errors.BadAnnotation, node, name=ast.unparse(node), kernel=f.source.tree.name, annotation=ast.unparse(node),
        help="Variables are int, float, bool, an element type such as ac.i32, or ac.Local[T].",
    )  # fmt: skip


def _evaluate(f: Function, node: ast.expr) -> Any:
    spaces = {**f.closure[1], **f.closure[0]}
    try:
        return eval(compile(ast.Expression(node), f.source.file, "eval"), spaces)
    except Exception:  # noqa: BLE001 - whatever the user's expression raises means the same here
        return None


def augmented(f: Function, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        name = node.target
        load = ast.copy_location(ast.Name(name.id, ast.Load()), name)
        before = translate(f, load)
        value = plain(f, node.value)
        result = arithmetic.binary(f, node.op, before, value, node)
        variable = f.variables.get(name.id)
        short = isinstance(node.op, ast.Add | ast.Sub | ast.Mult) and before.type in (INT, FLOAT)
        if variable is not None and short and result.type == before.type:
            operand = arithmetic.to_float(f, value) if before.type == FLOAT else value
            f.out.emit(f"{before.cpp} {arithmetic.SPELLED[type(node.op)]}= {operand.cpp};")
            return
        assign_name(f, name, result, node)
        return
    if isinstance(node.target, ast.Subscript):
        if not isinstance(node.target.slice, ast.Constant | ast.Name) and _calls(node.target.slice):
            f.fail(
                errors.UnsupportedStatement, node, what="an index that is computed twice",
                help="Put the index into a variable first.",
            )  # fmt: skip
        item = ast.copy_location(ast.Subscript(node.target.value, node.target.slice, ast.Load()), node.target)
        result = arithmetic.binary(f, node.op, translate(f, item), plain(f, node.value), node)
        tensors.store(f, translate(f, node.target.value), node.target, result)
        return
    if isinstance(node.target, ast.Attribute):
        owner = translate(f, node.target.value)
        field = tensors.attribute(f, owner, node.target)
        assign(f, node.target, arithmetic.binary(f, node.op, field, plain(f, node.value), node), node)
        return
    f.fail(errors.UnsupportedStatement, node, what=f"`{ast.unparse(node)}`")


def _calls(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Call) for child in ast.walk(node))


def _unpack(f: Function, target: ast.Tuple | ast.List, value_node: ast.expr, node: ast.Assign) -> None:
    """`a, b = ...`."""
    if isinstance(value_node, ast.IfExp):
        value_node = _choice_of_each(f, value_node)
    if isinstance(value_node, ast.Tuple | ast.List) and len(value_node.elts) == len(target.elts):
        made = [buffers.assigned_to(f, t, v) for t, v in zip(target.elts, value_node.elts, strict=True)]
        if any(made):
            for one_target, one_node, buffer in zip(target.elts, value_node.elts, made, strict=True):
                if not buffer:
                    assign(f, one_target, translate(f, one_node), node)
            return
        known = {t.id for t in target.elts if isinstance(t, ast.Name) and t.id in f.variables}
        if not known and not any(_reads(value_node.elts[at + 1 :]) for at in _stores(target)):
            for one_target, one_node in zip(target.elts, value_node.elts, strict=True):
                assign(f, one_target, _named(f, one_target, one_node), node)
            return
    _unpack_value(f, target, translate(f, value_node), node)


def _stores(target: ast.Tuple | ast.List) -> list[int]:
    """At which places of a target an element or a field is stored."""
    return [at for at, one in enumerate(target.elts) if not isinstance(one, ast.Name)]


def _reads(nodes: list[ast.expr]) -> bool:
    """Whether expressions may read what was stored meanwhile: elements, fields, calls."""
    kinds = (ast.Subscript, ast.Attribute, ast.Call)
    return any(isinstance(child, kinds) for node in nodes for child in ast.walk(node))


def _choice_of_each(f: Function, node: ast.IfExp) -> ast.expr:
    """`(a, b) if c else (x, y)` as `(a if c else x, b if c else y)`."""
    one, other = node.body, node.orelse
    if not isinstance(one, ast.Tuple) or not isinstance(other, ast.Tuple) or len(one.elts) != len(other.elts):
        return node
    if _calls(node.test):
        f.fail(
            errors.UnsupportedExpression, node.test, what="a condition with a call, between tuples,",
            help="Put the condition into a variable first.",
        )  # fmt: skip
    choices: list[ast.expr] = [
        ast.copy_location(ast.IfExp(node.test, a, b), a) for a, b in zip(one.elts, other.elts, strict=True)
    ]
    return ast.copy_location(ast.Tuple(choices, ast.Load()), node)


def _unpack_value(f: Function, target: ast.Tuple | ast.List, value: Value, node: ast.stmt) -> None:
    count = len(target.elts)
    kind = value.type
    have = (
        len(kind.fields) if isinstance(kind, ResultType) else len(value.items) if isinstance(kind, TupleType) else None
    )
    if have is None:
        f.fail(errors.WrongType, node, what="this assignment", expected=f"{count} values", got=spelled(kind))
    if have != count:
        f.fail(errors.WrongArguments, node, name="this assignment", problem=f"has {count} targets and {have} values")
    if isinstance(kind, ResultType):
        _unpack_result(f, target, value, kind, node)
        return
    items = list(value.items)
    # Python computes all before it assigns: a, b = b, a
    stored = {t.id for t in target.elts if isinstance(t, ast.Name) and t.id in f.variables}
    for at in range(1, count):
        if (
            (stored or _stores(target))
            and items[at].cpp
            and items[at].const is None
            and isinstance(items[at].type, ScalarType)
        ):
            items[at] = replace(
                items[at], cpp=f.declare(f"const {cpp(items[at].type)}", "next", items[at].cpp), precedence=0
            )
    for one_target, item in zip(target.elts, items, strict=True):
        assign(f, one_target, item, node)


def _unpack_result(f: Function, target: ast.Tuple | ast.List, value: Value, kind: ResultType, node: ast.stmt) -> None:
    """The results of a call: structured binding where all are new, else through a variable."""
    names = [t.id for t in target.elts if isinstance(t, ast.Name)]
    fresh = len(names) == len(set(names)) and all(
        id(t) in f.usage.declares and isinstance(t, ast.Name) and t.id not in f.usage.loop_targets for t in target.elts
    )
    items = value.items or tuple(Value("", item) for _, item in kind.fields)
    if fresh:
        once = all(f.usage.declares[id(t)] for t in target.elts)
        cpp_names = [f.fresh(name) for name in names]
        f.out.emit(f"{'const ' if once else ''}auto [{', '.join(cpp_names)}] = {value.cpp};")
        for name, cpp_name, item in zip(names, cpp_names, items, strict=True):
            f.paths.assign(name)
            f.variables[name] = Variable(read(cpp_name, replace(item, cpp=cpp_name), once), node.lineno)
        return
    whole = f.declare("const auto", "result", value.cpp)
    for one_target, (field, _), item in zip(target.elts, kind.fields, items, strict=True):
        assign(f, one_target, replace(item, cpp=f"{whole}.{field}", precedence=0), node)
