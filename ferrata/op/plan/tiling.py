"""Launches of a plan that becomes a tiling function: fields of the tiling data, the number of cores, a key.

In OpDef form an operator is one kernel, launched once. Each launch that a plan may make gets a tiling key, under which the
kernel's entry calls the function with what the tiling data holds.
"""

from __future__ import annotations

import ast
from typing import Any

from ferrata.errors import PlanLaunches
from ferrata.op.plan.kinds import ANY_NONE, PlanValue
from ferrata.op.plan.scope import Scope, Site

_TYPES = {"int": "int64_t", "float": "float", "bool": "uint32_t"}


def begin(scope: Scope, node: ast.AST, kernel: Any) -> None:
    """Before a launch. Raises PlanLaunches when it is the second one of a call."""
    assert scope.tiling is not None
    if scope.tiling.loops or scope.tiling.made:
        raise scope.refuse(
            PlanLaunches, node, "this plan launches more than once in a call; an OpDef is one kernel, launched once",
            "Export it with --form ge, or put the work into one kernel.",
        )  # fmt: skip
    if kernel.core != "vector":
        raise scope.refuse(
            PlanLaunches, node, f"kernel {kernel.name} needs cube cores, which the OpDef form leaves out"
        )


def write(
    scope: Scope, node: ast.AST, kernel: Any, instance: str, cores: PlanValue, row: list[tuple[Any, PlanValue, str]]
) -> None:
    """Write one launch. row: parameter, value and text of each argument. Raises PlanLaunches."""
    tiling = scope.tiling
    assert tiling is not None
    arguments = []
    for parameter, value, text in row:
        if parameter.kind == "gm_list":
            arguments.append(_list(scope, node, parameter, value))
        elif parameter.kind == "gm":
            arguments.append(_tensor(scope, parameter, value, text))
        elif parameter.kind in _TYPES:
            name = _field(scope, kernel, parameter.name, _TYPES[parameter.kind])
            scope.writer.emit(f"launcher.tiling.set_{name}({text});")
            arguments.append(f"data.{name}" + (" != 0" if parameter.kind == "bool" else ""))
        else:
            raise scope.refuse(
                PlanLaunches, node, f"{parameter.name!r} is a {parameter.kind}, which tiling data cannot hold"
            )
    key = len(tiling.sites) + 1
    tiling.sites.append(Site(key, kernel, instance, tuple(arguments)))
    scope.writer.emit(f"launcher.context->SetBlockDim(static_cast<uint32_t>({cores.cpp}));")
    scope.writer.emit(f"launcher.context->SetTilingKey({key});")


def _tensor(scope: Scope, parameter: Any, value: PlanValue, text: str) -> str:
    if value.type == ANY_NONE:
        return "nullptr"
    name = text.removesuffix(".data")
    if name in {known.cpp for key, known in scope.variables.items() if key in scope.source.parameters}:
        return name
    field = _field(scope, None, f"{parameter.name}_at", "uint64_t")
    scope.writer.emit(f"launcher.tiling.set_{field}(reinterpret_cast<uintptr_t>({text}));")
    return f"user + data.{field}"


def _list(scope: Scope, node: ast.AST, parameter: Any, value: PlanValue) -> str:
    """A list of tensors: the entry gets the list of a port as the kernel reads it. Raises PlanLaunches for another."""
    lists = {known.cpp for key, known in scope.variables.items() if key in scope.source.parameters}
    if value.cpp not in lists:
        raise scope.refuse(
            PlanLaunches, node, f"{parameter.name!r} gets a list that the plan made; an OpDef's kernel gets those of its ports",
            "Pass an argument or an output as it is, or export it with --form ge.",
        )  # fmt: skip
    return value.cpp


def _field(scope: Scope, kernel: Any, name: str, kind: str) -> str:
    assert scope.tiling is not None
    fields = scope.tiling.fields
    if fields.get(name, kind) != kind:
        name = f"{kernel.name}_{name}" if kernel is not None else f"{name}_"
    fields[name] = kind
    return name
