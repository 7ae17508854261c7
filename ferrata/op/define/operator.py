"""`@fe.op`: from a function's signature to an operator that torch, torch.compile and GE know.

The decorator registers the operator with torch; `@op.plan` says how to launch it and registers it with GE. Holds state:
the operators that exist, by name.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch

import ferrata.npu as _device  # noqa: F401  (registers the device)
from ferrata import errors
from ferrata.op.define import autograd, graph, place, signature
from ferrata.op.define.eager import Executor
from ferrata.op.define.model import OperatorDef
from ferrata.op.define.registration import Registration, schema

F = TypeVar("F", bound=Callable[..., Any])
_operators: dict[str, Operator] = {}


class Operator:
    """An operator; call it with tensors and attributes as its signature says.

    On npu tensors it launches kernels, on CPU tensors it does so with copies. It is `op`, an operator of torch
    (`torch.ops.mylib.add.default`), in compiled graphs a node of its GE type.
    """

    def __init__(self, definition: OperatorDef) -> None:
        self.definition = definition
        self._registration = Registration(definition)
        self.op: Any = self._registration.op
        self.__doc__ = definition.doc
        self.__name__ = definition.function.__name__
        self.__qualname__ = definition.function.__qualname__
        self.__module__ = definition.function.__module__
        self.__wrapped__ = definition.function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.op(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<operator {self.definition.name}: {self.definition.signature()}>"

    def __reduce__(self) -> Any:
        # copies and pickles of a model that holds an operator mean the same operator
        return _find, (self.definition.name, self.__module__)

    @property
    def name(self) -> str:
        """The name in torch, "mylib::add"."""
        return self.definition.name

    @property
    def executor(self) -> Executor:
        """What prepares and runs its calls."""
        return self._registration.executor

    @property
    def schema(self) -> str:
        """The schema in torch, without the namespace."""
        return schema(self.definition)

    def plan(self, function: F) -> F:
        """Decorate the function that says how to launch: `def _(x, y, alpha, z): return kernel.launch(...)`.

        It gets the inputs, the attributes and the outputs, whose names it gives; then a tensor of one int32 for each size
        that the kernel counts. Tensors have shape and dtype, no values. A list of tensors is a tuple, an absent tensor
        None. It returns what `kernel.launch(..., cores=...)` gives, or a list of these, which run in order. It runs once
        for each combination of shapes, types and attributes, so it may depend on nothing else.
        Raises PlanSignature, OutputAliasesInput.
        """
        outputs = _plan_outputs(self.definition, function)
        named = [dataclasses.replace(p, name=n) for p, n in zip(self.definition.outputs, outputs, strict=True)]
        again = self.definition.plan is not None
        if again:
            graph.unregister(self.definition, self.op)
        self._become(plan=function, outputs=tuple(named))
        graph.register(self.definition, self.op, self._registration.executor)
        return function

    def shape(self, function: F) -> F:
        """Decorate a function that computes the shapes of the outputs: `def _(x, y): return (x.shape[0] + 1, 8)`.

        It gets the inputs and attributes and returns a shape, or a tuple of shapes for several outputs. Sizes may be
        symbols: compute with them, do not branch on them. Annotated dimensions that the inputs bind are compared.
        """
        self._become(shape=function)
        return function

    def backward(self, function: F) -> F:
        """Decorate the gradient: `def _(grad, x, weight): return dx, dweight`.

        Its parameters say what is saved: inputs, outputs and attributes by name; `grad`, or `grad_<output>` for each of
        several outputs; `needs`, the names of the inputs whose gradients are asked for. It returns a gradient for each
        input tensor in order (None for none), or a dictionary by name. Give it below the plan when it names outputs.
        Raises BackwardSignature, BackwardOfWritten.
        """
        autograd.check(self.definition, function)
        self._become(backward=function)
        return function

    def reference(self, function: F) -> F:
        """Decorate the same operator in plain torch, for tests and documentation; it never runs in a call."""
        self._become(reference=function)
        return function

    def close(self) -> None:
        """Take the operator out of torch and GE. A call raises OperatorClosed then, and the name is free for another."""
        if self.op == self._closed:
            return
        if self.definition.plan is not None:
            graph.unregister(self.definition, self.op)
        self._registration.close(self._closed)
        self.op = self._closed
        if _operators.get(self.definition.name) is self:
            del _operators[self.definition.name]

    def _closed(self, *_args: Any, **_kwargs: Any) -> Any:
        raise errors.OperatorClosed(name=self.definition.name, where=self.definition.where)

    def _become(self, **changes: Any) -> None:
        self.definition = dataclasses.replace(self.definition, **changes)
        self._registration.update(self.definition)


def op(name: str, *, ge: str | None = None) -> Callable[[Callable[..., Any]], Operator]:
    """Decorate a function to make its signature an operator; its body is only documentation.

    name: "namespace::name" for torch. ge: the GE type, by default the name in camel case.
    Arguments are `fe.Tensor[T, ...]` (see there), `| None` of it, a list of it, `fe.Mut[...]` for what is written; then
    attributes int, float, bool, str or lists of the first three, with defaults. The result is a tensor, a list, a tuple
    of these, or None.

    >>> @fe.op("mylib::axpy", ge="AxpyCustom")
    ... def axpy(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...], alpha: float = 1.0) -> fe.Tensor[T, ...]:
    ...     '''alpha * x + y.'''
    >>> @axpy.plan
    ... def _(x, y, alpha, z):
    ...     return axpy_kernel.launch(x, y, z, alpha, x.numel(), cores=fe.at_most(x.numel() // 2048))
    >>> z = axpy(x, y, 2.0)

    Raises an OperatorError for a signature that cannot be an operator; OperatorExists when the name is taken. The same
    definition read again, by a reload or in a notebook, replaces the first.
    """
    return define(name, ge, sys._getframe(1))


def define(name: str, ge: str | None, frame: Any) -> Callable[[Callable[..., Any]], Operator]:
    """`op`, for the definition that stands in `frame`."""
    scope = _scope(frame)

    def decorate(function: Callable[..., Any]) -> Operator:
        definition = signature.read(function, name, ge, scope)
        before = _operators.get(name)
        if before is not None and _same_place(before.definition, definition):
            before.close()
        elif before is not None or _in_torch(name):
            first = before.definition.where if before is not None else "another library"
            raise errors.OperatorExists(where=place.of_function(function), name=name, first=first)
        made = _operators[name] = Operator(definition)
        return made

    return decorate


def operators() -> Mapping[str, Operator]:
    """The operators that were defined, by name."""
    return dict(_operators)


def _find(name: str, module: str) -> Operator:
    """The operator of that name; imports the module that defines it if need be."""
    if name not in _operators:
        importlib.import_module(module)
    return _operators[name]


def _scope(frame: Any) -> dict[str, Any]:
    """Names around a definition inside a function, for annotations that are strings."""
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def _same_place(first: OperatorDef, second: OperatorDef) -> bool:
    """Whether a definition is the other one, read again: the same lines, or a cell of a notebook."""
    a, b = first.function, second.function
    if (a.__module__, a.__qualname__) != (b.__module__, b.__qualname__):
        return False
    return (first.file, first.line) == (second.file, second.line) or all(_is_cell(d.file) for d in (first, second))


def _is_cell(file: str) -> bool:
    return file.startswith("<") or "ipykernel" in file


def _in_torch(name: str) -> bool:
    return any(schema.name == name for schema in torch._C._jit_get_schemas_for_operator(name))


def _plan_outputs(definition: OperatorDef, function: Callable[..., Any]) -> list[str]:
    """The names that a plan gives the outputs. Raises PlanSignature, OutputAliasesInput."""
    parameters = list(inspect.signature(function).parameters)
    first, count = len(definition.parameters), len(definition.outputs)
    counts = [dim.name for dim in definition.unknowns]
    outputs = parameters[first : first + count]
    at = place.of_function(function)
    simple = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in inspect.signature(function).parameters.values())
    if (
        not simple
        or tuple(parameters[:first]) != definition.parameters
        or len(outputs) != count
        or parameters[first + count :] != counts
    ):
        what = f"{count} output{'s' * (count != 1)} under names of your choice"
        if counts:
            what += f", and the tensors of one int32 in which the kernel counts {', '.join(counts)}"
        expected = [*definition.parameters, *(p.name for p in definition.outputs), *counts]
        raise errors.PlanSignature(
            where=at, op=definition.name, got=", ".join(parameters), expected=", ".join(expected), outputs=what,
            excerpt=at.excerpt,
        )  # fmt: skip
    return outputs
