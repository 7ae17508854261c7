"""Picking and placing by index run as one call of ATen, right at the edges and with eager mode's errors."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ferrata
from ferrata import ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import Desc
from ferrata.ge.types import ge_dtype

X = torch.arange(24.0).reshape(2, 3, 4)
I64 = torch.int64


def index(*indices: torch.Tensor, mask: tuple[int, ...] = (), x: torch.Tensor = X) -> Any:
    """A compiled IndexByTensor and its inputs."""
    with ge.GraphBuilder("g") as g:
        a = g.data("x", Desc(int(ge_dtype(x.dtype)), tuple(x.shape)))
        refs = [g.data(f"i{k}", Desc(int(ge_dtype(i.dtype)), tuple(i.shape))) for k, i in enumerate(indices)]
        attrs = {"indices_mask": AttrValue("ListInt", list(mask))} if mask else {}
        graph = g.finish([g.add("IndexByTensor", {"x": a, "indices": refs}, attrs=attrs)[0]])
    return ge.Session("O1").compile(graph), (x, *indices)


T = torch.tensor
CASES = [
    ((T([1, 0, 1]),), (), "x[i0]"),
    ((T([-1, -2]),), (1,), "x[i0]"),
    ((T([[0, 2], [1, 1]]),), (0, 1), "x[:, i0]"),
    ((T([0, 1]), T([3, -4])), (1, 0, 1), "x[i0, :, i1]"),
    ((T([0, 1]), T([[2], [0]])), (0, 1, 1), "x[:, i0, i1]"),
    ((T([1]),), (1, 0, 0), "x[i0]"),
    ((torch.zeros(0, dtype=I64),), (), "x[i0]"),
    ((T([2, 0]),), (0, 0, 1), "x[:, :, i0]"),
    ((T(1),), (), None),  # without dimensions: a view of x, were it Python's index
    ((T([0, 1]), T(2)), (0, 1, 1), None),
]


@pytest.mark.parametrize(("indices", "mask", "text"), CASES)
def test_index_by_tensor(indices: tuple[torch.Tensor, ...], mask: tuple[int, ...], text: str | None) -> None:
    compiled, inputs = index(*indices, mask=mask)
    rest = iter(indices)
    spread = [next(rest) if bit else None for bit in mask] if mask else list(indices)
    expected = torch.ops.aten.index.Tensor(X, spread)
    (got,) = compiled(*inputs)
    assert torch.equal(got, expected)
    assert got.untyped_storage().data_ptr() != X.untyped_storage().data_ptr(), "always new memory"
    assert (f" = {text}" in compiled.source) == (text is not None)


@pytest.mark.parametrize("value", [2, -3])
def test_an_index_out_of_range_is_eager_modes_error(value: int) -> None:
    compiled, inputs = index(T([0, value]))
    with pytest.raises(IndexError) as theirs:
        torch.ops.aten.index.Tensor(X, [T([0, value])])
    with pytest.raises(IndexError) as ours:
        compiled(*inputs)
    assert str(ours.value) == str(theirs.value)


def test_an_empty_tensor() -> None:
    compiled, inputs = index(torch.zeros(0, dtype=I64), x=torch.zeros(0, 3))
    assert compiled(*inputs)[0].shape == (0, 3)


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("none", None),
        ("add", [4.0, 10.0, 3.0]),
        ("mul", [3.0, 32.0, 3.0]),
        ("max", [3.0, 4.0, 3.0]),
        ("min", [1.0, 2.0, 3.0]),
    ],
)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
@pytest.mark.parametrize("fresh", [False, True], ids=["input", "fresh"])
def test_scatter_elements(reduction: str, expected: list[float] | None, dtype: torch.dtype, fresh: bool) -> None:
    """Twice to one place where the order does not matter; fresh: into memory that dies, which it may write."""
    indices, updates = (T([0, 1, 1]), T([3.0, 4.0, 4.0])) if reduction != "none" else (T([2, 0]), T([3.0, 4.0]))
    data = T([1.0, 2.0, 3.0])
    with ge.GraphBuilder("g") as g:
        a = g.data("x", Desc(0, (3,)))
        i = g.data("i", Desc(int(ge_dtype(dtype)), tuple(indices.shape)))
        u = g.data("u", Desc(0, tuple(updates.shape)))
        base = g.add("Abs", {"x": a}, attrs={})[0] if fresh else a
        attrs = {"axis": AttrValue("Int", 0), "reduction": AttrValue("Str", reduction)}
        graph = g.finish([g.add("ScatterElements", {"data": base, "indices": i, "updates": u}, attrs=attrs)[0]])
    compiled = ge.Session("O1").compile(graph)
    for _ in range(2):
        given = data.clone()
        (got,) = compiled(given, indices.to(dtype), updates)
        if expected is None:
            assert got.tolist() == [4.0, 2.0, 3.0]
        elif reduction == "add":
            assert got.tolist() == [4.0, 10.0, 3.0]
        else:
            assert got.tolist() == expected
        assert torch.equal(given, data)
    assert ("_(0, i.long(), u" in compiled.source) == fresh


@pytest.mark.parametrize("alpha", [None, 2])
@pytest.mark.parametrize(
    ("indices", "expected"), [([0, 2, 2], [2.0, 0.0, 7.0]), ([], [0.0, 0.0, 0.0]), ([1], [0.0, 2.0, 0.0])]
)
def test_index_add(indices: list[int], expected: list[float], alpha: int | None) -> None:
    updates = T([2.0, 3.0, 4.0])[: len(indices)]

    def function(i: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        return torch.zeros(3).index_add(0, i, u, alpha=alpha or 1)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=ferrata.get_npu_backend(), fullgraph=True)
    for _ in range(2):
        assert compiled(T(indices, dtype=I64), updates).tolist() == [(alpha or 1) * v for v in expected]
    if indices:
        with pytest.raises((IndexError, RuntimeError), match=r"out of range|self") as ours:
            compiled(T([3] * len(indices)), updates)
        with pytest.raises((IndexError, RuntimeError)) as theirs:
            function(T([3] * len(indices)), updates)
        assert str(ours.value) == str(theirs.value)
