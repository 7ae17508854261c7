"""What the language itself gives besides the interfaces: buffers, copies, synchronisation, shares of the work.

These functions have a meaning inside kernels and their helpers only, where the translator reads their names
(ferrata.lang.translate.calls). Their signatures and docstrings are what an editor shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn, overload

from ferrata.errors import OnlyInKernels
from ferrata.lang.enums import HardEvent, Member
from ferrata.lang.structures import CopyRepeatParams, GlobalTensor, LocalTensor


def _only(name: str) -> NoReturn:
    raise OnlyInKernels(name=name)


class Queue:
    """Blocks of the Unified Buffer that one pipe fills and another empties; made by ac.queue."""

    def put(self, dtype: Any = None) -> AbstractContextManager[LocalTensor]:
        """`with q.put() as a:` a free block to fill; handed on when the block ends (AllocTensor ... EnQue)."""
        _only("queue.put")

    def get(self, dtype: Any = None) -> AbstractContextManager[LocalTensor]:
        """`with q.get() as a:` the oldest filled block; free again when the block ends (DeQue ... FreeTensor)."""
        _only("queue.get")

    def alloc(self, dtype: Any = None) -> LocalTensor:
        """A free block, by hand: then enque(a) or free(a)."""
        _only("queue.alloc")

    def enque(self, tensor: LocalTensor) -> None:
        """Hand a block on."""
        _only("queue.enque")

    def deque(self, dtype: Any = None) -> LocalTensor:
        """The oldest filled block, by hand: then free(a)."""
        _only("queue.deque")

    def free(self, tensor: LocalTensor) -> None:
        """Give a block back."""
        _only("queue.free")


class Buffer(LocalTensor):
    """Scratch in the Unified Buffer; used as a tensor directly, or as another type by get; made by ac.tbuf."""

    def get(self, dtype: Any = None, size: int | None = None) -> LocalTensor:
        """The buffer as a tensor, of another element type and size if given. The same memory each time."""
        _only("tbuf.get")


class Event:
    """An event of one pair of pipes; made by ac.event."""


def queue(
    position: Member, dtype: Any, size: int, *, buffers: int = 1, depth: int = 1, to: Member | None = None
) -> Queue:
    """A queue of `buffers` blocks of `size` elements (TQue and InitBuffer).

    position: ac.VECIN for what MTE2 brings and the vector unit reads, ac.VECOUT for what it makes and MTE3 takes away.
    buffers: 2 lets a copy run while the other block is computed on. depth: blocks handed on and not yet taken.
    to: ac.VECOUT makes a queue from copy to copy, `ac.queue(ac.VECIN, T, size, to=ac.VECOUT)` (TQueBind): what comes in
    goes out of the same block.
    """
    _only("queue")


def tbuf(dtype: Any, size: int, *, position: Member | None = None) -> Buffer:
    """Scratch of `size` elements in the Unified Buffer, for the whole kernel (TBuf and InitBuffer)."""
    _only("tbuf")


def ub(dtype: Any, size: int) -> LocalTensor:
    """Raw memory of the Unified Buffer as a tensor: nothing orders what happens to it but ac.order and ac.barrier."""
    _only("ub")


@overload
def copy(dst: LocalTensor | GlobalTensor, src: LocalTensor | GlobalTensor, n: int | None = None) -> None: ...
@overload
def copy(
    dst: LocalTensor,
    src: LocalTensor,
    mask: int | Sequence[int],
    repeat_time: int,
    p: CopyRepeatParams | Sequence[Any],
    *,
    is_set_mask: bool = True,
) -> None: ...
def copy(*args: Any, **kwargs: Any) -> None:
    """Copy between device memory and the core, or inside the core: `ac.copy(a[:m], x[start:])`.

    The length is `n`, else that of a slice, else that of a block. DataCopy where it is certainly a multiple of 32 bytes
    (`assert n % 16 == 0` says so), else DataCopyPad, which moves any number of elements.
    With a mask and repeats it is the vector unit's Copy.
    """
    _only("copy")


def convert(dst: LocalTensor, src: LocalTensor, n: int | None = None) -> None:
    """Elements as floats of another type: `ac.convert(wide, a, m)`, and back, rounded to nearest (Cast).

    Where dst and src have one type it copies: so a kernel over a dtype variable computes in float whatever that is.
    The length is `n`, else that of a slice, else that of a tensor. Other round modes and integers: ac.cast.
    """
    _only("convert")


def order(source: Member, destination: Member) -> None:
    """What `destination` is given from here on waits for what `source` was given before: ac.order(ac.MTE2, ac.V)."""
    _only("order")


def barrier(pipe: Member | None = None) -> None:
    """What the pipe was given is done before its next instruction starts; without a pipe: all of them."""
    _only("barrier")


def event(source: Member, destination: Member) -> Event:
    """An event of one's own between two pipes, for set_flag and wait_flag."""
    _only("event")


@overload
def set_flag(event: Event) -> None: ...
@overload
def set_flag(event: HardEvent, event_id: int | Member) -> None: ...
def set_flag(*args: Any, **kwargs: Any) -> None:
    """The source pipe sets the flag when it has done what it was given before. The flag is an event of ac.event, or
    the pipes and a number: ac.set_flag(ac.HardEvent.MTE2_V, 0)."""
    _only("set_flag")


@overload
def wait_flag(event: Event) -> None: ...
@overload
def wait_flag(event: HardEvent, event_id: int | Member) -> None: ...
def wait_flag(*args: Any, **kwargs: Any) -> None:
    """The destination pipe waits for the flag, and clears it. The flag as for set_flag."""
    _only("wait_flag")


def core_share(total: int, *, align: int = 1) -> tuple[int, int]:
    """(start, count): the stretch of `total` elements for this core, in multiples of `align` but for the last."""
    _only("core_share")


def core_rows(rows: int) -> tuple[int, int]:
    """(first, count): the rows for this core."""
    _only("core_rows")


def max_of(tensor: LocalTensor, n: int | None = None, *, work: Any = None) -> float:
    """The largest of the first n elements, when the vector unit has it. work: scratch of n + 16 elements, else one is made."""
    _only("max_of")


def min_of(tensor: LocalTensor, n: int | None = None, *, work: Any = None) -> float:
    """The smallest of the first n elements. work: as max_of."""
    _only("min_of")


def sum_of(tensor: LocalTensor, n: int | None = None, *, work: Any = None) -> float:
    """The sum of the first n elements. work: as max_of."""
    _only("sum_of")


def exp_of(x: float, *, work: Any = None) -> float:
    """e to the power of one number, by the vector unit. work: a block of ac.f32, else one is made."""
    _only("exp_of")


def ln_of(x: float, *, work: Any = None) -> float:
    """The natural logarithm of one number, by the vector unit. work: as exp_of."""
    _only("ln_of")


def sqrt_of(x: float, *, work: Any = None) -> float:
    """The square root of one number, by the vector unit. work: as exp_of."""
    _only("sqrt_of")


def block_elems(dtype: Any) -> int:
    """Elements of a type in a block of 32 bytes."""
    _only("block_elems")


def sizeof(dtype: Any) -> int:
    """Bytes of an element."""
    _only("sizeof")


def scalar(dtype: Any, value: float) -> Any:
    """A number as an element type: `ac.scalar(T, x)`, the same as `T(x)`."""
    _only("scalar")


def choices(dtype: Any) -> tuple[Any, ...]:
    """What a dtype variable can be here."""
    _only("choices")


def block_idx() -> int:
    """This core's number among those of the launch."""
    _only("block_idx")


def block_num() -> int:
    """Cores of the launch that run this code."""
    _only("block_num")


def sub_block_idx() -> int:
    """This vector core's number inside its block of a mix kernel."""
    _only("sub_block_idx")


def is_vector_core() -> bool:
    """Whether a vector core runs this: in a mix kernel cube cores run the same text."""
    _only("is_vector_core")


def is_cube_core() -> bool:
    """Whether a cube core runs this."""
    _only("is_cube_core")


def ceil_div(a: int, b: int) -> int:
    """a / b rounded up."""
    _only("ceil_div")


def round_up(n: int, unit: int) -> int:
    """The next multiple of unit that is at least n."""
    _only("round_up")
