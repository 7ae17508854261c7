"""Where a translation stands: what is known of the function's variables, and the text so far.

A function is translated until the types of its variables no longer change, then once more for the text. Where each
variable is declared is the kernel translator's analysis.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Literal

from ferrata.errors import KernelSourceError
from ferrata.lang.elements import Dtype
from ferrata.lang.translate.usage import Usage
from ferrata.lang.translate.writer import Writer
from ferrata.lang.values import Type
from ferrata.op.plan.kinds import PlanValue
from ferrata.op.plan.source import Source, refuse


@dataclass
class Unit:
    """What the translated functions of one operator share.

    constants: values of module constants as C++ by name. functions: results of helper functions by function and types.
    texts: their definitions in order. needs: C++ helpers used (helpers.py). kernels, structs: what launches use.
    """

    constants: dict[str, tuple[Type, str]] = field(default_factory=dict)
    functions: dict[Any, tuple[str, Type]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    kernels: dict[str, Any] = field(default_factory=dict)
    structs: dict[str, Any] = field(default_factory=dict)
    active: list[Any] = field(default_factory=list)


@dataclass
class Site:
    """A launch of a plan that became a tiling function: its key, and the call that the kernel makes for it."""

    key: int
    kernel: Any
    instance: str
    arguments: tuple[str, ...]


@dataclass
class Tiling:
    """What a tiling function tells its kernel. fields: types by name. made: a launch stands on the way taken so far."""

    fields: dict[str, str] = field(default_factory=dict)
    sites: list[Site] = field(default_factory=list)
    made: bool = False
    loops: int = 0


@dataclass
class Scope:
    """State of one function's translation; `variables` is what is known of each name so far.

    templates: dtype variables that are template parameters. narrowed: what such a variable can still be here.
    pending: names of launches that were made and not yet returned, in order. recorder: launches are written as calls
    that record them, not as kernels to run.
    """

    source: Source
    unit: Unit
    mode: Literal["plan", "shape", "helper"]
    usage: Usage
    kinds: dict[str, Type] = field(default_factory=dict)
    variables: dict[str, PlanValue] = field(default_factory=dict)
    found: dict[str, Type] = field(default_factory=dict)
    values: dict[str, list[PlanValue]] = field(default_factory=dict)
    known: dict[str, tuple[Any, ...] | None] = field(default_factory=dict)
    templates: dict[str, tuple[Dtype, ...]] = field(default_factory=dict)
    narrowed: dict[str, tuple[Dtype, ...]] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    returns: list[Type] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    writer: Writer = field(default_factory=Writer)
    shown: int = 0  # the last line of the file whose comments were written
    recorder: bool = False
    draft: bool = True  # the first pass, which does not know yet what variables hold
    tiling: Tiling | None = None  # the plan becomes a tiling function: launches are written as what it tells the kernel
    symbolic: bool = False  # sizes are of the template parameter Int

    @property
    def size(self) -> str:
        """What an int is called in this text."""
        return "Int" if self.symbolic else "int64_t"

    def made(self, set_to: bool | None = None) -> bool:
        """Whether a tiling function has its launch on the way taken so far; set_to changes that."""
        if self.tiling is None:
            return False
        if set_to is not None:
            self.tiling.made = set_to
        return self.tiling.made

    def refuse(self, kind: type[KernelSourceError], node: ast.AST, message: str, help: str = "") -> KernelSourceError:
        return refuse(kind, self.source, node, message, help)
