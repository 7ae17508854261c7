"""One operator, whole: what it is to torch, to GE and to the kernel.

    project = ferrata.op.load_project("AddCustom")     # a folder with op_host/ and op_kernel/
    z = project.AddCustom(x, y, alpha=2.0)

project/ runs operators that come as OpDef projects; it stands above the graph engine, the compiler and the device.
"""

from __future__ import annotations

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
