"""Compiles the C++ of these tests against the public headers and libgert, once per session."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrata.native import build

HERE = Path(__file__).parent


def compile_cpp(sources: list[Path], output: Path, *flags: str) -> Path:
    """As an author's build does it: C++17, our include root, linked with gert."""
    gert = build.ge()
    command = [
        build.compiler(), "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{build.INCLUDE}", f"-I{HERE}", *flags,
        *map(str, sources), "-o", str(output), f"-L{gert.parent}", "-lgert", f"-Wl,-rpath,{gert.parent}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


Library = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def compile_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """(name of a C++ file of this folder, flags) -> the executable built from it."""
    folder = tmp_path_factory.mktemp("programs")

    def make(name: str, *flags: str) -> Path:
        return compile_cpp([HERE / f"{name}.cpp"], folder / "-".join([name, *(f.strip("-") for f in flags)]), *flags)

    return make


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """(name, C++ text) -> path of a library built from it."""
    folder = tmp_path_factory.mktemp("libraries")

    def make(name: str, text: str) -> Path:
        source = folder / f"{name}.cpp"
        source.write_text(text)
        return compile_cpp([source], folder / f"lib{name}.so", "-shared", "-fPIC")

    return make


@pytest.fixture(scope="session")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of operators.cpp, loaded."""
    folder = tmp_path_factory.mktemp("operators")
    path = compile_cpp([HERE / "operators.cpp"], folder / "liboperators.so", "-shared", "-fPIC")
    from ferrata.ge import native

    native.serial()  # libgert first
    ctypes.CDLL(str(path))
    return path
