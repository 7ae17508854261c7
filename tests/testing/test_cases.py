"""Cases: what users may write, how it is read back from a failure, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ferrata import errors
from ferrata import testing as ft
from ferrata.testing import dims
from ferrata.testing.cases import Case, bind, combinations, sample
from ferrata.testing.layouts import LAYOUTS, block, footprint, place
from ferrata.testing.subject import AttrParam, Subject, TensorParam

F16, F32, I64 = torch.float16, torch.float32, torch.int64


def operator(*params: Any, **fields: Any) -> Subject:
    """A Subject that is never called."""
    return Subject("lib::op", None, params, ("out",), "here.py:1", **fields)


X = TensorParam("x", "required", (F16, F32), "T", ("...", "n"))
W = TensorParam("w", "optional", (F16, F32), "T", ("n",))
INDEX = TensorParam("index", "required", (I64,), "", ("m",))
XS = TensorParam("xs", "list", (F32,), "", ("...",))
ALPHA = AttrParam("alpha", "float", 1.0)
STEPS = AttrParam("steps", "int")


@pytest.mark.parametrize(
    "case",
    [
        ft.case(x=(8, 2048), alpha=2.0),
        ft.case(x=(), w=None, name="a'b"),
        ft.case(x=(5,), index=ft.ints(0, 5, 3, 2)),
        ft.case(xs=[(2, 3), (1,)], dims=[1, 2]),
    ],
)
def test_a_case_is_read_back_from_its_text(case: Case) -> None:
    class fe:
        testing = ft

    again = eval(repr(case), {"fe": fe})
    assert again.values == case.values


def test_a_small_tensor_is_read_back_from_its_text() -> None:
    case = ft.case(x=torch.tensor([1, 2]))
    assert repr(case) == "fe.testing.case(x=torch.tensor([1, 2], dtype=torch.int64))"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"x": (2, 3), "y": (2, 3)}, "the operator has no parameter y"),
        ({"x": (2, 3), "alpah": 1.0}, "did you mean alpha?"),
        ({"alpha": 1.0}, "x is missing"),
        ({"x": 3}, "x is a tensor: give its shape, a tensor or a function, not 3"),
        ({"x": (2, -1)}, "x is a tensor: give its shape"),
        ({"x": (2, 3.5)}, "x is a tensor: give its shape"),
        ({"x": None}, "x is a tensor: give its shape"),
        ({"x": "abc"}, "x is a tensor: give its shape"),
    ],
)
def test_what_is_no_case_is_refused(values: Any, reason: str) -> None:
    with pytest.raises(errors.BadCase) as caught:
        bind(operator(X, W, ALPHA), values)
    assert reason in str(caught.value)


def test_a_list_of_tensors_is_a_list_of_shapes() -> None:
    assert bind(operator(XS), {"xs": [(2, 3), (4,)]}).values["xs"] == [(2, 3), (4,)]
    with pytest.raises(errors.BadCase, match="give a list of shapes or tensors"):
        bind(operator(XS), {"xs": (2, 3)})


def test_a_case_that_is_something_else_is_refused() -> None:
    with pytest.raises(errors.BadCase, match="a case is fe"):
        bind(operator(X), (8, 2048))


def test_every_dtype_of_every_variable_is_run() -> None:
    other = TensorParam("q", "required", (I64, torch.int32, torch.int8), "Q", None)
    found = combinations(operator(X, other), ft.case(x=(2,), q=(2,)), None)
    assert [d["T"] for d in found] == [F16, F32, F16]
    assert [d["Q"] for d in found] == [I64, torch.int32, torch.int8]


def test_dtypes_can_be_restricted_and_a_tensor_fixes_its_own() -> None:
    op = operator(X, INDEX)
    assert combinations(op, ft.case(x=(2, 3), index=(2,)), [F32]) == [{"T": F32, "index": I64}]
    assert combinations(op, ft.case(x=(2, 3), index=(2,)), {"T": F16}) == [{"T": F16, "index": I64}]
    assert combinations(op, ft.case(x=torch.ones(2, 3, dtype=F16), index=(2,)), None) == [{"T": F16, "index": I64}]
    with pytest.raises(errors.BadCase, match="T is one of"):
        combinations(op, ft.case(x=(2, 3), index=(2,)), [torch.bfloat16])


def test_values_are_the_same_each_time_and_differ_between_parameters() -> None:
    op, case = operator(X, W), ft.case(x=(4, 5), w=(5,))
    first, second = (sample(op, case, {"T": F32}).masters for _ in range(2))
    assert torch.equal(first["x"], second["x"])
    assert not torch.equal(first["x"][0], first["w"])


def test_integer_parameters_hold_valid_indices() -> None:
    masters = sample(operator(X, INDEX), ft.case(x=(7, 9), index=(50,)), {"T": F32, "index": I64}).masters
    assert masters["index"].min() >= 0 and masters["index"].max() < 7


def test_special_values_hold_what_breaks_kernels() -> None:
    x = sample(operator(X), ft.case(x=(4, 32)), {"T": F16}, special=True).masters["x"]
    assert x.isnan().any() and x.isposinf().any() and x.isneginf().any()
    assert (x == torch.finfo(F16).max).any()
    assert ((x.abs() > 0) & (x.abs() < torch.finfo(F16).smallest_normal)).any()


def test_callables_and_ranges_make_tensors() -> None:
    case = ft.case(x=lambda dtype: torch.arange(6, dtype=dtype).reshape(2, 3), index=ft.ints(3, 5, 40))
    masters = sample(operator(X, INDEX), case, {"T": F16, "index": I64}).masters
    assert masters["x"].dtype == F16 and masters["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert set(masters["index"].tolist()) == {3, 4}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (2, 1, 3), (0, 3)])
def test_a_layout_keeps_shape_and_values(layout: str, shape: tuple[int, ...]) -> None:
    values = torch.randn(shape)
    placed = place(values, layout, "cpu")
    assert placed.shape == values.shape
    if layout == "expanded" and values.numel() > 1:
        dim = next(i for i, n in enumerate(shape) if n > 1)
        assert placed.stride(dim) == 0
        values = values.narrow(dim, 0, 1).expand(shape)
    assert torch.equal(placed, values)
    assert int(footprint(placed).sum()) <= block(placed).numel()


def test_the_layouts_are_what_they_are_called() -> None:
    x = torch.randn(4, 6)
    assert place(x, "strided", "cpu").stride() == (12, 2)
    assert place(x, "transposed", "cpu").stride() == (1, 4)
    assert place(x, "offset", "cpu").storage_offset() == 1
    assert place(x, "offset", "cpu").is_contiguous()
    assert place(x, "expanded", "cpu", mutated=True).is_contiguous()


def test_an_unknown_layout_and_an_unknown_check_are_refused(library: Any) -> None:
    name = library.define("id(Tensor x) -> Tensor", lambda x: x.clone(), lambda x: x.new_empty(x.shape))
    with pytest.raises(errors.UnknownLayout, match="Known: contiguous"):
        ft.check(name, [ft.case(x=(3,))], layouts=["contigous"], show=False)
    with pytest.raises(errors.UnknownCheck, match="Known: 'runs'"):
        ft.check(name, [ft.case(x=(3,))], only=["value"], show=False)


@pytest.mark.parametrize("what", [3, "add", "nobody::knows", len, torch.add])
def test_what_is_no_operator_is_refused(what: Any) -> None:
    with pytest.raises(errors.NotAnOperator, match="is not an operator"):
        ft.check(what, [ft.case(x=(3,))])


@pytest.mark.parametrize(
    ("dimensions", "shape", "sizes"),
    [
        (("...",), (2, 3), {"...": (2, 3)}),
        (("...", "n"), (2, 3), {"...": (2,), "n": 3}),
        (("n", "...", 4), (2, 4), {"n": 2, "...": ()}),
        (("n", "n"), (2, 2), {"n": 2}),
        (("n", "n"), (2, 3), None),
        ((4,), (5,), None),
        (("n",), (2, 3), None),
        (("a", "...", "b"), (2,), None),
        (("_", "*lead"), (5, 6, 7), {"*lead": (6, 7)}),
    ],
)
def test_sizes_are_bound_from_shapes(dimensions: Any, shape: Any, sizes: Any) -> None:
    assert dims.unify(dimensions, shape, {}) == sizes
    if sizes is not None and "_" not in dimensions:
        assert dims.shaped(dimensions, sizes) == shape


def test_edge_cases_follow_from_the_signature() -> None:
    op = operator(X, W)
    empty = dims.without_elements(op, ft.case(x=(2, 3, 4), w=(4,)))
    assert empty is not None and empty.values == {"x": (0, 3, 4), "w": (4,)}
    empty = dims.without_elements(op, ft.case(x=(4,), w=(4,)))
    assert empty is not None and empty.values == {"x": (0,), "w": (0,)}
    assert dims.without_dimensions(op, ft.case(x=(2, 4))) is None
    same = operator(TensorParam("x", dims=("...",)), TensorParam("y", dims=("...",)))
    scalar = dims.without_dimensions(same, ft.case(x=(2, 3), y=(2, 3)))
    assert scalar is not None and scalar.values == {"x": (), "y": ()}
    unsized = operator(TensorParam("x", dims=("_", "n")), TensorParam("w", dims=("n",)))
    empty = dims.without_elements(unsized, ft.case(x=(7, 4), w=(4,)))
    assert empty is not None and empty.values == {"x": (7, 0), "w": (0,)}
