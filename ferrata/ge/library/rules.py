"""How an operator of GE's library runs: one ATen call, written as a function of the operator's ports and attributes.

    @rule("SoftmaxV2")
    def softmax(x, *, axes=(-1,), half_to_float=False): ...

A rule takes the ports by position, in the prototype's order, and the attributes that it knows by name. `host` names
ports whose value is needed as Python numbers: axes, sizes. It gets them as a list (or a number for a tensor without
dimensions); where the graph knows them they stand in the program as literals. `numbers` names ports that also take a
Python number for a constant. This module holds state: the table of rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from ferrata.ge.types import UNDEFINED, ge_dtype, torch_dtype

Function = Callable[..., Any]


@dataclass(frozen=True)
class Rule:
    """One operator's rule.

    dynamic: the output's shape depends on values. view: the output may lie in an input's memory. creates: the output
    exists without an input, and has the data type of this port or attribute; the function gets `dtype` and `device`.
    attrs: the attributes that it honours, None for all. infer: (inputs, attributes) -> [(dtype, shape or None)], for
    functions that cannot run on meta tensors.
    """

    op_type: str
    function: Function
    host: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    dynamic: bool = False
    view: bool = False
    creates: str = ""
    attrs: frozenset[str] | None = None
    infer: Callable[[list[Any], Mapping[str, Any]], list[Any]] | None = None

    def keywords(self, attrs: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes as the function takes them. Raises KeyError naming one that it does not honour."""
        kept = {}
        for name, value in attrs.items():
            if self.attrs is None or name in self.attrs:
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
    infer: Callable[[list[Any], Mapping[str, Any]], list[Any]] | None = None,
) -> Callable[[Function], Function]:
    """Register a function as the rule of operator types; ports in `host` and `numbers` are separated by blanks."""

    def register(function: Function) -> Function:
        names = _attributes(function)
        for op_type in op_types:
            assert op_type not in _RULES, f"two rules for {op_type}"
            _RULES[op_type] = Rule(
                op_type, function, tuple(host.split()), tuple(numbers.split()), dynamic, view, creates, names, infer
            )
        return function

    return register


def plain(function: Function, *op_types: str, numbers: str = "") -> None:
    """Rules that are an existing function of the ports alone."""
    for op_type in op_types:
        _RULES[op_type] = Rule(op_type, function, (), tuple(numbers.split()), attrs=frozenset())


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
    from ferrata.ge.library import arith, index, nn, reduce, shape  # noqa: F401  (each registers its rules)


def _attributes(function: Function) -> frozenset[str] | None:
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY) - {"device"}


def outputs(rule: Rule, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[tuple[int, list[int] | None]]:
    """Data type and shape of each output, by running the rule on meta tensors.

    inputs: per port (dtype, shape) pairs already made meta tensors, or host values. Shape None: it depends on values.
    """
    if rule.infer is not None:
        return [(ge_dtype(d) if isinstance(d, torch.dtype) else d, s) for d, s in rule.infer(list(inputs), attrs)]
    result = rule.function(*inputs, **attrs)
    many = result if isinstance(result, (list, tuple)) else (result,)
    return [(UNDEFINED if t is None else ge_dtype(t.dtype), None if t is None else list(t.shape)) for t in many]


def meta(dtype: int, shape: Sequence[int]) -> torch.Tensor:
    """A tensor without memory, for inference."""
    return torch.empty(tuple(shape), dtype=torch_dtype(dtype), device="meta")
