"""A product with a vector as one call of ATen. GE multiplies matrices alone, so that a vector is a column of one; ATen's
call for a vector adds up in the order of eager mode. Part of the lowering (`lower`).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ferrata.ge.ir import Call, Node, Output, Port
from ferrata.ge.passes.edit import library_rule


def product_with_vector(back: Node, nodes: Mapping[str, Node], users: Mapping[str, int]) -> Node | None:
    """`squeeze(x @ unsqueeze(v, 1), 1)` as one call, which replaces the product; None for another squeeze."""
    product = nodes[back.refs[0].node]
    if product.type not in ("MatMul", "MatMulV2") or users[product.name] != 1 or not _plain(product):
        return None
    flags = [v.value for n, v in product.attrs.items() if not n.startswith("_")]
    if any(flags) or len(product.refs) != 2 or not _plain(back):
        return None
    x, column = product.refs
    there, shaped = nodes[column.node], back.outputs[0].desc
    if there.type != "Unsqueeze" or not _plain(there) or shaped.stride is not None:
        return None
    if list(there.attrs["axes"].value) != [1] or list(back.attrs["axis"].value) != [1]:
        return None
    v = there.refs[0]
    return Node(
        product.name, "aten::mv", (Port("x", x), Port("v", v)), (Output("y", shaped),), {}, (), product.where,
        Call(torch.mv, "mv", (x, v)),
    )  # fmt: skip


def _plain(node: Node) -> bool:
    return library_rule(node) is not None and not node.controls
