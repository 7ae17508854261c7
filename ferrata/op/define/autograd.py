"""Gradients: `@op.backward` takes a function whose parameters say what it needs.

`grad` (of the one output), or `grad_<output>` for each; inputs, outputs and attributes by their names, which are saved;
`needs`, the names of the inputs whose gradients are asked for. It returns one gradient per input tensor, in order, None
for those without; or a dictionary by name; with one input tensor, that gradient alone. It is built of torch operators.

An argument that the operator writes counts as an output: `grad_x` is the gradient of what it holds afterwards, and what
is returned for it the gradient of what it held before. That old value is gone, so it cannot be asked for.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.op.define import place
from ferrata.op.define.model import OperatorDef


def check(definition: OperatorDef, function: Callable[..., Any]) -> None:
    """Raise BackwardSignature for a parameter that means nothing, BackwardOfWritten for a value that is overwritten."""
    grads = gradients(definition)
    written = [port.name for port in definition.mutated]
    for name in parameters(function, written):
        if name in written:
            at = place.of_parameter(function, name, "name")
            raise errors.BackwardOfWritten(
                where=at, op=definition.name, name=name, excerpt=at.excerpt, grads=" or ".join(grads)
            )
    known = [*definition.parameters, *(port.name for port in definition.outputs)]
    for name in parameters(function, (*grads, *known)):
        if name not in grads and name not in known and name != "needs":
            at = place.of_parameter(function, name, "name")
            close = difflib.get_close_matches(name, [*grads, *known], 1, 0.5)
            near = f" Did you mean {close[0]!r}?" if close else ""
            raise errors.BackwardSignature(
                where=at, op=definition.name, name=name, near=near, excerpt=at.excerpt, grads=" or ".join(grads),
                known=", ".join(known),
            )  # fmt: skip


def parameters(function: Callable[..., Any], known: Container[str]) -> tuple[str, ...]:
    """What a backward asks for: its parameters, without those that have a default and mean nothing of the operator."""
    found = inspect.signature(function).parameters.values()
    return tuple(p.name for p in found if p.default is p.empty or p.name in known)


def gradients(definition: OperatorDef) -> dict[str, int]:
    """The names that gradients of outputs, then of what is written, may have, with their number."""
    ports = (*definition.outputs, *definition.mutated)
    named = {f"grad_{port.name}": i for i, port in enumerate(ports)}
    return {"grad": 0, **named} if len(ports) == 1 else named


class Gradient:
    """The backward of an operator as torch calls it; given again, it takes the place of the first."""

    def __init__(self, definition: OperatorDef, library: Any) -> None:
        assert definition.backward is not None
        self.definition, self.function = definition, definition.backward
        self.grads = gradients(definition)
        row = (*definition.parameters, *(port.name for port in definition.outputs))
        self.names = parameters(self.function, (*self.grads, *row, "needs"))
        ports = {port.name: port for port in (*definition.inputs, *definition.outputs)}
        # positions in the row of inputs, attributes and outputs of what is saved
        saved = [name for name in self.names if name in row and name not in self.grads]
        self.single = [(n, row.index(n)) for n in saved if n in ports and ports[n].kind != "list"]
        self.listed = [(n, row.index(n)) for n in saved if n in ports and ports[n].kind == "list"]
        self.values = [(n, row.index(n)) for n in saved if n not in ports]
        self.lists = [(p.name, i) for i, p in enumerate(definition.inputs) if p.kind == "list"]
        if definition.mutated:
            return  # inplace.py calls it: torch.library has no gradients for operators that write
        setup = self.save if saved or self.lists else None
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="(?s).*Overriding a previously registered kernel")
            torch.library.register_autograd(definition.name, self._backward, setup_context=setup, lib=library)

    def save(self, ctx: Any, inputs: Any, output: Any, keyword_only_inputs: Mapping[str, Any] | None = None) -> None:
        """Save what the backward names."""
        results = (output,) if len(self.definition.outputs) == 1 else output or ()
        row = (*inputs, *(keyword_only_inputs or {}).values(), *results)
        tensors = [row[i] for _, i in self.single]
        for _, i in self.listed:
            tensors += row[i]
        if tensors:
            ctx.save_for_backward(*tensors)
        if self.values:
            ctx.ferrata_values = [row[i] for _, i in self.values]
        if self.lists or self.listed:
            ctx.ferrata_counts = [len(row[i]) for _, i in self.listed]
            ctx.ferrata_lengths = {name: len(row[i]) for name, i in self.lists}

    def _backward(self, ctx: Any, *grads: Any) -> Any:
        return self.compute(ctx, ctx.needs_input_grad, grads)

    def compute(self, ctx: Any, asked: Sequence[Any], grads: Sequence[Any]) -> tuple[Any, ...]:
        """Call the function with what it names, and put its gradients in the order of the arguments.

        asked: per argument whether its gradient is wanted; for a list a list.
        """
        definition = self.definition
        wanted = {
            name for name, one in zip(definition.parameters, asked, strict=False)
            if (any(one) if isinstance(one, (list, tuple)) else one)
        }  # fmt: skip
        tensors = iter(ctx.saved_tensors)
        given: dict[str, Any] = {name: next(tensors) for name, _ in self.single}
        for (name, _), count in zip(self.listed, ctx.ferrata_counts if self.listed else (), strict=True):
            given[name] = [next(tensors) for _ in range(count)]
        if self.values:
            given |= {name: value for (name, _), value in zip(self.values, ctx.ferrata_values, strict=True)}
        for name in self.names:
            if name in self.grads:
                given[name] = grads[self.grads[name]]
            elif name == "needs":
                given[name] = frozenset(wanted)
        by_name = self._by_name(self.function(**given))
        lengths = ctx.ferrata_lengths if self.lists else {}
        out: list[Any] = []
        for name, one in zip(definition.parameters, asked, strict=False):
            value = by_name.get(name) if name in wanted else None
            if name in lengths:
                length = lengths[name]
                each = one if isinstance(one, (list, tuple)) else [one] * length
                value = [v if w else None for v, w in zip(value or [None] * length, each, strict=True)]
            out.append(value)
        return tuple(out)

    def _by_name(self, result: Any) -> dict[str, Any]:
        inputs = [port.name for port in self.definition.inputs]
        wanted = f"a gradient for each of {', '.join(inputs)}, None where there is none, or a dictionary by these names"
        if isinstance(result, dict):
            if not set(result) <= set(inputs):
                self._bad(f"a dictionary with {', '.join(map(repr, set(result) - set(inputs)))}", wanted)
            values = [result.get(name) for name in inputs]
        elif isinstance(result, (tuple, list)) and not self._is_the_list(result):
            values = list(result)
        else:
            values = [result]
        if len(values) != len(inputs):
            self._bad(f"{len(values)} gradient{'s' * (len(values) != 1)}", wanted)
        for port, value in zip(self.definition.inputs, values, strict=True):
            several = isinstance(value, (list, tuple))
            if several != (port.kind == "list") and value is not None:
                self._bad(f"{type(value).__name__} for {port.name}", "a list of gradients for a list, else a tensor")
            for one in list(value or ()) if several else [value]:
                if one is not None and not isinstance(one, torch.Tensor):
                    self._bad(f"{one!r} for {port.name}", wanted)
        return dict(zip(inputs, values, strict=True))

    def _is_the_list(self, result: Any) -> bool:
        """Whether these are the gradients of the tensors of the one argument, not of the arguments."""
        single = len(self.definition.inputs) == 1 and self.definition.inputs[0].kind == "list"
        return single and not (len(result) == 1 and isinstance(result[0], (list, tuple)))

    def _bad(self, got: str, expected: str) -> None:
        at = place.of_return(self.function)
        raise errors.BackwardResult(where=at, op=self.definition.name, got=got, expected=expected, excerpt=at.excerpt)
