"""Filling, gathering, masked copying: Duplicate, Brcb, CreateVecIndex, Arange, Fill, Gather, Copy, interpolation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.api import Api, Form
from ferrata.lang.registry import by_id
from tests.conformance.plan import COUNT, EXTRAS, MASK0, REPEAT, UB, Case, Plan, mask_bits
from tests.conformance.reference import fill
from tests.conformance.reference.addressing import (
    Active,
    MaskState,
    Operand,
    active,
    contiguous,
    counted,
    lanes_per_repeat,
    span,
)
from tests.conformance.reference.memory import BITS, NUMPY, Image
from tests.conformance.variant import Variant, call
from tests.conformance.variants.vector import FULL, Shape, draw_count, draw_repeat, draw_state


def draw_lanes(plan: Plan, dtype: str, form: str, sets_mask: bool = True) -> tuple[Operand, Active]:
    """The destination of a call that has no tensor source."""
    shape = Shape(dtype, (), sets_mask=sets_mask)
    drawn = draw_count(plan, shape) if form == "count" else draw_repeat(plan, shape, form)
    return drawn.dst, drawn.enabled


def duplicate(dtype: str, form: str, sets_mask: bool) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        value = plan.scalar(dtype)
        dst, enabled = draw_lanes(plan, dtype, form, sets_mask)
        return plan.done(lambda ub, gm: fill.duplicate(ub, dst, value, enabled))

    return draw


def vector_index(dtype: str, form: str) -> Callable[[Plan], Case]:
    """Numbers stay where the type is exact: beyond that the specification is open."""
    limit = {"half": 2048, "int16_t": 32767}.get(dtype, 1 << 24)
    per = lanes_per_repeat(dtype)

    def draw(plan: Plan) -> Case:
        if form == "count":
            count = plan.pick((0, 1, per - 1, per + 1, plan.integer(1, min(limit, 20000))))
            plan.params[COUNT] = count
            size = max(32, count * BITS[dtype] // 8)
            dst = contiguous(dtype, plan.place(size), per)
            plan.tensor(0, dtype, dst.address, size)
            enabled = counted(count, per)
        else:
            longest = min(255, limit // per)
            block, repeat = plan.pick(((1, 8), (1, 8), (2, plan.integer(0, 20))))
            while span(Operand(dtype, 0, block, repeat), longest, per) > UB // 2:
                longest -= 1
            state, repeats = draw_state(plan, Shape(dtype, ()), form, longest)
            size = max(32, span(Operand(dtype, 0, block, repeat), max(repeats, 1), per))
            dst = Operand(dtype, plan.place(size), block, repeat)
            plan.tensor(0, dtype, dst.address, size)
            enabled = active(state, per, repeats)
        plan.strides(dst)
        first = plan.integer(0, max(0, limit - enabled.size))
        plan.set_scalar(dtype, first)
        return plan.done(lambda ub, gm: fill.vector_index(ub, dst, NUMPY[dtype](first), enabled))

    return draw


def arange(dtype: str) -> Callable[[Plan], Case]:
    limit = {"half": 2048, "int16_t": 32767}.get(dtype, 1 << 24)

    def draw(plan: Plan) -> Case:
        step = plan.integer(0, 9)
        count = plan.integer(1, min(10000, limit // max(step, 1) - 200))
        first = plan.integer(-100, 100)
        plan.params[COUNT] = count
        size = max(32, count * BITS[dtype] // 8)
        dst = Operand(dtype, plan.place(size))
        plan.tensor(0, dtype, dst.address, size)
        plan.set_scalar(dtype, first)
        plan.set_scalar(dtype, step, EXTRAS)
        to = NUMPY[dtype]
        return plan.done(lambda ub, gm: fill.arange(ub, dst, to(first), to(step), count))

    return draw


def fill_gm(dtype: str) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        value = plan.scalar(dtype)
        size = BITS[dtype] // 8
        count = plan.pick((0, 1, plan.integer(1, 300), plan.integer(1, 60000)))
        plan.params[COUNT] = count
        at = plan.place_gm(max(count, 1) * size + 64, size)
        plan.tensor(0, dtype, at, count * size)
        plan.place(1024)

        def reference(ub: Image, gm: Image) -> None:
            ub.ignore(0, ub.data.size)  # a staging buffer of its own choice
            gm.write(dtype, at // size + np.arange(count), np.full(count, value, NUMPY[dtype]), None)

        return plan.done(reference)

    return draw


def broadcast(dtype: str) -> Callable[[Plan], Case]:
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        block, repeat = plan.pick(((1, 8), (plan.integer(1, 4), plan.integer(0, 40))))
        dst = Operand(dtype, 0, block, repeat)
        most = 255
        while span(dst, most, 8 * 32 // size) > UB // 2:
            most -= 1
        repeats = plan.pick((0, 1, most, plan.integer(1, most)))
        plan.params[REPEAT] = repeats
        room = max(32, span(dst, max(repeats, 1), 8 * 32 // size))
        dst = Operand(dtype, plan.place(room), block, repeat)
        length = max(32, 8 * repeats * size)
        src = Operand(dtype, plan.place(length))
        plan.tensor(0, dtype, dst.address, room)
        plan.tensor(1, dtype, src.address, length)
        plan.strides(dst)
        plan.state(MaskState(False, *mask_bits(plan, 128)))
        return plan.done(lambda ub, gm: fill.broadcast_blocks(ub, dst, src, repeats))

    return draw


def gather(dtype: str, form: str, sets_mask: bool = True, based: bool = True) -> Callable[[Plan], Case]:
    size, per = BITS[dtype] // 8, lanes_per_repeat(dtype)

    def draw(plan: Plan) -> Case:
        most = 15000 // per
        if form == "count":
            count = plan.pick((0, 1, per - 1, per, plan.integer(1, 4 * per), plan.integer(1, 15000)))
            plan.params[COUNT] = count
            enabled = counted(count, per)
            stride = 8
            slots = count
        else:
            stride = plan.pick((8, plan.integer(0, 12)))
            state, repeats = draw_state(plan, Shape(dtype, (), sets_mask=sets_mask), form, min(255, most))
            enabled = active(state, per, repeats)
            slots = enabled.size
        room = max(32, span(Operand(dtype, 0, 1, stride), max(enabled.shape[0], 1), per))
        dst = Operand(dtype, plan.place(room), 1, stride)
        words = plan.place(max(32, slots * 4))
        length = plan.integer(1, 1000) * 32
        src, base = plan.place(length), min(plan.integer(0, 8 * based) * size, length - size)
        plan.tensor(0, dtype, dst.address, max(32, slots * size) if form == "count" else room)
        plan.tensor(1, dtype, src, length)
        plan.tensor(2, "uint32_t", words, max(32, slots * 4))
        plan.params[EXTRAS] = base
        plan.strides(dst)
        high = max(1, (length - base) // size)
        plan.computed(words, lambda rng: (rng.integers(0, high, slots) * size).astype(np.uint32))
        return plan.done(lambda ub, gm: fill.gather(ub, dst, src, base, words, enabled))

    return draw


def gather_blocks(dtype: str) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        per = lanes_per_repeat(dtype)
        block, stride = plan.pick(((1, 8), (plan.integer(1, 4), plan.integer(0, 20))))
        most = 255
        while span(Operand(dtype, 0, block, stride), most, per) > UB // 3:
            most -= 1
        repeats = plan.pick((0, 1, most, plan.integer(1, most)))
        plan.params[REPEAT] = repeats
        room = max(32, span(Operand(dtype, 0, block, stride), max(repeats, 1), per))
        dst = Operand(dtype, plan.place(room), block, stride)
        words, length = plan.place(max(32, repeats * 32)), plan.integer(1, 1000) * 32
        src = plan.place(length)
        plan.tensor(0, dtype, dst.address, room)
        plan.tensor(1, dtype, src, length)
        plan.tensor(2, "uint32_t", words, max(32, repeats * 32))
        plan.strides(dst)
        plan.computed(words, lambda rng: (rng.integers(0, length // 32, repeats * 8) * 32).astype(np.uint32))
        return plan.done(lambda ub, gm: fill.gather_blocks(ub, dst, src, words, repeats))

    return draw


def masked_copy(dtype: str, form: str, sets_mask: bool) -> Callable[[Plan], Case]:
    per = lanes_per_repeat(dtype)

    def draw(plan: Plan) -> Case:
        counter = plan.pick((False, False, True))
        repeats = plan.pick((0, 1, 2, plan.integer(1, 60)))
        low, high = mask_bits(plan, per)
        each = plan.integer(1, 3 * per)
        if counter:
            state = MaskState(True, each, 0)
        elif form == "mask" and sets_mask:
            register = (1 << plan.integer(0, per)) - 1
            state = MaskState(False, register & FULL, register >> 64)
            each = register.bit_length()
        else:
            state = MaskState(False, low, high)
        plan.state(state if not sets_mask else MaskState(counter, 3, 0))
        if form == "mask":
            plan.params[MASK0] = each
        else:
            plan.words(MASK0, state.low, state.high)
        plan.params[REPEAT] = repeats
        lanes_each = each if counter else per
        blocks = -(-lanes_each * BITS[dtype] // 256)
        operands = []
        for slot in (0, 1):
            block = plan.integer(1, 3)
            stride = plan.pick((blocks * block, plan.integer(0, 40)))
            size = max(32, span(Operand(dtype, 0, block, stride), max(repeats, 1), lanes_each))
            operands.append(Operand(dtype, plan.place(size), block, stride))
            plan.tensor(slot, dtype, operands[-1].address, size)
        dst, src = operands
        plan.strides(dst, src)
        plan.note |= {"counter": counter, "each": each, "repeats": repeats}
        if counter and state.low == 0:
            return plan.done(lambda ub, gm: None)
        return plan.done(lambda ub, gm: fill.masked_copy(ub, dst, src, state, repeats, per))

    return draw


def interpolation(form: str) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        horizontal, vertical = plan.integer(1, 6), plan.integer(1, 4)
        per_block = plan.pick((False, True))
        pairs = horizontal * vertical
        block = plan.integer(1, 2)
        v_offset = plan.integer(8 * block, 8 * block + 6) * 16
        src0_size = -(-pairs * 8 // 8) * 256
        weights_count = pairs * 8 if per_block else pairs
        weights_size = -(-weights_count * 2 // 32) * 32
        src0, weights = plan.place(src0_size), plan.place(weights_size)
        offsets, dst = plan.place(pairs * 32), plan.place(((vertical - 1) * v_offset + 8 * block * 16) * 2)
        tmp_size = 32 * (src0_size // 2 + weights_size // 2)
        tmp = plan.place(tmp_size)
        for slot, (dtype, at, size) in enumerate(
            (("half", dst, ((vertical - 1) * v_offset + 8 * block * 16) * 2), ("half", src0, src0_size),
             ("uint32_t", offsets, pairs * 32), ("half", weights, weights_size), ("uint8_t", tmp, tmp_size))
        ):  # fmt: skip
            plan.tensor(slot, dtype, at, size)
        plan.fill("half", src0, src0_size, ("whole", "near", "wide"))
        plan.fill("half", weights, weights_size, ("whole", "near"))
        plan.computed(offsets, lambda rng: (rng.integers(0, src0_size // 32, pairs * 8) * 32).astype(np.uint32))
        low, high = mask_bits(plan, 128)
        if form == "mask":
            mask = plan.integer(1, 128)
            plan.params[MASK0] = mask
            low, high = ((1 << mask) - 1) & FULL, ((1 << mask) - 1) >> 64
        else:
            plan.words(MASK0, low, high)
        plan.state(MaskState())
        plan.params[EXTRAS : EXTRAS + 5] = [horizontal, per_block, block, v_offset, vertical]
        on = active(MaskState(False, low, high), 128, 1)[0]

        def reference(ub: Image, gm: Image) -> None:
            ub.ignore(tmp, tmp_size)
            if low | high:
                fill.interpolate(
                    ub, dst, src0, offsets, weights, (vertical, horizontal), (v_offset, block), per_block, on.tolist()
                )

        return plan.done(reference)

    return draw


def variants() -> Iterator[Variant]:
    makers: dict[str, Callable[[str, Form, bool], Callable[[Plan], Case]]] = {
        "Duplicate": lambda t, form, sets: duplicate(t, form.kind, sets),
        "Brcb": lambda t, form, sets: broadcast(t),
        "CreateVecIndex": lambda t, form, sets: vector_index(t, form.kind),
        "Gather": lambda t, form, sets: gather(t, form.kind),
        "Gatherb": lambda t, form, sets: gather_blocks(t),
        "Copy": lambda t, form, sets: masked_copy(t, form.kind, sets),
    }
    for name, make in makers.items():
        api = by_id()[name]
        for types in api.dtypes["dav-2201"]:
            for form in api.forms:
                yield Variant(name, form.kind, types, text_of(api, form, types), make(types[0], form, True))
                if form.kind == "mask" and any(p.name == "isSetMask" for p in form.template):
                    text = text_of(api, form, types, f"{types[0]}, false", {"mask": "MASK_PLACEHOLDER"})
                    yield Variant(name, form.kind, types, text, make(types[0], form, False), "mask-is-set")
    for types in by_id()["Arange"].dtypes["dav-2201"]:
        t = types[0]
        text = f"Arange(c.t<{t}>(0), c.scalar<{t}>(), c.scalar<{t}>(c.x(0)), int32_t(c.count()));"
        yield Variant("Arange", "count", types, text, arange(t))
    for types in by_id()["FillGm"].dtypes["dav-2201"]:
        t = types[0]
        text = f"GlobalTensor<{t}> gm = c.g<{t}>(0); Fill(gm, uint64_t(c.count()), c.scalar<{t}>());"
        yield Variant("FillGm", "call", types, text, fill_gm(t))
    tail = "uint8_t(c.x(0)), c.x(1) != 0, uint16_t(c.x(2)), uint16_t(c.x(3)), uint8_t(c.x(4)), c.t<uint8_t>(4));"
    for kind, mask in (("bits", "c.mask"), ("mask", "c.mask[0]")):
        text = f"BilinearInterpolation(c.t<half>(0), c.t<half>(1), c.t<uint32_t>(2), c.t<half>(3), {mask}, {tail}"
        yield Variant("BilinearInterpolation", kind, ("half",), text, interpolation(kind))


def text_of(
    api: Api, form: Form, types: tuple[str, ...], explicit: str = "", given: dict[str, str] | None = None
) -> str:
    """The call; named tensors where the declaration takes one by reference."""
    text = call(api, form, types, explicit, {"srcBaseAddr": "uint32_t(c.x(0))", **(given or {})})
    if api.id == "CreateVecIndex" and form.kind != "count":
        return f"LocalTensor<{types[0]}> dst = c.t<{types[0]}>(0); " + text.replace(f"c.t<{types[0]}>(0)", "dst")
    return text


VARIANTS = tuple(variants())
