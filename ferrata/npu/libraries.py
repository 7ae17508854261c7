"""Loading users' operator libraries: `torch.ops.load_library` with errors that say what to do.

A library built for another torch crashes or fails with a mangled symbol. The driver records torch's version in the
section `.ferrata.torch`; other libraries are recognised by the symbols that this torch does not have.
"""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from ferrata.errors import LibraryForAnotherTorch, LibraryMissing, LibraryNotLoadable

SECTION = ".ferrata.torch"
_TORCH_SYMBOL = re.compile(r"(?<!\w)(c10|at|torch|caffe2)::")
_original: list[Callable[..., Any]] = []


def install() -> None:
    """Put `load` in the place of torch.ops.load_library, once."""
    if _original:
        return
    _original.append(torch.ops.load_library)
    ops: Any = torch.ops
    ops.load_library = load


def load(path: str | Path) -> None:
    """Load a library with operators into this process.

    Raises LibraryMissing (an OSError), LibraryForAnotherTorch or LibraryNotLoadable.
    """
    file = Path(path)
    if not file.exists():
        raise LibraryMissing(path=file)
    if not file.is_file():
        raise LibraryNotLoadable(path=file, reason="it is a folder", advice="Give the path of the .so file.")
    have, need = file.stat().st_size, extent(file)
    if have < need:  # the loader would map it, and die of SIGBUS
        raise LibraryNotLoadable(
            path=file,
            reason=f"it is cut short: it has {have} bytes, its own tables reach to {need}",
            advice="The link that made it was interrupted, or the disk was full. Build it again.",
        )
    built = built_for(file)
    if built and built.split("+")[0] != torch.__version__.split("+")[0]:
        raise LibraryForAnotherTorch(
            path=file, built=built, running=torch.__version__, detail=f"({SECTION} in the file)"
        )
    try:
        _original[0](str(file))
    except OSError as problem:
        cause = problem.__cause__ or problem.__context__ or problem  # torch wraps the loader's own words
        raise _explain(file, str(cause), built) from None


def _explain(file: Path, reason: str, built: str | None) -> Exception:
    symbol = re.search(r"undefined symbol: (\w+)", reason)
    if symbol:
        name = demangle(symbol[1])
        if _TORCH_SYMBOL.search(name):
            return LibraryForAnotherTorch(
                path=file,
                built=built or "of another version",
                running=torch.__version__,
                detail=f"This torch has no {name}.",
            )
        return LibraryNotLoadable(
            path=file, reason=f"nothing defines {name}",
            advice="Add the source file that defines it to the target, or link the library that has it.",
        )  # fmt: skip
    missing = re.match(r"(\S+): cannot open shared object file", reason)
    if missing and Path(missing[1]).name != file.name:
        return LibraryNotLoadable(
            path=file, reason=f"it needs {missing[1]}, which is not found",
            advice="Put the folder of that library into LD_LIBRARY_PATH, or link with -Wl,-rpath,FOLDER.",
        )  # fmt: skip
    return LibraryNotLoadable(
        path=file, reason=reason, advice="Build it again, for this machine and as a shared library."
    )


def built_for(file: Path) -> str | None:
    """torch's version as the driver recorded it, or None."""
    content = section(file.read_bytes(), SECTION)
    return content.split(b"\0")[0].decode(errors="replace") if content else None


def extent(file: Path) -> int:
    """The bytes that a 64-bit little-endian ELF file needs for its headers and loaded segments; 0 for other files."""
    with file.open("rb") as stream:
        head = stream.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return 0
        segments, sections = struct.unpack_from("<QQ", head, 0x20)
        size, count, section_size, section_count = struct.unpack_from("<HHHH", head, 0x36)
        need = max(segments + size * count, sections + section_size * section_count)
        stream.seek(segments)
        table = stream.read(size * count)
    for at in range(0, len(table) - 55, max(size, 56)):
        (kind,) = struct.unpack_from("<I", table, at)
        offset, _, _, length = struct.unpack_from("<QQQQ", table, at + 8)
        if kind == 1:  # PT_LOAD
            need = max(need, offset + length)
    return int(need)


def section(data: bytes, name: str) -> bytes | None:
    """Content of a section of a 64-bit little-endian ELF file, or None."""
    if len(data) < 64 or data[:6] != b"\x7fELF\x02\x01":
        return None
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", data, 0x3A)

    def header(index: int) -> tuple[int, int, int]:
        start = table + index * size
        (name_at,) = struct.unpack_from("<I", data, start)
        offset, length = struct.unpack_from("<QQ", data, start + 0x18)
        return name_at, offset, length

    try:
        names = header(names_index)[1]
        for index in range(count):
            name_at, offset, length = header(index)
            end = data.index(b"\0", names + name_at)
            if data[names + name_at : end].decode() == name:
                return data[offset : offset + length]
    except (struct.error, ValueError):
        return None  # a damaged file: loading it tells more
    return None


@cache
def _demangler() -> Any:
    library = ctypes.CDLL("libstdc++.so.6")
    function = library.__cxa_demangle
    function.restype = ctypes.c_void_p
    return function


def demangle(symbol: str) -> str:
    """The C++ name of a symbol, or the symbol itself."""
    status = ctypes.c_int()
    text = _demangler()(symbol.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not text:
        return symbol
    name = ctypes.string_at(text).decode()
    ctypes.CDLL(None).free(ctypes.c_void_p(text))
    return name
