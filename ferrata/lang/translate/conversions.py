"""ac.convert: elements as another type, by the vector unit, without naming a round mode where only one makes sense.

A kernel over a dtype variable computes in float whatever the variable is. Where it is float already, the vector unit
has no conversion; the helper `Convert` in the emitted file takes the one that fits.
"""

from __future__ import annotations

import ast

from ferrata import errors
from ferrata.lang.apis.casts import ROWS
from ferrata.lang.elements import Dtype, f16, f32, i16, i32
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.tensors import as_local
from ferrata.lang.translate.types import spelled
from ferrata.lang.values import NONE, LocalType, Value

_MODES = {(row.source, row.target): row.modes for row in ROWS if row.op == "Cast"}
_COPIED = (f16, f32, i16, i32)  # what Muls takes


def convert(f: Function, node: ast.Call) -> Value:
    """`ac.convert(dst, src, n)`."""
    args = Arguments.of(f, node, "ac.convert", ("dst", "src"), ("n",), positional=("dst", "src", "n"))
    dst, src = as_local(f, args["dst"]), as_local(f, args["src"])
    for side in (dst, src):
        if not isinstance(side.type, LocalType):
            f.fail(
                errors.WrongType, node, what="ac.convert", expected="tensors of the core", got=spelled(side.type),
                help="Bring it into the core first: ac.copy into the block of a queue.",
            )  # fmt: skip
    assert isinstance(dst.type, LocalType) and isinstance(src.type, LocalType)
    to, source = dst.type.element, src.type.element
    pairs = [(a, b) for a in f.choices(source) for b in f.choices(to) if to != source or a == b]
    for pair in pairs:
        if _mode(*pair) is None:
            _refuse(f, node, *pair)
    given = args.get("n")
    n = arithmetic.integer(f, given, given.node or node, "ac.convert") if given is not None else None
    if n is None:  # what a slice says, else what the tensor holds
        lengths = [(side.whole, side.length) for side in (dst, src) if side.length is not None]
        n = min(lengths, key=lambda pair: pair[0])[1] if lengths else None
    if n is None:
        f.fail(errors.WrongArguments, node, name="ac.convert", problem="needs n: neither tensor tells its length")
    f.use(to)
    f.use(source)
    if isinstance(to, Dtype) and isinstance(source, Dtype) and to != source:
        return Value(f"Cast({dst.cpp}, {src.cpp}, RoundMode::CAST_{_mode(source, to)}, {n.cpp})", NONE)
    return Value(f"{f.unit.helper('Convert')}({dst.cpp}, {src.cpp}, {n.cpp})", NONE)


def _mode(source: Dtype, to: Dtype) -> str | None:
    """The round mode, as the helper chooses it; None where nothing converts or how to round is the user's choice."""
    if source == to:
        return "NONE" if source in _COPIED else None
    mode = "NONE" if to.bytes > source.bytes else "RINT"
    return mode if to.floating and mode in _MODES.get((source.cpp, to.cpp), ()) else None


def _refuse(f: Function, node: ast.Call, source: Dtype, to: Dtype) -> None:
    if source == to:
        help_ = "Elements of one type need no conversion: compute with the tensor itself."
    elif not to.floating:
        help_ = "How to round to an integer is a choice: ac.cast(dst, src, ac.RoundMode.CAST_TRUNC, n), say."
    else:
        via = [d for d in (f32, f16) if d not in (source, to) and _mode(source, d) and _mode(d, to)]
        help_ = (
            f"The vector unit converts it by way of {via[0]!r}: two calls."
            if via
            else "The core has no such conversion."
        )
    f.fail(
        errors.WrongType,
        node,
        what="ac.convert",
        expected="types that it converts",
        got=f"{source!r} to {to!r}",
        help=help_,
    )
