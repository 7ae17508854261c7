"""Graphs of a model or script for `ferrata view`: captured, compiled, each node timed, and written as one page.

view(model, (x,), "model.html")        the page's path
with viewing() as seen: ...            the graphs that are captured inside; seen.shown() for the page
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ferrata import errors
from ferrata.ge.dump.passes import Stages
from ferrata.ge.probe import Timing, paths
from ferrata.ge.session import CompiledGraph
from ferrata.ge.view import Shown, write
from ferrata.torchair import backend, watch
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.convert import graph_device
from ferrata.torchair.difference import copied


@dataclass
class _Seen:
    """One captured graph: how it was compiled, and the times of its calls."""

    compiled: CompiledGraph
    stages: Stages
    sizes: Mapping[str, int]
    times: list[dict[str, float]] = field(default_factory=list)  # seconds by node, of each timed run

    def shown(self) -> Shown:
        compiled = self.compiled
        names = dict.fromkeys(name for run in self.times for name in run)
        seconds = {name: min(run[name] for run in self.times if name in run) for name in names}
        return Shown(
            compiled.original, compiled.graph, tuple(self.stages.steps()), compiled.source, seconds, self.sizes,
            str(compiled.device),
        )  # fmt: skip

    def measure(self, args: Sequence[Any], repeat: int) -> None:
        """Time runs on copies of the inputs, after one to warm up."""
        timing = Timing(paths(self.compiled.graph))
        run = self.compiled.probed(timing)
        for i in range(repeat + 1):
            timing.seconds.clear()
            run(copied(list(args)))
            if i:
                self.times.append(dict(timing.seconds))


@dataclass
class Seen:
    """The graphs in the order of their capture."""

    graphs: list[_Seen] = field(default_factory=list)

    def shown(self) -> list[Shown]:
        """What the page is made of."""
        return [seen.shown() for seen in self.graphs]


def view(
    model: Callable[..., Any],
    inputs: Any,
    path: Path | str = "graph.html",
    *,
    config: CompilerConfig | None = None,
    dynamic: bool | None = None,
    backward: bool = False,
    repeat: int = 5,
) -> Path:
    """Compile and run the model and write its graphs as an HTML page. repeat: timed calls; the page has the fastest of each node.

    inputs: a tensor, a tuple of arguments, or a dictionary of keywords. backward: also the graph of gradients.
    """
    args = inputs if isinstance(inputs, (tuple, list)) else () if isinstance(inputs, Mapping) else (inputs,)
    kwargs = dict(inputs) if isinstance(inputs, Mapping) else {}
    made = backend.get_npu_backend(compiler_config=config)
    with viewing(repeat=repeat) as seen:
        outputs = torch.compile(model, backend=made, dynamic=dynamic)(*args, **kwargs)
        if backward:
            from ferrata.torchair.compare import loss_of

            torch.autograd.backward(loss_of(outputs))
    if not seen.graphs:
        raise errors.NothingCaptured(what="view", where=getattr(model, "__name__", type(model).__name__))
    return write(path, seen.shown(), getattr(model, "__name__", type(model).__name__))


@contextlib.contextmanager
def viewing(*, repeat: int = 5) -> Iterator[Seen]:
    """Collect every graph that is captured inside. repeat: timed runs of a graph's first call, on copies of its inputs."""
    seen = Seen()

    def watcher(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], config: CompilerConfig) -> Any:
        stages = Stages()
        with _disable_current_modes():
            session = backend.session_of(config)
            session = replace(session, dump_options=(*session.dump_options, stages))
            sizes = backend.size_hints(gm)
            graph = backend.to_ge(gm, example_inputs, config)
            compiled = session.compile(graph, graph_device(gm), hints=sizes)
        one = _Seen(compiled, stages, sizes)
        seen.graphs.append(one)

        def run(args: list[Any]) -> Any:
            if not one.times:
                one.measure(args, repeat)
            return compiled.run(args)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    with watch.watching(watcher):
        yield seen
