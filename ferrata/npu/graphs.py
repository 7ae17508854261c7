"""NPUGraph of `torch.npu`: record the operators that run on the device, replay them on the same tensors.

On hardware a graph is captured by the stream. Here execution is synchronous, so the capture runs the operators once,
records each call, and a replay runs the calls again, writing every result into the tensor that the capture produced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ferrata.errors import BadSetting, NotOnEmulator

_capturing: list[NPUGraph] = []


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Runs every operator and keeps the call."""

    def __init__(self, graph: NPUGraph) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.graph = graph

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.aten._local_scalar_dense.default:
            raise NotOnEmulator(name="graph", reason="a captured graph cannot hand a value to Python (item, bool, if)")
        result = func(*args, **kwargs)
        self.graph._calls.append((func, args, kwargs, result))
        return result


class NPUGraph:
    """A recorded sequence of operators. `with torch.npu.graph(g): ...` records, `g.replay()` runs it again."""

    def __init__(self, keep_graph: bool = False) -> None:
        self._calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self._mode: _Recorder | None = None
        self._pool = graph_pool_handle()

    def capture_begin(self, pool: Any = None, capture_error_mode: str = "global") -> None:
        """Start recording what this thread runs."""
        if capture_error_mode not in ("global", "thread_local", "relaxed"):
            got = f"got {capture_error_mode!r}"
            raise BadSetting(where="capture_error_mode", problem=got, allowed="global, thread_local, relaxed")
        self._calls.clear()
        self._mode = _Recorder(self)
        self._mode.__enter__()  # type: ignore[no-untyped-call]
        _capturing.append(self)

    def capture_end(self) -> None:
        """Stop recording."""
        if self._mode is None:
            raise BadSetting(
                where="NPUGraph.capture_end", problem="nothing is being captured", allowed="capture_begin first"
            )
        self._mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        self._mode = None
        _capturing.remove(self)

    def replay(self) -> None:
        """Run the recorded operators on the same tensors. Random operators draw new numbers."""
        if self._mode is not None:
            raise BadSetting(
                where="NPUGraph.replay", problem="the graph is still being captured", allowed="capture_end first"
            )
        with torch.no_grad():
            for func, args, kwargs, recorded in self._calls:
                _renew(recorded, func(*args, **kwargs))

    def reset(self) -> None:
        """Forget what was recorded."""
        self._calls.clear()

    def pool(self) -> Any:
        """A token for sharing memory; without effect."""
        return self._pool

    def update(self, **_: Any) -> None:
        """Refused: tasks of a graph are not addressable."""
        raise NotOnEmulator(name="NPUGraph.update", reason="recorded operators have no tasks to update")


def _renew(recorded: Any, fresh: Any) -> None:
    for old, new in zip(tree_leaves(recorded), tree_leaves(fresh), strict=True):
        if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
            old.copy_(new)


class graph:
    """Context manager: record the block into `npu_graph`."""

    def __init__(
        self, npu_graph: NPUGraph, pool: Any = None, stream: Any = None, capture_error_mode: str = "global", **_: Any
    ) -> None:
        self.npu_graph, self.capture_error_mode = npu_graph, capture_error_mode

    def __enter__(self) -> None:
        self.npu_graph.capture_begin(capture_error_mode=self.capture_error_mode)

    def __exit__(self, *_: object) -> None:
        self.npu_graph.capture_end()


def graph_pool_handle() -> tuple[int, int]:
    """A token that stands for a memory pool."""
    return (0, 0)


def is_current_stream_capturing() -> bool:
    """Whether a graph is being recorded."""
    return bool(_capturing)


def make_graphed_callables(
    callables: Any,
    sample_args: Sequence[Any],
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: Any = None,
) -> Any:
    """Return the callables as they are: replaying a recording would save nothing here."""
    for function in callables if isinstance(callables, tuple) else (callables,):
        if not callable(function):
            raise TypeError(f"make_graphed_callables: {type(function).__name__} is not callable")
    return callables


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotOnEmulator(name=name, reason="recorded operators have no tasks to update")

    refuse.__name__ = name
    return refuse


graph_task_group_begin = _refused("graph_task_group_begin")
graph_task_group_end = _refused("graph_task_group_end")
graph_task_update_begin = _refused("graph_task_update_begin")
graph_task_update_end = _refused("graph_task_update_end")
