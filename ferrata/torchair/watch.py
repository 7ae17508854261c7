"""Watching compilations: a tool takes the captured graphs in place of the session, for as long as its block lasts.

`compare`, `coverage` and `view` each watch; the backend asks `current` once a graph. A watcher is called as
`watcher(gm, example_inputs, config)` after the FX passes, and returns what is called in the graph's stead. This module
holds state: the watcher of the running block, the same for all threads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

Watcher = Callable[[torch.fx.GraphModule, Sequence[Any], Any], Any]

_watchers: list[Watcher] = []


def current() -> Watcher | None:
    """The innermost watcher."""
    return _watchers[-1] if _watchers else None


@contextlib.contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Graphs captured inside go to `watcher`; what was compiled before is forgotten by Dynamo, and so is this."""
    torch._dynamo.reset()
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)
        torch._dynamo.reset()
