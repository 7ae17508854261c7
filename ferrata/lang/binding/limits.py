"""Ranges and rules of arguments that are visible while translating, as tables.

Only what is known for certain is refused: a literal outside its range, a round mode that a conversion does not have, an
offset that is a number and misaligned. What depends on a run is checked when the kernel runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ferrata.lang.apis.casts import CASTS
from ferrata.lang.apis.casts import ROWS as CONVERSIONS
from ferrata.lang.binding.context import Context, members
from ferrata.lang.binding.kinds import INTEGERS, NAMED_INTEGERS
from ferrata.lang.binding.layouts import Field
from ferrata.lang.binding.match import Bound
from ferrata.lang.elements import Dtype, DtypeVar, Element, by_cpp
from ferrata.lang.values import LocalType, Value

# Fields of structures, narrower than their types.
FIELDS: Mapping[tuple[str, str], tuple[int, int]] = {
    ("DataCopyParams", "blockCount"): (0, 4095),
    ("DataCopyExtParams", "blockCount"): (0, 4095),
    ("DataCopyExtParams", "blockLen"): (0, 2097151),
    ("DataCopyPadExtParams", "leftPadding"): (0, 32),
    ("DataCopyPadExtParams", "rightPadding"): (0, 32),
    ("DataCopyPadParams", "leftPadding"): (0, 32),
    ("DataCopyPadParams", "rightPadding"): (0, 32),
    ("Nd2NzParams", "ndNum"): (0, 4095),
    ("Nd2NzParams", "nValue"): (0, 16384),
    ("Nd2NzParams", "dstNzC0Stride"): (0, 16384),
    ("Nd2NzParams", "dstNzNStride"): (0, 16384),
    ("Nz2NdParamsFull", "ndNum"): (0, 4095),
    ("Nz2NdParamsFull", "nValue"): (0, 8192),
    ("Nz2NdParamsFull", "dValue"): (0, 8192),
    ("Nz2NdParamsFull", "srcNdMatrixStride"): (0, 512),
    ("Nz2NdParamsFull", "srcNStride"): (0, 4096),
    ("CopyRepeatParams", "dstRepeatSize"): (0, 4095),
    ("CopyRepeatParams", "srcRepeatSize"): (0, 4095),
    ("TransDataTo5HDParams", "repeatTimes"): (0, 255),
    ("TransposeParamsExt", "cSize"): (0, 4095),
    ("MrgSort4Info", "repeatTimes"): (0, 255),
}

# Parameters by interface, "" for every one, narrower than their types.
PARAMETERS: Mapping[tuple[str, str], tuple[int, int]] = {
    ("", "eventID"): (0, 7),
    ("CrossCoreSetFlag", "flagId"): (0, 15),
    ("CrossCoreWaitFlag", "flagId"): (0, 15),
    ("CrossCoreSetFlag", "modeId"): (0, 2),
    ("GatherMask", "src1Pattern"): (1, 7),
    ("MarkStamp", "idx"): (0, 4095),
    ("DataCopy", "dimValue"): (1, 8),
    ("SetCtrlSpr", "startBit"): (48, 48),
    ("SetCtrlSpr", "endBit"): (48, 48),
    ("GetCtrlSpr", "startBit"): (0, 63),
    ("GetCtrlSpr", "endBit"): (0, 63),
    ("GetBitCount", "countValue"): (0, 1),
    ("GetSFFValue", "countValue"): (0, 1),
    ("BilinearInterpolation", "hRepeat"): (1, 255),
    ("BilinearInterpolation", "vRepeat"): (1, 255),
    ("Brcb", "repeatTime"): (0, 255),
    ("Sort32", "repeatTime"): (0, 255),
    ("Sort", "repeatTime"): (0, 255),
    ("Extract", "repeatTime"): (0, 255),
    ("Concat", "repeatTime"): (0, 255),
    ("ReduceDataBlock", "repeatTime"): (0, 255),
    ("ReduceRepeat", "repeatTime"): (0, 255),
    ("ReducePairElem", "repeatTime"): (0, 255),
    ("BlockReduceSum", "repeatTime"): (0, 255),
    ("BlockReduceMax", "repeatTime"): (0, 255),
    ("BlockReduceMin", "repeatTime"): (0, 255),
    ("WholeReduceSum", "repeatTime"): (0, 255),
    ("WholeReduceMax", "repeatTime"): (0, 255),
    ("WholeReduceMin", "repeatTime"): (0, 255),
    ("RepeatReduceSum", "repeatTime"): (0, 255),
    ("PairReduceSum", "repeatTime"): (0, 255),
}
# Signed parameters that are amounts.
_AMOUNTS = re.compile(r"\w*[cC]ount|size|len|mask|repeatTimes?|\w*Stride|\w*Size|offset|index")

# Members that an interface does not take, with what to do.
MEMBERS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("PipeBarrier", "pipe"): {"PIPE_S": "The scalar pipe runs in order; it needs no barrier."},
    ("CrossCoreSetFlag", "pipe"): {
        "PIPE_S": "Name the pipe whose work is to be complete.",
        "PIPE_ALL": "Name one pipe.",
    },
    ("DataCacheCleanAndInvalid", "dcciDst"): {"DcciDst::CACHELINE_ATOMIC": "This chip does not have it."},
    ("Cast", "roundMode"): {"RoundMode::CAST_HYBRID": "This chip does not have it."},
    ("ReducePairElem", "reduceType"): {
        "ReduceType::MAX": "It adds pairs only.",
        "ReduceType::MIN": "It adds pairs only.",
    },
    ("SetPadValue", "pos"): {
        f"TPosition::{name}": "It is VECIN, VECOUT or MAX."
        for name in ("GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECCALC", "LCM", "SPM", "SHM", "TSCM",
                     "C2PIPE2GM", "C2PIPE2LOCAL")
    },
}  # fmt: skip
_AIV_PIPES = ("S", "V", "MTE2", "MTE3")


@dataclass(frozen=True)
class Problem:
    """What is wrong with an argument: a range for a number, else a message."""

    value: Value
    what: str
    range: str = ""
    message: str = ""
    help: str = ""


def field_range(struct: str, found: Field) -> tuple[int, int]:
    """The values that a field takes."""
    default = INTEGERS.get(found.type, (-(2**63), 2**64 - 1))
    return FIELDS.get((struct, found.name), default)


def problems(bound: Bound, elements: Mapping[str, Element], context: Context) -> Iterator[Problem]:
    """What is wrong with the arguments of a call, the first argument first."""
    yield from _ranges(bound)
    yield from _members(bound)
    yield from _numbers(bound, elements, context)
    yield from _round_mode(bound, elements, context)
    yield from _whole_blocks(bound, elements, context)
    yield from _offsets(bound, context)


def _ranges(bound: Bound) -> Iterator[Problem]:
    api = bound.signature.api
    for slot, value in bound.values.items():
        if slot.kind.tag == "int" and isinstance(value.const, int):
            low, high = INTEGERS[NAMED_INTEGERS.get(slot.kind.name, slot.kind.name)]
            if _AMOUNTS.fullmatch(slot.name):
                low = max(low, 0)
            name = api.name.rpartition("::")[2]
            low, high = PARAMETERS.get((name, slot.name)) or PARAMETERS.get(("", slot.name)) or (low, high)
            if not low <= value.const <= high:
                yield Problem(value, slot.python, f"{low} to {high}", help=_help(slot.name, value.const))
        if slot.kind.tag == "bits":
            for item in value.items:
                if isinstance(item.const, int) and not 0 <= item.const < 2**64:
                    yield Problem(item, "a word of the mask", "0 to 2**64 - 1")


def _help(name: str, number: int) -> str:
    if name.startswith("repeatTime") and number > 255:
        return "Make several calls of at most 255 repeats, or use the form with a count."
    return ""


def _members(bound: Bound) -> Iterator[Problem]:
    api = bound.signature.api
    for slot, value in bound.values.items():
        table = MEMBERS.get((api.name.rpartition("::")[2], slot.name), {})
        if slot.kind.tag == "enum" and value.cpp in table:
            yield Problem(
                value, slot.python, message=f"{slot.python} is never {_spelled(value.cpp)}", help=table[value.cpp]
            )
        if slot.kind == slot.kind and slot.kind.name == "HardEvent" and value.cpp.startswith("HardEvent::"):
            source, _, destination = value.cpp.removeprefix("HardEvent::").partition("_")
            if source == destination:
                yield Problem(value, slot.python, message="source and destination are one pipe")


def _numbers(bound: Bound, elements: Mapping[str, Element], context: Context) -> Iterator[Problem]:
    """Literals that become an element of an integer type."""
    for slot, value in bound.values.items():
        if slot.kind.tag != "scalar" or not isinstance(value.const, (int, float)):
            continue
        element = elements.get(slot.kind.name) or by_cpp(slot.kind.name)
        for member in members(element, context):
            if member.floating or member.name == "boolean":
                continue
            whole = float(value.const).is_integer() if isinstance(value.const, float) else True
            if not whole:
                what = f"which {element.name} can be, " if isinstance(element, DtypeVar) else ""
                yield Problem(value, slot.python, message=f"{value.const!r} is no {member.name}, {what}".rstrip(", "))
                break
            low, high = INTEGERS.get(member.cpp, (-8, 7))
            if not low <= int(value.const) <= high:
                yield Problem(value, slot.python, f"{low} to {high}", help=f"It becomes {_article(member)}.")
                break


def _article(member: Dtype) -> str:
    return f"an {member.name}" if member.name[0] in "i" else f"a {member.name}"


def _round_mode(bound: Bound, elements: Mapping[str, Element], context: Context) -> Iterator[Problem]:
    value = bound.value("roundMode")
    if value is None or bound.signature.api.name != "Cast" or not value.cpp.startswith("RoundMode::CAST_"):
        return
    mode = value.cpp.removeprefix("RoundMode::CAST_")
    tensors = bound.signature.api.id == "Cast"
    first, second = ("U", "T") if tensors else ("T", "U")
    table = CASTS if tensors else {(r.source, r.target): r for r in CONVERSIONS if r.op == "Cast (scalar)"}
    for source in members(elements.get(first), context):
        for target in members(elements.get(second), context):
            row = table.get((source.cpp, target.cpp))
            if row and mode not in row.modes:
                has = ", ".join(f"CAST_{name}" for name in row.modes)
                yield Problem(
                    value,
                    "round_mode",
                    message=f"{source.name} to {target.name} has no CAST_{mode}",
                    help=f"It has {has}.",
                )
                return


def _whole_blocks(bound: Bound, elements: Mapping[str, Element], context: Context) -> Iterator[Problem]:
    """Counts that are numbers and that the instruction would not cover."""
    name, value = bound.signature.api.name, bound.value("count")
    if value is None or not isinstance(value.const, int) or bound.signature.form.kind == "whole":
        return
    unit = {"DataCopy": 32, "Compare": 256, "Compares": 256, "CompareScalar": 256}.get(name)
    for member in members(elements.get("T"), context) if unit else ():
        size = value.const * member.bytes
        if size % unit:  # type: ignore[operator]
            rest = (
                "DataCopy drops the rest; use ac.data_copy_pad."
                if name == "DataCopy"
                else "The rest would not be compared; round the count up, inside the buffers."
            )
            yield Problem(
                value,
                "count",
                message=f"{value.const} elements of {member.name} are {size:g} bytes, no multiple of {unit}",
                help=rest,
            )
            return


def _offsets(bound: Bound, context: Context) -> Iterator[Problem]:
    """Tensors that start at an offset which is a number, where every tensor starts on a block of 32 bytes."""
    api = bound.signature.api
    if "AL32" not in api.rules and not api.name.startswith("DataCopy"):
        return
    for slot, value in bound.values.items():
        if slot.kind.tag != "local" or not isinstance(value.type, LocalType):
            continue
        offset = literal_offset(value)
        for member in members(value.type.element, context):
            if offset and offset * member.bytes % 32:
                size = f"{offset * member.bytes:g} bytes" + (
                    f" where {value.type.element.name} is {member.name}"
                    if isinstance(value.type.element, DtypeVar)
                    else ""
                )
                yield Problem(
                    value,
                    slot.python,
                    message=f"{slot.python} starts at element {offset}, {size}, no multiple of 32",
                    help="Local tensors of this interface start on blocks of 32 bytes.",
                )
                return


def literal_offset(value: Value) -> int:
    """The offset of a view in elements where it is a number: `a[3]`, `buffer.Get<half>()[8][3]`; 0 unknown."""
    found = re.fullmatch(r"[A-Za-z_]\w*(?:\.Get<\w+>\(\))?((?:\[\d+\])+)", value.cpp)
    return sum(int(number) for number in re.findall(r"\d+", found[1])) if found else 0


def _spelled(cpp: str) -> str:
    return "ac." + cpp.replace("::", ".")
