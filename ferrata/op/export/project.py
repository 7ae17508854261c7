"""The files of an exported project: five for a graph (and the header that they share), fewer for eager mode alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from ferrata.errors import ExportRefused
from ferrata.op.define.model import OperatorDef
from ferrata.op.export import cases, kernels, write
from ferrata.op.export.gradients import gradients
from ferrata.op.export.view import TORCH_SCALARS, OperatorView, view
from ferrata.op.plan import helpers
from ferrata.op.plan.expressions import acl_name, cpp_name
from ferrata.op.plan.launches import packed

FORMS = ("ge", "opdef", "eager")
_ACL = ("IsFloatingPoint", "ItemSize")


def export(
    operators: Sequence[Any], folder: Path, *, form: str = "ge", name: str | None = None, force: bool = False
) -> list[Path]:
    """Write a project for the operators. form: "ge", "opdef", "eager", or "all" for one folder each.

    name: of the library and the files; by default that of the one operator, else that of its file.
    Raises KernelSourceError, ExportRefused, FolderInUse.
    """
    write.check(folder, force)
    return write.write(folder, files(operators, form=form, name=name), force)


def files(operators: Sequence[Any], *, form: str = "ge", name: str | None = None) -> dict[str, str]:
    """The files of a project by name."""
    stem = name or _stem([operator.definition for operator in operators])
    if form == "all":
        found = {}
        for one in FORMS:
            found.update({f"{one}/{file}": text for file, text in files(operators, form=one, name=name).items()})
        return found
    if form == "opdef":
        from ferrata.op.export import opdef

        return opdef.files(operators, stem)
    views = [view(operator.definition) for operator in operators]
    _distinct(views)
    for each in views if form == "ge" else ():
        require_first(each, form)
    return _project(operators, views, stem, form == "ge")


def require_first(one: OperatorView, form: str) -> None:
    """In GE an output can be shrunk in place where its memory is cut off at the end. Raises ExportRefused."""
    for port in one.outputs:
        at = one.counted_dim(port)
        if at is not None and at[0] != 0:
            raise ExportRefused(
                what=f"{one.full_name} in {'GE' if form == 'ge' else 'OpDef'} form",
                reason=f"the kernel counts {at[1]}, which is not the first size of {port.name}, so that its rows would have to "
                "move",
                help=f"Let {at[1]} be the first size of {port.name}, or export it with --form eager.",
            )


def _stem(definitions: Sequence[OperatorDef]) -> str:
    if len(definitions) == 1:
        return definitions[0].short_name.rstrip("_")  # of an operator in place
    return Path(definitions[0].file).stem.replace("-", "_")


def _distinct(views: Sequence[OperatorView]) -> None:
    names: dict[str, Any] = {}
    for one in views:
        for kernel in one.kernels.values():
            if names.setdefault(kernel.name, kernel) is not kernel:
                raise ExportRefused(
                    what=one.full_name,
                    reason=f"two kernels have the name {kernel.name}: {names[kernel.name].file}:{names[kernel.name].line} and "
                    f"{kernel.file}:{kernel.line}",
                    help="Rename one of them, or export the operators one by one.",
                )
    shorts = [one.name for one in views]
    twice = next((name for name in shorts if shorts.count(name) > 1), None)
    if twice is not None:
        raise ExportRefused(
            what=twice, reason="two operators have this name in different namespaces", help="Export them one by one."
        )


@cache
def environment() -> jinja2.Environment:
    """The templates."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    made.filters["cpp"] = cpp_name
    made.globals["invoke"] = invoke
    return made


def invoke(head: str, arguments: str, tail: str = ";", indent: int = 1, brackets: str = "()") -> str:
    """`head(arguments);`, on several lines when it is long. indent: of the line that it stands on."""
    whole = f"{head}{brackets[0]}{arguments}{brackets[1]}{tail}"
    if 4 * indent + len(whole) <= 120:
        return whole
    pad = "\n" + "    " * (indent + 1)
    lines = packed(split(arguments), 116 - 4 * indent)
    closing = f"{brackets[1]}{tail}" if brackets == "()" else f",{pad[:-4]}{brackets[1]}{tail}"
    return f"{head}{brackets[0]}{pad}{pad.join(lines)}{closing}"


def split(arguments: str) -> list[str]:
    """Arguments at the commas outside of brackets."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(arguments):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            found.append(arguments[start:at].strip())
            start = at + 1
    return [*found, arguments[start:].strip()]


def render(template: str, **values: Any) -> str:
    """A template, without blanks at line ends and with no more than one empty line in a row (two in a new project's Python)."""
    most = 2 if template.startswith("new/") else 1
    lines = [line.rstrip() for line in environment().get_template(template).render(**values).split("\n")]
    out: list[str] = []
    for line in lines:
        if line or (out and any(out[-most:])):
            out.append(line)
    return "\n".join(out).strip("\n") + "\n"


def includes(text: str) -> str:
    return "".join(f"#include <{name}>\n" for name in helpers.includes(text))


class Row:
    """A view, and what only the project knows: the cases of the test."""

    def __init__(self, one: OperatorView, found: list[str]) -> None:
        self._view = one
        self.cases = found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)

    @property
    def shape_definition(self) -> str:
        from ferrata.op.plan.rules import parameters_of

        shape = self._view.shape
        assert shape is not None
        result = "std::vector<std::vector<Int>>" if shape.nested or not self._view.rule.single else "std::vector<Int>"
        parameters = ", ".join(parameters_of(self._view.definition))
        return f"template <typename Int>\n{result} Shapes({parameters}) {{\n{shape.body}}}\n"

    @property
    def ge_arguments(self) -> str:
        names = [f"Infos({cpp_name(p.name)})" if p.kind == "list" else cpp_name(p.name) for p in self._view.inputs]
        return ", ".join([*names, *(cpp_name(a.name) for a in self._view.attributes)])

    @property
    def ge_launch_arguments(self) -> str:
        return ", ".join(["launcher", *(cpp_name(p.name) for p in self._view.launch_parameters)])

    @property
    def keyword_only(self) -> bool:
        return self._view.definition.keyword_only < len(self._view.attributes)

    @property
    def call_parameters(self) -> str:
        return ", ".join(self._view.definition.parameters)

    @property
    def call_arguments(self) -> str:
        first = len(self._view.inputs) + self._view.definition.keyword_only
        names = self._view.definition.parameters
        return ", ".join([*names[:first], *(f"{name}={name}" for name in names[first:])])

    @property
    def tolerance(self) -> str:
        floating = [
            d for p in self._view.outputs or self._view.mutated for d in self._view.definition.allowed(p) if d.floating
        ]
        narrow = any(d.bytes == 2 for d in floating)
        return "1e-2" if narrow else "1e-4" if floating else "0"


def values_of(rows: Sequence[Row], stem: str, graph: bool) -> dict[str, Any]:
    """What the templates of a project read."""
    bodies = " ".join(row.plan.body + row.plan.head for row in rows)
    inputs = [port for row in rows for port in row.inputs]
    outputs = [port for row in rows for port in row.outputs]
    attributes = [a for row in rows for a in row.attributes]
    namespaces = [(name, [r for r in rows if r.namespace == name]) for name in dict.fromkeys(r.namespace for r in rows)]
    counted = any(row.counted for row in rows)
    workspace, descriptors = ".Workspace(" in bodies or counted, "launcher.List(" in bodies
    ports = [port for row in rows for port in (*row.inputs, *row.outputs)]
    types = {dtype.name: acl_name(dtype) for row in rows for port in ports for dtype in row.definition.allowed(port)}
    return {
        "stem": stem, "space": f"{stem}_ops", "graph": graph, "operators": rows, "namespaces": namespaces,
        "base": helpers.BASE, "workspace": workspace, "zeroed": ", true)" in bodies or counted,
        "descriptors": descriptors, "scratch": workspace or descriptors, "counted": counted,
        "metas_missing": counted and not graph,
        "metas": any(not row.counted for row in rows),
        "arithmetic": any(row.arithmetic for row in rows), "dim_needs": {one for row in rows for one in row.dim_needs},
        "torch_types": [(scalar, types[name]) for name, scalar in TORCH_SCALARS.items() if name in types],
        "any_outputs": bool(outputs), "output_ports_vary": any(row.ports_vary for row in rows),
        "new_output": any(row.counted_dim(port) is None for row in rows for port in row.outputs),
        "lists": any(p.kind == "list" for p in (*inputs, *outputs)),
        "tensor_lists": any(p.kind == "list" for p in inputs),
        "output_lists": any(p.kind == "list" for p in outputs),
        "optionals": any(p.kind == "optional" for p in inputs),
        "writes": any(row.mutated for row in rows),
        "attributes": bool(attributes),
        "attribute_lists": any(a.type.startswith("list") for a in attributes),
        "float_lists": any(a.type == "list[float]" for a in attributes),
        "platform": any(set(helpers.PLATFORM) & row.plan.needs for row in rows),
        "floats": any("floats(" in case for row in rows for case in row.cases),
        "integers": any("integers(" in case for row in rows for case in row.cases),
        "gradients": [], "no_gradients": [],
        "title": rows[0].full_name if len(rows) == 1 else f"{stem}: {len(rows)} operators",
        "summary": "Kernels, GE deliverables and PyTorch registrations" if graph else "Kernels and PyTorch registrations",
    }  # fmt: skip


def _project(operators: Sequence[Any], views: Sequence[OperatorView], stem: str, graph: bool) -> dict[str, str]:
    shared: set[str] = set()
    host: set[str] = set()
    for one in views:
        shared |= one.rule.needs
        host |= one.plan.needs
    rows = [Row(one, cases.cases(operator)) for one, operator in zip(views, operators, strict=True)]
    values = values_of(rows, stem, graph)
    found = gradients(operators)
    values |= {"gradients": found.found, "no_gradients": found.missing}
    values["kernels"] = kernels.views(kernel for one in views for kernel in one.kernels.values())
    space = values["space"]
    header = render("ops.h.j2", helpers=helpers.texts(shared), **values)
    many = "s" * (len(views) > 1)
    top = f"// What the files of this library share: tensors, the shape rule{many}, the launch function{many}.\n#pragma once\n"
    acl = '\n#include "acl/acl.h"\n\n'
    header = f"{top}{includes(header)}{acl}namespace {space} {{\n{header}}} // namespace {space}\n"
    own = [text for text in helpers.texts(host) if text not in helpers.texts(shared)]
    kernel = render("kernel.asc.j2", helpers=own, includes="", **values)
    out = {
        f"{stem}_kernel.asc": kernel.replace(
            '#include "kernel_operator.h"', f'{includes(kernel)}\n#include "kernel_operator.h"', 1
        ),
        f"{stem}_ops.h": header,
        f"{stem}_pytorch.asc": render("pytorch.asc.j2", **values),
    }
    if graph:
        ge = render("ge.asc.j2", includes="", **values)
        out[f"{stem}_ge.asc"] = ge.replace(
            '#include "graph/custom_op.h"', f'{includes(ge)}\n#include "graph/custom_op.h"', 1
        )
        out[f"{stem}_converter.py"] = render("converter.py.j2", **values)
    if found.text:
        doc = '"""The gradients of the operators; import this after the library is loaded."""\n\n'
        out[f"{stem}_gradients.py"] = _python(doc + found.text)
    out[f"{stem}_test.py"] = _python(render("test.py.j2", **values))
    if graph:
        out[f"{stem}_converter.py"] = _python(out[f"{stem}_converter.py"])
    out["CMakeLists.txt"] = render("CMakeLists.txt.j2", **values)
    out["README.md"] = render("README.md.j2", **values)
    return out


def _python(text: str) -> str:
    """Two empty lines around what stands at the start of a line."""
    lines = text.split("\n")
    out: list[str] = []
    for i, line in enumerate(lines):
        begins = line.startswith(("def ", "class ", "@", "if __name__ =="))
        decorated = bool(out) and out[-1].startswith("@")
        if begins and not decorated:
            while out and not out[-1]:
                out.pop()
            out += ["", ""]
        elif (
            line
            and not line.startswith((" ", ")", "]", "}", "#"))
            and out
            and out[-1] == ""
            and len(out) > 1
            and out[-2].startswith(" ")
        ):
            out.append("")
        out.append(line)
        del i
    return "\n".join(out)
