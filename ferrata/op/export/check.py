"""The text that ferrata.op.plan.native builds: an operator's exported header and GE file around a recording plan."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from ferrata import cache
from ferrata.lang.elements import ALL
from ferrata.op.define.model import OperatorDef, Port
from ferrata.op.export.project import Row, render, values_of
from ferrata.op.export.view import view
from ferrata.op.plan import helpers
from ferrata.op.plan.expressions import cpp_name

_PLACE = "TypeOfTheCheck"
_READ = {
    "int": "int64_t {} = reader.Int();",
    "float": "double {} = reader.Float();",
    "bool": "bool {} = reader.Bool();",
    "str": "std::string {} = reader.Str();",
    "list[int]": "std::vector<int64_t> {} = reader.List<int64_t>();",
    "list[float]": "std::vector<double> {} = reader.List<double>();",
    "list[bool]": "std::vector<bool> {} = reader.List<bool>();",
}


def source(definition: OperatorDef) -> tuple[str, str]:
    """The C++ text and the GE type under which it registers: one of its own for each text."""
    plain = _text(definition)
    ge_type = f"{definition.ge_type}Check{cache.key([plain])[:12]}"
    return plain.replace(_PLACE, ge_type), ge_type


def _text(definition: OperatorDef) -> str:
    one = view(dataclasses.replace(definition, ge_type=_PLACE), recorder=True)
    stem = definition.short_name
    row = Row(one, [])
    values = values_of([row], stem, graph=True)
    header = render("ops.h.j2", helpers=helpers.texts(one.rule.needs), **values)
    header = f"namespace {stem}_ops {{\n{header}}}\n"
    ge = render("ge.asc.j2", includes="", **values).replace(f'#include "{stem}_ops.h"', "")
    own = [text for text in helpers.texts(one.plan.needs) if text not in helpers.texts(one.rule.needs)]
    reads = [*map(_tensor, one.inputs), *(_READ[a.type].format(cpp_name(a.name)) for a in one.attributes),
             *map(_tensor, one.outputs),
             *(f"const DeviceTensor {cpp_name(dim.name)} = reader.Tensor();" for dim in definition.unknowns)]  # fmt: skip
    structs = [
        {"name": name, "fields": [(_kind(hint), field) for field, hint in typing.get_type_hints(python).items()]}
        for name, python in one.plan.structs.items()
    ]
    extra: dict[str, Any] = {"op": row, "helpers": own, "header": header, "ge": ge, "reads": reads, "structs": structs}
    return render("check.cpp.j2", types=[dtype.cpp for dtype in ALL], **values, **extra)


def _tensor(port: Port) -> str:
    name = cpp_name(port.name)
    if port.kind == "list":
        return f"const std::vector<DeviceTensor> {name} = reader.Tensors();"
    return f"const DeviceTensor {name} = reader.Tensor();"


def _kind(hint: Any) -> str:
    return {int: "int64_t", float: "float", bool: "bool"}[hint]
