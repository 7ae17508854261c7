"""`register_replacement`: the user's patterns over captured graphs, found and replaced by PyTorch's own matcher.

A pattern is a function; so is what replaces it. Both are traced with example inputs into ATen operators, as models are.
This module holds state: the patterns of the process. Inductor's matcher is imported with the first of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ferrata import errors
from ferrata.torchair import decompose
from ferrata.torchair.aten import desc_of
from ferrata.torchair.scoped import attributes
from ferrata.torchair.source import line_in, where_of

_STREAM = "_user_stream_label"
_passes: list[Any] = []  # one PatternMatcherPass, made with the first pattern
_registered: dict[tuple[str, ...], str] = {}
_functions: list[tuple[Any, ...]] = []


def register_replacement(
    search_fn: Callable[..., Any],
    replace_fn: Callable[..., Any],
    example_inputs: Sequence[Any],
    trace_fn: Callable[..., Any] | None = None,
    extra_check: Callable[[Any], bool] | None = None,
    search_fn_pattern: Any = None,
    scalar_workaround: dict[str, float | int] | None = None,
    skip_duplicates: bool = False,
) -> None:
    """Wherever a captured graph computes what `search_fn` does, let it compute what `replace_fn` does.

    example_inputs: tensors that both are traced with; their sizes and types do not matter to the match. extra_check:
    gets the match, and says whether to replace it. scalar_workaround: values that stand for numbers among the arguments.
    skip_duplicates: a pattern that is registered already is no error. `experimental_config.pattern_fusion_pass` switches
    all of them off. Raises PatternFailed for a pattern that cannot be traced, or is registered already.

    >>> register_replacement(lambda x, y: torch.relu(x + y), torch.ops.mylib.add_relu, [torch.empty(2), torch.empty(2)])
    """
    who = _who(search_fn)
    for name, function in (("search_fn", search_fn), ("replace_fn", replace_fn)):
        if not callable(function):
            raise errors.PatternFailed(pattern=who, doing="register it", reason=f"{name} is {function!r}, no function")
    for name, given, kind, wanted in (
        ("example_inputs", example_inputs, (list, tuple), "no list of tensors"),
        ("scalar_workaround", scalar_workaround or {}, Mapping, "no dictionary from arguments to numbers"),
        ("trace_fn", trace_fn or _traced, Callable, "no function"),
        ("extra_check", extra_check or _traced, Callable, "no function"),
    ):
        if not isinstance(given, kind):  # type: ignore[arg-type]
            raise errors.PatternFailed(pattern=who, doing="register it", reason=f"{name} is {given!r}, {wanted}")
    misfit = _misfit(search_fn, replace_fn, example_inputs, scalar_workaround or {})
    if misfit is not None:
        raise errors.PatternFailed(pattern=who, doing="register it", reason=misfit)
    key = _key(who, search_fn, scalar_workaround)
    if key in _registered:
        if skip_duplicates:
            return
        raise errors.PatternFailed(
            pattern=who, doing="register it", reason="it is registered already (skip_duplicates=True lets that pass)"
        )
    from torch._inductor import pattern_matcher

    if not _passes:
        _passes.append(pattern_matcher.PatternMatcherPass(pass_name="torchair"))
    searching, replacing = _adapted(search_fn), _adapted(replace_fn)
    matched: list[Any] = []  # the match that is being replaced
    base: Any = _traced if trace_fn is None else lambda function, args, **_: trace_fn(function, args)

    def traced(function: Any, args: Any, **how: Any) -> Any:
        if function is replacing:
            return _replacement(who, replace_fn, matched[-1], lambda: base(function, args, **how))
        gm = base(function, args, **how)
        if function is searching:
            _uses_all(who, search_fn, gm, scalar_workaround or {})
        return gm

    matcher_trace: Any = traced
    try:
        with torch.no_grad():
            # graphs of GE are traced with decompositions, captured ones without: often both give one pattern
            for table in (decompose.decompositions, dict):
                pattern_matcher.register_replacement(
                    searching, replacing, list(example_inputs), matcher_trace, _passes[0],
                    extra_check=_check(who, extra_check, matched), scalar_workaround=scalar_workaround,
                    search_fn_pattern=search_fn_pattern, skip_duplicates=True, get_decomp_fn=table,
                )  # fmt: skip
    except errors.FerrataError:
        raise
    except Exception as problem:
        raise errors.PatternFailed(
            pattern=who, doing="trace it with the example inputs",
            reason=_raised(problem, search_fn),
        ) from problem  # fmt: skip
    _registered[key] = who
    _functions.append((search_fn, replace_fn, extra_check, dict(scalar_workaround or {})))


def apply(gm: torch.fx.GraphModule) -> int:
    """Replace what matches; returns how many times. Raises PatternFailed where a user's function fails."""
    if not _passes:
        return 0
    from torch._guards import detect_fake_mode
    from torch._inductor.virtualized import V

    mode = detect_fake_mode([n.meta.get("val") for n in gm.graph.nodes])
    lines = {n: n.stack_trace for n in gm.graph.nodes}
    try:
        with V.set_fake_mode(mode):
            count = int(_passes[0].apply(gm.graph))
    except errors.FerrataError:
        raise
    except Exception as problem:
        raise errors.PatternFailed(
            pattern=", ".join(_registered.values()), doing="replace it in a graph",
            reason=f"{type(problem).__name__}: {problem}",
        ) from problem  # fmt: skip
    if count:
        _provenance(gm, lines)
        gm.graph.lint()
        gm.recompile()
    return count


def registered() -> dict[tuple[str, ...], str]:
    """The patterns of the process: their key and their name."""
    return dict(_registered)


def functions() -> list[tuple[Any, ...]]:
    """What each pattern was registered with: the pattern, its replacement, the check, the numbers."""
    return list(_functions)


def forget() -> None:
    """Drop every pattern; for tests and notebooks."""
    _passes.clear()
    _registered.clear()
    _functions.clear()


def _traced(function: Callable[..., Any], args: Sequence[Any], *, get_decomp_fn: Any = dict) -> torch.fx.GraphModule:
    """As models are captured here: functional, with the given decompositions."""
    from torch._dispatch.python import enable_python_dispatcher
    from torch._functorch._aot_autograd.functional_utils import from_fun, to_fun
    from torch._subclasses.functional_tensor import FunctionalTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.traceback import preserve_node_meta

    def functional(*inputs: Any) -> Any:
        with FunctionalTensorMode():
            out = function(*pytree.tree_map(lambda v: to_fun(v) if isinstance(v, torch.Tensor) else v, inputs))
        return pytree.tree_map(lambda v: from_fun(v) if isinstance(v, torch.Tensor) else v, out)

    with enable_python_dispatcher(), preserve_node_meta():
        gm = make_fx(functional, get_decomp_fn(), tracing_mode="real")(*args)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    return gm


def _adapted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The matcher reads names of parameters from a Python function; operators of torch.ops have a schema."""
    target = getattr(function, "default", function)
    schema = getattr(target, "_schema", None)
    if schema is None:
        return function
    names = [a.name for a in schema.arguments]
    scope: dict[str, Any] = {"function": function}
    exec(f"def call({', '.join(names)}): return function({', '.join(names)})", scope)
    return scope["call"]  # type: ignore[no-any-return]


def _uses_all(who: str, search_fn: Any, gm: torch.fx.GraphModule, numbers: dict[str, Any]) -> None:
    """Raise PatternFailed if an argument plays no part in the pattern: no match would say what it is."""
    names = list(inspect.signature(_adapted(search_fn)).parameters)
    given = [n for n in gm.graph.nodes if n.op == "placeholder"]
    if len(names) != len(given):  # lists among the arguments
        return
    for name, node in zip(names, given, strict=True):
        if not node.users and name not in numbers and isinstance(node.meta.get("val"), torch.Tensor):
            reason = f"its argument {name!r} plays no part in it"
            raise errors.PatternFailed(pattern=who, doing="match anything", reason=reason)


def _misfit(search_fn: Any, replace_fn: Any, inputs: Sequence[Any], numbers: Mapping[str, Any]) -> str | None:
    """What does not fit among the parameters of both functions and what stands for their arguments."""
    try:
        names = inspect.signature(_adapted(search_fn)).parameters
        replacing = inspect.signature(_adapted(replace_fn))
    except ValueError:  # a function of C that does not tell
        return None
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    if any(p.kind not in plain for p in names.values()) or any(isinstance(v, (list, tuple, dict)) for v in inputs):
        return None
    unknown = [n for n in numbers if n not in names]
    if unknown:
        return f"scalar_workaround names {', '.join(unknown)}, and its arguments are {', '.join(names)}"
    tensors = [n for n in names if n not in numbers]
    needed = [n for n in tensors if names[n].default is inspect.Parameter.empty]
    if not len(needed) <= len(inputs) <= len(tensors):
        return f"it takes {', '.join(tensors) or 'no tensors'}, and there are {len(inputs)} example inputs"
    try:
        replacing.bind(*names)
    except TypeError as problem:
        return f"its replacement {_who(replace_fn)} takes other arguments than ({', '.join(names)}): {problem}"
    return None


def _replacement(
    who: str, replace_fn: Any, match: Any, trace: Callable[[], torch.fx.GraphModule]
) -> torch.fx.GraphModule:
    """What `replace_fn` makes for a match; raises PatternFailed unless it gives what the pattern gave."""
    old = [n for n in match.output_nodes() if n is not None]
    where = str(where_of(old[0])) if old else "(no node)"
    try:
        gm = trace()
    except Exception as problem:
        reason = _raised(problem, replace_fn)
        raise errors.PatternFailed(
            pattern=who, doing=f"trace its replacement for the match at {where}", reason=reason
        ) from problem
    results = pytree.tree_leaves(gm.graph.output_node().args[0])
    new = [r.meta.get("val") if isinstance(r, torch.fx.Node) else r for r in results]
    wanted = [n.meta.get("val") for n in old]
    if len(new) != len(wanted) or any(not alike(a, b) for a, b in zip(new, wanted, strict=True)):
        listed = [", ".join(_text(v) for v in values) or "nothing" for values in (wanted, new)]
        raise errors.PatternFailed(
            pattern=who, doing=f"replace the match at {where}",
            reason=f"what it matches gives {listed[0]}, the replacement {listed[1]}",
        )  # fmt: skip
    return gm


def alike(new: Any, old: Any) -> bool:
    """One data type, device and shape, as far as is known of sizes that change."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    if not isinstance(old, torch.Tensor) or not isinstance(new, torch.Tensor):
        return isinstance(old, torch.Tensor) == isinstance(new, torch.Tensor)
    if new.dtype != old.dtype or new.dim() != old.dim() or new.device.type != old.device.type:
        return False
    return not any(statically_known_true(a != b) for a, b in zip(new.shape, old.shape, strict=True))


def _text(value: Any) -> str:
    return str(desc_of(value)) if isinstance(value, torch.Tensor) else repr(value)


def _check(who: str, extra: Callable[[Any], bool] | None, matched: list[Any]) -> Callable[[Any], bool]:
    def check(match: Any) -> bool:
        matched[:] = [match]
        if len({attributes(n).get(_STREAM) for n in match.nodes}) > 1:
            return False  # parts of it run on different streams
        if extra is None:
            return True
        try:
            return bool(extra(match))
        except Exception as problem:
            where = str(where_of(match.nodes[-1])) if match.nodes else "(no node)"
            raise errors.PatternFailed(
                pattern=who, doing=f"run its extra_check for the match at {where}",
                reason=f"{type(problem).__name__}: {problem}",
            ) from problem  # fmt: skip

    return check


def _provenance(gm: torch.fx.GraphModule, lines: dict[Any, Any]) -> None:
    """New nodes carry the line of the nearest old node behind them that the replacement feeds, or before."""
    last = None
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        if not node.stack_trace and last is not None:
            node.stack_trace = last
        if node in lines and node.stack_trace:
            last = node.stack_trace


def _raised(problem: Exception, function: Any) -> str:
    text = f"{type(problem).__name__}: {problem}"
    name, line = getattr(function, "__qualname__", ""), line_in(function, problem)
    return text if not hasattr(function, "__code__") else f"{text}\n\nIn {name}, {line}"


def _who(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or str(function)
    code = getattr(function, "__code__", None)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else name


def _key(who: str, function: Any, scalars: Any) -> tuple[str, ...]:
    code = getattr(inspect.unwrap(function), "__code__", None)
    text = "" if code is None else code.co_code.hex() + repr(code.co_consts) + repr(code.co_names)
    return (who, text, repr(scalars))
