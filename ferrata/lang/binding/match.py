"""Which form a call means: arguments against slots, by position, name and kind. Element types come later."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ferrata.lang.binding.adapt import is_number
from ferrata.lang.binding.fits import refusal
from ferrata.lang.binding.names import key
from ferrata.lang.binding.signature import Signature, Slot
from ferrata.lang.binding.words import described, wanted
from ferrata.lang.elements import Dtype, DtypeVar, Element
from ferrata.lang.values import (
    EnumType,
    LocalType,
    Value,
)

# dst = src (op) scalar is the same with both exchanged; Python takes either order.
COMMUTATIVE = ("Adds", "Muls", "Maxs", "Mins")


@dataclass
class Bound:
    """A form with its arguments. types: element types that were given; rest: what follows a format."""

    signature: Signature
    values: dict[Slot, Value] = field(default_factory=dict)
    types: dict[str, Element] = field(default_factory=dict)
    rest: tuple[Value, ...] = ()

    def value(self, name: str) -> Value | None:
        """The argument of a parameter, None where its default holds."""
        slot = self.signature.by_name.get(key(name))
        return self.values.get(slot) if slot else None


def match(signature: Signature, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Bound | str:
    """The form with these arguments, or why they do not fit it."""
    bound = Bound(signature)
    for name, value in kwargs.items():
        problem = _by_name(bound, name, value)
        if problem:
            return problem
    positional = _exchanged(signature, args)
    positional = _take_types(bound, positional)
    positional = _take_enums(bound, positional)
    problem = _by_position(bound, positional)
    if problem:
        return problem
    for slot in signature.types:
        if slot.default is None and slot.name not in bound.types:
            return f"{slot.name}, an element type, is missing"
    for slot in (*signature.templates, *signature.params):
        if slot.kind.tag != "type" and not slot.optional and slot not in bound.values:
            return f"{slot.python} is missing"
    for slot, value in bound.values.items():
        if refusal(slot.kind, value):
            return f"{slot.python} takes {wanted(slot.kind)}, not {described(value)}"
    return bound


def _by_name(bound: Bound, name: str, value: Value) -> str:
    slot = bound.signature.by_name.get(key(name))
    required = [slot for slot in bound.signature.types if slot.default is None]
    if slot is None and name == "dtype" and len(required) == 1:
        slot = required[0]
    left_out = value.cpp == "" and value.const is None and not value.items  # None, of whichever type
    if slot is None:
        near = difflib.get_close_matches(key(name), bound.signature.by_name, n=1)
        meant = f"; {bound.signature.by_name[near[0]].python} is one" if near else ""
        return "" if left_out else f"it has no parameter {name}{meant}"
    if slot.kind.result:
        return f"{slot.python} is one of its results" if left_out else f"{slot.python} is a result, not an argument"
    if slot.kind.tag == "type":
        if not isinstance(value.const, (Dtype, DtypeVar)):
            return f"{slot.name} takes an element type, not {described(value)}"
        bound.types[slot.name] = value.const
    else:
        bound.values[slot] = value
    return ""


def _exchanged(signature: Signature, args: Sequence[Value]) -> list[Value]:
    found = list(args)
    if signature.api.name in COMMUTATIVE and len(found) > 2:
        tensor = isinstance(found[2].type, LocalType)
        if is_number(found[1]) and tensor:
            found[1], found[2] = found[2], found[1]
    return found


def _take_types(bound: Bound, args: Sequence[Value]) -> list[Value]:
    """Element types go to the type parameters wherever they stand."""
    free = [slot for slot in bound.signature.types if slot.name not in bound.types]
    left = []
    for value in args:
        if isinstance(value.const, (Dtype, DtypeVar)) and free:
            bound.types[free.pop(0).name] = value.const
        else:
            left.append(value)
    return left


def _take_enums(bound: Bound, args: Sequence[Value]) -> list[Value]:
    """A member of an enumeration that only a template parameter has goes there wherever it stands."""
    used = {slot.kind.name for slot in bound.signature.params if slot.kind.tag == "enum"}
    free = [
        slot
        for slot in bound.signature.templates
        if slot.kind.tag == "enum" and slot.kind.name not in used and slot not in bound.values
    ]
    left = []
    for value in args:
        name = value.type.name if isinstance(value.type, EnumType) else ""
        slot = next((slot for slot in free if slot.kind.name == name), None)
        if slot:
            free.remove(slot)
            bound.values[slot] = value
        else:
            left.append(value)
    return left


def _by_position(bound: Bound, args: Sequence[Value]) -> str:
    signature = bound.signature
    free = [slot for slot in signature.slots if slot not in bound.values and slot.kind.tag != "rest"]
    takes_rest = any(slot.kind.tag == "rest" for slot in signature.slots)
    if len(args) > len(free) and not takes_rest:
        twice = next(
            (slot for slot in signature.slots[: len(args)] if slot in bound.values and not slot.template), None
        )
        if twice:
            return f"{twice.python} is given twice"
        return f"it takes {len(free)} arguments by position, not {len(args)}"
    for slot, value in zip(free, args, strict=False):
        bound.values[slot] = value
    bound.rest = tuple(args[len(free) :])
    return ""
