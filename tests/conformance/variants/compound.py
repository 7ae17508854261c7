"""Calls that compute and convert in one step: AddReluCast, SubReluCast, MulCast, AddDeqRelu, CastDequant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ferrata.lang.api import Api, Form
from ferrata.lang.registry import by_id
from tests.conformance.plan import EXTRAS, TENSORS, Case, Plan
from tests.conformance.reference import arith, cast
from tests.conformance.reference.addressing import elementwise, lanes
from tests.conformance.reference.memory import Array, Image
from tests.conformance.variant import Variant, call
from tests.conformance.variants.arith import SATURATE, shape_of
from tests.conformance.variants.vector import Drawn, Shape, elementwise_case

TABLE = 128  # slots of the dequantisation table: 16 scales, 16 offsets


def compute(api: str, target: str, a: Array, b: Array, scale: float, saturate: bool) -> Array:
    """One lane of the calls with two sources."""
    if api == "AddDeqRelu":
        total = (a + b).astype(np.float64) * scale
        return arith.relu(cast.to_float(total, "half", "RINT", saturate))
    if api == "MulCast":
        return cast.fused_cast(arith.clamp(a * b, saturate), target)
    if a.dtype == np.int16:
        total = a.astype(np.int32) + (b.astype(np.int32) if api == "AddReluCast" else -b.astype(np.int32))
        # (unclear: whether the 16-bit sum wraps or clamps; the table of results implies that it clamps)
        return cast.fused_cast(np.clip(total, 0, 32767), target)
    total = arith.clamp(a + b if api == "AddReluCast" else a - b, saturate)
    return cast.fused_cast(arith.relu(total), target, saturate)


def half_scale(plan: Plan) -> float:
    """Draw the half scale of SetDeqScale into the first extra slot."""
    return float(plan.scalar("half", ("near", "wide", "whole"), EXTRAS))


def two_sources(
    api: Api, form: Form, types: tuple[str, ...], sets_mask: bool, saturate: bool
) -> Callable[[Plan], Case]:
    shape = shape_of(api, form, types, sets_mask)

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        scale = half_scale(plan) if api.id == "AddDeqRelu" else 1.0

        def reference(image: Image, drawn: Drawn) -> None:
            elementwise(
                image, drawn.dst, drawn.sources, drawn.enabled,
                lambda a, b: compute(api.id, shape.dst, a, b, scale, saturate),
            )  # fmt: skip

        return reference

    return elementwise_case(shape, form.kind, prepare)


def dequant(
    api: Api, form: Form, types: tuple[str, ...], table: bool, high: bool, sets_mask: bool = True
) -> Callable[[Plan], Case]:
    """CastDequant: a half of each destination block for 8-bit results, plain for half."""
    shape = shape_of(api, form, types, sets_mask)
    to_half = types[0] == "half"

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        if to_half:
            scale = half_scale(plan)
            return lambda image, drawn: elementwise(
                image, drawn.dst, drawn.sources, drawn.enabled, lambda x: cast.cast(x, "int32_t", "half", "NONE", scale)
            )
        rng = np.random.default_rng(plan.integer(0, 2**16))
        scales = (2.0 ** rng.uniform(-12, 2, 16) * rng.choice([1, 1, -1], 16)).astype(np.float32)
        offsets = rng.integers(-256, 256, 16)
        if not table:
            scales, offsets = np.repeat(scales[:1], 16), np.repeat(offsets[:1], 16)
        bits = scales.view(np.uint32).astype(np.int64)
        plan.params[TABLE : TABLE + 16], plan.params[TABLE + 16 : TABLE + 32] = bits, offsets
        at = plan.place(128)
        plan.tensor(4, "uint64_t", at, 128)
        used = np.array([cast.dequant_scale(int(b)) for b in bits])
        signed = types[0] == "int8_t"
        words = (
            bits.astype(np.uint64)
            | (offsets & 0x1FF).astype(np.uint64) << np.uint64(37)
            | np.uint64(signed) << np.uint64(46)
        )

        entries[:] = [(at // 8 + np.arange(16), words)] if table else []

        def reference(image: Image, drawn: Drawn) -> None:
            dst, source = drawn.dst, drawn.sources[0]
            on = drawn.enabled
            x = image.read("int16_t", lanes(source, *on.shape))
            lane = np.arange(on.shape[1])
            repeat = np.arange(on.shape[0])[:, None] * dst.repeat_stride
            byte = dst.address + 32 * (repeat + lane // 16 * dst.block_stride) + 16 * int(high) + lane % 16
            result = cast.dequantise(x, used[lane % 16], offsets[lane % 16], types[0])
            image.write(types[0], byte[on], result[on])

        return reference

    if to_half:
        return elementwise_case(shape, form.kind, prepare)
    entries: list[tuple[Array, Array]] = []  # what SetDeqScale writes, also when the call does nothing
    spread = elementwise_case(blocks_like_source(shape), form.kind, prepare)

    def draw(plan: Plan) -> Case:
        case = spread(plan)
        # the 8-bit tensor over the blocks that were laid out for 16 bits
        case.params[TENSORS + 1] = -(-2 * case.params[TENSORS + 1] // 32) * 32
        written, convert = list(entries), case.reference

        def reference(ub: Image, gm: Image) -> None:
            for index, words in written:
                ub.write("uint64_t", index, words)
            convert(ub, gm)

        return replace(case, reference=reference)

    return draw


def blocks_like_source(shape: Shape) -> Shape:
    """8-bit results spread over as many blocks as the source: lay the destination out as if it were 16-bit."""
    return replace(shape, dst="int16_t", in_place=False)


def dequant_variants(api: Api) -> Iterator[Variant]:
    for types in api.dtypes["dav-2201"]:
        for form in api.forms:
            if types[0] == "half":
                text = "SetDeqScale(c.scalar<half>(c.x(0))); " + call(api, form, types)
                yield Variant(api.id, form.kind, types, text, dequant(api, form, types, False, False))
                continue
            signed = "true" if types[0] == "int8_t" else "false"
            for table in (False, True):
                for high in (False, True):
                    flags = f"{str(table).lower()}, {str(high).lower()}"
                    explicit = f"{types[0]}, {types[1]}, " + ("" if form.kind == "count" else "true, ") + flags
                    prelude = (
                        f"VdeqInfo info; for (int j = 0; j < 16; ++j) {{ info.vdeqScale[j] = "
                        f"c.scalar<float>(c.p[{TABLE} + j]); "
                        f"info.vdeqOffset[j] = c.p[{TABLE + 16} + j]; info.vdeqSignMode[j] = {signed}; }} "
                        "SetDeqScale(c.t<uint64_t>(4), info); "
                        if table
                        else f"SetDeqScale(c.scalar<float>(c.p[{TABLE}]), int16_t(c.p[{TABLE + 16}]), {signed}); "
                    )
                    text = prelude + call(api, form, types, explicit)
                    detail = ("table" if table else "one") + ("-high" if high else "-low")
                    yield Variant(api.id, form.kind, types, text, dequant(api, form, types, table, high), detail)


def variants() -> Iterator[Variant]:
    for api in by_id().values():
        if api.category != "compound-cast":
            continue
        if api.id == "CastDequant":
            yield from dequant_variants(api)
            continue
        for types in api.dtypes["dav-2201"]:
            for form in api.forms:
                prelude = "SetDeqScale(c.scalar<half>(c.x(0))); " if api.id == "AddDeqRelu" else ""
                text = prelude + call(api, form, types)
                yield Variant(api.id, form.kind, types, text, two_sources(api, form, types, True, False))
                if form.kind == "count" and "half" in types:
                    yield Variant(
                        api.id,
                        form.kind,
                        types,
                        SATURATE.format(call=text),
                        two_sources(api, form, types, True, True),
                        "saturated",
                    )
                if form.kind == "mask":
                    explicit = "false" if api.id == "AddDeqRelu" else f"{', '.join(types)}, false"
                    text = prelude + call(api, form, types, explicit, {"mask": "MASK_PLACEHOLDER"})
                    yield Variant(
                        api.id, form.kind, types, text, two_sources(api, form, types, False, False), "mask-is-set"
                    )


VARIANTS = tuple(variants())
