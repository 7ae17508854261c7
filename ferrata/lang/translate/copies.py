"""ac.copy: the right instruction for a copy, chosen by what can be proved of its length.

Between device and core DataCopy moves whole 32-byte blocks and silently drops the rest; DataCopyPad moves any length in
bytes. So DataCopy is taken where the length is certainly a multiple of 32 bytes, DataCopyPad anywhere else.
"""

from __future__ import annotations

import ast

from ferrata import errors
from ferrata.lang.elements import Dtype, Element
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.arithmetic import TIMES, wrap
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.tensors import as_local
from ferrata.lang.translate.types import spelled
from ferrata.lang.values import NONE, GlobalType, LocalType, Value


def copy(f: Function, node: ast.Call) -> Value:
    """`ac.copy(dst, src)` or `ac.copy(dst, src, n)`."""
    args = Arguments.of(f, node, "ac.copy", ("dst", "src"), ("n",), positional=("dst", "src", "n"))
    dst, src = as_local(f, args["dst"]), as_local(f, args["src"])
    for side in (dst, src):
        if not isinstance(side.type, LocalType | GlobalType):
            f.fail(errors.WrongType, node, what="ac.copy", expected="tensors", got=spelled(side.type))
    assert isinstance(dst.type, LocalType | GlobalType) and isinstance(src.type, LocalType | GlobalType)
    if isinstance(dst.type, GlobalType) and isinstance(src.type, GlobalType):
        f.fail(
            errors.CopyRefused, node, problem="from device memory to device memory",
            help="Through a queue: ac.queue(ac.VECIN, ...), copy into its block, copy out of it.",
        )  # fmt: skip
    element = dst.type.element
    if not f.same(element, src.type.element):
        f.fail(
            errors.CopyRefused, node, problem=f"{src.type.element!r} to {element!r}",
            help="A copy does not convert: ac.cast does, inside the core.",
        )  # fmt: skip
    if isinstance(element, Dtype) and element.bytes < 1:
        f.fail(errors.CopyRefused, node, problem="4-bit elements", help="Copy them as bytes: x.view(ac.u8).")
    n = _count(f, args.get("n"), dst, src, node)
    if n.const == 0:
        return Value("", NONE)
    whole = _whole_blocks(f, element, n)
    if isinstance(dst.type, LocalType) and isinstance(src.type, LocalType):
        if not whole:
            f.fail(
                errors.CopyRefused, node, problem=f"{n.cpp} elements inside the core: whole 32-byte blocks only",
                help="Say that the count is one (`assert n % 16 == 0`), or use ac.adds(dst, src, 0, n).",
            )  # fmt: skip
        return Value(f"DataCopy({dst.cpp}, {src.cpp}, {n.cpp})", NONE)
    if whole:
        return Value(f"DataCopy({dst.cpp}, {src.cpp}, {n.cpp})", NONE)
    f.use(element)
    bytes_ = f"{wrap(n, TIMES)} * sizeof({element.cpp})" if n.const is None else f"{n.cpp} * sizeof({element.cpp})"
    piece = f"DataCopyExtParams(1, {bytes_}, 0, 0, 0)"
    if isinstance(dst.type, LocalType):
        return Value(f"DataCopyPad({dst.cpp}, {src.cpp}, {piece}, DataCopyPadExtParams<{element.cpp}>())", NONE)
    return Value(f"DataCopyPad({dst.cpp}, {src.cpp}, {piece})", NONE)


def _whole_blocks(f: Function, element: Element, n: Value) -> bool:
    return all(n.multiple * dtype.bytes % 32 == 0 for dtype in f.choices(element))


def _count(f: Function, given: Value | None, dst: Value, src: Value, node: ast.Call) -> Value:
    """How many elements: what is given, else what a slice says, else what a buffer holds."""
    if given is not None:
        return arithmetic.integer(f, given, given.node or node, "ac.copy")
    asked = [side.length for side in (dst, src) if side.length is not None and not side.whole]
    if len(asked) == 2 and asked[0].cpp != asked[1].cpp:
        one, other = asked
        if one.const is None or one.const != other.const:
            f.fail(
                errors.CopyRefused, node, problem=f"{other.cpp} elements to {one.cpp}",
                help="Slice one side only, or both to the same length; ac.copy(dst, src, n) says it too.",
            )  # fmt: skip
    if asked:
        return asked[0]
    held = [side.length for side in (dst, src) if side.length is not None]
    if not held:
        f.fail(
            errors.CopyRefused, node, problem="a length that nothing says",
            help="Slice a side, `ac.copy(a[:n], x[start:])`, or give it: ac.copy(a, x, n).",
        )  # fmt: skip
    if len(held) == 2 and held[0].cpp != held[1].cpp:
        f.fail(
            errors.CopyRefused, node, problem=f"a buffer of {held[1].cpp} elements to one of {held[0].cpp} without a length",
            help="Slice a side: ac.copy(a[:n], b).",
        )  # fmt: skip
    return held[0]
