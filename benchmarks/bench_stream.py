"""z = x + y on 16 Mi floats, tile 2048, against torch.add(out=): one thread and two."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path

import torch

import ferrata.npu  # noqa: F401
from benchmarks.measure import Result, versus
from ferrata.cli.demo.library import FOLDER, build_library

ELEMENTS = 16 << 20


def run() -> list[Result]:
    from ferrata.run import runtime

    sources = [FOLDER / "add_custom_kernel.asc", Path(__file__).parent / "add_out.asc"]
    library = ctypes.CDLL(str(build_library(Path(tempfile.mkdtemp(prefix="ferrata-bench-")), sources)[0]))

    def launch_add(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
        pointers = (ctypes.c_void_p(t.data_ptr()) for t in (a, b, c))
        library.launch_add(*pointers, ctypes.c_uint32(c.numel()))

    rows = []
    x, y, z = torch.rand(ELEMENTS), torch.rand(ELEMENTS), torch.empty(ELEMENTS)
    xn, yn, zn = x.to("npu"), y.to("npu"), torch.empty(ELEMENTS, device="npu")
    before = torch.get_num_threads()
    for threads in (1, 2):
        torch.set_num_threads(threads)
        runtime().set_threads(threads)
        launch_add(xn, yn, zn)
        torch.testing.assert_close(zn.cpu(), x + y, rtol=0, atol=0)
        rows.append(
            versus(
                f"z = x + y, 16 Mi floats, {threads} thread{'s' * (threads > 1)}, against torch.add(out=)",
                lambda: launch_add(xn, yn, zn),
                lambda: torch.add(x, y, out=z),
                limit=1.5,
                calls=1,
                rounds=31,
                warmup=3,
            )
        )
    torch.set_num_threads(before)
    runtime().set_threads(0)
    return rows
