"""The registry of the Ascend C interfaces: one row each, the only list of them.

From the rows (`ferrata/lang/apis/*.py`, of the types of api.py) come the dtype checks of the C++ headers
(`native/include/ferrata/core/api_types.h`, by `tools/gen_api.py`), the reference page, the conformance suite and the
Python language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from ferrata.lang.api import RULES, Api, CFunction, Struct
from ferrata.lang.apis import C_TABLES, STRUCTS, TABLES


@cache
def apis() -> tuple[Api, ...]:
    """Every row, in the order of the tables."""
    return tuple(row for table in TABLES for row in table)


@cache
def c_functions() -> tuple[CFunction, ...]:
    """Every function of the C interface that is not for the cube unit."""
    return tuple(row for table in C_TABLES for row in table)


@cache
def by_id() -> Mapping[str, Api]:
    """The rows by their id."""
    return {api.id: api for api in apis()}


def structs() -> tuple[Struct, ...]:
    """Every structure, enumeration and scalar type that calls take."""
    return STRUCTS


def by_category() -> Mapping[str, tuple[Api, ...]]:
    """The rows of each category, categories in the order of their first row."""
    groups: dict[str, list[Api]] = {}
    for api in apis():
        groups.setdefault(api.category, []).append(api)
    return {category: tuple(rows) for category, rows in groups.items()}


def named(name: str) -> tuple[Api, ...]:
    """The rows that answer to a name, old names included."""
    return tuple(api for api in apis() if api.name == name or any(alias.name == name for alias in api.aliases))


def check(rows: Iterable[Api]) -> list[str]:
    """What is wrong with the rows, in words; the tests expect nothing."""
    problems = []
    seen: set[str] = set()
    for api in rows:
        if api.id in seen:
            problems.append(f"{api.id}: twice")
        seen.add(api.id)
        problems += [f"{api.id}: unknown rule {rule}" for rule in api.rules if rule not in RULES]
        for form in api.forms:
            try:
                _ = form.params
            except ValueError as error:
                problems.append(f"{api.id}: {error}")
    return problems
