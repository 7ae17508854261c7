"""Level O3 keeps what a function means: writes to inputs, views, random numbers, sizes of zero, weights that move, threads.

The references run eagerly.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch

import ferrata
import ferrata.npu
from ferrata.torchair.backend import get_compiler, session_of
from tests.clusters import clustered, one_process

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _one_process() -> Iterator[None]:
    with one_process():
        yield


def work(x: torch.Tensor) -> torch.Tensor:
    return x.tanh().exp().sin() + 1


def mutated(x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
    state.add_(work(x))
    return work(state)


def views(x: torch.Tensor) -> Any:
    y = work(x)
    return y, y.t(), y[1:], x, x.view(-1), x[0]


def random(x: torch.Tensor) -> torch.Tensor:
    return work(torch.rand_like(work(x)) + torch.nn.functional.dropout(x, 0.5, True))


def reduced(x: torch.Tensor) -> Any:
    return work(x).sum(0), work(x), torch.cat([work(x), work(x)])


def put(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return work(torch.zeros(x.shape[0], device=x.device).index_put((index,), work(x)[:, 0]))


def counted(x: torch.Tensor) -> Any:
    rows, columns = torch.arange(x.shape[0], device=x.device), torch.arange(x.shape[1], device=x.device)
    many = torch.arange(100, device=x.device)
    masked = torch.where(columns[None, :] <= rows[:, None], work(x), -1e9).softmax(-1)
    return masked, x[rows.flip(0)] * 2, x[many % x.shape[0]].tanh() * many[:, None]


CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "mutated": (mutated, (torch.ones(4, 6), torch.full((4, 6), 0.5))),
    "views": (views, (torch.linspace(-1, 1, 24).view(4, 6),)),
    "random": (random, (torch.linspace(-1, 1, 24).view(4, 6),)),
    "zero": (reduced, (torch.zeros(0, 6),)),
    "put": (put, (torch.linspace(-1, 1, 24).view(4, 6), torch.tensor([2, 0, 1, 3]))),
    "counted": (counted, (torch.linspace(-1, 1, 24).view(4, 6),)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("case", CASES)
def test_results_writes_and_shared_memory_are_those_of_eager(case: str, device: str, dynamic: bool) -> None:
    function, values = CASES[case]
    plain, fast = ([v.to(device, copy=True) for v in values] for _ in range(2))
    with warnings.catch_warnings():
        if not (case == "zero" and dynamic):  # a size of zero is outside what was compiled, which is told
            warnings.simplefilter("error", RuntimeWarning)
        torch.manual_seed(3)
        expected = function(*plain)
        torch.manual_seed(3)
        got = clustered(function, dynamic=dynamic)(*fast)
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(fast, plain)
    assert _shared(got, fast) == _shared(expected, plain)


def _shared(results: Any, inputs: list[torch.Tensor]) -> list[tuple[int, int]]:
    """(result, input) that start at the same address."""
    leaves = torch.utils._pytree.tree_leaves(results)
    return [
        (i, j) for i, r in enumerate(leaves) for j, x in enumerate(inputs) if r.numel() and r.data_ptr() == x.data_ptr()
    ]


def sizes_as_values(x: torch.Tensor) -> Any:
    """Shapes and quotients of sizes become tensors inside the cluster."""
    y = torch.where(x > 0, work(x), work(x) * 2)
    return y * torch.scalar_tensor(x.shape[0] / 2) + torch.full_like(y, x.shape[1]), y.sort(0)[1].flip(0)


def test_a_cluster_that_computes_with_its_sizes_serves_all_of_them() -> None:
    fast = clustered(sizes_as_values, dynamic=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for shape in ((4, 6), (7, 3), (5, 9)):
            x = torch.randn(shape)
            torch.testing.assert_close(fast(x), sizes_as_values(x))


def test_shape_and_numbers_of_symbols_trace_without_assumptions() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    from ferrata.ge.library import rules

    env = ShapeEnv()
    mode = FakeTensorMode(shape_env=env)
    free: Any = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * 2)
    x = mode.from_tensor(torch.randn(4, 6), symbolic_context=free)
    rule = rules.find("Shape")
    assert rule is not None
    with mode:
        made = rule.function(x, dtype=9)
    assert (made.dtype, made.shape) == (torch.int64, (2,))
    assert not env.guards
    assert rule.function(torch.randn(4, 6), dtype=9).tolist() == [4, 6]


def _layers() -> torch.nn.Sequential:
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 6), nn.Tanh()).requires_grad_(False)


def test_weights_of_another_layout_or_size_are_read_as_they_are() -> None:
    module, x = _layers(), torch.randn(4, 6)
    fast = clustered(module)
    torch.testing.assert_close(fast(x), module(x))
    first, last = (m for m in module if isinstance(m, torch.nn.Linear))
    first.weight.data = first.weight.data.t().contiguous().t()
    torch.testing.assert_close(fast(x), module(x))
    last.weight.data, last.bias.data = torch.randn(5, 8), torch.randn(5)
    torch.testing.assert_close(fast(x), module(x))


def test_threads_call_one_compiled_module() -> None:
    module = _layers()
    fast = clustered(module)
    given = [torch.full((4, 6), float(i)) for i in range(4)]
    expected = [module(x) for x in given]
    fast(given[0])
    wrong: list[int] = []

    def call(i: int) -> None:
        for _ in range(100):
            if not torch.allclose(fast(given[i]), expected[i], atol=1e-5):
                wrong.append(i)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_captured_calls_have_no_clusters_because_recordings_do_not_see_into_them() -> None:
    config = ferrata.CompilerConfig()
    config.ge_config.oo_level = "O3"
    config.mode = "reduce-overhead"
    assert not session_of(config).clusters
    fast = torch.compile(work, backend=ferrata.get_npu_backend(compiler_config=config), fullgraph=True)
    for _ in range(3):
        x = torch.randn(4, 6)
        torch.testing.assert_close(fast(x), work(x))


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_scales_a_product_that_is_added(dynamic: bool) -> None:
    """TorchInductor by itself loses the `alpha`."""

    def averages(a: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        less = torch.sub(a, x @ y, alpha=3).exp()
        return torch.add(a * 0.9, x @ y, alpha=0.1).relu(), torch.add(x @ y, a, alpha=-0.5).tanh(), less

    fast = clustered(averages, dynamic=dynamic)
    for n in (4, 7):
        given = torch.rand(n, 3), torch.rand(n, 5), torch.rand(5, 3)
        torch.testing.assert_close(fast(*given), averages(*given))


def test_steps_between_elements_that_change_from_call_to_call() -> None:
    """Parts of wider tensors, whose strides no size tells: two of them, each with its own."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (x.tanh() * 2 + x.sin()).exp() @ y.cos().square()

    run = clustered(function, dynamic=True)
    for rows, inner, columns, wide, wider in ((4, 3, 5, 7, 9), (6, 2, 4, 11, 10), (3, 7, 2, 8, 20)):
        x, y = torch.randn(rows, wide)[:, :inner], torch.randn(inner, wider)[:, 2 : 2 + columns]
        torch.testing.assert_close(run(x, y), function(x, y))
        torch.testing.assert_close(run(x.contiguous(), y), function(x, y))
    x, y = torch.randn(9).as_strided((4, 3), (0, 2)), torch.randn(3, 4).t().contiguous().t()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # told: not what it was compiled for
        torch.testing.assert_close(run(x, y), function(x, y))


def test_strides_of_a_graph_captured_without_dynamo() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (work(x).outer(work(y)),)

    def strided(count: int, step: int) -> torch.Tensor:
        return torch.randn(count * step)[::step]

    config = ferrata.CompilerConfig()
    config.ge_config.oo_level = "O3"
    first = (strided(5, 3), strided(4, 2))
    run = get_compiler(config)(make_fx(function, tracing_mode="symbolic")(*first), list(first))
    for x, y in (first, (strided(6, 2), strided(9, 5))):
        torch.testing.assert_close(run([x, y])[0], function(x, y)[0])
