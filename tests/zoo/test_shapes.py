"""One compilation serves every size: the zoo at ten random sizes, marks, empty and scalar tensors, sizes from values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import ferrata as fe
from examples.ops.compact import compact
from ferrata.errors import SizeOutsideGears
from ferrata.torchair.inference import set_dim_gears
from tests.zoo.harness import MODELS, check_forward, compiled, fresh, graphs, inputs, make, marked, targets
from tests.zoo.test_forward import named

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", named(MODELS))
def test_one_compilation_serves_ten_sizes(name: str) -> None:
    """Dynamo refuses to specialise what is marked, and to compile again."""
    with fresh(name, error_on_recompile=True), graphs() as seen:
        module, given = make(name)
        run = compiled(name, module, dynamic=None)
        check_forward(name, run, module, marked(name, given))
        for i, (batch, length) in enumerate(MODELS[name].sizes(10)):
            check_forward(name, run, module, inputs(name, batch=batch, length=length, seed=i))
    assert len(seen) == 1


# ---- marks ----


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def compile_of(f: Callable[..., Any], **options: Any) -> Any:
    return torch.compile(f, backend=fe.get_npu_backend(), fullgraph=True, **options)


def test_a_marked_dimension_stays_a_symbol_and_the_others_numbers() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).sum(0)

    x = torch.randn(5, 7)
    torch._dynamo.mark_dynamic(x, 0)
    with graphs() as seen:
        torch.testing.assert_close(compile_of(f)(x), f(x))
    rows, columns = seen[0].feeds[-1].outputs[0].desc.shape or ()
    assert not isinstance(rows, int) and columns == 7


def test_a_dimension_marked_static_stays_a_number_where_all_are_dynamic() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.softmax(1) + x.shape[0]

    x = torch.randn(5, 7)
    torch._dynamo.mark_static(x, 1)
    with graphs() as seen:
        torch.testing.assert_close(compile_of(f, dynamic=True)(x), f(x))
    rows, columns = next(n for n in seen[0].feeds if n.outputs[0].desc.shape).outputs[0].desc.shape or ()
    assert not isinstance(rows, int) and columns == 7


def test_marking_what_the_model_specialises_is_refused() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + torch.ones(5)

    x = torch.randn(5)
    torch._dynamo.mark_dynamic(x, 0)
    with pytest.raises(Exception, match=r"(?i)mark_dynamic|constraint"):
        compile_of(f)(x)


def test_sizes_of_one_and_none_are_graphs_of_their_own_at_most() -> None:
    def f(x: torch.Tensor) -> Any:
        return x.exp().sum(0), x.reshape(-1) * 3, torch.cat([x, x]), x.amax(1)

    run = compile_of(f, dynamic=True)
    for rows in (4, 1, 0, 9):
        x = torch.randn(rows, 3)
        torch.testing.assert_close(run(x), f(x))


@pytest.mark.parametrize("dynamic", [False, True])
def test_tensors_without_elements_or_dimensions(dynamic: bool) -> None:
    def f(x: torch.Tensor, s: torch.Tensor) -> Any:
        y = x.t() @ x
        return y * s, x.mean(1) + s, s.sin() + 1, x[:0].sum(), torch.stack([s, s * 2]), (x > s).any()

    run = compile_of(f, dynamic=dynamic)
    for shape in ((0, 4), (3, 4), (3, 0)):
        x, s = torch.randn(shape), torch.randn(())
        torch.testing.assert_close(run(x, s), f(x, s), equal_nan=True)


# ---- sizes that depend on values ----


def selected(x: torch.Tensor) -> Any:
    return x[x > 0].exp(), torch.masked_select(x, x < 0.5) * 2, (x > 0).nonzero() + 1


def rows_of(x: torch.Tensor) -> Any:
    rows = (x.sum(1) > 0).nonzero().flatten()
    h = x[rows] @ torch.ones(5, 3)
    return h.relu(), h.softmax(0).unbind(1), torch.nn.functional.layer_norm(h, (3,)), torch.zeros(rows.shape[0], 2) + 1


def written(x: torch.Tensor) -> Any:
    y, where = x.clone(), x > 0
    y[where] = y[where] * 2
    y[x[:, 0] > 0] = -1.0
    return y


def distinct(x: torch.Tensor) -> Any:
    n = (x[:, 0] > 0).long() + 1
    return torch.unique((x * 2).int(), return_inverse=True, return_counts=True), x.repeat_interleave(n, 0)


def joined(x: torch.Tensor) -> Any:
    above, below = x[x > 0], x[x <= 0]
    return torch.cat([above, -below]).cumsum(0), torch.arange(above.shape[0]) * 2


def through_a_custom_operator(x: torch.Tensor) -> Any:
    values, places = compact(x.flatten(), 0.0)
    return (values * 2).sum(), places.long() + 1, values.view(-1, 1) @ torch.ones(1, 3)


def halves(x: torch.Tensor) -> Any:
    """A condition on a size that only a run tells."""
    kept = x[x > -100]
    torch._check(kept.shape[0] % 2 == 0)
    return kept.view(-1, 2).sum(1)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("f", [selected, rows_of, written, distinct, joined, through_a_custom_operator, halves])
def test_sizes_from_values_need_one_compilation(f: Callable[..., Any], dynamic: bool) -> None:
    run = compile_of(f, dynamic=dynamic)
    with (
        torch._dynamo.config.patch(
            capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True, error_on_recompile=True
        ),
        graphs() as seen,
    ):
        for i, rows in enumerate((6, 8, 4, 6) if dynamic else (6, 6, 6)):
            x = torch.randn(rows, 5, generator=torch.Generator().manual_seed(i))
            torch.testing.assert_close(run(x), f(x))
        for x in (torch.ones(6, 5), -torch.ones(6, 5)):  # all of it, and nothing
            torch.testing.assert_close(run(x), f(x))
    assert len(seen) == 1
    allowed = {"aten::_assert_scalar.default", "aten::_assert_async.msg"}  # the conditions that PyTorch checks
    assert {t for t in targets(seen) if "::" in t} <= allowed


@pytest.mark.slow
def test_a_model_runs_in_its_gears_and_refuses_other_sizes() -> None:
    name = "opt"
    with fresh(name), graphs() as seen:
        module, given = make(name, length=8)
        for tensor in given.values():
            set_dim_gears(tensor, {1: [4, 8, 12]})
        run = compiled(name, module, dynamic=None)
        check_forward(name, run, module, given)
        with torch._dynamo.config.patch(error_on_recompile=True):
            for length in (4, 12):
                check_forward(name, run, module, inputs(name, length=length, seed=length))
            with torch.no_grad(), pytest.raises(SizeOutsideGears, match="4, 8, 12"):
                run(**inputs(name, length=6))
    assert len(seen) == 1
