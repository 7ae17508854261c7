"""The structures and enumerations that calls take: fields in the documented order with their defaults, constructors,
values.

Compiled as static assertions where the headers are constexpr, else run; the fields come from the registry's rows.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from ferrata.lang.apis import STRUCTS
from ferrata.native import build as native

pytestmark = pytest.mark.slow

ROWS = {row.name: row.text for row in STRUCTS}
PARAMS = tuple(
    name
    for name, text in ROWS.items()
    if name.endswith(("Params", "ParamsExt", "ParamsFull", "Info")) and "[" not in text
)
ENUMS = tuple(name for name, text in ROWS.items() if text.startswith("enum class") and "{" in text)


def fields(text: str) -> list[tuple[str, str, str | None]]:
    """(type, name, default) in order."""
    body = re.split(r"[.;] ?ctors", text)[0].removeprefix("fields in order: ")
    if match := re.match(r"fields in order, (\w+): ", body):
        body = match[1] + " " + body[match.end() :]
    out: list[tuple[str, str, str | None]] = []
    kind = ""
    for part in re.split(r"[;,]\s*", body):
        words, _, default = part.partition("=")
        *types, name = words.split()
        kind = " ".join(types) or kind
        out.append((kind, name, default or None))
    return out


def members(text: str) -> list[tuple[str, int]]:
    """(name, value) of an enumeration."""
    out: list[tuple[str, int]] = []
    for part in re.search(r"\{(.*?)\}", text)[1].split(","):  # type: ignore[index]
        name, _, value = part.strip().partition("=")
        out.append((name, int(value) if value else (out[-1][1] + 1 if out else 0)))
    return out


def compiles(code: str, tmp_path: Path) -> str:
    unit = tmp_path / "unit.cpp"
    unit.write_text(f'#include "kernel_operator.h"\nusing namespace AscendC;\n{code}\n')
    command = [native.compiler(), "-std=c++17", "-fsyntax-only", "-include", "ferrata/asc.h", "-D__NPU_ARCH__=2201"]
    done = subprocess.run([*command, f"-I{native.INCLUDE}", str(unit)], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("name", PARAMS)
def test_fields_stand_in_order_with_their_defaults(name: str, tmp_path: Path) -> None:
    lines = []
    for kind, field, default in fields(ROWS[name]):
        lines.append(f"static_assert(__is_same({kind}, decltype({name}::{field})));")
        if default is not None:
            lines.append(f"static_assert({name}().{field} == {default});")
    order = [field for _, field, _ in fields(ROWS[name])]
    for before, after in itertools.pairwise(order):
        lines.append(f"static_assert(offsetof({name}, {before}) < offsetof({name}, {after}));")
    assert compiles("#include <stddef.h>\n" + "\n".join(lines), tmp_path) == ""


CONSTRUCTORS = {
    "UnaryRepeatParams": "dstBlkStride srcBlkStride dstRepStride srcRepStride",
    "BinaryRepeatParams": "dstBlkStride src0BlkStride src1BlkStride dstRepStride src0RepStride src1RepStride",
    "CopyRepeatParams": "dstStride srcStride dstRepeatSize srcRepeatSize",
    "BrcbRepeatParams": "dstBlkStride dstRepStride",
    "GatherRepeatParams": "dstBlkStride dstRepStride",
    "GatherMaskParams": "src0BlockStride repeatTimes src0RepeatStride src1RepeatStride",
    "DataCopyExtParams": "blockCount blockLen srcStride dstStride rsv",
    "Nd2NzParams": "ndNum nValue dValue srcNdMatrixStride srcDValue dstNzC0Stride dstNzNStride dstNzMatrixStride",
    "Nz2NdParamsFull": "ndNum nValue dValue srcNdMatrixStride srcNStride dstDStride dstNdMatrixStride",
    "TransDataTo5HDParams": "dstHighHalf srcHighHalf repeatTimes dstRepStride srcRepStride",
}


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructors_take_their_arguments_in_order(name: str, tmp_path: Path) -> None:
    names = CONSTRUCTORS[name].split()
    values = [1 if field.endswith("HighHalf") else 11 + n for n, field in enumerate(names)]
    made = f"{name}({', '.join(map(str, values))})"
    lines = [f"static_assert({made}.{field} == {value});" for field, value in zip(names, values, strict=True)]
    assert compiles("\n".join(lines), tmp_path) == ""


@pytest.mark.parametrize("name", ENUMS)
def test_enumerations_have_their_members(name: str, tmp_path: Path) -> None:
    unclear = name in ("ReduceType", "ReduceOrder")  # numeric values are not published
    lines = []
    for member, value in members(ROWS[name]):
        condition = "true" if unclear else f"static_cast<int>({name}::{member}) == {value}"
        lines.append(f"static_assert({name}::{member} == {name}::{member} && {condition});")
    assert compiles("\n".join(lines), tmp_path) == ""
