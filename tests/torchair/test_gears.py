"""set_dim_gears: which sizes may come, and what is said of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from ferrata import errors, torchair
from ferrata.torchair import inference

pytestmark = pytest.mark.slow


def compiled(f: Any, policy: str = "zip") -> Any:
    torch._dynamo.reset()
    config = torchair.CompilerConfig()
    config.inference_config.dynamic_gears_merge_policy = policy
    return torch.compile(f, backend=torchair.get_npu_backend(compiler_config=config), fullgraph=True)


def test_sizes_of_the_gears_run_in_one_compilation_and_others_are_named() -> None:
    x = torch.randn(4, 3)
    inference.set_dim_gears(x, {0: [2, 4, 8]})
    f = compiled(lambda tokens: tokens * 2)
    f(x)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for n in (2, 8, 4):
            y = torch.randn(n, 3)
            assert torch.equal(f(y), y * 2)
        with pytest.raises(errors.SizeOutsideGears, match="dimension 0 of tokens is 5, and the gears are 2, 4, 8"):
            f(torch.randn(5, 3))


def test_zip_takes_gears_by_position_and_product_freely() -> None:
    def f(a: Any, b: Any) -> Any:
        return a.sum(0) + b.sum(1)[:1]

    def inputs(m: int, n: int) -> tuple[Any, Any]:
        a, b = torch.randn(m, 3), torch.randn(4, n)
        inference.set_dim_gears(a, {0: [2, 4]})
        inference.set_dim_gears(b, {1: (3, 5)})
        return a, b

    zipped = compiled(f)
    zipped(*inputs(2, 3))
    zipped(*inputs(4, 5))
    with pytest.raises(errors.SizeOutsideGears, match=r"is 2 and 5, and the gears are \(2, 3\); \(4, 5\).*product"):
        zipped(*inputs(2, 5))
    free = compiled(f, "product")
    free(*inputs(2, 3))
    free(*inputs(2, 5))
    with pytest.raises(errors.SizeOutsideGears, match="dimension 1 of b is 4"):
        free(torch.randn(2, 3), torch.randn(4, 4))


def test_gears_that_do_not_combine_are_refused() -> None:
    def tensors(sizes: Any, other: Any) -> tuple[Any, Any]:
        a, b = torch.randn(2, 3), torch.randn(2, 3)
        inference.set_dim_gears(a, {0: sizes})
        inference.set_dim_gears(b, {1: other})
        return a, b

    f = lambda a, b: (a + 1, b + 1)  # noqa: E731
    with pytest.raises(Exception, match="3 for dimension 0 of a, 2 for dimension 1 of b"):
        compiled(f)(*tensors([2, 3, 4], [3, 4]))
    with pytest.raises(Exception, match="121 combinations, at most 100"):
        compiled(f, "product")(*tensors(list(range(2, 13)), list(range(3, 14))))


@pytest.mark.parametrize(
    ("gears", "message"),
    [
        ({}, "not a dictionary"),
        ([2, 3], "not a dictionary"),
        ({2: [2, 3]}, "no dimension"),
        ({-1: [2, 3]}, "no dimension"),
        ({True: [2, 3]}, "no dimension"),
        ({0: [2]}, "2 to 100 sizes"),
        ({0: list(range(2, 103))}, "2 to 100 sizes"),
        ({0: {2, 3}}, "2 to 100 sizes"),
        ({0: [0, 2]}, "the gear 0"),
        ({0: [1, 2]}, "the gear 1"),
        ({0: [2.0, 3]}, "the gear 2.0"),
        ({0: [2, 2]}, "stands twice"),
    ],
)
def test_what_are_no_gears(gears: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        inference.set_dim_gears(torch.randn(4, 4), gears)


def test_a_second_different_setting_is_refused() -> None:
    x = torch.randn(4, 4)
    inference.set_dim_gears(x, {0: [2, 4]})
    inference.set_dim_gears(x, {0: (2, 4)})
    with pytest.raises(AssertionError, match="already"):
        inference.set_dim_gears(x, {0: [2, 5]})
    with pytest.raises(AssertionError, match="not a tensor"):
        inference.set_dim_gears(3, {0: [2, 5]})


@torch.no_grad()
def test_gears_hold_for_cached_functions_too(tmp_path: Path) -> None:
    module = nn.Linear(4, 4)
    x = torch.randn(4, 4)
    inference.set_dim_gears(x, {0: [2, 4]})
    for _ in range(2):
        run = inference.cache_compile(module.forward, cache_dir=tmp_path, dynamic=False)
        run(x)
        run(torch.randn(2, 4))
        assert run.compilations + run.hits == 1
        with pytest.raises(errors.SizeOutsideGears, match="dimension 0 of input is 3"):
            run(torch.randn(3, 4))
