"""Captured graphs: recorded once for each set of sizes, replayed with new inputs, refused where that cannot be right."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from ferrata import errors, torchair
from ferrata.torchair import graph_ex
from ferrata.torchair.options import apply_options
from ferrata.torchair.record import out_variant
from tests.torchair.agree import capturing

pytestmark = pytest.mark.slow


def attention(x: Any, w: Any) -> Any:
    q, k, v = (x @ w).chunk(3, -1)
    return F.layer_norm(F.scaled_dot_product_attention(q, k, v), (8,)) + x.mean(-1, keepdim=True), x.shape[0]


def scatter(x: Any, w: Any) -> Any:
    out = torch.zeros(4, 8).index_add_(0, torch.tensor([0, 1, 1]), x[:3, 0])
    return out, torch.cat([x, x], 0).flip(0), torch.arange(x.shape[0]) + 1, x.max(-1), x.to(torch.float16)


def pool(x: Any, w: Any) -> Any:
    return F.max_pool1d(x, 2), F.gelu(x) * torch.sigmoid(x), x.std(0), x.sort(-1), x.cumsum(0), x[:, ::2].contiguous()


@pytest.mark.parametrize("f", [attention, scatter, pool])
@torch.no_grad()
def test_replays_equal_eager_for_new_inputs(f: Any, captured: list[Any]) -> None:
    g = capturing(f, dynamic=True)
    for n in (3, 3, 5, 3, 5):
        x, w = torch.randn(n, 6, 8), torch.randn(8, 24)
        torch.testing.assert_close(g(x, w), f(x, w), rtol=1e-5, atol=1e-6)
    (one,) = captured
    assert len(one.recordings) == 2


@torch.no_grad()
def test_a_replay_holds_nothing_but_what_computes(captured: list[Any]) -> None:
    f = capturing(lambda x: (x.view(-1, 2).t().relu() + 1).transpose(0, 1).reshape(-1) * x.shape[0])
    f(torch.randn(8))
    (recording,) = captured[0].recordings.values()
    lines = recording.source.splitlines()[1:]
    assert len(lines) <= 4 and all("(" in line for line in lines) and "view" not in recording.source


@torch.no_grad()
def test_weights_are_read_where_they_are_and_a_moved_one_is_recorded_anew(captured: list[Any]) -> None:
    model = nn.Linear(4, 4)
    f = capturing(model)
    x = torch.randn(2, 4)
    f(x)
    model.weight.mul_(2)
    torch.testing.assert_close(f(x), model(x))
    assert len(captured[0].recordings) == 1
    model.weight.data = model.weight.data + 1
    torch.testing.assert_close(f(x), model(x))
    assert len(captured[0].recordings) == 2


@torch.no_grad()
def test_written_inputs_are_written_in_place(captured: list[Any]) -> None:
    def f(cache: Any, x: Any) -> Any:
        cache[1].copy_(x)
        cache.add_(1)
        return cache.sum(), cache

    g = capturing(f)
    cache, mine = torch.zeros(3, 4), torch.zeros(3, 4)
    for _ in range(3):
        x = torch.randn(4)
        total, same = g(cache, x)
        expected, _ = f(mine, x)
        torch.testing.assert_close((total, cache), (expected, mine))
        assert same is cache
    assert len(captured[0].recordings) == 1
    other = torch.zeros(3, 4)
    g(other, torch.ones(4))
    assert other[1].tolist() == [2] * 4 and len(captured[0].recordings) == 2


@torch.no_grad()
def test_inputs_are_used_where_they_are_without_clone_input(captured: list[Any]) -> None:
    f = capturing(lambda x: x * 2, clone_input=False)
    x = torch.ones(3)
    f(x)
    x.fill_(5)
    assert f(x).tolist() == [10] * 3 and len(captured[0].recordings) == 1
    f(torch.ones(3))
    assert len(captured[0].recordings) == 2


@torch.no_grad()
def test_results_lie_in_the_memory_of_the_recording_unless_cloned(captured: list[Any]) -> None:
    f = capturing(lambda x: x * 2)
    first = f(torch.ones(3)) * 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(torch.ones(3))
        kept = f(torch.ones(3))
    assert first.tolist() == [2] * 3
    with pytest.warns(UserWarning, match="result 0 of an earlier call.*still in use"):
        f(torch.zeros(3))
    assert kept.tolist() == [0] * 3
    g = capturing(lambda x: x * 2, enable_output_clone=True)
    kept = g(torch.ones(3))
    g(torch.zeros(3))
    assert kept.tolist() == [2] * 3


@torch.no_grad()
def test_the_limit_of_recordings(captured: list[Any]) -> None:
    f = capturing(lambda x: x + x.shape[0], dynamic=True, static_capture_size_limit=2)
    with pytest.warns(UserWarning, match="has 2 recordings"):
        for n in (2, 3, 4, 5, 2):
            assert f(torch.zeros(n)).tolist() == [n] * n
    assert len(captured[0].recordings) == 2


@torch.no_grad()
def test_random_numbers_differ_from_replay_to_replay(captured: list[Any]) -> None:
    f = capturing(lambda x: torch.rand_like(x), enable_output_clone=True)
    a, b = f(torch.zeros(8)), f(torch.zeros(8))
    assert not torch.equal(a, b)


def nonzero(x: Any) -> Any:
    return torch.nonzero(x)


def item(x: Any) -> Any:
    return x * x.sum().long().item()


def branch(x: Any) -> Any:
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (nonzero, r"(?s)nonzero.*test_capture\.py:\d+ cannot be captured: the size of its result.*mask"),
        (item, r"(?s)test_capture\.py:\d+ cannot be captured: the host reads a value.*torch\.where"),
        (branch, r"(?s)cond.*test_capture\.py:\d+ cannot be captured: which branch.*max-autotune"),
    ],
)
@torch.no_grad()
def test_what_cannot_be_captured_names_the_line_and_the_way_out(f: Any, message: str, captured: list[Any]) -> None:
    allowed = torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)
    with allowed, pytest.raises(Exception, match=message) as caught:
        capturing(f)(torch.ones(3))
    assert isinstance(getattr(caught.value, "inner_exception", caught.value), errors.CaptureRefused)


@torch.no_grad()
def test_tiling_that_reads_values_is_refused(
    operators: Any, monkeypatch: pytest.MonkeyPatch, captured: list[Any]
) -> None:
    class Implementation:
        class _found:
            data_dependency = (1,)

    op = operators.torch("take(Tensor x, Tensor sizes) -> Tensor", lambda x, s: x + 1, lambda x, s: torch.empty_like(x))
    monkeypatch.setattr("ferrata.torchair.capture.find_implementation", lambda kind: Implementation)
    with pytest.raises(Exception, match=r"(?s)take.*tiling on the host reads the values of sizes.*ValueDepend"):
        capturing(lambda x, s: op(x, s))(torch.ones(3), torch.ones(2))


def test_training_runs_without_capture(captured: list[Any]) -> None:
    model = nn.Linear(4, 4)
    f = capturing(model)
    x = torch.randn(2, 4)
    a, b = f(x), f(2 * x)
    (a.sum() + b.sum()).backward()
    assert not captured and model.weight.grad is not None


@torch.no_grad()
def test_the_cache_captures_too(tmp_path: Path, captured: list[Any]) -> None:
    model = nn.Linear(4, 4)
    config = torchair.CompilerConfig()
    config.mode = "reduce-overhead"
    for _ in range(2):
        run = torchair.inference.cache_compile(model.forward, config=config, cache_dir=tmp_path)
        for n in (3, 3, 4):
            x = torch.randn(n, 4)
            torch.testing.assert_close(run(x), model(x))
        assert "_aclgraphcache_" in str(run.folder)
        assert len(captured[-1].recordings) == 2
    assert run.hits == 1


def test_out_variants() -> None:
    aten = torch.ops.aten
    assert out_variant(aten.add.Tensor) == (aten.add.out, ("out",))
    assert out_variant(aten.max.dim) == (aten.max.dim_max, ("max", "max_values"))
    assert out_variant(aten.add_.Tensor) is None and out_variant(aten.zeros.default) is None


def test_an_option_overrides_the_configuration_of_the_backend_with_its_default_too(captured: list[Any]) -> None:
    config = torchair.CompilerConfig()
    config.mode = "npugraph_ex"
    config.debug.aclgraph.static_capture_size_limit = 1
    made = apply_options(config, {"capture_limit": 64})
    assert made.raw("debug.aclgraph.static_capture_size_limit") == 64
    assert config.raw("debug.aclgraph.static_capture_size_limit") == 1
    assert apply_options(config, {"super_kernel_optimize_debug_options": {"a": "b"}}) is not config


@pytest.mark.parametrize("later", [False, True])
def test_compile_fx_returns_what_the_graph_returns(later: bool, captured: list[Any]) -> None:
    x = torch.arange(3.0)
    for f in (lambda x: x + 1, lambda x: {"a": x + 1, "b": (x * 2, [x])}, lambda x: (x + 1,)):
        gm = torch.fx.symbolic_trace(f)
        run = graph_ex.compile_fx(gm)([x]) if later else graph_ex.compile_fx(gm, [x])
        got, expected = run(x), f(x)
        assert type(got) is type(expected)
        torch.testing.assert_close(got, expected)
