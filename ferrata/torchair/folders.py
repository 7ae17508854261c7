"""Two data dumps compared: that of an eager run (debug.data_dump) and that of the graph (dump_config), or two of a kind.

The graphs of both are paired by rank and in order, steps by number. Nodes pair by name where both dumps are of a kind,
else by the FX node that the graph's `nodes.json` gives for each node; of several nodes of one FX node the last counts.
Inputs are compared between dumps of a kind only: those of `addmm` and of its `MatMulV2` stand in another order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ferrata import errors
from ferrata.ge.dump.data import safe
from ferrata.ge.ir import Where
from ferrata.torchair.compare import Report
from ferrata.torchair.difference import Difference, check_tolerances, measure

_RANK = re.compile(r"worldsize\d+_global_rank\d+")
_FILE = re.compile(r"(?P<name>.+?)-(?P<target>.+)\.(?P<side>INPUT|OUTPUT)\.(?P<index>[\d.]+)\.(?P<time>\d{20})\.npy")


@dataclass
class _Graph:
    """One graph's folder: steps -> values in order of their files' times; facts of nodes where it has them."""

    name: str
    steps: dict[int, dict[tuple[str, str, str], tuple[Path, str]]] = field(default_factory=dict)
    facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def by_fx_node(self) -> dict[str, str]:
        """FX node -> the last node of it."""
        return {f["fx_node"]: name for name, f in self.facts.items() if f["fx_node"]}


def compare_folders(
    left: Path | str, right: Path | str, *, rtol: float | None = None, atol: float | None = None
) -> Report:
    """The first node whose values differ between two dumps, and what only one of them has; `left` counts as right.

    Raises BadDumpFolder.
    """
    check_tolerances(rtol, atol)
    report = Report()
    for of_rank, ours, theirs in _by_rank(_read(Path(left)), _read(Path(right))):
        if len(ours) != len(theirs):
            report.missing.append(f"{of_rank}{left} has {len(ours)} graph(s), {right} {len(theirs)}")
        for a, b in zip(ours, theirs, strict=False):
            _compare_graph(a, b, report, (rtol, atol), of_rank, (str(left), str(right)))
            if report.first is not None:
                return report
    if not report.compared and not report.missing:
        raise errors.BadDumpFolder(path=right, problem=f"no value of it belongs to one of {left}")
    return report


def _compare_graph(
    a: _Graph, b: _Graph, report: Report, tolerance: tuple[float | None, float | None], of_rank: str,
    sides: tuple[str, str],
) -> None:  # fmt: skip
    for step in sorted(a.steps.keys() | b.steps.keys()):
        if step in a.steps and step in b.steps:
            report.calls += 1
            _compare_step(a, b, step, report, tolerance, of_rank)
            _missing(a, b, step, report, f"{of_rank}{sides[1]}")
            _missing(b, a, step, report, f"{of_rank}{sides[0]}")
        elif bool(a.facts) == bool(b.facts):
            report.missing.append(f"{of_rank}{sides[step in a.steps]}: step {step} of {a.name}")
        else:  # of the graph's dump, steps may be chosen
            report.notes.append(f"{of_rank}only {sides[step in b.steps]} has step {step} of {a.name}")
        if report.first is not None:
            return


def _compare_step(
    a: _Graph, b: _Graph, step: int, report: Report, tolerance: tuple[float | None, float | None], of_rank: str
) -> None:
    of_a_kind = bool(a.facts) == bool(b.facts)
    for (name, side, index), (path, target) in a.steps[step].items():
        if side == "INPUT" and not of_a_kind:
            continue
        key = (_partner(a, b, name), side, index)
        other = b.steps[step].get(key)
        if other is None:
            report.removed += side == "OUTPUT"
            continue
        report.compared += 1
        by = measure(_load(path), _load(other[0]), *tolerance)
        if by is None:
            continue
        fact = b.facts.get(key[0]) or a.facts.get(name) or {}
        where = Where(*(str(fact.get(k, "")) for k in ("line", "code", "fx_node", "fx_target", "made_by", "module")))
        report.first = Difference(
            f"{of_rank}{b.name}, step {step}, {side.lower()}", where.fx_node or name, where.fx_target or target, key[0],
            str(fact.get("type", other[1])), where, int(index.split(".")[0]), by,
        )  # fmt: skip
        return


def _missing(a: _Graph, b: _Graph, step: int, report: Report, there: str) -> None:
    """Note what this step of `b` should have and has not, by what `a` has."""
    of_a_kind = bool(a.facts) == bool(b.facts)
    files = b.steps[step]
    with_inputs = {name for name, side, _ in files if side == "INPUT"}
    with_outputs = {name for name, side, _ in files if side == "OUTPUT"}
    for name, side, index in a.steps[step]:
        node = _partner(a, b, name)
        if (node, side, index) in files:
            continue
        if of_a_kind:
            gone = True
        elif b.facts:  # `b` is of a graph, and says what it dumped
            fact = b.facts.get(node, {})
            there_are = len(fact.get("outputs", ()))
            gone = side == "OUTPUT" and side in fact.get("dumped", ()) and int(index.split(".")[0]) < there_are
        else:  # of eager mode, which writes both sides of a node
            gone = side == "OUTPUT" and index == "0" and node in with_inputs and node not in with_outputs
        if gone:
            report.missing.append(f"{there}: {side.lower()} {index} of {node} in {b.name}, step {step}")


_Graphs = Mapping[str, list[_Graph]]


def _by_rank(ours: _Graphs, theirs: _Graphs) -> Iterator[tuple[str, list[_Graph], list[_Graph]]]:
    """The graphs of each rank, and how to call it; of one rank each, whatever they are called."""
    if len(ours) == len(theirs) == 1:
        yield "", next(iter(ours.values())), next(iter(theirs.values()))
        return
    for rank in sorted({*ours, *theirs}):
        yield f"{rank}: " if rank else "", ours.get(rank, []), theirs.get(rank, [])


def _partner(a: _Graph, b: _Graph, name: str) -> str:
    """The node of `b` that belongs to a node of `a`."""
    if bool(a.facts) == bool(b.facts):
        return name
    if b.facts:
        return b.by_fx_node().get(name, "")
    fx_node = str(a.facts[name]["fx_node"]) if name in a.facts else ""
    return fx_node if a.by_fx_node().get(fx_node) == name else ""


def _read(path: Path) -> dict[str, list[_Graph]]:
    """The graphs by rank, in the order of their first files: those of several ranks are written at the same time."""
    files = list(_files(path))
    if not files:
        raise errors.BadDumpFolder(path=path, problem="no .npy file of a node is in it")
    graphs: dict[Path, _Graph] = {}
    for time, file, match in sorted(files, key=lambda f: f[0]):
        folder = file.parent.parent if file.parent.name.isdigit() else file.parent
        graph = graphs.get(folder)
        if graph is None:
            graph = graphs[folder] = _Graph(folder.name)
            index = folder / "nodes.json"
            if index.is_file():
                graph.facts = _facts(index)
        step = graph.steps.setdefault(int(file.parent.name) if file.parent.name.isdigit() else 0, {})
        step[match["name"], match["side"], match["index"]] = (file, match["target"])
        del time
    ranks: dict[str, list[_Graph]] = {}
    for folder, graph in graphs.items():
        below = folder.relative_to(path).parts if folder.is_relative_to(path) else ()
        rank = next((part for part in reversed(below) if _RANK.fullmatch(part)), "")
        ranks.setdefault(rank, []).append(graph)
    return ranks


def _facts(index: Path) -> dict[str, Mapping[str, Any]]:
    try:
        return {safe(n["name"]): {"fx_node": "", **n} for n in json.loads(index.read_text())["nodes"]}
    except (ValueError, TypeError, KeyError, AttributeError, OSError) as problem:
        why = f"{type(problem).__name__}: {problem}"
        raise errors.BadDumpFolder(path=index, problem=f"it is no list of nodes ({why})") from problem


def _files(path: Path) -> Iterator[tuple[str, Path, re.Match[str]]]:
    for file in path.rglob("*.npy"):
        match = _FILE.fullmatch(file.name)
        if match is not None:
            yield match["time"], file, match


def _load(path: Path) -> Any:
    try:
        return torch.from_numpy(np.load(path, allow_pickle=False))
    except (ValueError, OSError, EOFError) as problem:
        raise errors.BadDumpFolder(path=path, problem=f"it cannot be read ({problem})") from problem
