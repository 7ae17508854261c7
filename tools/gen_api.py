"""Write what follows from the API registry: the C++ dtype checks, the compiler driver's hints and the reference page.

`python tools/gen_api.py` writes all; with `--check` it only says which is out of date (exit code 1).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ferrata.lang.api import C_TAILS, DAV_2201, RULES, Api, CFunction, Dtypes
from ferrata.lang.apis import STRUCTS
from ferrata.lang.registry import apis, by_category, c_functions

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "ferrata/native/include/ferrata/core/api_types.h"
PAGE = ROOT / "docs/reference/ascendc_api.md"
HINTS = ROOT / "ferrata/asc/absent.py"
C_PAGE = ROOT / "docs/reference/ascendc_c_api.md"

# C++ element type -> its name in ferrata::Type
NUMBERS = {
    "int4b_t": "i4", "int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32",
    "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "half": "f16", "bfloat16_t": "bf16", "float": "f32",
    "double": "f64",
}  # fmt: skip

PREAMBLE = """\
// The element types that each Ascend C interface takes on dav-2201. Generated from the API registry by
// tools/gen_api.py: change ferrata/lang/apis/*.py and run it.
//
// A header says `api::Add::check<T>();` first in the body of every form: a type that is not allowed is a compile error
// that names the allowed ones. `allowed<T>` is the condition alone, `names` the list as text. Several letters stand in
// the order of the registry (destination first unless the row says otherwise).
#pragma once
#include "ferrata/core/types.h"

namespace ferrata::api {

template <class T> constexpr unsigned bit = 1u << static_cast<int>(type_of<T>);
constexpr unsigned bits() { return 0; }
template <class... Rest> constexpr unsigned bits(Type first, Rest... rest) {
  return (1u << static_cast<int>(first)) | bits(rest...);
}
"""


HINTS_PREAMBLE = '''\
"""Interfaces of later chips that dav-2201 does not have, and what to write instead.

Generated from the API registry by tools/gen_api.py: change ferrata/lang/apis/absent.py and run it. hints.py reads it.
"""

'''


def hints() -> str:
    """Text of asc/absent.py, before formatting: names that do not exist, and names that lack a form."""
    present = {api.name for api in apis() if api.category != "absent"}
    missing: dict[str, str] = {}
    forms: dict[str, str] = {}
    for api in apis():
        if api.category == "absent":
            (forms if api.name in present else missing)[api.name] = api.instead
            missing.update({alias.name: api.instead for alias in api.aliases})
    rows = [f"{name} = {_literal(table)}\n" for name, table in (("ABSENT", missing), ("WITHOUT_FORM", forms))]
    return HINTS_PREAMBLE + "\n".join(rows)


def _literal(table: dict[str, str]) -> str:
    return "{\n" + "".join(f'    "{key}": "{text}",\n' for key, text in table.items()) + "}"


def listed(names: Iterable[str], word: str = "or") -> str:
    """`a, b or c`."""
    *head, last = names
    return f"{', '.join(head)} {word} {last}" if head else last


def condition(dtypes: Dtypes) -> str:
    """The C++ condition that the letters form an allowed combination; grouped by the second letter."""
    if len(dtypes.letters) == 1:
        return f"(bit<{dtypes.letters[0]}> & {mask(t for (t,) in dtypes)}) != 0"
    first, second = dtypes.letters
    groups: dict[str, list[str]] = {}
    for a, b in dtypes:
        groups.setdefault(b, []).append(a)
    return " || ".join(
        f"(type_of<{second}> == Type::{NUMBERS[b]} && (bit<{first}> & {mask(many)}) != 0)" for b, many in groups.items()
    )


def mask(types: Iterable[str]) -> str:
    """`bits(Type::f16, Type::f32)`."""
    return f"bits({', '.join('Type::' + NUMBERS[t] for t in types)})"


def names(dtypes: Dtypes) -> str:
    """The allowed types as a person reads them."""
    if len(dtypes.letters) == 1:
        return listed(t for (t,) in dtypes)
    return listed(f"{a} <- {b}" for a, b in dtypes)


def struct(api: Api) -> str:
    """The checks of one row."""
    dtypes = api.dtypes[DAV_2201]
    letters = ", ".join(f"class {letter}" for letter in dtypes.letters)
    values = ", ".join(dtypes.letters)
    message = f"{api.name} on dav-2201 takes {values} = {names(dtypes)}"
    return (
        f"struct {api.id} {{\n"
        f'  static constexpr char names[] = "{names(dtypes)}";\n'
        f"  template <{letters}> static constexpr bool allowed = {condition(dtypes)};\n"
        f"  template <{letters}> static constexpr void check() {{\n"
        f'    static_assert(allowed<{values}>, "{message}");\n'
        f"  }}\n"
        f"}};\n"
    )


def header() -> str:
    """Text of api_types.h, before clang-format."""
    parts = [PREAMBLE]
    parts += [struct(api) for api in apis() if len(api.dtypes[DAV_2201])]
    return "\n".join(parts) + "} // namespace ferrata::api\n"


def page() -> str:
    """Text of the reference page."""
    parts = [
        "# Ascend C interfaces of dav-2201\n",
        "Generated from the API registry (`ferrata/lang/apis/`). `LT<T>` stands for `const LocalTensor<T>&`, `GT<T>` "
        "for `const GlobalTensor<T>&`.\n",
        "Rules that rows name:\n",
        *(f"- **{key}**: {text}" for key, text in RULES.items()),
        "",
    ]
    for category, rows in by_category().items():
        parts.append(f"## {category}\n")
        parts += [entry(api) for api in rows]
    parts.append("## Types\n")
    for row in STRUCTS:
        parts.append(f"### {row.name}\n\n{row.doc}\n\n```cpp\n{row.text}\n```\n")
        parts += [f"{text}\n" for text in (row.limits, row.notes) if text]
    return "\n".join(parts)


def entry(api: Api) -> str:
    """One row of the page."""
    title = api.name if api.name == api.id else f"{api.name} ({api.id})"
    lines = [f"### {title}\n", f"{api.doc}\n"]
    if api.forms:
        lines += ["```cpp", *(f"{form.text};  // {form.kind}" for form in api.forms), "```\n"]
    dtypes = api.dtypes[DAV_2201]
    facts = [f"Pipe {api.pipe}, core {api.core}."]
    if len(dtypes):
        facts.append(f"Types ({', '.join(dtypes.letters)}): {names(dtypes)}.")
    if api.trait:
        facts.append("Also for tensors of `TensorTrait<U>`, with a template parameter `U` for the scalar.")
    if api.alias_of:
        facts.append(f"Older name of {api.alias_of}.")
    if api.aliases:
        facts.append(
            "Older names: " + ", ".join(a.name + (f" (up to {a.until})" if a.until else "") for a in api.aliases) + "."
        )
    lines.append(" ".join(facts) + "\n")
    if api.rules or api.limits:
        lines.append(
            "Limits: " + " ".join([", ".join(api.rules) + "." if api.rules else "", api.limits]).strip() + "\n"
        )
    if api.instead:
        lines.append(f"Instead: {api.instead}.\n")
    if api.notes:
        lines.append(f"Notes: {api.notes}\n")
    return "\n".join(lines)


def c_page() -> str:
    """Text of the page of the C interface."""
    parts = ["# C interface of dav-2201\n", "Generated from the API registry (`ferrata/lang/apis/c_*.py`)."]
    parts.append(
        "Header `c_api/asc_simd.h`, global namespace. `REPEAT1` and `REPEAT2` are the repeat forms of one and "
        "two sources; "
        "their lanes come from the vector mask that is set. A twin `name_sync` exists where noted and waits for "
        "completion.\n"
    )
    for tail, text in C_TAILS.items():
        parts.append(f"- `{tail}`: `{text}`")
    return "\n".join([*parts, "", *(c_entry(function) for function in c_functions())])


def c_entry(function: CFunction) -> str:
    """One function of the C interface."""
    lines = [f"### {function.name}\n", f"{function.doc}\n", "```cpp"]
    for form in function.forms:
        notes = [form.types, "twin _sync" if form.twin else "", "only _sync" if form.only_sync else ""]
        note = "; ".join(filter(None, notes))
        lines.append(f"{form.text};" + (f"  // {note}" if note else ""))
    lines.append("```\n")
    return "\n".join(lines + ([f"Types: {function.types}.\n"] if function.types else []))


def formatted(text: str) -> str:
    """The header in the project's format."""
    import subprocess

    beside = Path(sys.executable).parent / "clang-format"
    command = [str(beside) if beside.exists() else "clang-format", f"--assume-filename={HEADER}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def outputs() -> dict[Path, str]:
    """Every generated file and what it must hold."""
    return {HEADER: formatted(header()), HINTS: hints(), PAGE: page(), C_PAGE: c_page()}


def main() -> int:
    stale = [(path, text) for path, text in outputs().items() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        print(("out of date: " if "--check" in sys.argv else "wrote ") + str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
