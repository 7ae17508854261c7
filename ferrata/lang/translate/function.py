"""The state of one function while it is translated: its variables, what is known of them, where text goes.

statements.py and expressions.py walk the tree with one of these in hand. It is also what binding sees of the translator
(ferrata.lang.binding.Context).
"""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from ferrata import errors
from ferrata.errors import KernelSourceError
from ferrata.lang import prelude
from ferrata.lang.elements import ALL, Dtype, DtypeVar, Element
from ferrata.lang.translate import source as sources
from ferrata.lang.translate import usage as usages
from ferrata.lang.translate.names import local
from ferrata.lang.translate.paths import Paths, State
from ferrata.lang.translate.types import Narrowing, spelled
from ferrata.lang.translate.unit import Allocation, Demand, Unit
from ferrata.lang.translate.writer import Slot, Writer
from ferrata.lang.values import Type, Value

MISSING = object()


@dataclass
class Variable:
    """A variable of the function. value: what reading it gives. line: of its first assignment."""

    value: Value
    line: int
    closed: str = ""  # why it cannot be read any more
    lasting: bool = False  # declared further out than its first assignment


@dataclass
class Exit:
    """What must happen before a jump leaves a block: the text, and whether a loop starts here.

    breaks, continues: what their paths have assigned. flag: the variable that a break sets to false, for an else.
    """

    text: str = ""
    loop: bool = False
    flag: str = ""
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(frozen=True)
class Walk:
    """How one goes on from a node. Files below expressions.py and statements.py come back to them by this."""

    value: Callable[[Function, ast.expr], Value]
    block: Callable[[Function, list[ast.stmt]], bool]


@dataclass
class Function:
    """One kernel or helper while its text is made."""

    python: Callable[..., Any]
    source: sources.Source
    unit: Unit
    walk: Walk
    kernel: bool
    mix: bool = False
    out: Writer = field(init=False)
    usage: usages.Usage = field(init=False)
    variables: dict[str, Variable] = field(default_factory=dict)
    slots: dict[str, Slot] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    narrowed: dict[str, tuple[Dtype, ...]] = field(default_factory=dict)
    aliases: dict[str, Dtype | DtypeVar] = field(default_factory=dict)  # dtype variables that another stands for here
    paths: Paths = field(default_factory=Paths)
    exits: list[Exit] = field(default_factory=list)
    loops: int = 0
    result: Type | None = None
    result_value: Value | None = None
    result_line: int = 0
    result_names: list[str] | None = None
    allocations: list[Allocation] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    parameter_types: dict[str, Type] = field(default_factory=dict)  # of a helper
    used_vars: dict[str, DtypeVar] = field(default_factory=dict)
    head: Slot | None = None  # where what the kernel needs from its start goes
    needs_pipe: bool = False
    sync_all: bool = False
    pending: dict[int, sources.Comment] = field(default_factory=dict)  # comments that have not been written yet
    here: Slot | None = None  # before the statement of the outermost block that is being translated
    suggested: str = ""  # the variable that the expression is for: a name for what it must declare
    results: set[str] = field(default_factory=set)  # constants that expressions have declared
    alone: ast.AST | None = None  # the only statement of its block
    conditions: set[int] = field(default_factory=set)  # `and`, `or` that only ask whether something holds, by their id
    scratch: dict[Any, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.out = Writer(self.source.file)
        self.usage = usages.analyse(self.source.tree)
        self.closure = _outside(self.python)
        args = self.source.tree.args
        self.paths.sure = frozenset(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))
        head = self.source.head_end
        self.pending = {line: remark for line, remark in self.source.comments.items() if line > head}
        if self.kernel:
            self.taken.add("pipe")
        for name in self.python.__code__.co_names:
            variable = self.closure[1].get(name)
            if isinstance(variable, DtypeVar):  # a template parameter, which no variable may hide
                self.taken.add(variable.name)

    # --- the walk -----------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """The Value of an expression; statements that it needs are written before the current one."""
        return self.walk.value(self, node)

    def block(self, body: list[ast.stmt]) -> bool:
        """Translate the statements of a block. Returns whether it ends in a jump."""
        return self.walk.block(self, body)

    # --- errors -------------------------------------------------------------------------------------------------

    def error(self, kind: type[KernelSourceError], node: ast.AST | None, **fields: Any) -> KernelSourceError:
        """The error at a place of the user's file."""
        line = getattr(node, "lineno", self.source.tree.lineno)
        fields.setdefault("help", "")
        fields.setdefault("near", "")
        return kind(file=self.source.file, line=line, excerpt=self.source.excerpt(node), **fields)

    def fail(self, kind: type[KernelSourceError], node: ast.AST | None, **fields: Any) -> NoReturn:
        """Raise the error at a place of the user's file."""
        raise self.error(kind, node, **fields)

    # --- what binding asks --------------------------------------------------------------------------------------

    @property
    def chip(self) -> str:
        """The architecture that is translated for."""
        return self.unit.chip

    def possible(self, variable: DtypeVar) -> tuple[Dtype, ...]:
        """What a dtype variable can still be here."""
        return self.narrowed.get(variable.name, variable.allowed)

    def choices(self, element: Dtype | DtypeVar) -> tuple[Dtype, ...]:
        """What an element type can be here."""
        return self.possible(element) if isinstance(element, DtypeVar) else (element,)

    def same(self, one: Element, other: Element) -> bool:
        """Whether two element types are one here: `T` and ac.f32 inside `if T is ac.f32`."""
        return one == other or (len(self.choices(one)) == 1 and self.choices(one) == self.choices(other))

    def declare(self, cpp_type: str, name: str, value: str = "") -> str:
        """Declare a variable before the current statement; the name that it got."""
        name = self.fresh(name)
        base, bracket, rest = cpp_type.partition("[")
        self.out.emit(f"{base} {name}{bracket}{rest}" + (f" = {value};" if value else ";"))
        return name

    def emit(self, statement: str) -> None:
        """A statement before the current one."""
        self.out.emit(statement if statement.endswith((";", "}")) else statement + ";")

    def helper(self, name: str, text: str) -> None:
        """A device function at the head of the file."""
        if name in prelude.HELPERS:
            self.unit.helper(name)
        else:
            self.unit.extra.setdefault(name, text.rstrip("\n"))

    def constexpr(self, value: Value) -> bool:
        """Whether the value may be a template argument."""
        return value.const is not None or value.formula is not None

    # --- names --------------------------------------------------------------------------------------------------

    def fresh(self, name: str) -> str:
        """A C++ name like `name` that nothing else in this function has."""
        name = local(name)
        base, number = name, 2
        while name in self.taken:
            name, number = f"{base}{number}" if not base[-1].isdigit() else f"{base}_{number}", number + 1
        self.taken.add(name)
        return name

    def use(self, element: Any) -> Any:
        """Note that the text names this dtype variable; gives the element back."""
        if isinstance(element, DtypeVar):
            before = self.unit.dtype_vars.setdefault(element.name, element)
            if before != element:
                self.fail(
                    errors.BadAnnotation, None, name=element.name, kernel=self.source.tree.name,
                    annotation="by two dtype variables of one name",
                )  # fmt: skip
            self.used_vars[element.name] = element
        return element

    def outside(self, name: str) -> Any:
        """The Python object of a name that is no variable of the function, MISSING if there is none."""
        for space in self.closure:
            if name in space:
                return space[name]
        return getattr(builtins, name, MISSING)

    def unknown(self, name: str, node: ast.AST) -> NoReturn:
        """No such name: say what may have been meant."""
        blocks = [
            block.lineno
            for block in ast.walk(self.source.tree)
            if isinstance(block, ast.With)
            and any(isinstance(i.optional_vars, ast.Name) and i.optional_vars.id == name for i in block.items)
        ]
        if blocks:
            self.fail(
                errors.UnknownName, node, name=name, near=f" It is the block of the `with` in line {max(blocks)}.",
                help="A block of a queue is there inside its `with`, which then passes it on or gives it back.",
            )  # fmt: skip
        pool: set[str] = set(self.variables)
        for space in self.closure:
            pool |= set(space)
        near = difflib.get_close_matches(name, pool, n=1, cutoff=0.7)  # `a` is not meant to be `ac`
        self.fail(
            errors.UnknownName, node, name=name,
            near=f" Did you mean {near[0]!r}?" if near else "",
            help="A kernel sees its parameters and variables, its module's constants and functions, and `ac`.",
        )  # fmt: skip

    # --- scopes -------------------------------------------------------------------------------------------------

    @contextmanager
    def scope(self, names: Iterable[str] = ()) -> Iterator[None]:
        """Names that live in a block only: what they hid comes back behind it."""
        before, taken = dict(self.variables), set(self.taken)
        for name in names:
            self.variables.pop(name, None)
        yield
        lasting = {name: one for name, one in self.variables.items() if one.lasting and name not in before}
        self.variables = {**before, **lasting}
        self.taken = taken | {one.value.cpp for one in lasting.values()}

    @contextmanager
    def trial(self) -> Iterator[None]:
        """What is translated inside leaves nothing in the text: to see what it is, before it is translated in its place."""
        count, taken, results = len(self.out.items), set(self.taken), set(self.results)
        try:
            yield
        finally:
            del self.out.items[count:]
            self.taken, self.results = taken, results

    @contextmanager
    def narrow(self, to: Narrowing | None) -> Iterator[None]:
        """Inside, this is known of dtype variables."""
        before = dict(self.narrowed), dict(self.aliases)
        if to is not None:
            for name, kinds in to.kinds:
                allowed = self.narrowed.get(name, tuple(kinds))
                self.narrowed[name] = tuple(sorted(kinds & set(allowed), key=ALL.index))
            if to.alias is not None:
                self.aliases[to.alias[1].name] = to.alias[0]
        yield
        self.narrowed, self.aliases = before

    def demand(self, node: ast.AST, test: Callable[[Any], Any], words: str) -> None:
        """What an instance must satisfy."""
        self.demands.append(Demand(words, getattr(node, "lineno", 0), test))

    def describe(self, kind: Type) -> str:
        """A type in words."""
        return spelled(kind)

    def at(self, value: Value, node: ast.AST) -> Value:
        """A value with its place."""
        return replace(value, node=node)


def _outside(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Where a function's free names are looked up: its closure, then its module."""
    cells: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return [cells, function.__globals__]
