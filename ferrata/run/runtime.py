"""libascendcl.so in Python: device memory, launches, faults.

The torch device and the graph engine talk to the library in C++; this binding serves tests, the command line and
whatever else needs the emulated device without torch. It holds the library's handle, the only state here.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as memoize
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ferrata import errors
from ferrata.native import build

RECORD, THROW = 0, 1


@dataclass(frozen=True)
class MemoryStats:
    """Device memory in bytes, now and at most, and counts since the process started."""

    allocated: int
    peak: int
    reserved: int
    peak_reserved: int
    allocations: int
    frees: int


class _Stats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in MemoryStats.__dataclass_fields__]


_Output = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)


class Runtime:
    """One loaded libascendcl.so."""

    def __init__(self, path: Path) -> None:
        """Load the library at `path` for the whole process, so that kernels' libraries find the same copy."""
        self.path = path
        self.lib = ctypes.CDLL(str(path), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
        self.lib.ferrata_gm_alloc.restype = ctypes.c_void_p
        self.lib.ferrata_gm_alloc.argtypes = [ctypes.c_size_t]
        self.lib.ferrata_gm_free.argtypes = [ctypes.c_void_p]
        self.lib.ferrata_gm_adopt.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.lib.ferrata_gm_forget.argtypes = [ctypes.c_void_p]
        self.lib.ferrata_gm_stats.argtypes = [ctypes.POINTER(_Stats)]
        self.lib.ferrata_peek_fault.restype = ctypes.c_char_p
        self.lib.ferrata_launch_count.restype = ctypes.c_uint64
        self.lib.ferrata_set_output.argtypes = [_Output]
        self.lib.ferrata_set_threads.argtypes = [ctypes.c_int]

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[np.generic]:
        """An array in device memory, of undefined contents; freed with the array."""
        dtype = np.dtype(dtype)
        count = int(np.prod(shape))
        address = self.lib.ferrata_gm_alloc(count * dtype.itemsize)
        if not address:
            raise MemoryError(f"no device memory for {count} x {dtype}")
        return _Block(self, address, count * dtype.itemsize).view(dtype).reshape(shape)

    def array(self, values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> npt.NDArray[np.generic]:
        """A copy of `values` in device memory."""
        source = np.asarray(values, dtype=dtype)
        target = self.empty(source.shape, source.dtype)
        target[...] = source
        return target

    def launches(self) -> int:
        """Kernel launches of this process so far."""
        return int(self.lib.ferrata_launch_count())

    def stats(self) -> MemoryStats:
        """What device memory is in use."""
        raw = _Stats()
        self.lib.ferrata_gm_stats(ctypes.byref(raw))
        return MemoryStats(**{name: int(getattr(raw, name)) for name in MemoryStats.__dataclass_fields__})

    def set_threads(self, threads: int) -> None:
        """Threads that run the cores of a launch; 0 = one per processor."""
        self.lib.ferrata_set_threads(threads)

    def fault(self) -> errors.KernelFault | None:
        """The last fault, which is then forgotten (also by the streams), or None."""
        text = self.lib.ferrata_peek_fault()
        if text is None:
            return None
        self.lib.ferrata_take_fault()
        return errors.fault_from_json(text.decode())

    @contextmanager
    def faults_raise(self) -> Iterator[None]:
        """Inside, a fault of a kernel that was launched with ctypes is raised when the block ends."""
        self.lib.ferrata_take_fault()
        yield
        fault = self.fault()
        if fault is not None:
            raise fault

    @contextmanager
    def output(self) -> Iterator[list[str]]:
        """Collect what kernels print inside, in the list that is yielded."""
        texts: list[str] = []
        sink = _Output(lambda address, length: texts.append(ctypes.string_at(address, length).decode()))
        self.lib.ferrata_set_output(sink)
        try:
            yield texts
        finally:
            self.lib.ferrata_set_output(_Output())


class _Block:
    """Owner of one block of device memory; NumPy keeps it alive through `base`."""

    def __init__(self, runtime: Runtime, address: int, size: int) -> None:
        self._runtime, self._address = runtime, address
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}

    def view(self, dtype: np.dtype[np.generic]) -> npt.NDArray[np.generic]:
        bytes_: npt.NDArray[np.uint8] = np.asarray(self)
        return bytes_.view(dtype)

    def __del__(self) -> None:
        self._runtime.lib.ferrata_gm_free(self._address)


@memoize
def runtime() -> Runtime:
    """The process' runtime, built on first use."""
    return Runtime(build.runtime())
