"""Whose memory a value lies in, and how many bytes it takes: what the memory plan and the order of nodes ask of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferrata.ge.ir import CLUSTER, IN_PLACE, Desc, Node, Ref
from ferrata.ge.passes.edit import views_of
from ferrata.ge.types import UNDEFINED, torch_dtype

ALIGNMENT = 64  # bytes, as the allocators of torch align
GUESS = 32  # the size of a dimension of which nothing is known
# these give their operand back only if there is nothing to do: no axis, one addend, no padding
_COMPUTING = {
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceAny", "ReduceAll", "ReduceProd", "ReduceProdD", "AddN",
    "MirrorPad", "PadV3",
}  # fmt: skip


def owner_of(node: Node, index: int, root: Mapping[Ref, Ref], nodes: Mapping[str, Node]) -> Ref | None:
    """The value in whose memory this output lies; None for memory of its own."""
    output = node.outputs[index]
    written = node.attrs.get(IN_PLACE)
    if written is not None:
        operand: Ref = node.refs[written.value]
        return root.get(operand, operand)
    if output.alias is not None:
        source = next(p.ref for p in node.inputs if p.name == output.alias)
        return None if source is None else root.get(source, source)
    if output.desc.host:
        return None
    if node.type == CLUSTER and node.graphs:
        fed = _fed(node, index)
        return None if fed is None else root.get(fed, fed)
    for ref in views_of(node)[:1]:
        desc = nodes[ref.node].outputs[ref.index].desc
        if not desc.host and _lies_in(node, desc, output.desc):
            return root.get(ref, ref)
    return None


def _fed(node: Node, index: int) -> Ref | None:
    """The operand of a cluster of which this result is a view, such as a transposed weight."""
    (inner,) = node.graphs.values()
    inside = inner.by_name()
    ref = inner.outputs[index]
    while isinstance(ref, Ref):
        made = inside[ref.node]
        if made.type in ("Data", "RefData"):
            return node.refs[inner.feeds.index(made)]
        found = owner_of(made, ref.index, {}, inside)
        if found is None:
            return None
        ref = found
    return None


def _lies_in(node: Node, source: Desc, result: Desc) -> bool:
    """Whether a result that may share memory does: a reshape of strided memory copies, another data type does."""
    if source.dtype != result.dtype:
        return False
    if node.type == "Reshape":
        return source.stride is None
    if node.type in _COMPUTING:
        return source.shape == result.shape and len(node.inputs) <= 2
    return True


def is_list(node: Node, nodes: Mapping[str, Node]) -> bool:
    """Whether it is a list of sizes, which stands in the lines of those that read it."""
    return node.type == "Pack" and all(
        nodes[r.node].type in ("Const", "Pack") or nodes[r.node].outputs[r.index].desc.host for r in node.refs
    )


class Sizes:
    """Bytes of a description, with hints for symbols."""

    def __init__(self, hints: Mapping[str, int]) -> None:
        self._hints = hints
        self.used: set[str] = set()
        self.guessed: list[str] = []
        self._known: dict[Any, int] = {}  # of expressions

    def nbytes(self, desc: Desc, value: str) -> int:
        """A multiple of the alignment; 0 for what nobody knows. value: what to call it in `guessed`."""
        if desc.shape is None or desc.dtype == UNDEFINED:
            self.guessed.append(value)
            return 0
        shape = [self._number(d, value) for d in desc.shape]
        if 0 in shape:
            return 0
        count = 1
        if desc.stride is None:
            for size in shape:
                count *= size
        else:
            count += sum((n - 1) * self._number(s, value) for n, s in zip(shape, desc.stride, strict=True))
        width = torch_dtype(desc.dtype).itemsize
        return -(-count * width // ALIGNMENT) * ALIGNMENT

    def _number(self, dim: Any, value: str) -> int:
        if isinstance(dim, int):
            if dim >= 0:
                return dim
            self.guessed.append(value)
            return GUESS
        known = self._known.get(dim)
        if known is not None:
            return known
        from sympy import Integer  # type: ignore[import-untyped]

        numbers = {}
        for symbol in dim.free_symbols:
            name = str(symbol)
            if name not in self._hints:
                self.guessed.append(name)
            self.used.add(name)
            numbers[symbol] = Integer(self._hints.get(name, GUESS))
        self._known[dim] = int(dim.xreplace(numbers))
        return self._known[dim]
