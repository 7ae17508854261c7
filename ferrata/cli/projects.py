"""`ferrata export` and `ferrata new`: what they print around the work of ferrata.op.export."""

from __future__ import annotations

import os
from pathlib import Path

_PARTS = {
    "_kernel.asc": "the kernels and how they are launched",
    "_ops.h": "what the files share: shape rules, launch functions",
    "_pytorch.asc": "PyTorch: schema, Meta, eager",
    "_ge.asc": "GE: prototype, inference, Execute",
    "_converter.py": "TorchAir: from the operator to the GE node",
    "_gradients.py": "PyTorch: the gradients, for autograd",
    "_test.py": "the test",
    "_tiling.h": "what the tiling function tells the kernel",
    "CMakeLists.txt": "the build",
    "README.md": "how to build and test",
}


def export(target: str, output: Path, form: str, name: str | None, force: bool) -> None:
    """Export the operators of a file or module and list the files."""
    from ferrata.op.export import export as write
    from ferrata.op.export import find
    from ferrata.op.export.write import check

    check(output, force)  # before the module is imported
    operators = find(target)
    paths = write(operators, output, form=form, name=name, force=force)
    print(f"{', '.join(operator.name for operator in operators)} -> {output}")
    names = [str(path.relative_to(output)) for path in paths]
    for path, shown in zip(paths, names, strict=True):
        part = next((words for ending, words in _PARTS.items() if path.name.endswith(ending)), "")
        if path.parent.name in ("op_host", "op_kernel") and not part:
            part = "OpDef, tiling, inference" if path.parent.name == "op_host" else "the kernel"
        print(f"  {shown:{max(map(len, names))}}  {part}")


def new(name: str, parent: Path) -> None:
    """Make a project and say what to do with it."""
    from ferrata.op.export import scaffold

    folder = scaffold(name, parent)
    shown = os.path.relpath(folder)
    print(f"{shown}: kernel in {name}/kernel.py, operator in {name}/op.py, tests in tests/.")
    print(f"Next: cd {shown} && pytest")
