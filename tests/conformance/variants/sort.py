"""Sorting and merging: Sort32, MrgSort in both spellings, Concat, Sort, Extract, and the sizes of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ferrata.lang.registry import by_id
from tests.conformance.plan import EXTRAS, REPEAT, Case, Plan, values
from tests.conformance.reference import sort
from tests.conformance.reference.addressing import MaskState
from tests.conformance.reference.memory import BITS, NUMPY, Array, Image
from tests.conformance.variant import Variant

TYPES = tuple(t for (t,) in by_id()["Sort32"].dtypes["dav-2201"])
KINDS = ("whole", "near", "wide")  # NaN has no specified place


def scores(plan: Plan, dtype: str, at: int, count: int) -> None:
    """Scores with many ties."""
    kind = plan.pick(KINDS)
    plan.computed(
        at,
        lambda rng: (
            np.rint(values(rng, dtype, count, kind) / 8).astype(NUMPY[dtype])
            if kind == "whole"
            else values(rng, dtype, count, kind)
        ),
    )


def group_sort(dtype: str, whole: bool | None) -> Callable[[Plan], Case]:
    """Sort32 (whole is None) and Sort."""
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        repeats = plan.pick((0, 1, 2, plan.integer(1, 60)))
        count = 32 * repeats
        plan.params[REPEAT] = repeats
        src, index = plan.place(max(128, count * size), 128), plan.place(max(128, count * 4), 128)
        dst = plan.place(max(256, count * 8), 256)
        tmp_size = max(256, count * 8)
        tmp = plan.place(tmp_size, 256)
        plan.tensor(0, dtype, dst, max(256, count * 8))
        plan.tensor(1, dtype, src, max(128, count * size))
        plan.tensor(2, "uint32_t", index, max(128, count * 4))
        plan.tensor(3, dtype, tmp, tmp_size)
        scores(plan, dtype, src, count)
        plan.state(MaskState())

        def reference(ub: Image, gm: Image) -> None:
            if whole is not None:
                ub.ignore(tmp, tmp_size)
            if count:
                sort.sort_groups(ub, dtype, dst, src, index, count, count if whole else 32)

        return plan.done(reference)

    return draw


def records(rng: np.random.Generator, dtype: str, count: int, kind: str) -> Array:
    """A descending queue of records, as bytes."""
    score = values(rng, dtype, count, kind)
    if kind == "whole":
        score = np.rint(score / 16).astype(score.dtype)
    score = score[sort.order(score)]
    data = rng.integers(0, 256, (count, 8), dtype=np.uint8)
    size = BITS[dtype] // 8
    data[:, :size] = score.view(np.uint8).reshape(count, size)
    return data.reshape(-1)


def merge(dtype: str, read_back: bool, never: bool = False) -> Callable[[Plan], Case]:
    """MrgSort. Extras: lengths, suspension, valid bit, repeats; tensor 5 receives the counts."""

    def draw(plan: Plan) -> Case:
        queues = plan.pick((2, 3, 4, 4))
        suspend = read_back or (not never and plan.pick((False, True)))
        repeats = plan.pick((1, 1, 2, 3)) if queues == 4 and not suspend else 1
        kind = plan.pick(KINDS)
        if repeats > 1:
            lengths = [plan.integer(1, 40)] * 4
            start = plan.place(8 * sum(lengths) * repeats)
            at = [start + 8 * sum(lengths[:k]) for k in range(4)]
            for repeat in range(repeats):
                for k in range(4):
                    there = at[k] + repeat * 8 * sum(lengths)
                    plan.computed(there, lambda rng, n=lengths[k]: records(rng, dtype, n, kind))  # type: ignore[misc]
        else:
            lengths = [plan.pick((0, 1, plan.integer(1, 100), plan.integer(1, 700))) for _ in range(queues)]
            if suspend:
                lengths = [max(1, n) for n in lengths]
            at = [plan.place(max(32, 8 * n)) for n in lengths]
            for there, n in zip(at, lengths, strict=True):
                plan.computed(there, lambda rng, n=n: records(rng, dtype, n, kind))  # type: ignore[misc]
        total = 8 * sum(lengths) * repeats
        dst = plan.place(max(32, total))
        plan.tensor(0, dtype, dst, max(32, total))
        for k in range(4):
            known = k < queues
            plan.tensor(
                1 + k, dtype, at[k] if known else 0, (8 * (lengths[k] + sum(lengths) * (repeats - 1)) if known else 0)
            )
        counts = plan.place(32)
        plan.tensor(5, "uint64_t", counts, 32)
        plan.params[EXTRAS : EXTRAS + 7] = [*(lengths + [0] * 4)[:4], suspend, (1 << queues) - 1, repeats]
        plan.note |= {"lengths": lengths, "suspend": suspend, "repeats": repeats}
        plan.state(MaskState())

        def reference(ub: Image, gm: Image) -> None:
            taken = sort.merge_records(ub, dtype, dst, at, lengths, suspend, repeats)
            if read_back:
                ub.write("uint64_t", counts // 8 + np.arange(4), np.array((taken + [0] * 4)[:4], np.uint64))

        return plan.done(reference)

    return draw


def extract(dtype: str) -> Callable[[Plan], Case]:
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        repeats = plan.pick((0, 1, plan.integer(1, 60)))
        count = 32 * repeats
        plan.params[REPEAT] = repeats
        src = plan.place(max(256, count * 8), 256)
        score, index = plan.place(max(128, count * size)), plan.place(max(128, count * 4))
        plan.tensor(0, dtype, score, max(128, count * size))
        plan.tensor(1, "uint32_t", index, max(128, count * 4))
        plan.tensor(2, dtype, src, max(256, count * 8))
        plan.state(MaskState())
        return plan.done(lambda ub, gm: sort.extract(ub, dtype, score, index, src, count))

    return draw


def concat(dtype: str) -> Callable[[Plan], Case]:
    """Concat presents the values of src; they are seen through a copy of 16 * repeats elements."""
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        repeats = plan.integer(1, 100)
        bytes_ = 16 * repeats * size
        plan.params[REPEAT] = repeats
        src, dst, tmp = plan.place(bytes_), plan.place(bytes_), plan.place(bytes_ * 8)
        plan.tensor(0, dtype, dst, bytes_)
        plan.tensor(1, dtype, src, bytes_)
        plan.tensor(2, dtype, tmp, bytes_ * 8)

        def reference(ub: Image, gm: Image) -> None:
            ub.ignore(tmp, bytes_ * 8)
            ub.write("uint8_t", dst + np.arange(bytes_), ub.data[src : src + bytes_].copy(), None)

        return plan.done(reference)

    return draw


def record_size(elements: int) -> Callable[[Plan], Case]:
    """GetSortOffset, GetSortLen: elements of a number of records."""

    def draw(plan: Plan) -> Case:
        count = plan.integer(0, 4000)
        plan.params[EXTRAS] = count
        at = plan.place(32)
        plan.tensor(0, "uint64_t", at, 32)
        return plan.done(
            lambda ub, gm: ub.write("uint64_t", np.array([at // 8]), np.array([count * elements], np.uint64))
        )

    return draw


def variants() -> Iterator[Variant]:
    queues = "c.t<{t}>(1), c.t<{t}>(2), c.t<{t}>(3), c.t<{t}>(4)"
    lengths = "uint16_t n[4] = {{uint16_t(c.x(0)), uint16_t(c.x(1)), uint16_t(c.x(2)), uint16_t(c.x(3))}};"
    for t in TYPES:
        four = queues.format(t=t)
        text = f"Sort32(c.t<{t}>(0), c.t<{t}>(1), c.t<uint32_t>(2), int32_t(c.repeat()));"
        yield Variant("Sort32", "repeat", (t,), text, group_sort(t, None))
        merging = (
            f"{lengths.format()} MrgSort4Info info(n, c.x(4) != 0, uint16_t(c.x(5)), uint16_t(c.x(6))); "
            f"MrgSortSrcList<{t}> list({four}); MrgSort(c.t<{t}>(0), list, info);"
        )
        yield Variant("MrgSort", "call", (t,), merging, merge(t, False))
        back = (
            " uint16_t a, b, d, e; GetMrgSortResult(a, b, d, e); c.put(5, 0, a); c.put(5, 1, b); c.put(5, 2, "
            "d); c.put(5, 3, e);"
        )
        yield Variant("GetMrgSortResult", "call", (t,), merging + back, merge(t, True))
        for suspend in ("false", "true"):
            text = (
                f"{lengths.format()} uint32_t taken[4] = {{0, 0, 0, 0}}; MrgSort<{t}, {suspend}>(c.t<{t}>(0), "
                f"MrgSortSrcList<{t}>({four}), "
                "n, taken, uint16_t(c.x(5)), int32_t(c.x(6)));"
            )
            if suspend == "true":
                text += " for (int k = 0; k < 4; ++k) c.put(5, k, taken[k]);"
                yield Variant("MrgSortList", "repeat", (t,), text, merge(t, True), "suspended")
            else:
                yield Variant("MrgSortList", "repeat", (t,), text, merge(t, False, never=True))
        for whole in (False, True):
            flag = str(whole).lower()
            text = (
                f"LocalTensor<{t}> tmp = c.t<{t}>(3); Sort<{t}, {flag}>(c.t<{t}>(0), c.t<{t}>(1), "
                f"c.t<uint32_t>(2), tmp, int32_t(c.repeat()));"
            )
            yield Variant("Sort", "repeat", (t,), text, group_sort(t, whole), "full" if whole else "groups")
        text = f"Extract(c.t<{t}>(0), c.t<uint32_t>(1), c.t<{t}>(2), int32_t(c.repeat()));"
        yield Variant("Extract", "repeat", (t,), text, extract(t))
        text = (
            f"LocalTensor<{t}> all; Concat(all, c.t<{t}>(1), c.t<{t}>(2), int32_t(c.repeat())); "
            f"DataCopy(c.t<{t}>(0), all, uint32_t(c.repeat() * 16));"
        )
        yield Variant("Concat", "repeat", (t,), text, concat(t))
        for name in ("GetSortOffset", "GetSortLen"):
            text = f"c.put(0, 0, {name}<{t}>(uint32_t(c.x(0))));"
            yield Variant(name, "call", (t,), text, record_size(64 // BITS[t]))


VARIANTS = tuple(variants())
