"""From the edit of an operator to its verdict: a process that defines add, and checks it with five small cases.

Cold, the operator's source was never seen before, so its kernels and its C++ plan are compiled; unchanged, the verdict
of the run before still holds. Both include the start of Python and the import of torch.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Result, alone

OPERATOR = '''
import torch

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)


@ac.kernel
def add(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 2048):
    """z = x + y, edit EDIT."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, tile, buffers=2), ac.queue(ac.VECIN, T, tile, buffers=2)
    zs = ac.queue(ac.VECOUT, T, tile, buffers=2)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        with xs.put() as a, ys.put() as b:
            ac.copy(a[:m], x[start + i :])
            ac.copy(b[:m], y[start + i :])
        with xs.get() as a, ys.get() as b, zs.put() as c:
            ac.add(c, a, b, m)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])


@fe.op("bench::add", ge="AddBench")
def add_op(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
    """x + y."""


@add_op.plan
def _(x, y, z):
    n = x.numel()
    return add.launch(x, y, z, n, cores=fe.at_most(n // (2048 + EDIT), "vector"))


@add_op.backward
def _(grad):
    return grad, grad


case = fe.testing.case
CASES = [case(x=shape, y=shape) for shape in [(8, 2048), (3, 7), (1,), (5, 1000), (0, 5)]]
fe.testing.check(add_op, CASES, reference=torch.add)
'''


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "add.py"
        edits = itertools.count(int.from_bytes(os.urandom(4), "little"))

        def verdict() -> None:
            subprocess.run([sys.executable, str(script)], check=True, stdout=subprocess.DEVNULL)

        def cold() -> None:
            script.write_text(OPERATOR.replace("EDIT", str(next(edits))))
            # the clock of files is coarse: a file as young as the process counts as edited since it was loaded
            os.utime(script, (script.stat().st_atime, script.stat().st_mtime - 1))
            verdict()

        cold()
        return [
            alone("fe.testing.check, five cases, three dtypes, cold", cold, limit=10.0, rounds=5),
            alone("fe.testing.check, nothing changed", verdict, limit=2.0, rounds=9),
        ]
