"""The kernels of this folder on torch tensors: built with `bisheng` into one library, called through ctypes.

    from kernels import gelu
    gelu(torch.randn(1000, device="npu"))

Each function takes npu tensors of float (most also half), makes the result, and launches on the current stream.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import torch
import torch_npu  # noqa: F401

FOLDER = Path(__file__).parent
CORES = 48
SLOT = 8  # words of workspace for each core: a block of its own
DTYPES = {torch.float32: 0, torch.float16: 1}


@cache
def library() -> ctypes.CDLL:
    """All .asc files of this folder, compiled side by side and linked."""
    work = Path(tempfile.mkdtemp(prefix="kernels-"))
    jobs = []
    for source in sorted(FOLDER.glob("*.asc")):
        command = [
            "bisheng",
            "--npu-arch=dav-2201",
            "-O2",
            "-fPIC",
            "-c",
            str(source),
            "-o",
            str(work / f"{source.stem}.o"),
        ]
        jobs.append((source, subprocess.Popen(command)))
    for source, job in jobs:
        if job.wait():
            raise RuntimeError(f"{source.name} does not compile")
    objects = [str(work / f"{source.stem}.o") for source, _ in jobs]
    subprocess.run(["bisheng", "-shared", *objects, "-o", str(work / "libkernels.so")], check=True)
    return ctypes.CDLL(str(work / "libkernels.so"))


def _launch(name: str, *arguments: torch.Tensor | int | float) -> None:
    """Pass tensors as their addresses; every launch ends with the number of cores and the stream."""

    def passed(value: torch.Tensor | int | float) -> object:
        if isinstance(value, torch.Tensor):
            return ctypes.c_void_p(value.data_ptr())
        return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_uint32(value)

    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    getattr(library(), f"launch_{name}")(*map(passed, arguments), ctypes.c_uint32(CORES), stream)


def _rows(x: torch.Tensor) -> tuple[int, int]:
    return x.numel() // x.shape[-1], x.shape[-1]


def gelu(x: torch.Tensor) -> torch.Tensor:
    """torch.nn.functional.gelu(x, approximate="tanh")."""
    x, z = x.contiguous(), torch.empty_like(x)
    if x.numel():
        _launch("gelu", DTYPES[x.dtype], x, z, x.numel())
    return z


def broadcast_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x + y, with y one row of x."""
    x, y, z = x.contiguous(), y.contiguous(), torch.empty_like(x)
    if x.numel():
        _launch("broadcast_add", DTYPES[x.dtype], x, y, z, *_rows(x))
    return z


def softmax(x: torch.Tensor) -> torch.Tensor:
    """torch.softmax(x, -1)."""
    x, z = x.contiguous(), torch.empty_like(x)
    if x.numel():
        _launch("softmax", DTYPES[x.dtype], x, z, *_rows(x))
    return z


def layer_norm(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, epsilon: float = 1e-5) -> torch.Tensor:
    """torch.nn.functional.layer_norm over the last dimension."""
    x, z = x.contiguous(), torch.empty_like(x)
    if x.numel():
        _launch("layer_norm", DTYPES[x.dtype], x, gamma, beta, z, *_rows(x), float(epsilon))
    return z


def argmax(x: torch.Tensor) -> torch.Tensor:
    """torch.argmax(x, -1), as int32."""
    x = x.contiguous()
    z = torch.empty(x.shape[:-1], dtype=torch.int32, device=x.device)
    if z.numel():
        _launch("argmax", DTYPES[x.dtype], x, z, *_rows(x))
    return z


def top_k(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """torch.topk(x, k), the earlier of equals first; positions as int32. k at most 2048, float only."""
    if not 0 < k <= min(2048, x.shape[-1]):
        raise ValueError(f"k is {k}; it must be 1 to {min(2048, x.shape[-1])}")
    x = x.contiguous()
    values = torch.empty((*x.shape[:-1], k), device=x.device)
    indices = torch.empty((*x.shape[:-1], k), dtype=torch.int32, device=x.device)
    if values.numel():
        _launch("top_k", x, values, indices, *_rows(x), k)
    return values, indices


def compact(x: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
    """x[x > threshold], flat."""
    x, z = x.contiguous(), torch.empty(x.numel(), dtype=x.dtype, device=x.device)
    counts = torch.empty(CORES * SLOT, dtype=torch.int32, device=x.device)
    kept = torch.zeros(1, dtype=torch.int32, device=x.device)
    if x.numel():
        _launch("compact", DTYPES[x.dtype], x, z, counts, kept, x.numel(), float(threshold))
    return z[: int(kept.item())]


def scatter_add(out: torch.Tensor, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    """out.index_add(0, index, src) for int32 index; an index outside out is skipped."""
    out, src = out.clone(), src.contiguous()
    if src.numel():
        _launch("scatter_add", index.contiguous(), src, out, index.numel(), *_rows(out))
    return out


def normalize(x: torch.Tensor) -> torch.Tensor:
    """x / torch.linalg.vector_norm(x)."""
    x, z = x.contiguous(), torch.empty_like(x)
    partial = torch.empty(CORES * SLOT, device=x.device)
    if x.numel():
        _launch("normalize", x, z, partial, x.numel())
    return z
