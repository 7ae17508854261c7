"""Numbers: operators with Python's meaning in C++'s words, and conversions between the number types.

Python's int is int64_t, float is float. An element that was read from a tensor of narrow integers or half is widened by
the first operator that meets it. Elements of a dtype variable T stay T and meet numbers of T and literals only.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang.elements import Dtype, DtypeVar, bf16, boolean, f16, f32, i64, u64
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.types import known, spelled
from ferrata.lang.values import BOOL, FLOAT, INT, Formula, ScalarType, Value

PRIMARY, UNARY, TIMES, PLUS, SHIFT, LESS, EQUAL, AND, XOR, OR, BOTH, EITHER, CHOICE = (
    0,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
)


def literal(value: bool | int | float) -> Value:
    """A number of Python."""
    if isinstance(value, bool):
        return Value("true" if value else "false", BOOL, const=value)
    if isinstance(value, int):
        text = str(value) if -(2**63) < value < 2**63 else f"{value}u" if value > 0 else "INT64_MIN"
        return Value(text, INT, const=value, precedence=UNARY if value < 0 else 0, minimum=value, multiple=abs(value))
    return Value(float_text(value), FLOAT, const=value, precedence=UNARY if value < 0 else 0)


def float_text(value: float) -> str:
    """A float literal of C++."""
    if math.isnan(value):
        return '__builtin_nanf("")'
    if math.isinf(value) or abs(value) > 3.4028235677973366e38:
        return "__builtin_inff()" if value > 0 else "-__builtin_inff()"
    text = repr(value)
    return (text if "." in text or "e" in text else text + ".0") + "f"


def wrap(value: Value, level: int, strict: bool = False) -> str:
    """The text as an operand: in parentheses where C++ would read it otherwise. strict: also at the same level."""
    loose = value.precedence > level or (strict and value.precedence == level)
    return f"({value.cpp})" if loose else value.cpp


def element_of(value: Value) -> Dtype | DtypeVar | None:
    """The element type of a number."""
    return value.type.element if isinstance(value.type, ScalarType) else None


def floating(value: Value) -> bool:
    """Whether a number is a float."""
    element = element_of(value)
    return isinstance(element, Dtype) and element.floating


def number(f: Function, value: Value, node: ast.AST, what: str) -> Value:
    """The value if it is a number, else an error."""
    if not isinstance(value.type, ScalarType):
        f.fail(errors.WrongType, node, what=what, expected="numbers", got=spelled(value.type), help=_advice(value))
    return value


def integer(f: Function, value: Value, node: ast.AST, what: str) -> Value:
    """The value as int if it is one, else an error: Python would not round either."""
    value = number(f, value, node, what)
    element = element_of(value)
    if floating(value) or (isinstance(element, DtypeVar) and any(d.floating for d in f.possible(element))):
        f.fail(
            errors.WrongType, node, what=what, expected="an int", got=spelled(value.type), help="Convert with int(x)."
        )
    return to_int(f, value)


def _advice(value: Value) -> str:
    name = type(value.type).__name__
    if name in ("LocalType", "GlobalType", "BufferType"):
        return "Arithmetic on tensors is a call, such as ac.add(dst, a, b, n); one element is x[i]."
    return ""


def to_float(f: Function, value: Value, cast: bool = False) -> Value:
    """A number as float. cast: also where C++ converts by itself."""
    element = element_of(value)
    if element == f32:
        return value
    if value.const is not None and element in (i64, boolean):
        return literal(float(value.const))
    formula = known(value)
    if element == bf16 or isinstance(element, DtypeVar):
        text = f"{f.unit.helper('ToFloat')}({value.cpp})"
    elif cast or element == f16:
        text = f"static_cast<float>({value.cpp})"
    else:
        return replace(value, type=FLOAT)
    return Value(text, FLOAT, formula=formula and (lambda bound: float(formula(bound))))


def to_int(f: Function, value: Value) -> Value:
    """A number as int: towards zero, as Python's int()."""
    element = element_of(value)
    if element == i64:
        return value
    if isinstance(value.const, int | float):
        return literal(int(value.const))
    if element == bf16 or isinstance(element, DtypeVar):
        value = to_float(f, value) if element == bf16 or any(d.floating for d in f.choices(element)) else value
    formula = known(value)
    return Value(
        f"static_cast<int64_t>({value.cpp})", INT, minimum=0 if element == boolean else value.minimum,
        formula=formula and (lambda bound: int(formula(bound))),
    )  # fmt: skip


def to_bool(f: Function, value: Value, node: ast.AST) -> Value:
    """A number as bool."""
    element = element_of(value)
    if element == boolean:
        return value
    if element is None:
        optional = "" if value.const is not None else " Ask whether an optional tensor is there with `x is not None`."
        f.fail(
            errors.WrongType,
            node,
            what="a condition",
            expected="a bool or a number",
            got=spelled(value.type),
            help=optional.strip(),
        )
    if isinstance(value.const, int | float):
        return literal(bool(value.const))
    if isinstance(element, DtypeVar) or element in (f16, bf16):
        value = to_float(f, value)
    zero = "0.0f" if floating(value) else "0"
    formula = known(value)
    return Value(
        f"{wrap(value, EQUAL)} != {zero}",
        BOOL,
        precedence=EQUAL,
        formula=formula and (lambda bound: bool(formula(bound))),
    )


def cast(f: Function, value: Value, element: Dtype | DtypeVar, node: ast.AST) -> Value:
    """`ac.f16(x)`, `T(x)`: a number as an element type."""
    number(f, value, node, "a conversion")
    f.use(element)
    kind = ScalarType(element)
    if value.type == kind:
        return value
    source = element_of(value)
    if element == f32:
        return to_float(f, value, cast=True)
    if element == i64:
        return to_int(f, value)
    if element == boolean:
        return to_bool(f, value, node)
    if element == bf16 or (isinstance(element, DtypeVar) and bf16 in f.choices(element)):
        inner = to_float(f, value)
        return Value(f"{f.unit.helper('FromFloat')}<{element.cpp}>({inner.cpp})", kind)
    if source == bf16 or isinstance(source, DtypeVar):
        value = to_float(f, value)
    return Value(
        f"static_cast<{element.cpp}>({value.cpp})", kind, const=None, minimum=value.minimum, multiple=value.multiple
    )


_TEXT: Mapping[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", PLUS), ast.Sub: ("-", PLUS), ast.Mult: ("*", TIMES), ast.Div: ("/", TIMES), ast.FloorDiv: ("/", TIMES),
    ast.Mod: ("%", TIMES), ast.LShift: ("<<", SHIFT), ast.RShift: (">>", SHIFT), ast.BitAnd: ("&", AND),
    ast.BitOr: ("|", OR), ast.BitXor: ("^", XOR),
}  # fmt: skip
_COMPUTE: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.Pow: operator.pow,
}  # fmt: skip
SPELLED: Mapping[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Pow: "**", ast.MatMult: "@",
}  # fmt: skip


def folds(value: Value) -> bool:
    """Whether the text is a plain number, so that a sum of two may be written as the result."""
    return value.const is not None and not any(
        c.isalpha() for c in value.cpp.replace("true", "").replace("false", "").rstrip("fe")
    )


def binary(f: Function, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
    """`a op b`."""
    kind = type(op)
    what = f"`{SPELLED[kind]}`"
    if kind is ast.MatMult:
        f.fail(
            errors.UnsupportedExpression, node, what="`@`", help="Matrix products are not part of this language yet."
        )
    number(f, a, node, what)
    number(f, b, node, what)
    const = _const(f, kind, a, b, node)
    if const is not None and folds(a) and folds(b):
        return literal(const)
    if kind is ast.Pow:
        return _power(f, a, b, const, node)
    result = _element(f, op, a, b, node, what, const)
    formula = formula_of(_COMPUTE[kind], a, b)
    value = replace(result, const=const, formula=formula if const is None else None)
    return _bounds(kind, a, b, value)


def _const(f: Function, kind: type[ast.operator], a: Value, b: Value, node: ast.AST) -> Any:
    if not (isinstance(a.const, int | float) and isinstance(b.const, int | float)):
        return None
    try:
        result = _COMPUTE[kind](a.const, b.const)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError) as problem:
        f.fail(errors.UnsupportedExpression, node, what=f"this constant ({problem})")
    return result if isinstance(result, int | float) else None


def formula_of(compute: Callable[[Any, Any], Any], a: Value, b: Value) -> Formula | None:
    """What an operator gives once all is bound; None if one side does not tell."""
    left, right = known(a), known(b)
    if left is None or right is None:
        return None
    return lambda bound: compute(left(bound), right(bound))


def _element(f: Function, op: ast.operator, a: Value, b: Value, node: ast.AST, what: str, const: Any) -> Value:
    """The operation in C++, after both operands have one type."""
    kind = type(op)
    text, level = _TEXT[kind]
    one, other = element_of(a), element_of(b)
    if isinstance(one, DtypeVar) or isinstance(other, DtypeVar):
        return _of_variable(f, kind, a, b, node, what)
    if kind is ast.Div:
        a, b = to_float(f, a, cast=a.const is None), to_float(f, b, cast=b.const is None)
        return Value(f"{wrap(a, level)} / {wrap(b, level, True)}", FLOAT, precedence=level)
    if floating(a) or floating(b):
        if kind not in (ast.Add, ast.Sub, ast.Mult):
            f.fail(
                errors.WrongType, node, what=what, expected="ints", got="float",
                help="Convert with int(x) first; `a / b` is the float division.",
            )  # fmt: skip
        a, b = to_float(f, a), to_float(f, b)
        return Value(f"{wrap(a, level)} {text} {wrap(b, level, True)}", FLOAT, precedence=level)
    if one == boolean and other == boolean and kind in (ast.BitAnd, ast.BitOr, ast.BitXor):
        return Value(f"{wrap(a, level)} {text} {wrap(b, level, True)}", BOOL, precedence=level)
    if kind in (ast.FloorDiv, ast.Mod) and b.const == 0 and not isinstance(b.const, bool | None):
        f.fail(errors.UnsupportedExpression, node, what="a division by zero", help="It ends the process when it runs.")
    a, b = _wide(a, b, kind)
    result = ScalarType(u64) if u64 in (one, other) else INT
    if kind in (ast.FloorDiv, ast.Mod) and result == INT and not (natural(a) and natural(b)):
        name = f.unit.helper("FloorDiv" if kind is ast.FloorDiv else "FloorMod")
        return Value(f"{name}({a.cpp}, {b.cpp})", INT)
    # the compiler warns of these mixtures, and a reader stumbles
    mixed = level in (SHIFT, AND, XOR, OR)
    left, right = (_tight(a), _tight(b)) if mixed else (wrap(a, level), wrap(b, level, True))
    return Value(f"{left} {text} {right}", result, precedence=level)


def _tight(value: Value) -> str:
    return wrap(value, UNARY)


def natural(value: Value) -> bool:
    """Whether it is certainly not negative."""
    return (value.minimum is not None and value.minimum >= 0) or element_of(value) in (u64, boolean)


def _wide(a: Value, b: Value, kind: type[ast.operator]) -> tuple[Value, Value]:
    """One operand is 64 bits wide, so that C++ computes in 64 bits; the left one of a shift."""

    def narrow(value: Value) -> bool:
        return element_of(value) not in (i64, u64) or (value.const is not None and folds(value))

    def widen(value: Value) -> Value:
        return replace(value, cpp=f"static_cast<int64_t>({value.cpp})", precedence=0)

    if kind in (ast.LShift, ast.RShift):
        return (widen(a) if narrow(a) else a), b
    if narrow(a) and narrow(b):
        return (a, widen(b)) if a.const is not None else (widen(a), b)
    return a, b


def _of_variable(f: Function, kind: type[ast.operator], a: Value, b: Value, node: ast.AST, what: str) -> Value:
    """Numbers of T: with numbers of T and literals, computed as T."""
    variable = next(e for e in (element_of(a), element_of(b)) if isinstance(e, DtypeVar))
    for side in (a, b):
        if element_of(side) != variable and side.const is None:
            f.fail(
                errors.WrongType, node, what=f"{what} of {variable}", expected=f"{variable} or a literal",
                got=spelled(side.type), help=f"Convert one side: float(x), int(x) or {variable}(x).",
            )  # fmt: skip
    if kind not in (ast.Add, ast.Sub, ast.Mult) or bf16 in f.possible(variable):
        f.fail(
            errors.WrongType, node, what=what, expected="ints or floats", got=f"{variable}",
            help=f"Convert with float(x) or int(x), and back with {variable}(x).",
        )  # fmt: skip
    a, b = (side if element_of(side) == variable else cast(f, side, variable, node) for side in (a, b))
    text, level = _TEXT[kind]
    return Value(f"static_cast<{variable.cpp}>({wrap(a, level)} {text} {wrap(b, level, True)})", ScalarType(variable))


def _power(f: Function, a: Value, b: Value, const: Any, node: ast.AST) -> Value:
    if const is not None:
        return literal(const)
    if isinstance(b.const, int) and 1 <= b.const <= 4 and a.precedence == 0:
        result = a
        for _ in range(b.const - 1):
            result = binary(f, ast.Mult(), result, a, node)
        return result
    f.fail(
        errors.UnsupportedExpression, node, what="`**` of these operands",
        help="x ** 2 to x ** 4 of a variable works; write other powers as products, or use ac.ln and ac.exp on a tensor.",
    )  # fmt: skip


def _bounds(kind: type[ast.operator], a: Value, b: Value, value: Value) -> Value:
    """What can be proved of the result: a lower bound, a common factor."""
    if value.type != INT:
        return value
    low, other = a.minimum, b.minimum
    minimum, multiple = None, 1
    if kind is ast.Add:
        minimum = low + other if low is not None and other is not None else None
        multiple = math.gcd(a.multiple, b.multiple)
    elif kind is ast.Sub:
        multiple = math.gcd(a.multiple, b.multiple)
    elif kind is ast.Mult:
        minimum = low * other if low is not None and other is not None and low >= 0 and other >= 0 else None
        multiple = a.multiple * b.multiple
    elif kind is ast.FloorDiv:
        minimum = 0 if natural(a) and natural(b) else None
        if isinstance(b.const, int) and b.const > 0 and a.multiple % b.const == 0:
            multiple = a.multiple // b.const
    elif kind is ast.Mod:
        minimum = 0 if natural(b) else None
        multiple = math.gcd(a.multiple, b.multiple)
    elif kind is ast.LShift:
        minimum = 0 if natural(a) else None
        multiple = a.multiple << b.const if isinstance(b.const, int) and 0 <= b.const < 62 else a.multiple
    elif kind in (ast.RShift, ast.BitAnd, ast.BitOr):
        minimum = 0 if natural(a) and natural(b) else None
        if kind is ast.BitAnd and isinstance(b.const, int) and b.const < 0:  # n & -8
            minimum, multiple = (0 if natural(a) else None), b.const & -b.const
    if isinstance(value.const, int):
        minimum, multiple = value.const, abs(value.const)
    return replace(value, minimum=minimum, multiple=multiple)


def unary(f: Function, op: ast.unaryop, a: Value, node: ast.AST) -> Value:
    """`-a`, `+a`, `~a`, `not a`."""
    if isinstance(op, ast.Not):
        value = to_bool(f, a, node)
        inner = known(value)
        const = not value.const if value.const is not None else None
        return Value(
            f"!{wrap(value, UNARY)}", BOOL, const=const, precedence=UNARY,
            formula=inner and (lambda bound: not inner(bound)),
        )  # fmt: skip
    number(f, a, node, "a sign" if not isinstance(op, ast.Invert) else "`~`")
    element = element_of(a)
    if isinstance(op, ast.UAdd):
        return a
    if a.const is not None and folds(a):
        return literal(-a.const if isinstance(op, ast.USub) else ~a.const)
    if isinstance(op, ast.Invert):
        if floating(a) or isinstance(element, DtypeVar) or element == boolean:
            f.fail(
                errors.WrongType,
                node,
                what="`~`",
                expected="an int",
                got=spelled(a.type),
                help="`not x` negates a bool.",
            )
        a = to_int(f, a) if element != u64 else a
        return Value(f"~{wrap(a, UNARY)}", a.type, precedence=UNARY)
    if isinstance(element, DtypeVar):
        if bf16 in f.possible(element):
            f.fail(
                errors.WrongType,
                node,
                what="a sign",
                expected="an int or float",
                got=f"{element}",
                help="Convert with float(x).",
            )
        return Value(f"static_cast<{element.cpp}>(-{wrap(a, UNARY)})", a.type)
    a = to_float(f, a) if floating(a) else to_int(f, a) if element != u64 else a
    formula = known(a)
    text = wrap(a, UNARY)
    return Value(
        f"-({text})" if text.startswith("-") else f"-{text}", a.type, precedence=UNARY, multiple=a.multiple,
        const=-a.const if a.const is not None else None, formula=formula and (lambda bound: -formula(bound)),
    )  # fmt: skip
