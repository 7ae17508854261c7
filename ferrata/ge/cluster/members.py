"""Which nodes may go into a cluster: built-in, pure, of known rank, on one device, with nothing that depends on values.

A cluster is compiled as a whole, so its results may share memory in other ways than single operators' do. That matters
only where memory is written later: whatever a node with effects may write, and every view of it, stays outside.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import torch

from ferrata.ge.infer import input_instances
from ferrata.ge.ir import Desc, Graph, Node, Ref, iter_refs
from ferrata.ge.library import rules
from ferrata.ge.passes.edit import library_rule, views_of
from ferrata.ge.prototype import require_prototype
from ferrata.ge.purity import draws, writes
from ferrata.ge.types import UNDEFINED, ge_dtype, torch_dtype

_TYPES = {
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
    torch.float32, torch.float64,
}  # fmt: skip
_TAGS = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)
_MASKS = {ge_dtype(torch.bool), ge_dtype(torch.uint8)}
_RANDOM = re.compile(r"Random|Dropout|Multinomial|Bernoulli|Normal$|Uniform$|DSA|Truncated")
_HOST_MODULES = {operator.__name__, "_operator", "math", "torch", "torch.fx.experimental.sym_node"}
_INT = ge_dtype(torch.int64)
_BY_VALUE = {"GroupedMatmul", "ScatterNdUpdate"}  # their rules read values in Python
FEEDS = ("Data", "RefData")


class Members:
    """Asks of one graph which nodes may join a cluster; computed once, then looked up."""

    def __init__(self, graph: Graph, device: torch.device, leave: Collection[str] = frozenset()) -> None:
        self.graph = graph
        self.device = device
        self.nodes: Mapping[str, Node] = graph.by_name()
        self.place = {n.name: i for i, n in enumerate(graph.nodes)}
        self.assigned = _assigned_feeds(graph, self.nodes)
        self._leave = leave
        self._kept: set[str] = set()
        self.local = _local_effects(graph, self.nodes)
        self.local = {n for n in self.local if self.may_join(self.nodes[n])}
        self.assigned -= set(leave)
        self._kept = _written(graph, self.nodes, self.assigned | self.local)

    def may_join(self, node: Node) -> bool:
        """Whether the node may be compiled together with others."""
        if node.name in self._leave:
            return False
        if node.name in self.assigned:
            return True
        local = node.name in self.local
        if (node.effect and not local) or node.graphs or node.type in FEEDS or node.name in self._kept:
            return False
        if node.controls and not local:
            return False
        if node.type == "Const":
            return False
        if not all(self._fits(o.desc) for o in node.outputs) or not all(map(self._known, node.refs)):
            return False
        return self._pure_call(node) if node.call is not None else self._pure_rule(node)

    def on_host(self, node: Node) -> bool:
        """Whether the node only makes numbers, or a list of them: each cluster that reads it has a copy."""
        if node.type == "Pack":
            return all(map(self._is_host, node.refs))
        return bool(node.outputs) and all(o.desc.host for o in node.outputs)

    def reads(self, node: Node) -> Iterable[tuple[Ref, bool]]:
        """Each value that the node reads, and whether it reads numbers instead of a tensor."""
        rule = library_rule(node, effects=True)
        if rule is None or not rule.host:
            return [(r, False) for r in node.refs]
        ports = input_instances(require_prototype(node.type, node.where), node)
        return [(p.ref, spec.name in rule.host) for spec, some in ports for p in some if p.ref is not None]

    def desc(self, ref: Ref) -> Desc:
        return self.nodes[ref.node].outputs[ref.index].desc

    def copy_of(self, name: str) -> str:
        """The node that made the copy which a local effect writes."""
        return next(iter(_may_write(self.nodes[name]))).node

    def walls(self, node: Node) -> bool:
        """Whether nothing may move across the node: it has an effect other than to draw random numbers."""
        return node.effect and node.name not in self.local and (node.call is None or writes(node.call.fn))

    def computes(self, node: Node) -> bool:
        """Whether the node does work worth compiling: no constant, no size, no view."""
        if node.type in ("Const", *FEEDS) or self.on_host(node):
            return False
        return not views_of(node)

    def _fits(self, desc: Desc) -> bool:
        if desc.host:
            return True
        if desc.dtype == UNDEFINED or desc.shape is None or torch_dtype(desc.dtype) not in _TYPES:
            return False
        return self.device.type == "cpu" or desc.placement != "CPU" or desc.shape == ()

    def _known(self, ref: Ref) -> bool:
        """Whether a cluster can be fed the value: a number must be an integer that the graph is fed, or be made of such."""
        source, desc = self.nodes[ref.node], self.desc(ref)
        if not desc.host:
            return self._fits(desc)
        if source.type in FEEDS:
            return desc.dtype == _INT
        return source.call is not None and self._pure_call(source)

    def _pure_rule(self, node: Node) -> bool:
        if node.type == "Pack" and self.on_host(node):
            return True
        rule = library_rule(node, effects=node.name in self.local)
        if rule is None or (rule.dynamic and not self._indexes(node)) or _RANDOM.search(node.type):
            return False
        if node.type in _BY_VALUE:
            return False
        if not rule.host:
            return True
        ports = input_instances(require_prototype(node.type, node.where), node)
        return all(self._is_host(p.ref) for spec, some in ports if spec.name in rule.host for p in some)

    def _indexes(self, node: Node) -> bool:
        """Indexing by integers: the size of the result does not depend on their values, as it does with masks."""
        if node.type not in ("IndexByTensor", "aten::index.Tensor"):
            return False
        return all(self.desc(r).dtype not in _MASKS for r in node.refs[1:])

    def _is_host(self, ref: Ref | None) -> bool:
        if ref is None or self.desc(ref).host:
            return True
        node = self.nodes[ref.node]
        return node.type == "Const" or (node.type == "Pack" and self.on_host(node))

    def _pure_call(self, node: Node) -> bool:
        assert node.call is not None
        fn = node.call.fn
        if isinstance(fn, torch._ops.OpOverload):
            if fn.namespace not in ("aten", "prims") or writes(fn) or draws(fn, node.call.args, node.call.kwargs):
                return False
            if any(t in fn.tags for t in _TAGS) and not self._indexes(node):
                return False
            return self.device.type == "cpu" or not _names_cpu(node.call.args, node.call.kwargs)
        if isinstance(fn, torch._ops.HigherOrderOperator):
            return False
        return getattr(fn, "__module__", None) in _HOST_MODULES and all(o.desc.host for o in node.outputs)


def _names_cpu(*structures: Any) -> bool:
    """Whether a call on another device asks for the CPU: it moves data, which a cluster does not."""
    for value in structures:
        if isinstance(value, torch.device) and value.type == "cpu":
            return True
        if isinstance(value, Mapping) and _names_cpu(*value.values()):
            return True
        if isinstance(value, (list, tuple)) and _names_cpu(*value):
            return True
    return False


def _assigned_feeds(graph: Graph, nodes: Mapping[str, Node]) -> set[str]:
    """Assignments to inputs that end the graph: nothing but further ones follows, and nobody else sees that memory."""
    tail: list[Node] = []
    for node in reversed(graph.nodes):
        if node.type == "Const":
            continue
        if not _assigns_feed(node, nodes):
            break
        tail.append(node)
    targets = [n.refs[0] for n in tail]
    if len(set(targets)) != len(targets):
        return set()
    results = {n.name for n in tail}
    seen = {r for n in graph.nodes if n.name not in results and (n.effect or views_of(n)) for r in n.refs}
    seen |= {r for n in graph.nodes if n.name not in results and not _builtin(n) for r in n.refs}
    seen |= set(iter_refs(graph.outputs))
    # what is written is read as a whole before: a value that is the target of another assignment would change
    values = {n.refs[1] for n in tail}
    return {n.name for n in tail if n.refs[0] not in seen and n.refs[0] not in values}


def _local_effects(graph: Graph, nodes: Mapping[str, Node]) -> set[str]:
    """Operators of GE that write a copy made for them: nobody else sees that memory before."""
    users = graph.users()
    found = set()
    for node in graph.nodes:
        if not node.effect or library_rule(node, effects=True) is None:
            continue
        written = list(_may_write(node))
        if len(written) == 1 and nodes[written[0].node].type == "TensorMove" and users[written[0].node] == 1:
            found.add(node.name)
    return found


def _builtin(node: Node) -> bool:
    if node.call is not None:
        return getattr(node.call.fn, "namespace", "aten") in ("aten", "prims")
    return node.type in ("Const", *FEEDS) or rules.find(node.type) is not None


def _assigns_feed(node: Node, nodes: Mapping[str, Node]) -> bool:
    if node.type != "Assign" and (node.call is None or node.call.text != "aten.copy_.default"):
        return False
    if len(node.refs) != 2 or nodes[node.refs[0].node].type not in FEEDS:
        return False
    source, value = (nodes[r.node].outputs[r.index].desc for r in node.refs)
    return source.dtype == value.dtype and source.shape == value.shape


def _written(graph: Graph, nodes: Mapping[str, Node], assigned: set[str]) -> set[str]:
    """Nodes whose results a node with effects may write, the owners of the memory, and all views of it."""
    owners: set[str] = set()
    for node in reversed(graph.nodes):
        if node.effect and node.name not in assigned:
            owners.update(r.node for r in _may_write(node))
        elif node.name in owners:
            owners.update(r.node for r in views_of(node))
    found = set(owners)
    for node in graph.nodes:
        if any(r.node in found for r in views_of(node)):
            found.add(node.name)
    return {n for n in found if nodes[n].type not in FEEDS}


def _may_write(node: Node) -> Iterable[Ref]:
    if node.call is not None and not writes(node.call.fn):
        return ()
    ports = {o.alias for o in node.outputs if o.alias is not None}
    if ports:
        return [p.ref for p in node.inputs if p.name in ports and p.ref is not None]
    return node.refs
