"""Run a program as it is and as a graph, and compare everything: values, types, shapes, strides, written inputs.

    check(function, arguments, more, even_more)

The function is captured once, with symbolic sizes, and compiled once; each set of arguments that the capture's guards
allow is run on both. Raises Difference, or whatever conversion and session raise.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch._dynamo.config
from torch.utils import _pytree as pytree

from ferrata.torchair.backend import get_compiler
from ferrata.torchair.converters import every


class Difference(AssertionError):
    """The graph and PyTorch disagree."""


class Verdict(enum.Enum):
    """What became of a program that shows no difference."""

    SAME = "same"
    UNTRACED = "PyTorch cannot capture it"
    EAGER = "PyTorch's capture is not PyTorch's eager"
    META = "PyTorch's Meta says another data type than runs"
    AMPLIFIED = "rounding, amplified"


@dataclass(frozen=True)
class Report:
    """targets: overloads in the captured graph; left: those with a converter that stayed ATen nodes; runs: sizes."""

    verdict: Verdict
    targets: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    runs: int = 0
    nodes: int = 0


def check(function: Callable[..., Any], *arguments: Sequence[Any], symbolic: bool = True) -> Report:
    """Capture with the first arguments; run with these and with all others that the guards allow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _check(function, arguments, symbolic)


def _check(function: Callable[..., Any], arguments: Sequence[Sequence[Any]], symbolic: bool) -> Report:
    refused = _raises(lambda: function(*fresh(arguments[0])))  # fakes let pass what the kernels refuse
    gm = None if refused else capture(function, arguments[0], symbolic)
    if gm is None:
        return Report(Verdict.UNTRACED)
    targets = {n.target for n in gm.graph.nodes if n.op == "call_function"}
    # `copy_` onto an input stands at the end; a GraphModule runs as it is, so that it may be asked later
    compiled = get_compiler()(gm, list(arguments[0]))
    verdict, runs = Verdict.SAME, 0
    for given in arguments:
        if not _allowed(gm, given):
            continue
        found = _compare(function, gm, compiled, given)
        runs += 1
        if found is not Verdict.SAME:
            verdict = found
            break
    graph = compiled.graph.original
    stayed = {n.type for n in graph.nodes if not n.portable}
    ours = every()
    left = frozenset(str(t) for t in targets if t in ours and f"aten::{str(t).removeprefix('aten.')}" in stayed)
    return Report(verdict, frozenset(map(str, targets)), left, runs, len(graph.nodes))


def _raises(run: Callable[[], Any]) -> bool:
    try:
        run()
    except Exception:  # noqa: BLE001  whatever it raises
        return True
    return False


def capture(
    function: Callable[..., Any], arguments: Sequence[Any], symbolic: bool = True
) -> torch.fx.GraphModule | None:
    """The functionalised graph, None where PyTorch cannot make one."""
    from torch.fx.experimental.proxy_tensor import make_fx

    mode: Any = "symbolic" if symbolic else "fake"
    try:
        with torch._dynamo.config.patch(fake_tensor_cache_enabled=False):  # of use for repeated shapes only
            return make_fx(torch.func.functionalize(function), tracing_mode=mode)(*fresh(arguments))
    except Exception:  # noqa: BLE001  data-dependent guards and the like: PyTorch's own limits
        return None


def fresh(arguments: Sequence[Any]) -> list[Any]:
    """Copies with the same layout."""
    return [_copied(a) if isinstance(a, torch.Tensor) else a for a in arguments]


def _copied(t: torch.Tensor, shift: int = 0) -> torch.Tensor:
    reach = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True)) if t.numel() else 0
    return torch.zeros(reach + shift, dtype=t.dtype).as_strided(t.shape, t.stride(), shift).copy_(t)


def _compare(function: Callable[..., Any], gm: torch.fx.GraphModule, compiled: Any, given: Sequence[Any]) -> Verdict:
    eager_inputs, graph_inputs = fresh(given), fresh(given)
    try:
        expected = pytree.tree_leaves(function(*eager_inputs))
    except Exception:  # noqa: BLE001  these sizes are not for this program
        return Verdict.SAME
    plain_inputs = fresh(given)
    try:
        problem = _problem(lambda: pytree.tree_leaves(list(compiled(list(graph_inputs)))), expected, graph_inputs,
                           eager_inputs, _promised(gm, given))  # fmt: skip
    except Exception:
        if _raises(lambda: gm(*fresh(given))):
            return Verdict.EAGER
        if _misdescribed(gm, given):
            return Verdict.META
        raise
    if problem is None:
        return Verdict.SAME
    with torch.no_grad():
        plain = _problem(
            lambda: pytree.tree_leaves(list(gm(*plain_inputs))), expected, plain_inputs, eager_inputs, None
        )
    if plain is not None:
        return Verdict.EAGER
    if problem.startswith("values") and (_unsteady(function, given, expected) or _amplified(gm, given)):
        return Verdict.AMPLIFIED
    if _misdescribed(gm, given):
        return Verdict.META
    raise Difference(problem)


def _misdescribed(gm: torch.fx.GraphModule, given: Sequence[Any]) -> bool:
    """Whether an operator of PyTorch gives another data type than the Meta by which everything behind it was captured."""

    class Checked(torch.fx.Interpreter):
        found = False

        def run_node(self, n: torch.fx.Node) -> Any:
            result, said = super().run_node(n), n.meta.get("val")
            if isinstance(result, torch.Tensor) and isinstance(said, torch.Tensor):
                self.found = self.found or result.dtype != said.dtype
            return result

    with torch.no_grad():
        checked = Checked(gm)
        checked.run(*fresh(given))
    return checked.found


def _unsteady(function: Callable[..., Any], given: Sequence[Any], expected: list[Any]) -> bool:
    """Whether eager differs from itself when its inputs lie elsewhere in memory: kernels then add in another order."""
    for shift in (1, 2, 3, 5):
        moved = [_copied(a, shift) if isinstance(a, torch.Tensor) else a for a in given]
        again = pytree.tree_leaves(function(*moved))
        if any(isinstance(e, torch.Tensor) and not _equal(a, e) for a, e in zip(again, expected, strict=True)):
            return True
    return False


def _problem(
    run: Callable[[], list[Any]], expected: list[Any], inputs: Sequence[Any], eager_inputs: Sequence[Any],
    promised: list[Any] | None,
) -> str | None:  # fmt: skip
    """The first difference in words."""
    actual = run()
    if len(actual) != len(expected):
        return f"{len(actual)} results for {len(expected)}"
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        found = difference(a, e, None if promised is None else promised[i])
        if found is not None:
            return f"{found} of result {i}"
    for i, (a, e) in enumerate(zip(inputs, eager_inputs, strict=True)):
        if isinstance(a, torch.Tensor) and not _equal(a, e):
            return f"values of input {i} after the call: {_shown(a)}, eager {_shown(e)}"
    return None


def difference(actual: Any, expected: Any, promise: Any = None) -> str | None:
    """How a result differs from eager's. promise: (dtype, strides) of Meta, None where they are not eager's own."""
    if not isinstance(expected, torch.Tensor):
        return None if actual == expected else f"values: {actual!r}, eager {expected!r}"
    if not isinstance(actual, torch.Tensor):
        return f"values: {actual!r}, eager a tensor"
    dtype, stride = (expected.dtype, expected.stride()) if promise is None else promise
    if actual.dtype != dtype and actual.dtype != expected.dtype:
        return f"dtype: {actual.dtype}, eager {expected.dtype},"
    if actual.shape != expected.shape:
        return f"shape: {list(actual.shape)}, eager {list(expected.shape)},"
    if stride is not None and not _same_strides(actual, stride) and not _same_strides(actual, expected.stride()):
        return f"strides: {list(actual.stride())}, eager {list(expected.stride())},"
    if actual.dtype == expected.dtype and not _equal(actual, expected):
        return f"values: {_shown(actual)}, eager {_shown(expected)},"
    return None


def _shown(t: torch.Tensor) -> str:
    return str(t.tolist() if t.numel() <= 12 else t.flatten()[:12].tolist())


def _same_strides(t: torch.Tensor, stride: Sequence[int]) -> bool:
    if t.numel() == 0:
        return True
    return all(n == 1 or a == b for n, a, b in zip(t.shape, t.stride(), stride, strict=True))


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    try:
        torch.testing.assert_close(a, b, equal_nan=True)
    except AssertionError:
        return False
    return True


def _amplified(gm: torch.fx.GraphModule, given: Sequence[Any]) -> bool:
    """Whether each node by itself is right: a difference then is rounding that later nodes made large.

    All values of the graph are asked for, and each call is repeated by PyTorch on the graph's own operands.
    """
    every_node = torch.fx.Graph()
    env: dict[torch.fx.Node, torch.fx.Node] = {}
    asked: list[torch.fx.Node] = []
    for node in gm.graph.nodes:
        if node.op == "output" or node.target is torch.ops.aten.copy_.default:
            continue
        env[node] = every_node.node_copy(node, lambda n: env[n])
        if node.op == "call_function":
            asked.append(node)
    every_node.output(tuple(env[n] for n in asked))
    wide = torch.fx.GraphModule(gm, every_node)
    inputs = fresh(given)
    compiled = get_compiler()(wide, list(inputs))
    values: dict[torch.fx.Node, Any] = dict(
        zip((n for n in gm.graph.nodes if n.op == "placeholder"), inputs, strict=True)
    )
    results = compiled(fresh(given))
    for node, value in zip(asked, results, strict=True):
        values[node] = value
    for node in gm.graph.nodes:
        if node.op == "get_attr":
            values[node] = getattr(gm, str(node.target))
    for node in asked:
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: values[n])
        call: Any = node.target
        again = pytree.tree_leaves(call(*args, **kwargs))
        for a, e in zip(pytree.tree_leaves(values[node]), again, strict=True):
            if isinstance(e, torch.Tensor) and not _equal(a, e):
                return False
    return True


def _promised(gm: torch.fx.GraphModule, given: Sequence[Any]) -> list[Any]:
    """Data type and strides that Meta says each result has, at these sizes."""
    values = _symbols(gm, given)
    sizes: set[Any] = set()
    for node in gm.graph.nodes:
        meta = node.meta.get("val") if node.op == "placeholder" else None
        for size in meta.shape if isinstance(meta, torch.Tensor) else [meta]:
            sizes |= _free(size)
    output = next(n for n in gm.graph.nodes if n.op == "output")
    promised: list[Any] = []
    for leaf in pytree.tree_leaves(output.args[0]):
        meta = leaf.meta.get("val") if isinstance(leaf, torch.fx.Node) else None
        if not isinstance(meta, torch.Tensor):
            promised.append(None)
            continue
        stride = [_number(s, values) for s in meta.stride()]
        # a symbol that only strides of inputs have is none that a graph is told
        known = None not in stride and not any(_free(s) - sizes for s in meta.stride())
        promised.append((meta.dtype, stride if known else None))
    return promised


def _free(size: Any) -> set[Any]:
    return set(size.node.expr.free_symbols) if isinstance(size, torch.SymInt) else set()


def _number(size: Any, values: Any) -> int | None:
    if isinstance(size, int):
        return size
    found = size.node.expr.xreplace(values)
    return int(found) if found.is_number else None


def _symbols(gm: torch.fx.GraphModule, given: Sequence[Any]) -> dict[Any, Any] | None:
    """The value of each symbol at these arguments; None where they contradict the capture."""
    from sympy import Integer  # type: ignore[import-untyped]

    found: dict[Any, Any] = {}
    pairs: list[tuple[Any, int]] = []
    for node, actual in zip((n for n in gm.graph.nodes if n.op == "placeholder"), given, strict=True):
        meta = node.meta.get("val")
        if isinstance(meta, torch.Tensor):
            pairs += [*zip(meta.shape, actual.shape, strict=True), *zip(meta.stride(), actual.stride(), strict=True)]
        elif meta is not None:
            pairs.append((meta, actual))
    for meta, actual in pairs:
        if isinstance(meta, torch.SymInt) and meta.node.expr.is_Symbol:
            found.setdefault(meta.node.expr, Integer(actual))
    for meta, actual in pairs:  # what a symbol was replaced by may hold symbols that stand alone elsewhere only
        number = _number(meta, found)
        if number is not None and number != actual:
            return None
    return found


def _allowed(gm: torch.fx.GraphModule, given: Sequence[Any]) -> bool:
    """Whether the guards of the capture hold for these arguments."""
    values = _symbols(gm, given)
    if values is None:
        return False
    fakes = [n.meta.get("val") for n in gm.graph.nodes if n.op == "placeholder"]
    env = next((f.fake_mode.shape_env for f in fakes if getattr(f, "fake_mode", None) is not None), None)
    if env is None:
        return True
    for symbol, value in values.items():
        bounds = env.var_to_range.get(symbol)
        if bounds is not None and not bool(bounds.lower <= value <= bounds.upper):
            return False
    for guard in env.guards:
        held = guard.expr.xreplace(values)
        if held.free_symbols:
            held = held.xreplace({s: env.backed_var_to_val[s] for s in held.free_symbols if s in env.backed_var_to_val})
        try:
            if not bool(held):
                return False
        except TypeError:  # it depends on what only a run tells
            continue
    return True
