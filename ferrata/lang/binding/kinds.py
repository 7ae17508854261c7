"""What a parameter takes, read from its C++ type.

A kind has a tag and, by tag, a name:

    local, global   a tensor; name: its element, a template letter or a C++ type
    scalar          a number of an element type; name as above
    int, bool       a number or a truth value; name: the C++ type
    enum, struct    name: the C++ name; a struct's `<T>` stays in it
    bits            a mask of bits, `uint64_t mask[]`
    list            an array of numbers, tensors or structures; name: the item's C++ type, length: how many, 0 any
    pointer         an address in device memory; name: what it points to
    object          a queue, a buffer, a pool: anything that the language passes by reference
    text, rest      a format and what follows it
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

INTEGERS = {
    "int8_t": (-(2**7), 2**7 - 1), "uint8_t": (0, 2**8 - 1), "int16_t": (-(2**15), 2**15 - 1),
    "uint16_t": (0, 2**16 - 1), "int32_t": (-(2**31), 2**31 - 1), "uint32_t": (0, 2**32 - 1),
    "int64_t": (-(2**63), 2**63 - 1), "uint64_t": (0, 2**64 - 1), "int": (-(2**31), 2**31 - 1),
}  # fmt: skip
# integers by other names
NAMED_INTEGERS = {"TEventID": "int8_t", "MutexID": "uint8_t", "TTagType": "int32_t", "event_t": "int8_t"}
# parameters that C++ fills: a result of the call in Python
RESULTS = {
    "rsvdCnt", "maxMinValue", "maxMinIndex", "mrgSortList1", "mrgSortList2", "mrgSortList3", "mrgSortList4",
    "sortedNum", "atomicType", "atomicOp", "coreVersion", "popLocal", "desc",
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """What a parameter takes. lvalue: C++ wants a variable, not an expression; result: C++ writes it."""

    tag: str
    name: str = ""
    length: int = 0
    lvalue: bool = False
    result: bool = False


def kind(text: str, name: str, letters: Container[str], enums: Container[str]) -> Kind:
    """The kind of a parameter `name` whose type is `text`, in a template with these type parameters."""
    if match := re.fullmatch(r"(?:const )?(.+?)\s*(?:\(&\))?\[(\d*)\]", text):
        item, length = match[1], int(match[2] or 0)
        if item == "uint64_t" and name == "mask":
            return Kind("bits", item, 2)
        return Kind("list", item, length, result=name in RESULTS and not text.startswith("const"))
    constant = text.startswith("const ")
    base = text.removeprefix("const ").removesuffix("...").rstrip("&").strip()
    lvalue = text.endswith("&") and not constant
    result = lvalue and name in RESULTS
    if match := re.fullmatch(r"(Local|Global)Tensor<(\w+)>", base):
        return Kind(match[1].lower(), match[2], 0, lvalue, result)
    if "*" in base:
        pointed = base.replace("*", "").replace("__gm__", "").replace("const", "").strip()
        return Kind("text") if pointed == "char" else Kind("pointer", pointed)
    if text.endswith("..."):
        return Kind("rest")
    if base == "GM_ADDR":
        return Kind("pointer", "uint8_t")
    if base in letters or base in ("half", "float", "bfloat16_t", "PrimType"):
        return Kind("object" if lvalue and not result else "scalar", base, 0, lvalue, result)
    if base == "bool":
        return Kind("bool", base)
    if base in INTEGERS or base in NAMED_INTEGERS:
        return Kind("int", base, 0, lvalue, result)
    if base in enums:
        return Kind("enum", base)
    if re.match(r"(TBuf|TensorDesc)<", base):
        return Kind("object", base, 0, lvalue, result)
    return Kind("struct", base)
