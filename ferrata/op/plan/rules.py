"""The dimensions of a signature as one C++ function: what the shapes must be, and the shapes of the outputs.

The function is a template over the type of a size, so that GE's inference, PyTorch's Meta and the execution share it.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from ferrata.lang.elements import Dtype, DtypeVar, choices
from ferrata.lang.translate.usage import Usage
from ferrata.lang.values import INT
from ferrata.op.define import dims as dimensions
from ferrata.op.define.dims import AnySize, Broadcast, Computed, Dim, Fixed, Named, Rest, Unknown
from ferrata.op.define.model import OperatorDef, Port
from ferrata.op.plan.expressions import acl_name, cpp_name, expression, text_literal
from ferrata.op.plan.function import ATTRIBUTE_KINDS, FunctionText, declaration, port_kind
from ferrata.op.plan.kinds import PlanValue, comma
from ferrata.op.plan.launches import packed
from ferrata.op.plan.scope import Scope, Unit


@dataclass(frozen=True)
class Rule:
    """The C++ of a shape rule: its whole definition, and which helpers it calls. single: it returns one shape."""

    name: str
    text: str
    needs: frozenset[str]
    single: bool


class _Names:
    """Stands for a source: the functions that sizes may call."""

    names = {"max": max, "min": min, "ceil_div": dimensions.ceil_div}  # noqa: RUF012


@dataclass
class _Writer:
    definition: OperatorDef
    shape: FunctionText | None
    lines: list[str] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    maybe: dict[str, tuple[str, str]] = field(default_factory=dict)  # names that an optional tensor binds: guard, text
    rests: dict[str, str] = field(default_factory=dict)
    wanted: Counter[str] = field(default_factory=Counter)
    depth: int = 1

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def require(self, condition: str, words: str) -> None:
        self.needs.add("Require")
        message = text_literal(f"{self.definition.short_name}: {words}")
        line = f"Require({condition}, {message});"
        if 4 * self.depth + len(line) <= 120:
            self.emit(line)
        else:
            self.emit(f"Require({condition},")
            self.emit(f"        {message});")


def rule(definition: OperatorDef, shape: FunctionText | None = None) -> Rule:
    """The shape rule of an operator. shape: its translated `@op.shape`, which then gives the outputs' shapes."""
    w = _Writer(definition, shape)
    w.wanted = _wanted(definition, shape is not None)
    for attribute in definition.attributes:
        if attribute.type == "int":
            w.names[attribute.name] = f"Int({cpp_name(attribute.name)})"
    ports = sorted(definition.inputs, key=lambda port: ("required", "optional", "list").index(port.kind))
    for port in ports:
        _types(w, port)
    for port in ports:
        if port.kind == "list":
            _list(w, port)
        elif port.kind == "optional":
            at = len(w.lines)
            w.depth += 1
            _tensor(w, port, cpp_name(port.name), optional=True)
            w.depth -= 1
            if len(w.lines) > at:
                w.lines.insert(at, "    " * w.depth + f"if ({cpp_name(port.name)}.defined) {{")
                w.emit("}")
        else:
            _tensor(w, port, cpp_name(port.name))
    for port in ports:
        for i, dim in enumerate(port.dims):
            if (
                isinstance(dim, Computed)
                and set(dimensions.names(dim.text)) <= w.names.keys()
                and port.kind == "required"
            ):
                w.require(
                    f"{cpp_name(port.name)}.size({_index(port, i)}) == {_size(w, dim.text)}",
                    f"{port.name} must be {_dims(port)}",
                )
    single = len(definition.outputs) == 1 and definition.outputs[0].kind != "list"
    _outputs(w, single)
    name = f"{camel(definition.short_name)}{'Shape' if single else 'Shapes'}"
    result = "std::vector<Int>" if single else "std::vector<std::vector<Int>>"
    if not definition.outputs:
        name, result = f"{camel(definition.short_name)}Check", "void"
    parameters = parameters_of(definition)
    comment = f"// {_summary(definition)}\n"
    head = f"template <typename Int> {result} {name}({comma(parameters)}) {{"
    if len(head) > 120:
        head = f"template <typename Int>\n{result} {name}({comma(parameters)}) {{"
    if max(map(len, head.split("\n"))) > 120:
        head = f"template <typename Int>\n{result} {name}(\n    " + "\n    ".join(packed(parameters, 112)) + ") {"
    body = "\n".join(_unused(w.lines, definition)) + "\n"
    text = comment + head + "\n" + body + "}\n"
    needs = frozenset(w.needs) | (shape.needs if shape is not None else frozenset())
    return Rule(name, text, needs, single)


def parameters_of(definition: OperatorDef) -> list[str]:
    """The parameters of the rule: every input, every attribute."""
    return [
        *(declaration(port_kind(port), port.name, "Int", info=True) for port in definition.inputs),
        *(declaration(ATTRIBUTE_KINDS[a.type], a.name) for a in definition.attributes),
    ]


def camel(name: str) -> str:
    """`rms_norm` -> `RmsNorm`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _unused(lines: list[str], definition: OperatorDef) -> list[str]:
    """Mark parameters that the rule does not look at, for compilers that warn."""
    import re

    text = "\n".join(lines)
    silent = [
        cpp_name(name) for name in definition.parameters if not re.search(rf"\b{re.escape(cpp_name(name))}\b", text)
    ]
    return [f"    (void){name};" for name in silent] + lines


def _summary(definition: OperatorDef) -> str:
    takes = ", ".join(f"{port.name} {_dims(port)}" for port in definition.inputs)
    gives = ", ".join(_dims(port) for port in definition.outputs) or "nothing"
    return f"{definition.name}: {takes} -> {gives}"


def _dims(port: Port) -> str:
    text = f"[{', '.join(map(str, port.dims))}]"
    return f"a list of {text}" if port.kind == "list" else f"{text} or absent" if port.kind == "optional" else text


def _wanted(definition: OperatorDef, has_shape: bool) -> Counter[str]:
    """How often each name and group of dimensions is mentioned."""
    found: Counter[str] = Counter()
    ports: tuple[Port, ...] = definition.inputs if has_shape else (*definition.inputs, *definition.outputs)
    for port in ports:
        for dim in port.dims:
            match dim:
                case Named(name):
                    found[name] += 1
                case Rest(name):
                    found[f"*{name}"] += 1
                case Computed(text) | Unknown(limit=text):
                    found.update(dimensions.names(text))
                case Broadcast(names):
                    found.update(f"*{name}" for name in names)
                case _:
                    pass
    return found


def dtype_source(definition: OperatorDef, var: DtypeVar, info: bool = True) -> str | None:
    """An expression for the type that a call binds to a variable, from the inputs."""
    for kind in ("required", "list", "optional"):
        for port in definition.inputs:
            if port.kind == kind and port.element == var:
                name = cpp_name(port.name)
                return f"{name}.at(0).dtype" if kind == "list" else f"{name}.dtype"
    return None


def output_dtype(definition: OperatorDef, port: Port) -> str:
    """An expression for the type of an output."""
    if isinstance(port.element, Dtype):
        return acl_name(port.element)
    return dtype_source(definition, port.element) or acl_name(port.element.allowed[0])


def _types(w: _Writer, port: Port) -> None:
    name = cpp_name(port.name)
    where = f"{name}[i]" if port.kind == "list" else name
    allowed = choices(port.element)
    words = " or ".join(str(dtype.torch) for dtype in allowed)
    source = dtype_source(w.definition, port.element) if isinstance(port.element, DtypeVar) else None
    tests = " || ".join(f"{where}.dtype == {acl_name(dtype)}" for dtype in allowed)
    if len(allowed) > 2:
        tests = f"OneOf({where}.dtype, {{{comma([acl_name(dtype) for dtype in allowed])}}})"
    message = f"{port.name} must be {words}"
    if source is not None and source.partition(".")[0] != name:
        tests = f"{where}.dtype == {source}"
        first = source.partition(".")[0]
        message = f"{port.name} must have the data type of {first}"
    elif len(allowed) > 2:
        w.needs.add("OneOf")
    if port.kind == "list":
        w.emit(f"for (size_t i = 0; i < {name}.size(); ++i) {{")
        w.depth += 1
        w.require(tests, message)
        if source == f"{name}.at(0).dtype":
            w.require(f"{where}.dtype == {source}", f"the tensors of {port.name} must have one data type")
        w.depth -= 1
        w.emit("}")
    elif port.kind == "optional":
        w.require(
            f"!{name}.defined || {tests}"
            if len(allowed) == 1 or source
            else f"!{name}.defined || ({tests})".replace("((", "(").replace("))", ")"),
            message,
        )
    else:
        w.require(tests, message)


def _index(port: Port, i: int) -> int:
    rest = port.rest
    return i if rest is None or i < rest else i - len(port.dims)


def _tensor(w: _Writer, port: Port, text: str, optional: bool = False, own: dict[str, str] | None = None) -> None:
    """Check one tensor against its dimensions and bind what is new."""
    at, count = port.rest, len(port.dims)
    shown = f"{port.name} must be [{', '.join(map(str, port.dims))}]"
    if at is None:
        w.require(f"{text}.dim() == {count}", shown)
    elif count > 1:
        w.require(f"{text}.dim() >= {count - 1}", shown)
    for i, dim in enumerate(port.dims):
        size = f"{text}.size({_index(port, i)})"
        match dim:
            case Fixed(number):
                w.require(f"{size} == Int({number})", shown)
            case Named(name):
                _named(w, port, name, size, text, optional, own is not None)
            case Rest(name):
                last = at - count + 1 if at is not None else 0
                whole = f"{text}.shape" if count == 1 else f"Slice({text}.shape, {i}{f', {last}' if last else ''})"
                _rest(w, port, name, whole, optional, own)
            case _:
                pass


def _named(w: _Writer, port: Port, name: str, size: str, text: str, optional: bool, listed: bool) -> None:
    if name in w.names:
        w.require(f"{size} == {w.names[name]}", f"{port.name} does not have the {name} of the other tensors")
    elif optional or listed:
        if name in w.maybe:
            guard, other = w.maybe[name]
            w.require(f"!{guard} || {size} == {other}", f"{port.name} does not have the {name} of the other tensors")
        elif optional:
            w.maybe[name] = (f"{text}.defined", size)
    elif w.wanted[name] > 1:
        taken = set(w.definition.parameters)
        variable = cpp_name(name) + ("_" if name in taken else "")
        w.emit(f"const Int {variable} = {size};")
        w.names[name] = variable
    else:
        w.names[name] = size


def _rest(w: _Writer, port: Port, name: str, whole: str, optional: bool, own: dict[str, str] | None) -> None:
    if "Slice" in whole:
        w.needs.add("Slice")
    words = f"{port.name} does not have the dimensions of the other tensors"
    if own is not None and name in own:
        w.require(f"{whole} == {own[name]}", words)
    elif name in w.rests:
        w.require(f"{whole} == {w.rests[name]}", words)
    elif own is not None:
        own[name] = whole
    elif not optional:
        if whole.startswith("Slice") and w.wanted[f"*{name}"] > 1:
            taken = set(w.definition.parameters) | {*w.names}
            variable = name or "batch"
            while variable in taken:
                variable += "_"
            w.emit(f"const std::vector<Int> {variable} = {whole};")
            whole = variable
        w.rests[name] = whole


def _list(w: _Writer, port: Port) -> None:
    name = cpp_name(port.name)
    first = next((p for p in w.definition.inputs if p.kind == "list"), port)
    if first is not port:
        w.require(
            f"{name}.size() == {cpp_name(first.name)}.size()", f"{first.name} and {port.name} must have one length"
        )
    at = len(w.lines)
    w.depth += 1
    own: dict[str, str] = {}
    if first is not port:
        rest = first.rest
        if rest is not None and len(first.dims) == 1:
            dim = first.dims[rest]
            assert isinstance(dim, Rest)
            own[dim.name] = f"{cpp_name(first.name)}[i].shape"
    _tensor(w, port, f"{name}[i]", own=own)
    w.depth -= 1
    if len(w.lines) > at:
        w.lines.insert(at, "    " * w.depth + f"for (size_t i = 0; i < {name}.size(); ++i) {{")
        w.emit("}")


def _size(w: _Writer, text: str) -> str:
    """An expression over names as C++."""
    unit = Unit()
    variables = {name: PlanValue(cpp, INT, minimum=0) for name, cpp in w.names.items()}
    scope = Scope(_Names(), unit, "shape", Usage(), variables=variables, symbolic=True)  # type: ignore[arg-type]
    value = expression(scope, ast.parse(text.strip(), mode="eval").body)
    w.needs |= unit.needs
    return value.cpp


def _outputs(w: _Writer, single: bool) -> None:
    definition = w.definition
    if not definition.outputs:
        return
    if w.shape is not None:
        arguments = comma([cpp_name(name) for name in definition.parameters])
        call = f"{camel(definition.short_name)}Rule::Shapes<Int>({arguments})"
        if single and w.shape.nested:
            w.emit(f"return {call}.at(0);")
        else:
            w.emit(f"return {call};")
        return
    if any(port.kind == "list" for port in definition.outputs):
        w.emit("std::vector<std::vector<Int>> shapes;")
        for port in definition.outputs:
            if port.kind == "list":
                source = _list_source(definition, port)
                w.emit(f"for (size_t i = 0; i < {cpp_name(source.name)}.size(); ++i) {{")
                w.emit(f"    shapes.push_back({_output(w, port, source)});")
                w.emit("}")
            else:
                w.emit(f"shapes.push_back({_output(w, port)});")
        w.emit("return shapes;")
        return
    texts = [_output(w, port) for port in definition.outputs]
    w.emit(f"return {texts[0]};" if single else f"return {{{comma(texts)}}};")


def _list_source(definition: OperatorDef, port: Port) -> Port:
    """The input list that an output list follows."""
    lists = [p for p in definition.inputs if p.kind == "list"]
    groups = {dim.name for dim in port.dims if isinstance(dim, Rest)}
    return next((p for p in lists if any(isinstance(d, Rest) and d.name in groups for d in p.dims)), lists[0])


def _output(w: _Writer, port: Port, source: Port | None = None) -> str:
    if source is not None and source.dims == port.dims:
        return f"{cpp_name(source.name)}[i].shape"
    if (
        source is None
        and port.dims
        and not any(isinstance(d, AnySize | Unknown | Computed | Broadcast) for d in port.dims)
    ):
        for given in w.definition.inputs:
            if given.kind == "required" and given.dims == port.dims:
                return f"{cpp_name(given.name)}.shape"
    pieces: list[str] = []
    sizes: list[str] = []

    def close() -> None:
        if sizes or (not pieces and not port.dims):
            pieces.append(f"std::vector<Int>{{{comma(sizes)}}}")
            sizes.clear()

    for dim in port.dims:
        vector = _vector(w, dim, source)
        if vector is None:
            sizes.append(_one(w, dim))
        else:
            close()
            pieces.append(vector)
    close()
    text = pieces[0]
    for piece in pieces[1:]:
        w.needs.add("Concat")
        text = f"Concat({text}, {piece})"
    return text


def _one(w: _Writer, dim: Dim) -> str:
    match dim:
        case Fixed(size):
            return f"Int({size})"
        case Named(name):
            return w.names[name]
        case Computed(text) | Unknown(limit=text):
            return _size(w, text)
    raise AssertionError(dim)


def _vector(w: _Writer, dim: Dim, source: Port | None) -> str | None:
    def rest(name: str) -> str:
        if source is not None and any(isinstance(d, Rest) and d.name == name for d in source.dims):
            at, count = source.rest or 0, len(source.dims)
            last = at - count + 1
            text = f"{cpp_name(source.name)}[i].shape"
            if count == 1:
                return text
            w.needs.add("Slice")
            return f"Slice({text}, {at}{f', {last}' if last else ''})"
        return w.rests[name]

    match dim:
        case Rest(name):
            return rest(name)
        case Broadcast(names):
            w.needs.add("Broadcast")
            text = rest(names[0])
            for name in names[1:]:
                text = f"Broadcast({text}, {rest(name)})"
            return text
    return None
