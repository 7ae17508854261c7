"""ferrata: Ascend C custom operators from kernel source to a compiled PyTorch graph, without an NPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrata import lang as lang
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
    from ferrata.torchair.compare import compare as compare
    from ferrata.torchair.coverage import coverage as coverage
    from ferrata.torchair.view import view as view

__version__ = "0.1.0"
_GRAPH = ("CompilerConfig", "get_npu_backend")
_DEFINE = ("Mut", "Operator", "Tensor", "at_most", "ceil_div", "op", "workspace")
_TUNING = ("autotune", "tuned")
_SEEING = ("compare", "coverage", "view")
_HOMES = {
    **dict.fromkeys(_GRAPH, "ferrata.torchair"),
    **dict.fromkeys(_DEFINE, "ferrata.op.define"),
    **dict.fromkeys(_TUNING, "ferrata.op.tuning"),
    **{name: f"ferrata.torchair.{name}" for name in _SEEING},
    "lang": "ferrata.lang",
    "op": "ferrata.op",
    "testing": "ferrata.testing",
}
__all__ = ["__version__", *_GRAPH, *_DEFINE, *_SEEING, *_TUNING, "testing"]


def __getattr__(name: str) -> Any:
    # these import torch; keep `import ferrata` (and so the compiler driver) free of that cost
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ferrata' has no attribute {name!r}")
    from importlib import import_module

    from ferrata.quiet import no_collections

    with no_collections():
        module = import_module(home)
        # ferrata.op is the package and can be called: it is the decorator then
        return module if name in ("lang", "op", "testing") else getattr(module, name)
