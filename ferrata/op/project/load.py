"""Load a project: compile the host side, find the kernels, register the operators. Holds state: what is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ferrata.npu as _device  # noqa: F401  (registers the device)
from ferrata.errors import DuplicateOperator
from ferrata.ge import native
from ferrata.op.project import host, sources
from ferrata.op.project.operator import Operator

NAMESPACE = "op_project"
_loaded: dict[str, Operator] = {}


class Project:
    """The operators of a folder, by type as attributes: `project.AddCustom(x, y)`; iterating gives them in order."""

    def __init__(self, root: Path, operators: dict[str, Operator]) -> None:
        self.root = root
        self.operators = operators

    def __iter__(self) -> Iterator[Operator]:
        return iter(self.operators.values())

    def __getitem__(self, op_type: str) -> Operator:
        return self.operators[op_type]

    def __getattr__(self, name: str) -> Operator:
        operators = self.__dict__.get("operators", {})
        for op_type, operator in operators.items():
            if name in (op_type, operator.name):
                found: Operator = operator
                return found
        raise AttributeError(
            f"project {self.__dict__.get('root')} has no operator {name!r}; it has {', '.join(operators)}"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator of a project that has one."""
        if len(self.operators) != 1:
            raise TypeError(f"{self!r} has {len(self.operators)} operators; call one of them by name")
        return next(iter(self))(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<project {self.root.name}: {', '.join(self.operators)}>"


def load_project(path: str | os.PathLike[str], *, namespace: str = NAMESPACE) -> Project:
    """Load an operator project: a folder with `op_host/*.cpp` (OpDef, tiling, inference) and `op_kernel/*.cpp`.

    namespace: where the torch operators go: AddCustom becomes torch.ops.<namespace>.add_custom.
    Host code is compiled now; a kernel when a call first needs it, per combination of data types; both are cached.
    Loading a changed folder again replaces its operators.
    Raises NotAProject, NoOpDef, CompileError, KernelEntryMissing, KernelParameters; DuplicateOperator when another
    folder's project, or a class of another library, already has a type.

    >>> project = load_project("examples/kernels/opdef_scale_add")
    >>> z = project.ScaleAdd(x, y, alpha=2.0)
    """
    found = sources.find(Path(path))
    rows = host.load(found)
    operators: dict[str, Operator] = {}
    for row in sorted(rows, key=lambda r: str(r["op_type"])):
        op_type = row["op_type"]
        before = _loaded.get(op_type)
        if before is not None and before.sources.root != found.root:
            raise DuplicateOperator(op=op_type, what="operator project", first=before.sources.root, second=found.root)
        foreign = native.implementation(op_type)
        if foreign is not None and foreign.execute and Path(foreign.origin).parent.parent.name != host.CACHE_KIND:
            raise DuplicateOperator(op=op_type, what="class and project", first=foreign.origin, second=found.root)
        if before is not None:
            before.close()
            del _loaded[op_type]
        operators[op_type] = _loaded[op_type] = Operator(row, found, namespace)
    return Project(found.root, operators)
