"""Tensor conversions: every pair in every round mode of the table, all forms; and the scalar conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ferrata.lang.api import Api, Form
from ferrata.lang.apis.casts import CASTS
from ferrata.lang.registry import by_id
from tests.conformance.plan import CHOICE, Case, Plan
from tests.conformance.reference import cast
from tests.conformance.reference.addressing import elementwise
from tests.conformance.reference.memory import Image
from tests.conformance.variant import Variant, call
from tests.conformance.variants.arith import SATURATE, shape_of
from tests.conformance.variants.compound import half_scale
from tests.conformance.variants.vector import Drawn, elementwise_case

SCALED = ("half", "int32_t")  # multiplies by the scale that SetDeqScale left


def case(api: Api, form: Form, types: tuple[str, ...], sets_mask: bool, saturate: bool) -> Callable[[Plan], Case]:
    target, source = types
    shape = replace(
        shape_of(api, form, types, sets_mask),
        in_place=True,
        even="int4b_t" in types,
        kinds=("special", "bits", "wide", "near"),
    )
    modes = CASTS[source, target].modes

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        mode = plan.pick(modes)
        plan.params[CHOICE] = cast.MODES.index(mode)
        plan.note["mode"] = mode
        scale = half_scale(plan) if types == SCALED else 1.0

        def reference(image: Image, drawn: Drawn) -> None:
            elementwise(
                image,
                drawn.dst,
                drawn.sources,
                drawn.enabled,
                lambda x: cast.cast(x, source, target, mode, scale, saturate),
            )

        return reference

    return elementwise_case(shape, form.kind, prepare)


def scalar_case(types: tuple[str, str], mode: str) -> Callable[[Plan], Case]:
    """One scalar conversion; the result's bits are stored as 64 bits."""
    source, target = types

    def draw(plan: Plan) -> Case:
        value = plan.scalar(source, ("special", "near", "wide", "whole"))
        at = plan.place(32)
        plan.tensor(0, "uint64_t", at, 32)

        def reference(ub: Image, gm: Image) -> None:
            import numpy as np

            from tests.conformance.reference.memory import BITS

            result = cast.cast(np.array([value]), source, target, mode)
            ub.write("uint64_t", np.array([at // 8]), np.zeros(1, np.uint64))
            ub.write(target, np.array([at * 8 // BITS[target]]), result)

        return plan.done(reference)

    return draw


def variants() -> Iterator[Variant]:
    api = by_id()["Cast"]
    for types in api.dtypes["dav-2201"]:
        for form in api.forms:
            prelude = "SetDeqScale(c.scalar<half>(c.x(0))); " if types == SCALED else ""
            text = prelude + call(api, form, types)
            yield Variant(api.id, form.kind, types, text, case(api, form, types, True, False))
            if form.kind == "count" and types[0] in ("half", "bfloat16_t") and types[1] in ("float", "int32_t"):
                yield Variant(
                    api.id, "count", types, SATURATE.format(call=text), case(api, form, types, True, True), "saturated"
                )
            if form.kind == "mask":
                text = prelude + call(api, form, types, f"{types[0]}, {types[1]}, false", {"mask": "MASK_PLACEHOLDER"})
                yield Variant(api.id, form.kind, types, text, case(api, form, types, False, False), "mask-is-set")
    for target, mode in (("half", "ODD"), *(("int32_t", m) for m in ("ROUND", "CEIL", "FLOOR", "RINT"))):
        text = f"c.put(0, 0, Cast<float, {target}, RoundMode::CAST_{mode}>(c.scalar<float>()));"
        yield Variant("ScalarCastFloat", "call", ("float", target), text, scalar_case(("float", target), mode), mode)
    text = "c.put(0, 0, Cast(c.scalar<float>()));"
    yield Variant("ScalarCastToBfloat16", "call", ("float",), text, scalar_case(("float", "bfloat16_t"), "RINT"))
    text = "c.put(0, 0, Cast(c.scalar<bfloat16_t>()));"
    yield Variant("ScalarCastToFloat", "call", ("bfloat16_t",), text, scalar_case(("bfloat16_t", "float"), "RINT"))


VARIANTS = tuple(variants())
