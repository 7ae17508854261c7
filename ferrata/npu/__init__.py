"""The torch device `npu`: importing this package makes `device="npu"` and `torch.npu` exist.

load.py builds and loads the C++ extension and registers the device; api.py is the module `torch.npu`; the files beside
it hold one subject each (devices, streams, memory, random, amp, options, graphs, formats). libraries.py loads users'
operator libraries. The extension needs a C++ compiler once; the result stays in the cache.
"""

from __future__ import annotations

from pathlib import Path

from ferrata.npu.load import extension, register

__all__ = ["INCLUDE", "extension", "register"]

# Headers for C++ that works with the device's streams: torch_npu/csrc/core/npu/NPUStream.h
INCLUDE = Path(__file__).parent.parent / "compat" / "torch_npu" / "include"

register()
