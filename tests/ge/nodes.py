"""Graphs by hand for these tests: nodes of one output, and the type that most of them have."""

from __future__ import annotations

from typing import Any

from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import Desc, Ref

FLOAT = Desc(0, (16, 16))  # 1024 bytes


def add(g: Any, op_type: str, *reads: Ref, **attrs: AttrValue) -> Ref:
    """A node of one output, ports in the prototype's order."""
    from ferrata.ge.library import prototype

    proto = prototype(op_type)
    assert proto is not None
    ref: Ref = g.add(op_type, dict(zip([p.name for p in proto.inputs], reads, strict=False)), attrs=attrs)[0]
    return ref
