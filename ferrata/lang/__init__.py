"""Kernels in Python: write `@ac.kernel` functions, get Ascend C.

    from ferrata import lang as ac

kernel.py makes kernels, surface.py has the language's own functions, functions.py the interfaces under their Python
names, enums.py and structures.py what they take, elements.py the element types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrata.lang.enums import *  # noqa: F403
from ferrata.lang.functions import *  # noqa: F403
from ferrata.lang.structures import *  # noqa: F403
from ferrata.lang.kernel import Kernel, KernelParam, kernel
from ferrata.lang.surface import (
    Buffer,
    Event,
    Queue,
    barrier,
    block_elems,
    block_idx,
    block_num,
    ceil_div,
    choices,
    copy,
    core_rows,
    core_share,
    event,
    max_of,
    min_of,
    order,
    queue,
    round_up,
    scalar,
    set_flag,
    sizeof,
    sub_block_idx,
    sum_of,
    tbuf,
    ub,
    wait_flag,
)

if TYPE_CHECKING:
    from typing import TypeVar as dtype_var

    from ferrata.lang.hints import (
        Const,
        Gm,
        Local,
        bf16,
        boolean,
        f16,
        f32,
        i4,
        i8,
        i16,
        i32,
        i64,
        u8,
        u16,
        u32,
        u64,
    )
else:
    from ferrata.lang.parameters import Const, Gm, Local
    from ferrata.lang.elements import (
        bf16,
        boolean,
        dtype_var,
        f16,
        f32,
        i4,
        i8,
        i16,
        i32,
        i64,
        u8,
        u16,
        u32,
        u64,
    )
