"""Operators of a captured graph that do nothing: taken out, so that no mode spends a call on them.

A result of the graph stays the tensor that it was promised to be: what feeds the output, and what is written later, is
left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ferrata.ge.worlds import dim_of


def remove_noop_ops(gm: torch.fx.GraphModule) -> None:
    """Identities by their arguments: adding 0, views of the same shape, permutations that keep the order ..."""
    _remove(gm, lambda node: node.args[0] if _is_noop(node) else None)


def remove_cat_ops(gm: torch.fx.GraphModule) -> None:
    """Concatenations of one tensor, and of all pieces of one split in their order."""
    _remove(gm, _whole)


def _remove(gm: torch.fx.GraphModule, source_of: Callable[[torch.fx.Node], Any]) -> None:
    written: set[Any] | None = None  # and exposed
    changed = False
    for node in list(gm.graph.nodes):
        if node.op != "call_function" or not node.users:
            continue
        source = source_of(node)
        if not isinstance(source, torch.fx.Node) or not _same(node, source):
            continue
        if written is None:
            written = _written(gm) | _exposed(gm)
        if node in written or source in written:
            continue
        node.replace_all_uses_with(source)
        gm.graph.erase_node(node)
        changed = True
    if changed:
        gm.recompile()


def _same(node: torch.fx.Node, source: torch.fx.Node) -> bool:
    """Whether both are equal in everything but identity; adds no guard."""
    a, b = node.meta.get("val"), source.meta.get("val")
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return False
    if a.dtype != b.dtype or a.device != b.device or a.dim() != b.dim() or a.layout is not b.layout:
        return False
    pairs = [*zip(a.shape, b.shape, strict=True), *zip(a.stride(), b.stride(), strict=True)]
    return all(_equal(x, y) for x, y in pairs)


def _equal(a: Any, b: Any) -> bool:
    """Two sizes: by their expressions, then by what is known of the symbols, which takes a hundred times as long."""
    x, y = dim_of(a), dim_of(b)
    if x is y or x == y:
        return True
    if isinstance(x, int) and isinstance(y, int):
        return False
    from torch.fx.experimental.symbolic_shapes import statically_known_true  # late: graphs of fixed sizes need none

    return bool(statically_known_true(a == b))


# by name: looking operators up takes longer than importing this package
_ALWAYS = frozenset(
    f"aten::{name}"
    for name in (
        *("alias", "detach", "view", "_unsafe_view", "reshape", "expand", "slice.Tensor", "permute"),
        *("squeeze.dim", "squeeze.dims", "clone", "contiguous", "_to_copy", "lift_fresh_copy"),
    )
)


def _name(target: Any) -> str:
    return target._name if isinstance(target, torch._ops.OpOverload) else ""


def _is_noop(node: torch.fx.Node) -> bool:
    """What `_same` then confirms is all that these could change, permutations and slices with steps excepted."""
    name = _name(node.target)
    if not name or not node.args or not isinstance(node.args[0], torch.fx.Node):
        return False
    args: Any = node.args
    if name == "aten::permute":
        return list(args[1]) == list(range(len(args[1])))
    if name == "aten::slice.Tensor":
        return bool((args[4] if len(args) > 4 else 1) == 1)
    if name in _ALWAYS:
        return True
    if name in ("aten::add.Tensor", "aten::sub.Tensor"):
        value = node.meta["val"]
        exact = name == "aten::sub.Tensor" or not (value.is_floating_point() or value.is_complex())  # -0.0 + 0 is 0.0
        return exact and type(args[1]) is int and args[1] == 0
    if name in ("aten::mul.Tensor", "aten::div.Tensor"):
        return type(args[1]) in (int, float) and args[1] == 1
    if name == "aten::constant_pad_nd":
        return all(type(n) is int and n == 0 for n in args[1])
    return False


def _whole(node: torch.fx.Node) -> Any:
    if _name(node.target) != "aten::cat":
        return None
    parts: Any = node.args[0]
    if len(parts) == 1:
        return parts[0]
    dim: Any = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
    first = parts[0].args[0] if parts[0].op == "call_function" and parts[0].args else None
    splits = ("aten::split.Tensor", "aten::split_with_sizes", "aten::chunk")
    if not isinstance(first, torch.fx.Node) or _name(first.target) not in splits:
        return None
    split_dim: Any = first.args[2] if len(first.args) > 2 else first.kwargs.get("dim", 0)
    pieces = first.meta.get("val")
    inside = all(
        p.args[:2] == (first, i) and getattr(p.target, "__name__", "") == "getitem" for i, p in enumerate(parts)
    )
    if not inside or pieces is None or len(pieces) != len(parts):
        return None
    rank = pieces[0].dim()
    return first.args[0] if int(split_dim) % rank == int(dim) % rank else None


def _exposed(gm: torch.fx.GraphModule) -> set[Any]:
    """Nodes that are results of the graph, or whose memory a result is a view of."""
    found: set[Any] = set()
    todo = list(gm.graph.output_node().all_input_nodes)
    while todo:
        node = todo.pop()
        if node in found:
            continue
        found.add(node)
        target = node.target
        views = not isinstance(target, torch._ops.OpOverload) or any(r.alias_info for r in target._schema.returns)
        if node.op == "call_function" and (views or _name(target) in _ALWAYS):
            todo += node.all_input_nodes
    return found


def _written(gm: torch.fx.GraphModule) -> set[Any]:
    """Nodes whose memory an operator writes: arguments of mutating operators and what they are views of."""
    found: set[Any] = set()
    for node in gm.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if node.op == "call_function" and (schema is None or schema.is_mutable):
            todo = list(node.all_input_nodes) if schema is not None else []
            while todo:
                one = todo.pop()
                if one not in found:
                    found.add(one)
                    todo += one.all_input_nodes
    return found
