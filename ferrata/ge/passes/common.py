"""Compute once what several nodes compute alike. Only operators of GE's library, and between two effects."""

from __future__ import annotations

from typing import Any

from ferrata.ge.ir import Desc, Graph, Node, Ref
from ferrata.ge.passes.edit import exposed, library_rule, redirect

LARGEST = 64  # elements up to which constants are compared by value


def merge_common(graph: Graph) -> Graph:
    """Nodes of one type with the same operands, attributes and results become the first of them.

    An effect may change memory that both would read: behind it, nothing is merged with what lies before it.
    """
    kept = exposed(graph)
    constants: dict[Ref, Any] = {}
    seen: dict[Any, list[Node]] = {}
    to: dict[Ref, Ref] = {}

    def operand(ref: Ref | None) -> Any:
        if ref is None:
            return None
        ref = to.get(ref, ref)
        return constants.get(ref, ref)

    for node in graph.nodes:
        if node.effect:
            seen.clear()
        elif node.type == "Const":
            if node.value.numel() <= LARGEST:
                number = node.attrs.get("_number")
                shown = "" if number is None else f"{number.kind} {number.value!r}"
                constants[Ref(node.name, 0)] = (str(node.outputs[0].desc), repr(node.value.tolist()), shown)
        elif node.name not in kept and library_rule(node) is not None:
            key = (
                node.type, tuple([(p.name, operand(p.ref)) for p in node.inputs]),
                tuple(sorted([(n, v.kind, repr(v.value)) for n, v in node.attrs.items()])), node.controls,
            )  # fmt: skip
            alike = seen.setdefault(key, [])
            first = next((n for n in alike if _results(n) == _results(node)), None)
            if first is None:
                alike.append(node)
            else:
                to.update({Ref(node.name, i): Ref(first.name, i) for i in range(len(node.outputs))})
    return redirect(graph, to)


def _results(node: Node) -> list[Desc]:
    return [o.desc for o in node.outputs]
