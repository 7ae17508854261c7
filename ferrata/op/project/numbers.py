"""Numbers for the ports that an OpDef declares with Scalar or ScalarList: they become small tensors before the call.

The type is the one that To names, that of the port that To names, or what the columns of the OpDef leave open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ferrata.ge.types import ge_dtype, torch_dtype

_Number = (bool, int, float)


def with_tensors(definition: Mapping[str, Any], bound: dict[str, Any]) -> None:
    """Replace a number by a tensor without dimensions, and a list of numbers by one of one dimension, on the host."""
    for port in definition["inputs"]:
        value = bound.get(port["name"])
        if not port["number"] or value is None:
            continue
        several = isinstance(value, (list, tuple)) and all(isinstance(item, _Number) for item in value)
        if (port["number"] == "list" and several) or (port["number"] == "one" and isinstance(value, _Number)):
            made = torch.tensor(value, dtype=_type(definition, port, bound))
            bound[port["name"]] = [made] if port["kind"] == "dynamic" else made


def _type(definition: Mapping[str, Any], port: Mapping[str, Any], bound: Mapping[str, Any]) -> torch.dtype:
    if port["number_type"] >= 0:
        return torch_dtype(port["number_type"])
    like = _first(bound.get(port["number_port"])) if port["number_port"] else None
    if like is not None:
        return like.dtype
    types = port["dtypes"]
    if not types:
        return torch.float32
    for column, candidate in enumerate(types):
        if port["list"] or all(_fits(other, column, bound) for other in definition["inputs"] if other is not port):
            return torch_dtype(candidate)
    return torch_dtype(types[0])  # the call names the types and the columns


def _fits(port: Mapping[str, Any], column: int, bound: Mapping[str, Any]) -> bool:
    given = _first(bound.get(port["name"]))
    types = port["dtypes"]
    if given is None or not types:
        return True
    return ge_dtype(given.dtype) in (types if port["list"] else types[min(column, len(types) - 1) :][:1])


def _first(value: Any) -> torch.Tensor | None:
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    return value if isinstance(value, torch.Tensor) else None
