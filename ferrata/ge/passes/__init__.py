"""Passes over the graph: small functions `Graph -> Graph`, each in one file, run in the order of `PIPELINE`.

A pass has a name by which options switch it ("Pass:off"), and leaves its name in the provenance of nodes it adds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ferrata.ge.ir import Graph
from ferrata.ge.passes.dead import remove_dead_nodes

Pass = Callable[[Graph], Graph]


@dataclass(frozen=True, slots=True)
class Entry:
    """A pass, the name that switches it, and the optimisation levels at which it runs."""

    name: str
    run: Pass
    levels: tuple[str, ...] = ("O1", "O3")


PIPELINE: tuple[Entry, ...] = (Entry("DeadNodes", remove_dead_nodes),)


def run_passes(graph: Graph, level: str = "O3", off: Collection[str] = ()) -> Graph:
    """The graph after every pass of this level that is not switched off."""
    for entry in PIPELINE:
        if level in entry.levels and entry.name not in off:
            graph = entry.run(graph)
    return graph
