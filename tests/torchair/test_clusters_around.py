"""Level O3 around operators that are not PyTorch's, and after memory has run out inside a cluster."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from examples.ops.rms_norm import rms_norm
from examples.ops.softmax import softmax
from tests.clusters import clustered, one_process
from tests.torchair.agree import same, watching

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    with one_process():
        yield


def chain(x: torch.Tensor) -> torch.Tensor:
    return (x.tanh() * 2 + x.sin()).exp()


def two(x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Operators of the catalogue: one between two clusters, one with two results, each read by a cluster."""
    probabilities = softmax(chain(x))
    normed, rstd = rms_norm(chain(probabilities + x), weight)
    return chain(normed * 0.1), chain(rstd * 0.1), probabilities


def same_in_torch(x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
    probabilities = torch.softmax(chain(x), -1)
    y = chain(probabilities + x)
    rstd = torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-6)
    return chain(y * rstd * weight * 0.1), chain(rstd * 0.1), probabilities


def compared(got: Any, expected: Any) -> None:
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a.detach().cpu().reshape(b.shape), b.detach().cpu(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_an_operator_of_the_catalogue_between_two_clusters(device: str, dynamic: bool) -> None:
    torch.manual_seed(0)
    fast = clustered(two, dynamic=dynamic)
    sizes = [(4, 16), (7, 24), (1, 40)] if dynamic else [(4, 16)]
    with watching() as seen:
        for rows, columns in sizes:
            x, weight = torch.randn(rows, columns), torch.randn(columns)
            compared(fast(x.to(device), weight.to(device)), same_in_torch(x, weight))
    kept = [n.type for n in seen.graphs[0].nodes if n.type != "Data"]
    assert kept[:4] == ["PartitionedCall", "CatalogueSoftmax", "PartitionedCall", "CatalogueRmsNorm"]
    assert set(kept[4:]) == {"PartitionedCall"}
    assert len(seen.graphs) == (2 if dynamic else 1)  # a size of 1 is a form of its own for PyTorch


def test_its_gradient_runs_between_two_clusters_as_well() -> None:
    torch.manual_seed(0)

    def function(x: torch.Tensor) -> torch.Tensor:
        return chain(softmax(chain(x)) + x)

    def reference(x: torch.Tensor) -> torch.Tensor:
        return chain(torch.softmax(chain(x), -1) + x)

    fast = clustered(function, dynamic=True)
    for shape in [(4, 16), (6, 24)]:
        ours, theirs = (torch.randn(shape, generator=torch.Generator().manual_seed(1)).requires_grad_() for _ in "ab")
        got, expected = fast(ours), reference(theirs)
        got.square().sum().backward()
        expected.square().sum().backward()
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_memory_that_runs_out_in_a_cluster_leaves_the_session_usable(device: str) -> None:
    """2**42 elements: more than any machine has, and than the device allows."""

    def function(x: torch.Tensor, n: int) -> torch.Tensor:
        return chain(chain(x).expand(n, 2**21).contiguous() + x)

    fast, x = clustered(function, dynamic=True), torch.rand(1, 1, device=device)
    with watching() as seen:
        same(fast(x, 3), function(x, 3))
        assert "PartitionedCall" in seen.types()
        with pytest.raises((torch.OutOfMemoryError, RuntimeError), match=r"(?i)memory|allocate"):
            fast(x, 2**21)
        same(fast(x, 5), function(x, 5))
        assert len(seen.graphs) == 1
    same(clustered(chain)(torch.ones(4, 4, device=device)), chain(torch.ones(4, 4, device=device)))


def test_a_limit_of_the_device_in_a_cluster_is_an_error_that_gives_everything_back() -> None:
    """The limit is met by what the second cluster makes, after the first and an operator of the catalogue have run."""

    def function(x: torch.Tensor, n: int) -> torch.Tensor:
        return chain(softmax(chain(x)).expand(n, 64, 64).contiguous() + 1)

    fast, x = clustered(function, dynamic=True), torch.rand(1, 64, 64, device="npu")
    expected = [function(x, n).cpu() for n in (3, 5)]
    same(fast(x, 3).cpu(), expected[0])
    gc.collect()
    before = torch.npu.memory_allocated()
    total = torch.npu.mem_get_info()[1]
    torch.npu.set_per_process_memory_fraction((before + (4 << 20)) / total)  # 256 times 64 by 64 floats
    try:
        with pytest.raises(
            torch.OutOfMemoryError, match=r"Memory ran out on npu.* while graph_\d+_cluster_1 ran"
        ) as failure:
            fast(x, 4096)
        assert "test_clusters_around.py:" in str(failure.value)
        del failure
        gc.collect()
        assert torch.npu.memory_allocated() == before
        same(fast(x, 5).cpu(), expected[1])
    finally:
        torch.npu.set_per_process_memory_fraction(1.0)
    assert fast(x, 4096).shape == (4096, 64, 64)
