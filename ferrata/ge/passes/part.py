"""A concatenation that is a tensor with a part of it replaced: what lies before, the new part, what lies behind.

So arrives `x[:, t] = row`, since nothing is written while a graph is captured. Where nobody reads x afterwards, the new
part is written into it: `InPlaceReuse` marks the node, the program writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ferrata.ge.ir import Desc, Node, Ref
from ferrata.ge.passes.edit import constant, library_rule
from ferrata.ge.types import UNDEFINED


@dataclass(frozen=True, slots=True)
class Part:
    """`new` takes the place of base[start:stop] along the axis; `at`: an operand of the node that lies in base."""

    base: Ref
    new: Ref
    axis: int
    start: int
    stop: int
    at: int


def replaced_part(node: Node, nodes: Mapping[str, Node]) -> Part | None:
    """What a concatenation replaces, if the result has the form of what it was cut from, of known numbers."""
    if node.type != "ConcatV2" or library_rule(node) is None or not 3 <= len(node.refs) <= 4:
        return None
    *parts, dim = node.refs
    made = node.outputs[0].desc
    axis = constant(dim, nodes)
    if not isinstance(axis, int) or not _plain(made):
        return None
    assert made.shape is not None
    axis %= len(made.shape)
    size = made.shape[axis]
    cuts = [_cut(ref, axis, size, nodes) for ref in parts]
    first, last = cuts[0], cuts[-1]
    before = first if first is not None and first[1] == 0 else None
    behind = last if last is not None and last[2] == size and (before is None or last[0] == before[0]) else None
    if len(parts) == 2 and before is not None and behind is not None:  # two halves: either may be the new one
        behind = None
    rest = before or behind
    if rest is None or len(parts) != 1 + (before is not None) + (behind is not None):
        return None
    base = rest[0]
    start, stop = before[2] if before else 0, behind[1] if behind else size
    new = parts[1 if before else 0]
    given, added = (nodes[r.node].outputs[r.index].desc for r in (base, new))
    if (given.dtype, given.shape, given.stride) != (made.dtype, made.shape, made.stride) or given.host or added.host:
        return None
    if added.dtype != made.dtype or added.shape is None or added.shape[axis] != stop - start:
        return None
    return Part(base, new, axis, start, stop, 0 if before else 1)


def _cut(ref: Ref, axis: int, size: int, nodes: Mapping[str, Node]) -> tuple[Ref, int, int] | None:
    """(what is cut, start, stop), for a slice along the axis without gaps."""
    node = nodes[ref.node]
    if node.type != "StridedSliceV2" or library_rule(node) is None or len(node.refs) != 5:
        return None
    if any(a.value for n, a in node.attrs.items() if not n.startswith("_")):
        return None
    begin, end, axes, steps = (constant(r, nodes) for r in node.refs[1:])
    shape = node.outputs[0].desc.shape
    if shape is None or not all(isinstance(v, list) and len(v) == 1 for v in (begin, end, axes, steps)):
        return None
    if axes[0] % len(shape) != axis or steps != [1]:
        return None
    start, stop, _ = slice(begin[0], end[0]).indices(size)
    return node.refs[0], start, max(start, stop)


def _plain(desc: Desc) -> bool:
    """Of known numbers, each element at a place of its own."""
    if desc.dtype == UNDEFINED or not desc.shape or any(not isinstance(n, int) or n < 1 for n in desc.shape):
        return False
    return desc.stride is None or _dense(desc.shape, desc.stride)


def _dense(shape: Sequence[int], stride: Sequence[int]) -> bool:
    room = 1
    for step, n in sorted((s, n) for n, s in zip(shape, stride, strict=True) if n > 1):
        if not isinstance(step, int) or step != room:
            return False
        room *= n
    return True
