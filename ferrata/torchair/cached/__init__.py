"""`inference.cache_compile`: a method of a module, compiled once for all processes.

    self.cached_decode = torchair.inference.cache_compile(self.decode)       # in __init__; nothing happens yet

The first call looks for a file under the content key (`key`); if there is none the method is captured (`trace`),
compiled, and written (`files`). A call that no compiled form serves (`entry`) makes another; so does one in another
`state` of the module or the process. Weights are not stored: they are the module's, found by name.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ferrata import errors
from ferrata.ge.store.pack import pack, unpack, unpack_document
from ferrata.torchair import decompose, gears
from ferrata.torchair.backend import Compiled, compile_graph, size_hints
from ferrata.torchair.cached import files
from ferrata.torchair.cached.entry import Entry, meta_of, restored
from ferrata.torchair.cached.key import content_key
from ferrata.torchair.cached.state import State
from ferrata.torchair.capture import plan
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.convert import graph_device
from ferrata.torchair.trace import trace

LIMIT = 64  # compiled forms of one method


def cache_compile(
    func: Callable[..., Any],
    *,
    config: CompilerConfig | None = None,
    backend: Any = None,
    dynamic: bool = True,
    cache_dir: str | os.PathLike[str] | None = None,
    global_rank: int | None = None,
    tp_rank: int | None = None,
    pp_rank: int | None = None,
    custom_decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    ge_cache: bool = False,
) -> CachedFunction:
    """A bound method of a torch.nn.Module as a function that is compiled at its first call, or read from the cache.

    cache_dir: else TORCHAIR_CACHE_HOME, else ./.torchair_cache. Ranks: default from torch.distributed. For inference:
    call it under torch.no_grad(). Raises CacheUsage (a ValueError), CacheNotOwned (a PermissionError) at the first call.
    """
    owner = getattr(func, "__self__", None)
    if not inspect.ismethod(func) or not isinstance(owner, torch.nn.Module):
        raise errors.CacheUsage(problem=f"{func!r} is not a bound method of a torch.nn.Module, such as self.decode")
    settings = config
    from_backend = getattr(backend, "keywords", {}).get("compiler_config") if backend is not None else None
    if backend is not None and from_backend is None:
        raise errors.CacheUsage(problem=f"backend is {backend!r}, not the result of torchair.get_npu_backend(...)")
    if settings is not None and not isinstance(settings, CompilerConfig):
        raise errors.BadOptionKind(
            option="config", allowed="a torchair.CompilerConfig", value=config, kind=type(config).__name__
        )
    if settings is not None and from_backend is not None and settings != from_backend:
        raise errors.CacheUsage(problem="config differs from the one that the backend was made with; give one of them")
    settings = settings or from_backend or CompilerConfig()
    given = decompose.by_overload({} if custom_decompositions is None else custom_decompositions)
    given = given or dict(getattr(backend, "keywords", {}).get("decompositions") or {})
    ranks = (("global_rank", global_rank), ("tp_rank", tp_rank), ("pp_rank", pp_rank))
    for name, rank in ranks:
        if rank is not None and (not isinstance(rank, int) or isinstance(rank, bool) or rank < 0):
            raise errors.CacheUsage(problem=f"{name} is {rank!r}, not a number from 0")
    return CachedFunction(func, settings, dynamic, cache_dir, dict(ranks), given, ge_cache)


class CachedFunction:
    """What cache_compile returns. `folder` is where its files lie, known after the first call."""

    def __init__(
        self, method: Any, config: CompilerConfig, dynamic: bool, cache_dir: Any, ranks: dict[str, int | None],
        decompositions: dict[Any, Any], ge_cache: bool,
    ) -> None:  # fmt: skip
        self._method, self._config, self._dynamic = method, config, dynamic
        self._cache_dir, self._ranks, self._decompositions = cache_dir, ranks, decompositions
        self._ge_cache = ge_cache
        self._state: State | None = None
        self._books: dict[Any, list[Entry]] = {}  # by the state that they were made in
        self._refused: set[str] = set()
        self._guard = threading.RLock()
        self.folder: Path | None = None
        self.hits = self.compilations = 0
        functools.update_wrapper(self, method.__func__)

    @property
    def _module(self) -> torch.nn.Module:
        module: torch.nn.Module = self._method.__self__
        return module

    def __reduce__(self) -> Any:
        """A copy is of the copied module, and finds its forms in the files."""
        given = (self._config, self._dynamic, self._cache_dir, self._ranks, self._decompositions, self._ge_cache)
        return CachedFunction, (self._method, *given)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # part of the graph around it, or seen by a mode of this thread; is_compiling() is true for all threads
        if torch.compiler.is_dynamo_compiling() or torch._C._len_torch_dispatch_stack():
            return self._method(*args, **kwargs)
        leaves, spec = pytree.tree_flatten((args, kwargs))
        if torch.is_grad_enabled():
            self._no_gradients(leaves)
        state = None if self._state is None else self._state.current()
        for entry in self._books.get(state, ()):
            if entry.accepts(spec, leaves) is None and entry.weights_changed() is None:
                break
        else:
            if self._config.raw("debug.run_eagerly"):
                return self._method(*args, **kwargs)
            entry = self._entry(args, kwargs, leaves, spec)
        if entry.gears is not None:
            entry.gears.check(leaves)
        if entry.overlapping(leaves):
            self._tell("it writes an argument that shares memory with another; such calls run as they are")
            return self._method(*args, **kwargs)
        return entry.run(leaves)

    def reset(self) -> None:
        """Look at the module anew at the next call: after a change of an attribute that the method reads."""
        with self._guard:
            self._state, self._books = None, {}

    def _no_gradients(self, leaves: list[Any]) -> None:
        needed = any(isinstance(v, torch.Tensor) and v.requires_grad for v in leaves)
        if needed or any(p.requires_grad for p in self._module.parameters()):
            raise errors.CacheNeedsNoGrad(function=self._method.__qualname__)

    def _entry(self, args: Any, kwargs: Any, leaves: list[Any], spec: Any) -> Entry:
        """From the files, else compiled now and written."""
        with self._guard:
            if self._state is None:
                self._cannot()
                self._state = State(self._module)
            state = self._state.current()
            self.folder = self._place()
            files.prepare(self.folder)
            entries = self._books.setdefault(state, [])
            base = self.folder / "compiled_module"
            with files.locked(base):
                self._load(entries, base)
                for entry in entries:
                    if entry.accepts(spec, leaves) is None and entry.weights_changed() is None:
                        self.hits += 1
                        return entry
                entry = self._compile(entries, args, kwargs)
                self._keep(entries, entry, base)
            return entry

    def _cannot(self) -> None:
        """Raises CacheUsage for options that mean another way to run a graph; warns of one that has no effect."""
        for option in ("debug.data_dump.type", "debug.fx_summary.type"):
            if self._config.raw(option) is not None:
                raise errors.CacheUsage(
                    problem=f"{option} = {self._config.raw(option)!r} is for graphs that are not kept: "
                    "use torch.compile while you look for something, and cache_compile without it"
                )
        if self._config.raw("experimental_config.frozen_parameter"):
            self._tell(
                "experimental_config.frozen_parameter has no effect on it: weights are not part of what is kept, they are "
                "the module's at each call"
            )

    def _place(self) -> Path:
        root = Path(self._cache_dir or os.environ.get("TORCHAIR_CACHE_HOME") or ".torchair_cache").absolute()
        module, method = self._module, str(self._method.__name__)
        key = content_key(module, method, self._config, self._dynamic, self._decompositions)
        kind = "dynamic" if self._dynamic else "static"
        captured = "_aclgraphcache" if self._config.raw("mode") != "max-autotune" else ""
        stored = "_gecache" if self._ge_cache else ""
        world, rank = _world()
        given = self._ranks
        part = f"world{world}global_rank{rank if given['global_rank'] is None else given['global_rank']}"
        part += "".join(f"_{n}{given[n]}" for n in ("tp_rank", "pp_rank") if given[n] is not None)
        return root / f"{type(module).__name__}_{kind}{captured}{stored}_{key}" / part / method

    def _load(self, entries: list[Entry], base: Path) -> None:
        """Entries of files that other processes, or an earlier one, wrote."""
        for number in range(len(entries), LIMIT):
            path = _numbered(base, number)
            if not path.exists() and not path.is_symlink():
                return
            try:
                entries.append(restored(self._module, *unpack(files.read(path)), self._config))
            except (
                OSError,
                ValueError,
                KeyError,
                TypeError,
                IndexError,
                AttributeError,
                errors.FerrataError,
            ) as problem:
                self._tell(f"the file {path} is ignored and made anew: {_first_line(problem)}")
                _remove_from(base, number)
                return

    def _compile(self, entries: list[Entry], args: Any, kwargs: Any) -> Entry:
        if len(entries) >= LIMIT:
            raise errors.CacheUsage(
                problem=f"{self._method.__qualname__} was compiled for {LIMIT} different calls already; the last differs: "
                f"{entries[-1].accepts(*reversed(pytree.tree_flatten((args, kwargs))))}"
            )
        try:
            inspect.signature(self._method).bind(*args, **kwargs)
        except TypeError:
            self._method(*args, **kwargs)  # raises it as Python says it
        self.compilations += 1
        traced = trace(self._method, args, kwargs, dynamic=self._dynamic, decompositions=self._decompositions)
        device, hints = graph_device(traced.gm), size_hints(traced.gm)
        with torch.no_grad():
            made = compile_graph(traced.gm, traced.example_inputs, self._config)
        if not isinstance(made, Compiled):
            raise errors.CacheUsage(problem="a graph that is looked at (ferrata.coverage, ferrata.compare) is not kept")
        try:
            meta = meta_of(traced, device)
            meta["hints"] = dict(hints)
            meta["gears"] = self._gears(args, kwargs, traced)
            if made.captured is not None:
                weights = frozenset(i for i, given in enumerate(traced.inputs) if given.kind != "argument")
                how = plan(traced.gm, self._config, weights)
                meta["capture"] = [list(how.bound), list(how.passed), dict(how.lines)]
        except TypeError as problem:
            raise errors.CacheUsage(problem=f"an argument cannot be part of the key: {problem}") from None
        compiled = _with_constants(made.graph, traced)
        return Entry(self._module, compiled, meta, traced.out_spec, self._config)

    def _gears(self, args: Any, kwargs: Any, traced: Any) -> Any:
        leaves = pytree.tree_leaves((args, kwargs))
        names = {i.leaf: i.name for i in traced.inputs if i.kind == "argument"}
        policy = self._config.raw("inference_config.dynamic_gears_merge_policy")
        found = gears.collect(leaves, [names.get(i, "") for i in range(len(leaves))], policy)
        return None if found is None else [policy, [list(row) for row in found.rows]]

    def _keep(self, entries: list[Entry], entry: Entry, base: Path) -> None:
        number = len(entries)
        entries.append(entry)
        try:
            files.write(_numbered(base, number), pack(*entry.document()))
        except (NotImplementedError, errors.GraphNotStorable) as problem:
            self._tell(f"it is compiled, but not kept for other processes: {_first_line(problem)}")
        except OSError as problem:
            self._tell(f"{_numbered(base, number)} was not written: {problem.strerror or problem}")

    def _tell(self, text: str) -> None:
        if text not in self._refused:
            self._refused.add(text)
            warnings.warn(f"cache_compile of {self._method.__qualname__}: {text}", UserWarning, stacklevel=4)


def _remove_from(base: Path, number: int) -> None:
    """Remove the files from a number on: those behind a bad one would be counted wrongly."""
    for later in range(number, LIMIT):
        path = _numbered(base, later)
        if not path.is_file() and not path.is_symlink():
            return
        path.unlink()


def readable_cache(cache_bin: str | os.PathLike[str], print_output: bool = True, file: Any = None) -> str:
    """A file of the cache as text: what it was made with, its inputs, the program. file: also written there.

    Raises CacheUsage (ValueError) for a missing file, a link, or bytes that are no cache; CacheNotOwned.
    """
    path = Path(cache_bin)
    if path.is_symlink() or not path.is_file():
        raise errors.CacheUsage(problem=f"{path} is not a file (links are not followed)")
    files.owned(path)
    try:
        document, _ = unpack_document(files.read(path))
    except (OSError, ValueError) as problem:
        raise errors.CacheUsage(problem=f"{path} is no file of the cache: {problem}") from None
    text = _text(document)
    if file is not None:
        Path(file).write_text(text)
    if print_output:
        print(text)
    return text


def _text(document: dict[str, Any]) -> str:
    meta = document["meta"]
    lines = [
        f"# ferrata {document['ferrata']}, torch {document['torch']}, format {document['version']}, {meta['device']}"
    ]
    lines += [f"# operator {row['signature']} of {row['from']}" for row in document["operators"]]
    lines += [f"# input {i}: {row['kind']} {row['name']}{' (written)' if row['mutated'] else ''}"
              for i, row in enumerate(meta["inputs"])]  # fmt: skip
    lines += [f"# size {name}: {low} to {high}" for name, (low, high) in meta["ranges"].items()]
    return "\n".join([*lines, meta["program"]])


def _numbered(base: Path, number: int) -> Path:
    return base if number == 0 else base.with_name(f"{base.name}_{number}")


def _with_constants(compiled: Any, traced: Any) -> Any:
    """The tensors that the function reads from elsewhere, at their feeds."""
    import dataclasses

    values = {n: i.value for n, i in zip(traced.names, traced.inputs, strict=True) if i.kind == "constant"}
    if not values:
        return compiled
    nodes = tuple(dataclasses.replace(n, value=values[n.name]) if n.name in values else n for n in compiled.graph.nodes)
    return dataclasses.replace(compiled, graph=dataclasses.replace(compiled.graph, nodes=nodes))


def _world() -> tuple[int, int]:
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size(), distributed.get_rank()
    return 1, 0


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]
