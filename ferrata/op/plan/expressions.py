"""Expressions of a plan: Python's operators with Python's meaning, as C++.

`//` and `%` round toward minus infinity in Python; where both sides are known not to be negative they are C++'s own,
elsewhere the helpers FloorDiv and Mod, which also refuse a zero divisor as Python does.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from ferrata.errors import PlanFeature, PlanName, PlanType
from ferrata.lang.elements import Dtype, DtypeVar, by_torch
from ferrata.lang.values import BOOL, INT, Type
from ferrata.op.plan.kinds import (
    ADD,
    AND,
    ANY_NONE,
    DTYPE,
    EQUALITY,
    MUL,
    OR,
    PRIMARY,
    REAL,
    RELATION,
    TERNARY,
    TEXT,
    UNARY,
    LaunchType,
    ListType,
    ObjectType,
    PlanValue,
    TensorType,
    described,
    is_number,
    joined,
    wrap,
)
from ferrata.op.plan.scope import Scope

_WORDS = """auto break case catch char class const constexpr continue default delete do double else enum explicit export
extern float for friend goto if inline int long mutable namespace new operator private protected public register return
short signed sizeof static struct switch template this throw try typedef typename union unsigned using virtual void volatile
while stream launcher std ctx shape shapes output half"""
_KEYWORDS = frozenset(_WORDS.split())
# Python's operator: C++'s, its precedence
_ARITHMETIC: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", ADD),
    ast.Sub: ("-", ADD),
    ast.Mult: ("*", MUL),
    ast.LShift: ("<<", 7),
    ast.RShift: (">>", 7),
    ast.BitAnd: ("&", 11),
    ast.BitXor: ("^", 12),
    ast.BitOr: ("|", 13),
}
_COMPARE: dict[type[ast.cmpop], tuple[str, int]] = {
    ast.Eq: ("==", EQUALITY),
    ast.NotEq: ("!=", EQUALITY),
    ast.Lt: ("<", RELATION),
    ast.LtE: ("<=", RELATION),
    ast.Gt: (">", RELATION),
    ast.GtE: (">=", RELATION),
}


def cpp_name(name: str) -> str:
    """A Python name that C++ accepts."""
    return f"{name}_" if name in _KEYWORDS else name


def expression(scope: Scope, node: ast.expr) -> PlanValue:
    """The value of an expression. Raises PlanFeature, PlanName, PlanType."""
    match node:
        case ast.Constant():
            return wrapped(scope, node, node.value)
        case ast.Name(id=name):
            return _name(scope, node, name)
        case ast.Attribute():
            from ferrata.op.plan.members import attribute

            return attribute(scope, node)
        case ast.Subscript():
            from ferrata.op.plan.members import subscript

            return subscript(scope, node)
        case ast.Call():
            from ferrata.op.plan.calls import call

            return call(scope, node)
        case ast.BinOp():
            return _binary(scope, node)
        case ast.UnaryOp():
            return _unary(scope, node)
        case ast.BoolOp():
            return _boolean(scope, node)
        case ast.Compare():
            return _compare(scope, node)
        case ast.IfExp():
            return _choice(scope, node)
        case ast.Tuple() | ast.List():
            from ferrata.op.plan.members import sequence

            return sequence(scope, node)
        case ast.JoinedStr():
            return _text(scope, node)
        case ast.ListComp() | ast.GeneratorExp():
            from ferrata.op.plan.comprehensions import collected

            return collected(scope, node)
    raise scope.refuse(
        PlanFeature, node, f"{_KINDS.get(type(node), type(node).__name__)} has no counterpart in C++",
        "A plan is made of arithmetic, comparisons, calls, if, for and launches.",
    )  # fmt: skip


_KINDS: dict[type[ast.AST], str] = {
    ast.Lambda: "a lambda",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.DictComp: "a dictionary comprehension",
    ast.Await: "await",
    ast.NamedExpr: "an assignment inside an expression",
    ast.Starred: "a starred expression here",
}


def wrapped(scope: Scope, node: ast.AST, value: Any, name: str | None = None) -> PlanValue:
    """A Python object that exists while translating; `name` when a module constant of that name holds it."""
    literal = _literal(value)
    if literal is not None:
        kind, text = literal
        if (
            name is not None
            and kind in (INT, REAL, BOOL)
            and scope.unit.constants.get(name, (kind, text)) == (kind, text)
        ):
            scope.unit.constants[name] = (kind, text)
            text = cpp_name(name)
        minimum = int(value) if kind == INT else None
        precedence = UNARY if text.startswith("-") else PRIMARY
        return PlanValue(text, kind, value, precedence, minimum=minimum, constexpr=kind != TEXT, choices=(value,))
    if value is None:
        return PlanValue("nullptr", ANY_NONE, None, constexpr=True)
    dtype = torch_element(value)
    if dtype is not None:
        return PlanValue(acl_name(dtype), DTYPE, dtype, constexpr=True)
    if isinstance(value, (tuple, list)):
        parts = tuple(wrapped(scope, node, item) for item in value)
        return PlanValue("", ListType(parts[0].type if parts else INT), parts=parts)
    return PlanValue("", ObjectType(value))


def _literal(value: Any) -> tuple[Type, str] | None:
    if isinstance(value, bool):
        return BOOL, "true" if value else "false"
    if isinstance(value, int) and type(value) is int:
        if abs(value) >= 1 << 63:
            return None
        return INT, str(value) if -(2**31) <= value < 2**31 else f"INT64_C({value})"
    if isinstance(value, float):
        if math.isinf(value):
            return REAL, ("-" if value < 0 else "") + "std::numeric_limits<double>::infinity()"
        return REAL, "std::numeric_limits<double>::quiet_NaN()" if math.isnan(value) else repr(value)
    if isinstance(value, str):
        return TEXT, text_literal(value)
    return None


def text_literal(text: str) -> str:
    """A C++ string literal."""
    out = "".join({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}.get(c, c) for c in text)
    return f'"{out}"'


def torch_element(value: Any) -> Dtype | None:
    """The element type of a torch.dtype, None for anything else."""
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return by_torch(str(value).removeprefix("torch."))
    return None


def acl_name(dtype: Dtype) -> str:
    """The name of an element type on the host: DT_BF16 is ACL_BF16."""
    return "ACL_" + dtype.type.name.removeprefix("DT_")


def _name(scope: Scope, node: ast.Name, name: str) -> PlanValue:
    if scope.usage.stores.get(name) and name not in scope.variables:
        raise scope.refuse(PlanName, node, f"{name} has no value yet")
    if name in scope.variables:
        value = scope.variables[name]
        if isinstance(value.type, LaunchType):
            raise scope.refuse(
                PlanFeature, node, "a launch can only be returned", "Return it, or append it to a returned list."
            )
        return value
    names = scope.source.names
    if name not in names:
        import difflib

        near = difflib.get_close_matches(name, [*scope.variables, *names], 1)
        raise scope.refuse(PlanName, node, f"{name} is not defined", f"Did you mean {near[0]!r}?" if near else "")
    return wrapped(scope, node, names[name], name)


def number(scope: Scope, node: ast.expr) -> PlanValue:
    """An expression that must be a number."""
    value = expression(scope, node)
    if not is_number(value.type):
        raise scope.refuse(PlanType, node, f"this is {described(value.type)}, where a number is needed")
    return value


def integer(scope: Scope, node: ast.expr) -> PlanValue:
    """An expression that must be an int."""
    value = number(scope, node)
    if value.type == REAL:
        raise scope.refuse(PlanType, node, "this is a float, where an int is needed", "Use // or int(...).")
    return value


def truth(scope: Scope, node: ast.expr) -> PlanValue:
    """An expression as a condition."""
    value = expression(scope, node)
    if value.type == BOOL:
        return value
    if value.type in (INT, REAL):
        return PlanValue(f"{wrap(value, EQUALITY)} != 0", BOOL, precedence=EQUALITY, constexpr=value.constexpr)
    if isinstance(value.type, ListType) and not value.parts:
        return PlanValue(f"!{wrap(value, PRIMARY)}.empty()", BOOL, precedence=UNARY)
    if value.type == TEXT:
        return PlanValue(f"!std::string({value.cpp}).empty()", BOOL, precedence=UNARY)
    help = "Write `is not None`." if isinstance(value.type, TensorType) and value.type.optional else ""
    raise scope.refuse(PlanType, node, f"this is {described(value.type)}, where a condition is needed", help)


def _binary(scope: Scope, node: ast.BinOp) -> PlanValue:
    from ferrata.op.plan.members import concatenated

    left_node, right_node = node.left, node.right
    if isinstance(node.op, ast.Add):
        left = expression(scope, left_node)
        if isinstance(left.type, ListType):
            return concatenated(scope, node, left, expression(scope, right_node))
    left, right = number(scope, left_node), number(scope, right_node)
    both = REAL if REAL in (left.type, right.type) else INT
    const = _folded(node.op, left.const, right.const)
    constexpr = left.constexpr and right.constexpr
    choices = (const,) if const is not None else None
    if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
        return _division(scope, node, left, right, both, const)
    if isinstance(node.op, ast.Div):
        if isinstance(right.const, (int, float)) and right.const:
            text = f"static_cast<double>({left.cpp}) / {wrap(right, UNARY)}"
            text = text if left.type != REAL else f"{wrap(left, MUL)} / {wrap(right, UNARY)}"
            return PlanValue(text, REAL, const, MUL, constexpr=constexpr)
        scope.unit.needs.add("Divide")
        return PlanValue(f"Divide({left.cpp}, {right.cpp})", REAL, const)
    if isinstance(node.op, ast.Pow):
        if both == INT and isinstance(const, int):
            return PlanValue(str(const), INT, const, minimum=const, constexpr=True, choices=choices)
        if both == INT:
            if right.minimum is None or right.minimum < 0:
                raise scope.refuse(
                    PlanType, node, "this power may be a float", "Use an exponent that cannot be negative, or 1 << n."
                )
            scope.unit.needs.add("Power")
            return PlanValue(f"Power({left.cpp}, {right.cpp})", INT)
        return PlanValue(f"std::pow({left.cpp}, {right.cpp})", REAL, const)
    operator = _ARITHMETIC.get(type(node.op))
    if operator is None:
        raise scope.refuse(PlanFeature, node, f"`{ast.unparse(node)}`: this operator has no counterpart in C++")
    sign, precedence = operator
    if sign not in "+-*" and both == REAL:
        raise scope.refuse(PlanType, node, f"{sign} takes ints")
    # C++ binds & | ^ and shifts differently from what a reader expects: parentheses there
    right_side = wrap(right, precedence - 1)
    left_side = wrap(left, precedence)
    if precedence > ADD:
        left_side, right_side = wrap(left, UNARY), wrap(right, UNARY)
    low = _low(sign, left.minimum, right.minimum) if both == INT else None
    return PlanValue(
        f"{left_side} {sign} {right_side}", both, const, precedence, minimum=low, constexpr=constexpr, choices=choices
    )


def _division(scope: Scope, node: ast.BinOp, left: PlanValue, right: PlanValue, both: Type, const: Any) -> PlanValue:
    divide = isinstance(node.op, ast.FloorDiv)
    positive = right.minimum is not None and right.minimum > 0
    small = left.minimum is not None and left.minimum >= 0
    constexpr = left.constexpr and right.constexpr
    if right.const == 0 and right.const is not None:
        raise scope.refuse(PlanType, node, "this divides by zero")
    low = 0 if both == INT and positive and (small or not divide) else None
    choices = (const,) if const is not None else None
    if both == INT and small and positive:
        text = f"{wrap(left, MUL)} {'/' if divide else '%'} {wrap(right, UNARY)}"
        return PlanValue(text, INT, const, MUL, minimum=low, constexpr=constexpr, choices=choices)
    helper = "FloorDiv" if divide else "Mod"
    scope.unit.needs.add(helper)
    return PlanValue(
        f"{helper}({left.cpp}, {right.cpp})", both, const, minimum=low, constexpr=constexpr, choices=choices
    )


def _low(sign: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None or left < 0 or right < 0:
        return None
    return {"+": left + right, "*": left * right}.get(sign)


def _folded(op: ast.operator, left: Any, right: Any) -> Any:
    """The value when both sides are known, None otherwise or where Python would raise."""
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return None
    if isinstance(op, ast.Pow) and (abs(right) > 64 or left == 0):
        return None
    try:
        tree = ast.Expression(ast.BinOp(ast.Constant(left), op, ast.Constant(right)))
        return eval(compile(ast.fix_missing_locations(tree), "", "eval"))
    except (ArithmeticError, TypeError, ValueError):
        return None


def _unary(scope: Scope, node: ast.UnaryOp) -> PlanValue:
    if isinstance(node.op, ast.Not):
        value = truth(scope, node.operand)
        if value.cpp.startswith("!") and value.precedence == UNARY:
            return PlanValue(value.cpp[1:], BOOL, precedence=UNARY)
        return PlanValue(f"!{wrap(value, UNARY)}", BOOL, precedence=UNARY, constexpr=value.constexpr)
    value = number(scope, node.operand)
    sign = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[type(node.op)]
    if sign == "~" and value.type != INT:
        raise scope.refuse(PlanType, node, "~ takes an int")
    const = None
    if isinstance(value.const, (int, float)):
        const = -value.const if sign == "-" else +value.const if sign == "+" else ~int(value.const)
    inner = wrap(value, UNARY)
    text = f"{sign}({value.cpp})" if inner.startswith(sign) else f"{sign}{inner}"
    kind = INT if value.type == BOOL else value.type
    low = const if isinstance(const, int) else None
    return PlanValue(
        text, kind, const, UNARY, minimum=low, constexpr=value.constexpr, choices=None if const is None else (const,)
    )


def _boolean(scope: Scope, node: ast.BoolOp) -> PlanValue:
    values = [truth(scope, value) for value in node.values]
    sign, precedence = ("&&", AND) if isinstance(node.op, ast.And) else ("||", OR)
    text = f" {sign} ".join(
        wrap(value, AND - 1 if sign == "||" and value.precedence == AND else precedence) for value in values
    )
    return PlanValue(text, BOOL, precedence=precedence, constexpr=all(v.constexpr for v in values))


def _compare(scope: Scope, node: ast.Compare) -> PlanValue:
    sides = [node.left, *node.comparators]
    parts = [
        _one_comparison(scope, node, left, op, right)
        for left, op, right in zip(sides[:-1], node.ops, sides[1:], strict=True)
    ]
    if len(parts) == 1:
        return parts[0]
    return PlanValue(
        " && ".join(wrap(part, AND) for part in parts), BOOL, precedence=AND, constexpr=all(p.constexpr for p in parts)
    )


def _one_comparison(scope: Scope, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> PlanValue:
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _is_none(scope, node, left, right, isinstance(op, ast.IsNot))
    a = expression(scope, left)
    b = expression(scope, right)
    if isinstance(op, (ast.In, ast.NotIn)):
        if not b.parts:
            raise scope.refuse(PlanFeature, node, "`in` needs a tuple written out", "Write `x in (1, 2)`.")
        tests = [_equal(scope, node, a, part, "==") for part in b.parts]
        text = " || ".join(wrap(test, OR) for test in tests)
        constexpr = all(test.constexpr for test in tests)
        value = PlanValue(text, BOOL, precedence=OR if len(tests) > 1 else EQUALITY, constexpr=constexpr)
        if isinstance(op, ast.In):
            return value
        return PlanValue(f"!({text})", BOOL, precedence=UNARY, constexpr=constexpr)
    sign, precedence = _COMPARE[type(op)]
    if is_number(a.type) and is_number(b.type):
        return PlanValue(
            f"{wrap(a, precedence - 1)} {sign} {wrap(b, precedence - 1)}",
            BOOL,
            precedence=precedence,
            constexpr=a.constexpr and b.constexpr,
        )
    if sign in ("==", "!="):
        return _equal(scope, node, a, b, sign)
    raise scope.refuse(PlanType, node, f"{described(a.type)} {sign} {described(b.type)} cannot be compared")


def _equal(scope: Scope, node: ast.AST, a: PlanValue, b: PlanValue, sign: str) -> PlanValue:
    for one, other in ((a, b), (b, a)):
        python = other.type.python if isinstance(other.type, ObjectType) else None
        if one.type == DTYPE and isinstance(python, (Dtype, DtypeVar)):
            raise scope.refuse(
                PlanType, node, f"a tensor's dtype is torch's, never {python}",
                "Compare with torch.float16 and the like.",
            )  # fmt: skip
    if a.type == DTYPE and b.type == DTYPE:
        for one, other in ((a, b), (b, a)):
            if isinstance(one.const, DtypeVar) and isinstance(other.const, Dtype):
                negation = "!" if sign == "!=" else ""
                text = f"{negation}std::is_same_v<{one.const.name}, {other.const.cpp}>"
                return PlanValue(text, BOOL, precedence=UNARY if negation else PRIMARY, constexpr=True)
    same_text = a.type == TEXT and b.type == TEXT
    comparable = is_number(a.type) and is_number(b.type)
    lists = isinstance(a.type, ListType) and isinstance(b.type, ListType) and a.type.item == b.type.item
    if not (same_text or comparable or lists or (a.type == DTYPE and b.type == DTYPE)):
        raise scope.refuse(PlanType, node, f"{described(a.type)} {sign} {described(b.type)} cannot be compared")
    if lists:
        from ferrata.op.plan.members import as_vector

        a, b = as_vector(scope, a), as_vector(scope, b)
    left = f"std::string({a.cpp})" if same_text and a.const is not None else wrap(a, EQUALITY - 1)
    return PlanValue(
        f"{left} {sign} {wrap(b, EQUALITY - 1)}", BOOL, precedence=EQUALITY, constexpr=a.constexpr and b.constexpr
    )


def _is_none(scope: Scope, node: ast.Compare, left: ast.expr, right: ast.expr, negated: bool) -> PlanValue:
    a, b = expression(scope, left), expression(scope, right)
    if b.type != ANY_NONE:
        raise scope.refuse(PlanFeature, node, "`is` compares with None only", "Write == for values.")
    if not isinstance(a.type, TensorType):
        raise scope.refuse(PlanType, node, f"{described(a.type)} is never None")
    if not a.type.optional:
        raise scope.refuse(
            PlanType, node, "this tensor is never None", "Optional tensors are written `fe.Tensor[...] | None`."
        )
    return PlanValue(f"{'' if negated else '!'}{a.cpp}.defined", BOOL, precedence=PRIMARY if negated else UNARY)


def _choice(scope: Scope, node: ast.IfExp) -> PlanValue:
    test = truth(scope, node.test)
    a, b = expression(scope, node.body), expression(scope, node.orelse)
    kind = joined(a.type, b.type)
    if kind is None:
        raise scope.refuse(PlanType, node, f"this is {described(a.type)} or {described(b.type)}")
    choices = None
    if a.choices is not None and b.choices is not None:
        choices = tuple(dict.fromkeys((*a.choices, *b.choices)))
    low = None if a.minimum is None or b.minimum is None else min(a.minimum, b.minimum)
    cast = f"{scope.size}(" if scope.symbolic and kind == INT else ""
    left, right = (f"{cast}{v.cpp})" if cast else wrap(v, TERNARY - 1) for v in (a, b))
    return PlanValue(
        f"{wrap(test, OR)} ? {left} : {right}", kind, precedence=TERNARY, minimum=low, choices=choices,
        constexpr=test.constexpr and a.constexpr and b.constexpr,
    )  # fmt: skip


def _text(scope: Scope, node: ast.JoinedStr) -> PlanValue:
    parts = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(text_literal(str(value.value)))
            continue
        assert isinstance(value, ast.FormattedValue)
        if value.format_spec is not None or value.conversion not in (-1, ord("s"), ord("r")):
            raise scope.refuse(
                PlanFeature, value, "formats in f-strings have no counterpart in C++",
                f"Write {{{ast.unparse(value.value)}}}.",
            )  # fmt: skip
        inner = expression(scope, value.value)
        if inner.type == TEXT and value.conversion == ord("r"):
            parts += ['"\'"', inner.cpp if inner.const is None else f"std::string({inner.cpp})", '"\'"']
        elif inner.type == TEXT:
            parts.append(inner.cpp if inner.const is None else f"std::string({inner.cpp})")
        elif is_number(inner.type):
            parts.append(f"std::to_string({inner.cpp})")
        elif isinstance(inner.type, ListType) and inner.type.item == INT:
            from ferrata.op.plan.members import as_vector

            scope.unit.needs.add("Text")
            parts.append(f"Text({as_vector(scope, inner).cpp})")
        else:
            raise scope.refuse(PlanType, value, f"{described(inner.type)} cannot be part of a text")
    if not parts or parts[0].startswith('"') or len(parts) == 1:
        parts[:1] = [f"std::string({parts[0] if parts else ''})"]
    return PlanValue(" + ".join(parts), TEXT, precedence=ADD if len(parts) > 1 else PRIMARY)
