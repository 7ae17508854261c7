"""What a cluster checks of its inputs before compiled code reads them by address.

Compiled code goes by the described sizes and strides and looks at nothing. What other clusters and GE's own operators
give has them, but for the layout of views, and Dynamo's guards see to those of a graph's inputs. A custom operator may
give others than its Meta says: another layout is copied into the described one, another size or data type is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.engines import place, strided_as
from ferrata.ge.ir import CLUSTER, Desc, Graph, Node, Ref, Shape
from ferrata.ge.types import UNDEFINED, dtype_name, ge_dtype, torch_dtype

Makers = Mapping[int, tuple[Node, int]]  # index of an input -> the node that gives it, and the output's index


def unsure(graph: Graph, cluster: Node, guarded: bool, backward: bool = False) -> Makers:
    """The inputs that the cluster must check, with their makers.

    guarded: somebody checked the graph's inputs; backward: they are what a forward graph of ours kept.
    """
    nodes = graph.by_name()
    found = {}
    for i, ref in enumerate(cluster.refs):
        maker = nodes[ref.node]
        desc = maker.outputs[ref.index].desc
        if desc.host or maker.type == "Const":
            continue
        # a view is described as PyTorch lays it out: what it is a view of may be laid out otherwise here
        dense = desc.stride is None
        if maker.type in ("Data", "RefData"):
            sure = guarded and (dense or not backward)
        else:
            sure = dense and (maker.type == CLUSTER or place(maker).name == "library")
        if not sure:
            found[i] = (maker, ref.index)
    return found


def checks(graph: Graph, makers: Makers, scope: dict[str, Any]) -> list[str]:
    """The lines that check the list `args`. graph: the cluster's own; scope: gets what the lines name."""
    scope["strided_as"], scope["torch"] = strided_as, torch
    lines: list[str] = []
    for i, (maker, port) in makers.items():
        desc = graph.feeds[i].outputs[0].desc
        sizes = _texts(graph, desc.shape or ())
        tests = [f"x.dim() != {len(sizes)}"]
        tests += [f"x.size({d}) != {text}" for d, text in enumerate(sizes) if text is not None]
        if sizes and None not in sizes:
            tests = [f"x.shape != {_tuple(sizes)}"]
        if desc.dtype != UNDEFINED:
            tests.append(f"x.dtype is not {torch_dtype(desc.dtype)}")
        scope[f"other_{i}"] = _other(maker, port, desc)
        lines += [f"x = args[{i}]", f"if {' or '.join(tests)}: other_{i}(x)"]
        steps = _texts(graph, desc.stride or ())
        if desc.stride is None:
            lines.append(f"if not x.is_contiguous(): args[{i}] = x.contiguous()")
        elif None not in steps:
            lines.append(f"if x.stride() != {_tuple(steps)}: args[{i}] = strided_as(x, {_tuple(steps)})")
    return [*lines, "del x"] if lines else []


def _other(maker: Node, port: int, desc: Desc) -> Callable[[torch.Tensor], None]:
    def fail(value: torch.Tensor) -> None:
        raise errors.OutputMismatch(
            op=maker.type,
            node=maker.name,
            where=maker.where,
            port=maker.outputs[port].name,
            planned=str(desc),
            actual=f"{dtype_name(ge_dtype(value.dtype))} [{', '.join(map(str, value.shape))}]",
            plan_source="what was known of it while compiling",
        )

    return fail


def _texts(graph: Graph, dims: Shape) -> list[str | None]:
    """Each dimension as Python over `args`; None where that is not known."""
    place_of = {f.name: i for i, f in enumerate(graph.feeds)}
    names: dict[str, str] = {}
    for symbol, source in graph.symbols.items():
        ref, dim = (source, None) if isinstance(source, Ref) else source
        if ref.node in place_of:
            at = f"args[{place_of[ref.node]}]"
            names[symbol] = at if dim is None else f"{at}.size({dim})"
    found: list[str | None] = []
    for dim in dims:
        if isinstance(dim, int):
            found.append(None if dim < 0 else str(dim))
        else:
            known = all(str(s) in names for s in dim.free_symbols)
            found.append(_python(dim, names) if known else None)
    return found


def _python(expression: Any, names: Mapping[str, str]) -> str:
    from sympy import Symbol  # type: ignore[import-untyped]
    from torch.utils._sympy.printers import PythonPrinter

    new = {s: Symbol(names[str(s)], integer=True) for s in expression.free_symbols}
    return str(PythonPrinter().doprint(expression.xreplace(new)))


def _tuple(texts: list[str | None]) -> str:
    return f"({', '.join(map(str, texts))},)" if texts else "()"
