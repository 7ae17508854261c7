"""`for ... in range(...)` and `while`, with Python's meaning: bounds are computed once, the loop's variable is its own."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from ferrata import errors
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.arithmetic import LESS, wrap
from ferrata.lang.translate.function import Exit, Function, Variable
from ferrata.lang.translate.operands import condition, plain
from ferrata.lang.translate.types import PYTHON, ListType, spelled
from ferrata.lang.translate.variables import loop_clash
from ferrata.lang.values import INT, TupleType, Value


def for_(f: Function, node: ast.For) -> None:
    """A loop over a range, or over a tuple of constants (written out)."""

    _no_else(f, node)
    call = node.iter
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
        value = f.value(call)
        _over(f, node, value)
        return
    if not isinstance(node.target, ast.Name):
        f.fail(errors.UnsupportedStatement, node.target, what="several targets of a range", help="for i in range(n):")
    name = node.target.id
    if name in f.usage.outside_loop or name in f.variables:
        loop_clash(f, name, node.target)
    changed = {
        child.id for stmt in node.body for child in ast.walk(stmt) if isinstance(child, ast.Name) and _stores(child)
    }
    if name in changed:
        f.fail(
            errors.LoopVariable, node.target, problem=f"the loop's body assigns to its variable {name!r}",
            help="Python would start the next pass with the range's next number: use while, or another name.",
        )  # fmt: skip
    start, stop, step = _range(f, call, name, changed)
    forward = step.const > 0 if isinstance(step.const, int) else step.minimum is not None and step.minimum >= 0
    backward = isinstance(step.const, int) and step.const < 0
    if step.const == 0:
        f.fail(errors.WrongArguments, call, name="range", problem="has a step of 0")
    if step.formula is not None and not isinstance(step.const, int):
        formula = step.formula
        f.demand(call, lambda bound: formula(bound) > 0, f"{ast.unparse(call.args[2])} > 0, the step of a loop")
    with f.scope([name]):
        cpp_name = f.fresh(name)
        multiple = math.gcd(start.multiple, step.multiple)
        f.variables[name] = Variable(
            Value(cpp_name, INT, minimum=start.minimum if forward else None, multiple=multiple), node.lineno
        )
        end = wrap(stop, LESS)
        test = f"{cpp_name} < {end}" if forward else f"{cpp_name} > {end}"
        if not forward and not backward:
            test = f"{step.cpp} > 0 ? {cpp_name} < {end} : {cpp_name} > {end}"
        advance = {1: f"++{cpp_name}", -1: f"--{cpp_name}"}.get(step.const, f"{cpp_name} += {step.cpp}")
        if backward and step.const != -1:
            advance = f"{cpp_name} -= {-step.const}"
        f.out.open(f"for (int64_t {cpp_name} = {start.cpp}; {test}; {advance}) {{")
        f.loops += 1
        f.exits.append(Exit(loop=True))
        f.block(node.body)
        f.exits.pop()
        f.loops -= 1
        f.out.close()


def _no_else(f: Function, node: ast.For | ast.While) -> None:
    if node.orelse:
        f.fail(
            errors.UnsupportedStatement, node.orelse[0], what="else behind a loop",
            help="Set a bool before the break and test it behind the loop.",
        )  # fmt: skip


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _range(f: Function, call: ast.Call, name: str, changed: set[str]) -> tuple[Value, Value, Value]:

    if call.keywords or not 1 <= len(call.args) <= 3:
        f.fail(errors.WrongArguments, call, name="range", problem=f"takes 1 to 3 arguments, not {len(call.args)}")
    values = []
    for node in call.args:
        value = arithmetic.number(f, plain(f, node), node, "range")
        if arithmetic.floating(value) or not isinstance(value.type, type(INT)):
            f.fail(
                errors.WrongType,
                node,
                what="range",
                expected="ints",
                got=spelled(value.type),
                help="Convert with int(x).",
            )
        values.append(arithmetic.to_int(f, value))
    one, zero = arithmetic.literal(1), arithmetic.literal(0)
    first = values[0] if len(values) > 1 else zero
    stop = values[1] if len(values) > 1 else values[0]
    step = values[2] if len(values) > 2 else one
    bounds = call.args[1:] if len(call.args) > 1 else call.args
    fixed = []
    for value, node, what in zip((stop, step), bounds, ("end", "step"), strict=False):
        moves = any(isinstance(child, ast.Name) and child.id in changed for child in ast.walk(node))
        costly = value.const is None and any(_costly(child) for child in ast.walk(node))
        if moves or costly:
            value = replace(value, cpp=f.declare("const int64_t", f"{name}_{what}", value.cpp), precedence=0)
        fixed.append(value)
    return first, fixed[0], fixed[1] if len(fixed) > 1 else step


_CHEAP = {"min", "max", "len", "int", "block_num", "block_idx", "block_elems", "sizeof", "ceil_div", "round_up"}


def _costly(node: ast.AST) -> bool:
    """Whether to compute it once, before the loop: loads of elements and calls of helpers."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name not in _CHEAP
    return isinstance(node, ast.Subscript)


def _over(f: Function, node: ast.For, value: Value) -> None:
    """A loop over a tuple: each pass is written out."""

    if isinstance(value.type, ListType):
        f.fail(
            errors.UnsupportedStatement,
            node,
            what="a loop over a list of tensors",
            help="for i in range(len(xs)): x = xs[i]",
        )
    if not isinstance(value.type, TupleType) or not isinstance(node.target, ast.Name):
        f.fail(
            errors.UnsupportedStatement, node, what=f"a loop over {spelled(value.type)}",
            help="Loop over range(...), or over a tuple of constants.",
        )  # fmt: skip
    for child in ast.walk(node):
        if isinstance(child, ast.Break | ast.Continue):
            f.fail(
                errors.UnsupportedStatement, child, what="break or continue in a loop over a tuple",
                help="Such a loop is written out pass by pass: use if, or a range.",
            )  # fmt: skip
    name = node.target.id
    for item in value.items:
        with f.scope([name]):
            f.variables[name] = Variable(item, node.lineno)
            if item.type == PYTHON:
                f.out.open("{", f"{name} = {item.const!r}")
            else:
                f.out.open("{", f"{name} = {item.cpp}")
            before = dict(f.pending)
            f.block(node.body)
            f.pending = before
            f.out.close()
    last = node.end_lineno or node.lineno
    f.pending = {line: remark for line, remark in f.pending.items() if not node.lineno <= line <= last}


def while_(f: Function, node: ast.While) -> None:
    """`while condition`."""

    _no_else(f, node)
    before = len(f.out.items)
    test = condition(f, node.test)
    if len(f.out.items) != before:
        f.fail(
            errors.UnsupportedExpression, node.test, what="a call that needs statements of its own, in a loop's condition",
            help="Write `while True:` and break inside.",
        )  # fmt: skip
    f.out.open(f"while ({test.cpp}) {{")
    f.loops += 1
    f.exits.append(Exit(loop=True))
    with f.scope():
        f.block(node.body)
    f.exits.pop()
    f.loops -= 1
    f.out.close()
