"""Statements: one function for each kind that a kernel may hold, advice for the others.

Comments of the user stand where they stood. A variable is declared at its first assignment, or where usage.py says.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang import parameters
from ferrata.lang.elements import DtypeVar, bf16, f16, f32, i64, u64
from ferrata.lang.translate import arithmetic, buffers, loops, tensors
from ferrata.lang.translate.expressions import condition, plain, translate
from ferrata.lang.translate.function import Exit, Function, Variable
from ferrata.lang.translate.types import PYTHON, DtypeTest, ResultType, cpp, spelled
from ferrata.lang.values import (
    BOOL,
    FLOAT,
    INT,
    GlobalType,
    LocalType,
    NoneType,
    ScalarType,
    TupleType,
    Type,
    Value,
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
        one(f, statement)
        if isinstance(statement, ast.Return | ast.Break | ast.Continue):
            if at + 1 < len(body):
                f.fail(
                    errors.UnsupportedStatement, body[at + 1], what="statements that are never reached",
                    help="Remove them, or put the jump under an if.",
                )  # fmt: skip
            return True
    return False


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
    own = f.pending.get(statement.lineno)
    f.out.comment = ""
    if own is not None and not own.alone:
        f.out.comment = f.pending.pop(statement.lineno).text


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
        f.out.emit(value.cpp + ";" if value.cpp.endswith(")") else f"static_cast<void>({value.cpp});")
    elif not isinstance(node.value, ast.Call):
        f.fail(
            errors.UnsupportedStatement, node, what=f"`{ast.unparse(node)}`, which computes a value that nothing uses",
            help="Assign it, or remove the statement.",
        )  # fmt: skip


def _pass(f: Function, node: ast.Pass) -> None:
    if f.out.comment:
        f.out.emit("", "")


# --- assignment ---------------------------------------------------------------------------------------------------


def _assign(f: Function, node: ast.Assign) -> None:
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


def variable_value(f: Function, value: Value, declared: Type | None = None) -> Value:
    """A value as what a new variable of it holds: a narrow number is widened to Python's int or float."""
    kind = value.type
    if declared is not None or not isinstance(kind, ScalarType) or value.cpp.startswith(("static_cast<", "FromFloat<")):
        return value
    if kind.element in (f16, bf16):
        return arithmetic.to_float(f, value, cast=True)
    if not isinstance(kind.element, DtypeVar) and kind not in (INT, FLOAT, BOOL) and kind.element != u64:
        return replace(value, type=INT)  # C++ widens
    return value


def assign_name(f: Function, target: ast.Name, value: Value, node: ast.stmt, declared: Type | None = None) -> None:
    """`name = value`: a declaration the first time."""
    name = target.id
    before = f.variables.get(name)
    if before is not None and id(target) not in f.usage.declares and not before.closed:
        _again(f, target, before, value, node)
        return
    if name in f.usage.loop_targets and name in f.usage.outside_loop:
        _loop_clash(f, name, target)
    if value.type == PYTHON or (isinstance(value.type, TupleType) and value.items):
        _alias(f, target, value, node)
        return
    if isinstance(value.type, NoneType):
        at = value.node or node
        f.fail(errors.WrongType, at, what=f"the variable {name!r}", expected="a value", got="a call without one")
    value = variable_value(f, tensors.as_local(f, value), declared)
    once = f.usage.declares.get(id(target), False)
    if name in f.slots:
        seen = declare_ahead(f, target, value if declared is None else replace(value, type=declared))
        f.out.emit(f"{seen.cpp} = {value.cpp};")
        return
    if once and value.cpp in f.results and value.cpp.rstrip("_0123456789") == name.rstrip("_0123456789"):
        f.variables[name] = Variable(value, target.lineno)  # declared under this name already
        return
    cpp_name = f.fresh(name)
    qualifier = ""
    if isinstance(value.type, ScalarType):
        fixed = once and (value.formula is not None or (value.const is not None))
        qualifier = "constexpr " if fixed else "const " if once else ""
    f.variables[name] = Variable(_read(cpp_name, value, once), target.lineno)
    f.out.emit(f"{qualifier}{cpp(declared or value.type)} {cpp_name} = {value.cpp};")


def declare_ahead(f: Function, name: ast.Name, value: Value) -> Value:
    """Declare a variable of a value's type at its place further out; what reading it gives."""
    value = variable_value(f, tensors.as_local(f, value))
    cpp_name = f.fresh(name.id)
    initial = " = false" if value.type == BOOL else " = 0" if isinstance(value.type, ScalarType) else ""
    f.out.fill(f.slots.pop(name.id), f"{cpp(value.type)} {cpp_name}{initial};")
    seen = _read(cpp_name, value, False)
    f.variables[name.id] = Variable(seen, name.lineno, lasting=True)
    return seen


def _read(cpp_name: str, value: Value, once: bool) -> Value:
    """What reading a variable gives: what is known of its value, if it keeps it."""
    if once:
        return replace(value, cpp=cpp_name, precedence=0)
    tensor = isinstance(value.type, LocalType | GlobalType)
    return Value(cpp_name, value.type, const=value.const if tensor else None, length=value.length if tensor else None)


def _alias(f: Function, target: ast.Name, value: Value, node: ast.stmt) -> None:
    """A second name for an object of Python, `dtype = x.dtype`, or a tuple: nothing to write."""
    if not f.usage.declares.get(id(target)):
        f.fail(
            errors.TypeChanges, node, name=target.id, before="a name of Python", since=target.lineno, after="another",
            help="A name for a function, an element type or a tuple is assigned once.",
        )  # fmt: skip
    f.variables[target.id] = Variable(value, target.lineno)


def _again(f: Function, target: ast.Name, before: Variable, value: Value, node: ast.stmt) -> None:
    """A further assignment: the type stays."""
    kind = before.value.type
    value = tensors.as_local(f, value)
    if value.type == PYTHON or kind == PYTHON or isinstance(kind, TupleType):
        _alias(f, target, value, node)
    text = converted(f, value, kind, node)
    if text is None:
        advice = "Use another name, or convert: float(x), int(x)."
        if kind == INT and value.type == FLOAT:
            advice = f"Start it as a float, `{target.id} = 0.0`, or convert with int(x)."
        f.fail(
            errors.TypeChanges, node, name=target.id, before=spelled(kind), since=before.line, after=spelled(value.type),
            help=advice,
        )  # fmt: skip
    if before.value.precedence == 0 and before.value.cpp != text:
        f.out.emit(f"{before.value.cpp} = {text};")


def converted(f: Function, value: Value, kind: Type, node: ast.AST) -> str | None:
    """The text of a value as another type where Python would not notice the difference; None where it would."""
    if isinstance(kind, LocalType) and isinstance(value.type, LocalType):
        return value.cpp if f.same(kind.element, value.type.element) else None
    if value.type == kind:
        return value.cpp
    if not (isinstance(kind, ScalarType) and isinstance(value.type, ScalarType)):
        return None
    to, source = kind.element, value.type.element
    if isinstance(to, DtypeVar):
        return arithmetic.cast(f, value, to, node).cpp if value.const is not None else None
    if isinstance(source, DtypeVar):
        return None
    if to.floating:
        value = arithmetic.to_float(f, value, cast=True)
        return value.cpp if to == f32 else arithmetic.cast(f, value, to, node).cpp
    if source.floating or (kind == BOOL) != (value.type == BOOL):
        return None
    return value.cpp if to in (i64, u64) or value.const is not None else f"static_cast<{to.cpp}>({value.cpp})"


def _loop_clash(f: Function, name: str, node: ast.AST) -> None:
    f.fail(
        errors.LoopVariable, node, problem=f"{name!r} is a loop's variable and is used outside of the loop too",
        help="Use another name outside; keep the last value in a variable of its own if you need it.",
    )  # fmt: skip


def _annotated(f: Function, node: ast.AnnAssign) -> None:
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
    if isinstance(node, ast.Name) and node.id in ("int", "float", "bool"):
        return {"int": INT, "float": FLOAT, "bool": BOOL}[node.id]
    from ferrata.lang.elements import Dtype

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


def _augmented(f: Function, node: ast.AugAssign) -> None:
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
    f.fail(errors.UnsupportedStatement, node, what=f"`{ast.unparse(node)}`")


def _calls(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Call) for child in ast.walk(node))


def _unpack(f: Function, target: ast.Tuple | ast.List, value_node: ast.expr, node: ast.Assign) -> None:
    """`a, b = ...`."""
    if isinstance(value_node, ast.Tuple | ast.List) and len(value_node.elts) == len(target.elts):
        made = [buffers.assigned_to(f, t, v) for t, v in zip(target.elts, value_node.elts, strict=True)]
        if any(made):
            for one_target, one_node, buffer in zip(target.elts, value_node.elts, made, strict=True):
                if not buffer:
                    assign(f, one_target, translate(f, one_node), node)
            return
        known = {t.id for t in target.elts if isinstance(t, ast.Name) and t.id in f.variables}
        if not known:
            for one_target, one_node in zip(target.elts, value_node.elts, strict=True):
                assign(f, one_target, _named(f, one_target, one_node), node)
            return
    _unpack_value(f, target, translate(f, value_node), node)


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
        if stored and items[at].cpp and items[at].const is None and isinstance(items[at].type, ScalarType):
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
            f.variables[name] = Variable(_read(cpp_name, replace(item, cpp=cpp_name), once), node.lineno)
        return
    whole = f.declare("const auto", "result", value.cpp)
    for one_target, (field, _), item in zip(target.elts, kind.fields, items, strict=True):
        assign(f, one_target, replace(item, cpp=f"{whole}.{field}", precedence=0), node)


# --- branches and jumps -------------------------------------------------------------------------------------------


def _if(f: Function, node: ast.If) -> None:
    _branch(f, node, "")


def _branch(f: Function, node: ast.If, prefix: str) -> None:
    raw = translate(f, node.test)
    if (isinstance(raw.const, bool) and not raw.cpp.isidentifier()) or raw.cpp in ("true", "false"):
        _known(f, node, bool(raw.const), prefix)
        return
    test = condition(f, node.test)
    dtype_test = raw.const if isinstance(raw.const, DtypeTest) else None
    word = "if constexpr" if test.formula is not None and test.const is None else "if"
    if prefix:
        f.out.close(f"}} else {word} ({test.cpp}) {{")
        f.out.depth += 1
    else:
        f.out.open(f"{word} ({test.cpp}) {{")
    _inside(f, node.body, dtype_test and (dtype_test.variable.name, dtype_test.inside))
    if not node.orelse:
        f.out.close()
        return
    narrowed = dtype_test and (dtype_test.variable.name, dtype_test.other)
    other = node.orelse[0]
    f.out.python = other.lineno
    if len(node.orelse) == 1 and isinstance(other, ast.If) and f.source.line(other.lineno).lstrip().startswith("elif"):
        comments_in_else(f, other)
        before = len(f.out.items)
        with f.narrow(*narrowed) if narrowed else f.scope():
            translate(f, other.test)  # only to see whether it needs statements of its own
            grown = len(f.out.items) > before
            del f.out.items[before:]
            if not grown:
                _branch(f, other, "else")
                return
    f.out.close("} else {")
    f.out.depth += 1
    _inside(f, node.orelse, narrowed)
    f.out.close()


def comments_in_else(f: Function, node: ast.stmt) -> None:
    """Comments between the branches go into the branch before."""
    comments_before(f, node)
    f.out.python = node.lineno


def _inside(f: Function, body: list[ast.stmt], narrowed: Any) -> None:
    with f.scope():
        if narrowed:
            with f.narrow(*narrowed):
                block(f, body)
        else:
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
    f.out.emit("break;" if isinstance(node, ast.Break) else "continue;", remark)


def _return(f: Function, node: ast.Return) -> None:
    text = "return;"
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        if f.kernel:
            f.fail(
                errors.UnsupportedStatement, node, what="a return value",
                help="A kernel gives its results through tensors: write them to a Gm parameter.",
            )  # fmt: skip
        from ferrata.lang.translate import helpers

        text = f"return {helpers.returned(f, node, any(leaving.text for leaving in f.exits))};"
    elif f.result is not None and not isinstance(f.result, NoneType):
        f.fail(
            errors.TypeChanges, node, name="the result", before=spelled(f.result), since=f.result_line, after="nothing"
        )
    for leaving in reversed(f.exits):
        if leaving.text:
            f.out.emit(leaving.text)
    f.out.emit(text)


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
    ast.Expr: _expression, ast.Pass: _pass, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented,
    ast.If: _if, ast.Break: _jump, ast.Continue: _jump, ast.Return: _return, ast.Assert: _assert, ast.For: loops.for_,
    ast.While: loops.while_, ast.With: buffers.with_,
}  # fmt: skip
__all__ = ["Exit", "assign", "assign_name", "block", "one"]
