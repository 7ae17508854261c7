"""From Python arguments to the 8 bytes each that a compiled kernel takes: through the native entry."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ferrata.lang.elements import Dtype

if TYPE_CHECKING:
    from ferrata.lang.kernel import Kernel


def runner(kernel: Kernel, dtypes: Mapping[str, Dtype], address: int, library: ctypes.CDLL) -> Callable[..., None]:
    """TEMP."""
    import struct

    import ferrata.npu  # noqa: F401
    import torch

    fn = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)(address)

    def run(cores: int, *args: Any) -> None:
        words = []
        for p, v in zip(kernel.arguments, args):
            if p.kind == "gm":
                words.append(0 if v is None else v.data_ptr())
            elif p.kind == "float":
                words.append(struct.unpack("q", struct.pack("d", v))[0])
            else:
                words.append(int(v))
        arr = (ctypes.c_int64 * max(1, len(words)))(*words)
        fn(cores, None, ctypes.cast(arr, ctypes.c_void_p))

    return run
