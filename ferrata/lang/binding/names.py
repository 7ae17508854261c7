"""Python names of the interfaces: which rows answer to `data_copy_pad`, which name a wrong one may have meant.

Made from the registry once per process. A name of the registry has one Python name; `Mutex::Lock` becomes
`Mutex.lock`, a member of a tensor or queue becomes a method.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ferrata import faults
from ferrata.lang import registry
from ferrata.lang.api import Api, Struct
from ferrata.lang.elements import i64
from ferrata.lang.enums import Member, Number
from ferrata.lang.values import EnumType, ScalarType, Value

# Classes whose members are called on the class, not on an object.
STATIC = ("Mutex",)


@dataclass(frozen=True)
class Entry:
    """What a Python name stands for. cpp: the name in C++; owner: the class of a member, "" for a function."""

    python: str
    cpp: str
    rows: tuple[Api, ...]
    owner: str = ""

    @property
    def present(self) -> tuple[Api, ...]:
        """The rows that a kernel for this chip can call."""
        return tuple(row for row in self.rows if row.category != "absent" and row.pipe != "host")

    @property
    def spelled(self) -> str:
        """As a person writes it: `ac.add`, `tensor.get_value`."""
        if self.owner and self.owner not in STATIC:
            return f"{self.owner}.{self.python}"
        return f"ac.{self.owner}.{self.python}" if self.owner else f"ac.{self.python}"


@cache
def snake(name: str) -> str:
    """`DataCopyPad` -> `data_copy_pad`; a keyword gets an underscore behind it."""
    name = faults.snake(name)
    return name + "_" if keyword.iskeyword(name) else name


@cache
def key(name: str) -> str:
    """What spellings of a parameter have in common: `block_len` and `blockLen`."""
    return name.replace("_", "").lower()


@cache
def functions() -> Mapping[str, Entry]:
    """Every function by its Python name, old names included, `Mutex.lock` too."""
    rows: dict[str, list[Api]] = {}
    for api in registry.apis():
        owner, _, member = api.name.rpartition("::")
        if not owner or owner in STATIC:
            for name in (api.name, *(alias.name for alias in api.aliases)):
                rows.setdefault(name, []).append(api)
    entries: dict[str, Entry] = {}
    for name, found in rows.items():
        owner, _, member = name.rpartition("::")
        python = f"{owner}.{snake(member)}" if owner else snake(name)
        entries.setdefault(python, Entry(snake(member), name, tuple(found), owner))
    return entries


@cache
def methods() -> Mapping[str, Mapping[str, Entry]]:
    """The members of each class by their Python names. Operators are the translator's."""
    found: dict[str, dict[str, Entry]] = {}
    for api in registry.apis():
        owner, _, member = api.name.rpartition("::")
        if owner and owner not in STATIC and member != "operator":
            table = found.setdefault(owner, {})
            rows = table[snake(member)].rows if snake(member) in table else ()
            table[snake(member)] = Entry(snake(member), member, (*rows, api), owner)
    return found


@cache
def enums() -> Mapping[str, tuple[str, ...]]:
    """The members of each enumeration."""
    found = {}
    for row in registry.structs():
        if match := re.match(r"enum [\w :]*\{(.*?)[}(]", row.text):
            found[row.name] = tuple(re.split(r"\s*=", part)[0].strip() for part in match[1].split(","))
        elif match := re.search(r"with members ([\w, ]+)", row.text):
            found[row.name] = tuple(part.strip() for part in match[1].split(","))
    return found


@cache
def constants() -> Mapping[str, int]:
    """The named numbers."""
    row = next(row for row in registry.structs() if row.name == "constants")
    found = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", row.text)}
    return {**found, "MASK_PLACEHOLDER": 0}


@cache
def structs() -> Mapping[str, Struct]:
    """The structures by their name without `<T>`."""
    skipped = {*enums(), "constants", "MASK_PLACEHOLDER", "half", "bfloat16_t", "int4b_t"}
    return {row.name.partition("<")[0]: row for row in registry.structs() if row.name not in skipped}


def is_interface(name: str) -> bool:
    """Whether a Python name is one of an interface."""
    return name in functions()


def member_text(enum: str, member: str) -> str:
    """A member in C++: pipes and flags have no scope."""
    return member if enum in ("pipe_t", "event_t") else f"{enum}::{member}"


def constant(obj: Any) -> Value | None:
    """The Value of a member of an enumeration or of a named number; None for any other object."""
    if isinstance(obj, Member):
        return Value(obj.value, EnumType(type(obj).__name__), const=obj)
    if isinstance(obj, Number):
        return Value(obj.cpp, ScalarType(i64), const=int(obj))
    return None


def nearest(name: str) -> list[str]:
    """Names that a person may have meant, the best first, as they are written."""
    table = functions()
    spelled = [snake(name), snake(name).rstrip("_") + "_"]
    exact = [known for known in spelled if known in table]
    if exact:
        return [table[exact[0]].spelled]
    close = difflib.get_close_matches(snake(name), table, n=3, cutoff=0.6)
    if not close and len(name) > 2:
        close = [known for known in table if known.startswith(snake(name))][:3]
    return [table[known].spelled for known in close]
