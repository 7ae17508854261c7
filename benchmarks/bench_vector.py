"""Twelve vector kernels of 16 Mi elements against the best torch CPU call for the same result: one thread and two.

Results are compared before anything is timed. The note says what bounds the kernel. More rows: the geometric mean of the
twelve, and scalar loops over a tile against the same loops over a plain array.
"""

from __future__ import annotations

import ctypes
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

import ferrata.npu  # noqa: F401
from benchmarks.measure import Result, versus

ELEMENTS = 16 << 20
ROW = 4096
SOURCE = Path(__file__).parent / "vector_kernels.asc"
SCALAR_TILE, SCALAR_ROUNDS = 4096, 1000


@dataclass(frozen=True)
class Case:
    """`ours` launches the kernel and returns its result (an npu tensor); `theirs` returns torch's, on the CPU.

    `tolerance` is relative and absolute; 0: the same bits.
    """

    name: str
    ours: Callable[[], torch.Tensor]
    theirs: Callable[[], torch.Tensor]
    bound: str
    tolerance: float = 0.0


def build(folder: Path) -> ctypes.CDLL:
    """The kernels as a shared library."""
    from ferrata.asc.home import home

    output = folder / "libvector_kernels.so"
    command = [
        str(home() / "bin" / "bisheng"),
        "--npu-arch=dav-2201",
        "-O2",
        "-fPIC",
        "-shared",
        str(SOURCE),
        "-o",
        str(output),
    ]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(output))


def _call(function: Callable[..., object], *arguments: torch.Tensor | int) -> None:
    function(*(ctypes.c_uint32(a) if isinstance(a, int) else ctypes.c_void_p(a.data_ptr()) for a in arguments))


def cases(library: ctypes.CDLL, elements: int = ELEMENTS) -> list[Case]:
    """The twelve, over one set of inputs."""
    torch.manual_seed(0)
    x, y = torch.randn(elements), torch.randn(elements)
    gamma, beta = torch.rand(ROW), torch.rand(ROW)
    low, half = x.bfloat16(), x.half()
    xn, yn, gamma_n, beta_n, low_n, half_n = (t.to("npu") for t in (x, y, gamma, beta, low, half))
    z, zh = torch.empty(elements), torch.empty(elements, dtype=torch.half)
    zn, zhn = torch.empty(elements, device="npu"), torch.empty(elements, device="npu", dtype=torch.half)
    one, counts = torch.zeros(1, device="npu"), torch.zeros(64, device="npu", dtype=torch.int32)
    mask, other = torch.empty(elements, dtype=torch.bool), torch.tensor(-1.0)
    rows, row_count = x.view(-1, ROW), elements // ROW
    mean, rstd, packed = torch.empty(row_count, 1), torch.empty(row_count, 1), x[x > 0]

    def launch(name: str, *arguments: torch.Tensor | int, result: torch.Tensor) -> Callable[[], torch.Tensor]:
        function = getattr(library, f"launch_{name}")

        def run() -> torch.Tensor:
            _call(function, *arguments)
            return result

        return run

    def total() -> torch.Tensor:
        one.zero_()
        _call(library.launch_sum, xn, one, elements)
        return one[0]

    def compact() -> torch.Tensor:
        _call(library.launch_compact, xn, counts, zn, elements)
        return zn[: int(counts[:48].cpu().sum())]

    def greater() -> torch.Tensor:
        torch.gt(x, y, out=mask)
        return torch.where(mask, x, other, out=z)

    def positive() -> torch.Tensor:
        torch.gt(x, 0, out=mask)
        return torch.masked_select(x, mask, out=packed)

    def layer_norm() -> torch.Tensor:  # with a given output, which torch.layer_norm does not take
        torch.ops.aten.native_layer_norm.out(rows, [ROW], gamma, beta, 1e-5, out0=z.view(-1, ROW), out1=mean, out2=rstd)
        return z.view(-1, ROW)

    memory = "memory"
    return [
        Case("Add", launch("add", xn, yn, zn, elements, result=zn), lambda: torch.add(x, y, out=z), memory),
        Case("Muls", launch("muls", xn, zn, elements, result=zn), lambda: torch.mul(x, 1.5, out=z), memory),
        Case("Exp", launch("exp_of", xn, zn, elements, result=zn), lambda: torch.exp(x, out=z), "arithmetic", 3e-7),
        Case("Cast float to half", launch("to_half", xn, zhn, elements, result=zhn), lambda: zh.copy_(x), memory),
        Case("Cast bfloat16 to float", launch("from_bf16", low_n, zn, elements, result=zn), lambda: z.copy_(low), memory),
        Case("ReduceSum", total, lambda: x.sum(), "the tree of pairs, whose order is fixed", 1e-3),
        Case("Compare + Select", launch("select_greater", xn, yn, zn, elements, result=zn), greater, memory),
        Case("Sigmoid by parts", launch("sigmoid", xn, zn, elements, result=zn), lambda: torch.sigmoid(x, out=z),
             "arithmetic of Exp and Div; four passes over a tile", 1e-6),
        Case("Softmax, rows of 4096", launch("softmax", xn, zn, row_count, result=zn.view(-1, ROW)),
             lambda: torch.softmax(rows, 1, out=z.view(-1, ROW)), "Exp and the reductions; five passes", 1e-5),
        Case("LayerNorm, rows of 4096", launch("layer_norm", xn, gamma_n, beta_n, zn, row_count, result=zn.view(-1, ROW)),
             layer_norm, "seven passes over a row; the reductions", 1e-4),
        Case("GatherMask compaction", compact, positive, "packing by bits; the input is read twice"),
        Case("Transpose, 16 x 16 blocks", launch("transpose", half_n, zhn, elements, result=zhn.view(-1, 16, 16)),
             lambda: zh.view(-1, 16, 16).copy_(half.view(-1, 16, 16).transpose(1, 2)), "calls of 512 bytes each"),
    ]  # fmt: skip


def check(case: Case) -> None:
    """Raises when the two results differ."""
    torch.testing.assert_close(case.ours().cpu(), case.theirs(), rtol=case.tolerance, atol=case.tolerance)


def scalar_loops(library: ctypes.CDLL) -> list[Result]:
    """GetValue and SetValue over a tile against the same loop over a plain array of the host."""
    tile, plain = torch.empty(SCALAR_TILE, device="npu"), torch.empty(SCALAR_TILE)
    loops = [
        (
            "t[i] = t[i] + 1",
            "scalar_loop",
            "plain_loop",
            2.0,
            "the plain loop is not vectorised: neither is a scalar unit",
        ),
        ("t[i] = t[i] + t[i - 1]", "scalar_sum", "plain_sum", 2.0, "bound by the chain of additions"),
        ("t[i] = t[i] + 1", "scalar_loop", "vector_loop", None, "the plain loop is vectorised: use Adds"),
    ]
    rows = []
    for what, ours, theirs, limit, note in loops:
        launch, run = getattr(library, f"launch_{ours}"), getattr(library, f"run_{theirs}")
        _call(launch, tile, 3)
        _call(run, plain, 3)
        torch.testing.assert_close(tile.cpu(), plain, rtol=0, atol=0)
        rows.append(
            versus(
                f"GetValue/SetValue over a tile of {SCALAR_TILE}, {what}, against a plain array",
                lambda launch=launch: _call(launch, tile, SCALAR_ROUNDS),  # type: ignore[misc]
                lambda run=run: _call(run, plain, SCALAR_ROUNDS),  # type: ignore[misc]
                limit=limit,
                calls=1,
                rounds=15,
                warmup=1,
                note=note,
            )
        )
    return rows


def run() -> list[Result]:
    from ferrata.run import runtime

    library = build(Path(tempfile.mkdtemp(prefix="ferrata-bench-")))
    twelve = cases(library)
    rows: list[Result] = []
    before = torch.get_num_threads()
    for threads in (1, 2):
        torch.set_num_threads(threads)
        runtime().set_threads(threads)
        label = f"{threads} thread{'s' * (threads > 1)}"
        timed = []
        for case in twelve:
            check(case)
            timed.append(
                versus(
                    f"{case.name}, {label}",
                    case.ours,
                    case.theirs,
                    limit=3.0,
                    calls=1,
                    rounds=15,
                    warmup=1,
                    note=case.bound,
                )
            )
        mean = statistics.geometric_mean(row.ratio or 1.0 for row in timed)
        ours, theirs = sum(row.seconds for row in timed), sum(row.baseline or 0.0 for row in timed)
        rows += timed
        noise = statistics.median(row.noise for row in timed)
        rows.append(
            Result(
                f"twelve vector kernels, geometric mean, {label}", ours, theirs, mean, 1.5, noise, "seconds are sums"
            )
        )
    torch.set_num_threads(before)
    runtime().set_threads(0)
    return rows + scalar_loops(library)
