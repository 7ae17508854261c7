"""One call: the form it means, its element types, its ranges, then its text.

    names -> match -> dtypes -> limits -> text

The first form of the registry whose arguments match and whose element types are allowed is taken. Where none matches,
the error shows every form as Python spells it and why it does not fit.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from ferrata.errors import (
    ArgumentNotTaken,
    ArgumentOutOfRange,
    ElementTypeNotTaken,
    NoMatchingForm,
    NotConstant,
    NotOnThisChip,
    UnknownAttribute,
    UnknownInterface,
)
from ferrata.lang.api import Api
from ferrata.lang.binding import dtypes, limits, text
from ferrata.lang.binding.context import Context
from ferrata.lang.binding.match import Bound, match
from ferrata.lang.binding.names import Entry, functions, methods, nearest, snake
from ferrata.lang.binding.signature import Signature, signatures
from ferrata.lang.elements import Element
from ferrata.lang.values import GlobalType, LocalType, OpaqueType, ScalarType, StructType, Value


@dataclass(frozen=True)
class Call:
    """What a call is about, for its errors."""

    entry: Entry
    context: Context
    node: ast.AST | None
    spelled: str


def bind(
    name: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    context: Context,
    node: ast.AST | None = None,
) -> Value:
    """The Value of `ac.name(*args, **kwargs)`; `name` as in Python, "Mutex.lock" for a member of a class.

    A call without a result has type NoneType; its text is the statement without a semicolon. Raises UnknownInterface,
    NotOnThisChip, NoMatchingForm, ElementTypeNotTaken, ArgumentOutOfRange or ArgumentNotTaken.
    """
    entry = functions().get(name)
    if entry is None:
        close = nearest(name)
        near = f" Did you mean {dtypes.listed(close)}?" if close else ""
        raise context.error(UnknownInterface, node, name=f"ac.{name}", near=near, help="")
    return _bind(Call(entry, context, node, entry.spelled), args, kwargs, None)


def bind_method(
    value: Value,
    name: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    context: Context,
    node: ast.AST | None = None,
) -> Value:
    """The Value of `value.name(*args, **kwargs)`, a member of a tensor, queue, buffer, pool or pipe."""
    owner = class_of(value)
    table = methods().get(owner, {})
    if name not in table:
        near = [known for known in table if snake(name) == known] or _close(name, table)
        raise context.error(
            UnknownAttribute,
            node,
            owner=f"a {owner}",
            name=name,
            near=f" Did you mean {near[0]}?" if near else "",
            help=f"Its members are {', '.join(table)}."
            if table
            else "Numbers and tuples of a kernel have no attributes and no methods.",
        )
    return _bind(Call(table[name], context, node, f"{owner}.{name}"), args, kwargs, value)


def class_of(value: Value) -> str:
    """The class whose members a value has: "LocalTensor", "TQue"."""
    if isinstance(value.type, LocalType):
        return "LocalTensor"
    if isinstance(value.type, GlobalType):
        return "GlobalTensor"
    by_translator = {"QueueType": "TQue", "BufferType": "TBuf", "ListType": "ListTensorDesc"}
    if type(value.type).__name__ in by_translator:
        return by_translator[type(value.type).__name__]
    if isinstance(value.type, (OpaqueType, StructType)):
        name = value.type.name.partition("<")[0]
        return "TQue" if name == "TQueBind" else name
    return "value"


def _close(name: str, table: Mapping[str, Entry]) -> list[str]:
    return difflib.get_close_matches(name, table, n=1)


def _bind(call: Call, args: Sequence[Value], kwargs: Mapping[str, Value], owner: Value | None) -> Value:
    rows = call.entry.present
    if not rows:
        _absent(call)
    element = owner.type.element if owner and isinstance(owner.type, (LocalType, GlobalType)) else None
    found, reasons = _candidates(rows, args, kwargs)
    own = getattr(owner.type, "element", None) if owner else None
    if not found and own is not None and element is None:  # a queue of the language knows what its blocks hold
        found, _ = _candidates(rows, args, {**kwargs, "T": Value("", OpaqueType("typename"), const=own)})
    if not found:
        _no_form(call, args, reasons)
    bound, elements = _typed(call, found, element)
    for slot, value in bound.values.items():
        if slot.template and value.const is None and not call.context.constexpr(value):
            raise call.context.error(
                NotConstant,
                value.node or call.node,
                what=f"{slot.python} of {call.spelled}",
                help="It is a template argument: a literal, a constant of the module or a Const parameter.",
            )
    for problem in limits.problems(bound, elements, call.context):
        _refuse(call, problem)
    return text.written(call.entry, bound, elements, owner, call.context, call.node)


def _candidates(
    rows: Sequence[Api], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[list[Bound], list[tuple[Signature, str]]]:
    found, reasons = [], []
    for row in rows:
        for signature in signatures(row):
            result = match(signature, args, kwargs)
            if isinstance(result, Bound):
                found.append(result)
            else:
                reasons.append((signature, result))
    return found, reasons


def _typed(call: Call, found: Sequence[Bound], owner: Element | None) -> tuple[Bound, dict[str, Element]]:
    """The first form whose element types are allowed. The rows of all matching forms count together: where a variable
    can be two types, each may have a row of its own."""
    first: dtypes.Refused | None = None
    for bound in found:
        rows = list({b.signature.api.id: b.signature.api for b in found}.values())
        try:
            return bound, dtypes.solve(bound, rows, call.spelled, owner, call.context)
        except dtypes.Refused as refused:
            first = first or refused
    assert first is not None
    place = first.value.node if first.value is not None and first.value.node is not None else call.node
    raise call.context.error(ElementTypeNotTaken, place, problem=first.message, help=first.help)


def _absent(call: Call) -> NoReturn:
    row = call.entry.rows[0]
    if row.pipe == "host":
        help = "It is called on the host, where the launch is planned."
    else:
        help = f"It computes {row.doc.rstrip('.')}. " + row.notes
    raise call.context.error(NotOnThisChip, call.node, chip=call.context.chip, name=call.spelled, help=help.strip())


def _no_form(call: Call, args: Sequence[Value], reasons: Sequence[tuple[Signature, str]]) -> NoReturn:
    lines: dict[str, str] = {}
    kinds = any(slot.kind.tag == "global" for signature, _ in reasons for slot in signature.params)
    for signature, reason in reasons:
        results = ", ".join(slot.python for slot in signature.results)
        arrow = f" -> {results}" if results else ""
        lines.setdefault(f"    {call.spelled}({signature.spelled(kinds)}){arrow}", reason)
    forms = "\n".join(f"{form}\n        {reason}" for form, reason in lines.items())
    raise call.context.error(
        NoMatchingForm, call.node, name=call.spelled, forms="Its forms:\n" + forms, help=_advice(call, args)
    )


def _advice(call: Call, args: Sequence[Value]) -> str:
    """A neighbour of the interface that takes these arguments."""
    other = {"add": "adds", "mul": "muls", "max": "maxs", "min": "mins", "compare": "compares", "sub": "adds"}
    back = {value: key for key, value in other.items() if key != "sub"}
    python = call.entry.python
    operands = args[1:3]
    has_scalar = len(operands) == 2 and any(isinstance(value.type, ScalarType) for value in operands)
    if python in other and has_scalar:
        negated = " with the negated number" if python == "sub" else ""
        return f"With a number as operand it is ac.{other[python]}{negated}."
    if python in back and len(operands) == 2 and not has_scalar:
        return f"With two tensors it is ac.{back[python]}."
    if python == "div" and has_scalar:
        return "With a number as divisor multiply by its reciprocal: ac.muls."
    if any(isinstance(value.type, GlobalType) for value in args[:3]) and re.search("PIPE_V", call.entry.rows[0].pipe):
        return "Vector interfaces work on local tensors; copy the data in first."
    return ""


def _refuse(call: Call, problem: limits.Problem) -> NoReturn:
    node = problem.value.node or call.node
    if problem.range:
        raise call.context.error(
            ArgumentOutOfRange,
            node,
            name=call.spelled,
            what=problem.what,
            value=problem.value.const,
            range=problem.range,
            help=problem.help,
        )
    raise call.context.error(
        ArgumentNotTaken, node, name=call.spelled, problem=problem.message.rstrip("."), help=problem.help
    )
