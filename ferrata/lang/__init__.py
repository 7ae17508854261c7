"""Kernels in Python: write `@ac.kernel` functions, get Ascend C.

    from ferrata import lang as ac

kernel.py makes kernels, surface.py has the language's own functions, functions.py the interfaces under their Python
names, enums.py and structures.py what they take, elements.py the element types. A kernel's way to a run: declaration.py
(what its function says), translate/ with binding/ (the text), library.py (the text compiled), instance.py, calling.py
(the native entry); arguments.py is what a launch gives it. registry.py has the rows of all interfaces (apis/, of the types of
api.py).
"""

# ruff: noqa: F401, I001  (what stands later hides what stands before)
from __future__ import annotations

from typing import TYPE_CHECKING

from ferrata.lang.enums import *  # noqa: F403
from ferrata.lang.functions import *  # noqa: F403
from ferrata.lang.structures import *  # noqa: F403
from ferrata.lang.declaration import KernelParam as KernelParam
from ferrata.lang.kernel import Kernel as Kernel
from ferrata.lang.kernel import kernel as kernel
from ferrata.lang.surface import (
    Buffer as Buffer,
    Event as Event,
    Queue as Queue,
    barrier as barrier,
    block_elems as block_elems,
    block_idx as block_idx,
    block_num as block_num,
    ceil_div as ceil_div,
    choices as choices,
    convert as convert,
    copy as copy,
    core_rows as core_rows,
    core_share as core_share,
    event as event,
    exp_of as exp_of,
    is_cube_core as is_cube_core,
    is_vector_core as is_vector_core,
    ln_of as ln_of,
    max_of as max_of,
    min_of as min_of,
    order as order,
    queue as queue,
    round_up as round_up,
    scalar as scalar,
    set_flag as set_flag,
    sizeof as sizeof,
    sqrt_of as sqrt_of,
    sub_block_idx as sub_block_idx,
    sum_of as sum_of,
    tbuf as tbuf,
    ub as ub,
    wait_flag as wait_flag,
)

if TYPE_CHECKING:
    from ferrata.lang.hints.parameters import Const as Const, Gm as Gm, Local as Local
    from ferrata.lang.hints.elements import (
        bf16 as bf16,
        boolean as boolean,
        dtype_var as dtype_var,
        f16 as f16,
        f32 as f32,
        i4 as i4,
        i8 as i8,
        i16 as i16,
        i32 as i32,
        i64 as i64,
        u8 as u8,
        u16 as u16,
        u32 as u32,
        u64 as u64,
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
