"""The old tensor types `torch.npu.FloatTensor`, ...: they construct on the device and answer isinstance. Deprecated."""

from __future__ import annotations

import warnings
from typing import Any

import torch

_DTYPES = {
    "FloatTensor": torch.float32, "DoubleTensor": torch.float64, "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16, "LongTensor": torch.int64, "IntTensor": torch.int32, "ShortTensor": torch.int16,
    "CharTensor": torch.int8, "ByteTensor": torch.uint8, "BoolTensor": torch.bool,
}  # fmt: skip


class _Meta(type):
    dtype: torch.dtype

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, torch.Tensor) and value.device.type == "npu" and value.dtype == cls.dtype

    def __call__(cls, *args: Any) -> torch.Tensor:
        warnings.warn(
            f"torch.npu.{cls.__name__} is deprecated; use torch.tensor(data, dtype={cls.dtype}, device='npu')",
            DeprecationWarning,
            stacklevel=2,
        )
        if len(args) == 1 and not isinstance(args[0], int):
            return torch.as_tensor(args[0], dtype=cls.dtype).to("npu")
        return torch.empty(args or (0,), dtype=cls.dtype, device="npu")


TYPES: dict[str, type] = {
    name: _Meta(name, (), {"dtype": dtype, "__module__": "torch.npu"}) for name, dtype in _DTYPES.items()
}
