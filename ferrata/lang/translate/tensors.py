"""Tensors of the core and of the device: elements, slices, attributes."""

from __future__ import annotations

import ast
from dataclasses import replace

from ferrata import errors
from ferrata.lang import binding, parameters
from ferrata.lang.elements import Dtype, bf16, boolean, i64
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.names import safe
from ferrata.lang.translate.operands import plain
from ferrata.lang.translate.types import NUMBERS, BufferType, ListType, QueueType, python, spelled
from ferrata.lang.values import (
    BOOL,
    INT,
    GlobalType,
    LocalType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    Value,
)


def as_local(f: Function, value: Value) -> Value:
    """A buffer as its tensor; any other value as it is."""
    if isinstance(value.type, BufferType):
        kind = LocalType(value.type.element, value.type.position)
        f.use(value.type.element)
        return replace(value, cpp=value.type.tensor or f"{value.cpp}.Get<{value.type.element.cpp}>()", type=kind)
    return value


def is_tensor(kind: Type) -> bool:
    """Whether elements can be read from it."""
    return isinstance(kind, LocalType | GlobalType | BufferType)


def subscript(f: Function, owner: Value, node: ast.Subscript) -> Value:
    """`x[i]` read, `x[a:b]` as a view, an item of a tuple or of a list of tensors."""

    if isinstance(owner.type, TupleType):
        index = f.value(node.slice)
        if not isinstance(index.const, int) or not -len(owner.items) <= index.const < len(owner.items):
            f.fail(
                errors.NotConstant, node.slice, what="The index of a tuple", help=f"It has {len(owner.items)} items."
            )
        return owner.items[index.const]
    if isinstance(owner.type, ListType):
        index = _index(f, node.slice)
        f.use(owner.type.element)
        name = f.fresh(f.suggested or "item")
        f.results.add(name)
        element = owner.type.element.cpp
        f.emit(f"GlobalTensor<{element}> {name};")
        f.emit(f"{name}.SetGlobalBuffer({owner.cpp}.GetDataPtr<{element}>({index.cpp}));")
        return Value(name, GlobalType(owner.type.element))
    owner = as_local(f, owner)
    if not isinstance(owner.type, LocalType | GlobalType):
        outside = owner.const is not None and hasattr(owner.const, "dtype") and hasattr(owner.const, "shape")
        f.fail(
            errors.WrongType, node, what="`[ ]`", expected="a tensor of the kernel" if outside else "a tensor",
            got=f"one of Python (a {type(owner.const).__name__})" if outside else spelled(owner.type),
            help="A queue gives tensors with put() and get()." if isinstance(owner.type, QueueType)
            else "Its values are not part of a kernel: pass it as a parameter, ac.Gm[...]." if outside else "",
        )  # fmt: skip
    if isinstance(node.slice, ast.Slice):
        return view(f, owner, node.slice, node)
    if isinstance(node.slice, ast.Tuple):
        f.fail(
            errors.BadSlice, node, problem="tensors of a kernel have one dimension",
            help="Compute the offset: x[row * columns + column].",
        )  # fmt: skip
    index = _index(f, node.slice)
    only = f.choices(owner.type.element)
    kind = ScalarType(only[0] if len(only) == 1 else owner.type.element)
    return Value(f"{owner.cpp}.GetValue({index.cpp})", kind)


def item_length(f: Function, node: ast.expr) -> Value | None:
    """The number of elements of `xs[i]` of a list; None if the expression is none."""

    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
        return None
    variable = f.variables.get(node.value.id)
    if variable is None or not isinstance(variable.value.type, ListType):
        return None
    owner = f.value(node.value)
    element = f.use(variable.value.type.element).cpp
    name = f.unit.helper("Elements")
    return Value(f"{name}<{element}>({owner.cpp}, {_index(f, node.slice).cpp})", INT, minimum=0)


def _index(f: Function, node: ast.expr) -> Value:

    index = arithmetic.integer(f, plain(f, node), node, "an index")
    if isinstance(index.const, int) and index.const < 0:
        f.fail(
            errors.BadSlice, node, problem="a negative index counts from an end that a kernel does not know",
            help="Write the length: x[n - 1].",
        )  # fmt: skip
    return index


def view(f: Function, owner: Value, part: ast.Slice, node: ast.AST) -> Value:
    """`x[a:b]`: the same memory from element a on."""
    if part.step is not None:
        f.fail(
            errors.BadSlice, part.step, problem="a slice with a step has no counterpart",
            help="Copy with strides (ac.data_copy and DataCopyParams) or gather with ac.gather.",
        )  # fmt: skip
    start = _index(f, part.lower) if part.lower is not None else arithmetic.literal(0)
    length = _length(f, owner, part, start)
    zero = start.const == 0
    aligned = owner.aligned
    assert isinstance(owner.type, LocalType | GlobalType)
    if isinstance(owner.type, LocalType) and not zero:
        sizes = [max(d.bytes, 0.5) for d in f.choices(owner.type.element)]
        aligned = aligned and all(start.multiple * size % 32 == 0 for size in sizes)
    return replace(
        owner, cpp=owner.cpp if zero else f"{owner.cpp}[{start.cpp}]", length=length, aligned=aligned, const=None,
        whole=owner.whole and part.upper is None, precedence=0,
    )  # fmt: skip


def _length(f: Function, owner: Value, part: ast.Slice, start: Value) -> Value | None:
    upper = part.upper
    if upper is None:
        if owner.length is None or part.lower is None:
            return owner.length
        return arithmetic.binary(f, ast.Sub(), owner.length, start, part)
    if part.lower is None:
        return _index(f, upper)
    # x[a : a + n] has n elements, as written
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add):
        if ast.dump(upper.left) == ast.dump(part.lower):
            return _index(f, upper.right)
        if ast.dump(upper.right) == ast.dump(part.lower):
            return _index(f, upper.left)
    return arithmetic.binary(f, ast.Sub(), _index(f, upper), start, part)


def store(f: Function, owner: Value, node: ast.Subscript, value: Value) -> None:
    """`x[i] = value`."""
    owner = as_local(f, owner)
    if not isinstance(owner.type, LocalType | GlobalType):
        f.fail(errors.WrongType, node, what="`[ ] =`", expected="a tensor", got=spelled(owner.type))
    if isinstance(node.slice, ast.Slice):
        f.fail(
            errors.BadSlice, node, problem="a slice cannot be assigned",
            help="ac.copy(x[a:b], y) copies; ac.duplicate(x[a:], value, n) fills.",
        )  # fmt: skip
    index = _index(f, node.slice)
    element = owner.type.element
    value = arithmetic.number(f, value, node, "an element")
    plain_float = arithmetic.floating(value) and arithmetic.element_of(value) != element
    if plain_float and not any(d.floating for d in f.choices(element)):
        f.fail(
            errors.WrongType, node, what=f"an element of {element!r}", expected="an int", got="float",
            help="Convert with int(x).",
        )  # fmt: skip
    fits = isinstance(element, Dtype) and isinstance(value.const, int) and value.cpp.lstrip("-").isdigit()
    if fits and -(2**7) <= value.const < 2**7 and not (value.const < 0 and element.cpp.startswith("u")):
        f.emit(f"{owner.cpp}.SetValue({index.cpp}, {value.cpp});")
        return
    same = value.type == owner.type or value.type == ScalarType(element) or element == i64
    text = value.cpp if same else arithmetic.cast(f, value, element, node).cpp
    if element in (bf16, boolean):
        text = arithmetic.cast(f, value, element, node).cpp
    f.emit(f"{owner.cpp}.SetValue({index.cpp}, {text});")


def is_none(f: Function, value: Value, node: ast.AST) -> Value:
    """`x is None` of a parameter."""
    if isinstance(value.type, GlobalType) and isinstance(value.const, tuple) and value.const[0] == "optional":
        return Value(f"{value.const[1]} == nullptr", BOOL, precedence=arithmetic.EQUAL)
    if value.type == python(None).type:
        return arithmetic.literal(value.const is None)
    return arithmetic.literal(False)


def attribute(f: Function, owner: Value, node: ast.Attribute) -> Value:
    """A field of a structure, `x.dtype`; a method stands in a call."""
    kind = owner.type
    if isinstance(kind, StructType):
        if kind.python is not None:
            found = dict(parameters.fields_of(kind.python) or [])
            if node.attr not in found:
                near = ", ".join(found)
                f.fail(errors.UnknownAttribute, node, owner=kind.name, name=node.attr, near=f" It has: {near}.")
            return Value(f"{owner.cpp}.{safe(node.attr)}", NUMBERS[found[node.attr].__name__])
        return binding.field(owner, node.attr, f, node)
    if isinstance(kind, LocalType | GlobalType | BufferType | QueueType | ListType):
        element = kind.element
        if node.attr == "dtype":
            return python(f.use(element))
        f.fail(
            errors.UnknownAttribute, node, owner=f"a {spelled(kind)}", name=node.attr, near="",
            help=f"Methods are called: {ast.unparse(node)}(...). A kernel's tensors have no shape: pass sizes as parameters.",
        )  # fmt: skip
    if isinstance(kind, OpaqueType):
        return binding.field(owner, node.attr, f, node)
    f.fail(
        errors.UnknownAttribute, node, owner=f"a {spelled(kind)}", name=node.attr, near="",
        help="Numbers and tuples of a kernel have no attributes and no methods.",
    )  # fmt: skip
