"""Copies: contiguous, by blocks, padded, ND and NZ, slices; atomics; the bit counts of the scalar unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.registry import by_id
from tests.conformance.plan import COUNT, EXTRAS, SCALAR, Case, Plan
from tests.conformance.reference import copies
from tests.conformance.reference.copies import Place
from tests.conformance.reference.memory import BITS, Image
from tests.conformance.variant import Variant

MOST = 80_000  # bytes of a copy
DST, SRC = 0, 1
Reference = Callable[[Place, Place], None]


class Move:
    """Which memories a copy goes between; `place` puts an operand into the right one."""

    def __init__(self, name: str) -> None:
        self.to_ub = "In" in name or "Local" in name or name == "DataCopyNd2Nz"
        self.from_ub = "Out" in name or "Local" in name or name == "DataCopyNz2Nd"

    def operand(self, slot: int, dtype: str) -> str:
        """The C++ expression of an operand."""
        in_ub = self.to_ub if slot == DST else self.from_ub
        return f"c.{'t' if in_ub else 'g'}<{dtype}>({slot})"

    def place(self, plan: Plan, slot: int, dtype: str, size: int, bytewise: bool = False) -> int:
        """Room for an operand. GM starts are aligned to the element only."""
        in_ub = self.to_ub if slot == DST else self.from_ub
        element = BITS[dtype] // 8
        size = max(32, size)
        at = plan.place(size) if in_ub else plan.place_gm(size, element)
        plan.tensor(slot, dtype, at, -(-size // element) * element)
        return at

    def case(self, plan: Plan, dst: int, src: int, reference: Reference) -> Case:
        """The case with its reference on the right images."""

        def run(ub: Image, gm: Image) -> None:
            reference(Place(ub if self.to_ub else gm, dst), Place(ub if self.from_ub else gm, src))

        return plan.done(run)


def contiguous(move: Move, dtype: str, whole: bool = False) -> Callable[[Plan], Case]:
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        count = plan.pick((0, 1, 31, 32 // size, plan.integer(1, 500), plan.integer(1, MOST // size)))
        if whole or plan.pick((True, False)):
            count = count * size // 32 * 32 // size
        plan.params[COUNT] = count
        src, dst = (move.place(plan, slot, dtype, count * size) for slot in (SRC, DST))
        return move.case(plan, dst, src, lambda d, s: copies.contiguous(d, s, count, dtype))

    return draw


def blocks(move: Move, dtype: str) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        count = plan.pick((0, 1, 2, plan.integer(1, 20), 4095 if plan.pick((False, False, True)) else 3))
        length = plan.pick((0, 1, plan.integer(1, 60), plan.integer(1, 600)))
        gaps = [plan.pick((0, 0, 1, plan.integer(0, 40))) for _ in range(2)]
        while count * (length + max(gaps)) * 32 > MOST:
            count = max(1, count // 2)
            length = max(1, length // 2) if count == 1 else length
        plan.params[EXTRAS : EXTRAS + 4] = [count, length, *gaps]
        plan.note["params"] = [count, length, *gaps]
        sizes = [count * (length + gap) * 32 for gap in gaps]
        src = move.place(plan, SRC, dtype, sizes[0])
        dst = move.place(plan, DST, dtype, sizes[1])
        return move.case(plan, dst, src, lambda d, s: copies.blocks(d, s, count, length, *gaps))

    return draw


def padded(move: Move, dtype: str) -> Callable[[Plan], Case]:
    """DataCopyPad. Extras: count, length, source gap, destination gap, isPad, left, right; the value in SCALAR."""
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        count = plan.pick((0, 1, 2, plan.integer(1, 60)))
        length = size * plan.pick((0, 1, 32 // size, plan.integer(1, 100), plan.integer(1, 2000 // size)))
        gm_gap = plan.pick((0, size, size * plan.integer(0, 50)))
        ub_gap = plan.pick((0, 0, plan.integer(0, 5)))
        left, right = (plan.pick((0, 0, plan.integer(0, 32 // size))) for _ in range(2))
        is_pad = plan.pick((True, True, False))
        if not move.to_ub:
            is_pad = False
            left = right = 0
        if is_pad and left + right == 0 and length % 32:
            left = 1  # (unclear: the value of dummy bytes with isPad and no pads)
        gaps = (gm_gap, ub_gap) if move.to_ub else (ub_gap, gm_gap)
        value = 0
        if is_pad:
            plan.scalar(dtype, ("near", "whole", "special")) if size < 8 else plan.set_scalar(dtype, 0)
            value = int(plan.params[SCALAR])
        plan.params[EXTRAS : EXTRAS + 7] = [count, length, *gaps, is_pad, left, right]
        plan.note["params"] = [count, length, *gaps, is_pad, left, right]
        row = copies.rounded((left + right) * size + length)
        gm_size, ub_size = count * (length + gm_gap), count * (row + 32 * ub_gap)
        src = move.place(plan, SRC, dtype, gm_size if move.to_ub else ub_size)
        dst = move.place(plan, DST, dtype, ub_size if move.to_ub else gm_size)
        if move.to_ub:
            pad = (is_pad, left, right, value & (1 << 8 * size) - 1)
            return move.case(plan, dst, src, lambda d, s: copies.pad_in(d, s, dtype, count, length, *gaps, pad))
        return move.case(plan, dst, src, lambda d, s: copies.pad_out(d, s, count, length, *gaps) if length else None)

    return draw


def nd_to_nz(move: Move, dtype: str) -> Callable[[Plan], Case]:
    c0 = 256 // BITS[dtype]

    def draw(plan: Plan) -> Case:
        number, rows, columns = plan.integer(1, 3), plan.integer(1, 20), plan.integer(1, 5 * c0)
        if plan.pick((False, False, False, True)):
            rows = 0
        n_stride = plan.pick((1, 1, 2))
        c0_stride = max(rows, 1) * n_stride + plan.integer(0, 3)
        groups = -(-columns // c0)
        src_row = columns + plan.integer(0, 9)
        src_matrix = max(rows, 1) * src_row + plan.integer(0, 9)
        dst_matrix = groups * c0_stride * c0 + c0 * plan.integer(0, 2)
        params = [number, rows, columns, src_matrix, src_row, c0_stride, n_stride, dst_matrix]
        plan.params[EXTRAS : EXTRAS + 8] = params
        plan.note["params"] = params
        size = BITS[dtype] // 8
        src = move.place(plan, SRC, dtype, number * src_matrix * size)
        dst = move.place(plan, DST, dtype, number * dst_matrix * size)
        return move.case(plan, dst, src, lambda d, s: copies.nd_to_nz(d, s, dtype, params))

    return draw


def nz_to_nd(move: Move, dtype: str) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        number, rows, groups = plan.integer(1, 3), plan.integer(1, 20), plan.integer(1, 4)
        src_group = rows + plan.integer(0, 3)
        src_matrix = -(-groups * src_group * 16 // 256)
        dst_row = groups * 16 + plan.integer(0, 9)
        dst_matrix = rows * dst_row + plan.integer(0, 9)
        params = [number, rows, groups * 16, src_matrix, src_group, dst_row, dst_matrix]
        plan.params[EXTRAS : EXTRAS + 7] = params
        plan.note["params"] = params
        size = BITS[dtype] // 8
        src = move.place(plan, SRC, dtype, number * src_matrix * 256 * size)
        dst = move.place(plan, DST, dtype, number * dst_matrix * size)
        return move.case(plan, dst, src, lambda d, s: copies.nz_to_nd(d, s, dtype, params))

    return draw


SLICES = 128  # slots: five numbers a dimension, destination then source, eight dimensions each


def sliced(move: Move, dtype: str) -> Callable[[Plan], Case]:
    per_block = 256 // BITS[dtype]

    def draw(plan: Plan) -> Case:
        dimensions = plan.integer(1, 3)
        pieces = [plan.integer(1, 3) for _ in range(dimensions)]
        burst = plan.integer(1, 3)

        def side(slot: int) -> list[copies.Slice]:
            out = []
            for d, count in enumerate(pieces):
                length = burst * per_block if d == 0 else 1
                # starts in UB stay on blocks
                step = plan.integer(0, 2) * (per_block if d == 0 else 1)
                start = plan.integer(0, 2) * (per_block if d == 0 else 1)
                end = start + (count - 1) * step + count * length - 1
                shape = end + 1 + plan.integer(0, 2) * (per_block if d == 0 else 1)
                out.append(copies.Slice(start, end, step, burst if d == 0 else 1, shape))
                at = SLICES + 40 * slot + 5 * d
                plan.params[at : at + 5] = [start, end, step, burst if d == 0 else 1, shape]
            return out

        to, of = side(DST), side(SRC)
        plan.params[EXTRAS] = dimensions
        plan.note["slices"] = [to, of]
        size = BITS[dtype] // 8
        src = move.place(plan, SRC, dtype, int(np.prod([s.shape for s in of])) * size)
        dst = move.place(plan, DST, dtype, int(np.prod([s.shape for s in to])) * size)
        return move.case(plan, dst, src, lambda d, s: copies.slices(d, s, dtype, to, of))

    return draw


def atomic(dtype: str, operation: str) -> Callable[[Plan], Case]:
    move = Move("DataCopyOut")
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        count = plan.integer(1, 40) * 32 // size
        plan.params[COUNT] = count
        src, dst = (move.place(plan, slot, dtype, count * size) for slot in (SRC, DST))
        plan.fill(dtype, src, count * size, ("near", "whole"))
        plan.fill(dtype, dst, count * size, ("near", "whole"), gm=True)
        return move.case(plan, dst, src, lambda d, s: copies.atomic(d, s, dtype, count * size, operation))

    return draw


def pad_value(dtype: str) -> Callable[[Plan], Case]:
    """SetPadValue supplies the pads when isPad is false."""
    move, size = Move("DataCopyPadIn"), BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        if size < 8:
            plan.scalar(dtype, ("whole", "near"))
        value = int(plan.params[SCALAR]) & (1 << 8 * size) - 1
        count, length = plan.integer(1, 5), size * plan.integer(1, 50)
        left, right = plan.integer(1, 32 // size), plan.integer(0, 32 // size)
        plan.params[EXTRAS : EXTRAS + 7] = [count, length, 0, 0, 0, left, right]
        row = copies.rounded((left + right) * size + length)
        src, dst = move.place(plan, SRC, dtype, count * length), move.place(plan, DST, dtype, count * row)
        pad = (True, left, right, value)
        return move.case(plan, dst, src, lambda d, s: copies.pad_in(d, s, dtype, count, length, 0, 0, pad))

    return draw


BLOCK_PARAMS = "DataCopyParams(c.x(0), c.x(1), c.x(2), c.x(3))"
PAD_PARAMS = "DataCopyExtParams(c.x(0), c.x(1), c.x(2), c.x(3), 0)"
ND_PARAMS = "Nd2NzParams(c.x(0), c.x(1), c.x(2), c.x(3), c.x(4), c.x(5), c.x(6), c.x(7))"
NZ_PARAMS = "Nz2NdParamsFull(c.x(0), c.x(1), c.x(2), c.x(3), c.x(4), c.x(5), c.x(6))"
SLICE_LISTS = (
    "SliceInfo d[8], s[8]; for (int k = 0; k < 8; ++k) for (int side = 0; side < 2; ++side) { "
    f"const int64_t *q = c.p + {SLICES} + 40 * side + 5 * k; SliceInfo &one = side ? s[k] : d[k]; "
    "one.startIndex = q[0]; one.endIndex = q[1]; one.stride = q[2]; one.burstLen = q[3]; one.shapeValue = q[4]; } "
)

# id -> (how a case is drawn, arguments behind the operands, statements before the call)
FAMILIES: dict[str, tuple[Callable[[Move, str], Callable[[Plan], Case]], str, str]] = {
    "DataCopyIn": (contiguous, "uint32_t(c.count())", ""),
    "DataCopyOut": (contiguous, "uint32_t(c.count())", ""),
    "DataCopyLocal": (contiguous, "uint32_t(c.count())", ""),
    "DataCopyInBlocks": (blocks, BLOCK_PARAMS, ""),
    "DataCopyOutBlocks": (blocks, BLOCK_PARAMS, ""),
    "DataCopyLocalBlocks": (blocks, BLOCK_PARAMS, ""),
    "DataCopyInEnhanced": (blocks, f"{BLOCK_PARAMS}, DataCopyEnhancedParams()", ""),
    "DataCopyOutEnhanced": (blocks, f"{BLOCK_PARAMS}, DataCopyEnhancedParams()", ""),
    "DataCopyPadIn": (
        padded,
        f"{PAD_PARAMS}, DataCopyPadExtParams<{{t}}>(c.x(4) != 0, c.x(5), c.x(6), c.scalar<{{t}}>())",
        "",
    ),
    "DataCopyPadOut": (padded, PAD_PARAMS, ""),
    "DataCopyPadInOld": (
        padded,
        f"{BLOCK_PARAMS}, DataCopyPadParams(c.x(4) != 0, c.x(5), c.x(6), uint64_t(c.p[Case::scalar_bits]))",
        "",
    ),
    "DataCopyPadOutOld": (padded, BLOCK_PARAMS, ""),
    "DataCopyNd2Nz": (nd_to_nz, ND_PARAMS, ""),
    "DataCopyNz2Nd": (nz_to_nd, NZ_PARAMS, ""),
    "DataCopyInSlice": (sliced, "d, s, uint32_t(c.x(0))", SLICE_LISTS),
    "DataCopyOutSlice": (sliced, "d, s, uint32_t(c.x(0))", SLICE_LISTS),
}


def variants() -> Iterator[Variant]:
    for name, (make, arguments, before) in FAMILIES.items():
        move, api = Move(name), by_id()[name]
        for types in api.dtypes["dav-2201"]:
            t = types[0]
            operands = f"{move.operand(DST, t)}, {move.operand(SRC, t)}"
            text = f"{before}{api.name}({operands}, {arguments.replace('{t}', t)});"
            yield Variant(name, "call", types, text, make(move, t))
    copy = "DataCopy(c.g<{t}>(0), c.t<{t}>(1), uint32_t(c.count()));"
    for operation in ("Add", "Max", "Min"):
        for types in by_id()[f"SetAtomic{operation}"].dtypes["dav-2201"]:
            t = types[0]
            text = f"SetAtomic{operation}<{t}>(); {copy.format(t=t)} SetAtomicNone();"
            yield Variant(f"SetAtomic{operation}", "call", types, text, atomic(t, operation.lower()))
    for types in by_id()["SetPadValue"].dtypes["dav-2201"]:
        t = types[0]
        text = (
            f"SetPadValue<{t}>(c.scalar<{t}>()); DataCopyPad(c.t<{t}>(0), c.g<{t}>(1), {PAD_PARAMS}, "
            f"DataCopyPadExtParams<{t}>(false, c.x(5), c.x(6), c.scalar<{t}>(0)));"
        )
        yield Variant("SetPadValue", "call", types, text, pad_value(t))


VARIANTS = tuple(variants())
