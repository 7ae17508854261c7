"""`for ... in range(...)` and `while`, with Python's meaning: bounds are computed once, the loop's variable is its own."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from ferrata import errors
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.arithmetic import EQUAL, LESS, wrap
from ferrata.lang.translate.function import Exit, Function, Variable
from ferrata.lang.translate.operands import condition, plain
from ferrata.lang.translate.paths import State
from ferrata.lang.translate.types import PYTHON, ListType, spelled
from ferrata.lang.values import INT, TupleType, Value


def for_(f: Function, node: ast.For) -> None:
    """A loop over a range, or over a tuple of constants (written out)."""

    call = node.iter
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
        value = f.value(call)
        _over(f, node, value)
        return
    if not isinstance(node.target, ast.Name):
        f.fail(errors.UnsupportedStatement, node.target, what="several targets of a range", help="for i in range(n):")
    name = node.target.id
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
    _not_zero(f, call, step)
    flag = _flag(f, node)
    with f.scope([name]):
        cpp_name = f.fresh(name)
        multiple = math.gcd(start.multiple, step.multiple)
        f.variables[name] = Variable(
            Value(cpp_name, INT, minimum=start.minimum if forward else None, multiple=multiple), node.lineno
        )
        end = wrap(stop, LESS)
        test = f"{cpp_name} < {end}" if forward else f"{cpp_name} > {end}"
        if not forward and not backward:
            test = f"{f.unit.helper('InRange')}({cpp_name}, {stop.cpp}, {step.cpp})"
        advance = {1: f"++{cpp_name}", -1: f"--{cpp_name}"}.get(step.const, f"{cpp_name} += {step.cpp}")
        if backward and step.const != -1:
            advance = f"{cpp_name} -= {-step.const}"
        f.out.open(f"for (int64_t {cpp_name} = {start.cpp}; {test}; {advance}) {{")
        sizes = start.const, stop.const, step.const
        runs = all(isinstance(size, int) for size in sizes) and len(range(*sizes)) > 0
        broken = _passes(f, node, flag, name, runs)
        f.out.close()
    _behind(f, node, flag, broken)


def _not_zero(f: Function, call: ast.Call, step: Value) -> None:
    """Python's range refuses a step of 0, which would go on for ever: now, for an instance, or when the kernel runs."""
    if step.const == 0:
        f.fail(errors.WrongArguments, call, name="range", problem="has a step of 0")
    if isinstance(step.const, int):
        return
    if step.formula is not None:
        formula = step.formula
        f.demand(call, lambda bound: formula(bound) > 0, f"{ast.unparse(call.args[2])} > 0, the step of a loop")
    elif step.minimum is None or step.minimum <= 0:
        f.out.emit(f'ascendc_assert({wrap(step, EQUAL, True)} != 0, "the step of a range is 0\\n");')


def _passes(f: Function, node: ast.For | ast.While, flag: str, name: str = "", runs: bool = False) -> list[State]:
    """The loop's body, and what it leaves assigned; the result is what its breaks leave. runs: certainly once."""
    before = f.paths.sure
    _lose_inner(f, node)
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
    if name:
        f.paths.assign(name)
    leaving = Exit(loop=True, flag=flag)
    f.loops += 1
    f.exits.append(leaving)
    f.block(node.body)
    f.exits.pop()
    f.loops -= 1
    skipped = f"where the loop on line {node.lineno} makes no pass"
    passed = f"where a pass of the loop on line {node.lineno} leaves it out"
    ends = [] if endless else [(state, passed) for state in (f.paths.sure, *leaving.continues)]
    if not endless and not runs:
        ends.append((before, skipped))
    f.paths.meet(ends)
    if name:
        f.paths.lose([name], node.lineno)
    return [None if state is None else state - {name} for state in leaving.breaks]


def _flag(f: Function, node: ast.For | ast.While) -> str:
    """The variable that tells an else behind a loop that no break has left it; none without one."""
    if not node.orelse or not any(_breaks(statement) for statement in node.body):
        return ""
    return f.declare("bool", "ended", "true")


def _breaks(node: ast.AST) -> bool:
    """Whether a statement has a break of the loop around it."""
    if isinstance(node, ast.For | ast.While):
        return any(_breaks(child) for child in node.orelse)
    return isinstance(node, ast.Break) or any(_breaks(child) for child in ast.iter_child_nodes(node))


def _behind(f: Function, node: ast.For | ast.While, flag: str, broken: list[State]) -> None:
    """The else of a loop, for when no break has left it; then what both ways have assigned."""
    if node.orelse:
        f.out.python = node.orelse[0].lineno
        f.out.open(f"if ({flag}) {{" if flag else "{")
        with f.scope():
            f.block(node.orelse)
        f.out.close()
    left = f"where the loop on line {node.lineno} is left by `break`"
    passed = f"where no `break` leaves the loop on line {node.lineno}"
    f.paths.meet([(f.paths.sure, passed), *((state, left) for state in broken)])


def _lose_inner(f: Function, node: ast.For | ast.While) -> None:
    """Variables of loops inside of a loop: on its second pass they hold what those have left."""
    for statement in node.body:
        for child in ast.walk(statement):
            if isinstance(child, ast.For):
                f.paths.lose([name.id for name in ast.walk(child.target) if isinstance(name, ast.Name)], child.lineno)


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

    if node.orelse:
        f.fail(
            errors.UnsupportedStatement, node.orelse[0], what="else behind a loop over a tuple",
            help="Such a loop has no break: write the statements behind it.",
        )  # fmt: skip
    if isinstance(value.type, ListType):
        f.fail(
            errors.UnsupportedStatement,
            node,
            what="a loop over a list of tensors",
            help="for i in range(len(xs)): x = xs[i]",
        )
    names = _targets(node.target, value)
    if names is None:
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
    for item in value.items:
        with f.scope(names):
            parts = [item] if isinstance(node.target, ast.Name) else list(item.items)
            for name, part in zip(names, parts, strict=True):
                f.paths.assign(name)
                f.variables[name] = Variable(part, node.lineno)
            said = (repr(part.const) if part.type == PYTHON else part.cpp for part in parts)
            f.out.open("{", ", ".join(f"{name} = {text}" for name, text in zip(names, said, strict=True)))
            before = dict(f.pending)
            f.block(node.body)
            f.pending = before
            f.out.close()
    f.paths.lose(names, node.lineno)
    last = node.end_lineno or node.lineno
    f.pending = {line: remark for line, remark in f.pending.items() if not node.lineno <= line <= last}


def _targets(target: ast.expr, value: Value) -> list[str] | None:
    """The names that take an item of a tuple, or its parts; None if they cannot."""
    if not isinstance(value.type, TupleType):
        return None
    if isinstance(target, ast.Name):
        return [target.id]
    names = [one.id for one in getattr(target, "elts", ()) if isinstance(one, ast.Name)]
    fits = all(isinstance(item.type, TupleType) and len(item.items) == len(names) for item in value.items)
    return names if fits and len(names) == len(getattr(target, "elts", ())) else None


def while_(f: Function, node: ast.While) -> None:
    """`while condition`."""

    flag = _flag(f, node)
    _lose_inner(f, node)
    before = len(f.out.items)
    test = condition(f, node.test)
    if len(f.out.items) != before:
        f.fail(
            errors.UnsupportedExpression, node.test, what="a call that needs statements of its own, in a loop's condition",
            help="Write `while True:` and break inside.",
        )  # fmt: skip
    f.out.open(f"while ({test.cpp}) {{")
    with f.scope():
        broken = _passes(f, node, flag)
    f.out.close()
    _behind(f, node, flag, broken)
