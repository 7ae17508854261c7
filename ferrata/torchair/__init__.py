"""From torch.compile to a GE graph: the backend, its options, and what converters are written with.

    config = CompilerConfig()
    model = torch.compile(model, backend=get_npu_backend(compiler_config=config), fullgraph=True, dynamic=True)

The vendor's import name `torchair` (in ferrata/compat) re-exports this package.
"""

from __future__ import annotations

import warnings
from typing import Any

from ferrata.quiet import no_collections

with no_collections():
    from ferrata.torchair import ge, inference, ops, scope
    from ferrata.torchair.backend import get_compiler, get_npu_backend
    from ferrata.torchair.config import CompilerConfig
    from ferrata.torchair.export import dynamo_export
    from ferrata.torchair.later import llm_datadist, tools
    from ferrata.torchair.log import logger
    from ferrata.torchair.patterns import register_replacement
    from ferrata.torchair.registry import declare_supported, register_fx_node_ge_converter

__all__ = [
    "CompilerConfig",
    "declare_supported",
    "dynamo_export",
    "ge",
    "get_compiler",
    "get_npu_backend",
    "inference",
    "llm_datadist",
    "logger",
    "npu_format_cast_via_cpu",
    "ops",
    "patch_for_hcom",
    "register_fx_node_ge_converter",
    "register_replacement",
    "scope",
    "tools",
    "use_internal_format_weight",
]


def use_internal_format_weight(model: Any) -> Any:
    """Return the model as it is: the emulated device has no private weight layouts."""
    return model


def patch_for_hcom() -> None:
    """Do nothing: PyTorch's own collectives can be captured."""
    warnings.warn(
        "patch_for_hcom is needless: torch.distributed's collectives can be captured", UserWarning, stacklevel=2
    )


def npu_format_cast_via_cpu(self: Any, acl_format: int, customize_dtype: Any = None, input_dtype: Any = None) -> Any:
    """Return the tensor as it is: every format is stored as ND here."""
    return self
