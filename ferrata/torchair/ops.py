"""`torchair.ops`: printing and ordering inside captured graphs. All of it works in eager mode too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from ferrata import errors
from ferrata.torchair import air as _air  # noqa: F401  (defines the operators)
from ferrata.torchair.later import later

__all__ = [
    "npu_create_tagged_event",
    "npu_fused_infer_attention_score",
    "npu_fused_infer_attention_score_v2",
    "npu_print",
    "npu_record_tagged_stream",
    "npu_tagged_event_record",
    "npu_tagged_event_wait",
    "record",
    "wait",
]

_tags: set[str] = set()  # state: tags in use

npu_fused_infer_attention_score = later("ops.npu_fused_infer_attention_score")
npu_fused_infer_attention_score_v2 = later("ops.npu_fused_infer_attention_score_v2")


def _refuse(error: str, what: str, argument: str, expected: str, got: str) -> NoReturn:
    """Raise the error. Dynamo traces the callers, but calls this: it could not trace how our errors are made."""
    raise getattr(errors, error)(what=what, argument=argument, expected=expected, got=got)


# torch.compiler.assume_constant_result, which would import Dynamo here, more than a second
_refuse._dynamo_marked_constant = True  # type: ignore[attr-defined]


def npu_print(*args: Any, summarize_size: int = 3, tensor_detail: bool = False) -> None:
    """Print when the graph runs, in the order of the calls.

    args: tensors, strings, bools, ints and floats, at least one tensor. summarize_size: elements shown at each end of a
    dimension, -1 for all. tensor_detail: also shape, type and device. Raises OpsValue (ValueError), OpsKind (TypeError).
    """
    if not isinstance(summarize_size, int) or isinstance(summarize_size, bool):
        _refuse("OpsKind", what="npu_print", argument="summarize_size", expected="an int", got=repr(summarize_size))
    if summarize_size <= 0 and summarize_size != -1:
        _refuse(
            "OpsValue",
            what="npu_print",
            argument="summarize_size",
            expected="a number above 0, or -1",
            got=repr(summarize_size),
        )
    if not isinstance(tensor_detail, bool):
        _refuse(
            "OpsKind", what="npu_print", argument="tensor_detail", expected="True or False", got=repr(tensor_detail)
        )
    kinds, texts, tensors, ints = "", [], [], []
    for value in args:
        if isinstance(value, torch.Tensor):
            kinds += "t"
            tensors.append(value)
        elif isinstance(value, (str, bool, float)):
            kinds += "s"
            texts.append(str(value))
        elif isinstance(value, (int, torch.SymInt)):
            kinds += "i"
            ints.append(value)
        else:
            expected = "a tensor, string, bool, int or float"
            _refuse("OpsKind", what="npu_print", argument="an item", expected=expected, got=type(value).__name__)
    if not tensors:
        _refuse("OpsValue", what="npu_print", argument="the items", expected="with at least one tensor", got="none")
    torch.ops.air.npu_print(kinds, texts, tensors, ints, summarize_size, tensor_detail)


def record() -> torch.Tensor:
    """A point in the order of the graph, for `wait`."""
    point: torch.Tensor = torch.ops.air.record()
    return point


def wait(tensors: Sequence[torch.Tensor]) -> None:
    """What is called after this runs after these were computed."""
    if not isinstance(tensors, (list, tuple)) or not tensors or not all(isinstance(t, torch.Tensor) for t in tensors):
        _refuse(
            "OpsValue", what="wait", argument="tensors", expected="a list of at least one tensor", got=repr(tensors)
        )
    torch.ops.air.wait(list(tensors))


@dataclass(frozen=True)
class TaggedEvent:
    """An event by name. Make one with `npu_create_tagged_event`."""

    tag: str


def npu_create_tagged_event(tag: str) -> TaggedEvent:
    """An event that graphs record and wait for. Raises OpsValue for a tag that is in use."""
    if not isinstance(tag, str):
        _refuse("OpsKind", what="npu_create_tagged_event", argument="tag", expected="a string", got=repr(tag))
    if tag in _tags:
        _refuse(
            "OpsValue", what="npu_create_tagged_event", argument="tag", expected="one that is not in use", got=repr(tag)
        )
    _tags.add(tag)
    return TaggedEvent(tag)


def npu_tagged_event_record(event: TaggedEvent) -> None:
    """Everything called before is done when the event is."""
    torch.ops.air.tagged_event_record(_event(event, "npu_tagged_event_record"))


def npu_tagged_event_wait(event: TaggedEvent) -> None:
    """What is called after this runs after the event. Raises EventNeverRecorded: hardware would wait for ever."""
    torch.ops.air.tagged_event_wait(_event(event, "npu_tagged_event_wait"))


def npu_record_tagged_stream(input: torch.Tensor, tagged_stream: str) -> None:
    """Keep the memory of `input` until the stream is done with it; captured graphs (npugraph_ex) only."""
    if not isinstance(input, torch.Tensor):
        _refuse(
            "OpsKind", what="npu_record_tagged_stream", argument="input", expected="a tensor", got=type(input).__name__
        )
    torch.ops.air.record_tagged_stream(input, tagged_stream)


def _event(event: Any, what: str) -> str:
    if not isinstance(event, TaggedEvent):
        _refuse("OpsKind", what=what, argument="event", expected="what npu_create_tagged_event gives", got=repr(event))
    return str(event.tag)
