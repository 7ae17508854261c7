"""Write what editors and type checkers see of the interfaces in Python: enumerations, structures, functions.

`python tools/gen_lang.py` writes ferrata/lang/{enums,structures,functions}.py from the API registry; with `--check` it only
says which is out of date (exit code 1). Nothing in these files is written by hand.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ferrata.lang import registry
from ferrata.lang.api import DAV_2201, RULES, Api, sentences
from ferrata.lang.binding import layouts, names
from ferrata.lang.binding.kinds import Kind
from ferrata.lang.binding.names import Entry
from ferrata.lang.binding.objects import OBJECTS
from ferrata.lang.binding.signature import Signature, Slot, signatures
from ferrata.lang.elements import by_cpp

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "ferrata/lang"
MADE = "Made from the API registry by tools/gen_lang.py: change ferrata/lang/apis/*.py and run it."
PYTHON = {"bool": "bool", "half": "float", "float": "float", "bfloat16_t": "float", "PrimType": "float"}
# Members of enumerations that are names of their own.
LOOSE = ("pipe_t", "event_t")
# Functions of surface.py that take the forms of the registry too; their overloads stand there.
SHARED = ("copy", "set_flag", "wait_flag")
POSITIONS = ("GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECIN", "VECOUT", "VECCALC")

ENUMS = '''\
"""Enumerations and named numbers of the interfaces: `ac.RoundMode.CAST_RINT`, `ac.VECIN`, `ac.MTE2`, `ac.PIPE_ALL`.

{made}
"""

from __future__ import annotations

import enum
from typing import Final


class Member(enum.Enum):
    """Base of the enumerations; a member's value is its name in C++."""


class Number(int):
    """A number that keeps its name in the emitted text."""

    cpp: str

    def __new__(cls, value: int, cpp: str) -> Number:
        made = super().__new__(cls, value)
        made.cpp = cpp
        return made


'''

STRUCTURES = '''\
"""Structures that calls take, and the classes of tensors, queues and buffers with their members.

{made}
They have a meaning inside kernels only; there the translator reads them and never makes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

from ferrata.errors import OnlyInKernels
from ferrata.lang.enums import (
{imports}
)

if TYPE_CHECKING:
    from ferrata.lang.hints.elements import Element


def _only(name: str) -> NoReturn:
    raise OnlyInKernels(name=name)


'''

FUNCTIONS = '''\
"""Every interface under its Python name, with the types of its forms: what an editor shows of `ac.data_copy_pad`.

{made}
A call has a meaning inside a kernel only, where the translator binds it (ferrata/lang/binding). Element types are
`ac.f16` and others; a list of one or two ints is a mask of bits; a structure may be written as a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

from ferrata.errors import OnlyInKernels
from ferrata.lang.enums import (
{imports}
)
from ferrata.lang.structures import (
{structures}
)

if TYPE_CHECKING:
    from ferrata.lang.hints.elements import Element


def _only(name: str) -> NoReturn:
    raise OnlyInKernels(name=name)


'''


def enums() -> str:
    """Text of enums.py."""
    rows = {row.name: row for row in registry.structs()}
    parts = [ENUMS.format(made=MADE)]
    for name, members in names.enums().items():
        lines = [f"class {name}(Member):", _doc(f"{rows[name].doc} {rows[name].limits}".strip(), 1)]
        lines += [f'    {member} = "{names.member_text(name, member)}"' for member in members]
        parts.append("\n".join(lines) + "\n\n\n")
    parts.append("QuePosition = TPosition\n\n")
    for position in POSITIONS:
        parts.append(f"{position}: Final = TPosition.{position}\n")
    for name in LOOSE:
        for member in names.enums()[name]:
            parts.append(f"{member}: Final = {name}.{member}\n")
    for member in names.enums()["pipe_t"]:
        if member != "PIPE_ALL":
            parts.append(f"{member.removeprefix('PIPE_')}: Final = pipe_t.{member}\n")
    for name, value in names.constants().items():
        parts.append(f'{name}: Final = Number({value}, "{name}")\n')
    return "".join(parts)


def structures() -> str:
    """Text of structures.py."""
    parts = [STRUCTURES.format(made=MADE, imports=_imports(names.enums()))]
    for name, row in names.structs().items():
        what = layouts.layout(name)
        doc = " ".join(filter(None, (row.doc, row.limits, row.notes)))
        lines = [f"class {name}:", _doc(doc, 1), ""]
        lines += [f"    {found.python}: {_field_type(found)}" for found in what.fields]
        taken = [*what.takes, *(found for found in what.fields if found not in what.takes)]
        head = ["dtype: Element | Any = None"] if what.template else []
        marker = ["*"] if len(taken) > len(what.takes) else []
        arguments = [f"{found.python}: {_field_type(found)} = {_field_default(found)}" for found in what.takes]
        more = [f"{found.python}: {_field_type(found)} = {_field_default(found)}" for found in taken[len(what.takes) :]]
        lines += [
            "",
            f"    def __init__(self, {', '.join([*head, *arguments, *marker, *more])}) -> None:",
            f'        _only("{name}")',
        ]
        parts.append("\n".join(lines) + "\n\n\n")
    for name in OBJECTS:
        parts.append(_class(name) + "\n\n\n")
    parts.append('class TensorDesc:\n    """A tensor of a ListTensorDesc."""\n')
    return "".join(parts)


def _class(name: str) -> str:
    what = OBJECTS[name]
    base = "(TQue)" if name == "TQueBind" else ""
    lines = [f"class {name}{base}:", _doc(what.doc, 1), ""]
    arguments = []
    for spec in what.template:
        parameter, _, kind = spec.partition(":")
        python = {"type": "Element", "int": "int"}.get(kind.rstrip("?"), kind.rstrip("?"))
        arguments.append(f"{parameter}: {python}" + (" | None = None" if kind.endswith("?") else ""))
    listed = ", ".join(["self", *arguments])
    lines += [f"    def __init__({listed}) -> None:", f'        _only("{name}")', ""]
    if name in ("LocalTensor", "GlobalTensor"):
        lines += [
            "    def __getitem__(self, at: Any) -> Any:",
            '        """An element, `x[i]`, or a view, `x[a:]` and `x[a:b]`."""',
            f'        _only("{name}")',
            "",
            "    def __setitem__(self, at: int, value: float) -> None:",
            '        """Store one element."""',
            f'        _only("{name}")',
            "",
        ]
    for entry in names.methods().get(name, {}).values():
        lines.append(textwrap.indent(function(entry, "self"), "    "))
    return "\n".join(lines).rstrip()


def functions() -> str:
    """Text of functions.py."""
    structures = [*names.structs(), "GlobalTensor", "LocalTensor", "TensorDesc"]
    parts = [FUNCTIONS.format(made=MADE, imports=_imports(names.enums()), structures=_imports(structures))]
    table = names.functions()
    for python, entry in sorted(table.items(), key=lambda item: item[1].rows[0].category == "absent"):
        if "." not in python and entry.present and python not in SHARED:
            parts.append(function(entry) + "\n\n")
    for owner in names.STATIC:
        lines = [f"class {owner}:", f'    """Members of {owner}, called on the class."""', ""]
        for entry in table.values():
            if entry.owner == owner:
                lines.append(textwrap.indent(function(entry, static=True), "    "))
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


def function(entry: Entry, first: str = "", static: bool = False) -> str:
    """One function, with an overload a form."""
    shown: dict[str, str] = {}
    above = "@staticmethod\n" if static else ""
    for row in entry.present:
        for signature in signatures(row):
            for arguments in _arguments(signature):
                listed = ", ".join(filter(None, [first, *arguments]))
                shown.setdefault(listed, _returned(signature))
    name = entry.spelled.removeprefix("ac.")
    body = f'    _only("{name}")\n'
    doc = documentation(entry)
    if len(shown) == 1:
        ((listed, returned),) = shown.items()
        return f"{above}def {entry.python}({listed}) -> {returned}:\n{doc}\n{body}\n"
    overloads = [f"@overload\n{above}def {entry.python}({a}) -> {r}: ...\n" for a, r in shown.items()]
    general = ", ".join(filter(None, [first, "*args: Any", "**kwargs: Any"]))
    return "".join(overloads) + f"{above}def {entry.python}({general}) -> Any:\n{doc}\n{body}\n"


def _arguments(signature: Signature) -> list[list[str]]:
    """The parameters of a form in Python; a form with required template values may give them by keyword too."""
    types = [f"{slot.name}: Element" for slot in signature.types if slot.default is None]
    required = [slot for slot in signature.slots if slot.template]
    parameters = [_parameter(slot) for slot in signature.slots if not slot.template]
    options = [_parameter(slot) for slot in signature.templates if slot.keyword]
    optional = [f"{slot.name}: Element | None = None" for slot in signature.types if slot.default == "deduced"]
    if any(slot.kind.tag == "rest" for slot in signature.params):
        return [[*parameters[:-1], "*args: Any"]]
    deducible = any(slot.kind.tag == "local" or slot.kind.tag == "global" for slot in signature.params)
    options = [*options, *([] if deducible else optional)]
    tail = ["*", *options] if options else []
    first = [*types, *(_parameter(slot) for slot in required), *parameters, *tail]
    if not required:
        return [first]
    named = [_parameter(slot) for slot in required]
    return [first, [*types, *parameters, "*", *named, *options]]


def _parameter(slot: Slot) -> str:
    text = f"{slot.python}: {_annotation(slot.kind)}"
    return text + (f" = {_default(slot)}" if slot.default is not None else "")


def _default(slot: Slot) -> str:
    if slot.kind.tag == "bool":
        return "True" if slot.default in ("true", "1") else "False"
    if slot.default == "defaultGatherMaskMode":
        return "GatherMaskMode.VERSION_V2"
    if slot.kind.name == "pipe_t":
        return f"pipe_t.{slot.default}"
    return (slot.default or "").replace("::", ".")


def _annotation(kind: Kind) -> str:
    if kind.tag == "local":
        return "LocalTensor"
    if kind.tag == "global":
        return "GlobalTensor"
    if kind.tag == "scalar":
        return "float"
    if kind.tag == "enum":
        return kind.name
    if kind.tag == "struct":
        return f"{kind.name.partition('<')[0]} | Sequence[Any]"
    if kind.tag == "bits":
        return "Sequence[int]"
    if kind.tag == "list":
        item = "LocalTensor" if "LocalTensor" in kind.name else "SliceInfo" if kind.name == "SliceInfo" else "int"
        return f"Sequence[{item}]"
    return {"int": "int", "bool": "bool", "text": "str"}.get(kind.tag, "Any")


def _returned(signature: Signature) -> str:
    if signature.results:
        found = []
        for slot in signature.results:
            found += [_result(slot)] * max(slot.kind.length, 1)
        return found[0] if len(found) == 1 else f"tuple[{', '.join(found)}]"
    name = signature.form.returns.removeprefix("static ").removeprefix("constexpr ")
    if name in ("void", ""):
        return "None"
    if name.startswith("LocalTensor"):
        return "LocalTensor"
    if name in names.enums() or name == "ShapeInfo":
        return name
    if name in PYTHON or name in signature.letters:
        return PYTHON.get(name, "float")
    return "Any" if "*" in name or name == "GM_ADDR" else "int"


def _result(slot: Slot) -> str:
    if slot.name == "maxMinIndex":
        return "int"
    return {"local": "LocalTensor", "object": "TensorDesc", "scalar": "float"}.get(slot.kind.tag, "int")


def _field_type(found: layouts.Field) -> str:
    if found.length:
        return "Sequence[float]" if found.type == "float" else f"Sequence[{PYTHON.get(found.type, 'int')}]"
    if found.type.startswith("LocalTensor"):
        return "LocalTensor | Any"
    if found.type in names.enums():
        return found.type
    return {"bool": "bool", "T": "float"}.get(found.type, "int")


def _field_default(found: layouts.Field) -> str:
    if found.length:
        return "()"
    if found.type.startswith("LocalTensor"):
        return "None"
    if found.type in names.enums():
        return found.default.replace("::", ".")
    if found.type == "bool":
        return found.default.capitalize()
    return found.default or "0"


def documentation(entry: Entry) -> str:
    """The docstring of a function: what it computes, its types, limits and notes, row by row where there are several."""
    paragraphs = []
    rows = entry.present
    for text in dict.fromkeys(row.doc for row in rows):
        paragraphs.append(text if text.endswith((".", ")")) else text + ".")
    facts = [f"In C++: {entry.cpp}."]
    facts += dict.fromkeys(filter(None, (element_types(row) for row in rows)))
    paragraphs.append(" ".join(facts))
    limits = sentences([*(row.limits for row in rows), *(RULES[rule] for row in rows for rule in row.rules)])
    if limits:
        paragraphs.append(f"Limits: {limits}")
    notes = dict.fromkeys(row.notes for row in rows if row.notes)
    paragraphs += [f"Notes: {text}" for text in notes]
    return _doc("\n\n".join(paragraphs), 1)


def element_types(row: Api) -> str:
    """`Types: i16, f16, i32 or f32.` for a docstring or a page."""
    dtypes = row.dtypes.get(DAV_2201)
    if not dtypes or not len(dtypes):
        return ""
    combos = [[by_cpp(name) for name in combo] for combo in dtypes]
    shown = [[member.name for member in combo if member] for combo in combos if all(combo)]
    if len(dtypes.letters) == 1:
        return f"{dtypes.letters[0]}: {', '.join(name for (name,) in shown)}."
    return f"{', '.join(dtypes.letters)}: {', '.join(' <- '.join(combo) for combo in shown)}."


def _doc(text: str, depth: int) -> str:
    indent = "    " * depth
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    paragraphs = [
        textwrap.fill(p, 116, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
        for p in escaped.split("\n\n")
    ]
    body = "\n\n".join(paragraphs).strip()
    if body.endswith('"'):
        body += " "
    end = '"""' if len(body) < 110 and "\n" not in body else f'\n{indent}"""'
    return f'{indent}"""{body}{end}'


def _imports(found: Iterable[str] | Mapping[str, object]) -> str:
    return "\n".join(f"    {name}," for name in sorted(found))


def formatted(text: str, name: str) -> str:
    """The text in the project's format, without imports that nothing uses."""
    ruff = Path(sys.executable).parent / "ruff"
    command = str(ruff) if ruff.exists() else "ruff"
    file = ["--stdin-filename", f"ferrata/lang/{name}", "-"]
    for arguments in (
        ["check", "--fix", "--quiet", "--exit-zero", "--select", "I,F401", *file],
        ["format", "--quiet", *file],
    ):
        text = subprocess.run(
            [command, *arguments], input=text, capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout
    return text


def outputs() -> dict[Path, str]:
    """Every generated file and what it must hold."""
    made = {"enums.py": enums(), "structures.py": structures(), "functions.py": functions()}
    return {FOLDER / name: formatted(text, name) for name, text in made.items()}


def main() -> int:
    stale = [(path, text) for path, text in outputs().items() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        print(("out of date: " if "--check" in sys.argv else "wrote ") + str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.write_text(text)
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
