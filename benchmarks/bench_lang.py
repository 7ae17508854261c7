"""Kernels in Python: translating, calling, and running against hand-written Ascend C of the same algorithm."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path
from typing import Any

import torch

import ferrata.npu  # noqa: F401
from benchmarks.kernels import REPO
from benchmarks.measure import Result, alone, overhead, versus
from ferrata import chips
from ferrata import lang as ac
from ferrata.asc import api
from ferrata.lang.translate import entry

F = ac.dtype_var("F", ac.f16, ac.f32)
TILE = 4096
CUBE_PART = 0.044715
MINUS_TWO_A = -1.5957691216


def to_float(wide: Any, a: Any, n: int) -> None:
    """a as float; for float a copy in whole blocks."""
    if a.dtype is ac.f32:
        ac.copy(wide, a, ac.round_up(n, 8))
    else:
        ac.cast(wide, a, ac.RoundMode.CAST_NONE, n)
    ac.barrier(ac.V)


def from_float(c: Any, wide: Any, n: int) -> None:
    """c from float."""
    ac.barrier(ac.V)
    if c.dtype is ac.f32:
        ac.copy(c, wide, ac.round_up(n, 8))
    else:
        ac.cast(c, wide, ac.RoundMode.CAST_RINT, n)


@ac.kernel
def gelu(x: ac.Gm[F], z: ac.Gm[F], total: int) -> None:
    """z = gelu(x) in the tanh form: the algorithm of examples/kernels/gelu.asc."""
    start, count = ac.core_share(total, align=ac.block_elems(F))
    xs = ac.queue(ac.VECIN, F, TILE, buffers=2)
    zs = ac.queue(ac.VECOUT, F, TILE, buffers=2)
    wide = ac.tbuf(ac.f32, TILE)
    t = ac.tbuf(ac.f32, TILE)
    for done in range(0, count, TILE):
        n = min(TILE, count - done)
        # load
        with xs.put() as a:
            ac.copy(a[:n], x[start + done :])
        # compute
        with zs.put() as c:
            with xs.get() as a:
                to_float(wide, a, n)
            ac.mul(t, wide, wide, n)
            ac.barrier(ac.V)
            ac.muls(t, t, CUBE_PART, n)
            ac.barrier(ac.V)
            ac.adds(t, t, 1.0, n)
            ac.barrier(ac.V)
            ac.mul(t, t, wide, n)  # x + b x^3
            ac.barrier(ac.V)
            ac.muls(t, t, MINUS_TWO_A, n)
            ac.barrier(ac.V)
            ac.exp(t, t, n)
            ac.barrier(ac.V)
            ac.adds(t, t, 1.0, n)
            ac.barrier(ac.V)
            ac.div(t, wide, t, n)
            from_float(c, t, n)
        # store
        with zs.get() as c:
            ac.copy(z[start + done :], c[:n])


@ac.kernel
def nothing(x: ac.Gm[ac.f32], y: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int) -> None:
    pass


def _translation() -> Result:
    entry.translate(gelu, chips.DEFAULT_ARCH)  # the tables of the interfaces are read once a process
    lines = gelu.source().count("\n")
    name = f"translate gelu with its helpers (60 lines of Python, {lines} of C++)"
    return alone(name, lambda: entry.translate(gelu, chips.DEFAULT_ARCH), limit=50e-3, rounds=15)


def _call() -> Result:
    made = nothing.instance()
    x = torch.empty(16, device="npu")
    run = made.run
    library = ctypes.CDLL(str(made.path))
    launcher = library.ferrata_entry
    launcher.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p]
    address = x.data_ptr()
    words = (ctypes.c_int64 * 4)(address, address, address, 16)
    pointer = ctypes.addressof(words)
    return overhead(
        "call with 3 tensors and an int over the launch alone",
        lambda: run(1, x, x, x, 16), lambda: launcher(1, None, pointer), limit=1e-6,
        note="the launch alone is a ctypes call of the compiled function",
    )  # fmt: skip


def _against_by_hand() -> list[Result]:
    folder = Path(tempfile.mkdtemp(prefix="ferrata-bench-"))
    by_hand = ctypes.CDLL(str(api.compile(REPO / "examples/kernels/gelu.asc", output=folder / "gelu.so")))
    rows = []
    for dtype, number in ((torch.float32, 0), (torch.float16, 1)):
        x = torch.randn(1 << 20).to(dtype).to("npu")
        z, other = torch.empty_like(x), torch.empty_like(x)
        run = gelu.instance({"F": ac.f32 if number == 0 else ac.f16}).run
        a, b = ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(other.data_ptr())
        size, cores = ctypes.c_uint32(x.numel()), ctypes.c_uint32(48)

        def hand(number: int = number, a: Any = a, b: Any = b, size: Any = size, cores: Any = cores) -> None:
            by_hand.launch_gelu(number, a, b, size, cores, None)

        def python(run: Any = run, x: torch.Tensor = x, z: torch.Tensor = z) -> None:
            run(48, x, z, x.numel())

        hand()
        python()
        torch.testing.assert_close(z.cpu(), other.cpu(), rtol=0, atol=0)
        title = f"gelu in Python against gelu.asc, 1 Mi {str(dtype).removeprefix('torch.')}"
        rows.append(versus(title, python, hand, limit=1.05, calls=5))
    return rows


def run() -> list[Result]:
    return [_translation(), _call(), *_against_by_hand()]
