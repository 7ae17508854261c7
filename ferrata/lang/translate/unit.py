"""One file of Ascend C: what a kernel and its helpers need at its head, and the text of it all.

State lives here while a kernel is translated: the constants, structures and device functions that have been asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrata.lang import parameters, prelude
from ferrata.lang.elements import DtypeVar
from ferrata.lang.translate.names import safe
from ferrata.lang.translate.writer import Line, Writer, comment
from ferrata.lang.values import Formula, Type, Value


@dataclass(frozen=True)
class Allocation:
    """Memory of the Unified Buffer: where it is asked for and, once all is bound, its bytes."""

    what: str
    file: str
    line: int
    text: str
    bytes: Callable[[Mapping[str, Any]], int] | None


@dataclass(frozen=True)
class Demand:
    """What an instance must satisfy, in words, and the test."""

    words: str
    line: int
    test: Callable[[Mapping[str, Any]], Any]


@dataclass
class Device:
    """A device function made of a helper, for one list of argument types."""

    name: str
    result: Type | None
    result_values: Value | None
    lines: list[Line]
    allocations: list[Allocation]
    consts: tuple[str, ...]
    dtype_vars: tuple[DtypeVar, ...]
    sync_all: bool = False
    pipe: bool = False
    demands: list[Demand] = field(default_factory=list)
    deduced: bool = True  # C++ reads its dtype variables from the arguments


@dataclass
class Unit:
    """The file being made. names: taken at namespace level."""

    chip: str
    dtype_vars: dict[str, DtypeVar] = field(default_factory=dict)
    helpers: list[str] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)  # device functions that binding asked for
    constants: dict[str, tuple[str, Any]] = field(default_factory=dict)  # C++ name to declaration and value
    structs: dict[str, tuple[Any, list[str]]] = field(default_factory=dict)
    devices: dict[Any, Device | None] = field(default_factory=dict)
    order: list[Device] = field(default_factory=list)
    calling: list[Callable[..., Any]] = field(default_factory=list)
    bodies: dict[tuple[str, tuple[str, ...]], list[str]] = field(default_factory=dict)  # by name and parameters
    owners: dict[str, Any] = field(default_factory=dict)  # names of functions and structures, and whose they are

    def helper(self, name: str) -> str:
        """Ask for a function of the prelude; its name."""
        if name not in self.helpers:
            self.helpers.append(name)
        return name

    def struct(self, python: Any) -> str:
        """The C++ name of a dataclass."""
        name = safe(python.__name__)
        if name not in self.structs:
            fields = parameters.fields_of(python) or []
            doc = (python.__doc__ or "").strip()
            lines = comment(doc, 0) if doc and not doc.startswith(f"{python.__name__}(") else []
            lines += [f"struct {name} {{", *(f"    {parameters.SCALARS[t]} {safe(n)};" for n, t in fields), "};"]
            self.structs[name] = (python, lines)
        return name

    def constant(self, name: str, value: int | float, kind: str, text: str) -> str:
        """The C++ name of a constant of the user's module."""
        cpp = safe(name)
        while cpp in self.constants and self.constants[cpp][1] != value:
            cpp += "_"
        self.constants.setdefault(cpp, (f"constexpr {kind} {cpp} = {text};", value))
        return cpp

    def head(self, title: str) -> list[Line]:
        """What stands before the kernel."""
        out = Writer()
        for line in comment(title, 0):
            out.emit(line)
        out.emit('#include "kernel_operator.h"')
        out.emit("")
        out.emit("using namespace AscendC;")
        if self.constants:
            out.emit("")
            for declaration, _ in self.constants.values():
                out.emit(declaration)
        blocks = [prelude.HELPERS[name][1].split("\n") for name in prelude.closure(self.helpers)]
        blocks += [text.split("\n") for text in self.extra.values()]
        blocks += [lines for _, lines in self.structs.values()]
        for block in blocks:
            out.emit("")
            for line in block:
                out.emit(line)
        lines = list(out)
        for device in self.order:
            lines += [Line(""), *device.lines]
        return lines


def scaled(allocation: Allocation, bound: Mapping[str, Formula | None]) -> Allocation:
    """An allocation of a helper, in terms of its caller's names. bound: the helper's Consts."""
    inner = allocation.bytes
    if inner is None or any(formula is None for formula in bound.values()):
        return dataclasses.replace(allocation, bytes=None) if bound else allocation
    formulas = {name: formula for name, formula in bound.items() if formula is not None}

    def outer(values: Mapping[str, Any]) -> int:
        return inner({**values, **{name: formula(values) for name, formula in formulas.items()}})

    return dataclasses.replace(allocation, bytes=outer)
