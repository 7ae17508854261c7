"""Objects that a kernel makes by their C++ classes: pipes, queues, buffers, pools, tensors without storage.

Most kernels use `ac.queue` and `ac.tbuf` instead; these are for what those do not cover, and read as in C++.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ferrata.errors import WrongArguments
from ferrata.lang.binding.context import Context
from ferrata.lang.binding.words import described
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.values import EnumType, GlobalType, LocalType, OpaqueType, Type, Value


@dataclass(frozen=True)
class Object:
    """A class. template: what stands in its angle brackets, `name:kind`; "?" behind a kind: may be left out."""

    template: tuple[str, ...]
    doc: str


OBJECTS: Mapping[str, Object] = {
    "TPipe": Object((), "The allocator of a core's local memory; one a kernel."),
    "TQue": Object(("position:TPosition", "depth:int"), "A queue of blocks between two pipes."),
    "TQueBind": Object(
        ("source:TPosition", "destination:TPosition", "depth:int"), "A queue between two positions, VECIN to VECOUT."
    ),
    "TBuf": Object(("position:TPosition?",), "One buffer that stays where it is."),
    "TBufPool": Object(("position:TPosition", "buffers:int?"), "A part of the memory, to be split again."),
    "TQueSync": Object(("source:pipe_t", "destination:pipe_t"), "Flags between two pipes."),
    "LocalMemAllocator": Object((), "Hands out local memory in order, without a TPipe."),
    "ListTensorDesc": Object((), "A list of tensors in device memory."),
    "GlobalTensor": Object(("dtype:type",), "A device tensor without memory; SetGlobalBuffer gives it some."),
    "LocalTensor": Object(("dtype:type",), "A local tensor without memory."),
}


def construct(
    name: str, args: Sequence[Value], kwargs: Mapping[str, Value], context: Context, node: ast.AST | None
) -> Value:
    """The Value of `ac.TQue(ac.VECIN, 2)`: a default constructed object, which an assignment makes a variable."""
    what = OBJECTS[name]
    given = list(args)
    texts = []
    element = None
    names = [spec.partition(":")[0] for spec in what.template]
    unknown = [key for key in kwargs if key not in names]
    if unknown or len(given) > len(names):
        raise _wrong(
            name, what, f"has no parameter {unknown[0]}" if unknown else f"takes {len(names)} arguments", context, node
        )
    for spec in what.template:
        parameter, _, kind = spec.partition(":")
        value = given.pop(0) if given else kwargs.get(parameter)
        if value is None:
            if kind.endswith("?"):
                break
            raise _wrong(name, what, f"needs {parameter}", context, node)
        if not _takes(kind.rstrip("?"), value, context):
            raise _wrong(name, what, f"does not take {described(value)} for {parameter}", context, value.node or node)
        if isinstance(value.const, (Dtype, DtypeVar)):
            element = value.const
        texts.append(element.cpp if element else value.cpp)
    cpp = f"{name}<{', '.join(texts)}>" if what.template or name == "LocalMemAllocator" else name
    typed: Type = OpaqueType(cpp)
    if element is not None:
        typed = GlobalType(element) if name == "GlobalTensor" else LocalType(element)
    return Value(f"{cpp}()", typed, node=node)


def _takes(kind: str, value: Value, context: Context) -> bool:
    if kind == "type":
        return isinstance(value.const, (Dtype, DtypeVar))
    if kind == "int":
        return isinstance(value.const, int) or context.constexpr(value)
    return isinstance(value.type, EnumType) and value.type.name == kind


def _wrong(name: str, what: Object, message: str, context: Context, node: ast.AST | None) -> Exception:
    names = ", ".join(spec.partition(":")[0] for spec in what.template)
    return context.error(WrongArguments, node, name=f"ac.{name}", problem=message, help=f"Write ac.{name}({names}).")
