"""The module `torch.npu`: every public name of it, taken from the file that holds its subject."""

from __future__ import annotations

from ferrata.npu import amp, graphs, legacy, memory, options, random, refused, streams, utils
from ferrata.npu.devices import (
    is_initialized,
)

SUBMODULES = {
    "amp": amp, "graphs": graphs, "memory": memory, "options": options, "random": random, "streams": streams,
    "utils": utils,
}  # fmt: skip

globals().update(refused.FUNCTIONS)
globals().update(legacy.TYPES)
_NAMES = [name for name in globals() if not name.startswith("_") and name not in ("annotations", "refused", "legacy")]
__all__ = [*_NAMES]


def __getattr__(name: str) -> bool:
    if name == "_initialized":  # torch.utils.checkpoint asks for it before it saves random states
        return is_initialized()
    raise AttributeError(f"module 'torch.npu' has no attribute {name!r}")
