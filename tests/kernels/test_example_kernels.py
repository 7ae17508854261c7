"""The complete kernels of examples/kernels against torch: tails, one element, rows longer than a tile, NaN and infinities."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

import ferrata
import ferrata.npu
from ferrata.asc.home import home

SOURCE = Path(__file__).parents[2] / "examples" / "kernels" / "kernels.py"
BOTH = [torch.float32, torch.float16]
TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-3}
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def kernels() -> Iterator[ModuleType]:
    """kernels.py as a user of a shell with set_env.sh imports it."""
    before, path = list(sys.path), os.environ["PATH"]
    sys.path.insert(0, str(Path(ferrata.__file__).parent / "compat"))
    os.environ["PATH"] = f"{home() / 'bin'}{os.pathsep}{path}"
    spec = importlib.util.spec_from_file_location("example_kernels", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.library()
    os.environ["PATH"], sys.path[:] = path, before
    yield module


def near(actual: torch.Tensor, expected: torch.Tensor, tolerance: float | None = None) -> None:
    given = TOLERANCE[expected.dtype] if tolerance is None else tolerance
    torch.testing.assert_close(actual.cpu(), expected, rtol=given, atol=given, equal_nan=True)


def numbers(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 4097, 300_001])
def test_gelu(kernels: ModuleType, n: int, dtype: torch.dtype) -> None:
    x = 3 * numbers(n, dtype=dtype)
    near(kernels.gelu(x.to("npu")), torch.nn.functional.gelu(x, approximate="tanh"))


def test_gelu_of_special_values(kernels: ModuleType) -> None:
    x = torch.tensor([NAN, INF, 0.0, -0.0, 1e30, -1e30])
    near(kernels.gelu(x.to("npu")), torch.tensor([NAN, INF, 0.0, -0.0, 1e30, -0.0]))


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (1000, 7), (600, 64), (49, 1000), (300, 1025), (2, 5001)])
def test_broadcast_add(kernels: ModuleType, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x, y = numbers(*shape, dtype=dtype), numbers(shape[1], dtype=dtype, seed=1)
    near(kernels.broadcast_add(x.to("npu"), y.to("npu")), x + y, 0)


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (100, 77), (3, 4096), (3, 4097), (2, 100_003)])
def test_softmax(kernels: ModuleType, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x = 5 * numbers(*shape, dtype=dtype)
    near(kernels.softmax(x.to("npu")), torch.softmax(x, -1))


@pytest.mark.parametrize("columns", [6, 9000])
def test_softmax_of_special_values(kernels: ModuleType, columns: int) -> None:
    x = numbers(5, columns)
    x[0, columns - 1] = NAN
    x[1, 0] = INF
    x[2, : columns - 1] = -INF
    x[3] = -INF
    x[4, 1] = 1e30
    near(kernels.softmax(x.to("npu")), torch.softmax(x, -1))


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("shape", [(1, 1), (7, 10), (100, 77), (3, 4096), (5, 4100), (2, 20_001)])
def test_layer_norm(kernels: ModuleType, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x = 3 * numbers(*shape, dtype=dtype) + 10
    gamma, beta = numbers(shape[1], dtype=dtype, seed=1), numbers(shape[1], dtype=dtype, seed=2)
    expected = torch.nn.functional.layer_norm(x.double(), shape[1:], gamma.double(), beta.double()).to(dtype)
    near(kernels.layer_norm(*(t.to("npu") for t in (x, gamma, beta))), expected, {2: 4e-3, 4: 2e-5}[dtype.itemsize])


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("shape", [(1, 1), (9, 3), (1000, 33), (5, 8192), (5, 8193), (3, 50_001)])
def test_argmax(kernels: ModuleType, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x = numbers(*shape, dtype=dtype).round(decimals=1)  # with ties
    near(kernels.argmax(x.to("npu")), torch.argmax(x, -1).int(), 0)


@pytest.mark.parametrize("columns", [20, 20_000])
def test_argmax_of_special_values(kernels: ModuleType, columns: int) -> None:
    x = numbers(5, columns)
    x[0, columns - 3] = NAN
    x[1, 4] = x[1, columns - 1] = NAN
    x[2] = -INF
    x[3, 7] = INF
    x[4] = 2.0
    near(kernels.argmax(x.to("npu")), torch.tensor([columns - 3, 4, 0, 7, 0], dtype=torch.int32), 0)


@pytest.mark.parametrize(
    ("shape", "k"),
    [((1, 1), 1), ((3, 40), 5), ((50, 100), 100), ((2, 2048), 2048), ((3, 2049), 33), ((2, 10_001), 700)],
)
def test_top_k(kernels: ModuleType, shape: tuple[int, int], k: int) -> None:
    x = numbers(*shape).round(decimals=2)  # with ties: the earlier first
    x[0, 0] = -INF
    expected, positions = (t[..., :k] for t in torch.sort(x, dim=-1, descending=True, stable=True))
    values, indices = kernels.top_k(x.to("npu"), k)
    near(values, expected.contiguous(), 0)
    near(indices, positions.int().contiguous(), 0)


@pytest.mark.parametrize("dtype", BOTH)
@pytest.mark.parametrize("n", [1, 63, 129, 8193, 500_003])
def test_compaction(kernels: ModuleType, n: int, dtype: torch.dtype) -> None:
    x = numbers(n, dtype=dtype)
    x[n // 2] = NAN
    near(kernels.compact(x.to("npu"), 0.25), x[x > 0.25], 0)


def test_compaction_of_everything_and_of_nothing(kernels: ModuleType) -> None:
    x = numbers(70_000).abs() + 1
    near(kernels.compact(x.to("npu"), 0.5), x, 0)
    assert kernels.compact(x.to("npu"), 100.0).numel() == 0


@pytest.mark.parametrize(
    ("rows", "columns", "count"), [(1, 1, 1), (5, 3, 100), (100, 64, 1000), (3, 9000, 50), (7, 5, 60_000)]
)
def test_scatter_add(kernels: ModuleType, rows: int, columns: int, count: int) -> None:
    index = torch.randint(0, rows, (count,), generator=torch.Generator().manual_seed(0), dtype=torch.int32)
    src, out = numbers(count, columns).round(), numbers(rows, columns).round()  # integers: any order gives one sum
    near(kernels.scatter_add(*(t.to("npu") for t in (out, index, src))), out.index_add(0, index, src), 0)


def test_scatter_add_skips_what_is_outside(kernels: ModuleType) -> None:
    index, src, out = torch.tensor([0, -1, 2, 3], dtype=torch.int32), torch.ones(4, 5), torch.zeros(3, 5)
    expected = torch.tensor([[1.0] * 5, [0.0] * 5, [1.0] * 5])
    near(kernels.scatter_add(*(t.to("npu") for t in (out, index, src))), expected, 0)


@pytest.mark.parametrize("n", [1, 7, 1000, 400_001, 3_000_000])
def test_normalisation_across_cores(kernels: ModuleType, n: int) -> None:
    x = numbers(n)
    z = kernels.normalize(x.to("npu"))
    near(z, (x.double() / torch.linalg.vector_norm(x.double())).float(), 2e-6)
    near(kernels.normalize(x.to("npu")), z.cpu(), 0)  # the same bits in every run
