"""The C++ compiler behind `bisheng` and the flags that every Ascend C unit gets.

Kept free of heavy imports: the driver's cache hit goes through here.
"""

from __future__ import annotations

import os
from functools import cache as memoize

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
INCLUDE = os.path.join(PACKAGE, "native", "include")
PRELUDE = "ferrata/asc.h"  # by this name it is found as a system header, which no -Werror touches

# Results must not depend on the machine: no contraction to FMA, no reassociation. What is left only removes
# side effects that no kernel has (errno, FP traps) and interposition, which a kernel library does not want.
MATH = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
UNIT = [
    "-fsigned-char",  # also where a plain char is unsigned, as on aarch64: kernels compute the same everywhere
    "-fno-semantic-interposition",
    "-Wno-unknown-pragmas",  # `#pragma unroll` and friends of the device compiler
    "-Wno-attributes",
    "-Wno-c++20-extensions",
]
GCC_ONLY = ["-fno-gnu-unique"]  # two builds of one kernel library in a process must not share their inline variables
# Kernels reinterpret on-chip bytes as other types.
DEVICE = ["-fno-strict-aliasing"]
# Environment that changes what the compiler reads or writes.
ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH",
               "SOURCE_DATE_EPOCH", "LC_ALL", "LANG")  # fmt: skip


def which(name: str) -> str | None:
    """Path of a program, as shutil.which finds it (importing shutil costs milliseconds)."""
    if os.sep in name:
        return name if os.access(name, os.X_OK) and os.path.isfile(name) else None
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def compiler(toolchain: str | None = None) -> str:
    """Path of the C++ compiler: that of `--gcc-toolchain`, else CXX, g++, clang++, c++. Raises NoCompiler."""
    tried = []
    if toolchain:
        path = os.path.join(toolchain, "bin", "g++")
        if os.access(path, os.X_OK):
            return path
        tried.append(path)
    for name in (os.environ.get("CXX", "").strip(), "g++", "clang++", "c++"):
        if not name:
            continue
        found = which(name)
        if found and not _is_driver(found):
            return found
        tried.append(name)
    from ferrata.errors import NoCompiler

    raise NoCompiler(tried=", ".join(tried))


def _is_driver(path: str) -> bool:
    """CXX may name bisheng itself, which must not start itself."""
    return os.path.basename(path) == "bisheng"


@memoize
def identity(path: str) -> str:
    """What changes when the compiler does, without starting it."""
    real = os.path.realpath(path)
    stat = os.stat(real)
    return f"{real} {stat.st_size} {stat.st_mtime_ns}"


@memoize
def cpu() -> str:
    """What -march=native depends on."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read(8192).split("\n\n")[0].splitlines()
    except OSError:
        return os.uname().machine
    wanted = ("model name", "cpu family", "model\t", "flags", "Features", "CPU part", "CPU implementer")
    return "\n".join(line for line in lines if line.startswith(wanted))


@memoize
def own_version() -> str:
    """Hash of what turns sources into commands; headers are in each unit's dependency list instead."""
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    folder = os.path.dirname(os.path.realpath(__file__))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def is_clang(path: str) -> bool:
    """Whether the compiler is clang (by name), which lacks a few of GCC's switches."""
    return "clang" in os.path.basename(os.path.realpath(path))
