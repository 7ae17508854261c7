"""The C interface: functions on pointers, with a count, or with repeats under the mask that is set.

Elementwise functions, conversions and comparisons compute what their counterparts in C++ do: the references are those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.api import CForm, CFunction, c_functions
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
from tests.conformance.variants import compound
from tests.conformance.variants.cast import SCALED
from tests.conformance.variants.compound import half_scale
from tests.conformance.variants.vector import Drawn, Shape, elementwise_case

# function -> reference of the elementwise family
SAME = {
    "asc_abs": "Abs", "asc_add": "Add", "asc_add_scalar": "Adds", "asc_and": "And", "asc_axpy": "Axpy",
    "asc_div": "Div", "asc_exp": "Exp", "asc_fma": "MulAddDst", "asc_leakyrelu": "LeakyRelu", "asc_log": "Ln", "asc_max": "Max",
    "asc_max_scalar": "Maxs", "asc_min": "Min", "asc_min_scalar": "Mins", "asc_mul": "Mul",
    "asc_mul_add": "FusedMulAdd", "asc_mul_add_relu": "MulAddRelu", "asc_mul_scalar": "Muls", "asc_not": "Not", "asc_or": "Or",
    "asc_rcp": "Reciprocal", "asc_relu": "Relu", "asc_rsqrt": "Rsqrt", "asc_shiftright": "ShiftRight", "asc_sqrt": "Sqrt", "asc_sub": "Sub",
    "asc_add_relu": "AddRelu", "asc_sub_relu": "SubRelu",
}  # fmt: skip
# with another destination type
NARROWING = {"asc_add_relu": "AddReluCast", "asc_sub_relu": "SubReluCast"}
PRODUCTS = {"asc_mul_cast_half2int8": "int8_t", "asc_mul_cast_half2uint8": "uint8_t"}
SUFFIXES = {"": "NONE", "_rn": "RINT", "_rna": "ROUND", "_rd": "FLOOR", "_ru": "CEIL", "_rz": "TRUNC", "_ro": "ODD"}
SHORT = {
    "half": "half", "float": "float", "bfloat16": "bfloat16_t", "int4": "int4b_t", "int8": "int8_t", "uint8": "uint8_t",
    "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
}  # fmt: skip
REPEAT_SLOTS = {"REPEAT1": (0, 1, 3, 4), "REPEAT2": (0, 1, 2, 3, 4, 5)}


def arguments(form: CForm, types: dict[str, str]) -> tuple[str, tuple[str, ...], bool] | None:
    """(C++ arguments, element types of the pointers, whether it is the count form); None for other shapes of calls."""
    parts = re.search(r"\((.*)\)", form.text)
    if not parts:
        return None  # a type or a constant
    out, pointers = [], []
    counted = False
    for param in (p.strip() for p in parts[1].split(",")):
        if match := re.fullmatch(r"__ubuf__ (\w+)\s?\*\s?\w+", param):
            dtype = types.get(match[1], match[1])
            out.append(f"c.u<{dtype}>({len(pointers)})")
            pointers.append(dtype)
        elif match := re.fullmatch(r"(\w+) (?:value|src|distance)", param):
            out.append(f"c.scalar<{types.get(match[1], match[1])}>()")
        elif param == "uint32_t count":
            out.append("c.count()")
            counted = True
        elif param in REPEAT_SLOTS:
            out.append(", ".join(["c.repeat()", *(f"c.s({slot})" for slot in REPEAT_SLOTS[param])]))
        else:
            return None
    return ", ".join(out), tuple(pointers), counted


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
            if same == "ShiftRight":
                amount = plan.integer(0, BITS[dst])
                plan.set_scalar(dtype, amount)
                scalar = np.int64(amount)
            else:
                scalar = plan.scalar(dtype)
        context = arith.Context(dst, scalar)

        def compute(*x: np.ndarray) -> np.ndarray:
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


def of_function(function: CFunction) -> Iterator[Variant]:
    for name in function.names:
        for form in function.forms:
            for types in function.combos(form):
                made = arguments(form, types)
                if not made:
                    continue
                text, pointers, counted = made
                kind = "count" if counted else "mask"
                draw: Callable[[Plan], Case] | None = None
                if converted := conversion_types(name):
                    draw = conversion(pointers, converted[1], counted)
                elif name in SAME or name in PRODUCTS:
                    draw = family(name, form, types, pointers, counted)
                elif (match := re.fullmatch(r"asc_(lt|gt|eq|le|ge|ne)(_scalar)?", name)) and pointers[0] == "uint8_t":
                    draw = comparison(match[1].upper(), pointers[1], bool(match[2]))
                if draw is None:
                    continue
                yield Variant(name, kind, pointers, f"{name}({text});", draw)
                if form.twin and counted and pointers == first_types(function, form):
                    yield Variant(name, kind, pointers, f"{name}_sync({text});", draw, "sync")


def first_types(function: CFunction, form: CForm) -> tuple[str, ...]:
    """The pointers of the first combination: one `_sync` twin a function is enough."""
    made = arguments(form, function.combos(form)[0])
    assert made
    return made[1]


VARIANTS = tuple(variant for function in c_functions() for variant in of_function(function))
