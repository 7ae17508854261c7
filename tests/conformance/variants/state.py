"""State of the core: the mask setters, the saturation flag, and the bit counts of the scalar unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tests.conformance.plan import EXTRAS, Case, Plan, mask_bits
from tests.conformance.reference import fill
from tests.conformance.reference.addressing import MaskState, Operand, active
from tests.conformance.reference.memory import Image
from tests.conformance.variant import Variant

# What a call without a mask of its own writes shows the state: 2 KiB of 16-bit lanes.
PROBE = " Duplicate<uint16_t, false>(c.t<uint16_t>(0), uint16_t(0x5A5A), MASK_PLACEHOLDER, 4, 1, 8);"


def seen(prepare: Callable[[Plan], MaskState]) -> Callable[[Plan], Case]:
    """The state after some calls, seen through Duplicate."""

    def draw(plan: Plan) -> Case:
        state = prepare(plan)
        at = plan.place(2048)
        plan.tensor(0, "uint16_t", at, 2048)
        plan.tensor(1, "half", plan.place(2048), 2048)
        on = active(state, 128, 4)
        return plan.done(
            lambda ub, gm: fill.duplicate(ub, Operand("uint16_t", at), np.uint16(0x5A5A), on) if on.size else None
        )

    return draw


def any_state(plan: Plan) -> None:
    """Something before that the calls must replace."""
    plan.state(MaskState(plan.pick((False, True)), plan.integer(1, 500), 0))


def bits(plan: Plan) -> MaskState:
    any_state(plan)
    low, high = mask_bits(plan, 128)
    plan.words(EXTRAS, low, high)
    return MaskState(False, low, high)


def length(plan: Plan) -> MaskState:
    any_state(plan)
    count = plan.integer(0, 128)
    plan.params[EXTRAS] = count
    register = (1 << count) - 1
    return MaskState(False, register & (1 << 64) - 1, register >> 64)


def counter(plan: Plan) -> MaskState:
    any_state(plan)
    count = plan.integer(1, 1000)
    plan.params[EXTRAS] = count
    return MaskState(True, count, 0)


def reset(plan: Plan) -> MaskState:
    any_state(plan)
    return MaskState()


CALLS: tuple[tuple[str, str, Callable[[Plan], MaskState], str], ...] = (
    ("SetVectorMaskBits", "SetMaskNorm(); SetVectorMask<half>(c.x(1), c.x(0));", bits, ""),
    ("SetVectorMaskBits", "SetMaskNorm(); SetVectorMask<half, MaskMode::NORMAL>(c.x(1), c.x(0));", bits, "explicit"),
    ("SetVectorMaskBits", "SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(0, c.x(0));", counter, "counter"),
    ("SetVectorMaskLen", "SetMaskNorm(); SetVectorMask<half>(int32_t(c.x(0)));", length, ""),
    (
        "SetVectorMaskLen",
        "SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(int32_t(c.x(0)));",
        counter,
        "counter",
    ),
    ("SetMaskCount", "SetVectorMask<half>(0, c.x(0)); SetMaskCount();", counter, ""),
    ("SetMaskNorm", "SetMaskNorm(); SetVectorMask<half>(c.x(1), c.x(0));", bits, ""),
    ("ResetMask", "SetMaskNorm(); ResetMask();", reset, ""),
    ("InitSocState", "InitSocState();", reset, ""),
)


def scalar(result: Callable[[int], int], signed: bool) -> Callable[[Plan], Case]:
    """A function of one 64-bit number."""

    def draw(plan: Plan) -> Case:
        value = plan.pick(
            (0, 1, (1 << 64) - 1, 1 << 63, (1 << 63) - 1, plan.integer(0, (1 << 64) - 1), 1 << plan.integer(0, 63))
        )
        plan.words(EXTRAS, value)
        at = plan.place(32)
        plan.tensor(0, "uint64_t", at, 32)
        number = value - (1 << 64) if signed and value >> 63 else value
        want = np.array([result(number)], np.int64).view(np.uint64)

        def reference(ub: Image, gm: Image) -> None:
            ub.write("uint64_t", np.array([at // 8]), want)

        return plan.done(reference)

    return draw


def leading_zeros(x: int) -> int:
    return 64 - x.bit_length()


def lowest(x: int, bit: int) -> int:
    """Position of the lowest bit of a value, -1 if there is none."""
    wanted = x if bit else ~x & (1 << 64) - 1
    return (wanted & -wanted).bit_length() - 1


def sign_run(x: int) -> int:
    """Bits below the sign bit that equal it; -1 for 0 and -1."""
    return -1 if x in (0, -1) else 63 - (x if x >= 0 else ~x).bit_length()


SCALARS: tuple[tuple[str, str, Callable[[int], int], bool, str], ...] = (
    ("GetBitCount", "GetBitCount<1>({x})", lambda x: bin(x).count("1"), False, "1"),
    ("GetBitCount", "GetBitCount<0>({x})", lambda x: 64 - bin(x).count("1"), False, "0"),
    ("GetBitCount", "ScalarGetCountOfValue<1>({x})", lambda x: bin(x).count("1"), False, "old-name"),
    ("CountLeadingZero", "CountLeadingZero({x})", leading_zeros, False, ""),
    ("CountLeadingZero", "ScalarCountLeadingZero({x})", leading_zeros, False, "old-name"),
    ("GetSFFValue", "GetSFFValue<1>({x})", lambda x: lowest(x, 1), False, "1"),
    ("GetSFFValue", "GetSFFValue<0>({x})", lambda x: lowest(x, 0), False, "0"),
    ("GetSFFValue", "ScalarGetSFFValue<1>({x})", lambda x: lowest(x, 1), False, "old-name"),
    ("CountBitsCntSameAsSignBit", "CountBitsCntSameAsSignBit({x})", sign_run, True, ""),
)


def flag(expected: Callable[[int], int]) -> Callable[[Plan], Case]:
    """A mode that is set from an extra slot (0 or 1) and read back."""

    def draw(plan: Plan) -> Case:
        value = plan.integer(0, 1)
        plan.params[EXTRAS] = value
        at = plan.place(32)
        plan.tensor(0, "uint64_t", at, 32)
        want = np.array([expected(value)], np.int64).view(np.uint64)
        return plan.done(lambda ub, gm: ub.write("uint64_t", np.array([at // 8]), want))

    return draw


_SET = "SetSaturationFlag<SaturationMode::FLOAT>(c.x(0) != 0);"
_CLEAR = " SetSaturationFlag<SaturationMode::FLOAT>(false);"
FLAGS: tuple[tuple[str, str, Callable[[int], int]], ...] = (
    (
        "SetSaturationFlag",
        f"{_SET} c.put(0, 0, int64_t(GetSaturationFlag<SaturationMode::FLOAT>()));{_CLEAR}",
        lambda x: x,
    ),
    (
        "GetSaturationFlag",
        f"{_SET} c.put(0, 0, int64_t(GetSaturationFlag<SaturationMode::FLOAT>()));{_CLEAR}",
        lambda x: x,
    ),
    # CTRL[48] is the same flag, inverted
    (
        "SetCtrlSpr",
        f"SetCtrlSpr<48, 48>(c.x(0)); c.put(0, 0, int64_t(GetSaturationFlag<SaturationMode::FLOAT>()));{_CLEAR}",
        lambda x: 1 - x,
    ),
    ("GetCtrlSpr", f"{_SET} c.put(0, 0, int64_t(GetCtrlSpr<48, 48>()));{_CLEAR}", lambda x: 1 - x),
)


def variants() -> Iterator[Variant]:
    for name, text, expected in FLAGS:
        yield Variant(name, "call", (), text, flag(expected))
    for name, text, prepare, detail in CALLS:
        yield Variant(name, "call", (), text + PROBE, seen(prepare), detail)
    for name, text, result, signed, detail in SCALARS:
        kind = "int64_t" if signed else "uint64_t"
        body = f"c.put(0, 0, int64_t({text.format(x=f'{kind}(c.x(0))')}));"
        yield Variant(name, "call", (), body, scalar(result, signed), detail)


VARIANTS = tuple(variants())
