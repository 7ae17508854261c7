"""What `ferrata op` prints: an operator's ports and attributes, its tiling for given shapes, a run on random tensors."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ferrata.dtypes import DataType
from ferrata.errors import BadOpArgument
from ferrata.ge.types import torch_dtype
from ferrata.op.project.operator import Operator


def describe(operator: Operator) -> Iterator[str]:
    """Ports with their data types by column, attributes with defaults, the kernel's place."""
    yield f"{operator.op_type}: {operator.op}{operator.schema}"
    for side in ("inputs", "outputs"):
        for port in operator.definition[side]:
            types = ", ".join(DataType(t).name.removeprefix("DT_") for t in port["dtypes"]) or "anything"
            yield f"  {side[:-1]:7}{port['name']:12} {port['kind']:9} {types}"
    for attr in operator.proto.attrs:
        value = "required" if attr.required else f"default {attr.default!r}"
        yield f"  attr   {attr.name:12} {attr.type.removeprefix('VT_'):9} {value}"
    entry = operator.kernels.entry
    yield f"  kernel {entry.name} at {entry.file}:{entry.line}"
    yield f"  tiling at {operator.tiling_place}"


def arguments(operator: Operator, shapes: Sequence[str], dtypes: Sequence[str], attrs: Sequence[str]) -> dict[str, Any]:
    """Random tensors and attribute values from `x=2,3`, `x=float16`, `alpha=2.0`. Raises BadOpArgument.

    A dynamic input takes several shapes: `x=2,3;4,3`. Types default to those of the first column.
    """
    ports = {port["name"]: port for port in operator.definition["inputs"]}
    known = {*ports, *(a.name for a in operator.proto.attrs)}
    size, kind, value = (dict(_pair(operator, text, known) for text in texts) for texts in (shapes, dtypes, attrs))
    chosen = {name: _type(operator, text) for name, text in kind.items()}
    found: dict[str, Any] = {name: _literal(text) for name, text in value.items()}
    for name, text in size.items():
        first = ports[name]["dtypes"][0] if ports[name]["dtypes"] else 0
        dtype = chosen.get(name) or torch_dtype(first)
        made = [_random(operator, part, dtype) for part in text.split(";")]
        found[name] = made if ports[name]["kind"] == "dynamic" else made[0]
    return found


def tiling(operator: Operator, given: dict[str, Any]) -> Iterator[str]:
    """The tiling function's result."""
    result = operator.tiling(**given)
    yield f"  blocks {result['blocks']}, tiling key {result['key']}, schedule mode {result['schedule_mode']}"
    yield f"  workspaces {result['workspaces'] or 'none'}"
    yield f"  tiling data {result['bytes']} of {result['capacity']} bytes: {result['data'].hex(' ', 4)}"


def run(operator: Operator, given: dict[str, Any]) -> Iterator[str]:
    """Run on the tensors and show each output's shape, type and first values."""
    there = {name: _to_npu(value) for name, value in given.items()}
    operator(**there)  # compiles
    start = time.perf_counter()
    result = operator(**there)
    seconds = time.perf_counter() - start
    for port, value in zip(operator.proto.outputs, result if isinstance(result, tuple) else (result,), strict=True):
        for tensor in value if isinstance(value, list) else [value]:
            first = ", ".join(f"{v:.6g}" for v in tensor.flatten()[:6].tolist())
            yield f"  {port.name:12} {str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}: {first}"
    yield f"  {seconds * 1e3:.3f} ms"


def _to_npu(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to("npu")
    return [_to_npu(v) for v in value] if isinstance(value, list) else value


def _bad(operator: Operator, problem: str) -> BadOpArgument:
    return BadOpArgument(op=operator.op_type, problem=problem, signature=operator.proto.signature())


def _pair(operator: Operator, text: str, known: set[str]) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or name not in known:
        raise _bad(operator, f"{text!r} is not name=value with a name of {', '.join(sorted(known))}")
    return name, value


def _type(operator: Operator, text: str) -> torch.dtype:
    dtype = getattr(torch, text, None)
    if not isinstance(dtype, torch.dtype):
        raise _bad(operator, f"{text!r} is no torch dtype")
    return dtype


def _random(operator: Operator, text: str, dtype: torch.dtype) -> torch.Tensor:
    try:
        shape = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise _bad(operator, f"{text!r} is no shape; write 2,3") from None
    generator = torch.Generator().manual_seed(0)
    if dtype.is_floating_point:
        return torch.rand(shape, generator=generator).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 100, shape, generator=generator).to(dtype)


def _literal(text: str) -> Any:
    names = {"true": True, "false": False}
    try:
        return names[text] if text in names else ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
