"""Which form a call means: arguments against slots, by position, name and kind. Element types come later."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ferrata.lang.binding.adapt import is_integer, is_number
from ferrata.lang.binding.kinds import Kind
from ferrata.lang.binding.names import key
from ferrata.lang.binding.signature import Signature, Slot
from ferrata.lang.elements import Dtype, DtypeVar, Element, bf16, choices
from ferrata.lang.values import (
    BOOL,
    EnumType,
    GlobalType,
    LocalType,
    NoneType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
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


def refusal(kind: Kind, value: Value) -> bool:
    """Whether a parameter of this kind refuses the value."""
    given = value.type
    if kind.tag == "local":
        return not isinstance(given, LocalType)
    if kind.tag == "global":
        return not isinstance(given, GlobalType)
    if kind.tag == "scalar":
        if not isinstance(given, ScalarType) or given == BOOL:
            return True
        return kind.name in ("bfloat16_t", "float") and (bf16 in choices(given.element)) != (kind.name == "bfloat16_t")
    if kind.tag == "int":
        enum = (isinstance(given, EnumType) and given.name == kind.name) or given == EnumType("event_t")
        return not (is_integer(value) or enum) or given == BOOL
    if kind.tag == "bool":
        return not (given == BOOL or (is_number(value) and value.const in (0, 1) and isinstance(value.const, int)))
    if kind.tag == "enum":
        return not (isinstance(given, EnumType) and given.name == kind.name)
    if kind.tag == "struct":
        same = isinstance(given, StructType) and given.name.partition("<")[0] == kind.name.partition("<")[0]
        return not (same or (isinstance(given, TupleType) and _fields(kind.name, value)))
    if kind.tag == "bits":
        return not ((_numbers(value) and len(value.items) <= 2) or _array_of(given, "uint64_t"))
    if kind.tag == "list":
        sized = kind.length in (0, len(value.items)) and isinstance(given, TupleType)
        return not ((sized and _items(kind.name, value.items)) or _array_of(given, kind.name))
    if kind.tag == "pointer":
        return not (isinstance(given, GlobalType) or (isinstance(given, OpaqueType) and _pointer(given.name)))
    if kind.tag == "object":
        inner = kind.name.partition("<")[0]
        named = isinstance(given, OpaqueType) and (len(inner) == 1 or given.name.partition("<")[0] == inner)
        return not named
    return kind.tag == "text" and not isinstance(value.const, str)


def _fields(struct: str, value: Value) -> bool:
    from ferrata.lang.binding.structs import layout

    return layout(struct.partition("<")[0]).holds(value)


def _items(name: str, items: Sequence[Value]) -> bool:
    """Whether a list holds what an array of `name` takes."""
    if "LocalTensor" in name:
        return all(isinstance(item.type, LocalType) for item in items)
    if name[0].isupper():  # a structure
        return all(isinstance(item.type, (StructType, TupleType)) for item in items)
    return all(is_number(item) for item in items)


def _numbers(value: Value) -> bool:
    return isinstance(value.type, TupleType) and bool(value.items) and all(is_integer(item) for item in value.items)


def _array_of(given: object, item: str) -> bool:
    return isinstance(given, OpaqueType) and given.name.partition("[")[0].strip() == item and "[" in given.name


def _pointer(name: str) -> bool:
    return name == "GM_ADDR" or "*" in name


def wanted(kind: Kind) -> str:
    """What a kind takes, in words."""
    struct = kind.name.partition("<")[0]
    words = {
        "local": "a local tensor", "global": "a device tensor", "scalar": "a number", "int": "an int", "bool": "a bool",
        "enum": f"a member of ac.{kind.name}", "struct": f"an ac.{struct} or a tuple of its fields",
        "bits": "a list of one or two ints",
        "list": f"a list of {kind.length} items" if kind.length else "a list", "pointer": "a device address",
        "object": f"a {struct}" if len(struct) > 1 else "a queue, buffer or pool", "text": "a string",
    }  # fmt: skip
    return words.get(kind.tag, kind.tag)


def described(value: Value) -> str:
    """A value in words, for an error."""
    given = value.type
    if isinstance(value.const, (Dtype, DtypeVar)):
        return f"the element type {value.const!r}"
    if isinstance(value.const, str):
        return f"the string {value.const!r}"
    if isinstance(given, LocalType):
        return f"a local tensor of {_named(given.element)}"
    if isinstance(given, GlobalType):
        return f"a device tensor of {_named(given.element)}"
    if isinstance(given, ScalarType):
        if isinstance(value.const, (int, float)):
            return f"{value.const!r}"
        kinds = {"bool": "a bool", "int64_t": "an int", "float": "a float"}
        return kinds.get(given.element.cpp, f"a number of type {_named(given.element)}")
    if isinstance(given, EnumType):
        return f"a member of ac.{given.name}" if value.const is None else f"ac.{value.cpp.replace('::', '.')}"
    if isinstance(given, TupleType):
        return f"a list of {len(value.items)}"
    if isinstance(given, NoneType):
        return "None"
    name = getattr(given, "name", "")
    return f"an ac.{name}" if name else "something else"


def _named(element: Element) -> str:
    return element.name
