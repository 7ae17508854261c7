"""What each pass did: the graphs before and after, as a unified diff of their lines.

`Stages` listens to a compilation (an entry of `Session.dump_options`); `PassDump` also writes a file at its end, as
`debug.graph_dump.type = "diff"` or `"html"` ask for.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ferrata.ge.dump.text import line_of, value_names
from ferrata.ge.ir import Graph


@dataclass(frozen=True, slots=True)
class Step:
    """One pass that changed a graph."""

    name: str
    before: Graph
    after: Graph

    def diff(self, context: int = 3) -> list[str]:
        """Lines of a unified diff of the readable text; context: lines around each change."""
        old, new = lines(self.before), lines(self.after)
        return list(difflib.unified_diff(old, new, f"before {self.name}", f"after {self.name}", lineterm="", n=context))


@dataclass
class Stages:
    """The graphs of a compilation in order: "PreRunBegin", "Before<Pass>" and "After<Pass>", "Build"."""

    found: list[tuple[str, Graph]] = field(default_factory=list)

    def stage(self, graph: Graph, name: str) -> None:
        """Called by the session."""
        self.found.append((name, graph))

    def steps(self) -> Iterator[Step]:
        """The passes that changed something, in order; those of subgraphs under the subgraph's name."""
        for (name, before), (_, after) in zip(self.found, self.found[1:], strict=False):
            if name.startswith("Before"):
                yield Step(name.removeprefix("Before"), before, after)

    def text(self) -> str:
        """All diffs, one after another."""
        parts = []
        for i, step in enumerate(self.steps(), 1):
            count = f"{len(step.before.nodes)} -> {len(step.after.nodes)} nodes"
            parts.append(f"# {i}. {step.name} on {step.after.name}: {count}\n" + "\n".join(step.diff()) + "\n")
        return "\n".join(parts) or "# No pass changed the graph.\n"


@dataclass
class PassDump(Stages):
    """Writes at the end of the compilation: kind "diff" the diffs, "html" the page of `ferrata view`, without times."""

    kind: str = "diff"
    path: str = "."

    def stage(self, graph: Graph, name: str) -> None:
        from ferrata.ge import dump

        super().stage(graph, name)
        if name != "Build":
            return
        phase = {"diff": "passes", "html": "view"}[self.kind]
        rank = os.environ.get("RANK", "0")
        file = f"dynamo_{phase}_graph_{dump.number()}_rank_{rank}_pid_{os.getpid()}_ts_{dump.stamp()}.{self.kind}"
        dump.write(Path(self.path) / file, self.text() if self.kind == "diff" else self._page())

    def _page(self) -> str:
        from ferrata.ge.view import Shown, page

        original = next(graph for name, graph in self.found if name == "PreRunBegin")
        return page([Shown(original, self.found[-1][1], tuple(self.steps()))])


def lines(graph: Graph) -> list[str]:
    """One line a node without alignment, so that one changed node is one changed line."""
    names = value_names(graph)
    out = [line_of(node, names) for node in graph.nodes]
    for path, _, _, inner in graph.subgraphs():
        inside = value_names(inner)
        out += [f"{path}:", *(f"  {line_of(node, inside)}" for node in inner.nodes)]
    return out
