"""A cluster's graph as machine code: TorchInductor behind one function, ATen where it refuses or its condition fails.

What comes back takes one list of inputs, which it empties, and returns a list or tuple: the convention of generated
programs. The compiled code is called directly, without the layers that torch.compile puts around it, and it is one C++
function that also calls the libraries and makes the tensors in between: it takes less time to compile than single kernels
do, and a call spares what Python needs for each of them.
"""

from __future__ import annotations

import logging
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch

from ferrata.ge.cluster import trace
from ferrata.ge.cluster.exhausted import told
from ferrata.ge.cluster.fed import Makers, checks
from ferrata.ge.cluster.wrapper import unread_freed
from ferrata.ge.ir import Graph, Node
from ferrata.ge.program import Program

log = logging.getLogger(__name__)
Function = Callable[[list[Any]], Any]


def compile_cluster(
    graph: Graph, device: torch.device, hints: Mapping[str, int], kind: str = "inference", makers: Makers | None = None
) -> Function:
    """kind: "inference", "forward" or "backward". If Inductor fails, warns and returns the graph's program on ATen.
    makers: the inputs to check before each call, and who gives them.

    Raises Untraceable where one node is to blame, which may then be left out.
    """
    try:
        fast, condition = _either(graph, hints, kind)
    except trace.Untraceable as failure:
        if failure.node:
            raise
        warnings.warn(_refusal(graph, failure), RuntimeWarning, stacklevel=2)
        return Program(graph, device).compile()
    except Exception as failure:  # noqa: BLE001  whatever it is, the program on ATen computes the same
        warnings.warn(_refusal(graph, failure), RuntimeWarning, stacklevel=2)
        return Program(graph, device).compile()
    if device.type != "cpu":
        fast = _on_device(fast, device)
    fast = told(fast, graph, device)
    if condition is None and not makers:
        return fast
    return _guarded(graph, device, fast, condition or "True", makers or {})


def _either(graph: Graph, hints: Mapping[str, int], kind: str) -> tuple[Function, str | None]:
    """The cluster in C++ as a whole or, where Inductor cannot write that, kernels in C++ that Python calls."""
    try:
        return _inductor(graph, hints, kind, whole=True)
    except trace.Untraceable:
        raise
    except Exception as failure:  # noqa: BLE001  the other form may do, and if not, says why
        log.info("%s is not compiled as a whole: %s: %s", graph.name, type(failure).__name__, failure)
        return _inductor(graph, hints, kind, whole=False)


def _inductor(graph: Graph, hints: Mapping[str, int], kind: str, whole: bool) -> tuple[Function, str | None]:
    """The compiled function on CPU tensors, and what must hold of its arguments, as an expression over `args`."""
    from torch._guards import TracingContext, tracing
    from torch._inductor import compile_fx, config

    from ferrata.ge.cluster.order import LeastMemory

    traced, feeds, sizes = trace.trace(graph, hints)
    mode = next((f.fake_mode for f in feeds if isinstance(f, torch._subclasses.FakeTensor)), None)
    options = config.patch(cpp_wrapper=whole, reorder_for_peak_memory=False, _post_fusion_custom_pass=LeastMemory())
    with torch.no_grad(), tracing(TracingContext(mode)), options, unread_freed():
        traced = compile_fx._recursive_joint_graph_passes(traced, input_device=torch.device("cpu"))
        output = next(iter(reversed(traced.graph.nodes)))
        output.meta["user_visible_output_idxs"] = [
            i for i, v in enumerate(output.args[0]) if isinstance(v, torch.fx.Node)
        ]
        compiled = compile_fx.compile_fx_inner(
            traced, feeds, cpp_wrapper=whole, is_inference=kind == "inference", is_backward=kind == "backward"
        )
    return getattr(compiled, "current_callable", None) or compiled, _condition(sizes)


def _condition(sizes: trace.Sizes) -> str | None:
    """What tracing and compiling assumed of the sizes."""
    texts = sizes.sources
    if not texts:
        return None
    from sympy import Integer, Symbol  # type: ignore[import-untyped]
    from torch.utils._sympy.printers import PythonPrinter

    names = {s: Symbol(text, integer=True) for s, text in texts.items()}
    tests = []
    for symbol, text in texts.items():
        bounds = sizes.env.var_to_range[symbol]
        lower = max(2, int(bounds.lower)) if isinstance(bounds.lower, Integer) else 2
        upper = f" <= {int(bounds.upper)}" if isinstance(bounds.upper, Integer) else ""
        tests.append(f"{lower} <= {text}{upper}")
    for guard in sizes.env.guards:
        if not guard.expr.free_symbols <= set(texts):
            raise trace.Untraceable(f"the condition {guard.expr} depends on values")
        tests.append(str(PythonPrinter().doprint(guard.expr.xreplace(names))))
    return " and ".join(dict.fromkeys(f"({t})" for t in tests))


def _guarded(graph: Graph, device: torch.device, fast: Function, condition: str, makers: Makers) -> Function:
    """Inputs are checked, and sizes that the compiled code was not made for run on ATen; told once."""
    slow: list[Function] = []

    def other(args: list[Any]) -> Any:
        if not slow:
            slow.append(Program(graph, device).compile())
            shapes = ", ".join(str(list(a.shape)) if isinstance(a, torch.Tensor) else str(a) for a in args)
            warnings.warn(
                f"{graph.name} was compiled for sizes with {condition}; inputs of sizes {shapes} run on ATen.",
                RuntimeWarning,
                stacklevel=2,
            )
        return slow[0](args)

    scope: dict[str, Any] = {"fast": fast, "other": other, "math": math}
    lines = [*checks(graph, makers, scope), f"return fast(args) if {condition} else other(args)"]
    exec("def run(args):\n    " + "\n    ".join(lines), scope)
    return scope["run"]  # type: ignore[no-any-return]


def _on_device(fast: Function, device: torch.device) -> Function:
    from ferrata.npu import extension

    lent = extension().lent
    return lambda args: lent(fast, args, device.index or 0)


def left_out(node: Node, failure: Exception) -> str:
    """What the user is told of a node that Inductor cannot be given."""
    reason = str(failure).strip().split("\n", 1)[0]
    return (
        f"{node.name} ({node.type}) at {node.where} cannot be part of a compiled cluster, so it runs on ATen: {reason}"
    )


def _refusal(graph: Graph, failure: Exception) -> str:
    reason = str(failure).strip().split("\n", 1)[0]
    lines = dict.fromkeys(str(n.where) for n in graph.nodes if n.where.line)
    named = [n for n in graph.nodes if n.type not in ("Data", "Const") and re.search(rf"\b{n.name}\b", str(failure))]
    where = f"{named[0].name} ({named[0].type}) at {named[0].where}" if named else ", ".join(list(lines)[:3])
    return (
        f"Inductor does not compile {graph.name} ({len(graph.nodes)} nodes, {where or 'no source lines'}), so it runs on "
        f"ATen: {type(failure).__name__}: {reason}"
    )
