"""How many bytes of intermediate values live after each node of a program.

A value lives from its node to its last reader, as the generated program keeps it; results live to the end. Views and
outputs that share an input's memory keep that memory alive and add nothing. Inputs, parameters and constants are not
counted: they exist before the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferrata.ge.ir import Desc, Graph, Node, Ref, iter_refs
from ferrata.ge.library import rules
from ferrata.ge.types import UNDEFINED, torch_dtype

_OUTSIDE = ("Data", "RefData", "Const")


def live_bytes(graph: Graph, sizes: Mapping[str, int]) -> tuple[list[int], dict[Ref, int]]:
    """(bytes alive after each node in order, bytes of each value). sizes: of symbols; others count as 1."""
    amounts: dict[Ref, int] = {}
    owner: dict[Ref, Ref | None] = {}  # value -> the value whose memory it is; None: not counted
    last: dict[Ref, int] = {}
    for place, node in enumerate(graph.nodes):
        shared = _shared(node)
        for i, output in enumerate(node.outputs):
            ref = Ref(node.name, i)
            amounts[ref] = nbytes(output.desc, sizes)
            source = shared if output.alias is None else _port(node, output.alias)
            owner[ref] = None if node.type in _OUTSIDE else owner.get(source) if source is not None else ref
            last.setdefault(ref, place)
            if owner[ref] is not None:
                last[owner[ref]] = place  # type: ignore[index]
        for ref in node.refs:
            held = owner.get(ref)
            if held is not None:
                last[held] = place
    for ref in iter_refs(graph.outputs):
        held = owner.get(ref)
        if held is not None:
            last[held] = len(graph.nodes)
    change = [0] * (len(graph.nodes) + 1)
    for place, node in enumerate(graph.nodes):
        for i in range(len(node.outputs)):
            ref = Ref(node.name, i)
            if owner[ref] == ref:
                change[place] += amounts[ref]
                change[min(last[ref] + 1, len(graph.nodes))] -= amounts[ref]
    alive, now = [], 0
    for delta in change[: len(graph.nodes)]:
        now += delta
        alive.append(now)
    return alive, amounts


def nbytes(desc: Desc, sizes: Mapping[str, int]) -> int:
    """Bytes of a value; 0 for numbers on the host and unknown ranks."""
    if desc.host or desc.shape is None or desc.dtype == UNDEFINED:
        return 0
    count = 1
    for dim in desc.shape:
        count *= _size(dim, sizes)
    try:
        return count * torch_dtype(desc.dtype).itemsize
    except Exception:  # noqa: BLE001  a type of GE that torch has not: a byte each is near enough for a picture
        return count


def _size(dim: Any, sizes: Mapping[str, int]) -> int:
    if isinstance(dim, int):
        return max(dim, 1) if dim < 0 else dim
    value = dim.xreplace({s: _number(sizes.get(str(s), 1)) for s in dim.free_symbols})
    return int(value) if value.is_number else 1


def _number(value: int) -> Any:
    import sympy  # type: ignore[import-untyped]

    return sympy.Integer(value)


def _shared(node: Node) -> Ref | None:
    """The value whose memory a view is."""
    if not node.refs:
        return None
    if node.call is not None:
        schema = getattr(node.call.fn, "_schema", None)
        returns = schema.returns if schema is not None else ()
        return node.refs[0] if returns and returns[0].alias_info is not None else None
    found = rules.find(node.type)
    return node.refs[0] if found is not None and found.view else None


def _port(node: Node, name: str) -> Ref | None:
    return next((p.ref for p in node.inputs if p.name == name), None)
