"""What a kernel's function says of itself: its name and place, its parameters with their element types.

kernel.py makes kernels of it; the translator, instances and launches read it. It holds no state.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ferrata import errors
from ferrata.lang import parameters
from ferrata.lang.elements import DtypeVar, Element
from ferrata.lang.parameters import ParamKind

Core = Literal["vector", "cube", "mix"]


@dataclass(frozen=True)
class KernelParam:
    """One parameter. element: of a "gm"; python: the dataclass of a "struct", int or bool of a "const"."""

    name: str
    kind: ParamKind
    element: Element | None = None
    default: Any = None
    optional: bool = False
    python: Any = None


class Declaration:
    """A kernel as declared. params: all; arguments: what a launch passes; consts: what an instance binds; scope: names
    that annotations may have from the enclosing function. Raises MissingAnnotation, BadAnnotation."""

    def __init__(self, function: Callable[..., Any], core: Core, scope: Mapping[str, Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.core: Core = core
        self.doc = inspect.getdoc(function) or ""
        self.file = function.__code__.co_filename
        self.line = function.__code__.co_firstlineno
        self.params = _params(self, scope)
        self.dtype_vars: tuple[DtypeVar, ...] = tuple(
            dict.fromkeys(p.element for p in self.params if isinstance(p.element, DtypeVar))
        )
        self.arguments = tuple(p for p in self.params if p.kind != "const")
        self.consts = tuple(p for p in self.params if p.kind == "const")


def _params(kernel: Declaration, scope: Mapping[str, Any]) -> tuple[KernelParam, ...]:
    function = kernel.function
    hints = _annotations(kernel, scope)
    params = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _refused(
                kernel,
                errors.BadAnnotation,
                name,
                annotation=f"as {str(parameter).split(':')[0]}",
                help="Name each parameter.",
            )
        if name not in hints:
            raise _refused(
                kernel, errors.MissingAnnotation, name,
                help=f"Write {name}: ac.Gm[T], int, float, bool, ac.Const[int], or a dataclass of numbers.",
            )  # fmt: skip
        parsed = parameters.parse(hints[name])
        if parsed is None or parsed.kind in ("local", "queue"):
            raise _refused(
                kernel, errors.BadAnnotation, name, annotation=_spelled(hints[name]),
                help="It takes ac.Gm[T], ac.Gm[T] | None, list[ac.Gm[T]], int, float, bool, ac.Const[int], or a dataclass of numbers.",
            )  # fmt: skip
        if parsed.kind == "struct" and parameters.fields_of(parsed.python) is None:
            raise _refused(
                kernel, errors.BadAnnotation, name, annotation=_spelled(hints[name]),
                help="The fields of such a dataclass are int, float or bool.",
            )  # fmt: skip
        default = None if parameter.default is parameter.empty else parameter.default
        params.append(KernelParam(name, parsed.kind, parsed.element, default, parsed.optional, parsed.python))
    return tuple(params)


def _spelled(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)


def _annotations(kernel: Declaration, scope: Mapping[str, Any]) -> dict[str, Any]:
    function = kernel.function
    raw = inspect.get_annotations(function)
    cells = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            continue
    found = {}
    for name, annotation in raw.items():
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, dict(function.__globals__), {**scope, **cells})
            except Exception as problem:  # noqa: BLE001 - the user's expression, whatever it raises
                raise _refused(
                    kernel,
                    errors.BadAnnotation,
                    name,
                    annotation=f"{annotation}",
                    help=f"It cannot be evaluated: {problem}",
                ) from None
        found[name] = annotation
    return found


def _refused(
    kernel: Declaration, kind: type[errors.KernelSourceError], name: str, **fields: Any
) -> errors.KernelSourceError:
    """An error at a parameter of the kernel."""
    from ferrata.lang.translate import source

    try:
        read = source.read(kernel.function)
    except errors.NoKernelSource:
        return kind(file=kernel.file, line=kernel.line, excerpt="", name=name, kernel=kernel.name, **fields)
    args = read.tree.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    node = next((arg for arg in named if arg.arg == name), read.tree)
    return kind(
        file=read.file, line=node.lineno, excerpt=read.excerpt(node), name=name, kernel=kernel.name, **fields
    )  # fmt: skip
