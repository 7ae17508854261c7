"""Expressions: one function for each kind of node that a kernel may hold, advice for the others."""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.translate import arithmetic, calls, comparisons, tensors
from ferrata.lang.translate.arithmetic import BOTH, CHOICE, EITHER, wrap
from ferrata.lang.translate.function import MISSING, Function
from ferrata.lang.translate.objects import of_object, size_of, text, tuple_of
from ferrata.lang.translate.operands import asked, holds, plain
from ferrata.lang.translate.types import PYTHON, DtypeTest, Narrowing, cpp, known, python, spelled
from ferrata.lang.values import BOOL, INT, GlobalType, LocalType, ScalarType, TupleType, Value

_ADVICE: Mapping[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "Define a function with def in the module and call it."),
    ast.ListComp: ("a list comprehension", "Write the loop; a buffer of the core holds what you collect."),
    ast.SetComp: ("a set", "Write the loop; a buffer of the core holds what you collect."),
    ast.DictComp: ("a dict", "Use variables, or a dataclass of numbers as a parameter."),
    ast.GeneratorExp: ("a generator", "Write the loop."),
    ast.Dict: ("a dict", "Use variables, or a dataclass of numbers as a parameter."),
    ast.Set: ("a set", "Write the comparisons: x == a or x == b."),
    ast.Await: ("await", "A kernel has no coroutines; ac.order makes one pipe wait for another."),
    ast.Yield: ("yield", "Return values, or write into a buffer."),
    ast.YieldFrom: ("yield from", "Return values, or write into a buffer."),
    ast.JoinedStr: ("an f-string", 'Use ac.printf("x = %d\\n", x).'),
    ast.NamedExpr: ("`:=`", "Write the assignment as a statement before."),
    ast.Starred: ("`*`", "Write the arguments out."),
}


def translate(f: Function, node: ast.expr) -> Value:
    """The Value of an expression; statements that it needs are written before the current one."""
    make = _NODES.get(type(node))
    if make is None:
        what, advice = _ADVICE.get(
            type(node), (f"`{ast.unparse(node)}`", "Write it with numbers, tensors and calls of `ac`.")
        )
        f.fail(errors.UnsupportedExpression, node, what=what, help=advice)
    value = replace(make(f, node), node=node)
    return _as_alias(f, value) if f.aliases else value


def _as_alias(f: Function, value: Value) -> Value:
    """Where `T is U` holds, a value of U as one of T."""
    if value.type == PYTHON and isinstance(value.const, DtypeVar):
        return replace(value, const=f.aliases.get(value.const.name, value.const))
    if isinstance(value.type, LocalType | GlobalType | ScalarType) and isinstance(value.type.element, DtypeVar):
        return replace(
            value, type=replace(value.type, element=f.aliases.get(value.type.element.name, value.type.element))
        )
    return value


def _constant(f: Function, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, bool | int | float):
        return arithmetic.literal(value)
    if isinstance(value, str):
        return text(value)
    if value is None:
        return python(None)
    f.fail(
        errors.UnsupportedExpression,
        node,
        what=f"the constant {value!r}",
        help="Kernels know int, float, bool and str.",
    )


def _name(f: Function, node: ast.Name) -> Value:
    loop, path = f.paths.loop(node.id), f.paths.gap(node.id)
    if loop is not None:
        f.fail(
            errors.LoopVariable, node, problem=f"{node.id!r} is the variable of the loop on line {loop}, which has ended",
            help="Keep the last value in a variable of its own, or use another name outside of the loop.",
        )  # fmt: skip
    variable = f.variables.get(node.id)
    if variable is not None and variable.closed:
        f.fail(errors.BufferUse, node, problem=variable.closed)
    if path is None and variable is None and node.id in f.slots:
        path = "on the first pass of the loop" if f.loops else "before its assignment further down"
    if path is not None:
        first = f.usage.first_value.get(node.id)
        value = ast.unparse(first) if isinstance(first, ast.Constant) else "..."
        f.fail(
            errors.NoValue, node, name=node.id, path=path,
            help=f"Give it a first value before: {node.id} = {value}",
        )  # fmt: skip
    if variable is not None:
        return variable.value
    if f.usage.stores[node.id]:
        f.fail(
            errors.UnknownName, node, name=node.id, near=" It is assigned further down, or in a branch or loop whose "
            "variable it is.", help="Assign it before, at the level of both uses.",
        )  # fmt: skip
    obj = f.outside(node.id)
    if obj is MISSING:
        f.unknown(node.id, node)
    return of_object(f, obj, node, node.id)


def _tuple(f: Function, node: ast.Tuple | ast.List) -> Value:
    return tuple_of([translate(f, item) for item in node.elts])


def _attribute(f: Function, node: ast.Attribute) -> Value:
    owner = translate(f, node.value)
    if owner.type == PYTHON:
        return _of_python(f, owner.const, node)
    return tensors.attribute(f, owner, node)


def _of_python(f: Function, owner: Any, node: ast.Attribute) -> Value:
    if owner is math and node.attr in ("pi", "e", "inf", "nan", "tau"):
        return arithmetic.literal(getattr(math, node.attr))
    if isinstance(owner, Dtype | DtypeVar):
        if node.attr == "bytes":
            return size_of(f, owner)
        f.fail(errors.UnknownAttribute, node, owner=repr(owner), name=node.attr, near=" It has `bytes`.")
    obj = getattr(owner, node.attr, MISSING)
    if obj is MISSING:
        near = ""
        if getattr(owner, "__name__", "") == "ferrata.lang":
            from ferrata.lang.binding import names

            found = names.nearest(node.attr)
            near = f" Did you mean {' or '.join(found)}?" if found else ""
        elif isinstance(owner, type):  # an enumeration
            close = difflib.get_close_matches(node.attr, [n for n in vars(owner) if n[:1] != "_"], n=1)
            near = f" Did you mean {close[0]}?" if close else ""
        f.fail(
            errors.UnknownAttribute, node, owner=_written(node.value), name=node.attr, near=near,
            help="The reference of the interfaces lists every name under `ac`." if near == "" else "",
        )  # fmt: skip
    return of_object(f, obj, node, node.attr)


def _written(node: ast.AST) -> str:
    return ast.unparse(node)


def _binary(f: Function, node: ast.BinOp) -> Value:
    return arithmetic.binary(f, node.op, plain(f, node.left), plain(f, node.right), node)


def _unary(f: Function, node: ast.UnaryOp) -> Value:
    value = asked(f, node.operand) if isinstance(node.op, ast.Not) else translate(f, node.operand)
    if isinstance(node.op, ast.Not) and isinstance(value.const, DtypeTest):
        turned = DtypeTest(value.const.other, value.const.inside)
        return replace(value, cpp=f"!{wrap(value, arithmetic.UNARY)}", const=turned, precedence=arithmetic.UNARY)
    return arithmetic.unary(f, node.op, plain(f, node.operand) if value.type == PYTHON else value, node)


def _bool(f: Function, node: ast.BoolOp) -> Value:
    """`and`, `or` of conditions. What the right side needs before it would run too early: then it is refused."""
    both = isinstance(node.op, ast.And)
    if id(node) not in f.conditions:
        with f.trial():
            values = [translate(f, item) for item in node.values]
        if any(isinstance(one.type, ScalarType) and one.type != BOOL for one in values):
            return _first_that(f, node, both)
    parts: list[Value] = []
    tests: list[Any] = []
    for at, item in enumerate(node.values):
        before = len(f.out.items)
        raw = asked(f, item)
        value = holds(f, raw, item)
        if at and len(f.out.items) != before:
            f.fail(
                errors.UnsupportedExpression, item, what="a call that needs statements of its own, behind `and` or `or`",
                help="Compute it into a variable first, or nest the ifs.",
            )  # fmt: skip
        if isinstance(value.const, bool):
            if value.const is not both:
                return value if at == 0 else replace(value, node=node)
            continue
        parts.append(value)
        tests.append(raw.const)
    if not parts:
        return arithmetic.literal(both)
    level = BOTH if both else EITHER
    formulas = [known(part) for part in parts]
    combine = all if both else any
    formula = None
    if all(formulas):
        formula = lambda bound: combine(one(bound) for one in formulas if one)  # noqa: E731
    const = _together([test for test in tests if isinstance(test, DtypeTest)], both) if parts else None
    if len(parts) == 1:
        return replace(parts[0], const=tests[0]) if const is not None else parts[0]
    texts = [
        f"({p.cpp})" if p.precedence in (BOTH, EITHER) and p.precedence != level else wrap(p, level) for p in parts
    ]
    const = const if all(isinstance(test, DtypeTest) for test in tests) else None
    return Value((" && " if both else " || ").join(texts), BOOL, const=const, precedence=level, formula=formula)


def _together(tests: list[DtypeTest], both: bool) -> DtypeTest | None:
    """What several tests of dtype variables tell: all that hold together, or all that do not."""
    if not tests:
        return None
    sides = [test.inside if both else test.other for test in tests]
    alias = next((side.alias for side in sides if side.alias is not None), None)
    known = Narrowing(tuple(kind for side in sides for kind in side.kinds), alias)
    return DtypeTest(known, Narrowing()) if both else DtypeTest(Narrowing(), known)


def _first_that(f: Function, node: ast.BoolOp, both: bool) -> Value:
    """`n or 3`, `n and 3` of numbers: one of them, as in Python."""
    first, others = node.values[0], node.values[1:]
    value = plain(f, first)
    if value.const is None and not value.cpp.isidentifier():  # it stands twice in the text
        name = f.declare(f"const {cpp(value.type)}", "first", value.cpp)
        value = replace(value, cpp=name, precedence=0)
    rest = others[0] if len(others) == 1 else ast.copy_location(ast.BoolOp(node.op, others), node)
    before = len(f.out.items)
    other = plain(f, rest)
    if len(f.out.items) != before:
        f.fail(
            errors.UnsupportedExpression, rest, what="a call that needs statements of its own, behind `and` or `or`",
            help="Compute it into a variable first, or write an if statement.",
        )  # fmt: skip
    test = arithmetic.to_bool(f, value, first)
    one, two = (other, value) if both else (value, other)
    one, two = comparisons.unify(f, one, two, node, "`and`" if both else "`or`")
    if one.type == INT and arithmetic.folds(one) and arithmetic.folds(two):
        one = replace(one, cpp=f"static_cast<int64_t>({one.cpp})", precedence=0)
    if isinstance(test.const, bool):
        return one if test.const else two
    text = f"{wrap(test, CHOICE, True)} ? {wrap(one, CHOICE, True)} : {wrap(two, CHOICE)}"
    return Value(text, one.type, precedence=CHOICE)


def _choice(f: Function, node: ast.IfExp) -> Value:
    raw = asked(f, node.test)
    if isinstance(raw.const, bool):
        return translate(f, node.body if raw.const else node.orelse)
    test = holds(f, raw, node.test)
    before = len(f.out.items)
    if isinstance(raw.const, DtypeTest):
        with f.narrow(raw.const.inside):
            a = plain(f, node.body)
        with f.narrow(raw.const.other):
            b = plain(f, node.orelse)
    else:
        a, b = plain(f, node.body), plain(f, node.orelse)
    if len(f.out.items) != before:
        f.fail(
            errors.UnsupportedExpression, node, what="a call that needs statements of its own, inside `a if c else b`",
            help="Write it as an if statement.",
        )  # fmt: skip
    a, b = comparisons.unify(f, a, b, node, "`a if c else b`")
    if a.type == INT and arithmetic.folds(a) and arithmetic.folds(b):  # two literals of C++ would make an int
        a = replace(a, cpp=f"static_cast<int64_t>({a.cpp})", precedence=0)
    lows = [a.minimum, b.minimum]
    formulas = known(test), known(a), known(b)
    formula = None
    if all(formulas):
        when, then, other = formulas
        formula = lambda bound: then(bound) if when(bound) else other(bound)  # type: ignore[misc]  # noqa: E731
    return Value(
        f"{wrap(test, CHOICE, True)} ? {wrap(a, CHOICE, True)} : {wrap(b, CHOICE)}", a.type, precedence=CHOICE,
        minimum=None if None in lows else min(low for low in lows if low is not None),
        multiple=math.gcd(a.multiple, b.multiple), formula=formula,
    )  # fmt: skip


def _compare(f: Function, node: ast.Compare) -> Value:
    left = translate(f, node.left)
    found: list[Value] = []
    for at, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = translate(f, right_node)
        if len(node.ops) > 1 and at + 1 < len(node.ops) and right.precedence and right.const is None:
            name = f.declare("const auto", "middle", right.cpp)  # Python evaluates it once
            right = replace(right, cpp=name, precedence=0)
        found.append(_comparison(f, op, left, right, node))
        left = right
    if len(found) == 1:
        return found[0]
    parts = [part for part in found if part.const is not True]
    if any(part.const is False for part in parts):
        return arithmetic.literal(False)
    return (
        Value(" && ".join(wrap(part, BOTH) for part in parts), BOOL, precedence=BOTH)
        if parts
        else arithmetic.literal(True)
    )


def _comparison(f: Function, op: ast.cmpop, a: Value, b: Value, node: ast.Compare) -> Value:
    test = _dtype_test(f, op, a, b, node)
    if test is not None:
        return test
    if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) and (_is_none(a) or _is_none(b)):
        value = tensors.is_none(f, b if _is_none(a) else a, node)
        if isinstance(op, ast.Is | ast.Eq):
            return value
        if isinstance(value.const, bool):
            return arithmetic.literal(not value.const)
        return replace(value, cpp=value.cpp.replace(" == ", " != "))
    if isinstance(op, ast.Is | ast.IsNot):
        f.fail(
            errors.UnsupportedExpression, node, what="`is` between values",
            help="`is` asks about None and element types (`if T is ac.f16`); compare numbers with ==.",
        )  # fmt: skip
    if isinstance(op, ast.In | ast.NotIn):
        if not isinstance(b.type, TupleType):
            f.fail(errors.UnsupportedExpression, node, what="`in`", help="`in` takes a tuple of literals: x in (1, 2).")
        parts = [comparisons.compare(f, ast.Eq(), a, item, node) for item in b.items]
        value = Value(" || ".join(wrap(part, EITHER) for part in parts), BOOL, precedence=EITHER)
        return arithmetic.unary(f, ast.Not(), value, node) if isinstance(op, ast.NotIn) else value
    if a.type == b.type and spelled(a.type).isidentifier() and not isinstance(a.type, ScalarType) and a.cpp and b.cpp:
        text, level, _ = comparisons.COMPARE[type(op)]  # members of an enumeration
        return Value(f"{wrap(a, level, True)} {text} {wrap(b, level, True)}", BOOL, precedence=level)
    return comparisons.compare(f, op, a, b, node)


def _is_none(value: Value) -> bool:
    return value.type == PYTHON and value.const is None


def _dtype_test(f: Function, op: ast.cmpop, a: Value, b: Value, node: ast.Compare) -> Value | None:
    """`T is ac.f16`, `T in (ac.f16, ac.f32)`: known for an instance, so C++ asks with `if constexpr`."""
    if not (a.type == PYTHON and isinstance(a.const, Dtype | DtypeVar)):
        return None
    if isinstance(op, ast.In | ast.NotIn) and isinstance(b.type, TupleType):
        others = [item.const for item in b.items]
    elif isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        others = [b.const]
    else:
        others = []
    good = all(isinstance(other, Dtype) for other in others) or (len(others) == 1 and isinstance(others[0], DtypeVar))
    if not others or not good:
        f.fail(
            errors.UnsupportedExpression, node, what="this comparison of an element type",
            help="Write `T is ac.f16`, `T is U` or `T in (ac.f16, ac.f32)`.",
        )  # fmt: skip
    negative = isinstance(op, ast.IsNot | ast.NotEq | ast.NotIn)
    if len(others) == 1 and isinstance(others[0], DtypeVar) and isinstance(a.const, DtypeVar):
        return _same_dtype(f, a.const, others[0], negative)
    if isinstance(others[0], DtypeVar):  # ac.f16 is T
        return _is_one_of(f, others[0], frozenset([a.const]), negative)
    return _is_one_of(f, a.const, frozenset(one for one in others if isinstance(one, Dtype)), negative)


def _is_one_of(f: Function, tested: Dtype | DtypeVar, wanted: frozenset[Any], negative: bool) -> Value:
    choices = frozenset(f.choices(tested))
    inside, outside = choices & wanted, choices - wanted
    if not inside or not outside:
        return arithmetic.literal(bool(inside) is not negative)
    assert isinstance(tested, DtypeVar)
    name = tested.name
    listed = [d for d in f.possible(tested) if d in wanted]
    parts = [f"IsSameType<{tested.cpp}, {d.cpp}>::value" for d in listed]
    test = DtypeTest(Narrowing(((name, inside),)), Narrowing(((name, outside),)))
    return _tested(" || ".join(parts), len(parts) > 1, test, lambda bound: bound[name] in wanted, negative)


def _same_dtype(f: Function, one: DtypeVar, other: DtypeVar, negative: bool) -> Value:
    """`T is U`: where it holds, what is of U counts as of T."""
    f.use(one)
    f.use(other)
    mine, others = frozenset(f.choices(one)), frozenset(f.choices(other))
    both = mine & others
    if one == other or not both or (len(mine) == len(others) == 1):
        return arithmetic.literal(bool(both) is not negative)
    differ = [
        (variable.name, kinds - both) for variable, kinds, alone in ((one, mine, others), (other, others, mine)) if len(alone) == 1
    ]  # fmt: skip
    test = DtypeTest(Narrowing(((one.name, both), (other.name, both)), (one, other)), Narrowing(tuple(differ)))
    text = f"IsSameType<{one.cpp}, {other.cpp}>::value"
    return _tested(text, False, test, lambda bound: bound[one.name] == bound[other.name], negative)


def _tested(
    text: str, several: bool, test: DtypeTest, holds: Callable[[Mapping[str, Any]], bool], negative: bool
) -> Value:
    level = EITHER if several else 0
    if negative:
        text, level = (f"!({text})" if several else f"!{text}"), arithmetic.UNARY
        test = DtypeTest(test.other, test.inside)
    return Value(text, BOOL, const=test, precedence=level, formula=lambda bound: holds(bound) is not negative)


def _call(f: Function, node: ast.Call) -> Value:
    return calls.call(f, node)


def _subscript(f: Function, node: ast.Subscript) -> Value:
    return tensors.subscript(f, translate(f, node.value), node)


_NODES: Mapping[type[ast.AST], Callable[[Function, Any], Value]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Tuple: _tuple, ast.List: _tuple, ast.Attribute: _attribute,
    ast.BinOp: _binary, ast.UnaryOp: _unary, ast.BoolOp: _bool, ast.IfExp: _choice, ast.Compare: _compare,
    ast.Call: _call, ast.Subscript: _subscript,
}  # fmt: skip
