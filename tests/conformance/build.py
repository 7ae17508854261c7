"""Compile the variants of a category to one shared library, and call it.

A variant whose call the headers do not have must not hide the others: the compiler's messages name variants by
`#line`, those are left out, and the rest is compiled again. What was left out is kept with its first message:
`missing`.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as memoize
from pathlib import Path

import numpy as np

from ferrata import cache
from ferrata.native import build as native
from tests.conformance.plan import SLOTS, Case
from tests.conformance.variant import Variant

HERE = Path(__file__).parent
FLAGS = [
    "-std=c++17",
    "-O1",
    "-fPIC",
    "-w",
    "-fmax-errors=0",
    "-fno-diagnostics-show-caret",
    "-include",
    "ferrata/asc.h",
]
DEFINES = ["-D__NPU_ARCH__=2201"]
ROUNDS = 6  # compilations until every remaining variant is good


@dataclass(frozen=True)
class Library:
    """The compiled variants of a category, by id, and why the missing ones are missing."""

    path: Path
    index: dict[str, int]
    missing: dict[str, str]


def source(variants: Sequence[Variant]) -> str:
    """The C++ unit: one function a variant, `#line`d with its number, and the table."""
    functions = [
        f'#line {number + 1} "variant"\nstatic void v{number}(Case &c) {{ {variant.call} }}'
        for number, variant in enumerate(variants)
    ]
    table = ", ".join(f"v{number}" for number in range(len(variants)))
    return "\n".join(
        [
            '#include "kernel_operator.h"',
            '#if __has_include("c_api/asc_simd.h")',
            '#include "c_api/asc_simd.h"',
            "#endif",
            f'#include "{HERE / "driver.h"}"',
            "using namespace AscendC;",
            *functions,
            '#line 1 "table"',
            f"static const Variant variants[] = {{{table}}};",
            'extern "C" __attribute__((visibility("default")))',
            (
                "int conformance_run(uint64_t index, uint8_t *block, uint64_t bytes, uint64_t cases, char *message, "
                "uint64_t room) {"
            ),
            "  return conformance_launch(variants[index], block, bytes, cases, message, room);",
            "}",
            "",
        ]
    )


def headers_key(cxx: str | None) -> list[str | bytes]:
    """What a compiled category depends on beside its own text."""
    parts: list[str | bytes] = [native.compiler_version(cxx), (HERE / "driver.h").read_bytes(), *FLAGS, *DEFINES]
    for path in sorted(native.INCLUDE.rglob("*.h")):
        parts += [str(path.relative_to(native.INCLUDE)), path.read_bytes()]
    return parts


def broken(messages: str) -> dict[int, str]:
    """Variant numbers that a compilation complains about, with the first message of each."""
    found: dict[int, str] = {}
    # A message is introduced by the chain of instantiations that leads to it; the chain names the variant.
    pending: list[int] = []
    for line in messages.splitlines():
        places = [int(n) - 1 for n in re.findall(r"\bvariant:(\d+)", line)]
        if " error: " in line:
            for number in dict.fromkeys([*pending, *places]):
                found.setdefault(number, line.partition(" error: ")[2])
            if not (pending or places):
                found.setdefault(-1, line)
            pending = []
        elif "required from" in line or "In instantiation" in line or "In function" in line:
            pending += places
        elif " note: " in line:
            pending = []
    return found


@memoize
def library(category: str, variants: tuple[Variant, ...], cxx: str | None = None) -> Library:
    """The library of a category; made once per content of headers and variants. `cxx`: a cross compiler."""
    text = source(variants)
    key = cache.key(["conformance", text, *headers_key(cxx)])

    def make(folder: Path) -> None:
        left, missing = list(variants), {}
        for _ in range(ROUNDS):
            unit = folder / "unit.cpp"
            unit.write_text(source(left))
            command = [
                cxx or native.compiler(),
                *FLAGS,
                *DEFINES,
                f"-I{native.INCLUDE}",
                "-shared",
                str(unit),
                "-o",
                str(folder / "unit.so"),
            ]
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
            if done.returncode == 0:
                break
            bad = broken(done.stderr)
            if not bad or set(bad) == {-1}:
                raise RuntimeError(f"the unit of {category} does not compile:\n{done.stderr[-4000:]}")
            missing |= {left[n].id: message for n, message in bad.items() if n >= 0}
            left = [variant for n, variant in enumerate(left) if n not in bad]
        else:
            raise RuntimeError(f"the unit of {category} still does not compile:\n{done.stderr[-4000:]}")
        index = {variant.id: n for n, variant in enumerate(left)}
        (folder / "unit.json").write_text(json.dumps({"index": index, "missing": missing}))

    folder = cache.entry("conformance", f"{category}-{key}", make)
    made = json.loads((folder / "unit.json").read_text())
    return Library(folder / "unit.so", made["index"], made["missing"])


@memoize
def _runtime() -> ctypes.CDLL:
    return ctypes.CDLL(str(native.runtime()), mode=ctypes.RTLD_GLOBAL)


@memoize
def loaded(path: Path) -> ctypes.CDLL:
    """The library in this process, the runtime first."""
    _runtime()
    return ctypes.CDLL(str(path))


class Fault(Exception):
    """The kernel of a case faulted; the text is the runtime's JSON or message."""


@dataclass(frozen=True)
class Block:
    """Cases in one piece of memory, as driver.h reads them."""

    data: np.ndarray
    places: tuple[tuple[slice, slice], ...]  # of each case's UB and GM

    def memories(self, data: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """The memories (UB, GM) of each case in `data`, the block as a launch left it."""
        return [(data[ub], data[gm]) for ub, gm in self.places]


def pack(cases: Sequence[Case]) -> Block:
    """Lay out the cases of one launch: a head of five offsets and sizes each, then parameters, UB, GM."""
    assert all(case.params.size == SLOTS for case in cases)
    head: list[int] = []
    parts, places, offset = [], [], -(-len(cases) * 40 // 64) * 64
    for case in cases:
        starts = []
        for part in (case.params.view(np.uint8), case.ub, case.gm):
            starts.append(offset)
            parts.append((offset, part))
            offset = -(-(offset + part.size + 32) // 64) * 64
        params, ub, gm = starts
        head += [params, ub, case.ub.size, gm, case.gm.size]
        places.append((slice(ub, ub + case.ub.size), slice(gm, gm + case.gm.size)))
    data = np.zeros(offset, np.uint8)
    data[: len(head) * 8] = np.array(head, np.int64).view(np.uint8)
    for at, part in parts:
        data[at : at + part.size] = part
    return Block(data, tuple(places))


def run(library: Library, variant: Variant, cases: Sequence[Case]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Run the cases in one launch; the memories (UB, GM) after each. Raises Fault when the kernel faults."""
    block = pack(cases)
    message = ctypes.create_string_buffer(8192)
    failed = loaded(library.path).conformance_run(
        ctypes.c_uint64(library.index[variant.id]), block.data.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_uint64(block.data.size), ctypes.c_uint64(len(cases)), message, ctypes.c_uint64(len(message)),
    )  # fmt: skip
    if failed:
        raise Fault(message.value.decode(errors="replace"))
    return block.memories(block.data)
