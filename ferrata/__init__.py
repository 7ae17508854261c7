"""ferrata: Ascend C custom operators from kernel source to a compiled PyTorch graph, without an NPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrata import testing as testing
    from ferrata.op.define import Mut as Mut
    from ferrata.op.define import Operator as Operator
    from ferrata.op.define import Tensor as Tensor
    from ferrata.op.define import at_most as at_most
    from ferrata.op.define import ceil_div as ceil_div
    from ferrata.op.define import op as op
    from ferrata.op.define import workspace as workspace
    from ferrata.op.tuning import autotune as autotune
    from ferrata.op.tuning import tuned as tuned
    from ferrata.torchair import CompilerConfig as CompilerConfig
    from ferrata.torchair import get_npu_backend as get_npu_backend

__version__ = "0.1.0"
_GRAPH = ("CompilerConfig", "get_npu_backend")
_DEFINE = ("Mut", "Operator", "Tensor", "at_most", "ceil_div", "op", "workspace")
_TUNING = ("autotune", "tuned")
__all__ = ["__version__", *_GRAPH, *_DEFINE, *_TUNING, "testing"]


def __getattr__(name: str) -> Any:
    # these import torch; keep `import ferrata` (and so the compiler driver) free of that cost
    if name in _GRAPH:
        from ferrata import torchair

        return getattr(torchair, name)
    if name in _DEFINE:
        import importlib

        if name == "op":  # the package: it can be called, and is the decorator then
            return importlib.import_module("ferrata.op")
        return getattr(importlib.import_module("ferrata.op.define"), name)
    if name in _TUNING:
        from ferrata.op import tuning

        return getattr(tuning, name)
    if name == "testing":
        import importlib

        return importlib.import_module("ferrata.testing")
    raise AttributeError(f"module 'ferrata' has no attribute {name!r}")
