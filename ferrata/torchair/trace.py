"""One graph of a whole function, with what is needed to call it without Dynamo: export and the cache start from it.

`torch.compile` leaves the way from the user's arguments to the graph in bytecode of Dynamo and wrappers of AOTAutograd.
Here the function is captured by `torch.export` (by Dynamo, for the whole function or not at all) with its tensors as a flat
list, and lowered by AOTAutograd as the backend's graphs are. What comes out says of every input what it is, and how the
results are put together.
"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch.utils import _pytree as pytree

from ferrata import errors
from ferrata.torchair import decompose
from ferrata.torchair.absent import absent


@dataclass(frozen=True, slots=True)
class Input:
    """A placeholder. kind: "argument" (leaf is its place among the leaves of the call), "parameter", "buffer" (name is
    the qualified one) or "constant" (value is the tensor)."""

    kind: str
    name: str
    leaf: int = -1
    value: torch.Tensor | None = None
    mutated: bool = False


@dataclass(frozen=True, slots=True)
class Traced:
    """The captured function. gm: operators of ATen, writes to inputs as `copy_` at the end; outputs flat.

    names: what the graph calls its inputs.

    in_spec, leaves: the structure of ((args), {kwargs}) and what stood in it. out_spec: the structure of the result.
    ranges: bounds of the symbols; guards: what else the capture took for granted about sizes, as expressions.
    """

    gm: torch.fx.GraphModule
    inputs: tuple[Input, ...]
    names: tuple[str, ...]
    in_spec: Any
    leaves: tuple[Any, ...]
    out_spec: Any
    ranges: Mapping[str, tuple[int | None, int | None]]
    guards: tuple[Any, ...]

    @property
    def example_inputs(self) -> list[Any]:
        """The fakes of the placeholders."""
        return [n.meta["val"] for n in self.gm.graph.nodes if n.op == "placeholder"]


def trace(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    dynamic: bool = False,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    what: str = "cache_compile",
) -> Traced:
    """Capture `function(*args, **kwargs)` without running it. dynamic: sizes other than 0 and 1 become symbols.

    Numbers and other arguments that are no tensors are constants of the graph. Raises NotOneGraph with the user's line.
    """
    leaves, in_spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    tensors = tuple(leaves[i] for i in places)
    owner = function if isinstance(function, torch.nn.Module) else getattr(function, "__self__", None)
    flat = _Flat(owner if isinstance(owner, torch.nn.Module) else None, function, leaves, in_spec, places)
    dims = {"tensors": tuple(_dims(t, dynamic) for t in tensors)} if tensors else None
    try:
        with torch.no_grad(), _quiet():
            exported = torch.export.export(flat, tensors, dynamic_shapes=dims, strict=True)
    except errors.FerrataError:
        raise
    except Exception as problem:
        place = _line_of(problem)
        gone = absent(linecache.getline(*place)) if place is not None and "AttributeError" in str(problem) else None
        if gone is not None and place is not None:
            raise errors.NoSuchOperator(op=gone[0], where=f"{place[0]}:{place[1]}", near=gone[1]) from problem
        raise errors.NotOneGraph(what=what, function=_name(function), reason=_reason(problem)) from problem
    names = leaf_names(function, args, kwargs)
    gm, written = _lower(exported, decompose.decompositions(decompositions))
    inputs = _inputs(exported, flat, [names[i] for i in places], places, written)
    called = _rename(gm, inputs)
    env = _shape_env(gm)
    return Traced(
        gm, inputs, called, in_spec, tuple(None if i in set(places) else leaf for i, leaf in enumerate(leaves)),
        exported.call_spec.out_spec, _ranges(exported), () if env is None else _guards(env),
    )  # fmt: skip


class _Flat(torch.nn.Module):
    """The function with its tensors as a flat list of arguments."""

    def __init__(
        self, owner: torch.nn.Module | None, function: Any, leaves: list[Any], spec: Any, places: list[int]
    ) -> None:
        super().__init__()
        self.owner = owner
        # in a tuple, so that a module called as a function is not registered twice
        self.box = (function, leaves, spec, places)

    def forward(self, *tensors: torch.Tensor) -> Any:
        function, leaves, spec, places = self.box
        full = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            full[place] = tensor
        args, kwargs = pytree.tree_unflatten(full, spec)
        return function(*args, **kwargs)


def _dims(tensor: torch.Tensor, dynamic: bool) -> Any:
    """Which dimensions may vary: marks of the user first, then `dynamic`. Sizes 0 and 1 are compiled for themselves;
    PyTorch does so in any case, and logs a warning where it was asked for another form."""
    from torch.export import Dim

    static: set[int] = getattr(tensor, "_dynamo_static_indices", set())
    marked: set[int] = getattr(tensor, "_dynamo_dynamic_indices", set())

    def varies(i: int) -> bool:
        return i in marked or (dynamic and tensor.shape[i] > 1)

    return tuple(Dim.AUTO if varies(i) and i not in static else Dim.STATIC for i in range(tensor.dim()))


def _lower(exported: Any, decompositions: Mapping[Any, Any]) -> tuple[torch.fx.GraphModule, set[int]]:
    """The graph as the backend gets it, and the places of inputs that it writes."""
    from torch._functorch.aot_autograd import aot_export_module
    from torch._guards import TracingContext, detect_fake_mode, tracing

    captured = exported.graph_module
    output = captured.graph.output_node()
    results = list(output.args[0])
    kept = [i for i, r in enumerate(results) if isinstance(r, torch.fx.Node)]
    output.args = (tuple(results[i] for i in kept),)
    captured.recompile()
    fakes = [n.meta["val"] for n in captured.graph.nodes if n.op == "placeholder"]
    mode = detect_fake_mode([f for f in fakes if isinstance(f, torch.Tensor)])
    context: Any = tracing(TracingContext(mode)) if mode is not None else contextlib.nullcontext()
    with torch.no_grad(), context:
        lowered_module, signature = aot_export_module(
            captured, fakes, trace_joint=False, decompositions=dict(decompositions), pre_dispatch=False
        )
    gm = cast("torch.fx.GraphModule", lowered_module)
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    by_name = {n.name: i for i, n in enumerate(placeholders)}
    lowered = gm.graph.output_node()
    values: list[Any] = list(cast("Sequence[Any]", lowered.args[0]))
    mutated = signature.user_inputs_to_mutate
    count = len(mutated)
    copies: dict[torch.fx.Node, torch.fx.Node] = {}
    written: set[int] = set()
    with gm.graph.inserting_before(lowered):
        for value, target in zip(values[:count], mutated.values(), strict=True):
            place = by_name[target]
            written.add(place)
            made = gm.graph.call_function(torch.ops.aten.copy_.default, (placeholders[place], value))
            made.meta["val"] = placeholders[place].meta["val"]
            made.stack_trace = getattr(value, "stack_trace", None)
            copies[value] = made  # a result that is the written input itself stays it
    final = iter(values[count:])
    full = [next(final) if i in set(kept) else r for i, r in enumerate(results)]
    lowered.args = (tuple(copies.get(v, v) if isinstance(v, torch.fx.Node) else v for v in full),)
    gm.recompile()
    return gm, written


def _inputs(
    exported: Any, flat: _Flat, names: Sequence[str], places: Sequence[int], written: set[int]
) -> tuple[Input, ...]:
    from torch.export.graph_signature import InputKind

    made: list[Input] = []
    arguments = iter(zip(names, places, strict=True))
    for i, spec in enumerate(exported.graph_signature.input_specs):
        target = str(spec.target or "")
        if spec.kind == InputKind.USER_INPUT:
            name, leaf = next(arguments)
            made.append(Input("argument", name, leaf, mutated=i in written))
        elif spec.kind in (InputKind.PARAMETER, InputKind.BUFFER) and target.startswith("owner."):
            kind = "parameter" if spec.kind == InputKind.PARAMETER else "buffer"
            made.append(Input(kind, target.removeprefix("owner."), mutated=i in written))
        else:
            value = exported.constants.get(target)
            if not isinstance(value, torch.Tensor):
                value = exported.state_dict.get(target)
            if not isinstance(value, torch.Tensor):
                raise errors.NotOneGraph(
                    what="export", function=_name(flat.box[0]), reason=f"it reads {target!r}, which is no tensor"
                )
            made.append(Input("constant", target, value=value.detach(), mutated=i in written))
    return tuple(made)


def _rename(gm: torch.fx.GraphModule, inputs: Sequence[Input]) -> tuple[str, ...]:
    """Placeholders called as the user calls them: the graph's Data nodes take these names."""
    taken: dict[str, None] = {}
    arguments = {i.name for i in inputs if i.kind == "argument"}
    for node, given in zip([n for n in gm.graph.nodes if n.op == "placeholder"], inputs, strict=True):
        base = re.sub(r"\W+", "_", given.name).strip("_") or "input"
        if given.kind != "argument" and base in arguments:
            base = f"{given.kind}_{base}"
        name, n = base, 0
        while name in taken:
            n += 1
            name = f"{base}_{n}"
        taken[name] = None
        node.target = name
    return tuple(taken)


def leaf_names(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
    """A name for each leaf of the call: the parameter's, and the way inside it (`past_0_1`)."""
    forward = function.forward if isinstance(function, torch.nn.Module) else function
    positional: list[str] = []
    with contextlib.suppress(TypeError, ValueError):
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for parameter in inspect.signature(forward).parameters.values():
            if parameter.kind in kinds:
                positional.append(parameter.name)
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional += [f"{parameter.name}_{i}" for i in range(len(args) - len(positional))]
    positional += [f"arg{i}" for i in range(len(positional), len(args))]
    tree = {**{f"0{i:06}": a for i, a in enumerate(args)}, **{f"1{k}": v for k, v in kwargs.items()}}
    names: list[str] = []
    for key, value in tree.items():
        head = positional[int(key)] if key[0] == "0" else key[1:]
        for path, _ in pytree.tree_flatten_with_path(value)[0]:
            names.append(re.sub(r"\W+", "_", head + pytree.keystr(path)).strip("_"))
    return names


def result_names(out_spec: Any) -> list[str]:
    """A name for each leaf of the result."""
    tree = pytree.tree_unflatten(list(range(out_spec.num_leaves)), out_spec)
    names = []
    for path, number in pytree.tree_flatten_with_path(tree)[0]:
        text = re.sub(r"\W+", "_", pytree.keystr(path)).strip("_")
        names.append(f"output{text or number}" if not text or text[0].isdigit() else text)
    return names


def _ranges(exported: Any) -> dict[str, tuple[int | None, int | None]]:
    def bound(value: Any) -> int | None:
        return int(value) if getattr(value, "is_Integer", False) and abs(value) < 2**62 else None

    return {str(s): (bound(r.lower), bound(r.upper)) for s, r in exported.range_constraints.items()}


def _shape_env(gm: torch.fx.GraphModule) -> Any:
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            mode = getattr(node.meta.get("val"), "fake_mode", None)
            if mode is not None:
                return mode.shape_env
    return None


def _guards(env: Any) -> tuple[Any, ...]:
    """What must hold of the symbols besides their ranges: divisibility, order; each once, simplified."""
    import sympy  # type: ignore[import-untyped]

    found: dict[Any, None] = {}
    for guard in env.guards:
        expr = env.replace(guard.expr)
        if isinstance(expr, sympy.Basic) and expr.free_symbols and not _unbacked(env, expr):
            simpler = env.simplify(expr)
            if simpler not in (sympy.true, sympy.false):
                found[simpler] = None
    return tuple(found)


def _unbacked(env: Any, expr: Any) -> bool:
    return any(s not in env.backed_var_to_val for s in expr.free_symbols)


def _name(function: Any) -> str:
    if isinstance(function, torch.nn.Module):
        return type(function).__name__
    return str(getattr(function, "__qualname__", None) or function)


_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


def _line_of(problem: BaseException) -> tuple[str, int] | None:
    """The innermost line of the user's in Dynamo's message, or in the stack that it keeps."""
    places = [(m["file"], int(m["line"])) for m in _LINE.finditer(str(problem))]
    places += [(f.filename, f.lineno) for f in getattr(problem, "real_stack", None) or ()]
    own = [p for p in places if "/torch/" not in p[0] and "/ferrata/torchair/" not in p[0]]
    return own[-1] if own else None


def _reason(problem: BaseException) -> str:
    """The first paragraph of Dynamo's message, what was raised if the function itself raises, and the user's line."""
    text, place = str(problem).strip(), _line_of(problem)
    where = f" (at {place[0]}:{place[1]})" if place is not None else ""
    head = text.split("\n\n")[0].strip() or type(problem).__name__
    raised = re.search(r"Developer debug context: ((?:raised exception|\w+Error) .+)", text)
    told = "" if raised is None else f"\n  The function: {raised[1]}"
    return f"{type(problem).__name__}: {head}{told}{where}"


@contextlib.contextmanager
def _quiet() -> Any:
    import io
    import warnings

    # on failure, export prints the graph that it had so far
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        # what export says about guards on its own arguments means our list, not the user's call
        warnings.filterwarnings("ignore", category=UserWarning, module=r"torch\.(export|_export|_dynamo).*")
        yield
