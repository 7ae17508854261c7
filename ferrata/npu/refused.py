"""Names of `torch.npu` that need hardware: each raises one clear error instead of being absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferrata.errors import NotOnEmulator

REASONS = {
    "stress_detect": "there is no hardware to test",
    "obfuscation_initialize": "models are not obfuscated here",
    "obfuscation_calculate": "models are not obfuscated here",
    "obfuscation_finalize": "models are not obfuscated here",
    "current_blas_handle": "matrix products run on ATen's CPU kernels; there is no BLAS handle of a device",
    "stop_device": "there is no hardware to stop",
    "restart_device": "there is no hardware to restart",
    "check_uce_in_memory": "host memory has no uncorrectable-error report of a device",
    "npurt": "runtime calls go through the ACL interface; use torch.npu or <acl/acl.h>",
    "erase_stream": "execution is synchronous; nothing is queued that could be erased",
    "matmul_checksum": "silent hardware errors do not occur here",
    "npu_fusion_attention": "use torch.nn.functional.scaled_dot_product_attention (in transformers, "
    "attn_implementation='sdpa'); a library that defines torch.ops.npu.npu_fusion_attention serves this name",
    "HiFloat8Tensor": "arithmetic in hifloat8 is not emulated",
}


def _refuse(name: str, reason: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotOnEmulator(name=name, reason=reason)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not available on the emulated device: {reason}."
    return refuse


FUNCTIONS: dict[str, Callable[..., Any]] = {name: _refuse(name, reason) for name, reason in REASONS.items()}
