"""The C interface, continued: functions whose calls or results have a form of their own.

Dequantisation, packing, transposes, copies of any length, reductions with a count, atomics, and the scalar side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ferrata.lang.registry import by_id
from tests.conformance.plan import COUNT, Case, Plan
from tests.conformance.reference import copies as copied
from tests.conformance.reference import reduce as reduced
from tests.conformance.reference.addressing import (
    MaskState,
    Operand,
    contiguous,
    counted,
    elementwise,
    lanes_per_repeat,
)
from tests.conformance.reference.memory import BITS, Image
from tests.conformance.variant import Variant
from tests.conformance.variants import compare, compound, copies, layout, reduce, sort, state
from tests.conformance.variants.compound import TABLE
from tests.conformance.variants.fill import masked_copy
from tests.conformance.variants.reduce import KINDS
from tests.conformance.variants.vector import Drawn, Shape, elementwise_case

STRIDES1 = "c.repeat(), c.s(0), c.s(1), c.s(3), c.s(4)"


def dequantisation() -> Iterator[Variant]:
    """asc_set_deq_scale in its three forms and what uses it."""
    api = by_id()["CastDequant"]
    forms = {form.kind: form for form in api.forms if form.kind in ("count", "mask")}
    tails = {"count": "c.count()", "mask": STRIDES1}
    for kind, tail in tails.items():
        text = "asc_set_deq_scale(c.scalar<half>(c.x(0))); "
        draw = compound.dequant(api, forms[kind], ("half", "int32_t"), False, False, kind == "count")
        call = text + f"asc_deq_int322half(c.u<half>(0), c.u<int32_t>(1), {tail});"
        yield Variant("asc_deq_int322half", kind, ("half", "int32_t"), call, draw)
        if kind == "count":
            yield Variant("asc_set_deq_scale", "call", ("half",), call, draw, "half")
            call = call.replace("322half(", "322half_sync(")
            yield Variant("asc_deq_int322half", kind, ("half", "int32_t"), call, draw, "sync")
        for target in ("int8_t", "uint8_t"):
            types, signed = (target, "int16_t"), str(target == "int8_t").lower()
            one = f"asc_set_deq_scale(c.scalar<float>(c.p[{TABLE}]), int16_t(c.p[{TABLE + 16}]), {signed}); "
            table = (
                f"float w[16]; int16_t o[16]; bool g[16]; for (int j = 0; j < 16; ++j) {{ "
                f"w[j] = c.scalar<float>(c.p[{TABLE} + j]); o[j] = c.p[{TABLE + 16} + j]; g[j] = {signed}; }} "
                "asc_set_deq_scale(c.u<uint64_t>(4), w, o, g); "
            )
            for prefix, before, by_table in (("asc_deq", one, False), ("asc_vdeq", table, True)):
                for suffix, high in (("h", True), ("l", False)):
                    name = f"{prefix}_int162b8_{suffix}"
                    call = before + f"{name}(c.u<{target}>(0), c.u<int16_t>(1), {tail});"
                    draw = compound.dequant(api, forms[kind], types, by_table, high, kind == "count")
                    yield Variant(name, kind, types, call, draw)
                if kind == "count":
                    detail = f"{'table' if by_table else 'one'}-{target}"
                    yield Variant("asc_set_deq_scale", "call", (target,), call, draw, detail)


def reduce_count(kind: str, operation: str, dtype: str, order: str, saturate: bool) -> Callable[[Plan], Case]:
    """A reduction of the first elements: what a Counter mask covers, with packed results."""
    per, size = lanes_per_repeat(dtype), BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        count = plan.pick((0, 1, per, per + 1, plan.integer(1, 3 * per), plan.integer(1, 60 * per)))
        plan.params[COUNT] = count
        plan.note["count"] = count
        bytes_ = max(32, count * size)
        src = contiguous(dtype, plan.place(bytes_), per)
        plan.tensor(1, dtype, src.address, bytes_)
        plan.fill(dtype, src.address, bytes_, KINDS)
        enabled = counted(count, per)
        record = {"ONLY_VALUE": size, "ONLY_INDEX": 4}.get(order, 2 * size)
        unit = {"ReduceDataBlock": 8 * size, "ReducePairElem": 128, "ReduceRepeat": record}[kind]
        room = -(-max(32, enabled.shape[0] * unit) // 32) * 32
        dst = Operand(dtype, plan.place(room), 1, 1)
        plan.tensor(0, dtype, dst.address, room)
        plan.state(MaskState(plan.pick((False, True)), 5, 0))

        def reference(ub: Image, gm: Image) -> None:
            if not count:
                return
            if kind == "ReduceDataBlock":
                reduced.data_block(ub, dst, src, enabled, operation, saturate)
            elif kind == "ReducePairElem":
                reduced.pair_elements(ub, dst, src, enabled, saturate)
            else:
                reduced.per_repeat(ub, dst, src, enabled, operation, order, saturate)

        return plan.done(reference)

    return draw


REDUCTIONS = {"datablock": "ReduceDataBlock", "pair": "ReducePairElem", "repeat": "ReduceRepeat"}


def reductions() -> Iterator[Variant]:
    names = [("datablock", o, "") for o in ("sum", "max", "min")] + [("pair", "sum", ""), ("repeat", "sum", "")]
    orders = ("value_index", "index_value", "only_value", "only_index")
    names += [("repeat", o, order) for o in ("max", "min") for order in orders]
    for kind, operation, order in names:
        name = f"asc_{kind}_reduce_{operation}" + (f"_{order}" if order else "")
        for t in ("half", "float"):
            layout_ = order.upper() or "ONLY_VALUE"
            clamps = (kind, operation, t) == ("repeat", "sum", "half")  # its partial sums, as its page says
            draw = reduce_count(REDUCTIONS[kind], operation.upper(), t, layout_, clamps)
            yield Variant(name, "count", (t,), f"{name}(c.u<{t}>(0), c.u<{t}>(1), c.count());", draw)
            if clamps:
                draw = reduce.by_repeat("ReduceRepeat", "SUM", t, "mask", False, True, "ONLY_VALUE")
                call = f"{name}(c.u<{t}>(0), c.u<{t}>(1), c.repeat(), c.s(3), c.s(1), c.s(4));"
                yield Variant(name, "mask", (t,), call, draw)
    for t, raw in (("half", "uint16_t"), ("float", "uint32_t")):
        for operation in ("max", "min"):
            name = f"asc_get_reduce_{operation}_cnt"
            call = (
                f"asc_repeat_reduce_{operation}_value_index(c.u<{t}>(0), c.u<{t}>(1), c.repeat(), 1, 1, 8); "
                f"{t} value; uint32_t index; {name}(value, index); c.put(3, 0, value); c.put(3, 1, {raw}(index));"
            )
            yield Variant(name, "call", (t,), call, reduce.readback(t, operation.upper()))


def packing() -> Iterator[Variant]:
    taken = " c.put(3, 0, uint64_t(asc_get_rsvd_count()));"
    for t in ("uint16_t", "uint32_t"):
        operands = f"c.u<{t}>(0), c.u<{t}>(1), c.u<{t}>(2)"
        by_bits, fixed = compare.gather_mask(t, t, reduces=False), compare.gather_mask(t, None, reduces=False)
        tail = "c.x(3), c.x(2), {pattern}, c.x(4), c.x(5));"
        call = f"asc_reduce({operands}, {tail.format(pattern='0')}"
        yield Variant("asc_reduce", "repeat", (t,), call + taken, by_bits, "bits")
        yield Variant("asc_get_rsvd_count", "call", (t,), call + taken, by_bits)
        call = f"asc_reduce(c.u<{t}>(0), c.u<{t}>(1), c.u<{t}>(1), {tail.format(pattern='c.x(6)')}"
        yield Variant("asc_reduce", "repeat", (t,), call + taken, fixed, "fixed")
        one = compare.gather_mask(t, t, reduces=True, once=True)
        for detail, name in (("", "asc_reduce"), ("sync", "asc_reduce_sync")):
            call = f"{name}({operands}, uint32_t(c.x(3) ? c.x(1) : 0));"
            yield Variant("asc_reduce", "count", (t,), call + taken, one, detail)
        call = f"asc_squeeze({operands}, c.x(3), 1, c.x(2), 1, 8, c.x(4), c.x(5));"
        short = compare.gather_mask(t, t, reduces=False, longest=255)
        yield Variant("asc_squeeze", "repeat", (t,), call + taken, short)


def transposes() -> Iterator[Variant]:
    first = layout.LISTS
    widths = {8: ("int8_t", "uint8_t"), 16: ("int16_t", "uint16_t", "half"), 32: ("int32_t", "uint32_t", "float")}
    for bits, types in widths.items():
        name = f"asc_transto5hd_b{bits}"
        for t in types:
            lists = (
                f"__ubuf__ {t} *a[8]; for (int v = 0; v < 4; ++v) {{ for (int k = 0; k < 8; ++k) "
                f"a[k] = c.u<{t}>({first} + 8 * v + k); asc_set_va_reg(ub_addr8_t(VA1 + v), a); }} "
            )
            high = ", c.x(0) != 0, c.x(1) != 0" if bits == 8 else ""
            call = lists + f"{name}(VA1, VA3, c.x(2), c.x(3), c.x(4){high});"
            yield Variant(name, "call", (t,), call, layout.trans_data(t))
            yield Variant("asc_set_va_reg", "call", (t,), call.replace(name, name + "_sync"), layout.trans_data(t))


def align_in(dtype: str) -> Callable[[Plan], Case]:
    """Bytes from GM: contiguous, the rest of the last block repeats the first element."""
    move, size = copies.Move("DataCopyPadIn"), BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        length = size * plan.pick((0, 1, 32 // size, plan.integer(1, 5000 // size)))
        plan.params[COUNT] = length
        src = move.place(plan, copies.SRC, dtype, length)
        dst = move.place(plan, copies.DST, dtype, copied.rounded(length))
        pad = (False, 0, 0, 0)
        return move.case(plan, dst, src, lambda d, s: copied.pad_in(d, s, dtype, 1, length, 0, 0, pad))

    return draw


def align_out(dtype: str) -> Callable[[Plan], Case]:
    move, size = copies.Move("DataCopyPadOut"), BITS[dtype] // 8

    def draw(plan: Plan) -> Case:
        length = size * plan.pick((0, 1, 32 // size, plan.integer(1, 5000 // size)))
        plan.params[COUNT] = length
        src = move.place(plan, copies.SRC, dtype, copied.rounded(length))
        dst = move.place(plan, copies.DST, dtype, length)
        return move.case(plan, dst, src, lambda d, s: copied.pad_out(d, s, 1, length, 0, 0) if length else None)

    return draw


SMALL = ("int8_t", "uint8_t", "int16_t", "uint16_t", "half", "bfloat16_t", "int32_t", "uint32_t", "float")
ATOMICS = {
    "int8": "int8_t", "int16": "int16_t", "int": "int32_t", "bfloat": "bfloat16_t", "float16": "half", "float": "float",
}  # fmt: skip


def moves() -> Iterator[Variant]:
    for t in SMALL:
        into, value = f"c.u<{t}>(0), c.gmp<{t}>(1)", f"asc_set_copy_pad_val(c.scalar<{t}>()); "
        bursts = f"asc_copy_gm2ub_align({into}, c.x(0), c.x(1), c.x(5), c.x(6), c.x(2), c.x(3));"
        for name in ("asc_copy_gm2ub_align", "asc_set_copy_pad_val"):
            yield Variant(name, "mask", (t,), value + bursts, copies.pad_value(t))
        call = f"asc_copy_gm2ub_align({into}, uint32_t(c.count()));"
        yield Variant("asc_copy_gm2ub_align", "call", (t,), call, align_in(t))
    yield Variant("asc_copy_gm2ub_align", "call", (t,), call.replace("align(", "align_sync("), align_in(t), "sync")
    for t in (*SMALL, "double", "int64_t", "uint64_t"):
        out = f"c.gmp<{t}>(0), c.u<{t}>(1)"
        bursts = f"asc_copy_ub2gm_align({out}, c.x(0), c.x(1), 0, 0, c.x(2), c.x(3));"
        yield Variant("asc_copy_ub2gm_align", "mask", (t,), bursts, copies.padded(copies.Move("DataCopyPadOut"), t))
        call = f"asc_copy_ub2gm_align({out}, uint32_t(c.count()));"
        yield Variant("asc_copy_ub2gm_align", "call", (t,), call, align_out(t))
    yield Variant("asc_copy_ub2gm_align", "call", (t,), call.replace("align(", "align_sync("), align_out(t), "sync")
    for suffix, t in ATOMICS.items():
        copy = f"asc_copy_ub2gm_align(c.gmp<{t}>(0), c.u<{t}>(1), uint32_t(c.count() * sizeof({t})));"
        for operation in ("add", "max", "min"):
            name = f"asc_set_atomic_{operation}_{suffix}"
            call = f"{name}(); {copy} asc_set_atomic_none();"
            yield Variant(name, "call", (t,), call, copies.atomic(t, operation))
        number = 1 + ("float", "half", "int16_t", "int32_t", "int8_t", "bfloat16_t").index(t)
        call = f"asc_set_store_atomic_config_v1({number}, 0); {copy} asc_set_atomic_none();"
        yield Variant("asc_set_store_atomic_config_v1", "call", (t,), call, copies.atomic(t, "add"))
    plain = (
        "asc_set_atomic_add_float(); asc_set_atomic_none(); "
        "asc_copy_ub2gm(c.gmp<uint8_t>(0), c.u<uint8_t>(1), uint32_t(c.count()));"
    )
    yield Variant(
        "asc_set_atomic_none", "call", (), plain, copies.contiguous(copies.Move("Out"), "uint8_t", whole=True)
    )
    config = (
        "asc_set_store_atomic_config_v1(c.x(0) ? 3 : 0, 0); asc_store_atomic_config k; "
        "asc_get_store_atomic_config(k); asc_set_atomic_none(); c.put(0, 0, uint64_t(k.config));"
    )
    yield Variant("asc_get_store_atomic_config", "call", (), config, state.flag(lambda x: 3 * x))


def signed(x: int) -> int:
    """64 bits as a signed number."""
    return x - (1 << 64) if x >> 63 else x


def identity(dtype: str) -> Callable[[Plan], Case]:
    """The first elements, as they are."""

    def prepare(plan: Plan) -> Callable[[Image, Drawn], None]:
        return lambda image, drawn: elementwise(image, drawn.dst, drawn.sources, drawn.enabled, lambda x: x)

    return elementwise_case(Shape(dtype, (dtype,)), "count", prepare)


def plain_copies() -> Iterator[Variant]:
    for t in ("int16_t", "uint16_t", "int32_t", "uint32_t"):
        call = f"asc_copy(c.u<{t}>(0), c.u<{t}>(1), {STRIDES1});"
        yield Variant("asc_copy", "mask", (t,), call, masked_copy(t, "mask", False))
        for detail, name in (("", "asc_copy"), ("sync", "asc_copy_sync")):
            call = f"{name}(c.u<{t}>(0), c.u<{t}>(1), c.count());"
            yield Variant("asc_copy", "count", (t,), call, identity(t), detail)


def merges() -> Iterator[Variant]:
    for t in ("half", "float"):
        call = (
            f"__ubuf__ {t} *s[4] = {{c.u<{t}>(1), c.u<{t}>(2), c.u<{t}>(3), c.u<{t}>(4)}}; "
            f"asc_mrgsort4(c.u<{t}>(0), s, c.x(6), c.x(0), c.x(1), c.x(2), c.x(3), c.x(4) != 0, c.x(5)); "
            "uint16_t n[4]; asc_get_vms4_sr(n); for (int k = 0; k < 4; ++k) c.put(5, k, n[k]);"
        )
        yield Variant("asc_get_vms4_sr", "call", (t,), call, sort.merge(t, True))


# What a single core of a launch of one block of vector cores sees; calls without a result are only made.
FACTS: dict[str, tuple[str, int]] = {
    "asc_get_block_idx": ("asc_get_block_idx()", 0),
    "asc_get_block_num": ("asc_get_block_num()", 1),
    "asc_get_sub_block_id": ("asc_get_sub_block_id()", 0),
    "asc_get_sub_block_num": ("asc_get_sub_block_num()", 1),
    "asc_get_core_id": ("asc_get_core_id()", 0),
    "asc_get_phy_buf_addr": ("asc_get_phy_buf_addr(96) - asc_get_phy_buf_addr(32)", 64),
    "asc_get_icache_preload_status": ("asc_get_icache_preload_status()", 0),
    "asc_get_program_counter": ("asc_get_program_counter() > 0", 1),
}
CALLS: dict[str, str] = {
    "asc_get_arch_ver": "uint32_t v = 0; asc_get_arch_ver(v); const bool ok = v == 0x2201;",
    "asc_get_system_cycle": "const int64_t b = asc_get_system_cycle(); const bool ok = asc_get_system_cycle() >= b;",
    "asc_sync": "asc_sync();",
    "asc_sync_vec": "asc_sync_vec();",
    "asc_sync_mte2": "asc_sync_mte2(0);",
    "asc_sync_mte3": "asc_sync_mte3(0);",
    "asc_sync_pipe": "asc_sync_pipe(PIPE_V);",
    "asc_sync_data_barrier": "asc_sync_data_barrier(DSB_ALL); asc_sync_data_barrier(DSB_DDR); asc_sync_data_barrier(DSB_UB);",
    "asc_sync_notify": "asc_sync_notify(PIPE_V, PIPE_MTE3, EVENT_ID2); asc_sync_wait(PIPE_V, PIPE_MTE3, EVENT_ID2);",
    "asc_sync_wait": "asc_sync_notify(PIPE_MTE2, PIPE_V, EVENT_ID0); asc_sync_wait(PIPE_MTE2, PIPE_V, EVENT_ID0);",
    "asc_datacache_preload": "asc_datacache_preload(c.gmp<uint64_t>(0), 64);",
    "asc_dcci_single": "asc_dcci_single(c.gmp<uint8_t>(0));",
    "asc_ub_dcci_single": "asc_ub_dcci_single(c.u<uint8_t>(0));",
    "asc_dcci_entire_all": "asc_dcci_entire_all();",
    "asc_dcci_entire_ub": "asc_dcci_entire_ub();",
    "asc_dcci_entire_out": "asc_dcci_entire_out();",
    "asc_dcci_entire_atomic": "asc_dcci_entire_atomic();",
    "asc_icache_preload": "asc_icache_preload(nullptr, 2);",
    "asc_get_phy_stack_base": "(void)asc_get_phy_stack_base();",
    "asc_get_smmu_tag_version": "(void)asc_get_smmu_tag_version();",
    "asc_get_status": "(void)asc_get_status();",
    "asc_get_sys_virtual_base": "(void)asc_get_sys_virtual_base();",
    "asc_get_ffts_base_addr": "(void)asc_get_ffts_base_addr();",
    "asc_set_ffts_base_addr": "asc_set_ffts_base_addr(0);",
}  # fmt: skip


def scalars() -> Iterator[Variant]:
    for name, (text, value) in FACTS.items():
        yield Variant(name, "call", (), f"c.put(0, 0, int64_t({text}));", state.flag(lambda x, value=value: value))  # type: ignore[misc]
    for name, text in CALLS.items():
        seen = "ok" if "bool ok" in text else "true"
        yield Variant(name, "call", (), f"{text} c.put(0, 0, int64_t({seen}));", state.flag(lambda x: 1))
    for bit in (0, 37, 63):
        for name, result in (
            ("asc_set_nthbit", lambda x, bit=bit: x | 1 << bit),
            ("asc_clear_nthbit", lambda x, bit=bit: x & ~(1 << bit)),
        ):
            text = f"c.put(0, 0, {name}(uint64_t(c.x(0)), {bit}));"
            yield Variant(name, "call", (), text, state.scalar(lambda x, f=result: signed(f(x)), False), str(bit))
    control = (
        "asc_set_ctrl(uint64_t(c.x(0)) << 48); c.put(0, 0, asc_get_ctrl() >> 48 & 1); asc_set_ctrl(uint64_t(1) << 48);"
    )
    for name in ("asc_set_ctrl", "asc_get_ctrl"):
        yield Variant(name, "call", (), control, state.flag(lambda x: x))
    yield Variant("asc_init", "call", (), "asc_init();" + state.PROBE, state.seen(state.reset))


VARIANTS = (
    *dequantisation(), *reductions(), *packing(), *transposes(), *moves(), *plain_copies(), *merges(), *scalars(),
)  # fmt: skip
