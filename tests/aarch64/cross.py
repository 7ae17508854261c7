"""The cross compiler, the emulator, and what is built with them: the emulated core and programs for aarch64.

Debian's packages are g++-aarch64-linux-gnu and qemu-user-static (or qemu-user); `.ci/run` installs them where it may.
Without them the tests of this folder are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache as memoize
from pathlib import Path

import pytest

from ferrata import cache
from ferrata.native import build as native

TRIPLE = "aarch64-linux-gnu"
SYSROOT = Path("/usr") / TRIPLE  # Debian's, with the tools by their plain names in bin/
CXX = shutil.which(f"{TRIPLE}-g++")
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")


def _missing() -> str:
    lacking = [name for name, path in ((f"g++-{TRIPLE}", CXX), ("qemu-user-static", QEMU)) if not path]
    return f"not installed: {', '.join(lacking)} (apt-get install {' '.join(lacking)})" if lacking else ""


MISSING = _missing()
needs_aarch64 = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]


def compiler() -> str:
    """Path of the cross compiler."""
    assert CXX
    return CXX


def runtime() -> Path:
    """libascendcl.so for aarch64, from the same lists and flags as this machine's."""
    return native.runtime(compiler())


@memoize
def replay() -> Path:
    """The program replay.cpp, linked to the emulated core."""
    source = Path(__file__).parent / "replay.cpp"
    key = cache.key(["replay", source.read_bytes(), native.compiler_version(compiler()), str(runtime())])

    def make(folder: Path) -> None:
        link([source], folder / "replay")

    return cache.entry("aarch64", f"replay-{key}", make) / "replay"


def link(inputs: Sequence[Path], output: Path) -> None:
    """Compile and link a program for aarch64 with its libascendcl.so."""
    library = runtime()
    # the whole library, also for a program that only loads kernels later
    subprocess.run(
        [compiler(), "-std=c++17", "-O1", *map(str, inputs), "-o", str(output), "-Wl,--no-as-needed", str(library),
         "-ldl", f"-Wl,-rpath,{library.parent}"], check=True,
    )  # fmt: skip


def bisheng(source: Path, output: Path, *options: str, cross: bool) -> None:
    """Call the compiler driver; with `cross` it finds the cross compiler and its binutils, as on such a machine."""
    environment = dict(os.environ)
    if cross:
        environment |= {"CXX": compiler(), "PATH": f"{SYSROOT / 'bin'}:{os.environ['PATH']}"}
    driver = "import sys; from ferrata.asc.driver import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", driver, "--npu-arch=dav-2201", *options, str(source), "-o", str(output)]
    subprocess.run(command, env=environment, check=True)


def run(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program for aarch64 under user-mode emulation."""
    assert QEMU
    command = [QEMU, "-L", str(SYSROOT), str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)
