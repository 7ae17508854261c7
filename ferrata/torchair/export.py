"""`dynamo_export`: a model as files that run without its code.

    <path>/<name>.air      the graph, its weights inside as long as they fit: what `ferrata run-graph` and ge.load read
    <path>/dynamo.pbtxt    the same graph as text, without weights
    <path>/options.json    what it was exported with

In a distributed run each rank writes `<name><rank>.air` into `rank_<n>/`. Whatever cannot be exported raises.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ferrata import __version__, errors
from ferrata.ge.dump.proto import to_tensorboard
from ferrata.ge.ir import Graph, Node
from ferrata.ge.store.air import write_air
from ferrata.ge.store.values import Writer
from ferrata.torchair.backend import to_ge
from ferrata.torchair.config import CompilerConfig, leaves
from ferrata.torchair.convert import graph_device
from ferrata.torchair.rewrite import rewrite
from ferrata.torchair.trace import Input, Traced, result_names, trace

INLINE_LIMIT = 1848 << 20  # bytes of weights that a file holds itself: a message of protobuf ends at 2 GiB


def dynamo_export(
    *args: Any,
    model: Callable[..., Any],
    export_path: str | os.PathLike[str] = "export_file",
    export_name: str = "export",
    dynamic: bool = False,
    config: CompilerConfig | None = None,
    **kwargs: Any,
) -> None:
    """Capture `model(*args, **kwargs)` as one graph and write it, weights included.

    model: a torch.nn.Module, or a function. dynamic: sizes other than 0 and 1 become symbols, so that one file serves
    all sizes. The configuration is read, not changed. Raises NotOneGraph, BadExport, GraphNotStorable.

    >>> torchair.dynamo_export(x, model=model, export_path="out", export_name="mlp", dynamic=True)
    """
    settings = _settings(config)
    folder, name = _target(export_path, export_name)
    if not callable(model):
        raise errors.BadExport(what="model", value=repr(model), expected="a torch.nn.Module or a function")
    if not isinstance(dynamic, bool):
        raise errors.BadExport(what="dynamic", value=repr(dynamic), expected="True or False")
    traced = trace(model, args, kwargs, dynamic=dynamic, what="dynamo_export")
    owner = model if isinstance(model, torch.nn.Module) else getattr(model, "__self__", None)
    gm = _with_weights(traced, owner)
    rewrite(gm, traced.example_inputs, settings)
    device = graph_device(gm)
    graph = _with_state(to_ge(gm, traced.example_inputs, settings), traced, owner)
    folder.mkdir(parents=True, exist_ok=True)
    files = _weight_files(graph, traced)
    write_air(graph, folder / f"{name}.air", _meta(traced, device), file_of=files)
    (folder / "dynamo.pbtxt").write_text(to_tensorboard(graph))
    (folder / "options.json").write_text(json.dumps(_options(settings, dynamic, name), indent=1) + "\n")


def _settings(config: Any) -> CompilerConfig:
    if config is None:
        return CompilerConfig()
    if not isinstance(config, CompilerConfig):
        raise errors.BadOptionKind(
            option="config", allowed="a torchair.CompilerConfig", value=config, kind=type(config).__name__
        )
    return copy.deepcopy(config)


def _target(path: Any, name: Any) -> tuple[Path, str]:
    """The folder and the name for this rank. Raises BadExport."""
    if not isinstance(name, str) or not name or name in (".", "..") or set(name) & set("/\\\0"):
        raise errors.BadExport(what="export_name", value=repr(name), expected="the name of a file, without a folder")
    folder = Path(path)
    rank = _rank()
    if rank is not None:
        folder, name = folder / f"rank_{rank}", f"{name}{rank}"
    if folder.exists() and not folder.is_dir():
        raise errors.BadExport(what="export_path", value=str(folder), expected="a folder; it is a file")
    for place in (folder, folder / f"{name}.air"):
        if place.is_symlink():
            raise errors.BadExport(
                what="export_path", value=str(place), expected="no symbolic link; it points elsewhere"
            )
    return folder, name


def _rank() -> int | None:
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_initialized() or distributed.get_world_size() < 2:
        return None
    return distributed.get_rank()


def value_of(given: Input, owner: Any) -> torch.Tensor:
    """The tensor of a parameter, buffer or constant."""
    if given.value is not None:
        return given.value
    found: torch.Tensor = attribute(owner, given.name)
    return found


def attribute(owner: Any, path: str) -> Any:
    """A parameter or buffer by its qualified name."""
    for part in path.split("."):
        owner = getattr(owner, part)
    return owner


def _with_weights(traced: Traced, owner: Any) -> torch.fx.GraphModule:
    """Placeholders of weights that are only read become attributes, that is, constants of the graph."""
    gm = traced.gm
    for node, given in zip([n for n in gm.graph.nodes if n.op == "placeholder"], traced.inputs, strict=True):
        if given.kind == "argument" or given.mutated:
            continue
        name = str(node.target)
        setattr(gm, name, torch.nn.Buffer(value_of(given, owner).detach()))
        with gm.graph.inserting_before(node):
            made = gm.graph.get_attr(name)
        made.meta.update(node.meta)
        node.replace_all_uses_with(made)
        gm.graph.erase_node(node)
    gm.recompile()
    return gm


def _with_state(graph: Graph, traced: Traced, owner: Any) -> Graph:
    """Buffers that the graph writes: inputs that carry their first value and are kept between calls."""
    state = {
        name: value_of(given, owner).detach().clone()
        for name, given in zip(traced.names, traced.inputs, strict=True)
        if given.mutated and given.kind != "argument"
    }
    if not state:
        return graph
    nodes = tuple(
        dataclasses.replace(n, type="RefData", value=state[n.name]) if n.type == "Data" and n.name in state else n
        for n in graph.nodes
    )
    return dataclasses.replace(graph, nodes=nodes)


def _weight_files(graph: Graph, traced: Traced) -> Callable[[Node], str | None]:
    """Where the bytes of a constant go: inside, or beside the file when all weights together are too many."""
    names = {n: given.name for n, given in zip(traced.names, traced.inputs, strict=True) if given.kind != "argument"}
    consts = [n for n in graph.nodes if n.type == "Const"]
    total = sum(n.value.numel() * n.value.element_size() for n in consts)
    if total <= INLINE_LIMIT:
        return lambda node: None
    return lambda node: names[node.name].replace(".", "_") if node.name in names else None


def _meta(traced: Traced, device: torch.device) -> dict[str, Any]:
    """What is kept with the graph: names and structure of the results, bounds of the symbols."""
    writer = Writer()
    meta: dict[str, Any] = {
        "device": str(device),
        "outputs": result_names(traced.out_spec),
        "ranges": {name: list(bounds) for name, bounds in traced.ranges.items()},
        "guards": [writer.encode(g) for g in traced.guards],
        "arguments": [i.name for i in traced.inputs if i.kind == "argument"],
    }
    try:
        meta["out_spec"] = pytree.treespec_dumps(traced.out_spec)
    except (NotImplementedError, TypeError):
        meta["out_spec"] = None  # a class of the model's own; the results stay a flat list
    return meta


def _options(config: CompilerConfig, dynamic: bool, name: str) -> Mapping[str, Any]:
    changed = {path: value for path, value in leaves(config) if value != _DEFAULTS[path]}
    local, glob = config.as_dict()
    return {
        "name": name,
        "dynamic": dynamic,
        "ferrata": __version__,
        "torch": torch.__version__,
        "config": {path: value if isinstance(value, (bool, int, str, list, dict)) else repr(value)
                   for path, value in changed.items()},
        "graph_options": local,
        "global_options": glob,
    }  # fmt: skip


_DEFAULTS = dict(leaves(CompilerConfig()))
