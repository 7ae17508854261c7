"""Compile an Ascend C file to a shared library from Python: what eager loads, `ferrata run` and tests use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ferrata import chips
from ferrata.asc import link, objects, store, toolchain
from ferrata.asc.home import home
from ferrata.asc.options import Source, parse
from ferrata.errors import CompileError


def compile(
    path: str | os.PathLike[str],
    *,
    arch: str | None = None,
    output: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
) -> Path:
    """Compile one source to a shared library; a library compiled before from the same content comes from the cache.

    path: an .asc file (or C++ with launches; it is always read as Ascend C).
    arch: a name of `ferrata.chips.CHIPS`; default is the chip that the device reports.
    output: where to put the library; default is its place in the cache.
    options: further options of the driver, such as "-I..." or "-O0".
    Raises CompileError with the compiler's text, DriverUsage for an option that the driver does not know.
    """
    source = os.fspath(path)
    chip = arch or chips.current().arch
    call = parse([f"--npu-arch={chip}", *options])

    def linked() -> list[str]:
        items = [item for item in call.items if isinstance(item, str)]
        return link.options(items, str(home()), True, toolchain.compiler(call.toolchain))

    outcome = objects.compile_object(Source(source, "asc"), call, linked)
    if outcome.result is None:
        raise CompileError(path=source, arch=chip, code=outcome.code, output=outcome.messages.rstrip())
    if output is None:
        return Path(outcome.result.path)
    with open(outcome.result.path, "rb") as file:
        store.write(os.fspath(output), file.read())
    return Path(output)
