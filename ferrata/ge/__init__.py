"""The graph engine: IR, prototypes, inference, passes, engines, session, dumps.

A graph comes in from `GraphBuilder` (the TorchAir front end uses it), goes through `infer` and the passes, and a
`Session` turns it into a flat generated Python program. Built-in nodes run on ATen, custom ones on their kernels.
"""

from __future__ import annotations

from typing import Any

from ferrata.ge.builder import GraphBuilder
from ferrata.ge.impl import ExecuteContext, InferContext, register_op_impl
from ferrata.ge.ir import Desc, Graph, Node, Output, Port, Ref, Where
from ferrata.ge.prototype import AttrSpec, PortSpec, Prototype, find_prototype, register_op, unregister_op
from ferrata.ge.session import CompiledGraph, Session
from ferrata.ge.types import DataType, Format

__all__ = [
    "AttrSpec",
    "CompiledGraph",
    "DataType",
    "Desc",
    "ExecuteContext",
    "Format",
    "Graph",
    "GraphBuilder",
    "InferContext",
    "Node",
    "Output",
    "Port",
    "PortSpec",
    "Prototype",
    "Ref",
    "Session",
    "Where",
    "find_prototype",
    "register_op",
    "register_op_impl",
    "unregister_op",
]


def __getattr__(name: str) -> Any:
    if name in ("load", "save"):  # late: files of graphs are not what most programs come for
        from ferrata.ge import store

        return getattr(store, name)
    raise AttributeError(f"module 'ferrata.ge' has no attribute {name!r}")
