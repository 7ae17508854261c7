"""Tensors, shapes and lists in a plan: their attributes, items, slices, and lists that are written out."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from ferrata.errors import PlanFeature, PlanName, PlanType
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.values import INT, StructType
from ferrata.op.plan.expressions import acl_name, expression, integer, wrapped
from ferrata.op.plan.kinds import (
    ANY_NONE,
    DTYPE,
    PRIMARY,
    ListType,
    ObjectType,
    PlanValue,
    TensorType,
    comma,
    cpp_type,
    described,
    joined,
    wrap,
)
from ferrata.op.plan.scope import Scope

_TENSOR = "shape, ndim, dtype, itemsize, nbytes; numel(), dim(), size(), element_size()"


def attribute(scope: Scope, node: ast.Attribute) -> PlanValue:
    """`x.shape`, `x.dtype`, `module.CONSTANT`."""
    owner = expression(scope, node.value)
    if isinstance(owner.type, TensorType):
        return tensor_member(scope, node, owner, node.attr)
    if owner.type == DTYPE:
        if node.attr == "itemsize":
            return item_size(scope, owner)
        if node.attr == "is_floating_point" and isinstance(owner.const, Dtype):
            return wrapped(scope, node, owner.const.floating)
    if isinstance(owner.type, StructType):  # the number that the field was made of, as Python has it
        fields = [field.name for field in dataclasses.fields(owner.type.python)]
        if node.attr in fields:
            return owner.parts[fields.index(node.attr)]
    if isinstance(owner.type, ObjectType):
        try:
            return wrapped(scope, node, getattr(owner.type.python, node.attr))
        except AttributeError:
            import difflib

            near = difflib.get_close_matches(node.attr, dir(owner.type.python), 1)
            help = f"Did you mean {near[0]!r}?" if near else ""
            raise scope.refuse(
                PlanName, node, f"{ast.unparse(node.value)} has no attribute {node.attr!r}", help
            ) from None
    raise scope.refuse(PlanName, node, f"{described(owner.type)} has no {node.attr!r} in a plan")


def tensor_member(scope: Scope, node: ast.AST, tensor: PlanValue, name: str) -> PlanValue:
    """An attribute or a call without arguments of a tensor."""
    text = wrap(tensor, PRIMARY)
    element = tensor.type.element if isinstance(tensor.type, TensorType) else None
    if name == "shape":
        return PlanValue(f"{text}.shape", ListType(INT, sizes=True))
    if name in ("ndim", "dim"):
        return PlanValue(f"{text}.dim()", INT, minimum=0)
    if name == "numel":
        return PlanValue(f"{text}.numel()", INT, minimum=0)
    if name == "dtype":
        return _dtype(scope, text, element)
    if name in ("itemsize", "element_size"):
        return item_size(scope, _dtype(scope, text, element))
    if name == "nbytes":
        size = item_size(scope, _dtype(scope, text, element))
        return PlanValue(f"{text}.numel() * {size.cpp}", INT, precedence=5, minimum=0)
    raise scope.refuse(PlanName, node, f"a tensor has no {name!r} in a plan", f"It has {_TENSOR}.")


def _dtype(scope: Scope, text: str, element: Any) -> PlanValue:
    if isinstance(element, Dtype):
        return PlanValue(acl_name(element), DTYPE, element, constexpr=True)
    if isinstance(element, DtypeVar) and element.name in scope.templates:
        return PlanValue(f"{text}.dtype", DTYPE, element)
    return PlanValue(f"{text}.dtype", DTYPE)


def item_size(scope: Scope, dtype: PlanValue) -> PlanValue:
    """Bytes of one element of a data type."""
    if isinstance(dtype.const, Dtype):
        return wrapped(scope, ast.Pass(), int(dtype.const.bytes))
    if isinstance(dtype.const, DtypeVar):
        name = dtype.const.name
        sizes = tuple(dict.fromkeys(int(d.bytes) for d in scope.narrowed.get(name, scope.templates[name])))
        return PlanValue(f"int64_t{{sizeof({name})}}", INT, minimum=min(sizes), constexpr=True, choices=sizes)
    scope.unit.needs.add("ItemSize")
    return PlanValue(f"ItemSize({dtype.cpp})", INT, minimum=1)


def subscript(scope: Scope, node: ast.Subscript) -> PlanValue:
    """`x.shape[0]`, `xs[i]`, `x.shape[:-1]`."""
    owner = expression(scope, node.value)
    if not isinstance(owner.type, ListType):
        help = (
            "A kernel gets whole tensors; pass an offset and add it in the kernel."
            if isinstance(owner.type, TensorType)
            else ""
        )
        raise scope.refuse(PlanType, node, f"{described(owner.type)} has no items in a plan", help)
    if isinstance(node.slice, ast.Slice):
        return _slice(scope, node, owner, node.slice)
    index = integer(scope, node.slice)
    if owner.parts:
        if index.const is None:
            raise scope.refuse(PlanFeature, node, "the index of a tuple must be a number written out")
        try:
            part: PlanValue = owner.parts[index.const]
            return part
        except IndexError:
            raise scope.refuse(PlanType, node, f"the tuple has {len(owner.parts)} items") from None
    low = 0 if owner.type.sizes else None
    if owner.cpp.endswith(".shape"):
        return PlanValue(f"{owner.cpp.removesuffix('.shape')}.size({index.cpp})", INT, minimum=low)
    scope.unit.needs.add("At")
    return PlanValue(f"At({owner.cpp}, {index.cpp})", owner.type.item, minimum=low)


def _slice(scope: Scope, node: ast.Subscript, owner: PlanValue, part: ast.Slice) -> PlanValue:
    if part.step is not None:
        raise scope.refuse(PlanFeature, part, "a slice with a step has no counterpart in C++")
    bounds = [None if bound is None else integer(scope, bound) for bound in (part.lower, part.upper)]
    assert isinstance(owner.type, ListType)
    if owner.parts and all(b is None or b.const is not None for b in bounds):
        first, last = (None if b is None else b.const for b in bounds)
        return PlanValue("", owner.type, parts=owner.parts[first:last])
    scope.unit.needs.add("Slice")
    texts = [as_vector(scope, owner).cpp, "0" if bounds[0] is None else bounds[0].cpp]
    if bounds[1] is not None:
        texts.append(bounds[1].cpp)
    return PlanValue(f"Slice({comma(texts)})", owner.type)


def sequence(scope: Scope, node: ast.Tuple | ast.List) -> PlanValue:
    """A tuple or list that is written out; `*shape` inside joins lists."""
    groups: list[PlanValue] = []
    parts: list[PlanValue] = []

    def close() -> None:
        if parts:
            groups.append(literal(scope, node, tuple(parts)))
            parts.clear()

    for item in node.elts:
        if isinstance(item, ast.Starred):
            inner = expression(scope, item.value)
            if not isinstance(inner.type, ListType):
                raise scope.refuse(PlanType, item, f"{described(inner.type)} cannot be unpacked")
            if inner.parts:
                parts.extend(inner.parts)
            else:
                close()
                groups.append(inner)
        else:
            parts.append(expression(scope, item))
    close()
    if not groups:
        return PlanValue("", ListType(INT))
    value = groups[0]
    for group in groups[1:]:
        value = concatenated(scope, node, value, group)
    return value


def literal(scope: Scope, node: ast.AST, parts: tuple[PlanValue, ...]) -> PlanValue:
    """A list with these items; its type is that of the first, where they have one type."""
    kind = parts[0].type
    for part in parts[1:]:
        together = joined(kind, part.type)
        if together is None:
            return PlanValue("", ListType(ANY_NONE), parts=parts)
        kind = together
    return PlanValue("", ListType(kind), parts=parts)


def concatenated(scope: Scope, node: ast.AST, left: PlanValue, right: PlanValue) -> PlanValue:
    """`a + b` of lists."""
    if not isinstance(right.type, ListType) or not isinstance(left.type, ListType):
        raise scope.refuse(PlanType, node, f"{described(left.type)} + {described(right.type)} has no meaning")
    if left.parts and right.parts:
        return literal(scope, node, (*left.parts, *right.parts))
    if left.type.item != right.type.item:
        raise scope.refuse(PlanType, node, f"{described(left.type)} + {described(right.type)} has no one type")
    scope.unit.needs.add("Concat")
    texts = [as_vector(scope, side).cpp for side in (left, right)]
    return PlanValue(f"Concat({comma(texts)})", ListType(left.type.item, left.type.sizes and right.type.sizes))


def as_vector(scope: Scope, value: PlanValue) -> PlanValue:
    """A list as one C++ expression of type std::vector."""
    if not isinstance(value.type, ListType) or value.cpp:
        return value
    item = cpp_type(value.type.item, scope.size)
    inner = comma([f"{item}({part.cpp})" if scope.symbolic and part.type == INT else part.cpp for part in value.parts])
    return PlanValue(f"std::vector<{item}>{{{inner}}}", value.type)
