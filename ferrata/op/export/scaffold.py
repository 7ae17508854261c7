"""`ferrata new NAME`: a small project of one operator that passes its tests at once."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

from ferrata.errors import FolderInUse, NameRefused
from ferrata.op.export import write
from ferrata.op.export.project import render
from ferrata.op.plan.rules import camel

# template -> where it goes
_FILES = {
    "new/kernel.py.j2": "{name}/kernel.py",
    "new/op.py.j2": "{name}/op.py",
    "new/init.py.j2": "{name}/__init__.py",
    "new/test.py.j2": "tests/test_{name}.py",
    "new/pyproject.toml.j2": "pyproject.toml",
    "new/ci.yml.j2": ".github/workflows/test.yml",
    "new/README.md.j2": "README.md",
    "new/gitignore.j2": ".gitignore",
}
# modules that the project or its tests import: a package of such a name would hide them
_TAKEN = frozenset(
    {"ferrata", "torch", "torch_npu", "torchair", "numpy", "pytest", "tests", "test", "_pytest", "kernel", "op"}
)


def scaffold(name: str, parent: Path = Path(".")) -> Path:
    """Make the folder `parent/name`; its path. Raises NameRefused, FolderInUse."""
    check_name(name)
    values = {"name": name, "ge_type": f"{camel(name)}Custom", "title": name}
    folder = parent / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderInUse(folder=folder, help="Choose another name, or another place with --dir.")
    write.write(folder, {place.format(name=name): render(template, **values) for template, place in _FILES.items()})
    return folder


def check_name(name: str) -> None:
    """Raise NameRefused unless the name can be a package, a Python function, a C++ function and a torch operator."""
    reason = ""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        reason = "it has other characters"
        if name and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
            reason = "it has capital letters"
        elif re.fullmatch(r"[0-9_].*", name):
            reason = "it does not begin with a letter"
    elif "__" in name or name.endswith("_"):
        reason = "it has an underscore too many"
    elif keyword.iskeyword(name) or keyword.issoftkeyword(name) or name in _CPP:
        reason = "it is a word of the language"
    elif name in _TAKEN or name in sys.stdlib_module_names:
        reason = "a module of this name exists already"
    elif name in ("aten", "prim", "prims"):
        reason = "torch keeps this namespace to itself"
    if reason:
        raise NameRefused(name=name, reason=reason)


_WORDS = """auto bool case catch char const default delete do double enum explicit export extern float friend goto inline
int long mutable namespace new operator private protected public register short signed sizeof static struct switch template
this throw typedef typename union unsigned using virtual void volatile half stream launcher main"""
_CPP = frozenset(_WORDS.split())
