"""Arithmetic, logic, shifts: count and repeat forms, both ways of setting the mask, the operators, saturation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.api import Api, Form
from ferrata.lang.registry import by_id
from tests.conformance.plan import COUNT, TENSORS, Case, Plan
from tests.conformance.reference import arith
from tests.conformance.reference.addressing import MaskState, counted, elementwise
from tests.conformance.reference.memory import BITS, Image
from tests.conformance.variant import Variant, call, letters
from tests.conformance.variants.vector import (
    Drawn,
    Shape,
    draw_count,
    elementwise_case,
)

CATEGORIES = ("arith-unary", "arith-binary", "arith-scalar", "logic", "shift", "compound")
SATURATE = "SetSaturationFlag<SaturationMode::FLOAT>(true); {call} SetSaturationFlag<SaturationMode::FLOAT>(false);"
SHIFTS = ("ShiftLeft", "ShiftRight")


def shape_of(api: Api, form: Form, types: tuple[str, ...], sets_mask: bool = True) -> Shape:
    """Operand types of a declaration, from its LocalTensor parameters."""
    names = letters(api, types)
    operands = []
    for param in form.params:
        if param.type.startswith("const LocalTensor<"):
            letter = param.type[len("const LocalTensor<") : -2]
            operands.append(names.get(letter, letter))
    mixed = len(set(operands)) > 1
    return Shape(
        dst=operands[0],
        sources=tuple(operands[1:]),
        accumulates="ACC" in api.rules and operands[0] in ("half", "int32_t", "float"),
        reads_dst=api.id in arith.READS_DST,
        in_place=not mixed,
        sets_mask=sets_mask,
    )


def case(
    api: Api, form: Form, types: tuple[str, ...], sets_mask: bool, saturate: bool, rounding: bool
) -> Callable[[Plan], Case]:
    """How to draw a case of an elementwise row."""
    shape = shape_of(api, form, types, sets_mask)
    compute = arith.OPS[api.id]
    scalar_type = next((p.type for p in form.params if p.role == "scalar"), None)

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        scalar = None
        if api.id in SHIFTS:
            most = BITS[shape.dst]
            amount = plan.pick((0, 1, most - 1, most, plan.integer(0, most)))
            plan.set_scalar(shape.dst, amount)
            scalar = np.int64(amount)
        elif scalar_type:
            scalar = plan.scalar(shape.sources[0])
        context = arith.Context(shape.dst, scalar, saturate, rounding)

        def reference(image: Image, drawn: Drawn) -> None:
            elementwise(
                image, drawn.dst, drawn.sources, drawn.enabled, lambda *x: compute(*x, context), shape.reads_dst,
                arith.ULP.get(api.id, 0),
            )  # fmt: skip

        return reference

    if form.kind == "count" and not sets_mask:
        # the count is ignored: lanes come from the Counter mode that is set
        def draw(plan: Plan) -> Case:
            reference = prepare(plan)
            drawn = draw_count(plan, shape)
            total = int(plan.params[COUNT])
            plan.state(MaskState(True, total, 0))
            plan.params[COUNT] = plan.integer(0, 3)
            if total == 0:
                return plan.done(lambda ub, gm: None)
            return plan.done(lambda ub, gm: reference(ub, drawn))

        return draw
    return elementwise_case(shape, form.kind, prepare)


def whole(api: Api, form: Form, types: tuple[str, ...]) -> Variant:
    """The operator between tensors: as the count form over the destination's size."""
    shape = shape_of(api, api.forms[0], types)
    operator = form.text.split()[3]
    t = types[0]
    text = f"LocalTensor<{t}> dst = c.t<{t}>(0); dst = c.t<{t}>(1) {operator} c.t<{t}>(2);"
    compute = arith.OPS[api.id]

    def draw(plan: Plan) -> Case:
        drawn = draw_count(plan, shape)
        if not drawn.enabled.any():
            drawn.enabled = counted(256 // BITS[t], shape.per_repeat)  # a tensor has at least a block
        count = int(drawn.enabled.sum())
        for slot in range(3):
            plan.tensor(slot, t, int(plan.params[TENSORS + 2 * slot]), count * BITS[t] // 8)
        context = arith.Context(t)
        return plan.done(
            lambda ub, gm: elementwise(ub, drawn.dst, drawn.sources, drawn.enabled, lambda *x: compute(*x, context))
        )

    return Variant(api.id, "whole", types, text, draw)


def variants() -> Iterator[Variant]:
    for api in by_id().values():
        if api.category not in CATEGORIES:
            continue
        for types in api.dtypes["dav-2201"]:
            for form in api.forms:
                if form.kind == "whole":
                    yield whole(api, form, types)
                    continue
                text = call(api, form, types)
                yield Variant(api.id, form.kind, types, text, case(api, form, types, True, False, False))
                template = [p.name for p in form.template]
                if "isSetMask" in template and form.kind in ("mask", "count"):
                    explicit = ", ".join("false" if p == "isSetMask" else letters(api, types)[p] for p in template)
                    given = {"mask": "MASK_PLACEHOLDER"}
                    text = call(api, form, types, explicit, given)
                    yield Variant(
                        api.id, form.kind, types, text, case(api, form, types, False, False, False), "mask-is-set"
                    )
                if types[0] == "half" and form.kind == "count":
                    text = SATURATE.format(call=call(api, form, types))
                    yield Variant(
                        api.id, form.kind, types, text, case(api, form, types, True, True, False), "saturated"
                    )
                if api.id == "ShiftRight" and form.kind == "bits" and types[0] in ("int16_t", "int32_t"):
                    text = call(api, form, types, given={"roundEn": "true"})
                    yield Variant(api.id, form.kind, types, text, case(api, form, types, True, False, True), "rounding")


VARIANTS = tuple(variants())
