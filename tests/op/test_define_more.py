# ruff: noqa: F722, F821, UP037
"""Rarer things that a signature can say, and operators as objects: copies, redefinition, types for mypy."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import errors
from ferrata import lang as ac
from tests.op import defined as ops
from tests.op.pretend import kernel

F = ops.F
DEVICES = ["npu", "cpu"]


@kernel("x: F!, mask: u8, value: float", F, u8=ac.u8)
def fill_kernel(x: Any, mask: Any, value: float) -> None:
    x.masked_fill_(torch.ones_like(x).bool() if mask is None else mask.bool(), value)


@fe.op("defined_more::fill_all")
def fill_all(
    xs: fe.Mut[list[fe.Tensor[F, ...]]],
    extra: fe.Mut[fe.Tensor[F, "*e"]] | None,
    mask: fe.Tensor[ac.boolean, "n"] | None = None,
    value: float = 0.0,
) -> None:
    """Write value where the mask says, and into extra."""


@fill_all.plan
def _(xs, extra, mask, value):
    launches = [fill_kernel.launch(x, mask, value, cores=1) for x in xs]
    if extra is not None:
        launches.append(fill_kernel.launch(extra, None, value, cores=1))
    return launches


@kernel("x: F, sizes: i32!, z: F!, n: int", F, i32=ac.i32)
def odd_kernel(x: Any, kept: Any, z: Any, n: int) -> None:
    found = x[:, x[0] > 0]
    z.flatten()[: found.numel()]
    z[:, : found.shape[1]] = found
    kept.fill_(found.shape[1])


@kernel("x: F, z: F!", F)
def double_kernel(x: Any, z: Any) -> None:
    z.copy_(2 * x)


@fe.op("defined_more::split")
def split(
    xs: list[fe.Tensor[F, ...]], x: fe.Tensor[F, "m", "n"]
) -> tuple[list[fe.Tensor[F, ...]], fe.Tensor[F, "m", "kept <= n"]]:
    """Twice each of xs, and the columns of x whose first element is above zero."""
    raise NotImplementedError


@split.plan
def _(xs, x, zs, columns, kept):
    launches = [double_kernel.launch(x, z, cores=1) for x, z in zip(xs, zs, strict=True)]
    return [*launches, odd_kernel.launch(x, kept, columns, x.shape[1], cores=1)]


@fe.op("defined_more::weighted")
def weighted(x: fe.Tensor[F, ..., "d", 2], w: fe.Tensor[F, "2*d"]) -> fe.Tensor[F, ..., "d", 2]:
    """Checks only: w must have twice the size of x's last but one dimension."""


@weighted.plan
def _(x, w, z):
    return double_kernel.launch(x, z, cores=1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("compiled", [False, True])
def test_lists_and_absent_tensors_that_are_written(device: str, compiled: bool) -> None:
    torch._dynamo.reset()

    def step(a: torch.Tensor, b: torch.Tensor, mask: torch.Tensor | None, extra: torch.Tensor | None) -> torch.Tensor:
        fill_all([a, b.t()], extra, mask, 3.0)
        return a + 1

    run = torch.compile(step, backend=fe.get_npu_backend(), fullgraph=True) if compiled else step
    a, b = torch.randn(4, device=device), torch.randn(4, 4, device=device)
    mask = torch.tensor([True, False, True, False], device=device)
    a0, b0 = a.clone(), b.clone()
    result = run(a, b, mask, None)
    torch.testing.assert_close(a, a0.masked_fill(mask, 3.0))
    torch.testing.assert_close(b, b0.t().masked_fill(mask, 3.0).t())
    torch.testing.assert_close(result, a + 1)
    extra = torch.randn(2, 2, device=device)
    run(a, b, None, extra)
    assert (a == 3).all() and (b == 3).all() and (extra == 3).all()


@kernel("x: F, whole: i32!, parts: u8!", F, i32=ac.i32, u8=ac.u8)
def first_kernel(x: Any, whole: Any, parts: Any) -> None:
    whole.copy_(x.int())
    parts[0] = 7


@kernel("bytes: F, z: F!", F)
def second_kernel(scratch: Any, z: Any) -> None:
    z.copy_(scratch[: z.numel()])


@fe.op("defined_more::bits")
def bits(x: fe.Tensor[F, "n"]) -> fe.Tensor[F, "n"]:
    """The bits of the integers of x, as floats."""


@bits.plan
def _(x, z):
    shared, mine = fe.workspace(x.nbytes), fe.workspace(3, zero=True)
    return [first_kernel.launch(x, shared, mine, cores=1), second_kernel.launch(shared, z, cores=1)]


def test_scratch_in_bytes_serves_several_types() -> None:
    x = torch.arange(1.0, 7.0)
    torch.testing.assert_close(bits(x.to("npu")).cpu(), x.int().view(torch.float32), rtol=0, atol=0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_list_beside_a_counted_size(device: str, compiled: bool) -> None:
    torch._dynamo.reset()
    run = torch.compile(lambda *args: split(*args), backend=fe.get_npu_backend(), fullgraph=True) if compiled else split
    xs = [torch.randn(3, device=device), torch.randn(2, 2, device=device)]
    x = torch.tensor([[1.0, -1, 2], [4, 5, 6]], device=device)
    zs, columns = run(xs, x)
    for z, one in zip(zs, xs, strict=True):
        torch.testing.assert_close(z, 2 * one)
    assert columns.tolist() == [[1, 2], [4, 6]]
    assert columns.is_contiguous()


def test_opcheck_of_these() -> None:
    x = torch.randn(4, device="npu")
    tests = ["test_schema", "test_faketensor", "test_aot_dispatch_dynamic"]
    torch.library.opcheck(fill_all.op, ([x.clone()], x.clone()), test_utils=tests)
    torch.library.opcheck(split.op, ([x], torch.randn(2, 5, device="npu")), test_utils=tests)


def test_an_input_with_a_computed_size() -> None:
    x = torch.randn(7, 3, 2, device="npu")
    assert weighted(x, torch.ones(6, device="npu")).shape == x.shape
    with pytest.raises(errors.DimensionsDisagree, match=r"dimension 2\*d is 6 in the other tensors and 5 in w"):
        weighted(x, torch.ones(5, device="npu"))
    with pytest.raises(errors.DimensionsDisagree, match="is 2 in the signature and 3 in x"):
        weighted(torch.randn(7, 3, 3, device="npu"), torch.ones(6, device="npu"))


def test_lists_of_different_lengths() -> None:
    @fe.op("defined_more::pairs")
    def pairs(xs: list[fe.Tensor[F, ...]], ys: list[fe.Tensor[F, ...]]) -> list[fe.Tensor[F, ...]]:
        """Only its lists are looked at."""
        raise NotImplementedError

    @pairs.plan
    def _(xs, ys, zs):
        return [double_kernel.launch(x, z, cores=1) for x, z in zip(xs, zs, strict=True)]

    x = torch.ones(3, device="npu")
    assert len(pairs([x, x], [x, x])) == 2
    with pytest.raises(errors.WrongLists, match="xs has 2 tensors and ys has 1"):
        pairs([x, x], [x])


def test_an_output_has_the_strides_of_its_shape() -> None:
    x = torch.randn(8, device="npu").as_strided((1, 4), (7, 1))
    assert ops.add(x, x).stride() == (4, 1)


def test_inference_mode_and_subclasses_of_parameters() -> None:
    x = torch.nn.Parameter(torch.randn(3, device="npu"))
    with torch.inference_mode():
        torch.testing.assert_close(ops.add(x, x), 2 * x)


class _Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.add = ops.add
        self.weight = torch.nn.Parameter(torch.randn(3, device="npu"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.add(x, self.weight)
        return result


def test_a_model_that_holds_an_operator_can_be_copied_and_compiled() -> None:
    torch._dynamo.reset()
    model = copy.deepcopy(_Model())
    assert model.add is ops.add
    assert pickle.loads(pickle.dumps(ops.add)) is ops.add
    x = torch.randn(3, device="npu")
    compiled = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True)
    compiled(x).sum().backward()
    torch.testing.assert_close(compiled(x), x + model.weight)
    torch.testing.assert_close(model.weight.grad, torch.ones_like(x))


def test_a_plan_and_a_backward_given_again_replace_the_first() -> None:
    @fe.op("defined_more::replaced")
    def replaced(x: fe.Tensor[F, ...]) -> fe.Tensor[F, ...]:
        """Twice x, with a gradient that changes."""

    x = torch.ones(2, device="npu", requires_grad=True)
    for factor in (3, 4):

        @replaced.plan
        def _(x, z):
            return double_kernel.launch(x, z, cores=1)

        @replaced.backward
        def _(grad, factor=factor):
            return factor * grad

        (found,) = torch.autograd.grad(replaced(x).sum(), x)
        assert found.tolist() == [factor, factor]


def test_import_of_the_package_is_light() -> None:
    code = "import sys, ferrata as fe; assert 'torch' not in sys.modules; fe.op; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_is_the_decorator_and_the_package() -> None:
    import ferrata.op as package

    assert package is fe.op
    assert callable(fe.op)
    assert "load_project" in package.__all__


@pytest.mark.slow
def test_definitions_type_check(tmp_path: Path) -> None:
    file = tmp_path / "user.py"
    file.write_text(
        """\
import torch

import ferrata as fe
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
d = "d"


@fe.op("mylib::add", ge="AddCustom")
def add(x: fe.Tensor[T, ...], y: fe.Tensor[T, ...] | None = None) -> fe.Tensor[T, ...]:
    \"\"\"x + y.\"\"\"


@fe.op("mylib::norm")
def norm(x: fe.Mut[fe.Tensor[T, ..., d]], *, eps: float = 1e-6) -> fe.Tensor[T, d, "d*2"]:
    \"\"\"Named dimensions.\"\"\"


@fe.op("mylib::lists")
def lists(xs: list[fe.Tensor[T, ...]]) -> tuple[fe.Tensor[T, "d <= 3"], list[fe.Tensor[T, ...]]]:
    \"\"\"Several outputs.\"\"\"
    raise NotImplementedError


z: torch.Tensor = add(torch.ones(3), torch.ones(3))
reveal_type(add)
"""
    )
    root = str(Path(fe.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)],
        capture_output=True, text=True, check=False, env={"MYPYPATH": root, "PATH": "/usr/bin:/bin"}, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ferrata.op.define.operator.Operator" in done.stdout
