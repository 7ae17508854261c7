"""The gradients of exported operators: `@op.backward` as it was written, registered with torch.library in Python.

A backward is built of torch operators and of operators of the module. Its text goes along with what it names: constants,
helper functions, modules of torch and math, and the operators, as `torch.ops`. What cannot go along leaves the gradient
out, and the README says why.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ferrata.lang.translate.source import read as read_source
from ferrata.op.define import autograd
from ferrata.op.define.model import OperatorDef

_MODULES = ("torch", "math", "functools", "itertools", "operator")


class Stays(Exception):
    """Why a gradient is not exported."""


@dataclass
class Gradients:
    """text: of the file, "" without gradients. missing: (operator, reason) of those that are left out."""

    text: str = ""
    missing: list[tuple[str, str]] = field(default_factory=list)
    found: list[str] = field(default_factory=list)


def gradients(operators: Sequence[Any]) -> Gradients:
    """The gradients of operators that are exported together."""
    result = Gradients()
    unit = _Unit({id(one): one.definition for one in operators})
    parts = []
    for operator in operators:
        definition: OperatorDef = operator.definition
        if definition.backward is None:
            continue
        try:
            parts.append(unit.gradient(definition))
            result.found.append(definition.name)
        except Stays as reason:
            result.missing.append((definition.name, str(reason)))
    if parts:
        future = ["from __future__ import annotations", ""] if unit.annotated else []
        head = [*sorted(unit.imports), "", "import torch"] if unit.imports else ["import torch"]
        named = [f"{name} = {text}" for name, text in unit.names.items()]
        result.text = (
            "\n".join([*future, *head, "", *named, *([""] if named else []), "\n\n\n".join([*unit.helpers, *parts])])
            + "\n"
        )
    return result


class _Unit:
    """What the gradients of one file share."""

    def __init__(self, exported: Mapping[int, OperatorDef]) -> None:
        self.exported = exported
        self.imports: set[str] = set()
        self.names: dict[str, str] = {}
        self.helpers: list[str] = []
        self.annotated = False
        self._known: dict[str, Any] = {}

    def gradient(self, definition: OperatorDef) -> str:
        """The backward, and its registration. Raises Stays."""
        if definition.mutated:
            raise Stays("it writes its arguments, and torch.library has no gradients for such operators")
        assert definition.backward is not None
        short = definition.short_name
        kept = dict(self.names), set(self.imports), list(self.helpers), dict(self._known)
        try:
            body = self.function(definition.backward, f"backward_{short}")
        except Stays:
            self.names, self.imports, self.helpers, self._known = kept
            raise
        return "\n\n\n".join([body, *_Registration(definition).texts()])

    def function(self, function: Callable[..., Any], name: str) -> str:
        """A function of the user's under a name, with what it needs put before it. Raises Stays."""
        try:
            source = read_source(function)
        except (OSError, TypeError, ValueError):
            raise Stays("its source cannot be read") from None
        arguments = source.tree.args
        if source.tree.returns or any(a.annotation for a in (*arguments.args, *arguments.kwonlyargs)):
            self.annotated = True
        for used, value in outside(function, source.tree).items():
            self.needs(used, value)
        if source.tree.decorator_list and function.__name__ != "_" and name == function.__name__:
            raise Stays(f"{name} is decorated")
        text = textwrap.dedent("".join(list(source.lines)[source.tree.lineno - source.first :]))
        return text.replace(f"def {source.tree.name}(", f"def {name}(", 1).rstrip()

    def needs(self, name: str, value: Any) -> None:
        if name in self._known:
            if self._known[name] is not value and self._known[name] != value:
                raise Stays(f"{name} means two things in the gradients of this module")
            return
        if inspect.ismodule(value):
            if value.__name__.split(".")[0] not in _MODULES:
                raise Stays(f"it uses the module {value.__name__}")
            if value.__name__ != "torch":
                self.imports.add(f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}"))
        elif id(value) in self.exported:
            definition = self.exported[id(value)]
            self.names[name] = f"torch.ops.{definition.namespace}.{definition.short_name}"
        elif hasattr(value, "definition"):
            raise Stays(f"it calls {value.definition.name}, which is not exported with it")
        elif isinstance(value, (bool, int, float, str, type(None))) or _is_dtype(value):
            self.names[name] = repr(value)
        elif inspect.isfunction(value) and not value.__module__.startswith("torch"):
            self._known[name] = value
            self.helpers.append(self.function(value, name))
        elif getattr(value, "__module__", "").split(".")[0] in _MODULES:
            self.imports.add(
                f"from {value.__module__} import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
            )
        else:
            raise Stays(f"it uses {name}, a {type(value).__name__}")
        self._known[name] = value


def outside(function: Callable[..., Any], tree: ast.FunctionDef) -> dict[str, Any]:
    """What a function's body and defaults name that is not its own: globals and variables around it, by name."""
    defaults = [one for one in (*tree.args.defaults, *tree.args.kw_defaults) if one is not None]
    nodes = [node for part in (*tree.body, *defaults) for node in ast.walk(part) if isinstance(node, ast.Name)]
    own = {node.id for node in nodes if not isinstance(node.ctx, ast.Load)}
    own |= {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    around = inspect.getclosurevars(function).nonlocals
    known = {**function.__globals__, **around}
    return {node.id: known[node.id] for node in nodes if node.id in known and node.id not in own}


class _Registration:
    """The functions that torch.library calls, for one operator."""

    def __init__(self, definition: OperatorDef) -> None:
        self.definition = definition
        assert definition.backward is not None
        self.short = definition.short_name
        self.grads = autograd.gradients(definition)
        outputs = [port.name for port in definition.outputs]
        row = [*definition.parameters, *outputs]
        self.asked = autograd.parameters(definition.backward, (*self.grads, *row, "needs"))
        ports = {port.name: port for port in (*definition.inputs, *definition.outputs)}
        saved = [name for name in self.asked if name in row and name not in self.grads]
        self.tensors = [name for name in saved if name in ports]
        self.values = [name for name in saved if name not in ports]
        self.lists = [name for name in self.tensors if ports[name].kind == "list"]
        self.list_inputs = [port.name for port in definition.inputs if port.kind == "list"]
        self.positional = [
            *(p.name for p in definition.inputs),
            *(a.name for a in definition.attributes[: definition.keyword_only]),
        ]
        self.keywords = [a.name for a in definition.attributes[definition.keyword_only :]]
        self.outputs = outputs

    def texts(self) -> list[str]:
        save = self.save()
        name = f"gradients_{self.short}"
        setup = f", setup_context=save_{self.short}" if save else ""
        register = f'torch.library.register_autograd("{self.definition.name}", {name}{setup})'
        return [*([save] if save else []), self.backward(name), register]

    def save(self) -> str:
        """setup_context: what the backward asks for."""
        if not (self.tensors or self.values or self.list_inputs):
            return ""
        used = {*self.tensors, *self.values, *self.list_inputs}
        keywords = ", keyword_only_inputs" if self.keywords else ""
        out = [f"def save_{self.short}(ctx, inputs{keywords}, output):"]
        if used & set(self.positional):
            out.append(f"    {_targets(self.positional, used)} = inputs")
        out += [f'    {name} = keyword_only_inputs["{name}"]' for name in self.keywords if name in used]
        if used & set(self.outputs):
            out.append(f"    {self.outputs[0] if len(self.outputs) == 1 else _targets(self.outputs, used)} = output")
        if self.tensors:
            starred = ", ".join(f"*{name}" if name in self.lists else name for name in self.tensors)
            out.append(f"    ctx.save_for_backward({starred})")
        counted = dict.fromkeys([*self.lists, *self.list_inputs])
        out += [f"    ctx.count_{name} = len({name})" for name in counted]
        out += [f"    ctx.{name} = {name}" for name in self.values]
        return "\n".join(out)

    def backward(self, name: str) -> str:
        given = [self._grad(i) for i in range(len(self.outputs))]
        out = [f"def {name}(ctx, {', '.join(given)}):"]
        if self.lists:
            out.append("    saved = iter(ctx.saved_tensors)")
            for one in self.tensors:
                many = f"[next(saved) for _ in range(ctx.count_{one})]"
                out.append(f"    {one} = {many if one in self.lists else 'next(saved)'}")
        elif self.tensors:
            names = ", ".join(self.tensors)
            out.append(f"    {names if len(self.tensors) > 1 else f'({names},)'} = ctx.saved_tensors")
        inputs = [port.name for port in self.definition.inputs]
        if "needs" in self.asked:
            names = ", ".join(f'"{one}"' for one in inputs) + ("," if len(inputs) == 1 else "")
            needed = "(any(asked) if isinstance(asked, list) else asked)" if self.list_inputs else "asked"
            out.append(f"    needs = {{name for name, asked in zip(({names}), ctx.needs_input_grad) if {needed}}}")
        values = {name: self._grad(output) for name, output in self.grads.items()} | {
            v: f"ctx.{v}" for v in self.values
        }
        texts = [values.get(one, one) for one in self.asked]
        assert self.definition.backward is not None
        kinds = inspect.signature(self.definition.backward).parameters
        if not all(kinds[one].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in self.asked):
            texts = [f"{one}={text}" for one, text in zip(self.asked, texts, strict=True)]
        return "\n".join([*out, *self._results(f"backward_{self.short}({', '.join(texts)})", inputs)])

    def _results(self, call: str, inputs: list[str]) -> list[str]:
        padding = ["None"] * (len(self.positional) - len(inputs))
        kind = _returns(self.definition.backward, len(inputs))
        plain = not self.list_inputs
        if kind == "tuple" and plain:
            return [f"    return (*{call}, {', '.join(padding)})" if padding else f"    return {call}"]
        if kind == "single" and plain:
            return [f"    return {', '.join([call, *padding])}"]
        out = [f"    found = {call}"]
        if kind == "dict":
            gets = ", ".join(f'found.get("{one}")' for one in inputs)
            out.append(f"    found = ({gets},)")
        else:
            out.append(
                "    found = tuple(found) if isinstance(found, (tuple, list)) else (found,)"
                if len(inputs) > 1
                else "    found = found if isinstance(found, tuple) else (found,)"
            )
            if len(inputs) == 1 and self.list_inputs:
                out.append("    found = (found[0],) if len(found) == 1 else (list(found),)")
        if self.list_inputs:
            for i, one in enumerate(inputs):
                if one in self.list_inputs:
                    out.append(f"    {one} = found[{i}] if found[{i}] is not None else [None] * ctx.count_{one}")
            texts = [one if one in self.list_inputs else f"found[{i}]" for i, one in enumerate(inputs)]
        else:
            texts = [f"found[{i}]" for i in range(len(inputs))]
        row = [*texts, *padding]
        text = ", ".join(row) + ("," if len(row) == 1 else "")
        if self.list_inputs and len(row) > 1:
            # torch leaves arguments out that have their defaults, and counts where there are lists
            text = f"({text})[: len(ctx.needs_input_grad)]"
        out.append(f"    return {text}")
        return out

    def _grad(self, output: int) -> str:
        return "grad" if "grad" in self.grads else f"grad_{self.outputs[output]}"


def _is_dtype(value: Any) -> bool:
    return type(value).__module__.startswith("torch") and type(value).__name__ == "dtype"


def _targets(names: Sequence[str], used: set[str]) -> str:
    texts = [name if name in used else "_" for name in names]
    return ", ".join(texts) if len(texts) > 1 else f"({texts[0]},)"


def _returns(function: Any, count: int) -> str:
    """What a backward returns: "tuple" of that many, "single", "dict", or "any" when only a call can tell."""
    returned = [node.value for node in ast.walk(read_source(function).tree) if isinstance(node, ast.Return)]
    values = [leaf for value in returned for leaf in _leaves(value)]
    if all(isinstance(v, ast.Dict) for v in values):
        return "dict"
    if all(
        isinstance(v, ast.Tuple) and len(v.elts) == count and not any(isinstance(e, ast.Starred) for e in v.elts)
        for v in values
    ):
        return "tuple"
    plain = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Call, ast.IfExp, ast.Subscript, ast.Attribute)
    if count == 1 and all(
        isinstance(v, (ast.BinOp, ast.UnaryOp)) or (isinstance(v, plain) and _is_tensor(v)) for v in values
    ):
        return "single"
    return "any"


def _leaves(value: ast.expr | None) -> list[ast.expr | None]:
    """What an expression may be, through `a if b else c`."""
    return [*_leaves(value.body), *_leaves(value.orelse)] if isinstance(value, ast.IfExp) else [value]


def _is_tensor(value: ast.expr) -> bool:
    """Whether an expression is certainly no tuple: a method's result like x.sum() is taken for a tensor."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr not in ("unbind", "split", "chunk", "max", "min", "sort", "topk")
    )
