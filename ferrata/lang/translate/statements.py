"""Statements: one function for each kind that a kernel may hold, advice for the others.

Comments of the user stand where they stood. A variable is declared at its first assignment, or where usage.py says.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang.translate import assignments, buffers, loops, results
from ferrata.lang.translate.expressions import translate
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.operands import asked, condition, holds
from ferrata.lang.translate.types import PYTHON, DtypeTest, Narrowing, spelled
from ferrata.lang.values import (
    NoneType,
)

_ADVICE: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.FunctionDef: ("a function in a function", "Define the helper in the module, beside the kernel."),
    ast.AsyncFunctionDef: ("async def", "Define a plain function in the module."),
    ast.ClassDef: ("a class", "Define a dataclass of numbers in the module and pass it as a parameter."),
    ast.Try: ("try", "Kernels have no exceptions: test before, or use assert."),
    ast.Raise: ("raise", "Kernels have no exceptions: use assert, or write a code into a tensor."),
    ast.Import: ("import", "Import at the top of the module."),
    ast.ImportFrom: ("import", "Import at the top of the module."),
    ast.Global: ("global", "Pass the value as a parameter and return the new one."),
    ast.Nonlocal: ("nonlocal", "Pass the value as a parameter and return the new one."),
    ast.Delete: ("del", "Buffers are given back where their `with` ends, or by queue.free(tensor)."),
    ast.Match: ("match", "Write if, elif, else."),
    ast.AsyncFor: ("async for", "Write for; a queue with two buffers overlaps copies and arithmetic."),
    ast.AsyncWith: ("async with", "Write with."),
}


def block(f: Function, body: list[ast.stmt], end: int = 0) -> bool:
    """Translate the statements of a block. end: line behind it, for comments there. Returns whether it ends in a jump."""
    for at, statement in enumerate(body):
        if at and _blank_between(f, body[at - 1], statement):
            f.out.python, f.out.comment = 0, ""
            f.out.emit("")
        f.alone = statement if len(body) == 1 else None
        comments_before(f, statement)
        if f.loops == 0 and f.out.depth == 1:
            f.here = f.out.slot()
        for name in f.usage.before.get(id(statement), ()):
            f.slots[name] = f.out.slot()
        if at + 1 < len(body) and isinstance(statement, ast.If) and _narrows(f, statement):
            _rest_inside(f, statement, body[at + 1 :])
            break
        one(f, statement)
        if isinstance(statement, ast.Return | ast.Break | ast.Continue):
            if at + 1 < len(body):
                f.fail(
                    errors.UnsupportedStatement, body[at + 1], what="statements that are never reached",
                    help="Remove them, or put the jump under an if.",
                )  # fmt: skip
            break
    return f.paths.sure is None


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether every path through a block ends in a jump."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, ast.Return | ast.Break | ast.Continue)


def _narrows(f: Function, node: ast.If) -> bool:
    """`if T is ac.f16: return`: what stands behind it is for the other types only."""
    if _leaves(node.body) == _leaves(node.orelse):
        return False
    with f.trial():
        return isinstance(asked(f, node.test).const, DtypeTest)


def _rest_inside(f: Function, node: ast.If, rest: list[ast.stmt]) -> None:
    """The statement with the rest of its block in the branch that goes on: an instance has only one of the two."""
    then, other = (node.body, [*node.orelse, *rest]) if _leaves(node.body) else ([*node.body, *rest], node.orelse)
    one(f, ast.copy_location(ast.If(node.test, then, other), node))


def _blank_between(f: Function, before: ast.stmt, statement: ast.stmt) -> bool:
    """Whether the user left a line free before a statement, or before its comment."""
    end = before.end_lineno or before.lineno
    return any(not f.source.line(line).strip() for line in range(end + 1, statement.lineno))


def comments_before(f: Function, statement: ast.stmt) -> None:
    """Comment lines that stand before a statement and have not been written yet."""
    for line in sorted(number for number in f.pending if number < statement.lineno):
        remark = f.pending.pop(line)
        if remark.alone:
            f.out.python = 0
            f.out.comment = ""
            f.out.emit("", remark.text)
    for line in _header_lines(statement):
        remark_inside = f.pending.get(line)
        if remark_inside is not None and not (remark_inside.alone and hasattr(statement, "body")):
            f.pending.pop(line)
            f.out.python, f.out.comment = 0, ""
            f.out.emit("", remark_inside.text)
    own = f.pending.get(statement.lineno)
    f.out.comment = ""
    if own is not None and not own.alone:
        f.out.comment = f.pending.pop(statement.lineno).text


def _header_lines(statement: ast.stmt) -> range:
    """The lines that a statement goes on, behind its first; of one with a block those before the block."""
    body: list[ast.stmt] | None = getattr(statement, "body", None)
    end = body[0].lineno if body else (statement.end_lineno or statement.lineno) + 1
    return range(statement.lineno + 1, end)


def one(f: Function, statement: ast.stmt) -> None:
    """Translate one statement."""
    f.out.python = statement.lineno
    make = _NODES.get(type(statement))
    if make is None:
        what, advice = _ADVICE.get(type(statement), (f"`{ast.unparse(statement)}`", ""))
        f.fail(errors.UnsupportedStatement, statement, what=what, help=advice)
    make(f, statement)


def _expression(f: Function, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant):
        if isinstance(node.value.value, str):
            for line in node.value.value.strip().splitlines():
                f.out.emit("", line.strip())
        return  # `...`
    if isinstance(node.value, ast.IfExp):
        # as a statement it is an `if`, which compiles one branch where it tests a dtype
        chosen = node.value
        then, other = ([ast.copy_location(ast.Expr(part), part)] for part in (chosen.body, chosen.orelse))
        one(f, ast.copy_location(ast.If(chosen.test, [*then], [*other]), node))
        return
    value = translate(f, node.value)
    if isinstance(value.type, NoneType):
        if value.cpp:
            f.out.emit(value.cpp + ";")
    elif isinstance(node.value, ast.Call) and value.cpp and value.type != PYTHON:
        if not value.cpp.isidentifier():  # else the call is written already and this is what it has given
            f.out.emit(value.cpp + ";" if value.cpp.endswith(")") else f"static_cast<void>({value.cpp});")
    elif not isinstance(node.value, ast.Call):
        f.fail(
            errors.UnsupportedStatement, node, what=f"`{ast.unparse(node)}`, which computes a value that nothing uses",
            help="Assign it, or remove the statement.",
        )  # fmt: skip


def _pass(f: Function, node: ast.Pass) -> None:
    if f.out.comment:
        f.out.emit("", "")


# --- branches and jumps -------------------------------------------------------------------------------------------


def _if(f: Function, node: ast.If) -> None:
    _branch(f, node, "")


def _split(f: Function, node: ast.If) -> ast.If:
    """`if T is ac.f16 and n > 3:` as one `if` in the other, so that C++ compiles the inside for that type only."""
    if node.orelse or not isinstance(node.test, ast.BoolOp) or not isinstance(node.test.op, ast.And):
        return node
    with f.trial():
        types = [part for part in node.test.values if isinstance(asked(f, part).const, DtypeTest)]
    others = [part for part in node.test.values if part not in types]
    if not types or not others:
        return node

    def joined(parts: list[ast.expr]) -> ast.expr:
        return parts[0] if len(parts) == 1 else ast.copy_location(ast.BoolOp(ast.And(), parts), node.test)

    inner = ast.copy_location(ast.If(joined(others), node.body, []), node)
    return ast.copy_location(ast.If(joined(types), [inner], []), node)


def _branch(f: Function, node: ast.If, prefix: str) -> None:
    node = _split(f, node)
    raw = asked(f, node.test)
    if (isinstance(raw.const, bool) and not raw.cpp.isidentifier()) or raw.cpp in ("true", "false"):
        _known(f, node, bool(raw.const), prefix)
        return
    test = holds(f, raw, node.test)
    dtype_test = raw.const if isinstance(raw.const, DtypeTest) else None
    word = "if constexpr" if test.formula is not None and test.const is None else "if"
    if prefix:
        f.out.close(f"}} else {word} ({test.cpp}) {{")
        f.out.depth += 1
    else:
        f.out.open(f"{word} ({test.cpp}) {{")
    before = f.paths.sure
    _inside(f, node.body, dtype_test.inside if dtype_test else None)
    then, f.paths.sure = f.paths.sure, before
    _otherwise(f, node, dtype_test.other if dtype_test else None)
    said = f"`{_short(node.test)}`"
    f.paths.meet([(then, f"where {said} holds"), (f.paths.sure, f"where {said} does not hold (line {node.lineno})")])


def _otherwise(f: Function, node: ast.If, known: Narrowing | None) -> None:
    """The else branch, or the branches behind elif, if there are any; and the end of the statement."""
    if not node.orelse:
        f.out.close()
        return
    other = node.orelse[0]
    f.out.python = other.lineno
    if len(node.orelse) == 1 and isinstance(other, ast.If) and f.source.line(other.lineno).lstrip().startswith("elif"):
        comments_in_else(f, other)
        with f.narrow(known), f.scope():
            before = len(f.out.items)
            with f.trial():
                asked(f, other.test)
                grown = len(f.out.items) > before  # it needs statements of its own
            if not grown:
                _branch(f, other, "else")
                return
    f.out.close("} else {")
    f.out.depth += 1
    _inside(f, node.orelse, known)
    f.out.close()


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) < 50 else text[:46] + " ..."


def comments_in_else(f: Function, node: ast.stmt) -> None:
    """Comments between the branches go into the branch before."""
    comments_before(f, node)
    f.out.python = node.lineno


def _inside(f: Function, body: list[ast.stmt], known: Narrowing | None) -> None:
    with f.scope(), f.narrow(known):
        block(f, body)


def _known(f: Function, node: ast.If, value: bool, prefix: str) -> None:
    """A condition that translating answers: only its branch is written."""
    body = node.body if value else node.orelse
    dropped = node.orelse if value else node.body
    for statement in dropped:
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            f.pending.pop(line, None)
    if prefix:
        if body:
            f.out.close("} else {")
            f.out.depth += 1
            block(f, body)
        f.out.close()
    else:
        block(f, body)


def _jump(f: Function, node: ast.Break | ast.Continue) -> None:
    remark, f.out.comment = f.out.comment, ""
    for leaving in reversed(f.exits):
        if leaving.loop:
            break
        if leaving.text:
            f.out.emit(leaving.text)
    assert leaving.loop  # Python itself refuses a jump outside of a loop
    left = leaving.breaks if isinstance(node, ast.Break) else leaving.continues
    left.append(f.paths.jump())
    if isinstance(node, ast.Break) and leaving.flag:
        f.out.emit(f"{leaving.flag} = false;")
    f.out.emit("break;" if isinstance(node, ast.Break) else "continue;", remark)


def _return(f: Function, node: ast.Return) -> None:
    text = "return;"
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        if f.kernel:
            f.fail(
                errors.UnsupportedStatement, node, what="a return value",
                help="A kernel gives its results through tensors: write them to a Gm parameter.",
            )  # fmt: skip
        text = f"return {results.returned(f, node, any(leaving.text for leaving in f.exits))};"
    elif f.result is not None and not isinstance(f.result, NoneType):
        f.fail(
            errors.TypeChanges, node, name="the result", before=spelled(f.result), since=f.result_line, after="nothing"
        )
    for leaving in reversed(f.exits):
        if leaving.text:
            f.out.emit(leaving.text)
    f.out.emit(text)
    f.paths.jump()


def _assert(f: Function, node: ast.Assert) -> None:
    before = f.out.comment
    f.out.comment = ""
    if node.msg is not None and not (isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str)):
        f.fail(
            errors.UnsupportedExpression, node.msg, what="this message", help='A string: assert n > 0, "n is positive".'
        )
    test = condition(f, node.test)
    f.out.comment = before
    if test.const is True:
        return
    if test.formula is not None:
        f.demand(node, test.formula, ast.unparse(node.test))
    elif node.msg is not None:
        assert isinstance(node.msg, ast.Constant)
        message = translate(f, node.msg).cpp[:-1].replace("%", "%%") + '\\n"'
        f.out.emit(f"ascendc_assert({test.cpp}, {message});")
    else:
        f.out.emit(f"ascendc_assert({test.cpp});")
    _learn(f, node.test)


def _learn(f: Function, test: ast.expr) -> None:
    """What holds behind an assert: `n >= 0`, `n > 0`, `n % 16 == 0`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            _learn(f, part)
        return
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.GtE() | ast.Gt() as op], comparators=[bound]):
            value, low = f.variables.get(name), translate(f, bound).const
            if value is not None and isinstance(low, int) and not f.usage.stores[name]:
                value.value = replace(value.value, minimum=low + isinstance(op, ast.Gt))
        case ast.Compare(
            left=ast.BinOp(left=ast.Name(id=name), op=ast.Mod(), right=factor),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ):
            value, by = f.variables.get(name), translate(f, factor).const
            if value is not None and isinstance(by, int) and by > 0 and not f.usage.stores[name]:
                value.value = replace(value.value, multiple=by)


_NODES: Mapping[type[ast.AST], Callable[[Function, Any], None]] = {
    ast.Expr: _expression, ast.Pass: _pass, ast.Assign: assignments.assignment, ast.AnnAssign: assignments.annotated,
    ast.AugAssign: assignments.augmented,
    ast.If: _if, ast.Break: _jump, ast.Continue: _jump, ast.Return: _return, ast.Assert: _assert, ast.For: loops.for_,
    ast.While: loops.while_, ast.With: buffers.with_,
}  # fmt: skip
