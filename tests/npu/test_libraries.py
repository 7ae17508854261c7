"""torch.ops.load_library: libraries that are missing, built for another torch, or incomplete; and then a good one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import torch

from ferrata.errors import LibraryForAnotherTorch, LibraryMissing, LibraryNotLoadable
from ferrata.native import build
from ferrata.npu import libraries


def library(folder: Path, name: str, source: str, *flags: str) -> Path:
    (folder / f"{name}.cpp").write_text(source)
    path = folder / f"lib{name}.so"
    command = [build.compiler(), "-shared", "-fPIC", str(folder / f"{name}.cpp"), "-o", str(path), *flags]
    subprocess.run(command, check=True, capture_output=True)
    return path


STAMP = (
    'asm(".section .ferrata.torch,\\"a\\"\\n.asciz \\"{}\\"\\n.previous");\nextern "C" int answer() {{ return 42; }}\n'
)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LibraryMissing, match=r"no library at .*libnone\.so.*cmake --build"):
        torch.ops.load_library(tmp_path / "libnone.so")
    with pytest.raises(OSError):
        torch.ops.load_library(str(tmp_path / "libnone.so"))


def test_the_recorded_version_is_compared(tmp_path: Path) -> None:
    old = library(tmp_path, "old", STAMP.format("2.1.0"))
    assert libraries.built_for(old) == "2.1.0"
    with pytest.raises(LibraryForAnotherTorch, match=r"built against torch 2\.1\.0, this process runs torch 2"):
        torch.ops.load_library(old)
    same = library(tmp_path, "same", STAMP.format(torch.__version__))
    torch.ops.load_library(same)
    assert str(same) in torch.ops.loaded_libraries


def test_symbols_that_this_torch_does_not_have(tmp_path: Path) -> None:
    code = "namespace c10 { void gone(int); }\nvoid f() { c10::gone(1); }\n"
    with pytest.raises(LibraryForAnotherTorch, match=r"This torch has no c10::gone\(int\)"):
        torch.ops.load_library(library(tmp_path, "gone", code))


def test_symbols_that_nobody_defines(tmp_path: Path) -> None:
    code = "void launch_add(float *);\nvoid f() { launch_add(nullptr); }\n"
    with pytest.raises(LibraryNotLoadable, match=r"nothing defines launch_add\(float\*\).*\n+Add the source file"):
        torch.ops.load_library(library(tmp_path, "undefined", code))


def test_a_library_that_it_needs_is_missing(tmp_path: Path) -> None:
    needed = library(tmp_path, "needed", "void g() {}\n", "-Wl,-soname,libneeded.so")
    user = library(tmp_path, "user", "void g();\nvoid f() { g(); }\n", f"-L{tmp_path}", "-lneeded")
    needed.unlink()
    with pytest.raises(LibraryNotLoadable, match=r"it needs libneeded\.so, which is not found.*\n+.*LD_LIBRARY_PATH"):
        torch.ops.load_library(user)


@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF\x02\x01" + b"\0" * 200])
def test_a_file_that_is_no_library(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "libtext.so").write_bytes(content)
    with pytest.raises(LibraryNotLoadable):
        torch.ops.load_library(tmp_path / "libtext.so")
    good = library(tmp_path, "good", 'extern "C" int f() { return 1; }\n')
    torch.ops.load_library(good)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_a_library_that_is_cut_short(tmp_path: Path, share: float) -> None:
    whole = library(tmp_path, "whole", STAMP.format(torch.__version__))
    data = whole.read_bytes()
    assert libraries.extent(whole) <= len(data)
    cut = tmp_path / "libcut.so"
    cut.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(LibraryNotLoadable, match="it is cut short"):
        torch.ops.load_library(cut)
    torch.ops.load_library(whole)


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(LibraryNotLoadable, match="it is a folder"):
        torch.ops.load_library(tmp_path)


def test_the_runtime_needs_little_of_the_static_tls() -> None:
    """glibc has about 1.6 KiB for libraries that are loaded after the start, torch's among them."""
    text = subprocess.run(["readelf", "-lW", build.runtime()], capture_output=True, text=True, check=True).stdout
    segments = [line.split() for line in text.splitlines() if line.split()[:1] == ["TLS"]]
    assert all(int(segment[5], 16) < 512 for segment in segments), text
