"""Compile and load the host side of a project; loading runs OP_ADD, which registers the operators in C++."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ferrata import cache, chips
from ferrata.asc import link, objects, options
from ferrata.asc.home import home
from ferrata.errors import CompileError, NoOpDef
from ferrata.ge import native
from ferrata.native import build
from ferrata.npu import libraries
from ferrata.op.project.sources import Sources

CACHE_KIND = "op_host"  # the cache folder of host libraries, which tells them from everybody else's

_ROOTS = ("", "graph", "register", "external", "tiling")  # from which sources include the headers


def load(sources: Sources) -> list[dict[str, Any]]:
    """The operators that the host sources define (native.definitions' rows). Raises CompileError, NoOpDef."""
    library = compile_host(sources)
    native.serial()  # libgert first, for the whole process
    native.replace_definitions(True)
    try:
        libraries.load(library)
        found = _of(library)
        if not found and _registers(sources):
            # this very library was loaded before, and another version of the project since: load it anew
            again = Path(tempfile.mkdtemp(prefix="ferrata-op-")) / library.name
            shutil.copy(library, again)
            libraries.load(again)
            found = _of(again)
    finally:
        native.replace_definitions(False)
    if not found:
        files = ", ".join(str(file.relative_to(sources.root)) for file in sources.host)
        raise NoOpDef(path=sources.root, files=files, hint=_hint(sources))
    return found


def _of(library: Path) -> list[dict[str, Any]]:
    return [row for row in native.definitions() if row["library"] == str(library)]


def compile_host(sources: Sources) -> Path:
    """The shared library of the host sources, from the cache if nothing changed."""
    include = [f"-I{folder}" for folder in sources.include]
    include += [f"-isystem{build.INCLUDE / root}" for root in _ROOTS]
    call = options.parse(["-std=c++17", "-fPIC", "-O1", "-g1", "-w", *include])
    placed = options.parse(["-std=c++17", "-fPIC", "-O1", "-g1", "-w", *include, "-include", "ferrata/failures.h"])
    made: list[str] = []
    for file in sources.host:
        source = options.Source(str(file), "c++")
        outcome = objects.compile_object(source, placed)
        if outcome.result is None:  # the author's own mistake, or a use of GRAPH_FAILED that a call cannot stand for
            outcome = objects.compile_object(source, call)
        if outcome.result is None:
            raise CompileError(
                path=file,
                arch=f"the host ({chips.current().arch})",
                code=outcome.code,
                output=outcome.messages.rstrip(),
            )
        made.append(outcome.result.path)
    name = cache.key([*(Path(path).read_bytes() for path in made), str(home())])

    def make(folder: Path) -> None:
        target = str(folder / "libop_host.so")
        code, messages = objects.run(link.link(made, target, True, str(home()), None))
        if code:
            raise CompileError(path=sources.root, arch="the host", code=code, output=messages.rstrip())

    return cache.entry(CACHE_KIND, name, make) / "libop_host.so"


def _registers(sources: Sources) -> bool:
    return any(re.search(r"^\s*OP_ADD\s*\(", _text(file), re.MULTILINE) for file in sources.host)


def _hint(sources: Sources) -> str:
    for file in sources.host:
        text = _text(file)
        declared = re.search(r"class\s+(\w+)\s*:\s*public\s+(?:ops::)?OpDef", text)
        if declared:
            line = text.count("\n", 0, declared.start()) + 1
            return f"\nClass {declared[1]} at {file}:{line} derives from OpDef and is not registered."
    return ""


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
