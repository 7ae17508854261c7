"""Small functions of the language: a core's share of the work, sizes of elements, reductions to a number."""

from __future__ import annotations

import ast
from dataclasses import replace

from ferrata import errors
from ferrata.lang.elements import Dtype, f16, f32
from ferrata.lang.translate import arithmetic, buffers, sync
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.arithmetic import TIMES
from ferrata.lang.translate.buffers import element_argument
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.objects import size_of
from ferrata.lang.translate.tensors import as_local
from ferrata.lang.translate.types import ResultType, known, python, spelled
from ferrata.lang.values import BOOL, FLOAT, INT, LocalType, ScalarType, TupleType, Value

_SHARE = ResultType("Share", (("start", INT), ("count", INT)))


def _cores(f: Function) -> str:
    return "GetBlockNum() * GetTaskRatio()" if f.mix else "GetBlockNum()"


def core_share(f: Function, node: ast.Call) -> Value:
    """`start, count = ac.core_share(n, align=16)`."""
    args = Arguments.of(f, node, "ac.core_share", ("total",), ("align",))
    total = arithmetic.integer(f, args["total"], node, "ac.core_share")
    align = args.get("align")
    align = arithmetic.integer(f, align, node, "align") if align is not None else arithmetic.literal(1)
    if isinstance(align.const, int) and align.const < 1:
        f.fail(errors.WrongArguments, node, name="ac.core_share", problem=f"has an align of {align.const}")
    text = f"{f.unit.helper('CoreShare')}({total.cpp}, {align.cpp}, {_cores(f)})"
    start = Value("", INT, minimum=0)
    items = (replace(start, multiple=1), start)
    return Value(text, _SHARE, items=items)


def core_rows(f: Function, node: ast.Call) -> Value:
    """`first, count = ac.core_rows(rows)`: whole rows, as evenly as they divide."""
    args = Arguments.of(f, node, "ac.core_rows", ("rows",), ())
    rows = arithmetic.integer(f, args["rows"], node, "ac.core_rows")
    text = f"{f.unit.helper('CoreShare')}({rows.cpp}, 1, {_cores(f)})"
    start = Value("", INT, minimum=0)
    return Value(text, _SHARE, items=(start, start))


def block_elems(f: Function, node: ast.Call) -> Value:
    """`ac.block_elems(T)`: elements in 32 bytes."""
    element = element_argument(
        f, Arguments.of(f, node, "ac.block_elems", ("dtype",), ()).get("dtype"), node, "block_elems"
    )
    if isinstance(element, Dtype):
        return arithmetic.literal(int(32 / element.bytes))
    name = element.name
    least = min(int(32 / d.bytes) for d in f.possible(element))
    return Value(
        f"{f.unit.helper('PER_BLOCK')}<{element.cpp}>", INT, minimum=least, multiple=least,
        formula=lambda bound: int(32 / bound[name].bytes),
    )  # fmt: skip


def sizeof(f: Function, node: ast.Call) -> Value:
    """`ac.sizeof(T)`: bytes of an element."""

    element = element_argument(f, Arguments.of(f, node, "ac.sizeof", ("dtype",), ()).get("dtype"), node, "sizeof")
    return size_of(f, element)


def scalar(f: Function, node: ast.Call) -> Value:
    """`ac.scalar(T, x)`: a number as an element type; what T(x) does, for tools that check types."""
    args = Arguments.of(f, node, "ac.scalar", ("dtype", "value"), ())
    return arithmetic.cast(f, args["value"], element_argument(f, args.get("dtype"), node, "scalar"), node)


def choices(f: Function, node: ast.Call) -> Value:
    """`ac.choices(T)`: what a dtype variable can be, as a tuple."""
    element = element_argument(f, Arguments.of(f, node, "ac.choices", ("dtype",), ()).get("dtype"), node, "choices")
    items = tuple(python(d) for d in f.choices(element))
    return Value("", TupleType(tuple(item.type for item in items)), items=items)


def _number(text: str, minimum: int = 0) -> Value:
    return Value(text, INT, minimum=minimum)


def block_idx(f: Function, node: ast.Call) -> Value:
    """`ac.block_idx()`: this core's number among those of the launch."""
    Arguments.of(f, node, "ac.block_idx", (), ())
    return _number("GetBlockIdx()")


def block_num(f: Function, node: ast.Call) -> Value:
    """`ac.block_num()`: cores of the launch that run this code."""
    Arguments.of(f, node, "ac.block_num", (), ())
    text = _cores(f)
    return replace(_number(text, 1), precedence=TIMES if "*" in text else 0)


def sub_block_idx(f: Function, node: ast.Call) -> Value:
    """`ac.sub_block_idx()`: this vector core's number inside its block."""
    Arguments.of(f, node, "ac.sub_block_idx", (), ())
    return _number("GetSubBlockIdx()")


def is_vector_core(f: Function, node: ast.Call) -> Value:
    """`ac.is_vector_core()`: in a mix kernel both kinds of cores run the same text."""
    Arguments.of(f, node, "ac.is_vector_core", (), ())
    return Value("g_coreType == AIV", BOOL, precedence=arithmetic.EQUAL)


def is_cube_core(f: Function, node: ast.Call) -> Value:
    """`ac.is_cube_core()`."""
    Arguments.of(f, node, "ac.is_cube_core", (), ())
    return Value("g_coreType == AIC", BOOL, precedence=arithmetic.EQUAL)


def ceil_div(f: Function, node: ast.Call) -> Value:
    """`ac.ceil_div(a, b)`: a / b rounded up."""
    args = Arguments.of(f, node, "ac.ceil_div", ("a", "b"), ())
    a, b = (arithmetic.integer(f, args[name], node, "ac.ceil_div") for name in ("a", "b"))
    up = _one_less_than_next(f, a, b, node)
    natural = a.minimum is not None and a.minimum >= 0 and b.minimum is not None and b.minimum > 0
    if natural:
        up = replace(up, minimum=0)
    return arithmetic.binary(f, ast.FloorDiv(), up, b, node)


def _one_less_than_next(f: Function, n: Value, unit: Value, node: ast.Call) -> Value:
    """n + unit - 1, as a person writes it for a known unit: n + 7."""
    if isinstance(unit.const, int) and unit.cpp == str(unit.const):
        return arithmetic.binary(f, ast.Add(), n, arithmetic.literal(unit.const - 1), node)
    return arithmetic.binary(f, ast.Sub(), arithmetic.binary(f, ast.Add(), n, unit, node), arithmetic.literal(1), node)


def round_up(f: Function, node: ast.Call) -> Value:
    """`ac.round_up(n, unit)`: the next multiple of unit."""
    args = Arguments.of(f, node, "ac.round_up", ("n", "unit"), ())
    unit = arithmetic.integer(f, args["unit"], node, "ac.round_up")
    n = arithmetic.integer(f, args["n"], node, "ac.round_up")
    up = _one_less_than_next(f, n, unit, node)
    if n.minimum is not None and n.minimum >= 0 and unit.minimum is not None and unit.minimum > 0:
        up = replace(up, minimum=0)
    blocks = arithmetic.binary(f, ast.FloorDiv(), up, unit, node)
    return arithmetic.binary(f, ast.Mult(), blocks, unit, node)


def max_of(f: Function, node: ast.Call) -> Value:
    """`ac.max_of(x, n)`: the largest of the first n elements, as float."""
    return _reduced(f, node, "max_of", "ReduceMax")


def min_of(f: Function, node: ast.Call) -> Value:
    """`ac.min_of(x, n)`: the smallest of the first n elements, as float."""
    return _reduced(f, node, "min_of", "ReduceMin")


def sum_of(f: Function, node: ast.Call) -> Value:
    """`ac.sum_of(x, n)`: the sum of the first n elements, as float."""
    return _reduced(f, node, "sum_of", "ReduceSum")


def _reduced(f: Function, node: ast.Call, name: str, api: str) -> Value:
    """The reduction, the wait for the vector unit, the read, and the wait of the vector unit for the read.

    Result and scratch lie in one buffer: 32 bytes for the result, behind them what the reduction works in.
    """
    args = Arguments.of(f, node, f"ac.{name}", ("tensor",), ("n", "work"), positional=("tensor", "n"))
    source = as_local(f, args["tensor"])
    if not isinstance(source.type, LocalType):
        f.fail(errors.WrongType, node, what=f"ac.{name}", expected="a tensor of the core", got=spelled(source.type))
    element = source.type.element
    bad = [d for d in f.choices(element) if d not in (f16, f32)]
    if bad:
        f.fail(
            errors.WrongType, node, what=f"ac.{name}", expected="ac.f16 or ac.f32", got=", ".join(map(repr, bad)),
            help="Convert first: ac.cast to a buffer of ac.f32.",
        )  # fmt: skip
    given = args.get("n")
    n = arithmetic.integer(f, given, node, f"ac.{name}") if given is not None else source.length
    if n is None:
        f.fail(errors.WrongArguments, node, name=f"ac.{name}", problem="needs n: the tensor does not tell its length")
    f.use(element)
    work = args.get("work")
    if work is None:
        capacity = source.length if source.length is not None and known(source.length) else n
        sixteen = arithmetic.literal(16)
        size = arithmetic.binary(f, ast.Add(), capacity, sixteen, node)
        buffer = buffers.scratch(f, node, "reduce_work", element, size, f"the result of ac.{name}, and its work space")
        work = as_local(f, buffer)
    else:
        work = as_local(f, work)
        if not isinstance(work.type, LocalType) or work.type.element != element:
            f.fail(errors.WrongType, node, what="work", expected=f"a buffer of {element!r}", got=spelled(work.type))
    name_of = f.fresh("reduced")
    f.out.emit(f"LocalTensor<{element.cpp}> {name_of} = {work.cpp};")
    block = "16" if element == f16 else "8" if element == f32 else f"{f.unit.helper('PER_BLOCK')}<{element.cpp}>"
    f.out.emit(f"{api}({name_of}, {source.cpp}, {name_of}[{block}], {n.cpp});")
    sync.wait(f, node, "V", "S")
    result = f.fresh(f.suggested or name)
    f.results.add(result)
    raw = Value(f"{name_of}.GetValue(0)", ScalarType(element))
    f.out.emit(f"const float {result} = {arithmetic.to_float(f, raw, cast=element != f32).cpp};")
    sync.wait(f, node, "S", "V")
    return Value(result, FLOAT)
