"""Comparisons to bits, CMPMASK, selection in its three modes, GatherMask."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.api import Api, Form
from ferrata.lang.registry import by_id
from tests.conformance.plan import CHOICE, COUNT, EXTRAS, MASK0, REPEAT, TENSORS, UB, Case, Plan, mask_bits
from tests.conformance.reference import compare
from tests.conformance.reference.addressing import MaskState, Operand, active, contiguous, lanes_per_repeat, span
from tests.conformance.reference.memory import BITS, FLOATS, Image
from tests.conformance.variant import Variant, call, letters
from tests.conformance.variants.vector import FULL, Drawn, Shape, draw_count, draw_repeat

KINDS = ("whole", "special", "near", "bits")
OPERATORS = {"<": "LT", ">": "GT", "==": "EQ", "<=": "LE", ">=": "GE", "!=": "NE"}


def draw_mode(plan: Plan, dtype: str) -> str:
    """A comparison that the type has: int32_t only EQ."""
    mode = plan.pick(compare.MODES if dtype in FLOATS else ("EQ",))
    plan.params[CHOICE] = compare.MODES.index(mode)
    plan.note["mode"] = mode
    return mode


def to_memory(api: Api, form: str, dtype: str) -> Callable[[Plan], Case]:
    """Compare and Compares with bits in the Unified Buffer. The mask arguments have no effect."""
    tensors = 1 if api.id == "Compares" else 2
    per = lanes_per_repeat(dtype)

    def draw(plan: Plan, mode: str | None = None) -> Case:
        mode = mode or draw_mode(plan, dtype)
        scalar = plan.scalar(dtype, KINDS) if tensors == 1 else None
        plan.state(MaskState(False, *mask_bits(plan, per)))
        most = 255
        if form == "count":
            repeats = plan.pick((0, 1, 2, 7, plan.integer(1, most)))
            # the elements behind the last whole repeat are skipped
            plan.params[COUNT] = repeats * per + plan.pick((0, 0, plan.integer(0, per - 1)))
            sources = [contiguous(dtype, 0, per)] * tensors
        else:
            sources = [Operand(dtype, 0, plan.integer(0, 3), plan.integer(0, 10)) for _ in range(tensors)]
            while any(span(s, most, per) > (UB - 16384) // 2 for s in sources):
                most -= 1
            repeats = plan.pick((0, 1, most, plan.integer(1, most)))
            plan.params[REPEAT] = repeats
            plan.words(MASK0, *mask_bits(plan, per))
        placed = []
        for slot, source in enumerate(sources, start=1):
            size = span(source, max(repeats, 1), per) + (per * BITS[dtype] // 8 if form == "count" else 0)
            at = plan.place(size)
            placed.append(Operand(dtype, at, source.block_stride, source.repeat_stride))
            plan.tensor(slot, dtype, at, size)
            plan.fill(dtype, at, size, KINDS)
        size = max(32, -(-repeats * per // 8 // 32) * 32 + 32)
        dst = plan.place(size)
        plan.tensor(0, "uint8_t", dst, size)
        plan.strides(Operand("uint8_t", dst), *placed)
        plan.note["repeats"] = repeats
        return plan.done(lambda ub, gm: compare.compare_to_memory(ub, dst, placed, repeats, mode, scalar))

    return draw


def operator(to: str, dtype: str, sign: str) -> Variant:
    """`dst = a < b` over the source's size."""
    text = f"LocalTensor<{to}> d = c.t<{to}>(0); d = c.t<{dtype}>(1) {sign} c.t<{dtype}>(2);"
    inner = to_memory(by_id()["Compare"], "count", dtype)

    def draw(plan: Plan) -> Case:
        case = inner(plan, OPERATORS[sign])  # type: ignore[call-arg]
        per = lanes_per_repeat(dtype)
        count = int(plan.params[COUNT]) // per * per
        for slot in (1, 2):
            plan.params[TENSORS + 2 * slot + 1] = count
        plan.params[TENSORS + 1] = max(32, count // 8)
        return case

    return Variant("Compare", "whole", (to, dtype), text, draw, sign)


def to_register(dtype: str, form: str) -> Callable[[Plan], Case]:
    """Compare into CMPMASK, read back with GetCmpMask."""
    per = lanes_per_repeat(dtype)

    def draw(plan: Plan) -> Case:
        mode = draw_mode(plan, dtype)
        low, high = mask_bits(plan, per)
        if form == "bits":
            plan.words(MASK0, low or 1, high)
            state = MaskState(False, low or 1, high)
        else:
            mask = plan.integer(1, per)
            plan.params[MASK0] = mask
            register = (1 << mask) - 1
            state = MaskState(False, register & FULL, register >> 64)
        plan.state(MaskState())
        sources = []
        for slot in (0, 1):
            operand = Operand(dtype, 0, plan.integer(0, 3), 8)
            size = span(operand, 1, per)
            at = plan.place(size)
            sources.append(Operand(dtype, at, operand.block_stride, 8))
            plan.tensor(slot, dtype, at, size)
            plan.fill(dtype, at, size, KINDS)
        dst = plan.place(128)
        plan.tensor(2, "uint8_t", dst, 128)
        plan.strides(None, *sources)

        def reference(ub: Image, gm: Image) -> None:
            bits = compare.compare_to_register(ub, sources, active(state, per, 1), mode)
            ub.write("uint8_t", dst + np.arange(16), bits)

        return plan.done(reference)

    return draw


def register_copy(to: str, of: str) -> Callable[[Plan], Case]:
    """SetCmpMask then GetCmpMask moves 16 bytes."""

    def draw(plan: Plan) -> Case:
        src, dst = plan.place(128), plan.place(128)
        plan.tensor(0, to, dst, 128)
        plan.tensor(1, of, src, 128)
        plan.state(MaskState())
        return plan.done(lambda ub, gm: ub.write("uint8_t", dst + np.arange(16), ub.data[src : src + 16].copy()))

    return draw


def selection(
    form: str, dtype: str, mode: int, word: str = "uint8_t", through: str = "argument"
) -> Callable[[Plan], Case]:
    """Select. through: the mask comes as an argument, or through CMPMASK and the mask that is set."""
    sources = (dtype,) if mode == 1 else (dtype, dtype)
    shape = Shape(dtype, sources, sets_mask=through == "argument", kinds=KINDS, spare=16384)
    per = lanes_per_repeat(dtype)

    def draw(plan: Plan) -> Case:
        plan.params[CHOICE] = mode
        scalar = plan.scalar(dtype, KINDS) if mode == 1 else None
        drawn: Drawn = draw_count(plan, shape) if form == "count" else draw_repeat(plan, shape, form)
        repeats = drawn.enabled.shape[0]
        size = 32 if mode == 0 else max(32, -(-repeats * per // 8 // 32) * 32)
        bits = plan.place(size)
        plan.tensor(4, word, bits, size)
        spare = plan.place(32)
        plan.tensor(5, "uint64_t", spare, 32)
        plan.tensor(6, dtype, spare, 32)
        if through == "register" and mode == 1:
            plan.exactly(spare, np.array([scalar]))

        def reference(ub: Image, gm: Image) -> None:
            if through == "register" and mode == 2:
                ub.ignore(spare, 8)
            if repeats == 0:
                return
            if mode == 0:
                chosen = np.repeat(compare.unpack(ub, bits, per)[None, :], repeats, axis=0)
            else:
                chosen = compare.unpack(ub, bits, repeats * per).reshape(repeats, per)
            compare.select(ub, drawn.dst, chosen, drawn.sources, drawn.enabled, scalar)

        return plan.done(reference)

    return draw


def gather_mask(
    dtype: str, words: str | None, reduces: bool | None = None, once: bool = False, longest: int = 300
) -> Callable[[Plan], Case]:
    """GatherMask; `words` is the type of the user's pattern, None for a fixed one.

    reduces: whether the call says how many elements a repeat has, None: either. once: at most one repeat of adjacent
    blocks.
    """

    def draw(plan: Plan) -> Case:
        per_block = 256 // BITS[dtype]
        reduce_mode = plan.pick((False, True)) if reduces is None else reduces
        per = plan.integer(1, 12 * per_block) if reduce_mode else 256 * 8 // BITS[dtype]
        block, repeat_stride = 1 if once else plan.integer(1, 3), plan.integer(0, 30)
        src = Operand(dtype, 0, block, repeat_stride)
        most = longest
        while most > 1 and span(src, most, per) > UB // 3:
            most //= 2
        repeats = plan.pick((0, 1) if once else (0, 1, 2, plan.integer(1, most)))
        while repeats > 1 and repeats * per * BITS[dtype] // 8 > UB // 3:
            repeats //= 2
        size = max(32, span(src, max(repeats, 1), per))
        at = plan.place(size)
        src = Operand(dtype, at, block, repeat_stride)
        plan.tensor(1, dtype, at, size)
        room = max(32, -(-repeats * per * BITS[dtype] // 8 // 32) * 32)
        dst = plan.place(room)
        plan.tensor(0, dtype, dst, room)
        pattern: int | Operand = plan.integer(1, 7)
        pattern_stride = plan.pick((0, 1, 2))
        if words:
            length = 32 * (max(repeats - 1, 0) * pattern_stride) + -(-per // 256) * 32
            there = plan.place(length)
            plan.tensor(2, words, there, length)
            pattern = Operand(words, there, 1, pattern_stride)
        else:
            plan.params[EXTRAS + 6] = int(pattern)  # type: ignore[call-overload]
        taken = plan.place(32)
        plan.tensor(3, "uint64_t", taken, 32)
        plan.params[EXTRAS : EXTRAS + 6] = [
            reduce_mode,
            per if reduce_mode else 0,
            block,
            repeats,
            repeat_stride,
            pattern_stride,
        ]
        plan.state(MaskState())
        plan.note |= {"reduce_mode": reduce_mode, "lanes": per, "repeats": repeats}

        def reference(ub: Image, gm: Image) -> None:
            if repeats == 0:
                ub.ignore(taken, 8)
                return
            count = compare.gather_mask(ub, Operand(dtype, dst), src, pattern, repeats, per)
            ub.write("uint64_t", np.array([taken // 8]), np.array([count], np.uint64))

        return plan.done(reference)

    return draw


def compare_variants() -> Iterator[Variant]:
    for name in ("Compare", "Compares"):
        api = by_id()[name]
        for types in api.dtypes["dav-2201"]:
            for form in api.forms:
                if form.kind == "whole":
                    signs = OPERATORS if types[1] in FLOATS else ("==",)
                    yield from (operator(*types, sign) for sign in signs)
                    continue
                yield Variant(name, form.kind, types, call(api, form, types), to_memory(api, form.kind, types[1]))
    api = by_id()["CompareRegister"]
    for types in api.dtypes["dav-2201"]:
        for form in api.forms:
            kind = "bits" if "mask[]" in form.text else "mask"
            text = call(api, form, types) + " GetCmpMask(c.t<uint8_t>(2));"
            yield Variant(api.id, kind, types, text, to_register(types[0], kind))
    for (dtype,) in by_id()["GetCmpMask"].dtypes["dav-2201"]:
        text = f"SetCmpMask(c.t<uint8_t>(1)); GetCmpMask(c.t<{dtype}>(0));"
        yield Variant("GetCmpMask", "call", (dtype,), text, register_copy(dtype, "uint8_t"))
    for (dtype,) in by_id()["SetCmpMask"].dtypes["dav-2201"]:
        text = f"SetCmpMask(c.t<{dtype}>(1)); GetCmpMask(c.t<uint8_t>(0));"
        yield Variant("SetCmpMask", "call", (dtype,), text, register_copy("uint8_t", dtype))


def select_call(api: Api, form: Form, types: tuple[str, ...]) -> str:
    """Tensors: dst, sources at 1 and 2, the bits at 4."""
    t, u = letters(api, types)["T"], letters(api, types)["U"]
    second = f"c.scalar<{t}>()" if api.id == "SelectScalar" else f"c.t<{t}>(2)"
    given = {"selMask": f"c.t<{u}>(4)", "src0": f"c.t<{t}>(1)", "src1": second}
    return call(api, form, types, given=given)


def select_variants() -> Iterator[Variant]:
    for name, modes in (("SelectScalar", (1,)), ("SelectTensor", (0, 2))):
        api = by_id()[name]
        for types in api.dtypes["dav-2201"]:
            for form in api.forms:
                for mode in modes:
                    text = select_call(api, form, types)
                    yield Variant(
                        name, form.kind, types, text, selection(form.kind, types[0], mode, types[1]), f"mode{mode}"
                    )
    params = "BinaryRepeatParams(c.s(0), c.s(1), c.s(2), c.s(3), c.s(4), c.s(5))"
    for (t,) in by_id()["SelectRegister"].dtypes["dav-2201"]:
        both = f"c.t<{t}>(0), c.t<{t}>(1), c.t<{t}>(2), c.repeat(), {params}"
        bits = "SetCmpMask(c.t<uint8_t>(4));"
        address = (
            "LocalTensor<uint64_t> a = c.t<uint64_t>(5); "
            "a.SetValue(0, (uint64_t)c.t<uint8_t>(4).GetPhyAddr()); SetCmpMask(a);"
        )
        calls = {
            0: f"{bits} Select<{t}, SELMODE::VSEL_CMPMASK_SPR>({both});",
            2: f"{address} Select<{t}, SELMODE::VSEL_TENSOR_TENSOR_MODE>({both});",
            1: f"SetCmpMask(c.t<{t}>(6)); Select(c.t<{t}>(0), c.t<uint8_t>(4), c.t<{t}>(1), c.repeat(), {params});",
        }
        for mode, text in calls.items():
            yield Variant(
                "SelectRegister", "repeat", (t,), text, selection("mask", t, mode, "uint8_t", "register"), f"mode{mode}"
            )


def gather_variants() -> Iterator[Variant]:
    params = "GatherMaskParams(c.x(2), c.x(3), c.x(4), c.x(5))"
    tail = f"c.x(0) != 0, uint32_t(c.x(1)), {params}, taken); c.put(3, 0, taken);"
    for t, u in by_id()["GatherMaskUser"].dtypes["dav-2201"]:
        text = f"uint64_t taken = 0; GatherMask(c.t<{t}>(0), c.t<{t}>(1), c.t<{u}>(2), {tail}"
        yield Variant("GatherMaskUser", "call", (t, u), text, gather_mask(t, u))
    for (t,) in by_id()["GatherMaskFixed"].dtypes["dav-2201"]:
        text = f"uint64_t taken = 0; GatherMask(c.t<{t}>(0), c.t<{t}>(1), uint8_t(c.x(6)), {tail}"
        yield Variant("GatherMaskFixed", "call", (t,), text, gather_mask(t, None))


VARIANTS = (*compare_variants(), *select_variants(), *gather_variants())
