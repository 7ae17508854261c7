"""A cluster's graph as an FX graph of ATen operators with fake values: its own program, run once on fake tensors.

The sizes are symbols of a fresh environment, one for each symbol of the graph; what tracing and compiling assume of
them is found there afterwards and becomes the cluster's condition.
"""

from __future__ import annotations

import dataclasses
import re
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from ferrata.ge.cluster.counted import written_out
from ferrata.ge.cluster.exact import decompositions
from ferrata.ge.cluster.scaled import without_alpha
from ferrata.ge.cluster.scattered import put_in_place
from ferrata.ge.cluster.transposed import as_convolutions
from ferrata.ge.ir import Call, Desc, Dim, Graph, Node, Output, Port, Ref
from ferrata.ge.program import Program
from ferrata.ge.purity import draws
from ferrata.ge.types import torch_dtype

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]

GUESS = 32  # the size of a dimension of which nothing is known


class Untraceable(Exception):
    """The cluster has something that the compiler may not be given. node: the name of the culprit, where it is known."""

    def __init__(self, reason: str, node: str = "") -> None:
        super().__init__(reason)
        self.node = node


class Sizes:
    """The symbols of a graph, in a fresh environment. hints: sizes to expect, by the graph's symbol or the feed's name.

    sources: what each of our symbols is at run time, an expression over the feeds in `args`.
    """

    def __init__(self, graph: Graph, hints: Mapping[str, int]) -> None:
        self._hints = hints
        self.env = ShapeEnv()
        self.sources: dict[sympy.Symbol, str] = {}
        place = {n.name: i for i, n in enumerate(graph.feeds)}
        self._places: dict[str, str] = {}
        for symbol, source in graph.symbols.items():
            self._places[symbol] = (
                _fed(place[source.node]) if isinstance(source, Ref) else _size(place[source[0].node], source[1])
            )
        self._known: dict[str, sympy.Symbol] = {}  # by place

    def dim(self, dim: Dim, place: str) -> Any:
        """A size or stride as an integer or a SymInt. place: where an unknown one is found at run time."""
        if isinstance(dim, int) and dim >= 0:
            return dim
        if isinstance(dim, int) or any(str(s) not in self._places for s in dim.free_symbols):
            return self._int(self._symbol(place, ""))
        free = {s: self._symbol(self._places[str(s)], str(s)) for s in dim.free_symbols}
        return self._int(dim.xreplace(free))

    def number(self, index: int, feed: str) -> Any:
        """The SymInt that the graph is fed as a number: a symbol, or an expression of which the hint goes by name."""
        names = [s for s, place in self._places.items() if place == _fed(index)]
        return self._int(self._symbol(_fed(index), names[0] if names else feed))

    def _symbol(self, place: str, name: str) -> sympy.Symbol:
        if place not in self._known:
            from torch._dynamo.source import ConstantSource

            hint = max(2, self._hints.get(name, GUESS))
            source = ConstantSource(f"__size_{len(self._known)}")
            made = self._known[place] = self.env.create_symbol(hint, source, DimDynamic.DYNAMIC)
            self.sources[made] = place
        return self._known[place]

    def _int(self, expression: Any) -> Any:
        if not expression.free_symbols:
            return int(expression)
        hint = int(expression.xreplace({s: self.env.backed_var_to_val[s] for s in expression.free_symbols}))
        return self.env.create_symintnode(expression, hint=hint)


def _fed(index: int) -> str:
    return f"args[{index}]"


def _size(index: int, dim: int) -> str:
    return f"{_fed(index)}.size({dim})"


def trace(graph: Graph, hints: Mapping[str, int]) -> tuple[torch.fx.GraphModule, list[Any], Sizes]:
    """The FX graph, its fake inputs and the sizes. Raises Untraceable, and whatever an operator raises."""
    sizes = Sizes(graph, hints)
    mode = FakeTensorMode(shape_env=sizes.env, allow_non_fake_inputs=True, static_shapes=False)
    with mode:
        feeds = [_feed(sizes, i, node) for i, node in enumerate(graph.feeds)]
    here = _on_cpu(graph)

    def function_of(graph: Graph) -> Callable[..., Any]:
        run = Program(graph, torch.device("cpu")).compile()

        def function(*args: Any) -> Any:
            try:
                return run(list(args))
            except Exception as failure:
                raise Untraceable(f"{type(failure).__name__}: {failure}", _culprit(graph, failure)) from failure

        return function

    with torch.no_grad(), torch._C._DisableAutocast(), mode:
        traced = make_fx(function_of(here), decompositions(), tracing_mode="real", _allow_non_fake_inputs=True)(*feeds)
        if _writes(traced):
            whole = torch.func.functionalize(function_of(_with_lifted(here)), remove="mutations")
            traced = make_fx(whole, decompositions(), tracing_mode="real", _allow_non_fake_inputs=True)(*feeds)
    written_out(traced, mode)
    put_in_place(traced)
    without_alpha(traced, mode)
    as_convolutions(traced, mode)
    _check(traced)
    return traced, feeds, sizes


def _feed(sizes: Sizes, index: int, node: Node) -> Any:
    desc: Desc = node.outputs[0].desc
    if desc.host:
        return sizes.number(index, node.name)
    assert desc.shape is not None
    shape = [sizes.dim(d, _size(index, i)) for i, d in enumerate(desc.shape)]
    if desc.stride is None:
        return torch.empty(shape, dtype=torch_dtype(desc.dtype))
    if -1 in desc.stride:
        raise Untraceable(f"the strides of {node.name} are not known")
    steps = [sizes.dim(d, f"{_fed(index)}.stride({i})") for i, d in enumerate(desc.stride)]
    return torch.empty_strided(shape, steps, dtype=torch_dtype(desc.dtype))


def _on_cpu(graph: Graph) -> Graph:
    """The same graph for the CPU: constants and devices in calls."""

    def moved(value: Any) -> Any:
        if isinstance(value, torch.device):
            return torch.device("cpu")
        return value

    nodes = []
    for node in graph.nodes:
        if node.type == "Const" and node.value.device.type != "cpu":
            node = dataclasses.replace(node, value=node.value.cpu())
        elif node.call is not None:
            kwargs = {k: moved(v) for k, v in node.call.kwargs.items()}
            call = dataclasses.replace(node.call, args=tuple(moved(a) for a in node.call.args), kwargs=kwargs)
            node = dataclasses.replace(node, call=call)
        nodes.append(node)
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _with_lifted(graph: Graph) -> Graph:
    """The same graph for functionalization, which knows no tensor that it was not given: a copy of a constant, made to be
    written, must be a copy of one that it was told of."""
    constants = {n.name for n in graph.nodes if n.type == "Const"}
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.type == "TensorMove" and node.refs[0].node in constants:
            ref = node.refs[0]
            made = f"{node.name}_lifted"
            call = Call(torch.ops.aten.lift_fresh.default, "aten.lift_fresh.default", (ref,))
            desc = graph.node(ref.node).outputs[ref.index].desc
            nodes.append(
                Node(made, "aten::lift_fresh", (Port("self", ref),), (Output("y", desc),), {}, (), node.where, call)
            )
            node = node.map_refs({ref: Ref(made, 0)}.__getitem__)
        nodes.append(node)
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _culprit(graph: Graph, failure: BaseException) -> str:
    """The node in whose line of the program it failed."""
    lines = [f.line or "" for f in traceback.extract_tb(failure.__traceback__) if f.filename.startswith("<graph ")]
    if not lines:
        return ""
    target = re.split(r"[ ,.(]", lines[-1].strip(), maxsplit=1)[0]
    for node in graph.nodes:
        base = re.sub(r"\W", "_", node.name)
        if target in (base, *(f"{base}_{o.name}" for o in node.outputs)):
            return node.name
    return ""


def _writes(traced: torch.fx.GraphModule) -> bool:
    """Whether it writes memory elsewhere than in assignments to its inputs at the end."""
    late = True
    for node in reversed(traced.graph.nodes):
        if node.op != "call_function":
            continue
        schema = getattr(node.target, "_schema", None)
        mutable = schema is not None and schema.is_mutable
        if mutable and not (late and node.target is torch.ops.aten.copy_.default and node.args[0].op == "placeholder"):
            return True
        late = late and mutable
    return False


def _check(traced: torch.fx.GraphModule) -> None:
    for node in traced.graph.nodes:
        if draws(node.target, node.args, node.kwargs):
            raise Untraceable(f"{node.target} draws random numbers")
