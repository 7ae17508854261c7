"""Nodes write into an operand that dies with them, instead of into new memory: elementwise ones, scatters, copies, and
concatenations that replace a part.

Only into memory that the graph itself made by an operator that always makes it anew; never into an input, a constant, a
result, or memory of which a view is still read. Runs last: no other pass need know that a node destroys its operand.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import torch

from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import CLUSTER, IN_PLACE, Graph, Node, Ref, iter_refs
from ferrata.ge.passes.edit import library_rule, made_by, made_in
from ferrata.ge.passes.part import replaced_part
from ferrata.ge.types import UNDEFINED

# operator type -> the call that writes its result into operand {0}; {1} is the other operand
_ONE = {
    "Neg": "neg_", "Relu": "relu_", "Sigmoid": "sigmoid_", "Tanh": "tanh_", "Exp": "exp_", "Log": "log_",
    "Sqrt": "sqrt_", "Rsqrt": "rsqrt_", "Square": "square_", "Reciprocal": "reciprocal_", "Abs": "abs_", "Erf": "erf_",
    "Cos": "cos_", "Sin": "sin_", "Log1p": "log1p_", "Expm1": "expm1_", "Floor": "floor_", "Ceil": "ceil_",
}  # fmt: skip
_ACTIVATIONS = {"GeluV2": "gelu_", "Swish": "silu_", "HardSwish": "hardswish_", "Mish": "mish_"}
_TWO = {"Add": "add_", "AddV2": "add_", "Mul": "mul_", "Sub": "sub_", "RealDiv": "div_"}
_COMMUTES = {"Add", "AddV2", "Mul"}
_SCATTERS = {"none": "scatter_", "add": "scatter_add_", "mul": "prod", "max": "amax", "min": "amin"}
_HONOURED = {"GeluV2": {"approximate"}, "ScatterElements": {"axis", "reduction"}}  # attributes that the call takes
# further operators of GE whose result is always new memory
_FRESH = {
    *_ONE, *_TWO, *_ACTIVATIONS, "MatMul", "MatMulV2", "BatchMatMul", "BatchMatMulV2", "LayerNormV4", "SoftmaxV2",
    "Conv2D", "Conv3D", "Conv2DBackpropInput", "Conv3DBackpropInput", "GroupNormV2", "BNInfer", "Maximum", "Minimum",
    "TensorMove", "Pow", "Fill", "ConcatV2", "Pack", "Cast", "ScatterElements",
}  # fmt: skip


def reuse_operands(graph: Graph) -> Graph:
    """One walk; a node that may is marked with the operand into which it writes."""
    nodes = graph.by_name()
    owner: dict[Ref, frozenset[Ref]] = {}  # a value in other values' memory -> those values
    last: dict[Ref, int] = {}
    for at, node in enumerate(graph.nodes):
        for ref in node.refs:
            for root in owner.get(ref) or (ref,):
                last[root] = at
        shared = frozenset([root for ref in made_in(node) for root in owner.get(ref) or (ref,)])
        for i in range(len(node.outputs)):
            ref = Ref(node.name, i)
            if shared:
                owner[ref] = shared
            else:  # its own memory
                last[ref] = at
        for root in shared:
            last[root] = at
    for ref in iter_refs(graph.outputs):
        for root in owner.get(ref) or (ref,):
            last[root] = len(graph.nodes)
    merged: dict[Ref, Ref] = {}  # result -> the memory into which it is written

    def roots(ref: Ref) -> set[Ref]:
        found = set()
        for root in owner.get(ref, (ref,)):
            while root in merged:
                root = merged[root]
            found.add(root)
        return found

    changed: dict[str, Node] = {}
    for at, node in enumerate(graph.nodes):
        part = replaced_part(node, nodes)
        for index in (part.at,) if part is not None else candidates(node):
            ref = node.refs[index]
            (root, *others) = roots(ref)
            if others or last[root] != at or not (part is not None or fits(node, index, nodes)):
                continue
            if not fresh(nodes[root.node]):
                continue
            read = node.refs if part is None else (ref, part.new)
            if any(other != ref and root in roots(other) for other in read):  # another view of the same memory
                continue
            attrs = {**node.attrs, IN_PLACE: AttrValue("Int", index)}
            changed[node.name] = dataclasses.replace(node, attrs=attrs, where=made_by(node, "InPlaceReuse"))
            out = Ref(node.name, 0)
            merged[out] = root
            last[root] = last[out]
            break
    if not changed:
        return graph
    return dataclasses.replace(graph, nodes=tuple(changed.get(n.name, n) for n in graph.nodes))


def call_text(node: Node, operands: list[str]) -> str | None:
    """The call that a marked node of GE runs, given its operands' texts; None for a node that is not marked."""
    mark = node.attrs.get(IN_PLACE)
    if mark is None or node.call is not None or node.type == "ConcatV2":  # of which `lower` makes a call
        return None
    if node.type == "TensorMove":
        return operands[0]
    if node.type == "ScatterElements":
        return _scatter_text(node, operands)
    if node.type in _ONE:
        return f"{operands[0]}.{_ONE[node.type]}()"
    if node.type in _ACTIVATIONS:
        shown = [f"{k}={v.value!r}" for k, v in node.attrs.items() if not k.startswith("_")]
        return f"torch._C._nn.{_ACTIVATIONS[node.type]}({', '.join([operands[0], *shown])})"
    return f"{operands[mark.value]}.{_TWO[node.type]}({operands[1 - mark.value]})"


def _scatter_text(node: Node, operands: list[str]) -> str:
    axis = node.attrs["axis"].value if "axis" in node.attrs else 0
    call = _SCATTERS[node.attrs["reduction"].value if "reduction" in node.attrs else "none"]
    data, indices, updates = operands
    end = ""
    if not call.endswith("_"):
        call, end = "scatter_reduce_", f", {call!r}"
    return f"{data}.{call}({axis}, {indices}.long(), {updates}{end})"


def overload_in_place(node: Node) -> torch._ops.OpOverload | None:
    """The form of an elementwise ATen operator that writes into its first operand."""
    fn = node.call.fn if node.call is not None else None
    if not isinstance(fn, torch._ops.OpOverload) or fn.namespace != "aten" or torch.Tag.pointwise not in fn.tags:
        return None
    packet = getattr(torch.ops.aten, f"{fn._schema.name.split('::')[1]}_", None)
    found = getattr(packet, fn._overloadname, None) if packet is not None else None
    if found is None or len(found._schema.arguments) != len(fn._schema.arguments):
        return None
    first = fn._schema.arguments[0]
    return found if str(first.type) == "Tensor" and found._schema.arguments[0].is_write else None


def candidates(node: Node) -> tuple[int, ...]:
    """The operands, by index, into which an operator of this type can write its result."""
    if len(node.outputs) != 1 or node.effect or not node.refs:
        return ()
    if node.call is not None:
        first = node.call.args[0] if node.call.args else None
        return (0,) if isinstance(first, Ref) and node.refs[0] == first and overload_in_place(node) else ()
    given = {k for k in node.attrs if not k.startswith("_")}
    if library_rule(node) is None or given - _HONOURED.get(node.type, set()):
        return ()
    if node.type in _ONE or node.type in _ACTIVATIONS or node.type == "TensorMove":
        return (0,)
    if node.type == "ScatterElements":  # which reads its other operands while it writes
        return (0,) if node.refs.count(node.refs[0]) == 1 else ()
    if node.type in _TWO and len(node.refs) == 2:
        return (0, 1) if node.type in _COMMUTES else (0,)
    return ()


def fits(node: Node, index: int, nodes: Mapping[str, Node]) -> bool:
    """Whether the operand has the result's type and form, contiguous."""
    ref = node.refs[index]
    given, made = nodes[ref.node].outputs[ref.index].desc, node.outputs[0].desc
    if given.host or UNDEFINED in (given.dtype, made.dtype) or given.shape is None or -1 in given.shape:
        return False
    return (given.dtype, given.shape) == (made.dtype, made.shape) and given.stride is made.stride is None


def fresh(node: Node) -> bool:
    """Whether the node's results are new memory, whatever the operands are."""
    if node.type in ("Data", "RefData", "Const", CLUSTER) or node.effect:
        return False
    if node.call is not None:
        fn = node.call.fn
        if not isinstance(fn, torch._ops.OpOverload) or fn.namespace != "aten" or fn._schema.is_mutable:
            return False
        return torch.Tag.pointwise in fn.tags and all(r.alias_info is None for r in fn._schema.returns)
    return node.type in _FRESH and library_rule(node) is not None
