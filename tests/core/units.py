"""Kernels of the core tests, and the fixtures `rt` and `unit`: C++ units under kernels/.

They are compiled as the driver would compile a rewritten .asc file, each once per session. Their extern "C" functions
are host functions that launch kernels; `# line` markers name the unit itself, so that tests can look up the line of a call by
a comment on it.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrata.native import build
from ferrata.run import Runtime, runtime

KERNELS = Path(__file__).parent / "kernels"
Unit = Callable[..., ctypes.CDLL]


def compile_unit(source: Path, output: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Compile `source` to the shared library `output` against the headers of this tree."""
    library = build.runtime()
    command = [build.compiler(), "-std=c++17", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra",
               "-include", "ferrata/asc.h", f"-I{build.INCLUDE}", *(flags or ["-D__NPU_ARCH__=2201"]),
               str(source), "-o", str(output), str(library), f"-Wl,-rpath,{library.parent}"]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="session")
def rt() -> Runtime:
    """The emulated device."""
    return runtime()


@pytest.fixture(scope="session")
def unit(tmp_path_factory: pytest.TempPathFactory, rt: Runtime) -> Unit:
    """unit(name, *flags): the loaded library of kernels/<name>.cpp."""
    built: dict[tuple[str, ...], ctypes.CDLL] = {}
    folder = tmp_path_factory.mktemp("units")

    def load(name: str, *flags: str) -> ctypes.CDLL:
        key = (name, *flags)
        if key not in built:
            output = folder / f"{name}{len(built)}.so"
            done = compile_unit(KERNELS / f"{name}.cpp", output, *flags)
            assert done.returncode == 0, done.stderr
            assert "warning" not in done.stderr, done.stderr
            built[key] = ctypes.CDLL(str(output))
        return built[key]

    return load


def line_of(name: str, mark: str) -> int:
    """The line of kernels/<name>.cpp that carries the comment `// mark`."""
    lines = (KERNELS / f"{name}.cpp").read_text().splitlines()
    found = [i for i, line in enumerate(lines, 1) if re.search(rf"// {re.escape(mark)}$", line)]
    assert len(found) == 1, f"{mark}: {found}"
    return found[0]
