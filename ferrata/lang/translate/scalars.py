"""ac.exp_of, ac.ln_of, ac.sqrt_of: of one number. Scalar code has no such instruction, so the vector unit does it.

The number goes into a block, the function is applied to the block, and scalar code reads the result when it is there:
all of it stands in the emitted text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ferrata import errors
from ferrata.lang.elements import f32
from ferrata.lang.translate import arithmetic, buffers, sync
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.tensors import as_local
from ferrata.lang.translate.types import spelled
from ferrata.lang.values import FLOAT, LocalType, Value

LANES = 8  # floats in a block


def _applied(name: str, api: str) -> Callable[[Function, ast.Call], Value]:
    def build(f: Function, node: ast.Call) -> Value:
        args = Arguments.of(f, node, f"ac.{name}", ("x",), ("work",), positional=("x",))
        x = arithmetic.to_float(f, arithmetic.number(f, args["x"], node, f"ac.{name}"))
        given = args.get("work")
        if given is None:
            lanes = arithmetic.literal(LANES)
            given = buffers.scratch(f, node, "one", f32, lanes, f"functions of one number, as ac.{name}")
        work = as_local(f, given)
        if not isinstance(work.type, LocalType) or work.type.element != f32:
            f.fail(errors.WrongType, node, what="work", expected="a buffer of ac.f32", got=spelled(work.type))
        block = f.fresh("number")
        f.out.emit(f"LocalTensor<float> {block} = {work.cpp};")
        f.out.emit(f"Duplicate({block}, {x.cpp}, {LANES});")
        f.out.emit("PipeBarrier<PIPE_V>();")
        f.out.emit(f"{api}({block}, {block}, {LANES});")
        sync.wait(f, node, "V", "S")
        result = f.fresh(f.suggested or name)
        f.results.add(result)
        f.out.emit(f"const float {result} = {block}.GetValue(0);")
        sync.wait(f, node, "S", "V")
        return Value(result, FLOAT)

    build.__doc__ = f"`ac.{name}(x)`, a float."
    return build


exp_of = _applied("exp_of", "Exp")
ln_of = _applied("ln_of", "Ln")
sqrt_of = _applied("sqrt_of", "Sqrt")
