"""Drawing a case: the layout of the Unified Buffer, the values in it, the parameters of the call.

Hypothesis draws the structure (counts, masks, strides, overlaps, which kinds of values); the bytes come from a
generator seeded with a drawn number, so that a case shrinks in structure and stays cheap to make.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tests.conformance.reference.addressing import MaskState, Operand, span
from tests.conformance.reference.memory import BITS, FLOATS, NUMPY, Array, Image, raw

UB = 192 * 1024 - 8 * 1024  # what a kernel may use while Select keeps its scratch
SLOTS = 256
# The slots of driver.h's Case.
COUNTER, LOW, HIGH, MASK0, MASK1, COUNT, REPEAT, CHOICE, SCALAR, STRIDES = range(10)
EXTRAS, TENSORS = 16, 32
T = TypeVar("T")
Reference = Callable[[Image, Image], None]


@dataclass
class Case:
    """One call: parameters, the memories before it, and the reference that turns them into those after it."""

    params: npt.NDArray[np.int64]
    ub: npt.NDArray[np.uint8]
    gm: npt.NDArray[np.uint8]
    reference: Reference
    note: dict[str, Any]

    def expected(self) -> tuple[Image, Image]:
        """The memories after the call."""
        ub, gm = Image(self.ub.copy()), Image(self.gm.copy())
        with np.errstate(all="ignore"):
            self.reference(ub, gm)
        return ub, gm

    def __repr__(self) -> str:
        return f"Case({self.note})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """hypothesis would print the memories otherwise."""
        printer.text(repr(self))


def special_values(dtype: str) -> Array:
    """The values at which implementations differ."""
    if dtype == "int4b_t":
        return np.arange(-8, 8, dtype=np.int8)
    if dtype not in FLOATS:
        info = np.iinfo(NUMPY[dtype])
        return np.array([0, 1, 2, info.max, info.max - 1, info.min, info.min + 1, info.max // 2 + 1], NUMPY[dtype])
    to = NUMPY[dtype]
    tiny = np.array([1, 2], raw(dtype)).view(to).astype(np.float64)  # the smallest subnormals
    largest = {
        "half": 65504.0,
        "bfloat16_t": 3.3895313892515355e38,
        "float": 3.4028234663852886e38,
        "double": 1.79e308,
    }[dtype]
    normal = {"half": 2.0**-14, "double": 2.0**-1022}.get(dtype, 2.0**-126)
    some = [0.0, 1.0, 0.5, 1.5, 2.5, 3.5, 7.5, 127.5, 255.5, 2047.5, 32767.5, 65504.0, 2.0**31, 2.0**63, np.inf, np.nan,
            largest, normal, normal / 2, *tiny, 1 / 3, 1e-3, 1 + 2.0**-10]  # fmt: skip
    with np.errstate(all="ignore"):
        both = np.array([*some, *(-x for x in some)]).astype(to)
    return both


def values(rng: np.random.Generator, dtype: str, count: int, kind: str) -> Array:
    """`count` values. Kinds: special, bits (any), near (around 1), whole (small integers), wide (magnitudes)."""
    if kind == "bits":
        return rng.integers(0, 256, count * BITS[dtype] // 8, dtype=np.uint8).view(NUMPY[dtype])
    if kind == "special":
        return rng.choice(special_values(dtype), count)
    if dtype not in FLOATS:
        info = np.iinfo(NUMPY[dtype])
        if kind == "wide":
            return rng.integers(info.min, info.max, count, dtype=NUMPY[dtype], endpoint=True)
        return rng.integers(max(info.min, -100), 101, count).astype(NUMPY[dtype])
    with np.errstate(all="ignore"):
        if kind == "near":
            return rng.normal(0, 1, count).astype(NUMPY[dtype])
        if kind == "whole":
            return rng.integers(-300, 301, count).astype(NUMPY[dtype])
        magnitude = 2.0 ** rng.uniform(-24 if dtype == "half" else -60, 16 if dtype == "half" else 66, count)
        return (magnitude * rng.choice([-1.0, 1.0], count)).astype(NUMPY[dtype])


KINDS = ("near", "special", "bits", "whole", "wide")


# A strategy costs more to make than to draw from.
integers = functools.lru_cache(maxsize=4096)(st.integers)


@dataclass
class Plan:
    """The case under construction. `draw` is hypothesis's."""

    draw: Callable[[st.SearchStrategy[Any]], Any]
    params: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(SLOTS, np.int64))
    note: dict[str, Any] = field(default_factory=dict)
    cursor: int = 0
    gm_cursor: int = 0
    fills: list[Callable[[np.random.Generator, Any, Any], None]] = field(default_factory=list)

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(integers(low, max(low, high))))

    def pick(self, options: Sequence[T]) -> T:
        return options[self.draw(integers(0, len(options) - 1))]

    def place(self, size: int, align: int = 32) -> int:
        """A free UB address for `size` bytes, a few blocks behind what was placed before."""
        self.cursor += 32 * self.pick((0, 0, 1, 3))
        self.cursor = -(-self.cursor // align) * align
        at = self.cursor
        self.cursor = -(-(at + size) // 32) * 32
        return at

    def place_gm(self, size: int, align: int = 1) -> int:
        """A free address of the GM image."""
        self.gm_cursor = -(-(self.gm_cursor + self.pick((0, 1, 7))) // align) * align
        at = self.gm_cursor
        self.gm_cursor = at + size
        return at

    def tensor(self, slot: int, dtype: str, address: int, size: int) -> None:
        """Operand `slot` covers `size` bytes."""
        self.params[TENSORS + 2 * slot] = address
        # int4b_t goes through an int8_t tensor
        self.params[TENSORS + 2 * slot + 1] = size * 8 // (8 if dtype == "int4b_t" else BITS[dtype])

    def fill(self, dtype: str, address: int, size: int, kinds: Sequence[str] = KINDS, gm: bool = False) -> None:
        """Values of the type at an address, of a kind that is drawn."""
        kind = self.pick(kinds)
        self.note.setdefault("values", []).append(kind)
        if dtype == "int4b_t":
            return  # every pattern is a value: the background will do

        def write(rng: np.random.Generator, ub: Array, memory: Array) -> None:
            image = memory if gm else ub
            count = size * 8 // BITS[dtype]
            image[address : address + count * BITS[dtype] // 8] = values(rng, dtype, count, kind).view(np.uint8)

        self.fills.append(write)

    def exactly(self, address: int, content: Array, gm: bool = False) -> None:
        """Given values at an address."""

        def write(rng: np.random.Generator, ub: Array, memory: Array) -> None:
            data = np.ascontiguousarray(content).view(np.uint8)
            (memory if gm else ub)[address : address + data.size] = data

        self.fills.append(write)

    def computed(self, address: int, make: Callable[[np.random.Generator], Array]) -> None:
        """Values made with the case's generator."""

        def write(rng: np.random.Generator, ub: Array, memory: Array) -> None:
            data = np.ascontiguousarray(make(rng)).view(np.uint8)
            ub[address : address + data.size] = data

        self.fills.append(write)

    def scalar(self, dtype: str, kinds: Sequence[str] = KINDS, slot: int = SCALAR) -> np.generic:
        """A scalar argument."""
        rng = np.random.default_rng(self.integer(0, 2**20))
        value = values(rng, dtype, 1, self.pick(kinds))[0]
        self.set_scalar(dtype, value, slot)
        return value  # type: ignore[no-any-return]

    def set_scalar(self, dtype: str, value: Any, slot: int = SCALAR) -> None:
        bits = np.array([value], NUMPY[dtype]).view(raw(dtype)).astype(np.uint64)
        self.params[slot] = bits.view(np.int64)[0]
        self.note[f"scalar{slot if slot != SCALAR else ''}"] = repr(value)

    def strides(self, dst: Operand | None, *sources: Operand) -> None:
        """The stride slots: dst, src0, src1 block strides, then the repeat strides."""
        for n, operand in enumerate((dst, *sources)):
            if operand is not None:
                self.params[STRIDES + n] = operand.block_stride
                self.params[STRIDES + 3 + n] = operand.repeat_stride

    def words(self, slot: int, low: int, high: int = 0) -> None:
        """Two words of mask bits."""
        self.params[slot : slot + 2] = np.array([low, high], np.uint64).view(np.int64)

    def state(self, state: MaskState) -> None:
        """The mask state before the call."""
        self.params[COUNTER] = state.counter
        self.words(LOW, state.low, state.high)

    def done(self, reference: Reference) -> Case:
        """The case, with its memories filled."""
        rng = np.random.default_rng(self.integer(0, 2**20))
        ub = rng.integers(0, 256, -(-(self.cursor + 256) // 256) * 256, dtype=np.uint8)
        gm = rng.integers(0, 256, -(-(self.gm_cursor + 64) // 64) * 64, dtype=np.uint8)
        for fill in self.fills:
            fill(rng, ub, gm)
        return Case(self.params, ub, gm, reference, self.note)


def mask_bits(plan: Plan, per_repeat: int) -> tuple[int, int]:
    """Two words with bits only for lanes that exist; holes are usual, none at all is rare."""
    full = (1 << per_repeat) - 1
    shapes = (
        lambda: plan.integer(1, full),
        lambda: full,
        lambda: 1 << plan.integer(0, per_repeat - 1),
        lambda: full & int("5" * 32, 16),
        lambda: 0,
    )
    register = plan.pick(shapes)()
    return register & (1 << 64) - 1, register >> 64


def counts(plan: Plan, per_repeat: int, most: int) -> int:
    """A number of elements: zero, one, tails, exact repeats, large."""
    choices = (
        lambda: plan.integer(1, min(most, 4 * per_repeat)),
        lambda: min(most, plan.pick((0, 1, per_repeat - 1, per_repeat, per_repeat + 1, 255 * per_repeat + 3))),
        lambda: plan.integer(1, most),
    )
    return plan.pick(choices)()


def fits(operand: Operand, repeats: int, per_repeat: int, budget: int) -> bool:
    """Whether an operand stays below a number of bytes."""
    return span(operand, repeats, per_repeat) <= budget
