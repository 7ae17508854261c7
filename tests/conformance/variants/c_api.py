"""The C interface: functions on pointers, with a count, or with repeats under the mask that is set.

Elementwise functions, conversions and comparisons compute what their counterparts in C++ do: the references are those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.api import CForm, CFunction
from ferrata.lang.registry import c_functions
from tests.conformance.plan import REPEAT, UB, Case, Plan
from tests.conformance.reference import arith, cast, compare
from tests.conformance.reference.addressing import (
    MaskState,
    Operand,
    elementwise,
    lanes_per_repeat,
    span,
)
from tests.conformance.reference.memory import BITS, Image
from tests.conformance.variant import Variant
from tests.conformance.variants import compare as by_bits
from tests.conformance.variants import compound, copies, fill, layout, reduce, sort, state
from tests.conformance.variants.cast import SCALED
from tests.conformance.variants.compound import half_scale
from tests.conformance.variants.vector import Drawn, Shape, elementwise_case

# function -> reference of the elementwise family
SAME = {
    "asc_abs": "Abs",
    "asc_add": "Add",
    "asc_add_scalar": "Adds",
    "asc_and": "And",
    "asc_axpy": "Axpy",
    "asc_div": "Div",
    "asc_exp": "Exp",
    "asc_fma": "MulAddDst",
    "asc_leakyrelu": "LeakyRelu",
    "asc_log": "Ln",
    "asc_max": "Max",
    "asc_max_scalar": "Maxs",
    "asc_min": "Min",
    "asc_min_scalar": "Mins",
    "asc_mul": "Mul",
    "asc_mul_add": "FusedMulAdd",
    "asc_mul_add_relu": "MulAddRelu",
    "asc_mul_scalar": "Muls",
    "asc_not": "Not",
    "asc_or": "Or",
    "asc_rcp": "Reciprocal",
    "asc_relu": "Relu",
    "asc_rsqrt": "Rsqrt",
    "asc_shiftleft": "ShiftLeft",
    "asc_shiftright": "ShiftRight",
    "asc_shiftright_round": "ShiftRight",
    "asc_sqrt": "Sqrt",
    "asc_sub": "Sub",
    "asc_sub_scalar": "Sub",
    "asc_add_relu": "AddRelu",
    "asc_sub_relu": "SubRelu",
}
# with another destination type
NARROWING = {"asc_add_relu": "AddReluCast", "asc_sub_relu": "SubReluCast"}
PRODUCTS = {"asc_mul_cast_half2int8": "int8_t", "asc_mul_cast_half2uint8": "uint8_t"}
SUFFIXES = {"": "NONE", "_rn": "RINT", "_rna": "ROUND", "_rd": "FLOOR", "_ru": "CEIL", "_rz": "TRUNC", "_ro": "ODD"}
SHORT = {
    "half": "half", "float": "float", "bfloat16": "bfloat16_t", "int4": "int4b_t", "int8": "int8_t", "uint8": "uint8_t",
    "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
}  # fmt: skip
REDUCTIONS = {"datablock": "ReduceDataBlock", "pair": "ReducePairElem", "repeat": "ReduceRepeat"}
# parameters by name
EXPRESSIONS = {
    "count": "c.count()",
    "repeat": "c.repeat()",
    "dst_block_stride": "c.s(0)",
    "src_block_stride": "c.s(1)",
    "src0_block_stride": "c.s(1)",
    "src1_block_stride": "c.s(2)",
    "dst_repeat_stride": "c.s(3)",
    "src_repeat_stride": "c.s(4)",
    "src0_repeat_stride": "c.s(4)",
    "src1_repeat_stride": "c.s(5)",
    "size": "uint32_t(c.count())",
    "n_burst": "c.x(0)",
    "len_burst": "c.x(1)",
    "src_gap": "c.x(2)",
    "dst_gap": "c.x(3)",
}


def arguments(form: CForm, types: dict[str, str]) -> tuple[str, tuple[str, ...], bool] | None:
    """(C++ arguments, element types of the pointers, whether it is the count form); None for other shapes of calls."""
    parts = re.search(r"\((.*)\)", form.declaration)
    if not parts or not parts[1].strip():
        return None  # a type, a constant, or no parameters
    out, pointers = [], []
    for param in (p.strip() for p in parts[1].split(",")):
        name = param.split()[-1].lstrip("*")
        if match := re.fullmatch(r"__(ubuf|gm)__ (\w+)\s?\*\s?\w+", param):
            dtype = types.get(match[2], match[2]).replace("void", "uint8_t")
            place = "c.u" if match[1] == "ubuf" else "c.gmp"
            out.append(f"{place}<{dtype}>({len(pointers)})")
            pointers.append(dtype)
        elif match := re.fullmatch(r"(\w+) (?:value|src|distance)", param):
            out.append(f"c.scalar<{types.get(match[1], match[1])}>()")
        elif name in EXPRESSIONS:
            out.append(EXPRESSIONS[name])
        else:
            return None
    return ", ".join(out), tuple(pointers), parts[1].endswith("count")


def scalar_type(form: CForm, types: dict[str, str]) -> str | None:
    """Element type of the scalar argument."""
    match = re.search(r", (\w+) (?:value|distance)[,)]", form.text)
    return types.get(match[1], match[1]) if match else None


def family(
    name: str, form: CForm, types: dict[str, str], pointers: tuple[str, ...], counted: bool
) -> Callable[[Plan], Case]:
    """A case of an elementwise function."""
    dst, *sources = pointers
    mixed = len(set(pointers)) > 1
    same = NARROWING[name] if mixed and name in NARROWING else SAME.get(name, "MulCast")
    shape = Shape(dst, tuple(sources), reads_dst=same in arith.READS_DST, in_place=not mixed, sets_mask=counted)

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        scalar = None
        if dtype := scalar_type(form, types):
            if same in ("ShiftLeft", "ShiftRight"):
                amount = plan.integer(0, BITS[dst])
                plan.set_scalar(dtype, amount)
                scalar = np.int64(amount)
            else:
                scalar = plan.scalar(dtype)
        context = arith.Context(dst, scalar, round_shift=name.endswith("_round"))

        def compute(*x: np.ndarray) -> np.ndarray:
            if name == "asc_sub_scalar":
                x = (x[0], np.full_like(x[0], scalar))
            if same in arith.OPS:
                return arith.OPS[same](*x, context)
            return compound.compute(same, dst, *x, 1.0, False)

        def reference(image: Image, drawn: Drawn) -> None:
            ulp = arith.ULP.get(same, 0)
            elementwise(image, drawn.dst, drawn.sources, drawn.enabled, compute, shape.reads_dst, ulp)

        return reference

    return elementwise_case(shape, "count" if counted else "mask", prepare)


def conversion(pointers: tuple[str, ...], mode: str, counted: bool) -> Callable[[Plan], Case]:
    target, source = pointers
    shape = Shape(
        target, (source,), even="int4b_t" in pointers, sets_mask=counted, kinds=("special", "bits", "wide", "near")
    )

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        scale = half_scale(plan) if pointers == SCALED else 1.0
        return lambda image, drawn: elementwise(
            image, drawn.dst, drawn.sources, drawn.enabled, lambda x: cast.cast(x, source, target, mode, scale)
        )

    return elementwise_case(shape, "count" if counted else "mask", prepare)


def comparison(mode: str, dtype: str, scalar: bool) -> Callable[[Plan], Case]:
    """Bits to memory; the vector mask has no effect."""
    per = lanes_per_repeat(dtype)

    def draw(plan: Plan) -> Case:
        value = plan.scalar(dtype, ("whole", "special", "near")) if scalar else None
        operands = [Operand(dtype, 0, plan.integer(1, 2), plan.integer(0, 16)) for _ in range(1 if scalar else 2)]
        most = 255
        while any(span(o, most, per) > UB // 3 for o in operands):
            most -= 1
        repeats = plan.pick((0, 1, plan.integer(1, most)))
        plan.params[REPEAT] = repeats
        dst = plan.place(-(-repeats * per // 8 // 32) * 32 + 32)
        plan.tensor(0, "uint8_t", dst, 32)
        placed = []
        for slot, o in enumerate(operands, start=1):
            size = max(32, span(o, max(repeats, 1), per))
            placed.append(Operand(dtype, plan.place(size), o.block_stride, o.repeat_stride))
            plan.tensor(slot, dtype, placed[-1].address, size)
            plan.fill(dtype, placed[-1].address, size, ("whole", "special", "near"))
        plan.strides(Operand("uint8_t", dst), *placed)
        plan.state(MaskState(False, plan.integer(1, 255), 0))
        return plan.done(lambda ub, gm: compare.compare_to_memory(ub, dst, placed, repeats, mode, value))

    return draw


def conversion_types(name: str) -> tuple[tuple[str, str], str] | None:
    """((target, source), mode) of `asc_<source>2<target><suffix>`."""
    match = re.fullmatch(r"asc_(u?int\d\d?|half|float|bfloat16)2(u?int\d\d?|half|float|bfloat16)((?:_r\w+)?)", name)
    if not match:
        return None
    source, target, suffix = match.groups()
    return (SHORT[target], SHORT[source]), SUFFIXES[suffix]


def other(name: str, pointers: tuple[str, ...], counted: bool, types: dict[str, str]) -> Callable[[Plan], Case] | None:
    """A case of the functions that are not elementwise; None where the suite has none."""
    form = "count" if counted else "mask"
    if name in ("asc_lt", "asc_gt", "asc_eq", "asc_le", "asc_ge", "asc_ne") and pointers[0] == "uint8_t":
        return comparison(name[-2:].upper(), pointers[1], False)
    if name.endswith("_scalar") and name[4:6] in ("lt", "gt", "eq", "le", "ge", "ne"):
        return comparison(name[4:6].upper(), pointers[1], True)
    if name == "asc_duplicate":
        return fill.duplicate(pointers[0], form, counted)
    if name == "asc_brcb":
        return fill.broadcast(pointers[0])
    if name == "asc_gather":
        return fill.gather(pointers[0], form, counted, based=False)
    if name == "asc_gather_datablock":
        return fill.gather_blocks(pointers[0])
    if name == "asc_transpose":
        return layout.square(pointers[0], False)
    if name == "asc_bitsort":
        return sort.group_sort(pointers[0], None)
    if name.startswith("asc_copy_") and not name.endswith("_align"):
        move = copies.Move({"gm2ub": "In", "ub2gm": "Out", "ub2ub": "Local"}[name[9:]])
        return copies.contiguous(move, "uint8_t", whole=True) if types.get("size") else copies.blocks(move, "uint8_t")
    if (match := re.fullmatch(r"asc_(datablock|pair|repeat)_reduce_(sum|max|min)_?(\w*)", name)) and not counted:
        if (match[1], match[2], pointers[0]) == ("repeat", "sum", "half"):
            return None  # its partial sums clamp: see c_more.py
        order = match[3].upper()
        return reduce.by_repeat(REDUCTIONS[match[1]], match[2].upper(), pointers[0], "mask", False, False, order)
    return None


def of_function(function: CFunction) -> Iterator[Variant]:
    for name in function.names:
        for form in function.forms:
            for types in function.combos(form):
                made = arguments(form, types)
                if not made:
                    continue
                text, pointers, counted = made
                draw: Callable[[Plan], Case] | None
                if converted := conversion_types(name):
                    draw = conversion(pointers, converted[1], counted)
                elif name in SAME or name in PRODUCTS:
                    draw = family(name, form, types, pointers, counted)
                else:
                    draw = other(name, pointers, counted, types | {"size": "yes" * ("size" in form.text)})
                if draw is None:
                    continue
                kind = "count" if counted else "call" if "copy_" in name and "size" in form.text else "mask"
                yield Variant(name, kind, pointers, f"{name}({text});", draw)
                if form.twin and pointers == first_types(function, form):
                    yield Variant(name, kind, pointers, f"{name}_sync({text});", draw, "sync")


def first_types(function: CFunction, form: CForm) -> tuple[str, ...]:
    """The pointers of the first combination: one `_sync` twin a function is enough."""
    made = arguments(form, function.combos(form)[0])
    assert made
    return made[1]


BIT_COUNTS: tuple[tuple[str, Callable[[int], int], bool], ...] = (
    ("asc_popc", lambda x: bin(x).count("1"), False),
    ("asc_zero_bits_cnt", lambda x: 64 - bin(x).count("1"), False),
    ("asc_clz", state.leading_zeros, False),
    ("asc_ffs", lambda x: state.lowest(x, 1), False),
    ("asc_ffz", lambda x: state.lowest(x, 0), False),
    ("asc_sflbits", state.sign_run, True),
)


def by_hand() -> Iterator[Variant]:
    """Functions whose calls need more than their arguments."""
    for name, result, signed in BIT_COUNTS:
        text = f"c.put(0, 0, int64_t({name}({'int64_t' if signed else 'uint64_t'}(c.x(0)))));"
        yield Variant(name, "call", (), text, state.scalar(result, signed))
    masks = (
        ("asc_set_mask_norm", "asc_set_mask_norm(); asc_set_vector_mask(c.x(1), c.x(0));", state.bits),
        ("asc_set_vector_mask", "asc_set_mask_norm(); asc_set_vector_mask(c.x(1), c.x(0));", state.bits),
        ("asc_set_mask_count", "asc_set_mask_count(); asc_set_vector_mask(0, c.x(0));", state.counter),
    )
    for name, text, prepare in masks:
        yield Variant(name, "call", (), text + state.PROBE, state.seen(prepare))
    for t in ("half", "float"):
        operands = f"c.u<{t}>(0), c.u<{t}>(1), c.u<{t}>(2)"
        strides = "c.repeat(), c.s(0), c.s(1), c.s(2), c.s(3), c.s(4), c.s(5)"
        bits = "asc_set_cmp_mask(c.u<uint8_t>(4));"
        text = f"{bits} asc_select({operands}, c.count());"
        yield Variant("asc_select", "count", (t,), text, by_bits.selection("count", t, 0))
        text = f"{bits} asc_select({operands}, {strides});"
        yield Variant("asc_select", "mask", (t,), text, by_bits.selection("mask", t, 0, "uint8_t", "register"))
        lists = f"__ubuf__ {t} *s[4] = {{c.u<{t}>(1), c.u<{t}>(2), c.u<{t}>(3), c.u<{t}>(4)}};"
        lengths = "c.x(0), c.x(1), c.x(2), c.x(3)"
        text = f"{lists} asc_mrgsort4(c.u<{t}>(0), s, c.x(6), {lengths}, c.x(4) != 0, c.x(5));"
        yield Variant("asc_mrgsort4", "call", (t,), text, sort.merge(t, False))
    for t in ("uint8_t",):
        text = "asc_set_cmp_mask(c.u<uint8_t>(1)); asc_get_cmp_mask(c.u<uint8_t>(0));"
        for name in ("asc_set_cmp_mask", "asc_get_cmp_mask"):
            yield Variant(name, "call", (t,), text, by_bits.register_copy(t, t))


VARIANTS = (*(variant for function in c_functions() for variant in of_function(function)), *by_hand())
