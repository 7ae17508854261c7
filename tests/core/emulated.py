"""Run kernels of a test's .asc text on device memory and read the fault, if any. Shared by tests/core."""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ferrata import asc
from ferrata.native import build


@cache
def runtime() -> ctypes.CDLL:
    """libascendcl.so, visible to the kernels' libraries."""
    library = ctypes.CDLL(str(build.runtime()), mode=ctypes.RTLD_GLOBAL)
    library.ferrata_gm_alloc.restype = ctypes.c_void_p
    library.ferrata_gm_alloc.argtypes = [ctypes.c_size_t]
    library.ferrata_gm_free.argtypes = [ctypes.c_void_p]
    library.ferrata_peek_fault.restype = ctypes.c_char_p
    library.ferrata_set_tiling_key.argtypes = [ctypes.c_uint64]
    library.ferrata_set_system_workspace.argtypes = [ctypes.c_void_p]
    return library


@dataclass(frozen=True)
class Fault:
    """What a launch reported."""

    kind: str
    message: str
    api: str
    line: int
    core: str


class Device:
    """Device memory as numpy arrays."""

    def __init__(self) -> None:
        self._blocks: list[int] = []

    def array(self, data: Any, dtype: Any = None) -> np.ndarray:
        """A copy of `data` in device memory."""
        host = np.ascontiguousarray(np.array(data, dtype))
        block = runtime().ferrata_gm_alloc(max(host.nbytes, 1))
        self._blocks.append(block)
        raw = (ctypes.c_uint8 * host.nbytes).from_address(block)
        out: np.ndarray = np.frombuffer(memoryview(raw), np.uint8).view(host.dtype).reshape(host.shape)
        out[...] = host
        return out

    def release(self) -> None:
        for block in self._blocks:
            runtime().ferrata_gm_free(block)


@contextmanager
def device() -> Iterator[Device]:
    """Device memory that ends with the block."""
    memory = Device()
    try:
        yield memory
    finally:
        memory.release()


class Kernels:
    """The `extern "C"` functions of a compiled text. Each takes pointers and integers and returns the fault or None."""

    def __init__(self, text: str, folder: Path, options: tuple[str, ...] = ("-O1",)) -> None:
        self.path = folder / f"k{hashlib.sha1(text.encode()).hexdigest()[:12]}.asc"
        self.path.write_text(text)
        self._lines = text.splitlines()
        runtime()
        self._library = ctypes.CDLL(str(asc.compile(self.path, options=options)))

    def line(self, mark: str) -> int:
        """Number of the only line that holds `mark`."""
        (found,) = [number for number, line in enumerate(self._lines, 1) if mark in line]
        return found

    def __call__(self, name: str, *arguments: np.ndarray | int | ctypes.Structure | None) -> Fault | None:
        runtime().ferrata_take_fault()
        passed = [
            ctypes.c_void_p(value.ctypes.data) if isinstance(value, np.ndarray)
            else ctypes.c_void_p(None) if value is None
            else ctypes.c_int64(value) if isinstance(value, int) else value
            for value in arguments
        ]  # fmt: skip
        getattr(self._library, name)(*passed)
        text = runtime().ferrata_peek_fault()
        if text is None:
            return None
        runtime().ferrata_take_fault()
        record = json.loads(text)
        return Fault(record["kind"], record["message"], record["api"], record["line"], record["core"])
