"""The torch schema of a GE prototype: inputs by position, attributes as keywords with their defaults.

An output with the name of an input is that input, written: the schema marks it and returns nothing for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ferrata.ge.prototype import AttrSpec, Prototype

_TENSORS = {"required": "Tensor", "optional": "Tensor?", "dynamic": "Tensor[]"}
_ATTRS = {
    "VT_BOOL": "bool", "VT_FLOAT": "float", "VT_INT": "int", "VT_STRING": "str", "VT_LIST_BOOL": "bool[]",
    "VT_LIST_FLOAT": "float[]", "VT_LIST_INT": "int[]", "VT_LIST_LIST_INT": "int[][]",
}  # fmt: skip


def schema(proto: Prototype) -> str:
    """`(Tensor x, Tensor? bias=None, *, float alpha=1.0) -> Tensor`."""
    parts: list[str] = []
    written = [name for name in proto.in_place]
    for i, port in enumerate(proto.inputs):
        kind = _TENSORS[port.kind]
        if port.name in written:
            kind = kind.replace("Tensor", f"Tensor({chr(ord('a') + written.index(port.name))}!)")
        trailing = all(later.kind == "optional" for later in proto.inputs[i:])
        parts.append(f"{kind} {port.name}" + ("=None" if trailing else ""))
    if proto.attrs:
        parts.append("*")
    parts += [_attr(attr, torch_name(proto, attr.name)) for attr in proto.attrs]
    results = ["Tensor[]" if p.kind == "dynamic" else "Tensor" for p in proto.outputs if p.name not in written]
    returns = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return f"({', '.join(parts)}) -> {returns}"


def torch_name(proto: Prototype, attr: str) -> str:
    """An attribute's name in the torch schema. torch's functionalisation of writing operators has a parameter `mode`."""
    return "mode_" if attr == "mode" and proto.in_place else attr


def _attr(attr: AttrSpec, name: str) -> str:
    kind = _ATTRS[attr.type]
    if attr.required or attr.type == "VT_LIST_LIST_INT":
        return f"{kind} {name}"
    return f"{kind} {name}={default_text(attr.type, attr.default)}"


def default_text(kind: str, value: Any) -> str:
    """A default as schemas write it; floats as short as single precision allows."""
    if kind == "VT_STRING":
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    if kind == "VT_FLOAT":
        return repr(default_value(kind, value))
    if kind.startswith("VT_LIST"):
        inner = kind.replace("LIST_", "", 1)
        return "[" + ", ".join(default_text(inner, item) for item in value) + "]"
    return str(value)


def default_value(kind: str, value: Any) -> Any:
    """The default that Python shows: the double that a single-precision number is written as."""
    if kind == "VT_FLOAT":
        return float(str(np.float32(value)))
    if kind == "VT_LIST_FLOAT":
        return [default_value("VT_FLOAT", item) for item in value]
    return value
