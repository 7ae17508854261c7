"""Compute small values of constants: sizes, axes, indices, tables. Memory that is handed out or written stays."""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.infer import input_instances
from ferrata.ge.ir import Graph, Node, Output
from ferrata.ge.library.rules import Rule
from ferrata.ge.passes.edit import exposed, library_rule, made_by, redirect
from ferrata.ge.prototype import require_prototype
from ferrata.ge.types import UNDEFINED, torch_dtype

LARGEST = 64  # elements: above, a constant costs more memory than it saves time


def fold_constants(graph: Graph) -> Graph:
    """One walk in order; what is folded is a constant for the nodes behind it."""
    consts = {n.name: n for n in graph.nodes if n.type == "Const"}
    descs = {n.name: n.outputs for n in graph.nodes}
    kept: set[str] | None = None
    folded: dict[str, Node] = {}
    for node in graph.nodes:
        rule = library_rule(node)
        if rule is None or node.type == "TensorMove" or rule.dynamic or not _small(node):
            continue
        static = node.type == "Shape" and _static(descs[node.refs[0].node][node.refs[0].index])
        if not static and not all(r.node in consts for r in node.refs):
            continue
        kept = exposed(graph) if kept is None else kept
        if node.name in kept:
            continue
        source = descs[node.refs[0].node][node.refs[0].index].desc if node.refs else None
        value = torch.tensor(source.shape) if static and source is not None else _run(node, rule, consts)
        if value is None:
            continue
        value = value.to(torch_dtype(node.outputs[0].desc.dtype)).contiguous()
        made = Node(
            node.name, "Const", (), (Output("y", node.outputs[0].desc),), {}, (), made_by(node, "ConstantFolding"),
            output_counts=(1,), value=value,
        )  # fmt: skip
        consts[node.name] = folded[node.name] = made
    return redirect(graph, {}, folded)


def _small(node: Node) -> bool:
    if len(node.outputs) != 1 or not _static(node.outputs[0]):
        return False
    desc = node.outputs[0].desc
    if desc.dtype == UNDEFINED or desc.stride is not None:
        return False
    kind = torch_dtype(desc.dtype)
    count = 1
    for dim in desc.shape or ():
        count *= int(dim)
    # one number everywhere is made in no time, and in memory that may be written
    filled = kind.is_floating_point and node.type in ("Fill", "ZerosLike", "OnesLike")
    return count <= LARGEST and not kind.is_complex and not filled


def _static(output: Output) -> bool:
    shape = output.desc.shape
    return shape is not None and all(isinstance(d, int) and d >= 0 for d in shape)


def _run(node: Node, rule: Rule, consts: dict[str, Node]) -> Any:
    proto = require_prototype(node.type, node.where)
    given = {n: v.value for n, v in node.attrs.items() if not n.startswith("_")}
    try:
        keywords = rule.keywords(given, {a.name: a.default for a in proto.attrs})
    except KeyError:
        return None
    if rule.creates:
        keywords |= {"dtype": torch_dtype(node.outputs[0].desc.dtype), "device": torch.device("cpu")}
    operands: list[Any] = []
    for spec, ports in input_instances(proto, node):
        values = [None if p.ref is None else consts[p.ref.node].value.cpu() for p in ports]
        if spec.name in rule.host:
            values = [None if v is None else v.tolist() for v in values]
        operands.append(values if spec.kind == "dynamic" else values[0])
    while operands and operands[-1] is None:
        operands.pop()
    result = rule.function(*operands, **keywords)
    return result if isinstance(result, torch.Tensor) else None
