"""ferrata: Ascend C custom operators from kernel source to a compiled PyTorch graph, without an NPU."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["CompilerConfig", "__version__", "get_npu_backend"]


def __getattr__(name: str) -> Any:
    # torchair imports torch; keep `import ferrata` (and so the compiler driver) free of that cost
    if name in ("get_npu_backend", "CompilerConfig"):
        from ferrata import torchair

        return getattr(torchair, name)
    raise AttributeError(f"module 'ferrata' has no attribute {name!r}")
