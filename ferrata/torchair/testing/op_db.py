"""PyTorch's operator database through the graph: each sample traced, converted, run, and compared with eager.

    for case in cases("softmax", torch.float32, limit=2):
        outcome = run(case, symbolic=False)

A sample counts for every overload in its trace that has a converter: converted, or left as an ATen node because GE has
nothing for that call. Values, data types and shapes must be those of eager PyTorch.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ferrata.torchair.backend import get_compiler
from ferrata.torchair.converters import every

DTYPES = (
    torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool,
)  # fmt: skip

# Values that are nobody's: there is nothing to compare. Random ones are drawn from one seed in both runs.
_UNCOMPARED = ("empty",)
_SEED = 42  # what the database's own functions set


@dataclass(frozen=True)
class Case:
    """One sample: the operator's name, its function of tensors alone, and these tensors."""

    name: str
    dtype: torch.dtype
    function: Callable[..., Any]
    tensors: tuple[torch.Tensor, ...]

    def on(self, device: str) -> Case:
        """The same sample with its tensors on another device."""
        return replace(self, tensors=tuple(t.to(device) for t in self.tensors))


@dataclass(frozen=True)
class Outcome:
    """The overloads of one sample that were converted, and those with a converter that stayed ATen nodes.

    rounded: whether the graph that PyTorch traced differs from eager itself, so that it was compared with that graph.
    """

    converted: frozenset[str]
    stayed: frozenset[str]
    rounded: bool = False


@cache
def operators() -> dict[str, Any]:
    """The database by name; variants apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db

    return {f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op for op in op_db}


def cases(name: str, dtype: torch.dtype, limit: int) -> Iterator[Case]:
    """The first samples of an operator whose arguments are strided tensors; none for a dtype that it lacks."""
    op = operators()[name]
    if dtype not in op.supported_dtypes("cpu"):
        return
    for number, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=False)):
        if number == limit:
            return
        flat, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        places = [i for i, v in enumerate(flat) if isinstance(v, torch.Tensor) and v.layout == torch.strided]
        yield Case(name, dtype, _function(op, flat, spec, places), tuple(flat[i] for i in places))


def _function(op: Any, flat: list[Any], spec: Any, places: list[int]) -> Callable[..., Any]:
    def function(*tensors: torch.Tensor) -> Any:
        values = list(flat)
        for place, tensor in zip(places, tensors, strict=True):
            values[place] = tensor
        args, kwargs = pytree.tree_unflatten(values, spec)
        return op(*args, **kwargs)

    return function


def run(case: Case, *, symbolic: bool = False, functional: bool = True) -> Outcome | None:
    """Trace, convert, run, compare. None where PyTorch cannot trace or run it, or nothing in it has a converter.

    symbolic: sizes are symbols. functional: as AOTAutograd traces, which rewrites some overloads; else each call stays
    whole. Raises AssertionError when a result differs from eager, and what conversion raises.
    """
    gm = _traced(case, symbolic, functional)
    if gm is None:
        return None
    targets = {n.target for n in gm.graph.nodes if n.op == "call_function"}
    if functional and any(word in str(t) for t in targets for word in _UNCOMPARED):
        return None
    known = {t for t in targets if t in every()}
    if not known:
        return None
    try:
        torch.manual_seed(_SEED)
        expected = pytree.tree_leaves(case.function(*_fresh(case)))
    except Exception:  # noqa: BLE001  the sample itself is not runnable, whatever it raises
        return None
    if not _agree(gm, expected):
        return None
    compiled = get_compiler()(gm, list(case.tensors))
    torch.manual_seed(_SEED)
    results = pytree.tree_leaves(list(compiled(_fresh(case))))
    rounded = False
    try:
        _compare(results, expected)
    except AssertionError:
        torch.manual_seed(_SEED)
        traced = pytree.tree_leaves(gm(*_fresh(case)))
        rounded = _differ(traced, expected)
        if not rounded:
            raise
        _compare(results, traced)
    stayed = {n.type for n in compiled.graph.original.nodes if not n.portable}
    left = frozenset(str(t) for t in known if str(t).replace(".", "::", 1) in stayed)
    return Outcome(frozenset(map(str, known)) - left, left, rounded)


def _compare(results: list[Any], expected: list[Any]) -> None:
    assert len(results) == len(expected), f"{len(results)} results for {len(expected)}"
    for actual, wanted in zip(results, expected, strict=True):
        if isinstance(wanted, torch.Tensor):
            torch.testing.assert_close(actual, wanted, equal_nan=True)
        else:
            assert actual == wanted, f"{actual!r} for {wanted!r}"


def _differ(results: list[Any], expected: list[Any]) -> bool:
    """Whether PyTorch's trace, which breaks some operators up, adds up in another order than eager mode."""
    try:
        _compare(results, expected)
    except AssertionError:
        return True
    return False


def _traced(case: Case, symbolic: bool, functional: bool) -> torch.fx.GraphModule | None:
    from torch.fx.experimental.proxy_tensor import make_fx

    pure = torch.func.functionalize(case.function) if functional else case.function
    for whole in (False,) if functional else (True, False):  # some overloads have no symbolic sizes when they are whole
        traced = make_fx(pure, tracing_mode="symbolic" if symbolic else "fake", pre_dispatch=whole)
        with contextlib.suppress(Exception):  # data-dependent control flow and the like: PyTorch's own limits
            return traced(*case.tensors)
    return None


def _agree(gm: torch.fx.GraphModule, expected: list[Any]) -> bool:
    """Whether PyTorch's Meta promises the data types that its kernels give: for a few operators it does not."""
    promised = pytree.tree_leaves(next(n for n in gm.graph.nodes if n.op == "output").args)
    metas = [p.meta.get("val") if isinstance(p, torch.fx.Node) else p for p in promised]
    pairs = zip(metas, expected, strict=False)
    return all(m.dtype == e.dtype for m, e in pairs if isinstance(m, torch.Tensor) and isinstance(e, torch.Tensor))


def _fresh(case: Case) -> list[Any]:
    return [_copied(t) for t in case.tensors]


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    """The same values in new memory of the same order, gaps and all: a clone has no gaps."""
    if tensor.is_contiguous() or tensor.is_conj() or tensor.is_neg():
        return tensor.clone()
    length = tensor.untyped_storage().nbytes() // tensor.element_size()
    memory = tensor.as_strided((length,), (1,), 0).clone()
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
