"""The shared library of a kernel's text: from the cache, where libraries lie by content, or compiled.

The text has the lines of the Python file, so that compiler errors, faults and debuggers speak of it.
"""

from __future__ import annotations

import linecache
import os
import re
from pathlib import Path

from ferrata import cache, chips, errors
from ferrata.lang.declaration import Declaration


def compiled(kernel: Declaration, text: str) -> Path:
    """The library of a text, from the cache or compiled. Raises KernelDoesNotCompile."""
    from ferrata.asc import toolchain

    arch = chips.current().arch
    # -g alone would mean -O0
    options = ["-O0", "-g"] if debugging() else ["-O3", "-g1"]
    compiler = toolchain.compiler(None)
    environment = [f"{name}={os.environ.get(name, '')}" for name in toolchain.ENVIRONMENT]
    key = cache.key(
        [text, arch, *options, *environment, toolchain.identity(compiler), toolchain.cpu(), toolchain.own_version()]
    )

    name = f"{kernel.name}-{key}"

    def build(folder: Path) -> None:
        from ferrata.asc import api

        source = folder / f"{kernel.name}.asc"
        source.write_text(text)
        # a debugger finds the text where the library stays
        place = f"-ffile-prefix-map={folder}={cache.root() / 'kernels' / name}"
        try:
            api.compile(source, arch=arch, output=folder / "kernel.so", options=[*options, place])
        except errors.CompileError as problem:
            raise _located(kernel, problem) from None

    return cache.entry("kernels", name, build) / "kernel.so"


def debugging() -> bool:
    """Whether kernels are compiled for a debugger: FERRATA_KERNEL_DEBUG=1."""
    return os.environ.get("FERRATA_KERNEL_DEBUG", "") not in ("", "0")


def _located(kernel: Declaration, problem: errors.CompileError) -> Exception:
    """A compiler's message at the user's line."""
    output = str(problem.fields["output"])
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", output)
    found = re.search(r"^(.+?\.\w+):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", plain, re.M)
    if not found:
        return problem
    inside = re.search(rf"^{re.escape(kernel.file)}:(\d+)", plain, re.M)
    file, line = found[1], int(found[2])
    if not file.endswith(".py") and inside:
        file, line = kernel.file, int(inside[1])
    text = linecache.getline(file, line).rstrip()
    return errors.KernelDoesNotCompile(
        file=file, line=line, kernel=kernel.name, message=found[3], excerpt=f"    {text.strip()}\n",
        help=plain if len(plain) < 4000 else plain[:4000] + " ...",
    )  # fmt: skip
