"""Reductions: by block, by pair, by repeat, over all; today's names and the older ones; the readback registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.api import Api, Form
from ferrata.lang.registry import by_id
from tests.conformance.plan import CHOICE, COUNT, REPEAT, STRIDES, UB, Case, Plan
from tests.conformance.reference import reduce
from tests.conformance.reference.addressing import (
    Active,
    MaskState,
    Operand,
    active,
    contiguous,
    counted,
    lanes,
    lanes_per_repeat,
    span,
)
from tests.conformance.reference.memory import BITS, NUMPY, Image
from tests.conformance.variant import Variant, call
from tests.conformance.variants.arith import SATURATE
from tests.conformance.variants.vector import Shape, draw_state

KINDS = ("whole", "near", "wide", "special", "bits")
BY_REPEAT = ("ReduceDataBlock", "ReduceRepeat", "ReducePairElem")


def draw_source(plan: Plan, dtype: str, form: str, sets_mask: bool, plain: bool = False) -> tuple[Operand, Active]:
    """A strided source with mask and repeats, and its enabled lanes. plain: block stride 1."""
    per = lanes_per_repeat(dtype)
    block, repeat = plan.pick(((1, 8), (1, 8), (1, plan.integer(0, 12)), (plan.integer(0, 3), plan.integer(0, 30))))
    src = Operand(dtype, 0, 1 if plain else block, repeat)
    longest = 255
    while span(src, longest, per) > UB // 2:
        longest -= 1
    state, repeats = draw_state(plan, Shape(dtype, (dtype,), sets_mask=sets_mask), form, longest)
    size = max(32, span(src, max(repeats, 1), per))
    src = Operand(dtype, plan.place(size), src.block_stride, src.repeat_stride)
    plan.tensor(1, dtype, src.address, size)
    plan.fill(dtype, src.address, size, KINDS)
    return src, active(state, per, repeats)


def by_repeat(
    kind: str, operation: str, dtype: str, form: str, sets_mask: bool, saturate: bool, order: str = ""
) -> Callable[[Plan], Case]:
    """ReduceDataBlock, ReducePairElem, ReduceRepeat."""
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        layout = plan.pick(reduce.ORDERS) if kind == "ReduceRepeat" and operation != "SUM" else "ONLY_VALUE"
        layout = order or layout
        plan.params[CHOICE] = reduce.ORDERS.index(layout)
        plan.note["order"] = layout
        src, enabled = draw_source(plan, dtype, form, sets_mask)
        runs = enabled.shape[0]
        record = {"ONLY_VALUE": size, "ONLY_INDEX": 4}.get(layout, 2 * size)
        unit = {"ReduceDataBlock": 8 * size, "ReducePairElem": 128, "ReduceRepeat": record}[kind]
        step = plan.pick((1, 1, 2, 5))
        room = max(32, runs * step * unit + 32)
        if room > UB // 3:
            step, room = 1, runs * unit + 32
        shift = plan.pick((0, unit)) if unit < 32 else 0
        at = plan.place(room + 32) + shift
        dst = Operand(dtype, at, 1, step)
        plan.tensor(0, dtype, at, room)
        plan.strides(dst, src)
        plan.params[STRIDES] = 1

        def reference(ub: Image, gm: Image) -> None:
            if runs == 0 or not enabled.any():
                return
            if kind == "ReduceDataBlock":
                reduce.data_block(ub, dst, src, enabled, operation, saturate)
            elif kind == "ReducePairElem":
                reduce.pair_elements(ub, dst, src, enabled, saturate)
            else:
                reduce.per_repeat(ub, dst, src, enabled, operation, layout, saturate)

        return plan.done(reference)

    return draw


def scratch(dtype: str, count: int, repeats: int, index: bool, summing: bool) -> int:
    """Elements of sharedTmpBuffer that the documentation asks for."""
    block, per = 256 // BITS[dtype], lanes_per_repeat(dtype)

    def up(n: int) -> int:
        return -(-n // block) * block

    repeats = max(1, repeats)
    if summing:
        return up(repeats)
    if not index:
        return up(2 * repeats)
    second = 2 * -(-2 * repeats // per)
    return up(2 * repeats) + up(second) + (up(2 * -(-second // per)) if second > 2 else 0)


def over_all(
    operation: str, dtype: str, form: str, index: bool, sets_mask: bool, saturate: bool
) -> Callable[[Plan], Case]:
    """ReduceMax, ReduceMin, ReduceSum to one value."""
    per, size = lanes_per_repeat(dtype), BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        if form == "count":
            most = (UB // 2) // size
            count = plan.pick((0, 1, per, per + 1, plan.integer(1, 3 * per), plan.integer(1, most)))
            plan.params[COUNT] = count
            plan.note["count"] = count
            bytes_ = max(32, count * size)
            src = contiguous(dtype, plan.place(bytes_), per)
            plan.tensor(1, dtype, src.address, bytes_)
            plan.fill(dtype, src.address, bytes_, KINDS)
            enabled = counted(count, per)
            plan.state(MaskState(plan.pick((False, True)), 5, 0))
            if not sets_mask:
                plan.state(MaskState(True, max(count, 1), 0))
                enabled = counted(max(count, 1), per)
                plan.params[COUNT] = 1
        else:
            src, enabled = draw_source(plan, dtype, form, sets_mask, plain=True)
        runs = max(enabled.shape[0], int(plan.params[REPEAT]) if form != "count" else 0)
        tmp = scratch(dtype, 0, runs, index, operation == "SUM") * size + plan.pick((0, 32))
        tmp_at = plan.place(max(32, tmp))
        plan.tensor(2, dtype, tmp_at, max(32, tmp))
        unit = 2 * size if operation != "SUM" else size
        at = plan.place(64) + plan.pick((0, unit))
        plan.tensor(0, dtype, at, 32)
        plan.strides(None, src)

        def reference(ub: Image, gm: Image) -> None:
            ub.ignore(tmp_at, tmp)
            if not enabled.any():
                return
            values = ub.read(dtype, lanes(src, *enabled.shape)).copy()
            first = np.array([at // size])
            if operation == "SUM":
                total = reduce.sum_by_count if form == "count" else reduce.sum_by_repeat
                ub.write(dtype, first, np.array([total(values, enabled, saturate)], NUMPY[dtype]))
                return
            value, where, unknown = reduce.extreme(values, enabled, operation, saturate)
            ub.write(dtype, first, np.array([value], NUMPY[dtype]))
            if index:
                reduce.store_indices(ub, np.array([at + size]), size, np.array([where]), np.array([unknown]))

        return plan.done(reference)

    return draw


def names(api: Api) -> list[tuple[str, str]]:
    """(instruction, operation) pairs of a row."""
    operations = {"Sum": "SUM", "Max": "MAX", "Min": "MIN"}
    if api.id in BY_REPEAT:
        every = ("SUM",) if api.id == "ReducePairElem" else ("SUM", "MAX", "MIN")
        return [(api.id, operation) for operation in every]
    return [(api.alias_of, operations[api.name[-3:]])]


def repeat_variants(api: Api) -> Iterator[Variant]:
    for types in api.dtypes["dav-2201"]:
        for kind, operation in names(api):
            for form in api.forms:
                template = [p.name for p in form.template]
                reduced = [f"ReduceType::{operation}"] if "reduceType" in template else []
                given = {"order": "reduce_order(c.mode())"} if operation != "SUM" and "order" in form.text else {}
                dtype = types[0]
                text = call_with(api, form, types, ", ".join([*reduced, *([dtype, dtype] if reduced else [])]), given)
                detail = operation if reduced else ""
                yield Variant(
                    api.id, form.kind, types, text, by_repeat(kind, operation, dtype, form.kind, True, False), detail
                )
                if form.kind == "mask":
                    explicit = ", ".join([*reduced, *([dtype, dtype] if reduced else [dtype]), "false"])
                    text2 = call_with(api, form, types, explicit, {**given, "mask": "MASK_PLACEHOLDER"})
                    yield Variant(
                        api.id, "mask", types, text2, by_repeat(kind, operation, dtype, "mask", False, False),
                        "-".join(filter(None, (detail, "mask-is-set"))),
                    )  # fmt: skip
                    if dtype == "half" and api.id in BY_REPEAT:
                        yield Variant(
                            api.id, "mask", types, SATURATE.format(call=text),
                            by_repeat(kind, operation, dtype, "mask", True, True), f"{detail}-saturated",
                        )  # fmt: skip


def call_with(api: Api, form: Form, types: tuple[str, ...], explicit: str, given: dict[str, str]) -> str:
    """`order` has a default and is passed only where it matters."""
    text = call(api, form, types, explicit, {k: v for k, v in given.items() if k != "order"})
    if "order" in given and "reduce_order" not in text:
        text = text[:-2] + f", {given['order']});"
    return text


def total_variants() -> Iterator[Variant]:
    for name, operation in (("ReduceMax", "MAX"), ("ReduceMin", "MIN"), ("ReduceSum", "SUM")):
        for half in ("Count", "Repeat"):
            api = by_id()[name + half]
            for types in api.dtypes["dav-2201"]:
                dtype = types[0]
                for form in api.forms:
                    text = call(api, form, types)
                    for index in (False, True) if operation != "SUM" else (False,):
                        body = text[:-2] + ", true);" if index else text
                        detail = "index" if index else ""
                        draw = over_all(operation, dtype, form.kind, index, True, False)
                        yield Variant(api.id, form.kind, types, body, draw, detail)
                        if dtype == "half" and form.kind == "count":
                            draw = over_all(operation, dtype, form.kind, index, True, True)
                            yield Variant(
                                api.id, form.kind, types, SATURATE.format(call=body), draw, f"{detail}saturated"
                            )
                    if operation == "SUM" and form.kind == "count":
                        body = call(api, form, types, f"{dtype}, false")
                        draw = over_all(operation, dtype, "count", False, False, False)
                        yield Variant(api.id, "count", types, body, draw, "mask-is-set")


def readback(dtype: str, operation: str) -> Callable[[Plan], Case]:
    """The registers that the scalar unit reads after a reduction."""
    per, size = lanes_per_repeat(dtype), BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        repeats = plan.integer(1, 20)
        src = contiguous(dtype, plan.place(repeats * 256), per)
        plan.tensor(1, dtype, src.address, repeats * 256)
        plan.fill(dtype, src.address, repeats * 256, ("near", "whole"))
        plan.params[REPEAT], plan.params[COUNT] = repeats, repeats * per
        plan.state(MaskState())
        scratch_at = plan.place(4096)
        plan.tensor(0, dtype, scratch_at, 2048)
        plan.tensor(2, dtype, scratch_at + 2048, 2048)
        at = plan.place(32)
        plan.tensor(3, "uint64_t", at, 32)

        def reference(ub: Image, gm: Image) -> None:
            ub.ignore(scratch_at, 4096)
            enabled = np.ones((repeats, per), bool)
            values = ub.read(dtype, lanes(src, repeats, per)).copy()
            if operation == "SUM":
                result = [reduce.sum_by_count(values, enabled, False)]
            else:
                value, where, _ = reduce.extreme(values, enabled, operation, False)
                result = [value, np.array([where]).astype(reduce.RAW[dtype]).view(NUMPY[dtype])[0]]
            for n, one in enumerate(result):
                ub.write("uint64_t", np.array([at // 8 + n]), np.zeros(1, np.uint64), None)
                ub.write(dtype, np.array([(at + 8 * n) // size]), np.array([one], NUMPY[dtype]), None)

        return plan.done(reference)

    return draw


def readback_variants() -> Iterator[Variant]:
    for t in ("half", "float"):
        text = (
            f"ReduceSum(c.t<{t}>(0), c.t<{t}>(1), c.t<{t}>(2), c.count()); c.put(3, 0, GetReduceRepeatSumSpr<{t}>());"
        )
        yield Variant("GetReduceRepeatSumSpr", "call", (t,), text, readback(t, "SUM"))
        for operation in ("MAX", "MIN"):
            text = (
                f"ReduceRepeat<ReduceType::{operation}, {t}, {t}>(c.t<{t}>(0), c.t<{t}>(1), {256 // (BITS[t] // 8)}, "
                f"c.repeat(), 1, 1, 8); "
                f"{t} value, index; GetReduceRepeatMaxMinSpr<{t}>(value, index); c.put(3, 0, value); c.put(3, 1, "
                f"index);"
            )
            yield Variant("GetReduceRepeatMaxMinSpr", "call", (t,), text, readback(t, operation), operation)


def variants() -> Iterator[Variant]:
    for api in by_id().values():
        if api.id in BY_REPEAT or api.category == "reduce-old-name":
            yield from repeat_variants(api)
    yield from total_variants()
    yield from readback_variants()


VARIANTS = tuple(variants())
