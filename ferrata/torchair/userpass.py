"""A pass of the user over the FX graph: it is run, and what it left is looked at before anything is made of it.

A pass may do anything to a graph. So that a mistake in it is not told as one of a converter, of Dynamo or of a run much
later: the graph is consistent, has the inputs and results it had, and every node that changed can be called as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair.aten import desc_of
from ferrata.torchair.meta import NodeFails, refresh
from ferrata.torchair.patterns import alike
from ferrata.torchair.source import line_in, where_of


def run(
    function: Callable[..., Any], option: str, gm: torch.fx.GraphModule, inputs: Sequence[Any], config: Any
) -> None:
    """Change `gm` in place by `function`; Meta values follow. Raises PassFailed, PassInvalid (which is one)."""
    before = {n: _state(n) for n in gm.graph.nodes}
    fed, given = _ends(gm)
    try:
        returned = function(gm, inputs, config)
    except errors.FerrataError:
        raise
    except Exception as failure:
        raise errors.PassFailed(
            name=_name(function), where=f"{option}, {line_in(function, failure)}",
            kind=type(failure).__name__, reason=str(failure), advice=_ADVICE,
        ) from failure  # fmt: skip
    try:
        problem = _problem(gm, returned, len(fed))
        if problem is None:
            changed = {n for n in gm.graph.nodes if before.get(n) != _state(n)}
            refresh(gm, inputs, changed)
            problem = _results(given, _ends(gm)[1])
        cause: BaseException | None = None
    except NodeFails as failure:
        cause = failure.__cause__
        shown = f"{failure.node.format_node()}  at {where_of(failure.node)}"
        problem = f"this node cannot be called: {type(cause).__name__}: {_first(cause)}\n\n  {shown}"
    except Exception as failure:  # noqa: BLE001  lint raises several kinds
        problem, cause = f"{type(failure).__name__}: {failure}", failure
    if problem is not None:
        raise errors.PassInvalid(
            name=_name(function), where=f"{option}, {line_in(function)}", problem=problem, advice=_ADVICE
        ) from cause
    gm.recompile()


_UNKNOWN = object()
_ADVICE = (
    "It is called with the graph, the example inputs and the options, and changes the graph in place; "
    "the graph keeps its inputs and results."
)


def _state(node: torch.fx.Node) -> tuple[Any, ...]:
    return node.op, node.target, node.args, node.kwargs


def _ends(gm: torch.fx.GraphModule) -> tuple[list[torch.fx.Node], list[Any]]:
    """The placeholders, and the Meta values of the results, _UNKNOWN where there is none."""
    fed = [n for n in gm.graph.nodes if n.op == "placeholder"]
    results = [n.args[0] for n in gm.graph.nodes if n.op == "output"]
    flat = [r for result in results for r in (result if isinstance(result, (list, tuple)) else (result,))]
    return fed, [r.meta.get("val", _UNKNOWN) if isinstance(r, torch.fx.Node) else r for r in flat]


def _problem(gm: torch.fx.GraphModule, returned: Any, inputs: int) -> str | None:
    """What is wrong with the graph as such. Raises what lint raises."""
    graph = gm.graph
    if isinstance(returned, (torch.fx.GraphModule, torch.fx.Graph)) and returned not in (gm, graph):
        return "it returned another graph, which is not used"
    outputs = sum(n.op == "output" for n in graph.nodes)
    if outputs != 1:
        return f"the graph has {outputs} output nodes"
    graph.lint()
    fed = len(_ends(gm)[0])
    return None if fed == inputs else f"the graph had {inputs} input(s) and has {fed}"


def _results(before: Sequence[Any], after: Sequence[Any]) -> str | None:
    """How the results differ in number, type and shape."""
    if len(before) != len(after):
        return f"the graph gave {len(before)} result(s) and gives {len(after)}"
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is not _UNKNOWN and new is not _UNKNOWN and not (alike(new, old) and (new is None) == (old is None)):
            return f"result {i} of the graph was {_shown(old)} and is {_shown(new)}"
    return None


def _shown(value: Any) -> str:
    return f"{desc_of(value)} on {value.device.type}" if isinstance(value, torch.Tensor) else repr(value)


def _first(cause: BaseException | None) -> str:
    """The message; for an operator without a fake, what to do."""
    from torch._subclasses.fake_tensor import UnsupportedOperatorException

    if isinstance(cause, UnsupportedOperatorException):
        return f"{cause.func} has no Meta (fake) implementation; add one with torch.library.register_fake"
    return str(cause).strip()


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or repr(function))
