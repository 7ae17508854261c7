"""The structures that interfaces take: their fields and constructors, read from the registry's rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ferrata.lang.api import split
from ferrata.lang.binding.kinds import Kind
from ferrata.lang.binding.names import enums, key, snake, structs


@dataclass(frozen=True)
class Field:
    """A field: its C++ type, its name, its default in C++, how many it holds (0: one)."""

    type: str
    name: str
    default: str
    length: int = 0

    @property
    def python(self) -> str:
        return snake(self.name)


@dataclass(frozen=True)
class Layout:
    """A structure. template: it has a type parameter T; takes: fields of the constructor; optional: of those, the last."""

    name: str
    fields: tuple[Field, ...]
    takes: tuple[Field, ...]
    optional: bool = False
    template: bool = False

    def field(self, name: str) -> Field | None:
        """The field of a name in either spelling, srcStride for srcGap too."""
        wanted = _UNIONS.get((self.name, key(name)), key(name))
        return next((field for field in self.fields if key(field.name) == wanted), None)


# Unions: another name of a field.
_UNIONS = {("DataCopyParams", "srcstride"): "srcgap", ("DataCopyParams", "dststride"): "dstgap"}


@cache
def layout(name: str) -> Layout:
    """The structure of this name, without `<T>`."""
    row = structs()[name]
    template = "<T>" in row.name or row.text.startswith("template<T>")
    fields = tuple(_fields(row.text))
    if not row.takes:
        return Layout(name, fields, fields, template=template)
    words = row.takes.split()
    by_name = {field.name: field for field in fields}
    takes = tuple(by_name[word.strip("[]")] for word in words)
    return Layout(name, fields, takes, words[-1].startswith("["), template)


def _fields(text: str) -> list[Field]:
    if match := re.match(r"template<T> struct \{ (.*?)\s*\}", text):
        text = match[1]
    body = re.split(r"[.;}]? ?ctors", text)[0].removeprefix("fields in order: ")
    if match := re.match(r"fields in order, (\w+): ", body):
        body = match[1] + " " + body[match.end() :]
    found: list[Field] = []
    kind = ""
    for statement in split(body, ";"):
        for part in split(statement):
            words, _, default = part.partition("=")
            *types, name = words.split()
            kind = " ".join(types) or kind
            length = int(match[1]) if (match := re.search(r"\[(\d+)\]", name)) else 0
            found.append(Field(kind, name.partition("[")[0], default.strip(), length))
    return found


def field_kind(found: Field) -> Kind:
    """What a field takes."""
    if found.length:
        return Kind("list", found.type, found.length)
    if found.type in enums():
        return Kind("enum", found.type)
    if found.type.startswith("LocalTensor"):
        return Kind("local", "T")
    if found.type == "bool":
        return Kind("bool", "bool")
    return Kind("scalar", "T") if found.type == "T" else Kind("int", found.type)
