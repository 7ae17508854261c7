"""Kernels of examples/ops against hand-written Ascend C of the same algorithms: the translator's text costs no time."""

from __future__ import annotations

import ctypes
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import ferrata.npu  # noqa: F401
from benchmarks.kernels import REPO
from benchmarks.measure import Result, versus
from examples.ops.add import add_kernel
from examples.ops.rms_norm import rms_norm_kernel
from examples.ops.softmax import softmax_kernel
from ferrata import lang as ac
from ferrata.asc import api

DTYPES = ((torch.float32, ac.f32, 0), (torch.float16, ac.f16, 1))
CORES = 48


def _address(tensor: torch.Tensor) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr())


def _row(
    title: str, ours: Callable[[], Any], theirs: Callable[[], Any], mine: torch.Tensor, other: torch.Tensor
) -> Result:
    """Compare the values, then the times."""
    ours()
    theirs()
    torch.testing.assert_close(mine.cpu(), other.cpu())
    return versus(
        title,
        ours,
        theirs,
        limit=1.05,
        calls=10,
        rounds=31,
        warmup=5,
        clock=time.process_time,
        note="time on processors",
    )


def run() -> list[Result]:
    folder = Path(tempfile.mkdtemp(prefix="ferrata-bench-"))
    hand = ctypes.CDLL(str(api.compile(REPO / "benchmarks/catalogue.asc", output=folder / "catalogue.so")))
    soft = ctypes.CDLL(str(api.compile(REPO / "examples/kernels/softmax.asc", output=folder / "softmax.so")))
    u, cores = ctypes.c_uint32, ctypes.c_uint32(CORES)
    rows = []
    for dtype, element, number in DTYPES:
        name = str(dtype).removeprefix("torch.")
        x, y = (torch.randn(1 << 20).to(dtype).to("npu") for _ in range(2))
        z, other = torch.empty_like(x), torch.empty_like(x)
        add = add_kernel.instance({"T": element}).run
        hand_add = hand.launch_add
        at = [_address(t) for t in (x, y, other)]
        rows.append(
            _row(
                f"add in Python against Ascend C, 1 Mi {name}",
                lambda add=add, x=x, y=y, z=z: add(CORES, x, y, z, x.numel()),
                lambda f=hand_add, n=number, at=at, x=x: f(n, *at, u(x.numel()), cores, None),
                z, other,
            )
        )  # fmt: skip
        for shape in ((256, 4096), (48, 20_000)):
            x, w = torch.randn(shape).to(dtype).to("npu"), torch.randn(shape[1]).to(dtype).to("npu")
            z, other = torch.empty_like(x), torch.empty_like(x)
            size = (u(shape[0]), u(shape[1]))
            made = softmax_kernel.instance({"F": element}).run
            at = [_address(t) for t in (x, other)]
            rows.append(
                _row(
                    f"softmax in Python against softmax.asc, {shape[0]} x {shape[1]} {name}",
                    lambda f=made, x=x, z=z, shape=shape: f(CORES, x, z, *shape),
                    lambda f=soft.launch_softmax, n=number, at=at, size=size: f(n, *at, *size, cores, None),
                    z, other,
                )
            )  # fmt: skip
            rstd, spare = (torch.empty(shape[0], device="npu") for _ in range(2))
            made = rms_norm_kernel.instance({"F": element}).run
            at = [_address(t) for t in (x, w, other, spare)]
            rows.append(
                _row(
                    f"rms_norm in Python against Ascend C, {shape[0]} x {shape[1]} {name}",
                    lambda f=made, x=x, w=w, z=z, r=rstd, shape=shape: f(CORES, x, w, z, r, *shape, 1e-6),
                    lambda f=hand.launch_rms_norm, n=number, at=at, size=size: f(
                        n, *at, *size, ctypes.c_float(1e-6), cores, None
                    ),
                    z, other,
                )
            )  # fmt: skip
    return rows
