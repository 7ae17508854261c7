"""From the annotated signature of a function to an `OperatorDef`; every misuse is refused here, with a caret.

Annotations may be strings (`from __future__ import annotations`): they are evaluated in the function's module, in what
it closes over, and in `scope`, the names around the definition.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

from ferrata import errors
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.op.define import dims, place
from ferrata.op.define.annotations import Maybe, MutOf, TensorOf
from ferrata.op.define.dims import AnySize, Broadcast, Computed, Dim, Fixed, Named, Rest, Unknown
from ferrata.op.define.model import ATTRIBUTES, Attribute, OperatorDef, Port, PortKind

_SCALARS = {int: "int", float: "float", bool: "bool", str: "str"}
_EXAMPLE = "fe.Tensor[T, ...] for a tensor, or one of " + ", ".join(ATTRIBUTES) + " for an attribute"


def read(function: Callable[..., Any], name: str, ge_type: str | None, scope: Mapping[str, Any]) -> OperatorDef:
    """The definition that a signature states. Raises an OperatorError."""
    where = place.of_function(function)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name):
        raise errors.BadOperatorName(where=where, name=name)
    reader = _Reader(function, name, scope)
    inputs, attributes, keyword_only = reader.parameters()
    body = place.of_body(function)
    if body is not None:
        raise errors.BodyIsIgnored(where=body, op=name, excerpt=body.excerpt)
    return OperatorDef(
        name=name,
        ge_type=ge_type or camel_case(name.split("::")[1]),
        inputs=inputs,
        attributes=attributes,
        outputs=reader.outputs(inputs),
        keyword_only=keyword_only,
        doc=inspect.getdoc(function) or "",
        file=where.file,
        line=where.line,
        function=function,
    )


def camel_case(name: str) -> str:
    """`rms_norm` -> `RmsNorm`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class _Reader:
    """Reads one signature."""

    def __init__(self, function: Callable[..., Any], op: str, scope: Mapping[str, Any]) -> None:
        self.function, self.op = function, op
        self.signature = inspect.signature(function)
        closed = inspect.getclosurevars(function).nonlocals
        self.scope = {**function.__globals__, **scope, **closed}

    def parameters(self) -> tuple[tuple[Port, ...], tuple[Attribute, ...], int]:
        """Tensors, attributes, and the number of attributes that may be given by position."""
        ports: list[Port] = []
        attributes: list[Attribute] = []
        keyword_only: int | None = None
        for parameter in self.signature.parameters.values():
            what = f"parameter {parameter.name!r}"
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                self._order(
                    parameter.name, f"{self.op} cannot take *{parameter.name}: an operator has a fixed signature"
                )
            annotation = self._annotation(parameter.name, parameter.annotation, what)
            by_name = parameter.kind is parameter.KEYWORD_ONLY
            port = self._port(parameter.name, annotation, what)
            if port is None:
                if by_name and keyword_only is None:
                    keyword_only = len(attributes)
                attributes.append(self._attribute(parameter, annotation, what))
                continue
            if by_name:
                self._order(
                    parameter.name, f"tensor {parameter.name!r} of {self.op} must be positional: put it before the *"
                )
            if attributes:
                first = attributes[0].name
                self._order(
                    parameter.name,
                    f"tensor {parameter.name!r} of {self.op} stands behind attribute {first!r}: tensors come first",
                )
            if parameter.default not in (parameter.empty, None) or (
                parameter.default is None and port.kind != "optional"
            ):
                absent = f"write `{parameter.name}: fe.Tensor[...] | None = None`"
                help_ = f"{parameter.name!r} of {self.op} is a tensor and has no default but None: {absent}"
                self._order(parameter.name, help_)
            ports.append(port)
        if not ports:
            at = place.of_function(self.function)
            what = f"{self.op} has no tensor among its parameters, so that nothing says on which device it runs"
            raise errors.ParameterOrder(where=at, what=what, excerpt=at.excerpt)
        for attribute in attributes:
            if attribute.name == "mode" and any(port.mutated for port in ports):
                self._order(
                    "mode",
                    f"{self.op} writes an argument, and torch gives `mode` a meaning of its own there: rename it",
                )
        return tuple(ports), tuple(attributes), len(attributes) if keyword_only is None else keyword_only

    def outputs(self, inputs: tuple[Port, ...]) -> tuple[Port, ...]:
        """The outputs, named out or out0, out1, ... until a plan names them."""
        what = "the result"
        annotation = self._annotation("return", self.signature.return_annotation, what)
        if annotation in (None, type(None)):
            if not any(port.mutated for port in inputs):
                self._unknown(
                    "return", "None", what, "no argument is fe.Mut[...], so that the operator would do nothing", _RESULT
                )
            return ()
        many = isinstance(annotation, types.GenericAlias) and annotation.__origin__ is tuple
        items = annotation.__args__ if many else (annotation,)
        ports = []
        for i, item in enumerate(items):
            name = f"out{i}" if len(items) > 1 else "out"
            if isinstance(item, MutOf):
                raise errors.OutputAliasesInput(op=self.op, what=f"the result {_text(item)}", **self._at("return"))
            port = self._port(name, item, what, output=True)
            if port is None or port.kind == "optional":
                self._unknown(
                    "return", _text(item), what, "a result is a tensor, a list of tensors, or a tuple of these", _RESULT
                )
            elif port.kind == "list" and not any(p.kind == "list" for p in inputs):
                reason = "it does not say how many tensors: a list as long as the first list among the inputs, and there is none"
                self._unknown("return", _text(item), what, reason, _RESULT)
            else:
                ports.append(port)
        bound = {p.element.name for p in inputs if p.kind != "optional" and isinstance(p.element, DtypeVar)}
        for port in ports:
            if isinstance(port.element, DtypeVar) and port.element.name not in bound and len(port.element.allowed) > 1:
                raise errors.UnboundDtype(op=self.op, output=port.name, var=port.element.name, **self._at("return"))
        return tuple(ports)

    # --- one annotation ---

    def _annotation(self, name: str, annotation: Any, what: str) -> Any:
        if annotation is inspect.Parameter.empty:
            example = _RESULT if name == "return" else f"`{name}: ...` with {_EXAMPLE}"
            where = place.of_function(self.function) if name == "return" else place.of_parameter(self.function, name)
            raise errors.AnnotationMissing(where=where, what=what, op=self.op, excerpt=where.excerpt, example=example)
        if not isinstance(annotation, str):
            return annotation
        try:
            return eval(annotation, self.scope)  # what `from __future__ import annotations` left unevaluated
        except Exception as problem:  # noqa: BLE001  the user's expression may raise anything
            self._unknown(name, annotation, what, f"{type(problem).__name__}: {problem}", f"Write {_EXAMPLE}.")

    def _port(self, name: str, annotation: Any, what: str, output: bool = False) -> Port | None:
        """The tensor that an annotation says, None if it says something else."""
        optional = isinstance(annotation, Maybe)
        if optional:
            if annotation.other not in (None, type(None)):
                self._unknown(
                    name, _text(annotation), what, "only None may stand beside a tensor", f"Write {_EXAMPLE}."
                )
            annotation = annotation.item
        mutated = isinstance(annotation, MutOf)
        if mutated:
            annotation = annotation.item
            if isinstance(annotation, Maybe):
                optional, annotation = True, annotation.item
        listed = isinstance(annotation, types.GenericAlias) and annotation.__origin__ is list
        inner = annotation.__args__[0] if listed else annotation
        if not isinstance(inner, TensorOf):
            if mutated or isinstance(inner, (Maybe, MutOf)):
                self._unknown(name, _text(annotation), what, "fe.Mut[...] takes fe.Tensor[...] or list[fe.Tensor[...]]",
                              "Write fe.Mut[fe.Tensor[T, ...]], or fe.Mut[list[fe.Tensor[T, ...]]].")  # fmt: skip
            return None
        if listed and optional:
            self._unknown(
                name,
                _text(annotation),
                what,
                "a list of tensors is never absent; it may be empty",
                f"Write {_EXAMPLE}.",
            )
        kind: PortKind = "list" if listed else "optional" if optional else "required"
        place_name = "return" if output else name
        element, sizes = self._tensor(place_name, inner, what, output)
        return Port(name, element, sizes, kind, mutated)

    def _tensor(self, name: str, tensor: TensorOf, what: str, output: bool) -> tuple[Any, tuple[Dim, ...]]:
        element = tensor.items[0] if tensor.items else None
        if not isinstance(element, (Dtype, DtypeVar)):
            reason = f"the first in the brackets is an element type, not {element!r}"
            self._unknown(name, _text(tensor), what, reason,
                          'Write ac.f32, or T after T = ac.dtype_var("T", ac.f16, ac.f32), then the dimensions.')  # fmt: skip
        sizes = tuple(self._dim(name, item, what, output) for item in tensor.items[1:])
        if sum(isinstance(size, (Rest, Broadcast)) for size in sizes) > 1:
            self._dimension(name, ", ".join(map(str, sizes)), what, "only one group of dimensions fits into a tensor")
        return element, sizes

    def _dim(self, name: str, item: Any, what: str, output: bool) -> Dim:
        if item is ...:
            return Rest()
        if isinstance(item, int) and not isinstance(item, bool) and item >= 0:
            return Fixed(item)
        if not isinstance(item, str):
            self._dimension(name, repr(item), what, 'it is no number, no name such as "rows", and not `...`')
        try:
            dim = dims.parse(item)
        except ValueError as problem:
            self._dimension(name, item, what, str(problem))
        if not output and isinstance(dim, (Broadcast, Unknown)):
            self._dimension(name, item, what, "only an output can have this; an input has its size already")
        return dim

    def _attribute(self, parameter: inspect.Parameter, annotation: Any, what: str) -> Attribute:
        kind = _attribute_type(annotation)
        if kind is None:
            help_ = f"Write {_EXAMPLE}."
            reason = "an operator knows tensors and attributes only"
            if (
                getattr(annotation, "__module__", "").split(".")[0] == "torch"
                and getattr(annotation, "__name__", "") == "Tensor"
            ):
                reason = "it does not say the element type and the dimensions"
            self._unknown(parameter.name, _text(annotation), what, reason, help_)
        assert kind is not None
        if parameter.default is parameter.empty:
            return Attribute(parameter.name, kind)
        try:
            return Attribute(parameter.name, kind, False, plain(kind, parameter.default))
        except TypeError:
            at = place.of_parameter(self.function, parameter.name, "default")
            raise errors.BadAttributeDefault(
                where=at, name=repr(parameter.name), type=kind, value=repr(parameter.default),
                got="not one" if parameter.default is not None else "None: an attribute always has a value",
                excerpt=at.excerpt,
            ) from None  # fmt: skip

    # --- refusals ---

    def _at(self, name: str) -> dict[str, Any]:
        at = place.of_parameter(self.function, name)
        return {"where": at, "excerpt": at.excerpt}

    def _unknown(self, name: str, text: str, what: str, reason: str, help_: str) -> Any:
        raise errors.UnknownAnnotation(
            text=text, what=f"{what} of {self.op}", reason=reason, help=help_, **self._at(name)
        )

    def _dimension(self, name: str, text: str, what: str, reason: str) -> Any:
        at = place.of_string(self.function, name, text)
        raise errors.BadDimension(where=at, text=text, what=f"{what} of {self.op}", reason=reason, excerpt=at.excerpt)

    def _order(self, name: str, what: str) -> None:
        at = place.of_parameter(self.function, name, "name")
        raise errors.ParameterOrder(where=at, what=what, excerpt=at.excerpt)


_RESULT = (
    "`-> fe.Tensor[T, ...]`, a tuple[...] of these for several outputs, or `-> None` when arguments are fe.Mut[...]"
)


def _attribute_type(annotation: Any) -> str | None:
    if isinstance(annotation, type) and annotation in _SCALARS:
        return _SCALARS[annotation]
    if isinstance(annotation, types.GenericAlias) and annotation.__origin__ is list:
        name = f"list[{_SCALARS.get(annotation.__args__[0], '?')}]"
        return name if name in ATTRIBUTES else None
    return None


def plain(kind: str, value: Any) -> Any:
    """A value of an attribute as its type. Raises TypeError."""
    if kind.startswith("list["):
        if not isinstance(value, (list, tuple)):
            raise TypeError(value)
        return [plain(kind[5:-1], item) for item in value]
    wanted = {"int": int, "float": (int, float), "bool": bool, "str": str}[kind]
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind != "bool"):  # type: ignore[arg-type]
        raise TypeError(value)
    return float(value) if kind == "float" else value


def unbound(definition: OperatorDef) -> tuple[Port, str] | None:
    """An output and the name of a dimension of it that no input binds; None when all are bound."""
    known = definition.bound_names
    rests = {
        dim.name for port in definition.inputs if port.kind == "required" for dim in port.dims if isinstance(dim, Rest)
    }
    in_lists = {
        dim.name for port in definition.inputs if port.kind == "list" for dim in port.dims if isinstance(dim, Rest)
    }
    for port in definition.outputs:
        groups = rests | in_lists if port.kind == "list" else rests
        for dim in port.dims:
            match dim:
                case Named(name) if name not in known:
                    return port, name
                case AnySize():
                    return port, "_"
                case Rest(name) if name not in groups:
                    return port, str(dim)
                case Broadcast(names) if not set(names) <= groups:
                    return port, str(Rest(next(name for name in names if name not in groups)))
                case Computed(text) | Unknown(limit=text) if not set(dims.names(text)) <= known:
                    return port, next(name for name in dims.names(text) if name not in known)
                case _:
                    pass
    return None


def _text(annotation: Any) -> str:
    match annotation:
        case TensorOf(items):
            return f"Tensor[{', '.join(_text(item) for item in items)}]"
        case MutOf(item):
            return f"Mut[{_text(item)}]"
        case Maybe(item, other):
            return f"{_text(item)} | {_text(other)}"
        case types.GenericAlias():
            return f"{annotation.__origin__.__name__}[{', '.join(_text(arg) for arg in annotation.__args__)}]"
    if annotation is ...:
        return "..."
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)
