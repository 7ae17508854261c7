"""Graphs as files, and back: `save` and `load`.

    save(graph, "model.air")
    run = load("model.air")          # needs neither the model's code nor what compiled it
    y, = run(x)

A `LoadedGraph` is ready to run; custom operators that the graph uses must be registered or loaded before.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.ir import Graph
from ferrata.ge.session import Session
from ferrata.ge.store.air import damaged, read_air, write_air
from ferrata.ge.store.document import from_document
from ferrata.ge.store.loaded import LoadedGraph

__all__ = ["LoadedGraph", "load", "read_graph", "save"]


def save(graph: Graph, path: str | os.PathLike[str], meta: dict[str, Any] | None = None) -> Path:
    """Write a graph as an .air file. meta: plain JSON to keep with it. Raises GraphNotStorable."""
    target = Path(path)
    write_air(graph, target, meta)
    return target


def load(
    path: str | os.PathLike[str], *, device: str | torch.device | None = None, session: Session | None = None
) -> LoadedGraph:
    """A graph from an .air file, compiled and ready to run.

    device: where it runs, if not where it was exported for. session: options of compilation.
    Raises GraphFileDamaged, GraphFileVersion, MissingOperators, MissingTorchOperator, OperatorChanged.
    """
    graph, meta, made_for = read_graph(path, device=device)
    where = device_of(device) if device is not None else made_for
    return LoadedGraph((session or Session()).compile(graph, where), meta, where)


def read_graph(
    path: str | os.PathLike[str], *, device: str | torch.device | None = None
) -> tuple[Graph, dict[str, Any], torch.device]:
    """The graph of a file, what was kept with it, and the device that it was made for. Raises as `load`."""
    source = Path(path)
    if not source.is_file():
        raise errors.GraphFileMissing(path=source)
    try:
        document, tensors = read_air(source)
    except ValueError as problem:
        raise damaged(source, problem) from None
    made_for = device_of(document["meta"].get("device", "cpu"))
    where = device_of(device) if device is not None else made_for
    placed = place(document, tensors, where, everything=made_for.type == "cpu")
    try:
        graph = from_document(document, placed, where if where.type != made_for.type else None)
    except (ValueError, KeyError, IndexError) as problem:
        if isinstance(problem, errors.FerrataError):
            raise
        raise damaged(source, problem) from problem
    return graph, document["meta"], made_for


def device_of(device: str | torch.device) -> torch.device:
    """The device by name, which is made known to torch if need be. Raises BadOptionValue for others than cpu and npu."""
    kind, _, index = str(device).partition(":")
    count = 1
    if kind == "npu":
        import ferrata.npu  # noqa: F401  (the device registers itself)

        count = torch.get_device_module("npu").device_count()
    if kind not in ("cpu", "npu") or (index and not (index.isdigit() and int(index) < count)):
        some = "npu" if count == 1 else f"npu:0 to npu:{count - 1}"
        raise errors.BadOptionValue(option="device", value=str(device), allowed=f"a graph runs on cpu or {some}")
    return torch.device(str(device))


def place(
    document: dict[str, Any], tensors: list[torch.Tensor], device: torch.device, *, everything: bool = False
) -> list[torch.Tensor]:
    """The tensors where they were when they were written; what lay on a device goes to `device`, or everything does."""
    rows = document["tensors"]
    return [t.to(device) if everything or "device" in row else t for t, row in zip(tensors, rows, strict=True)]
