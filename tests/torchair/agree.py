"""Run a function eagerly and compiled, on equal inputs and with equal random numbers, and compare everything seen."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

import ferrata.torchair as torchair
from ferrata.ge.ir import Graph
from ferrata.torchair import backend


@dataclass
class Seen:
    """What was compiled: the graphs, and the programs."""

    graphs: list[Graph] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def types(self, *, inside: bool = False) -> list[str]:
        """The operator types of all graphs; inside: those in subgraphs too."""
        return [n.type for g in self.graphs for n in (g.every_node() if inside else g.nodes)]


@contextlib.contextmanager
def watching() -> Iterator[Seen]:
    """Inside, every compiled graph is noted."""
    seen, original = Seen(), backend.compile_graph

    def compile_graph(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        seen.graphs.append(made.graph.graph)
        seen.sources.append(made.graph.source)
        return made

    backend.compile_graph = compile_graph
    try:
        yield seen
    finally:
        backend.compile_graph = original


def compiled(f: Callable[..., Any], **kwargs: Any) -> Callable[..., Any]:
    """`f` through our backend, as one graph."""
    made: Callable[..., Any] = torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True, **kwargs)
    return made


def capturing(f: Callable[..., Any], dynamic: bool | None = None, **options: Any) -> Any:
    """`f` through our backend, recorded and replayed, with these options of `debug.aclgraph`."""
    config = torchair.CompilerConfig()
    config.mode = "reduce-overhead"
    for path, value in options.items():
        setattr(config.debug.aclgraph, path, value)
    return torch.compile(f, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True, dynamic=dynamic)


def copy_of(value: Any) -> Any:
    """The same tensor in memory of its own, with the same strides and offset."""
    if not isinstance(value, torch.Tensor):
        return value
    other = torch.empty(0, dtype=value.dtype, device=value.device)
    memory = value.detach().untyped_storage().clone()
    other.set_(memory, value.storage_offset(), value.shape, value.stride())
    return other.requires_grad_(value.requires_grad)


def agree(
    f: Callable[..., Any], *args: Any, grad: bool = False, dynamic: bool | None = None, strides: bool = True
) -> Seen:
    """Assert that results, their strides, the inputs afterwards and (grad) the inputs' gradients are equal."""
    torch._dynamo.reset()
    ours, theirs = tree_map(copy_of, args), tree_map(copy_of, args)
    with watching() as seen:
        torch.manual_seed(7)
        expected = f(*theirs)
        torch.manual_seed(7)
        got = compiled(f, dynamic=dynamic)(*ours)
        same(got, expected, strides=strides)
        if grad:
            _total(expected).backward()
            _total(got).backward()
            for a, b in zip(tree_leaves(ours), tree_leaves(theirs), strict=True):
                if isinstance(a, torch.Tensor):
                    same(a.grad, b.grad, strides=strides)
    same(ours, theirs, strides=strides)
    assert seen.graphs, "nothing was compiled"
    return seen


def same(got: Any, expected: Any, *, strides: bool = True) -> None:
    """Assert equality of nested results, strides and gradient flags included."""
    left, right = tree_leaves(got), tree_leaves(expected)
    assert len(left) == len(right)
    for a, b in zip(left, right, strict=True):
        torch.testing.assert_close(a, b, equal_nan=True)
        if isinstance(b, torch.Tensor):
            assert a.requires_grad == b.requires_grad
            if strides and 0 not in b.shape:
                assert a.stride() == b.stride(), f"strides {a.stride()}, in eager mode {b.stride()}"


def _total(results: Any) -> Any:
    return sum(r.float().square().sum() for r in tree_leaves(results) if r.requires_grad)
