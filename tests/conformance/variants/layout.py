"""Transposes: 16 x 16, the extended ones, and TransDataTo5HD with its three kinds of address lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ferrata.lang.registry import by_id
from tests.conformance.plan import EXTRAS, Case, Plan
from tests.conformance.reference import layout
from tests.conformance.reference.addressing import MaskState
from tests.conformance.reference.memory import BITS, Image
from tests.conformance.variant import Variant

LISTS = 48  # tensors 48 to 63 are destinations, 64 to 79 sources


def square(dtype: str, extended: bool) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        src = plan.place(512)
        dst = src if plan.pick((False, False, True)) else plan.place(512)
        plan.tensor(0, dtype, dst, 512)
        plan.tensor(1, dtype, src, 512)
        tmp = plan.place(512)
        plan.tensor(2, "uint8_t", tmp, 512)
        plan.params[EXTRAS : EXTRAS + 4] = [plan.integer(0, 9), plan.integer(0, 9), 16, 16] if extended else 0
        plan.state(MaskState())

        def reference(ub: Image, gm: Image) -> None:
            if extended:
                ub.ignore(tmp, 512)
            layout.transpose(ub, dtype, dst, src)

        return plan.done(reference)

    return draw


def permute(dtype: str, to_last: bool) -> Callable[[Plan], Case]:
    size = BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        plane = plan.integer(1, 6) * (32 // size)
        h = plan.pick([k for k in range(1, plane + 1) if plane % k == 0])
        shape = (plan.integer(1, 3), plan.integer(1, 20), h, plane // h)
        if plan.pick((False, False, False, True)):
            shape = tuple(0 if k == plan.integer(0, 3) else n for k, n in enumerate(shape))  # type: ignore[assignment]
        n, c, h, w = shape
        total = n * c * h * w * size
        h0, w0 = (32 if size == 1 else 16), 32 // size
        tmp_size = ((c + 2) if to_last else (2 * c + 1)) * h0 * w0 * size
        src, dst, tmp = plan.place(max(32, total)), plan.place(max(32, total)), plan.place(tmp_size)
        plan.tensor(0, dtype, dst, max(32, total))
        plan.tensor(1, dtype, src, max(32, total))
        plan.tensor(2, "uint8_t", tmp, tmp_size)
        plan.params[EXTRAS : EXTRAS + 4] = shape
        plan.note["shape"] = shape
        plan.state(MaskState())

        def reference(ub: Image, gm: Image) -> None:
            ub.ignore(tmp, tmp_size)
            if total:
                layout.permute(ub, dtype, dst, src, shape, to_last)

        return plan.done(reference)

    return draw


def trans_data(dtype: str) -> Callable[[Plan], Case]:
    def draw(plan: Plan) -> Case:
        repeats = plan.pick((0, 1, 1, plan.integer(2, 20)))
        strides = (0, 0) if repeats == 1 else (plan.integer(0, 3), plan.integer(0, 3))
        halves = (plan.pick((False, True)), plan.pick((False, True))) if BITS[dtype] == 8 else (False, False)
        lists = []
        for first, stride in ((0, strides[0]), (16, strides[1])):
            size = (max(repeats - 1, 0) * stride + 1) * 32
            places = [plan.place(size) for _ in range(16)]
            lists.append(places)
            for k, at in enumerate(places):
                plan.tensor(LISTS + first + k, dtype, at, size)
        for slot in (0, 1):
            at = plan.place(128)
            plan.tensor(slot, "uint64_t", at, 128)
            plan.note[f"list{slot}"] = at
        address_lists = [plan.note["list0"], plan.note["list1"]]
        plan.params[EXTRAS : EXTRAS + 5] = [*halves, repeats, *strides]
        plan.note["repeats"] = repeats
        plan.state(MaskState())

        def reference(ub: Image, gm: Image) -> None:
            for at in address_lists:
                ub.ignore(at, 128)
            layout.trans_data(ub, dtype, lists[0], lists[1], repeats, strides, halves)

        return plan.done(reference)

    return draw


def variants() -> Iterator[Variant]:
    for types in by_id()["Transpose"].dtypes["dav-2201"]:
        t = types[0]
        yield Variant("Transpose", "call", types, f"Transpose(c.t<{t}>(0), c.t<{t}>(1));", square(t, False))
    params = "TransposeParamsExt(c.x(0), c.x(1), c.x(2), c.x(3), TransposeType::TRANSPOSE_{kind})"
    for types in by_id()["TransposeExt"].dtypes["dav-2201"]:
        t = types[0]
        kinds = {"NCHW2NHWC": permute(t, True), "NHWC2NCHW": permute(t, False)}
        if t == "uint16_t":
            kinds["ND2ND_B16"] = square(t, True)
        for kind, draw in kinds.items():
            text = f"Transpose(c.t<{t}>(0), c.t<{t}>(1), c.t<uint8_t>(2), {params.format(kind=kind)});"
            yield Variant("TransposeExt", "call", types, text, draw, kind)
    params = "TransDataTo5HDParams(c.x(0) != 0, c.x(1) != 0, c.x(2), c.x(3), c.x(4))"
    for types in by_id()["TransDataTo5HD"].dtypes["dav-2201"]:
        t = types[0]
        each = "for (int k = 0; k < 16; ++k) {{ {0} }}"
        calls = {
            "tensors": f"LocalTensor<{t}> d[16], s[16]; "
            + each.format(f"d[k] = c.t<{t}>({LISTS} + k); s[k] = c.t<{t}>({LISTS + 16} + k);")
            + f" TransDataTo5HD(d, s, {params});",
            "addresses": "uint64_t d[16], s[16]; "
            + each.format(
                f"d[k] = (uint64_t)c.t<{t}>({LISTS} + k).GetPhyAddr(); s[k] = (uint64_t)c.t<{t}>({LISTS + 16} + "
                f"k).GetPhyAddr();"
            )
            + f" TransDataTo5HD<{t}>(d, s, {params});",
            "address-tensors": "LocalTensor<uint64_t> d = c.t<uint64_t>(0), s = c.t<uint64_t>(1); "
            + each.format(
                f"d.SetValue(k, (uint64_t)c.t<{t}>({LISTS} + k).GetPhyAddr()); s.SetValue(k, "
                f"(uint64_t)c.t<{t}>({LISTS + 16} + k).GetPhyAddr());"
            )
            + f" TransDataTo5HD<{t}>(d, s, {params});",
        }
        for detail, text in calls.items():
            yield Variant("TransDataTo5HD", "call", types, text, trans_data(t), detail)


VARIANTS = tuple(variants())
