"""The torch.compile backend: AOTAutograd in front, conversion, the session behind.

`get_npu_backend` gives the callable for `torch.compile(backend=...)`, `get_compiler` that of one AOT graph. What is
compiled does not depend on this module afterwards: a compiled graph is a generated function.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import gc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ferrata import errors
from ferrata.ge import order
from ferrata.ge.dump import graph_dump
from ferrata.ge.ir import Graph
from ferrata.ge.passes import FINAL, PIPELINE
from ferrata.ge.session import CompiledGraph, Session, ready
from ferrata.ge.store import device_of, place
from ferrata.ge.store.document import from_document, to_document
from ferrata.ge.store.pack import pack, unpack
from ferrata.torchair import capture, decompose, eager, freeze, gears, joint, plain, rng, scoped, watch, whole
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.convert import convert, graph_device
from ferrata.torchair.log import told
from ferrata.torchair.meta import explain_missing_meta
from ferrata.torchair.options import apply_options
from ferrata.torchair.recurrent import dropping
from ferrata.torchair.rewrite import rewrite
from ferrata.torchair.unconverted import missing, no_converter


class Compiled:
    """A compiled AOT graph: called with one list of inputs, which it empties (AOTAutograd's boxed convention)."""

    def __init__(self, graph: CompiledGraph, clone_outputs: bool, captured: capture.Captured | None = None) -> None:
        self._boxed_call = True  # on the object: wrappers copy its __dict__
        self.graph, self.clones, self.captured = graph, clone_outputs, captured
        self.run = captured.run if captured is not None else cloning(graph.run) if clone_outputs else graph.run

    def __call__(self, *args: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], list):
            return self.run(args[0])
        return self.run(list(args))

    def get_code(self, extend_config: Any = None) -> str:
        """The source of the program that runs."""
        return self.graph.source

    def dump_artifacts(self) -> bytes:
        """The compiled graph as bytes, for `load_artifacts` in another process. Raises GraphNotStorable."""
        document = to_document(self.graph.graph, {"device": str(self.graph.device), "clone": self.clones})
        return pack(*document)

    @classmethod
    def load_artifacts(cls, artifacts: bytes) -> Compiled:
        """What `dump_artifacts` gave. Raises GraphFileDamaged, GraphFileVersion (a RuntimeError), MissingOperators."""
        try:
            document, tensors = unpack(artifacts)
        except ValueError as problem:
            raise errors.GraphFileDamaged(path="the artifact", why=str(problem)) from None
        device = device_of(document["meta"]["device"])
        graph = from_document(document, place(document, tensors, device))
        return cls(ready(graph, device), document["meta"]["clone"])


def get_compiler(compiler_config: CompilerConfig | None = None) -> Callable[..., Any]:
    """A compiler `(gm, example_inputs) -> callable` of one graph of ATen operators, usable as an AOT `fw_compiler`.

    The result has `graph` (the compiled GE graph) and `get_code()` (the generated program).
    """
    config = _config(compiler_config)

    def compiler(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
        return compile_graph(gm, example_inputs, config)

    return compiler


def compile_graph(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    config: CompilerConfig,
    kind: str = "inference",
    frozen: Mapping[int, torch.Tensor] | None = None,
    guarded: bool = False,
) -> Any:
    """FX passes, conversion, session. kind: "inference", "forward" or "backward". Raises what these raise.

    frozen: weights that are constants of the graph, by their place among the arguments of AOTAutograd. guarded: as in Session.
    """
    if frozen:
        freeze.make_constant(gm, frozen)
    rewrite(gm, example_inputs, config)
    if config.raw("debug.data_dump.type") is not None:
        return eager.dumping(gm, config)
    if config.raw("debug.fx_summary.type") is not None:
        from ferrata.torchair.summary import write_summary  # late: it asks this module

        write_summary(gm, example_inputs, direct=config.raw("mode") != "max-autotune")
        if config.raw("debug.fx_summary.skip_compile"):
            return eager.running(gm)
    watcher = watch.current()
    if watcher is not None:
        return watcher(gm, example_inputs, config)
    # AOTAutograd's fake mode is on, and constants must be real
    with _disable_current_modes(), contextlib.nullcontext() if _wants_clusters(config) else _uncollected():
        graph = to_ge(gm, example_inputs, config)
        compiled = session_of(config, guarded).compile(graph, graph_device(gm), hints=size_hints(gm), kind=kind)
        told(gm, compiled, kind)
        if config.raw("dump_config.enable_dump"):
            compiled = eager.dumping_nodes(compiled, config)
        elif config.raw("mode") != "max-autotune" and kind == "inference":
            return Compiled(compiled, False, capture.Captured(compiled, capture.plan(gm, config), config))
    return Compiled(compiled, config.raw("debug.aclgraph.enable_output_clone"))


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection inside: a graph is many objects that all stay, and each collection walks over them again."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def to_ge(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], config: CompilerConfig) -> Graph:
    """The GE graph of a rewritten FX graph. Raises what the conversion raises."""
    graph = convert(gm, example_inputs, direct=config.raw("mode") != "max-autotune")
    if config.raw("experimental_config.enable_ref_data"):
        graph = order.with_ref_data(graph)
    return order.reordered(graph, config.raw("experimental_config.topology_sorting_strategy"))


def session_of(config: CompilerConfig, guarded: bool = False) -> Session:
    """The session that the options describe."""
    kind = config.raw("debug.graph_dump.type")
    dumps = () if kind is None else (graph_dump(kind, str(config.raw("debug.graph_dump.path"))),)
    return Session(config.raw("ge_config.oo_level"), _switched_off(config), dumps, _wants_clusters(config), guarded)


def _switched_off(config: CompilerConfig) -> frozenset[str]:
    """The passes that do not run. Warns of names that this engine does not have."""
    known = dict.fromkeys((*(entry.name for entry in (*PIPELINE, *FINAL)), "InductorClusters"))
    off = {"DeadNodes"} if config.raw("ge_config.oo_dead_code_elimination") is False else set()
    if config.raw("ge_config.oo_constant_folding") is False:
        off.add("ConstantFolding")
    if not config.raw("experimental_config.remove_noop_ops"):
        off.add("RedundantNodes")
    if config.is_set("experimental_config.topology_sorting_strategy"):
        off.add("PeakOrder")  # the user has an order
    for switch in (config.raw("ge_config.optimization_switch") or "").split(";"):
        name, _, state = switch.partition(":")
        if name and name not in known:
            warnings.warn(
                f"ge_config.optimization_switch names the pass {name!r}, which this engine does not have: "
                f"{', '.join(known)}.",
                UserWarning,
                stacklevel=2,
            )
        if state == "off":
            off.add(name)
    return frozenset(off)


def _wants_clusters(config: CompilerConfig) -> bool:
    """Compiling clusters takes seconds of a C++ compiler: only who sets the level, though it is the default, gets it.

    Not where calls are captured: a recording sees operators, and compiled code calls none.
    """
    wanted = config.is_set("ge_config.oo_level") and config.raw("ge_config.oo_level") == "O3"
    wanted = wanted and config.raw("mode") == "max-autotune"
    return bool(wanted and "InductorClusters" not in _switched_off(config))


def size_hints(gm: torch.fx.GraphModule) -> dict[str, int]:
    """The sizes that the graph was captured with, by symbol; those of numbers that are fed also by name."""
    hints: dict[str, int] = {}
    for node in gm.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        sizes = [value] if isinstance(value, torch.SymInt) else value.shape if isinstance(value, torch.Tensor) else ()
        for size in sizes:
            if isinstance(size, torch.SymInt) and not hints:
                hints = {str(s): int(v) for s, v in size.node.shape_env.backed_var_to_val.items()}
        if isinstance(value, torch.SymInt) and value.node.has_hint():
            hints[str(node.target)] = int(value.node.hint)
    return hints


def get_npu_backend(
    *,
    compiler_config: CompilerConfig | None = None,
    custom_decompositions: Mapping[Any, Callable[..., Any]] | None = None,
) -> Callable[..., Any]:
    """The backend for torch.compile.

    compiler_config: None means the defaults. custom_decompositions: operator -> function, applied while tracing.

    >>> model = torch.compile(model, backend=get_npu_backend(), fullgraph=True, dynamic=True)
    """
    config = _config(compiler_config)
    table = decompose.by_overload({} if custom_decompositions is None else custom_decompositions)
    explain_missing_meta(_is_ours)
    return functools.partial(npu_backend, compiler_config=config, decompositions=table)


def npu_backend(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    compiler_config: CompilerConfig,
    decompositions: Mapping[Any, Callable[..., Any]],
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Any:
    """What Dynamo calls. options: those of npugraph_ex only; mode: accepted and ignored, as CompilerConfig has one."""
    config = compiler_config if not options else apply_options(compiler_config, options)
    if config.raw("debug.run_eagerly"):
        return gm.forward
    rng.install()
    scoped.annotate(gm)
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import default_partition

    frozen = freeze.weights(gm, example_inputs, config)
    inference = plain.Seen(functools.partial(compile_graph, config=config, guarded=True, frozen=frozen))
    backward: Callable[..., Any] = functools.partial(compile_graph, config=config, kind="backward", guarded=True)
    partition: Callable[..., Any] = _min_cut if _wants_clusters(config) else default_partition
    if config.raw("experimental_config.aot_config_enable_joint_graph"):
        loss = config.raw("experimental_config.aot_config_output_loss_index")
        backward, partition = joint.checking(backward), functools.partial(joint.partition, loss_index=loss)
    both = _Both(functools.partial(compile_graph, config=config, kind="forward", guarded=True), partition, config)
    backend = aot_autograd(
        fw_compiler=both.forward,
        bw_compiler=backward,
        inference_compiler=inference,
        decompositions=_decompositions(config, decompositions),
        partition_fn=both.partition,
        keep_inference_input_mutations=config.raw("experimental_config.keep_inference_input_mutations"),
    )
    allowed = gears.of_call(gm, example_inputs, config)
    with dropping(), whole.resampling(not _wants_clusters(config)):  # Inductor cannot lower the latter
        traced = backend(gm, example_inputs)
    made = inference.direct(traced, gm, example_inputs)
    return made if allowed is None else gears.checking(made, allowed)


class _Both:
    """Forward and backward of one function: what both lack is told together, before one of them is compiled."""

    def __init__(self, compiler: Callable[..., Any], partition: Callable[..., Any], config: CompilerConfig) -> None:
        self._compiler, self._partition, self._config = compiler, partition, config
        self._backward: torch.fx.GraphModule | None = None

    def partition(self, *args: Any, **kwargs: Any) -> Any:
        forward, self._backward = self._partition(*args, **kwargs)
        return forward, self._backward

    def forward(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
        backward, self._backward = self._backward, None
        if backward is not None and _converts(self._config) and missing(backward):
            lacks = [(where, target, f"{why}; in the backward graph") for where, target, why in self._lacks(backward)]
            if lacks:
                raise no_converter([*self._lacks(gm), *lacks])
        return self._compiler(gm, example_inputs)

    def _lacks(self, gm: torch.fx.GraphModule) -> list[Any]:
        """What is missing in a graph as it would be converted, after the user's passes and patterns."""
        copied = copy.deepcopy(gm)
        with contextlib.suppress(Exception):  # then it is as it came
            rewrite(copied, [n.meta.get("val") for n in copied.graph.find_nodes(op="placeholder")], self._config)
        return missing(copied)


def _converts(config: CompilerConfig) -> bool:
    """Whether graphs are converted to run, not looked at or run in another way."""
    other = any(config.raw(o) is not None for o in ("debug.data_dump.type", "debug.fx_summary.type"))
    return config.raw("mode") == "max-autotune" and not other and watch.current() is None


def _min_cut(*args: Any, **kwargs: Any) -> Any:
    """Inductor's partition: the backward computes again what costs less than to keep it."""
    from torch._functorch.partitioners import min_cut_rematerialization_partition  # late: it imports networkx

    return min_cut_rematerialization_partition(*args, **kwargs)


def _decompositions(config: CompilerConfig, given: Mapping[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """The user's; and PyTorch's for operators without a converter, unless every operator runs as it is."""
    return decompose.decompositions(given) if config.raw("mode") == "max-autotune" else dict(given)


def _is_ours(backend: Any) -> bool:
    from torch._dynamo.eval_frame import innermost_fn

    fn = backend
    for _ in range(8):
        if isinstance(fn, functools.partial):
            return fn.func is npu_backend
        if getattr(fn, "_ferrata_backend", False):
            return True
        inner = (
            getattr(fn, "_torchdynamo_orig_backend", None)
            or getattr(fn, "compiler_fn", None)
            or getattr(fn, "_torchdynamo_orig_callable", None)
        )
        if inner is None:
            break
        fn = inner
    return getattr(innermost_fn(fn), "_ferrata_backend", False) if callable(fn) else False


def _config(config: Any) -> CompilerConfig:
    if config is None:
        return CompilerConfig()
    if not isinstance(config, CompilerConfig):
        raise errors.BadOptionKind(
            option="compiler_config", allowed="a torchair.CompilerConfig", value=config, kind=type(config).__name__
        )
    return config


def cloning(run: Callable[[list[Any]], tuple[Any, ...]]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """A program whose results share memory with nothing else."""

    def cloned(args: list[Any]) -> tuple[Any, ...]:
        return tuple(o.clone() if isinstance(o, torch.Tensor) else o for o in run(args))

    return cloned
