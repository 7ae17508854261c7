"""Calls of operators defined in Python: values against torch, for every thing that a signature can say."""

from __future__ import annotations

import pytest
import torch

import ferrata as fe
from ferrata import chips, errors
from tests.op import defined as ops

DEVICES = ["npu", "cpu"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4, 5)])
def test_elementwise_of_any_shape_and_type(device: str, dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    x, y = (torch.randint(-9, 9, shape).to(dtype) for _ in range(2))
    z = ops.add(x.to(device), y.to(device))
    assert z.device.type == device
    torch.testing.assert_close(z.cpu(), x + y, rtol=0, atol=0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("layout", ["transposed", "expanded", "strided", "misaligned", "narrowed"])
def test_layouts(device: str, layout: str) -> None:
    base = torch.randn(6, 6)
    view = {
        "transposed": lambda t: t.t(),
        "expanded": lambda t: t[:1].expand(6, 6),
        "strided": lambda t: t[::2, 1::2],
        "misaligned": lambda t: t.flatten()[1:34].reshape(3, 11),
        "narrowed": lambda t: t[:, 1:5],
    }[layout]
    x = view(base.to(device))
    torch.testing.assert_close(ops.add(x, x).cpu(), 2 * view(base), rtol=0, atol=0)


@pytest.mark.parametrize("device", DEVICES)
def test_an_empty_call_launches_nothing(device: str) -> None:
    before = len(ops.axpy_kernel.runs)
    x = torch.empty(0, 5, device=device)
    assert ops.add(x, x).shape == (0, 5)
    assert len(ops.axpy_kernel.runs) == before


def test_an_attribute_has_its_default_and_is_single_precision() -> None:
    x = torch.randn(4, device="npu")
    torch.testing.assert_close(ops.axpy(x, x), 2 * x, rtol=0, atol=0)
    torch.testing.assert_close(ops.axpy(x, x, alpha=0.5).cpu(), 1.5 * x.cpu())
    torch.testing.assert_close(ops.axpy(x, x, 3).cpu(), 4 * x.cpu())


def test_zero_and_minus_zero_are_two_attributes() -> None:
    x, y = torch.ones(2, device="npu"), torch.full((2,), -0.0, device="npu")
    assert not torch.signbit(ops.axpy(x, y, 0.0)).any()
    assert torch.signbit(ops.axpy(x, y, -0.0)).all()


@pytest.mark.parametrize(("a", "b"), [((3, 1), (4,)), ((), (2, 3)), ((5,), (5,)), ((2, 1, 3), (4, 1)), ((0, 1), (4,))])
def test_broadcasting(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = torch.randn(a), torch.randn(b)
    torch.testing.assert_close(ops.add_wide(x.to("npu"), y.to("npu")).cpu(), x + y)


@pytest.mark.parametrize("shape", [(8,), (3, 8), (2, 3, 8)])
@pytest.mark.parametrize("weighted", [True, False])
def test_optional_tensor_and_two_outputs(shape: tuple[int, ...], weighted: bool) -> None:
    x, w = torch.randn(shape), torch.randn(8) if weighted else None
    y, rstd = ops.rms_norm(x.to("npu"), None if w is None else w.to("npu"), eps=1e-5)
    torch.testing.assert_close(y.cpu(), torch.nn.functional.rms_norm(x, (8,), w, 1e-5))
    torch.testing.assert_close(rstd.cpu(), (x.square().mean(-1) + 1e-5).rsqrt())


@pytest.mark.parametrize("device", DEVICES)
def test_an_argument_that_is_written(device: str) -> None:
    x = torch.randn(3, 4)
    y = x.to(device, copy=True)
    version = y._version
    assert ops.scale_(y, 2.0) is None
    torch.testing.assert_close(y.cpu(), 2 * x)
    assert y._version > version


@pytest.mark.parametrize("device", DEVICES)
def test_a_view_that_is_written(device: str) -> None:
    x = torch.randn(4, 4)
    y = x.to(device, copy=True)
    ops.scale_(y.t()[1:3], 2.0)
    x[:, 1:3] *= 2
    torch.testing.assert_close(y.cpu(), x)


@pytest.mark.parametrize("device", DEVICES)
def test_written_and_returned(device: str) -> None:
    total, x = torch.randn(5), torch.randn(5)
    there = total.to(device, copy=True)
    before = ops.accumulate(there, x.to(device))
    torch.testing.assert_close(before.cpu(), total)
    torch.testing.assert_close(there.cpu(), total + x)


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_written_shares_no_part_of_its_memory_with_what_is_read(compiled: bool) -> None:
    def call(base: torch.Tensor, apart: bool) -> torch.Tensor:
        x = base[:-1].clone() if apart else base[:-1]
        ops.accumulate(base[1:], x)
        return base

    run = torch.compile(call, backend=fe.get_npu_backend(), fullgraph=True) if compiled else call
    base = torch.arange(5000.0)
    with pytest.raises(errors.WrittenOverlaps, match=r"total, which is written, .* with x"):
        run(base.to("npu"), False)
    expected = base.clone()
    expected[1:] += base[:-1]
    torch.testing.assert_close(run(base.to("npu"), True).cpu(), expected)
    there = base.to("npu")
    ops.accumulate(there, there)  # the same memory as a whole
    torch.testing.assert_close(there.cpu(), 2 * base)
    ops.accumulate(there[:100], there[100:200])  # neighbours
    torch.testing.assert_close(there[:100].cpu(), 2 * base[:100] + 2 * base[100:200])


@pytest.mark.parametrize("device", DEVICES)
def test_a_list_of_tensors(device: str) -> None:
    xs = [torch.randn(3), torch.randn(2, 5).t(), torch.empty(0), torch.randn(())]
    zs = ops.scaled_all([x.to(device) for x in xs], 3.0)
    assert isinstance(zs, list)
    for x, z in zip(xs, zs, strict=True):
        torch.testing.assert_close(z.cpu(), 3 * x)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("x", [[1.0, -1, 2, 0, 3], [-1.0, -2], [5.0], []])
def test_a_size_that_the_kernel_counts(device: str, x: list[float]) -> None:
    there = torch.tensor(x, device=device)
    values, indices = ops.positive(there)
    expected = [(v, i) for i, v in enumerate(x) if v > 0]
    assert values.tolist() == [v for v, _ in expected]
    assert indices.tolist() == [i for _, i in expected]
    assert values.is_contiguous() and values.untyped_storage().nbytes() >= values.numel() * 4


def test_a_size_from_an_attribute() -> None:
    x = torch.randn(2, 3, 9)
    values, indices = ops.top(x.to("npu"), 4)
    expected = x.topk(4)
    torch.testing.assert_close(values.cpu(), expected.values)
    assert torch.equal(indices.cpu(), expected.indices.int())


@pytest.mark.parametrize(("a", "b"), [(3, 5), (8, 2), (9, 9), (1, 1)])
def test_computed_sizes(a: int, b: int) -> None:
    x, y = torch.randn(a), torch.randn(b)
    z = ops.frame(x.to("npu"), y.to("npu")).cpu()
    assert z.shape == (-(-a // 8) * 8, max(a, b) + 1)
    torch.testing.assert_close(z[:a, :b], x[:, None] * y)


def test_a_shape_function() -> None:
    xs = [torch.randn(i, 4) for i in (1, 3, 2)]
    torch.testing.assert_close(ops.joined([x.to("npu") for x in xs]).cpu(), torch.cat(xs))


def test_every_type_of_attribute_reaches_the_plan() -> None:
    ops.SEEN.clear()
    x = torch.randn(3, device="npu")
    ops.attributes(x, 2)
    ops.attributes(x, 3, 0.25, flag=False, text="b", ints=[], floats=[1.0], flags=[True, False])
    single = torch.tensor(0.1).item()
    expected = [
        {"i": 2, "f": single, "flag": True, "text": 'a "quoted\\" text', "ints": [1, -2], "floats": [single, 2.0], "flags": []},
        {"i": 3, "f": 0.25, "flag": False, "text": "b", "ints": [], "floats": [1.0], "flags": [True, False]},
    ]  # fmt: skip
    assert expected == ops.SEEN


def test_scratch_and_constants() -> None:
    x = torch.randn(3, 5)
    torch.testing.assert_close(ops.through(x.to("npu")).cpu(), x, rtol=0, atol=0)
    cores, dtypes, consts = ops.through_kernel.runs[-1]
    assert (cores, consts) == (1, {"tile": 128})
    assert dtypes["F"].torch == "float32"


def test_a_plan_runs_once_for_shapes_types_and_attributes() -> None:
    ops.SEEN.clear()
    for shape, dtype, i in [
        ((2, 3), torch.float32, 1),
        ((3, 2), torch.float32, 1),
        ((2, 3), torch.float16, 1),
        ((2, 3), torch.float32, 2),
    ]:
        for _ in range(3):
            ops.attributes(torch.randn(shape, device="npu").to(dtype), i)
    assert len(ops.SEEN) == 4


def test_cores_are_those_of_the_chip() -> None:
    chip = chips.current()
    assert [fe.at_most(n, "vector") for n in (0, 1, 7, 10**9)] == [1, 1, 7, chip.vector_cores]
    assert fe.at_most(10**9, "cube") == fe.at_most(10**9, "mix") == chip.cube_cores


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: ops.add(_t(2, 3), _t(2, 4)), errors.DimensionsDisagree, "dimension 1 of ... is 3 in x and 4 in y"),
        (lambda: ops.add(_t(2, 3), _t(3)), errors.DimensionsDisagree, "dimension ... is [2, 3] in x and [3] in y"),
        (lambda: ops.rms_norm(_t(2, 8), _t(7)), errors.DimensionsDisagree,
         "dimension d is 8 in x (dimension 1, shape [2, 8]) and 7 in weight (dimension 0, shape [7])"),
        (lambda: ops.accumulate(_t(2, 3), _t(3)), errors.WrongRank, "total has the shape [2, 3], its signature says [n]"),
        (lambda: ops.rms_norm(_t()), errors.WrongRank, "x has the shape [], its signature says [..., d]"),
        (lambda: ops.add(_t(3).double(), _t(3).double()), errors.WrongDtype,
         "x is float64, allowed: float16, float32, int32 (T)"),
        (lambda: ops.add(_t(3), _t(3).half()), errors.WrongDtype, "y is float16, x is float32, and both are declared T"),
        (lambda: ops.add_wide(_t(2, 3), _t(2)), errors.DimensionsDisagree, "is 3 in *a and 2 in *b"),
        (lambda: ops.scaled_all([_t(3), _t(3).double()], 1.0), errors.WrongDtype, "xs[1] is float64"),
        (lambda: ops.add(_t(3), torch.ones(3)), errors.WrongDevice, "x is on npu:0 and y on cpu"),
        (lambda: ops.top(_t(3), -1), errors.NegativeSize, "output values would have the shape [-1]"),
    ],
)  # fmt: skip
def test_a_wrong_call_names_both(call: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert says in str(caught.value)
    assert "defined.py:" in str(caught.value) or error is errors.WrongDevice


def _t(*shape: int) -> torch.Tensor:
    return torch.ones(shape, device="npu")
