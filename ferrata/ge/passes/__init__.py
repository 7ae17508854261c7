"""Passes over the graph: small functions `Graph -> Graph`, each in one file, run in the order of `PIPELINE`.

A pass has a name by which options switch it ("Pass:off"), and leaves its name in the provenance of nodes it adds. It
returns the graph that it got if it changes nothing, and takes time in proportion to the graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ferrata import errors
from ferrata.ge.ir import Graph
from ferrata.ge.passes.common import merge_common
from ferrata.ge.passes.dead import remove_dead_nodes
from ferrata.ge.passes.fold import fold_constants
from ferrata.ge.passes.inplace import reuse_operands
from ferrata.ge.passes.matmul import transpose_into_matmul
from ferrata.ge.passes.peak import order_for_peak
from ferrata.ge.passes.redundant import remove_redundant

Pass = Callable[[Graph], Graph]


@dataclass(frozen=True, slots=True)
class Entry:
    """A pass, the name that switches it, and the optimisation levels at which it runs."""

    name: str
    run: Pass
    levels: tuple[str, ...] = ("O1", "O3")


PIPELINE: tuple[Entry, ...] = (
    Entry("DeadNodes", remove_dead_nodes),
    Entry("ConstantFolding", fold_constants),
    Entry("CommonSubexpressions", merge_common),
    Entry("RedundantNodes", remove_redundant),
    Entry("TransposeIntoMatMul", transpose_into_matmul),
    Entry("DeadNodes", remove_dead_nodes),
)

# after the clusters: what comes out is only for the program
FINAL: tuple[Entry, ...] = (Entry("PeakOrder", order_for_peak), Entry("InPlaceReuse", reuse_operands))


def final(hints: Mapping[str, int], kind: str) -> tuple[Entry, ...]:
    """FINAL for a graph whose symbols have these sizes. kind: "inference", "forward" or "backward"."""
    order = Entry("PeakOrder", functools.partial(order_for_peak, hints=hints, given_up=kind == "backward"))
    return tuple(order if entry.name == order.name else entry for entry in FINAL)


def run_passes(
    graph: Graph,
    level: str = "O3",
    off: Collection[str] = (),
    watch: Callable[[Graph, str], None] | None = None,
    pipeline: Sequence[Entry] | None = None,
) -> Graph:
    """The graph after every pass of this level that is not switched off; subgraphs first, each on its own.

    watch: called with the graph before and after each pass that changed it, and "Before" or "After" with its name.
    pipeline: the passes; PIPELINE if not given.
    """
    graph = graph.map_graphs(lambda inner: run_passes(inner, level, off, watch, pipeline))
    for entry in PIPELINE if pipeline is None else pipeline:
        if level in entry.levels and entry.name not in off:
            before, graph = graph, _run(entry, graph)
            if watch is not None and graph is not before:
                watch(before, f"Before{entry.name}")
                watch(graph, f"After{entry.name}")
    return graph


def _run(entry: Entry, graph: Graph) -> Graph:
    try:
        return entry.run(graph)
    except errors.FerrataError:
        raise
    except Exception as failure:
        raise errors.PassFailed(
            name=entry.name,
            where=f"graph {graph.name}, {len(graph.nodes)} nodes",
            kind=type(failure).__name__,
            reason=str(failure),
            advice=f'The graph compiles without it: ge_config.optimization_switch = "{entry.name}:off".',
        ) from failure
