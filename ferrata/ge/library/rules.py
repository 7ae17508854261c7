"""How an operator of GE's library runs: one ATen call, written as a function of the operator's ports and attributes.

    @rule("SoftmaxV2")
    def softmax(x, *, axes=(-1,), half_to_float=False): ...

A rule takes the ports by position, in the prototype's order, and the attributes that it knows by name. `host` names
ports whose value is needed as Python numbers: axes, sizes. It gets them as a list (or a number for a tensor without
dimensions); where the graph knows them they stand in the program as literals. `numbers` names ports that also take a
Python number for a constant. This module holds state: the table of rules, and what inference found lately.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

from ferrata.ge.types import UNDEFINED, ge_dtype

Function = Callable[..., Any]
Text = Callable[[Sequence[str], Mapping[str, Any]], "str | None"]
Ranked = Callable[[Sequence[str], Sequence["int | None"], Mapping[str, Any]], "str | None"]


@dataclass(frozen=True)
class Rule:
    """One operator's rule.

    dynamic: the output's shape depends on values. view: the output may lie in an input's memory, with strides of its
    own. creates: the output exists without an input, and has the data type of this port or attribute; the function gets
    `dtype` and `device`. attrs: the attributes that it honours, None for all. text: the call as a Python expression over
    the ports {0}, {1} ..., for nodes without optional ports and attributes: what most nodes are, and the fastest. Or a
    function of the ports' and the attributes' texts that returns such an expression, None where it has none.
    ranked: as `text` that is a function, of the operands one by one and the number of dimensions of each, None if unknown.
    infer: (inputs, attributes) -> [(dtype, shape or None)], for functions that cannot run on meta tensors.
    effect: it draws random numbers or talks to other processes: never merged, moved or dropped.
    """

    op_type: str
    function: Function
    host: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    dynamic: bool = False
    view: bool = False
    creates: str = ""
    attrs: frozenset[str] | None = None
    text: str | Text = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    infer: Callable[[list[Any], Mapping[str, Any]], list[Any]] | None = None
    effect: bool = False
    ranked: Ranked | None = None

    def expression(self, parts: Sequence[str], keywords: Mapping[str, Any]) -> str | None:
        """The call as an expression, where `text` has one for these ports and attributes."""
        if not isinstance(self.text, str):
            return self.text(parts, keywords)
        plain = self.text and not keywords and self.text.count("{") == len(parts)
        return self.text.format(*parts) if plain else None

    def keywords(self, attrs: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes as the function takes them. Raises KeyError naming one that it does not honour."""
        kept = {}
        for name, value in attrs.items():
            if self.attrs is None or name in self.attrs:
                if name not in self.defaults or _plain(self.defaults[name]) != _plain(value):
                    kept[name] = value
            elif value != defaults.get(name):
                raise KeyError(name)
        return kept


_RULES: dict[str, Rule] = {}


def rule(
    *op_types: str,
    host: str = "",
    numbers: str = "",
    dynamic: bool = False,
    view: bool = False,
    creates: str = "",
    text: str | Text = "",
    infer: Callable[[list[Any], Mapping[str, Any]], list[Any]] | None = None,
    effect: bool = False,
    ranked: Ranked | None = None,
) -> Callable[[Function], Function]:
    """Register a function as the rule of operator types; ports in `host` and `numbers` are separated by blanks."""

    def register(function: Function) -> Function:
        names, defaults = _attributes(function)
        for op_type in op_types:
            assert op_type not in _RULES, f"two rules for {op_type}"
            _RULES[op_type] = Rule(
                op_type,
                function,
                tuple(host.split()),
                tuple(numbers.split()),
                dynamic,
                view,
                creates,
                names,
                text,
                defaults,
                infer,
                effect,
                ranked,
            )
        return function

    return register


def plain(function: Function, *op_types: str, numbers: str = "", text: str = "", to: str = "") -> None:
    """Rules that are an existing elementwise function of the ports alone. to: the result's dtype, "" that of the first
    port, "?" whatever the function says."""

    def infer(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
        shape = list(inputs[0].shape)
        for other in inputs[1:]:
            shape = broadcast(shape, other.shape)
        return [(getattr(torch, to) if to else inputs[0].dtype, shape)]

    for op_type in op_types:
        _RULES[op_type] = Rule(
            op_type,
            function,
            (),
            tuple(numbers.split()),
            attrs=frozenset(),
            text=text,
            infer=None if to == "?" else infer,
        )


def broadcast(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """The shape of two that broadcast. Raises ValueError."""
    if list(a) == list(b):
        return list(a)
    rank = max(len(a), len(b))
    left, right = [1] * (rank - len(a)) + list(a), [1] * (rank - len(b)) + list(b)
    if any(m != n and 1 not in (m, n) for m, n in zip(left, right, strict=True)):
        raise ValueError(f"shapes {list(a)} and {list(b)} do not broadcast")
    return [n if m == 1 else m for m, n in zip(left, right, strict=True)]


def find(op_type: str) -> Rule | None:
    """The rule of an operator type, None if nothing executes it here."""
    _load()
    return _RULES.get(op_type)


def every() -> Mapping[str, Rule]:
    """All rules by operator type."""
    _load()
    return _RULES


@cache
def _load() -> None:
    # each has its rules
    from ferrata.ge.library import (  # noqa: F401
        arith,
        collectives,
        grad,
        index,
        more,
        nn,
        random,
        reduce,
        shape,
        signal,
        spatial,
    )


def _attributes(function: Function) -> tuple[frozenset[str] | None, dict[str, Any]]:
    """The attributes that a function takes, None for all, and their defaults."""
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "device"]
    defaults = {p.name: p.default for p in named if p.default is not p.empty}
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None, defaults
    return frozenset(p.name for p in named), defaults


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Shaped:
    """An operand while inferring: data type and shape, nothing else."""

    dtype: torch.dtype
    shape: tuple[int, ...]

    def dim(self) -> int:
        return len(self.shape)


Results = list[tuple[int, "list[int] | None"]]
_MOST = 4096  # remembered results; a graph repeats its layers


def outputs(rule: Rule, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Results:
    """Data type and shape of each output: by the rule's `infer`, else by running it on meta tensors.

    inputs: per port a Shaped, a list of them, or the value of a host port. Shape None: it depends on values.
    """
    if rule.infer is not None:
        found = rule.infer(list(inputs), attrs)
        return [(ge_dtype(d) if isinstance(d, torch.dtype) else d, s) for d, s in found]
    key = (rule.op_type, tuple([_key(v) for v in inputs]), repr(attrs) if attrs else "")
    known = _known.get(key)
    if known is None:
        result = rule.function(*map(_meta, inputs), **attrs)
        many = result if isinstance(result, (list, tuple)) else (result,)
        known = [(UNDEFINED if t is None else ge_dtype(t.dtype), None if t is None else list(t.shape)) for t in many]
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = known
    return [(d, None if s is None else list(s)) for d, s in known]


_known: dict[tuple[str, tuple[Any, ...], str], Results] = {}


def _key(value: Any) -> Any:
    """Of numbers and lists their text: 1, 1.0 and True are equal to Python."""
    if isinstance(value, Shaped):
        return value.dtype, value.shape
    if isinstance(value, list) and value and isinstance(value[0], Shaped):
        return tuple([_key(v) for v in value])
    return repr(value)


def _meta(value: Any) -> Any:
    """A tensor without memory for each operand."""
    if isinstance(value, Shaped):
        return torch.empty(value.shape, dtype=value.dtype, device="meta")
    if isinstance(value, list) and value and isinstance(value[0], Shaped):
        return [_meta(v) for v in value]
    return value
