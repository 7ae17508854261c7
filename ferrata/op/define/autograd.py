"""Gradients: `@op.backward` takes a function whose parameters say what it needs.

`grad` (of the one output), or `grad_<output>` for each; inputs, outputs and attributes by their names, which are saved;
`needs`, the names of the inputs whose gradients are asked for. It returns one gradient per input tensor, in order, None
for those without; or a dictionary by name; with one input tensor, that gradient alone. It is built of torch operators.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Container, Mapping
from typing import Any

import torch

from ferrata import errors
from ferrata.op.define import place
from ferrata.op.define.model import OperatorDef


def check(definition: OperatorDef, function: Callable[..., Any]) -> None:
    """Raise BackwardSignature for a parameter that means nothing, BackwardOfWritten for an operator that writes."""
    if definition.mutated:
        at = place.of_function(function)
        written = ", ".join(port.name for port in definition.mutated)
        raise errors.BackwardOfWritten(where=at, op=definition.name, written=written, excerpt=at.excerpt)
    grads = gradients(definition)
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
    """The names that gradients of outputs may have, with the number of the output."""
    named = {f"grad_{port.name}": i for i, port in enumerate(definition.outputs)}
    return {"grad": 0, **named} if len(definition.outputs) == 1 else named


class Gradient:
    """The backward of an operator as torch calls it. Holds state: the function, which may be given anew."""

    def __init__(self, definition: OperatorDef, library: Any) -> None:
        self.update(definition)
        torch.library.register_autograd(definition.name, self._backward, setup_context=self._save, lib=library)

    def update(self, definition: OperatorDef) -> None:
        """Go on with another definition of the same signature."""
        assert definition.backward is not None
        self.definition, self.function = definition, definition.backward
        self.grads = gradients(definition)
        outputs = (port.name for port in definition.outputs)
        self.names = parameters(self.function, (*self.grads, *definition.parameters, *outputs, "needs"))

    def _save(self, ctx: Any, inputs: Any, output: Any, keyword_only_inputs: Mapping[str, Any] | None = None) -> None:
        """Save what the backward names."""
        definition = self.definition
        values: dict[str, Any] = dict(zip(definition.parameters, inputs, strict=False)) | dict(
            keyword_only_inputs or {}
        )
        results = (output,) if len(definition.outputs) == 1 else output or ()
        values |= {port.name: value for port, value in zip(definition.outputs, results, strict=True)}
        tensors: list[Any] = []
        ctx.ferrata_saved = {name: _put(values[name], tensors) for name in self.names if name in values}
        ctx.save_for_backward(*tensors)
        ctx.ferrata_none = frozenset(p.name for p in definition.inputs if values.get(p.name) is None)
        ctx.ferrata_lists = {p.name: len(values[p.name]) for p in definition.inputs if p.kind == "list"}
        fixed = [one for result in results for one in (result if isinstance(result, list) else [result])]
        ctx.mark_non_differentiable(*(t for t in fixed if not (t.is_floating_point() or t.is_complex())))

    def _backward(self, ctx: Any, *grads: Any) -> Any:
        """Call the function with what it names, and put its gradients in the order of the arguments."""
        definition, tensors = self.definition, ctx.saved_tensors
        asked = [bool(needs) if not isinstance(needs, (list, tuple)) else any(needs) for needs in ctx.needs_input_grad]
        needs = frozenset(name for name, wanted in zip(definition.parameters, asked, strict=False) if wanted)
        given: dict[str, Any] = {}
        for name in self.names:
            if name in self.grads:
                given[name] = grads[self.grads[name]]
            elif name == "needs":
                given[name] = needs
            else:
                given[name] = _take(ctx.ferrata_saved[name], tensors)
        by_name = self._by_name(self.function(**given))
        out: list[Any] = []
        for name in definition.parameters[: len(ctx.needs_input_grad)]:
            value = by_name.get(name) if name in needs and name not in ctx.ferrata_none else None
            if name in ctx.ferrata_lists:
                value = list(value) if value is not None else [None] * ctx.ferrata_lists[name]
                value = [v if w else None for v, w in zip(value, self._each(ctx, name), strict=True)]
            out.append(value)
        return tuple(out)

    def _each(self, ctx: Any, name: str) -> Any:
        needs = ctx.needs_input_grad[self.definition.parameters.index(name)]
        return needs if isinstance(needs, (list, tuple)) else [needs] * ctx.ferrata_lists[name]

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


def _put(value: Any, tensors: list[Any]) -> Any:
    """Tensors go to `tensors`, in their place stays their number."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return _At(len(tensors) - 1)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor):
        return [_put(item, tensors) for item in value]
    return value


class _At(int):
    """The number of a saved tensor."""


def _take(value: Any, tensors: Any) -> Any:
    if isinstance(value, _At):
        return tensors[value]
    return [_take(item, tensors) for item in value] if isinstance(value, list) else value
