"""Dumps: what DUMP_GE_GRAPH and `CompilerConfig.debug.graph_dump` write, and in which folder.

`stage` is called by the session with the graph of each stage. Nothing is imported or formatted unless asked for.
"""

from __future__ import annotations

import datetime
import itertools
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ferrata.ge.ir import Graph

_STAGES_LEVEL_2 = ("PreRunBegin", "AfterInfershape", "Build")
_counters: dict[str, Iterator[int]] = defaultdict(lambda: itertools.count(0))
_ids = itertools.count()


@dataclass(frozen=True, slots=True)
class GraphDump:
    """`debug.graph_dump`: kind "txt", "pbtxt" or "py", into a folder."""

    kind: str
    path: str = "."


class Listener(Protocol):
    """Whoever wants the graph of each stage."""

    def stage(self, graph: Graph, name: str) -> None:
        """Called with each stage in order."""


def graph_dump(kind: str, path: str) -> GraphDump | Listener:
    """The entry of `Session.dump_options` for `debug.graph_dump`."""
    if kind in ("diff", "html"):
        from ferrata.ge.dump.passes import PassDump

        return PassDump(kind=kind, path=path)
    return GraphDump(kind, path)


def stage(graph: Graph, name: str, options: Sequence[GraphDump | Listener]) -> None:
    """Write what the environment and the options ask for at this stage, and tell the listeners."""
    level = os.environ.get("DUMP_GE_GRAPH")
    if level in ("1", "2", "3"):
        _by_environment(graph, name, int(level))
    for option in options:
        if isinstance(option, GraphDump):
            _by_option(graph, name, option)
        else:
            option.stage(graph, name)


def memory(graph: Graph, report: Callable[[], str], options: Sequence[GraphDump | Listener]) -> None:
    """Write the report of memory: beside `py` dumps, and where DUMP_GRAPH_FORMAT has `memory`."""
    wanted = "memory" in os.environ.get("DUMP_GRAPH_FORMAT", "").lower().split("|")
    if wanted and os.environ.get("DUMP_GE_GRAPH") in ("1", "2", "3"):
        digits = re.sub(r"\D", "", graph.name) or "0"
        write(_folder() / f"ge_memory_{next(_counters['ge_memory']):08d}_graph_{digits}.txt", report() + "\n")
    for option in options:
        if isinstance(option, GraphDump) and option.kind == "py":
            rank = os.environ.get("RANK", "0")
            file = f"dynamo_memory_graph_{number()}_rank_{rank}_pid_{os.getpid()}_ts_{stamp()}.txt"
            write(Path(option.path) / file, report() + "\n")


def _folder() -> Path:
    folder = Path(os.environ.get("DUMP_GRAPH_PATH") or os.environ.get("ASCEND_WORK_PATH") or ".")
    return folder / f"pid_{os.getpid()}_deviceid_0" if os.environ.get("DUMP_GRAPH_PATH") else folder


def _by_environment(graph: Graph, name: str, weights: int) -> None:
    if not _wanted(name, os.environ.get("DUMP_GRAPH_LEVEL", "2")):
        return
    folder = _folder()
    number = re.sub(r"\D", "", graph.name) or "0"
    formats = os.environ.get("DUMP_GRAPH_FORMAT", "ge_proto|onnx").lower().split("|")
    for family, suffix, wanted in (
        ("ge_proto", "txt", "ge_proto"),
        ("ge_onnx", "pbtxt", "onnx"),
        ("ge_readable", "txt", "readable"),
    ):
        if wanted in formats:
            file = f"{family}_{next(_counters[family]):08d}_graph_{number}_{name}.{suffix}"
            write(folder / _safe(file), _render(graph, family, weights))


def _render(graph: Graph, family: str, weights: int) -> str:
    if family == "ge_proto":
        from ferrata.ge.dump.proto import to_txt

        return to_txt(graph, weights=weights == 1)
    if family == "ge_onnx":
        from ferrata.ge.dump.onnx import to_pbtxt

        return to_pbtxt(graph, weights=weights == 1)
    from ferrata.ge.dump.readable import to_readable

    return to_readable(graph)


def _by_option(graph: Graph, name: str, option: GraphDump) -> None:
    phase = {"PreRunBegin": "original", "Build": "optimized"}.get(name)
    if phase is None:
        return
    rank = os.environ.get("RANK", "0")
    file = f"dynamo_{phase}_graph_{number()}_rank_{rank}_pid_{os.getpid()}_ts_{stamp()}.{option.kind}"
    if option.kind == "py":
        from ferrata.ge.dump.text import to_text

        text = to_text(graph)
    else:
        from ferrata.ge.dump.proto import to_tensorboard, to_txt

        text = to_txt(graph, weights=True) if option.kind == "txt" else to_tensorboard(graph)
    write(Path(option.path) / file, text)


def number() -> int:
    """The number of the next dump file."""
    return next(_ids)


def stamp() -> str:
    """The time, in UTC, as file names have it."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d%H%M%S%f")


def _wanted(name: str, level: str) -> bool:
    if level in ("1", "2"):
        return level == "1" or name in _STAGES_LEVEL_2
    if level in ("3", "4"):
        return name == {"3": "Build", "4": "PreRunBegin"}[level]
    return any(part and part in name for part in level.split("|"))


def _safe(name: str) -> str:
    return re.sub(r'[/\\:*?"<>|]', "_", name)[:255]


def write(path: Path, text: str) -> None:
    """Write a file and its folders; a warning where that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as problem:  # a dump that cannot be written must not stop the run
        warnings.warn(f"The graph dump {path} was not written: {problem}", RuntimeWarning, stacklevel=2)
