"""Variants of the elementwise calls: operands, masks, strides and overlaps that count and repeat forms share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tests.conformance.plan import COUNT, KINDS, MASK0, REPEAT, UB, Case, Plan, counts, mask_bits
from tests.conformance.reference.addressing import (
    Active,
    MaskState,
    Operand,
    active,
    contiguous,
    counted,
    lanes_per_repeat,
    set_by_call,
    span,
)
from tests.conformance.reference.memory import BITS, Image

FULL = (1 << 64) - 1
# What an instruction does: (image, dst, sources, enabled lanes)
Instruction = Callable[[Image, Operand, Sequence[Operand], Active], None]


@dataclass(frozen=True)
class Shape:
    """How a family uses its operands."""

    dst: str
    sources: tuple[str, ...]
    accumulates: bool = False  # dst may be src1 with repeat stride 0
    reads_dst: bool = False
    in_place: bool = True
    sets_mask: bool = True  # False: isSetMask = false, the state decides
    even: bool = False  # int4b_t: lanes come in pairs
    kinds: tuple[str, ...] = KINDS
    spare: int = 4096  # bytes of the Unified Buffer that others need

    @property
    def per_repeat(self) -> int:
        return lanes_per_repeat(self.dst, *self.sources)


@dataclass
class Drawn:
    """Operands and lanes of a case."""

    dst: Operand
    sources: list[Operand]
    enabled: Active


def draw_count(plan: Plan, shape: Shape) -> Drawn:
    """The count form: contiguous operands; the state before does not matter."""
    per = shape.per_repeat
    widest = max(BITS[t] for t in (shape.dst, *shape.sources)) // 8
    most = (UB - shape.spare) // (1 + len(shape.sources)) // widest - per
    count = counts(plan, per, most)
    if shape.even:
        count -= count % 2
    plan.params[COUNT] = count
    plan.note["count"] = count
    plan.state(MaskState(plan.pick((False, True)), plan.integer(1, 1000), 0))
    sizes = [-(-count * BITS[t] // 8 // 1) for t in (shape.dst, *shape.sources)]
    runs = -(-count // per)
    operands = [contiguous(t, 0, per) for t in (shape.dst, *shape.sources)]
    dst, *sources = place(plan, shape, operands, [max(size, 32) for size in sizes], runs)
    return Drawn(dst, sources, counted(count, per))


def place(plan: Plan, shape: Shape, operands: list[Operand], sizes: list[int], repeats: int) -> list[Operand]:
    """Give operands addresses; the destination may be one of the sources where that is allowed."""
    dst, *sources = operands
    placed = []
    for slot, (operand, size) in enumerate(zip(sources, sizes[1:], strict=True), start=1):
        at = plan.place(size)
        placed.append(Operand(operand.dtype, at, operand.block_stride, operand.repeat_stride))
        plan.tensor(slot, operand.dtype, at, size)
        plan.fill(operand.dtype, at, size, shape.kinds)
    same = [
        o
        for o in placed
        if BITS[o.dtype] == BITS[dst.dtype] and o.block_stride >= 1 and apart(o, repeats, shape.per_repeat)
    ]
    if shape.in_place and not shape.reads_dst and same and plan.pick((False, False, True)):
        over = plan.pick(same)
        plan.note["in_place"] = True
        dst = Operand(dst.dtype, over.address, over.block_stride, over.repeat_stride)
        plan.tensor(0, dst.dtype, dst.address, sizes[1 + placed.index(over)])
    else:
        at = plan.place(sizes[0])
        dst = Operand(dst.dtype, at, dst.block_stride, dst.repeat_stride)
        plan.tensor(0, dst.dtype, at, sizes[0])
        if shape.reads_dst:
            plan.fill(dst.dtype, at, sizes[0], shape.kinds)
    return [dst, *placed]


def apart(operand: Operand, repeats: int, per_repeat: int) -> bool:
    """Whether no repeat touches bytes of another one."""
    return repeats <= 1 or operand.repeat_stride * 32 >= span(operand, 1, per_repeat)


def draw_state(plan: Plan, shape: Shape, form: str, longest: int) -> tuple[MaskState, int]:
    """The state in which a repeat form runs, and its repeats; writes state, mask and repeat into the plan."""
    per = shape.per_repeat
    counter = plan.pick((False, False, True))
    repeats = plan.pick((lambda: plan.integer(1, min(4, longest)), lambda: plan.integer(0, longest), lambda: longest))()
    total = max(1, min(plan.integer(1, max(1, longest * per)), longest * per))
    if shape.even:
        total += total % 2
    low, high = mask_bits(plan, per)
    if shape.even:
        low, high = paired(low), paired(high)
    before = MaskState(counter, total if counter else low, 0 if counter else high)
    if not shape.sets_mask:
        plan.state(before)
        after = before
    elif form == "mask":
        contiguous_mask = plan.integer(0, per)
        if shape.even:
            contiguous_mask -= contiguous_mask % 2
        mask = total if counter else contiguous_mask
        plan.params[MASK0] = mask
        plan.state(MaskState(counter, 7, 0))
        after = set_by_call(before, mask, per)
        plan.note["mask"] = mask
    else:
        words = (total, 0) if counter else (low, high)
        plan.words(MASK0, *words)
        plan.state(MaskState(counter, 7, 0))
        after = set_by_call(before, words, per)
        plan.note["mask"] = [hex(word) for word in words]
    plan.params[REPEAT] = plan.integer(0, 255) if counter else repeats
    plan.note |= {"counter": counter, "repeat": int(plan.params[REPEAT])}
    if counter:
        repeats = -(-after.low // per)
        # a repeat count of 0 is a NOP even where Counter mode would ignore it: do not ask
        plan.params[REPEAT] = max(1, plan.params[REPEAT])
    return after, repeats


def paired(word: int) -> int:
    """Make bits 2k and 2k + 1 equal."""
    even = word & int("5" * 16, 16)
    return even | even << 1


def draw_repeat(plan: Plan, shape: Shape, form: str) -> Drawn:
    """A repeat form: any strides that are allowed and fit."""
    per = shape.per_repeat
    types = (shape.dst, *shape.sources)
    budget = (UB - shape.spare) // len(types) // 32 * 32
    natural = [per * BITS[t] // 256 for t in types]
    style = plan.pick(("natural", "natural", "strided", "wide", "longest"))
    plan.note["strides"] = style
    operands = []
    for n, (dtype, step) in enumerate(zip(types, natural, strict=True)):
        source = n > 0
        if style in ("natural", "longest"):
            block, repeat = 1, step
        elif style == "strided":
            block = plan.integer(0 if source else 1, 4)
            repeat = plan.integer(0, 24)
        else:
            block = plan.pick((1, 2, 16, 100, 150))
            repeat = plan.pick((0, 1, 63, 255))
        if not source and shape.reads_dst:
            # repeats of a destination that is read must not meet
            block = plan.integer(1, 2)
            repeat = step * block + plan.integer(0, 3)
        operands.append(Operand(dtype, 0, block, repeat))
    longest = 255
    while longest > 1 and any(span(o, longest, per) > budget for o in operands):
        longest -= 1
    operands = [o if span(o, longest, per) <= budget else Operand(o.dtype, 0, 1, o.repeat_stride) for o in operands]
    state, repeats = draw_state(plan, shape, form, longest)
    if shape.accumulates and len(operands) == 3 and repeats and plan.pick((False, False, False, True)):
        return _accumulating(plan, shape, operands, state, repeats)
    sizes = [max(32, span(o, max(repeats, 1), per)) for o in operands]
    dst, *sources = place(plan, shape, operands, sizes, repeats)
    plan.strides(dst, *sources)
    return Drawn(dst, sources, active(state, per, repeats))


def _accumulating(plan: Plan, shape: Shape, operands: list[Operand], state: MaskState, repeats: int) -> Drawn:
    """dst = src1 with repeat stride 0 on both: the repeats of src0 add up."""
    plan.note["accumulates"] = True
    per = shape.per_repeat
    first = operands[1]
    size = max(32, span(first, repeats, per))
    src0 = Operand(first.dtype, plan.place(size), first.block_stride, first.repeat_stride)
    total = Operand(shape.dst, plan.place(256), 1, 0)
    plan.tensor(1, src0.dtype, src0.address, size)
    plan.fill(src0.dtype, src0.address, size, shape.kinds)
    plan.fill(total.dtype, total.address, 256, shape.kinds)
    for slot in (0, 2):
        plan.tensor(slot, total.dtype, total.address, 256)
    plan.strides(total, src0, total)
    return Drawn(total, [src0, total], active(state, per, repeats))


def elementwise_case(
    shape: Shape, form: str, prepare: Callable[[Plan], Callable[[Image, Drawn], None]]
) -> Callable[[Plan], Case]:
    """How to draw a case: `prepare` draws what the family adds and returns its reference."""

    def draw(plan: Plan) -> Case:
        reference = prepare(plan)
        drawn = draw_count(plan, shape) if form == "count" else draw_repeat(plan, shape, form)
        if drawn.enabled.shape[0] == 0:
            return plan.done(lambda ub, gm: None)
        return plan.done(lambda ub, gm: reference(ub, drawn))

    return draw


def nothing_enabled(enabled: Active) -> bool:
    """No lane at all."""
    return not np.any(enabled)
