"""The torch operators behind `torchair.scope` and `torchair.ops`: what stands in a captured graph for them.

They compute nothing; they print, order, or mark what stands between two of them. This module holds state: the library
of the operators, and which tagged events were recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch

from ferrata import errors

_library = torch.library.Library("air", "DEF")  # type: ignore[no-untyped-call]
SCHEMAS = (
    "scope_enter(str[] keys, str[] values, bool need_execute=False) -> ()",
    "scope_exit() -> ()",
    "wait_tensor(Tensor self, Tensor dependency) -> Tensor",
    "npu_print(str kinds, str[] texts, Tensor[] tensors, SymInt[] ints, int summarize_size, bool tensor_detail) -> ()",
    "record() -> Tensor",
    "wait(Tensor[] events) -> ()",
    "tagged_event_record(str tag) -> ()",
    "tagged_event_wait(str tag) -> ()",
    "record_tagged_stream(Tensor input, str tag) -> ()",
)
for _schema in SCHEMAS:
    _library.define(_schema)  # type: ignore[no-untyped-call]

recorded: set[str] = set()  # tags of events that something recorded


def _scope_enter(keys: Sequence[str], values: Sequence[str], need_execute: bool = False) -> None:
    """Nothing happens when it runs: the nodes carry the attributes."""


def _nothing(*args: Any) -> None:
    """Order is what matters, and the graph keeps it."""


def _wait_tensor(self: torch.Tensor, dependency: torch.Tensor) -> torch.Tensor:
    return self.clone()


def _npu_print(
    kinds: str,
    texts: Sequence[str],
    tensors: Sequence[torch.Tensor],
    ints: Sequence[int],
    summarize_size: int,
    tensor_detail: bool,
) -> None:
    """kinds: one letter an item, t a tensor, i a number that may change, s anything else."""
    words, values, numbers = iter(texts), iter(tensors), iter(ints)
    shown = [
        _shown(next(values), summarize_size, tensor_detail)
        if kind == "t"
        else str(next(numbers) if kind == "i" else next(words))
        for kind in kinds
    ]
    print(*shown, file=sys.stdout, flush=True)


def _shown(tensor: torch.Tensor, size: int, detail: bool) -> str:
    from torch import _tensor_str

    edge = size if size > 0 else tensor.numel() + 1
    options = dict(vars(_tensor_str.PRINT_OPTS))
    set_options: Any = torch.set_printoptions  # untyped in torch
    set_options(edgeitems=edge, threshold=2 * edge if size > 0 else tensor.numel() + 1)
    try:
        text = str(tensor.detach().cpu())
    finally:
        set_options(edgeitems=options["edgeitems"], threshold=options["threshold"])
    if not detail:
        return text
    return f"{text} (shape {list(tensor.shape)}, {tensor.dtype}, {tensor.device})"


def _record() -> torch.Tensor:
    return torch.empty(0)


def _tagged_record(tag: str) -> None:
    recorded.add(tag)


def _tagged_wait(tag: str) -> None:
    if tag not in recorded:
        raise errors.EventNeverRecorded(tag=tag)


_KERNELS = {
    "scope_enter": (_scope_enter, _scope_enter),
    "scope_exit": (_nothing, _nothing),
    "wait_tensor": (_wait_tensor, lambda self, dependency: torch.empty_like(self)),
    "npu_print": (_npu_print, _nothing),
    "record": (_record, _record),
    "wait": (_nothing, _nothing),
    "tagged_event_record": (_tagged_record, _nothing),
    "tagged_event_wait": (_tagged_wait, _nothing),
    "record_tagged_stream": (_nothing, _nothing),
}
for _name, (_run, _fake) in _KERNELS.items():
    _library.impl(_name, _run, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
    torch.library.register_fake(f"air::{_name}", cast("Callable[..., Any]", _fake), lib=_library)
    if _name != "wait_tensor":
        torch.fx.node.has_side_effect(getattr(torch.ops.air, _name).default)
