"""The C++ text of a call whose form and element types are known, and its Value."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from enum import Enum

from ferrata.lang.binding import adapt, names, structs
from ferrata.lang.binding.context import Context
from ferrata.lang.binding.formats import formatted
from ferrata.lang.binding.kinds import INTEGERS
from ferrata.lang.binding.match import Bound
from ferrata.lang.binding.names import STATIC, Entry, enums
from ferrata.lang.binding.signature import Slot
from ferrata.lang.elements import DtypeVar, Element, by_cpp, u32
from ferrata.lang.values import (
    NONE,
    EnumType,
    GlobalType,
    LocalType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    Value,
)

INDEX_BITS = """\
// An index that stands as an integer in the bits of a half or float.
template <typename T>
__aicore__ inline uint32_t IndexBits(T &value)
{
    if constexpr (sizeof(T) == 2) {
        return *reinterpret_cast<uint16_t *>(&value);
    } else {
        return *reinterpret_cast<uint32_t *>(&value);
    }
}"""
_COMPARISONS = {"LT": "<", "GT": ">", "EQ": "==", "LE": "<=", "GE": ">=", "NE": "!="}


def written(
    entry: Entry,
    bound: Bound,
    elements: Mapping[str, Element],
    owner: Value | None,
    context: Context,
    node: ast.AST | None,
) -> Value:
    """The Value of the call. `owner`: the object of a member."""
    if bound.signature.whole:
        return Value(_whole(bound), NONE, node=node)
    results: list[Value] = []
    arguments = []
    for slot in bound.signature.params:
        if slot.kind.result:
            results.append(_result(slot, elements, context))
            arguments.append(re.sub(r"^\w+\(|[\[)].*", "", results[-1].cpp))
        elif slot.kind.tag == "rest":
            pass
        elif slot.kind.tag == "text":
            arguments += formatted(bound.values[slot], bound.rest, context)
        elif slot in bound.values:
            arguments.append(argument(slot, bound.values[slot], elements, context))
        elif _needed(slot, bound):
            arguments.append(slot.default or "")
    explicit = template_arguments(bound, elements)
    call = f"{_callee(entry, owner, elements, bool(explicit))}{explicit}({', '.join(arguments)})"
    if not results:
        return Value(call, returned(bound, elements, owner), node=node)
    context.emit(call + ";")
    if len(results) == 1:
        return Value(results[0].cpp, results[0].type, items=results[0].items, node=node)
    return Value("", TupleType(tuple(value.type for value in results)), items=tuple(results), node=node)


def _callee(entry: Entry, owner: Value | None, elements: Mapping[str, Element], explicit: bool) -> str:
    if owner is not None:
        place = owner.cpp if owner.precedence == 0 else f"({owner.cpp})"
        dependent = isinstance(owner.type, (LocalType, GlobalType)) and isinstance(owner.type.element, DtypeVar)
        return f"{place}.{'template ' if explicit and dependent else ''}{entry.cpp}"
    return entry.cpp if entry.owner in STATIC or not entry.owner else entry.cpp.rpartition("::")[2]


def _whole(bound: Bound) -> str:
    """`dst = src0 + src1`."""
    dst, first, second = (bound.values[slot].cpp for slot in bound.signature.params[:3])
    mode = bound.value("cmpMode")
    sign = _COMPARISONS[mode.cpp.removeprefix("CMPMODE::")] if mode else bound.signature.form.text.split()[3]
    return f"{dst} = {first} {sign} {second}"


def _needed(slot: Slot, bound: Bound) -> bool:
    """Whether a parameter behind this one is given, so that its default must be written."""
    params = bound.signature.params
    return any(later in bound.values for later in params[params.index(slot) + 1 :])


def template_arguments(bound: Bound, elements: Mapping[str, Element]) -> str:
    """`<T, false>`: up to the last that C++ cannot find itself."""
    texts, needed = [], 0
    for at, slot in enumerate(bound.signature.templates):
        if slot.kind.tag == "type":
            element = elements.get(slot.name)
            texts.append(element.cpp if element else "")
            if slot.default is None:
                needed = at + 1
            continue
        value = bound.values.get(slot)
        if value is None:
            texts.append(slot.default or "")
            continue
        written = adapt.boolean(value) if slot.kind.tag == "bool" else adapt.integer(value)
        if isinstance(value.const, Enum):  # of a variable: its value, the variable is no constant in C++
            written = value.const.value
        texts.append(adapt.template_argument(written))
        if written != slot.default:
            needed = at + 1
    return f"<{', '.join(texts[:needed])}>" if needed else ""


def argument(slot: Slot, value: Value, elements: Mapping[str, Element], context: Context) -> str:
    """The text of one argument."""
    kind = slot.kind
    if kind.tag == "scalar":
        element = elements.get(kind.name) or by_cpp(kind.name)
        return adapt.element(value, element, context) if element else value.cpp
    if kind.tag == "int":
        return adapt.integer(value)
    if kind.tag == "bool":
        return adapt.boolean(value)
    if kind.tag == "bits":
        return _bits(slot.name, value, context)
    if kind.tag == "list":
        return _list(slot, value, elements, context)
    if kind.tag == "struct" and not isinstance(value.type, StructType):
        return structs.braces(kind.name.partition("<")[0], value, elements.get("T"), context, value.node)
    if kind.tag == "pointer" and isinstance(value.type, GlobalType):
        address = f"{value.cpp}.GetPhyAddr(0)"  # the form with an offset is the one that may be written through
        return address if kind.name in elements else f"reinterpret_cast<__gm__ {kind.name} *>({address})"
    if kind.lvalue and not re.fullmatch(r"\w+", value.cpp):
        return context.declare(_cpp_type(value.type), slot.name, value.cpp)
    return value.cpp


def _cpp_type(kind: Type) -> str:
    if isinstance(kind, LocalType):
        return f"LocalTensor<{kind.element.cpp}>"
    return f"GlobalTensor<{kind.element.cpp}>" if isinstance(kind, GlobalType) else "auto"


def _bits(name: str, value: Value, context: Context) -> str:
    """A mask of bits as an array; one word leaves the upper lanes off."""
    if not value.items:
        return value.cpp
    words = [_word(item) for item in value.items]
    return adapt.array(name, "uint64_t", [*words, "0"][:2], context)


def _word(value: Value) -> str:
    if isinstance(value.const, int) and value.const > 9:
        return f"0x{value.const:X}" + ("ULL" if value.const >= 2**63 else "")
    return adapt.narrowed(value, "uint64_t", lambda number: number >= 0)


def _list(slot: Slot, value: Value, elements: Mapping[str, Element], context: Context) -> str:
    if not value.items:
        return value.cpp
    item = slot.kind.name
    if match := re.fullmatch(r"LocalTensor<(\w+)>", item):
        element = elements.get(match[1])
        item = f"LocalTensor<{element.cpp if element else match[1]}>"
    elif item in names.structs():
        texts = [
            each.cpp
            if isinstance(each.type, StructType)
            else item + structs.braces(item, each, None, context, each.node)
            for each in value.items
        ]
        return adapt.array(slot.name, item, texts, context)
    return structs.listed(slot.name, item, value, context)


def _result(slot: Slot, elements: Mapping[str, Element], context: Context) -> Value:
    """A variable that C++ fills."""
    kind = slot.kind
    if kind.tag == "list":
        name = context.declare(f"{kind.name}[{kind.length}]", slot.name, "{}")
        concrete = by_cpp(kind.name)
        assert concrete is not None
        items = tuple(Value(f"{name}[{at}]", ScalarType(concrete)) for at in range(kind.length))
        return Value(name, TupleType(tuple(item.type for item in items)), items=items)
    if kind.tag == "local":
        found = elements[kind.name]
        return Value(context.declare(f"LocalTensor<{found.cpp}>", slot.name), LocalType(found))
    if kind.tag == "object":
        cpp = kind.name.replace("<T>", f"<{elements['T'].cpp}>")
        return Value(context.declare(cpp, slot.name), OpaqueType(cpp))
    element = elements.get(kind.name) or by_cpp(kind.name)
    assert element is not None
    start = "" if isinstance(element, DtypeVar) or element.floating else "0"
    name = context.declare(element.cpp, slot.name, start)
    if slot.name == "maxMinIndex":  # an integer in the bits of a T
        context.helper("IndexBits", INDEX_BITS)
        return Value(f"IndexBits({name})", ScalarType(u32))
    return Value(name, ScalarType(element))


def returned(bound: Bound, elements: Mapping[str, Element], owner: Value | None) -> Type:
    """The static type of what C++ returns."""
    name = re.sub(r"^(static|constexpr)\s+", "", bound.signature.form.returns)
    if name == "void":
        return NONE
    if match := re.fullmatch(r"LocalTensor<(\w+)>", name):
        return LocalType(elements[match[1]], _position(owner))
    if "*" in name or name == "GM_ADDR":
        letter = next((letter for letter in ("PrimType", "T") if letter in name and letter in elements), "")
        return OpaqueType(name.replace(letter, elements[letter].cpp) if letter else name)
    if name in elements:
        return ScalarType(elements[name])
    if name in enums():
        return EnumType(name)
    if name == "ShapeInfo":
        return StructType(name)
    element = by_cpp(name)
    return ScalarType(element) if element and (name in INTEGERS or element) else OpaqueType(name)


def _position(owner: Value | None) -> str:
    if owner is None:
        return ""
    found = re.search(r"TPosition::(\w+)", getattr(owner.type, "name", ""))
    return found[1] if found else str(getattr(owner.type, "position", ""))
