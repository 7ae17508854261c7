"""The operators that `FILE.py`, `FILE.py:NAME`, `package.module` or `package.module:NAME` means."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ferrata.errors import NoOperatorFound


def find(target: str) -> list[Any]:
    """Import the file or module and give its operators in the order of their definition, or the one that is named.

    NAME is the operator's variable, its function, or its name in torch ("add", "mylib::add").
    Raises NoOperatorFound, and whatever the module raises.
    """
    path, _, name = _split(target)
    module = _module(path, target)
    from ferrata.op.define.operator import Operator, operators

    found: list[Operator] = []
    labels: dict[str, Operator] = {}
    for label, value in vars(module).items():
        if isinstance(value, Operator):
            labels[label] = value
            if value not in found:
                found.append(value)
    if not found:  # defined in functions, or reached by torch.ops alone
        file = getattr(module, "__file__", None)
        found = [one for one in operators().values() if one.definition.file == file]
    own = [one for one in found if one.definition.function.__module__ == module.__name__]
    found = sorted(own or found, key=lambda one: one.definition.line)
    for one in found:
        labels |= {one.definition.short_name: one, one.name: one, one.__name__: one}
    if not name:
        if not found:
            raise NoOperatorFound(target=target, name="", known="")
        return list(found)
    if name not in labels:
        near = difflib.get_close_matches(name, labels, 1)
        known = f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(one.name for one in found)}."
        raise NoOperatorFound(target=path, name=f" {name!r}", known=known if found else "")
    return [labels[name]]


def _split(target: str) -> tuple[str, str, str]:
    """`a.py:add` -> a.py, add. A name with `::` (mylib::add) stays whole."""
    if target.endswith(".py") or ":" not in target:
        return target, "", ""
    at = target.find(".py:")
    at = at + 3 if at >= 0 else target.index(":")
    return target[:at], ":", target[at + 1 :]


def _module(path: str, target: str) -> ModuleType:
    if not path.endswith(".py"):
        sys.path.insert(0, "")
        try:
            return importlib.import_module(path)
        except ModuleNotFoundError as problem:
            if problem.name is None or not path.startswith(problem.name):
                raise
            raise NoOperatorFound(target=target, name="", known=f"There is no file or module {path!r}.") from None
    file = Path(path).resolve()
    if not file.is_file():
        raise NoOperatorFound(target=target, name="", known=f"There is no file {path!r}.")
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(file) and module.__name__ != "__main__":
            return module
    package = [file.stem]
    root = file.parent
    while (root / "__init__.py").is_file():  # a module of a package is imported as that, so that its imports work
        package.insert(0, root.name)
        root = root.parent
    sys.path.insert(0, str(root))
    if len(package) > 1:
        return importlib.import_module(".".join(package).removesuffix(".__init__"))
    name = file.stem
    if name in sys.modules:
        name = f"ferrata_export_{name}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
