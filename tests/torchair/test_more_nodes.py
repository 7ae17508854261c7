"""Calls that models need and that once stayed ATen: grouped products, masks, sizes that change, casts of prims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import ferrata as fe
from ferrata.ge import library
from ferrata.torchair import backend

pytestmark = pytest.mark.slow


def types_of(f: Callable[..., Any], *inputs: Any, dynamic: bool = False, **tolerance: Any) -> set[str]:
    """The types in the graph of f, whose results equal eager's."""
    torch._dynamo.reset()
    found: set[str] = set()
    convert = backend.convert

    def keeping(*args: Any, **options: Any) -> Any:
        graph = convert(*args, **options)
        found.update(n.type for n in graph.nodes)
        return graph

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "convert", keeping)
        got = torch.compile(f, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)(*inputs)
    torch.testing.assert_close(got, f(*inputs), **tolerance)
    return found


def calls(found: set[str]) -> set[str]:
    return {t for t in found if t.startswith(("aten::", "prims::")) and not t.startswith("aten::sym_size")}


ENDS = torch.tensor([2, 2, 7, 9], dtype=torch.int32)  # the second group is empty


def test_groups_of_rows_are_one_node() -> None:
    x, w = torch.randn(9, 16).bfloat16(), torch.randn(4, 16, 8).bfloat16()
    found = types_of(lambda x, w, e: functional.grouped_mm(x, w, offs=e), x, w, ENDS, rtol=2e-2, atol=2e-2)
    assert "GroupedMatmul" in found and not calls(found)


def test_the_rule_of_grouped_products_equals_a_loop() -> None:
    x, w, ends = torch.randn(9, 5), torch.randn(4, 5, 3), ENDS.long()
    rule = library.rules.find("GroupedMatmul")
    assert rule is not None
    empty: list[Any] = []
    (rows,) = rule.function([x], [w], *[empty] * 5, ends, split_item=3, group_type=0)
    torch.testing.assert_close(rows, torch.cat([x[:2] @ w[0], x[2:7] @ w[2], x[7:] @ w[3]]))
    y = torch.randn(9, 3)
    (parts,) = rule.function([x.t()], [y], *[empty] * 5, ends, split_item=3, group_type=2)
    expected = [x[:2].t() @ y[:2], torch.zeros(5, 3), x[2:7].t() @ y[2:7], x[7:].t() @ y[7:]]
    torch.testing.assert_close(parts, torch.stack(expected))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), (2, 4, 5, 7)),
        (nn.ConvTranspose1d(4, 6, 3, 2, 1, groups=2), (2, 4, 7)),
    ],
)
def test_transposed_convolutions_of_any_size(layer: nn.Module, shape: tuple[int, ...], dynamic: bool) -> None:
    layer.requires_grad_(False)
    assert not calls(types_of(layer, torch.randn(shape), dynamic=dynamic, rtol=1e-4, atol=1e-5))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_real_part_of_a_transform(dtype: torch.dtype, dynamic: bool) -> None:
    found = types_of(lambda x: torch.fft.fft2(x).real + 1, torch.randn(3, 8, dtype=dtype), dynamic=dynamic)
    assert {"FFT", "Real"} <= found and not calls(found)


def test_numbers_that_change_are_cast_for_the_tensor_they_meet() -> None:
    found = types_of(
        lambda x: x * (x.shape[0] / 3) + torch.arange(x.shape[1], dtype=x.dtype), torch.randn(4, 5), dynamic=True
    )
    assert "Range" in found and not calls(found)


def test_a_mask_over_some_dimensions_selects_and_writes() -> None:
    def f(x: torch.Tensor) -> Any:
        y, mask = x.clone(), x[..., 0] > 0
        y[mask] = 1.0
        y[:, x[0, :, 1] > 0] = torch.tensor(2.0)
        return x[mask], x[:, mask[0]], (x > 0)[x > 0.5], y

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        for dynamic in (False, True):
            found = types_of(f, torch.randn(3, 4, 5), dynamic=dynamic)
            assert {"NonZero", "IndexByTensor", "MaskedFill"} <= found
            assert calls(found) <= {"aten::_assert_scalar.default"}


def test_weight_norm_and_histograms() -> None:
    layer = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3), dim=2).requires_grad_(False)
    found = types_of(lambda x: (layer(x), torch.histc(x, 5, -1, 1)), torch.randn(2, 4, 9), rtol=1e-4, atol=1e-5)
    assert {"LpNormV2", "Histogram"} <= found and not calls(found)


def test_batch_norm_with_given_statistics_on_the_device() -> None:
    import ferrata.npu  # noqa: F401  the device

    layer = nn.BatchNorm2d(3).eval().to("npu").requires_grad_(False)
    found = types_of(layer, torch.randn(2, 3, 4, 4, device="npu"))
    assert "BNInfer" in found and not calls(found)


def test_numbers_that_a_device_graph_makes_on_the_host() -> None:
    import ferrata.npu  # noqa: F401  the device

    x = torch.randn(4, 2).npu()
    found = types_of(lambda x: torch.tensor([x.shape[0], 3, x.shape[1]], device=x.device) + 1, x, dynamic=True)
    assert "Add" in found
    types_of(lambda x: x * torch.arange(x.shape[0]).flip(0).to(x.device)[:, None], x, dynamic=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("f", [torch.var_mean, torch.std_mean])
def test_statistics_of_what_is_not_finite(f: Callable[..., Any], dtype: torch.dtype) -> None:
    inf, nan = float("inf"), float("nan")
    rows = [[1, 2, 3], [inf, 1, 2], [-inf, inf, 0], [nan, 1, 1], [-inf, -inf, -inf]]
    found = types_of(lambda x: f(x, 1), torch.tensor(rows, dtype=dtype), equal_nan=True)
    assert {"ReduceVar", "ReduceStdV2"} & set(found) and not calls(found)


def of_lists(xs: list[Any], ys: list[Any]) -> list[Any]:
    """Operators on lists whose numbers, one for each tensor, are results."""
    numbers, whole = [x.sum().item() for x in xs], [x.sum().int().item() for x in xs]
    made = [torch._foreach_mul(ys, numbers), torch._foreach_add(ys, whole), torch._foreach_clamp_max(ys, whole)]
    made += [torch._foreach_pow(ys, numbers), torch._foreach_addcmul(ys, xs, xs, numbers)]
    return [*made, torch._foreach_sub(ys, numbers[0]), torch._foreach_lerp(ys, xs, numbers)]


@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_numbers_that_are_results_go_one_to_each_tensor_of_a_list(device: str) -> None:
    """They are not a list of sizes."""
    import ferrata.npu  # noqa: F401  the device

    xs, ys = ([torch.rand(3, 4, device=device), torch.rand(2, device=device)] for _ in range(2))
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert not {t for t in types_of(of_lists, xs, ys) if t.startswith("aten::_foreach_mul")}
