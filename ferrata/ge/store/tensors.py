"""Tensors as bytes, with a row that says what they are and a check sum."""

from __future__ import annotations

import zlib
from typing import Any

import torch


def to_bytes(tensor: torch.Tensor) -> tuple[dict[str, Any], bytes]:
    """The row and the bytes, in the order of the shape whatever the strides."""
    data = tensor.detach().cpu()
    row: dict[str, Any] = {"dtype": str(data.dtype).removeprefix("torch."), "shape": list(data.shape)}
    if not data.is_contiguous() and data.numel():
        row["stride"] = list(data.stride())
    if tensor.device.type != "cpu":
        row["device"] = str(tensor.device)
    if data.is_conj() or data.is_neg():
        data = data.resolve_conj().resolve_neg()
    flat = data.contiguous().flatten()
    raw = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
    row["size"], row["crc"] = len(raw), zlib.crc32(raw)
    return row, raw


def from_bytes(row: dict[str, Any], raw: bytes | bytearray | memoryview) -> torch.Tensor:
    """The tensor, on the CPU, in memory of its own. Raises ValueError where the bytes are not those of the row."""
    if len(raw) != row["size"] or zlib.crc32(raw) != row["crc"]:
        raise ValueError(f"the bytes of a tensor {row['dtype']}{row['shape']} are not those that were written")
    dtype = getattr(torch, row["dtype"])
    if not raw:
        return torch.empty(row["shape"], dtype=dtype)
    tensor = torch.frombuffer(bytearray(raw), dtype=dtype).reshape(row["shape"])
    if "stride" in row:
        tensor = torch.empty_strided(row["shape"], row["stride"], dtype=dtype).copy_(tensor)
    return tensor
