"""The OpDef form: op_host with definition, tiling and inference, op_kernel with the kernel under tiling keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ferrata.errors import ExportRefused
from ferrata.lang.elements import Dtype
from ferrata.op.define.dims import Unknown
from ferrata.op.define.model import OperatorDef, Port
from ferrata.op.export import kernels
from ferrata.op.export.project import Row, includes, render, require_first, values_of
from ferrata.op.export.view import OperatorView, ge_default, view
from ferrata.op.plan import helpers
from ferrata.op.plan.expressions import cpp_name
from ferrata.op.plan.kinds import comma
from ferrata.op.project.sources import entry_name

_ATTRIBUTE = {
    "int": "Int", "float": "Float", "bool": "Bool", "str": "String", "list[int]": "ListInt", "list[float]": "ListFloat",
    "list[bool]": "ListBool",
}  # fmt: skip


def files(operators: Sequence[Any], stem: str) -> dict[str, str]:
    """The files of an OpDef project. Raises KernelSourceError, ExportRefused."""
    made: dict[str, str] = {}
    rows = []
    for operator in operators:
        definition: OperatorDef = operator.definition
        _check(definition)
        one = view(definition, tiling=True)
        require_first(one, "opdef")
        rows.append(Row(one, []))
        made.update(_files(one, rows[-1]))
    title = rows[0].full_name if len(rows) == 1 else f"{stem}: {len(rows)} operators"
    made["README.md"] = render("opdef_README.md.j2", rows=rows, title=title)
    return made


def _check(definition: OperatorDef) -> None:
    for test, reason in (
        (
            any(isinstance(d, Unknown) for p in definition.outputs if p.rest is not None for d in p.dims),
            "its kernel counts a size beside any number of dimensions",
        ),
        (any(a.type == "list[bool]" for a in definition.attributes), "it has a list of bools"),
    ):
        if test:
            raise ExportRefused(
                what=f"{definition.name} in OpDef form", reason=f"{reason}, which this form leaves out",
                help="Export it with --form ge.",
            )  # fmt: skip


def _files(one: OperatorView, row: Row) -> dict[str, str]:
    definition, plan = one.definition, one.plan
    assert plan.tiling is not None
    file = entry_name(one.ge_type)
    # a plan is translated for each element type in one text: the same keys with the type left open
    sites = plan.tiling.sites
    texts = [kernels.KernelView(k.name, _device(kernels.text(k))) for k in plan.kernels.values()]
    waits = any("__mix__(0, 1)" in kernels.text(k) for k in plan.kernels.values())
    counted = [port for port in one.outputs if one.counted_dim(port) is not None]
    # the sizes beside the one that is counted: the kernel tells the whole shape
    sizes = {f"{port.name}_{i}": (port, i) for port in counted for i in range(1, len(port.dims))}
    fields = [*plan.tiling.fields.items(), *((name, "int64_t") for name in sizes)] or [("unused", "uint32_t")]
    waits = waits or bool(counted)
    values = values_of([row], one.name, graph=True)
    needs = set(one.rule.needs) | set(plan.needs)
    values |= {
        "op": row, "file": file, "fields": fields, "kernels": texts, "waits": waits, "helpers": helpers.texts(needs),
        "sites": [_typed(definition, site) for site in sites], "space": f"{one.name.rstrip('_')}_op", "platform": True,
        "parameters": comma([
            *(f"GM_ADDR {cpp_name(p.name)}" for p in (*one.inputs, *one.outputs)),
            *(f"GM_ADDR {cpp_name(p.name)}_out" for p in one.mutated),  # the same memory as the input
            *(["GM_ADDR shape_out"] if counted else []),
        ]),
        "user": any("user + " in argument for site in sites for argument in site.arguments) or bool(counted),
        "counted_ports": [(port.name, one.counted_dim(port)[1], len(port.dims)) for port in counted],  # type: ignore[index]
        "counts": [cpp_name(dim.name) for dim in definition.unknowns],
        "told": [f"tiling.set_{name}({cpp_name(port.name)}.size({i}));" for name, (port, i) in sizes.items()],
        "range_inputs": _ranges(one),
        "definition": _definition(definition), "reads": _reads(one),
        "dispatch": one.dispatch.replace(f"{one.name}_plan::Plan", "Plan"),
        "dtypes": [
            f"{'SetTypes(ctx, ' if one.ports_vary else 'ctx->SetOutputDataType('}{i}, {_type(one.ge_dtype(port))});"
            for i, port in enumerate((*one.outputs, *one.mutated))
        ],
    }  # fmt: skip
    host = render("op_host.cpp.j2", includes="", **values)
    first = '#include "register/op_def_registry.h"'
    host = host.replace(first, f"{includes(host)}\n{first}", 1)
    return {
        f"op_host/{file}.cpp": host.replace(first, f'#include "acl/acl.h"\n{first}', 1),
        f"op_host/{file}_tiling.h": render("op_tiling.h.j2", **values),
        f"op_kernel/{file}.cpp": render("op_kernel.cpp.j2", **values),
    }


def _type(text: str) -> str:
    return f"ge::{text}" if text.startswith("DT_") else text


def _device(text: str) -> str:
    """A kernel as a function that the entry calls."""
    return re.sub(r"__global__ __(?:vector|mix)__(?:\([^)]*\))? void", "__aicore__ inline void", text)


def _typed(definition: OperatorDef, site: Any) -> Any:
    """A launch with the data type of a port in place of the operator's dtype variable."""
    import dataclasses

    text = site.instance
    for var in definition.dtype_vars:
        ports = [p for p in (*definition.inputs, *definition.outputs) if p.element == var]
        best = next((p for p in ports if p.kind == "required"), ports[0])
        text = re.sub(rf"(?<=[<, ]){var.name}(?=[,>])", f"DTYPE_{best.name.upper()}", text)
    return dataclasses.replace(site, instance=text)


def _reads(one: OperatorView) -> list[str]:
    out = []
    for i, port in enumerate(one.inputs):
        if port.kind == "list":
            out.append(f"const std::vector<DeviceTensor> {cpp_name(port.name)} = ListInput(context, {i});")
            continue
        kind = port.kind.capitalize()
        out.append(f"const DeviceTensor {cpp_name(port.name)} =")
        out.append(f"    Described(context->Get{kind}InputShape({i}), context->Get{kind}InputDesc({i}));")
    out += [line.replace("(ctx)", "(context)") for line in one.ge_attributes]
    for i, port in enumerate(one.outputs):
        if port.kind == "list":
            out.append(f"const std::vector<DeviceTensor> {cpp_name(port.name)} = ListOutput(context, {i});")
            continue
        out.append(
            f"const DeviceTensor {cpp_name(port.name)} = Described(context->GetOutputShape({i}), context->GetOutputDesc({i}));"
        )
    return out


def _ranges(one: OperatorView) -> list[str]:
    """The inputs of InferShapeRange: their largest shapes."""
    out = []
    for i, port in enumerate(one.inputs):
        kind, name = port.kind.capitalize(), cpp_name(port.name)
        out.append(f"const auto *{name}_range = ctx->Get{kind}InputShapeRange({i});")
        given = f"{name}_range == nullptr ? nullptr : {name}_range->GetMax()"
        out.append(f"const auto {name} = Described({given}, ctx->Get{kind}InputDesc({i}));")
    return out + one.ge_attributes


def _definition(definition: OperatorDef) -> list[str]:
    """Statements of the OpDef's constructor: ports with their data types in step, attributes."""
    combinations: list[dict[str, Dtype]] = [{}]
    for var in definition.dtype_vars:
        combinations = [{**c, var.name: dtype} for c in combinations for dtype in var.allowed]
    out = []
    for kind, ports in (("Input", definition.inputs), ("Output", (*definition.outputs, *definition.mutated))):
        for port in ports:
            types = [_element(port, c) for c in combinations]
            out.append(f'this->{kind}("{port.name}")')
            required = {"required": "REQUIRED", "optional": "OPTIONAL", "list": "DYNAMIC"}[port.kind]
            out.append(f"    .ParamType({required})")
            out.append(f"    .DataType({{{comma([f'ge::{t}' for t in types])}}})")
            by_kernel = any(isinstance(dim, Unknown) for dim in port.dims)
            tail = "\n    .OutputShapeDependOnCompute();" if by_kernel else ";"
            out += f"    .Format({{{comma(['ge::FORMAT_ND'] * len(types))}}}){tail}".split("\n")
    for attribute in definition.attributes:
        kind = "REQUIRED" if attribute.required else "OPTIONAL"
        value = "" if attribute.required else ge_default(attribute.default)
        out.append(f'this->Attr("{attribute.name}").AttrType({kind}).{_ATTRIBUTE[attribute.type]}({value});')
    return out


def _element(port: Port, combination: dict[str, Dtype]) -> str:
    element = port.element if isinstance(port.element, Dtype) else combination[port.element.name]
    return element.type.name
