"""A kernel as a whole: its head with tensors of the parameters, and its body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ferrata.lang.declaration import Declaration
from ferrata.lang.translate import expressions, source, statements
from ferrata.lang.translate.function import Function, Variable, Walk
from ferrata.lang.translate.names import safe
from ferrata.lang.translate.types import NUMBERS, ListType
from ferrata.lang.translate.unit import Allocation, Demand, Unit
from ferrata.lang.translate.writer import Line, Writer, comment, render
from ferrata.lang.values import BOOL, INT, GlobalType, StructType, Value


@dataclass(frozen=True)
class Translation:
    """A translated kernel. name: of its function in C++. template: its template parameters, in order."""

    name: str
    lines: tuple[Line, ...]
    allocations: tuple[Allocation, ...]
    demands: tuple[Demand, ...]
    template: tuple[str, ...]
    structs: tuple[tuple[str, Any], ...]

    def text(self, markers: bool = False) -> str:
        """The file."""
        return render(self.lines, markers)


def translate(kernel: Declaration, chip: str) -> Translation:
    """Translate a kernel. Raises KernelSourceError."""
    unit = Unit(chip)
    walk = Walk(expressions.translate, statements.block)
    f = Function(kernel.function, source.read(kernel.function), unit, walk, kernel=True, mix=kernel.core == "mix")
    name = safe(kernel.name)
    unit.owners[name] = kernel.function
    if kernel.core != "vector":
        f.taken.add(name)  # the entry of such a kernel names its own function
    f.out.depth = 1
    f.head = f.out.slot()
    parameters, template = _parameters(f, kernel)
    f.block(f.source.body)
    for line in sorted(f.pending):
        if f.pending[line].alone:
            f.out.python = 0
            f.out.emit("", f.pending[line].text)
    f.out.python = f.source.tree.lineno
    if f.needs_pipe:
        f.out.fill(f.head, "TPipe pipe;")
    variables = [f"typename {variable.cpp}" for variable in unit.dtype_vars.values()]
    out = Writer(f.source.file)
    out.emit("")
    for remark in comment(f.source.docstring, 0) if f.source.docstring else ():
        out.emit(remark)
    out.python = f.source.tree.lineno
    if variables or template:
        out.emit(f"template <{', '.join([*variables, *template])}>")
    out.emit(f"__global__ {_kind(kernel, f)} void {name}({', '.join(parameters)})")
    out.python = 0
    out.emit("{")
    head = unit.head(f"{kernel.name}: made from {_short(f.source.file)} by ferrata.")
    lines = [*head, *out, *f.out, Line("}")]
    order = (*unit.dtype_vars, *(p.name for p in kernel.params if p.kind == "const"))
    structs = tuple((cpp_name, python) for cpp_name, (python, _) in unit.structs.items())
    return Translation(name, tuple(lines), tuple(f.allocations), tuple(f.demands), order, structs)


def _short(file: str) -> str:
    return file.rpartition("/")[2]


def _kind(kernel: Declaration, f: Function) -> str:
    if kernel.core == "mix":
        return "__mix__(1, 2)"
    if kernel.core == "cube":
        return "__cube__"
    return "__mix__(0, 1)" if f.sync_all else "__vector__"  # a plain vector kernel's cores cannot wait for each other


def _parameters(f: Function, kernel: Declaration) -> tuple[list[str], list[str]]:
    """Declare the parameters: their texts, and those of the Consts as template parameters."""
    texts: list[str] = []
    template: list[str] = []
    line = f.source.tree.lineno
    f.out.python = line
    taken = {param.name for param in kernel.params}
    tensors: dict[str, list[str]] = {}  # by element type
    bases: list[str] = []
    for param in kernel.params:
        if param.kind == "const":
            default = "" if param.default is None else f" = {str(param.default).lower()}"
            cpp_name = f.fresh(param.name)
            kind = BOOL if param.python is bool else INT
            template.append(f"{'bool' if param.python is bool else 'int64_t'} {cpp_name}{default}")
            natural = 0 if kind == INT and not (isinstance(param.default, int) and param.default < 0) else None
            formula = lambda bound, name=param.name: bound[name]  # noqa: E731
            f.variables[param.name] = Variable(Value(cpp_name, kind, formula=formula, minimum=natural), line)
            if natural is not None:
                f.demand(
                    f.source.tree, lambda bound, name=param.name: bound[name] >= 0,  # type: ignore[misc]
                    f"{param.name} >= 0 (a Const may be negative when its default is)",
                )  # fmt: skip
    for param in kernel.params:
        if param.kind == "const":
            continue
        cpp_name = f.fresh(param.name)
        if param.kind in ("gm", "gm_list"):
            assert param.element is not None
            element = f.use(param.element)
            texts.append(f"GM_ADDR {cpp_name}")
            base = f"{param.name}_gm" if param.kind == "gm" else f"{param.name}_list"
            inner = f.fresh(base if base not in taken else base + "_")
            if param.kind == "gm_list":
                bases.append(f"ListTensorDesc {inner}(reinterpret_cast<__gm__ void*>({cpp_name}));")
                f.variables[param.name] = Variable(Value(inner, ListType(element)), line)
                continue
            tensors.setdefault(element.cpp, []).append(inner)
            bases.append(f"{inner}.SetGlobalBuffer(reinterpret_cast<__gm__ {element.cpp}*>({cpp_name}));")
            value = Value(inner, GlobalType(element), const=("optional", cpp_name) if param.optional else None)
            f.variables[param.name] = Variable(value, line)
        elif param.kind == "struct":
            struct = f.unit.struct(param.python)
            texts.append(f"{struct} {cpp_name}")
            f.variables[param.name] = Variable(Value(cpp_name, StructType(struct, param.python)), line)
        else:
            kind = NUMBERS[param.kind]
            texts.append(f"{kind.element.cpp} {cpp_name}")
            f.variables[param.name] = Variable(Value(cpp_name, kind), line)
    for element_cpp, names in tensors.items():
        f.out.emit(f"GlobalTensor<{element_cpp}> {', '.join(names)};")
    for text in bases:
        f.out.emit(text)
    return texts, template
