"""Whether the element types of a call are allowed on the chip, for every member that a variable can still be."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ferrata.lang.api import Api
from ferrata.lang.binding.adapt import is_literal
from ferrata.lang.binding.context import Context, members
from ferrata.lang.binding.match import Bound
from ferrata.lang.elements import Dtype, DtypeVar, Element, by_cpp, i32, i64
from ferrata.lang.registry import by_id
from ferrata.lang.values import GlobalType, LocalType, ScalarType, StructType, Value


class Refused(Exception):
    """Element types that the interface does not take: the message and the help, and the argument to point at."""

    def __init__(self, message: str, help: str, value: Value | None = None) -> None:
        super().__init__(message)
        self.message, self.help, self.value = message, help, value


def solve(
    bound: Bound, rows: Iterable[Api], spelled: str, owner: Element | None, context: Context
) -> dict[str, Element]:
    """The element of each type parameter. `rows`: all rows with this form's shape; `owner`: of a member's object.

    Raises Refused where two arguments disagree or the types are not allowed.
    """
    elements, sources = _deduced(bound, spelled, owner, context)
    rows = [row for row in rows if context.chip in row.dtypes]
    _numbers(bound, elements, rows, context)
    letters = bound.signature.api.dtypes[context.chip].letters if rows else ()
    allowed = _allowed(bound.signature.api.id, tuple(row.id for row in rows), context.chip)
    fixed = {slot.kind.name: slot for slot in bound.signature.params if by_cpp(slot.kind.name)}
    _fixed(bound, spelled, context)
    if allowed and not fixed.keys() & set(letters):
        _check(bound, elements, sources, allowed, letters, spelled, context)
    return elements


def _deduced(
    bound: Bound, spelled: str, owner: Element | None, context: Context
) -> tuple[dict[str, Element], dict[str, Value]]:
    """Elements by letter, and the argument that each came from."""
    elements: dict[str, Element] = dict(bound.types)
    sources: dict[str, Value] = {}
    slots: dict[str, str] = dict.fromkeys(elements, "")
    if owner is not None:
        elements["PrimType"] = owner
    for slot, value in bound.values.items():
        element = _element_of(value)
        letter = slot.kind.name if slot.kind.tag in ("local", "global", "pointer") else _inner(slot.kind.name)
        if element is None or not _is_letter(letter, bound):
            continue
        if slot.kind.tag == "scalar":
            continue
        if letter not in elements:
            elements[letter], sources[letter], slots[letter] = element, value, slot.python
        elif not _same(elements[letter], element, context):
            raise Refused(
                f"{slots[letter] or letter} is {_name(elements[letter])} and {slot.python} is {_name(element)}",
                f"{spelled} takes one element type for both.",
                value,
            )
    if owner is not None:  # SetValue's U is the tensor's
        for slot in bound.signature.params:
            if slot.kind.tag == "scalar" and _is_letter(slot.kind.name, bound):
                elements.setdefault(slot.kind.name, owner)
    return elements, sources


def _inner(name: str) -> str:
    return name.partition("<")[2].removesuffix(">")


def _is_letter(name: str, bound: Bound) -> bool:
    return name in bound.signature.letters or (bound.signature.whole and len(name) == 1)


def _element_of(value: Value) -> Element | None:
    if isinstance(value.type, (LocalType, GlobalType, ScalarType)):
        return value.type.element
    if isinstance(value.type, StructType) and "<" in value.type.name:
        return next((e for e in (value.type.python,) if isinstance(e, (Dtype, DtypeVar))), None)
    if value.items and isinstance(value.items[0].type, LocalType):
        return value.items[0].type.element
    return None


def _numbers(bound: Bound, elements: dict[str, Element], rows: Iterable[Api], context: Context) -> None:
    """Letters that only a number has: its own type; an int where only integers are allowed is int64_t or int32_t."""
    for slot, value in bound.values.items():
        letter = slot.kind.name
        if slot.kind.tag != "scalar" or letter in elements or not _is_letter(letter, bound):
            continue
        element = _element_of(value)
        allowed = {
            by_cpp(combo[at])
            for row in rows
            for at, name in enumerate(row.dtypes[context.chip].letters)
            if name == letter
            for combo in row.dtypes[context.chip]
        }
        integers = allowed and not any(member and member.floating for member in allowed)
        if is_literal(value) and integers:
            elements[letter] = i64 if i64 in allowed else i32
        elif element is not None and not is_literal(value):
            elements[letter] = element
        else:
            raise Refused(
                f"the type of {slot.python} is open",
                f"Give it as an element type: {letter}=ac.f32, for example.",
                value,
            )


def _same(a: Element, b: Element, context: Context) -> bool:
    return a == b or (members(a, context) == members(b, context) and len(members(a, context)) == 1)


@cache
def _allowed(id: str, rows: tuple[str, ...], chip: str) -> list[tuple[Dtype, ...]]:
    """Allowed combinations of a row's letters, over all these rows; what Python has no type for is left out."""
    own = by_id()[id].dtypes.get(chip)
    found: dict[tuple[Dtype, ...], None] = {}
    for other in (by_id()[row].dtypes[chip] for row in rows):
        if own and len(own) and other.letters == own.letters:
            for combo in other:
                members = tuple(member for member in map(by_cpp, combo) if member)
                if len(members) == len(combo):
                    found.setdefault(members)
    return list(found)


def _fixed(bound: Bound, spelled: str, context: Context) -> None:
    """Parameters with one element type written in the declaration, `LT<uint32_t> srcOffset`."""
    for slot, value in bound.values.items():
        wanted = by_cpp(slot.kind.name)
        given = _element_of(value)
        if slot.kind.tag in ("local", "global") and wanted and given is not None:
            wrong = [member for member in members(given, context) if member != wanted]
            if wrong:
                raise Refused(
                    f"{spelled} does not take {_subject(given, wrong[0])} for {slot.python}",
                    f"{slot.python} is {wanted.name}.",
                    value,
                )


def _check(
    bound: Bound,
    elements: Mapping[str, Element],
    sources: Mapping[str, Value],
    allowed: list[tuple[Dtype, ...]],
    letters: tuple[str, ...],
    spelled: str,
    context: Context,
) -> None:
    known = [letter for letter in letters if letter in elements]
    at = [letters.index(letter) for letter in known]
    rows = {tuple(combo[i] for i in at) for combo in allowed}
    for assignment in _assignments([elements[letter] for letter in known], context):
        if assignment not in rows:
            _refuse(known, elements, sources, assignment, _ordered(allowed, at), spelled, bound)


def _assignments(elements: list[Element], context: Context) -> Iterator[tuple[Dtype, ...]]:
    """Every way to choose members, a variable the same everywhere."""
    variables = list({e.name: e for e in elements if isinstance(e, DtypeVar)}.values())
    for chosen in itertools.product(*(context.possible(variable) for variable in variables)):
        members = dict(zip((variable.name for variable in variables), chosen, strict=True))
        yield tuple(members[e.name] if isinstance(e, DtypeVar) else e for e in elements)


def _ordered(allowed: list[tuple[Dtype, ...]], at: list[int]) -> list[tuple[Dtype, ...]]:
    return list(dict.fromkeys(tuple(combo[i] for i in at) for combo in allowed))


def _refuse(
    letters: list[str],
    elements: Mapping[str, Element],
    sources: Mapping[str, Value],
    wrong: tuple[Dtype, ...],
    allowed: list[tuple[Dtype, ...]],
    spelled: str,
    bound: Bound,
) -> None:
    value = next((sources[letter] for letter in letters if letter in sources), None)
    if len(letters) == 1:
        raise Refused(
            f"{spelled} does not take {_subject(elements[letters[0]], wrong[0])}".rstrip(","),
            f"It takes {listed(member.name for (member,) in allowed)}." + _narrow(elements[letters[0]]),
            value,
        )
    first, second = wrong
    one, other = (_role(letter, bound) for letter in letters)
    parts = (f"{_subject(elements[x], m)} for {_role(x, bound)}" for x, m in zip(letters, wrong, strict=True))
    to = [b.name for a, b in allowed if a == first]
    of = [a.name for a, b in allowed if b == second]
    hints = (
        f"With {first.name} for {one} it takes {listed(to)} for {other}." if to else f"No {one} is {first.name}.",
        f"With {second.name} for {other} it takes {listed(of)} for {one}." if of else f"No {other} is {second.name}.",
    )
    raise Refused(f"{spelled} does not take {' and '.join(parts)}", " ".join(hints), value)


def _role(letter: str, bound: Bound) -> str:
    """The first parameter of a letter."""
    return next((slot.python for slot in bound.signature.params if slot.kind.name == letter), letter)


def _subject(element: Element, wrong: Dtype) -> str:
    return f"{wrong.name}, which {element.name} can be," if isinstance(element, DtypeVar) else wrong.name


def _narrow(element: Element) -> str:
    if not isinstance(element, DtypeVar):
        return ""
    return f" Leave the others out of {element.name}, or call it where {element.name} is known."


def _name(element: Element) -> str:
    return element.name


def listed(names: Iterable[str]) -> str:
    """`a, b or c`."""
    *head, last = names
    return f"{', '.join(head)} or {last}" if head else last
