"""Captured graphs (`mode="reduce-overhead"`, `npugraph_ex`): record once for each set of sizes, replay with new inputs.

A recording has memory of its own, in which values that never live at once share their place (arena.py). Inputs are
copied into it before each replay, except weights and inputs that the graph writes: these are used where they are, and a
recording is made anew when they move. Results lie in the memory of the recording, which the next replay overwrites;
`debug.aclgraph.enable_output_clone` returns copies instead.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.impl import find_implementation
from ferrata.ge.session import CompiledGraph
from ferrata.torchair.arena import Block
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.derive import candidates
from ferrata.torchair.record import WAY_READ, Recorder, is_view
from ferrata.torchair.source import target_name, where_of

_BRANCHES = ("cond", "while_loop", "scan", "associative_scan", "map_impl")


def check(gm: torch.fx.GraphModule) -> None:
    """Raises CaptureRefused for the first node that a replay could not do again, with the user's line."""
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        reason, way = _refusal(node)
        if reason:
            raise errors.CaptureRefused(op=target_name(node.target), where=str(where_of(node)), reason=reason, way=way)


def _refusal(node: torch.fx.Node) -> tuple[str, str]:
    target = node.target
    if isinstance(target, torch._ops.HigherOrderOperator) and target._name in _BRANCHES:
        return "which branch runs, or how often, depends on values of the device", WAY_READ
    if not isinstance(target, torch._ops.OpOverload):
        return "", ""
    if target._schema.name in ("aten::_local_scalar_dense", "aten::item"):
        return "the host reads a value that the device computes, and a replay would not read it again", WAY_READ
    if _unbacked(node.meta.get("val")):
        return (
            "the size of its result depends on values, and a recording has memory of one size",
            "Use an operator with a fixed size (a mask instead of nonzero or a boolean index, topk instead of a threshold), "
            'leave this part out of the compiled function, or compile with mode "max-autotune".',
        )
    port = _reads_values(node)
    if port:
        return (
            f"its tiling on the host reads the values of {port}, which change from call to call",
            "Give that argument as a constant or as a number, or declare it without ValueDepend; "
            'or compile with mode "max-autotune", whose graphs compute the tiling at each call.',
        )
    return "", ""


def _unbacked(value: Any) -> bool:
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    values = value if isinstance(value, (list, tuple)) else [value]
    return any(bool(free_unbacked_symbols(v)) for v in values if isinstance(v, (torch.Tensor, torch.SymInt)))


def _reads_values(node: torch.fx.Node) -> str:
    """The argument whose values the operator's tiling needs; empty if none, or if it is a constant of the graph."""
    target: Any = node.target
    if target.namespace in ("aten", "prims", "prim"):
        return ""
    for op_type in candidates(target):
        implementation = find_implementation(op_type)
        places = getattr(getattr(implementation, "_found", None), "data_dependency", ())
        for place in places:
            given = node.args[place] if place < len(node.args) else None
            if isinstance(given, torch.fx.Node) and given.op != "get_attr":
                return str(target._schema.arguments[place].name)
    return ""


def written_inputs(gm: torch.fx.GraphModule) -> frozenset[int]:
    """Places of the inputs that the graph writes, directly or through views."""
    order = {n: i for i, n in enumerate(n for n in gm.graph.nodes if n.op == "placeholder")}
    found: set[int] = set()
    for node in gm.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if node.op != "call_function" or schema is None or not schema.is_mutable:
            continue
        for i, spec in enumerate(schema.arguments):
            if spec.alias_info is None or not spec.alias_info.is_write:
                continue
            given = node.args[i] if i < len(node.args) else node.kwargs.get(spec.name)
            for value in given if isinstance(given, (list, tuple)) else [given]:
                base = _base(value)
                if base in order:
                    found.add(order[base])
    return frozenset(found)


def _base(value: Any) -> Any:
    while isinstance(value, torch.fx.Node) and value.op == "call_function":
        target = value.target
        writes = isinstance(target, torch._ops.OpOverload) and target._schema.is_mutable
        if not isinstance(target, torch._ops.OpOverload) or not (is_view(target) or writes) or not value.args:
            return value
        value = value.args[0]
    return value


def static_inputs() -> frozenset[int]:
    """Places of parameters and buffers, as AOTAutograd knows them while it compiles."""
    context = torch._guards.TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    return frozenset(getattr(metadata, "static_input_indices", None) or ())


@dataclass(frozen=True, slots=True)
class _Recording:
    """memory: what the replay reads, per input; None where the input is used as it is."""

    memory: tuple[Any, ...]
    results: tuple[Any, ...]
    replay: Callable[[], None]
    source: str
    uses: tuple[int, ...]  # how many hold each result's memory while nobody outside does
    block: Block  # the memory of what is computed on the way


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """bound: inputs that are used where they are. passed: per result, the input that it is, or -1. lines: the user's
    line by operator."""

    bound: tuple[bool, ...]
    passed: tuple[int, ...]
    lines: Mapping[str, str]


def plan(gm: torch.fx.GraphModule, config: CompilerConfig, static: frozenset[int] | None = None) -> CapturePlan:
    """How a graph will be captured. static: places of weights, as AOTAutograd knows them. Raises CaptureRefused."""
    check(gm)
    clones = bool(config.raw("debug.aclgraph.clone_input"))
    inputs = [n for n in gm.graph.nodes if n.op == "placeholder"]
    bound = written_inputs(gm) | (static_inputs() if static is None else static)
    place = {n: i for i, n in enumerate(inputs)}
    results = gm.graph.output_node().args[0]
    flat = results if isinstance(results, (list, tuple)) else (results,)
    return CapturePlan(
        tuple(i in bound or not clones for i in range(len(inputs))),
        tuple(place.get(_base(r), -1) if _is_input(r, place) else -1 for r in flat),
        {n.target._schema.name: str(where_of(n)) for n in reversed(list(gm.graph.nodes))
         if isinstance(n.target, torch._ops.OpOverload)},
    )  # fmt: skip


class Captured:
    """A compiled graph that is recorded at its first call for each set of sizes."""

    def __init__(self, compiled: CompiledGraph, how: CapturePlan, config: CompilerConfig) -> None:
        self.compiled, self._lines = compiled, how.lines
        self._bound, self._passed = how.bound, how.passed
        self._limit = int(config.raw("debug.aclgraph.static_capture_size_limit"))
        self._clone_outputs = bool(config.raw("debug.aclgraph.enable_output_clone"))
        self.recordings: dict[Any, _Recording] = {}
        self._lock = threading.Lock()
        self._told: set[str] = set()
        self._held = False  # whether it was told that results in use are overwritten

    def run(self, values: list[Any]) -> tuple[Any, ...]:
        """Replay, or record. The list is emptied, as programs do."""
        given = list(values)
        values.clear()
        with self._lock:
            key = self._key(given)
            recording = self.recordings.get(key)
            if recording is None:
                if len(self.recordings) >= self._limit:
                    self._tell(
                        f"{self.compiled.graph.name} has {self._limit} recordings, as "
                        "debug.aclgraph.static_capture_size_limit allows; calls with further sizes or other memory run "
                        "without capture"
                    )
                    return self.compiled.run(given)
                return self._given(self._record(key, given), given)
            self._check_held(recording)
            for memory, value in zip(recording.memory, given, strict=True):
                if memory is not None:
                    memory.copy_(value)
            recording.replay()
            return self._given(recording, given)

    def _key(self, values: Sequence[Any]) -> Any:
        parts: list[Any] = [torch.is_inference_mode_enabled(), torch.is_grad_enabled()]
        for value, bound in zip(values, self._bound, strict=True):
            if isinstance(value, torch.Tensor):
                parts.append((value.shape, value.stride()))
                if bound:
                    parts.append((value.data_ptr(), value.storage_offset()))
            else:
                parts.append(value)
        return tuple(parts)

    def _record(self, key: Any, values: list[Any]) -> _Recording:
        memory = tuple(
            _copy(v) if isinstance(v, torch.Tensor) and not bound else None
            for v, bound in zip(values, self._bound, strict=True)
        )
        recorder = Recorder(self._line)
        with recorder:
            results = self.compiled.run([v if m is None else m for m, v in zip(memory, values, strict=True)])
        packed, block = recorder.packed(results)
        title = f"{self.compiled.graph.name}, {len(recorder.lines)} operators, {block}"
        source, replay = recorder.program(title, packed)
        del recorder, packed  # with it go results that no line uses
        made = _Recording(memory, results, replay, source, tuple(map(_uses, results)), block)
        self.recordings[key] = made
        return made

    def _given(self, recording: _Recording, values: Sequence[Any]) -> tuple[Any, ...]:
        """Results as the caller gets them: an input that is returned is the caller's own."""
        out = []
        for place, result in zip(self._passed, recording.results, strict=True):
            if place >= 0:
                out.append(values[place])
            elif not isinstance(result, torch.Tensor):
                out.append(result)
            else:
                out.append(result.clone() if self._clone_outputs else result.detach())
        return tuple(out)

    def _check_held(self, recording: _Recording) -> None:
        if self._clone_outputs:
            return
        held = [
            str(i)
            for i, (result, uses) in enumerate(zip(recording.results, recording.uses, strict=True))
            if self._passed[i] < 0 and _uses(result) > uses
        ]
        if held and not self._held:
            self._held = True
            self._tell(
                f"result {', '.join(held)} of an earlier call of {self.compiled.graph.name} is still in use, and this call "
                "overwrites it: results lie in the memory of the captured graph. If it is still needed, clone it, or set "
                "debug.aclgraph.enable_output_clone (npugraph_ex: clone_output)"
            )

    def _line(self, name: str) -> str:
        return self._lines.get(name, "(no source line)")

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            warnings.warn(text, UserWarning, stacklevel=4)


def _is_input(value: Any, place: dict[Any, int]) -> bool:
    """Whether a result is an input, or what `copy_` to an input gives."""
    if isinstance(value, torch.fx.Node) and value in place:
        return True
    target = getattr(value, "target", None)
    return target is torch.ops.aten.copy_.default and value.args[0] in place


def _copy(value: torch.Tensor) -> torch.Tensor:
    made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
    return made.copy_(value)


def _uses(value: Any) -> int:
    return torch._C._storage_Use_Count(value.untyped_storage()._cdata) if isinstance(value, torch.Tensor) else 0
