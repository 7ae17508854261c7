"""One operator, whole: what it is to torch, to GE and to the kernel.

    @fe.op("mylib::add", ge="AddCustom")               # an annotated signature; this package is the decorator
    def add(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...

    project = ferrata.op.load_project("AddCustom")     # a folder with op_host/ and op_kernel/
    z = project.AddCustom(x, y, alpha=2.0)

define/ makes operators of Python functions, project/ runs those that come as OpDef projects. They stand above the graph
engine, the compiler and the device.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrata.op.project import Operator as Operator
    from ferrata.op.project import Project as Project
    from ferrata.op.project import load_project as load_project

__all__ = ["Operator", "Project", "load_project"]


def __getattr__(name: str) -> Any:
    # late: torch and the device come with it
    if name in __all__:
        from ferrata.op import project

        return getattr(project, name)
    raise AttributeError(f"module 'ferrata.op' has no attribute {name!r}")


class _Decorator(types.ModuleType):
    """This package, which is called as `@fe.op(...)`: the name is the package's and the decorator's."""

    def __call__(self, name: str, *, ge: str | None = None) -> Callable[[Callable[..., Any]], Any]:
        from ferrata.quiet import no_collections

        with no_collections():  # at the first call torch and the device are loaded
            from ferrata.op.define import operator

        return operator.define(name, ge, sys._getframe(1))


sys.modules[__name__].__class__ = _Decorator
