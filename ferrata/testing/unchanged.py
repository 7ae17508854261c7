"""Verdicts that still hold: a check that passed is not run again while nothing that it saw has changed.

A verdict is kept under what was asked (operator, cases, options, versions, machine) together with the content of every
file that the operator's code comes from, as a compiler keeps a list of the headers that it read: all source files of
the user's that were loaded when the check ended, the libraries of operators, the text of the kernels. If one of them
differs, or the question contains something whose content cannot be told (an object of the user's in a closure, say),
the checks run. Only passing verdicts are kept. The table says "unchanged" for each row that comes from here.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache as memoize
from pathlib import Path
from typing import Any

import ferrata
from ferrata import cache
from ferrata.testing.report import Report, Row

PACKAGE = Path(ferrata.__file__).parent


class Unknown(Exception):
    """Something whose content cannot be told."""


@dataclass
class Verdicts:
    """The verdict on one question: look it up, keep it."""

    op: Any
    cases: Sequence[Any] | None
    reference: Any
    options: Mapping[str, Any]

    def known(self) -> Report | None:
        """The kept verdict if it still holds."""
        place = self._place()
        if place is None or not place.is_file():
            return None
        try:
            kept = json.loads(place.read_text())
            if any(_content(path) != content for path, content in kept["files"].items()):
                return None
        except (OSError, ValueError, KeyError):  # cut short, or of another version
            return None
        rows = [Row(name, "unchanged" if s == "ok" else s, runs, 0.0, note) for name, s, runs, note in kept["rows"]]
        return Report(kept["op"], rows, note="  nothing changed since it passed; force=True runs it again")

    def keep(self, report: Report) -> None:
        """Keep a verdict that passed."""
        place = self._place()
        started = _process_start()
        # of a file that was edited since it was loaded, the content is not what ran
        if place is None or any(os.path.getmtime(path) > started for path in loaded_files()):
            return
        files = {path: _content(path) for path in sorted(loaded_files())}
        rows = [(row.check, row.status, row.runs, row.note) for row in report.rows]
        text = json.dumps({"op": report.op, "rows": rows, "files": files})
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            partial = place.with_suffix(f".{os.getpid()}")
            partial.write_text(text)
            partial.replace(place)
        except OSError:  # a cache that cannot be written costs time, not the verdict
            return

    def _place(self) -> Path | None:
        try:
            question = fingerprint((self.op, self.cases, self.reference, self.options, _checkers()))
        except Unknown:
            return None
        return self.folder() / f"{cache.key([question, _world()])}.json"

    def folder(self) -> Path:
        """Where verdicts are kept."""
        return cache.root() / "verdicts"


def loaded_files() -> set[str]:
    """Source files of the user's that are loaded, and libraries of operators."""
    import torch

    ours = (*{p for p in (sys.prefix, sys.base_prefix)}, str(Path(os.__file__).parent), str(PACKAGE))
    packages = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
    found = set(torch.ops.loaded_libraries)
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or not path.endswith(".py"):
            continue
        path = os.path.abspath(path)
        if not path.startswith(ours) and not any(p in path for p in packages):
            found.add(path)
    return {path for path in found if os.path.isfile(path)}


def fingerprint(value: Any) -> str:
    """A text that is equal for equal content, also in another process. Raises Unknown."""
    return _text(value, set())


def _text(value: Any, seen: set[int]) -> str:
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, types.EllipsisType)):
        return f"{type(value).__name__} {value!r}"
    if id(value) in seen:
        return "again"
    seen = seen | {id(value)}
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} [{', '.join(_text(v, seen) for v in value)}]"
    if isinstance(value, (set, frozenset)):
        return f"set [{', '.join(sorted(_text(v, seen) for v in value))}]"
    if isinstance(value, Mapping):
        return f"map [{', '.join(f'{_text(k, seen)}: {_text(v, seen)}' for k, v in value.items())}]"
    if isinstance(value, types.FunctionType):
        return _function(value, seen)
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"  # its file is among the loaded ones
    if isinstance(value, (type, types.BuiltinFunctionType, types.MethodDescriptorType)):
        return f"name {getattr(value, '__module__', '')}.{value.__qualname__}"
    return _object(value, seen)


def _object(value: Any, seen: set[int]) -> str:
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    definition = getattr(value, "definition", None)
    if is_dataclass(definition):
        return f"operator {_text(definition, seen)}"
    if name == "ferrata.testing.cases.Case":
        return f"case {_text(value.values, seen)}"
    if name.startswith("ferrata.lang") and callable(getattr(value, "source", None)):
        return f"kernel {value.source()}"
    if is_dataclass(value):
        return f"{name} {_text({f.name: getattr(value, f.name) for f in fields(value)}, seen)}"
    if name.startswith("torch."):
        return _torch(value, name)
    raise Unknown(name)


def _torch(value: Any, name: str) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        data = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        return f"tensor {value.dtype} {tuple(value.shape)} {hashlib.blake2b(data, digest_size=16).hexdigest()}"
    if isinstance(value, (torch.dtype, torch.device, torch.Size)):
        return f"{name} {value}"
    if isinstance(value, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return f"{name} {value}"
    raise Unknown(name)


def _function(function: types.FunctionType, seen: set[int]) -> str:
    """Code, defaults, what the closure holds, and the plain values of the globals that it names.

    Functions and classes among the globals are text of files that are loaded, each an entry of its own; those that
    were typed into a prompt or a notebook are looked at here.
    """
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(_text(cell.cell_contents, seen))
        except ValueError:  # not assigned yet
            cells.append("empty")
    names = sorted(set(_names(function.__code__)))
    plain = {n: function.__globals__[n] for n in names if _is_plain(function.__globals__.get(n, object()))}
    for name in names:
        other = function.__globals__.get(name)
        if isinstance(other, (types.FunctionType, type)) and not _has_file(other):
            plain[name] = _text(other, seen) if isinstance(other, types.FunctionType) else _raise_unknown(name)
    parts = [_code(function.__code__), _text(function.__defaults__, seen), _text(function.__kwdefaults__, seen)]
    return f"function {function.__qualname__} {parts} {cells} {_text(plain, seen)}"


def _code(code: types.CodeType) -> str:
    consts = [_code(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {consts} {code.co_names} {code.co_varnames}"


def _names(code: types.CodeType) -> list[str]:
    inner = [n for c in code.co_consts if isinstance(c, types.CodeType) for n in _names(c)]
    return [*code.co_names, *inner]


def _has_file(value: Any) -> bool:
    if isinstance(value, types.FunctionType):
        return os.path.isfile(value.__code__.co_filename)
    module = sys.modules.get(value.__module__)
    return (
        module is None
        or isinstance(getattr(module, "__file__", None), str)
        or module.__name__ in sys.builtin_module_names
    )


def _raise_unknown(name: str) -> str:
    raise Unknown(name)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(v) for v in value)
    return value is None or isinstance(value, (bool, int, float, str))


def _content(path: str) -> str:
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return "gone"


def _checkers() -> dict[str, Any]:
    """The checkers of kernels that are registered; none if nobody imported their table."""
    hazards = sys.modules.get("ferrata.testing.checks.hazards")
    return {} if hazards is None else dict(hazards.registered())


def _process_start() -> float:
    """When this process started, on the clock of files."""
    with open("/proc/self/stat") as stat:
        ticks = int(stat.read().rpartition(")")[2].split()[19])
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))


@memoize
def _world() -> str:
    """All that is not the user's: ferrata's own files, versions, the machine, the settings."""
    import torch

    digest = hashlib.blake2b(digest_size=16)
    for folder, folders, names in os.walk(PACKAGE):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(names):
            digest.update(name.encode() + Path(folder, name).read_bytes())
    settings = {k: v for k, v in sorted(os.environ.items()) if k.startswith("FERRATA_") or k in ("CXX", "CXXFLAGS")}
    return repr((digest.hexdigest(), torch.__version__, sys.version, platform.machine(), platform.node(), settings))
