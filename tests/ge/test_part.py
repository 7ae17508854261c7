"""Parts that are written into a tensor, scatters and copies use memory that dies, and nothing else sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import ferrata
from ferrata import ge
from ferrata.ge.ir import IN_PLACE, Desc
from ferrata.ge.passes.part import replaced_part
from ferrata.ge.probe import Tap
from tests.ge.nodes import add

pytestmark = pytest.mark.slow


def check(function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    """Compiled equals eager in every bit and stride, twice, and writes to the inputs what eager writes."""
    torch._dynamo.reset()
    config = ferrata.CompilerConfig()
    config.ge_config.oo_level = "O1"
    compiled = torch.compile(function, backend=ferrata.get_npu_backend(compiler_config=config), fullgraph=True)
    with torch.no_grad():
        for _ in range(2):
            ours, theirs = ([i.clone() for i in inputs] for _ in range(2))
            got, expected = compiled(*ours), function(*theirs)
            for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, expected)), strict=True):
                assert torch.equal(a, b)
                assert a.stride() == b.stride()
            assert all(map(torch.equal, ours, theirs))


def rows(x: torch.Tensor) -> torch.Tensor:
    out, state = torch.zeros_like(x), x[:, 0]
    for t in range(x.shape[1]):
        state = state * 0.5 + x[:, t]
        out[:, t] = state
    return out


def middle(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[:, 1:3] = x[:, 2:4] * 2
    return y


def ends(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[:2] = x[1:3]
    y[..., -1:] = 7.0
    return y


def shifted(x: torch.Tensor) -> torch.Tensor:
    """The new part lies in the tensor, one place further."""
    y = x + 1
    y[:, 1:] = y[:, :-1].clone()
    return y


def one_row_to_the_next(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[:, 1] = y[:, 0]
    y[:, 2] = y[:, 1]
    return y


def turned_onto_itself(x: torch.Tensor) -> torch.Tensor:
    y = x[:, :3] + 1
    z = y.t()
    z[:, 1] = y[:, 2]
    return z * 2


def into_a_view(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).t()
    y[:, 1] = 3.0
    return y


def read_later(x: torch.Tensor) -> Any:
    y = x + 1
    z = y.clone()
    z[:, 1] = 3.0
    return y * 2, z


def handed_out(x: torch.Tensor) -> Any:
    y = x + 1
    z = y.clone()
    z[0] = 5.0
    return y, z


def input_written(x: torch.Tensor) -> torch.Tensor:
    x[:, 1] = 3.0
    return x + 1


def input_copied(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, 1] = 3.0
    return y


def empty_part(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[:, 2:2] = x[:, :0]
    return y


def source_overwritten(x: torch.Tensor) -> torch.Tensor:
    """The source of the copy dies before the part is written."""
    y, z = x + 1, x * 2
    row = z[0].clone()
    z = torch.relu(z)
    y[1] = row
    return y + z


X = torch.arange(-6.0, 9.0).reshape(3, 5)
WRITTEN = [rows, middle, ends, one_row_to_the_next, into_a_view, source_overwritten]
OTHERS = [read_later, input_copied, shifted, turned_onto_itself, handed_out, input_written, empty_part]


@pytest.mark.parametrize("function", [*WRITTEN, *OTHERS], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [X, X.t().contiguous().t()], ids=["rows", "columns"])
def test_parts_that_are_written(made: list[Any], function: Callable[..., Any], x: torch.Tensor) -> None:
    check(function, x)
    if function in WRITTEN:
        source = made[-1].get_code()
        assert "write_row(" in source or "write_part(" in source
        assert "torch.cat(" not in source


def test_a_loop_over_rows_copies_each_once(made: list[Any]) -> None:
    check(rows, X)
    source = made[-1].get_code()
    assert source.count("write_row(") == X.shape[1]
    assert "cat(" not in source
    assert ".clone(" not in source


def indexed(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(x).index_add(0, i, x[: i.numel()])


def scattered(x: torch.Tensor, i: torch.Tensor) -> Any:
    at = i[:, None].expand(-1, x.shape[1])
    given = x[: i.numel()]
    zeros = torch.zeros_like(x)
    return (
        (x + 1).scatter(0, at, given), (x + 1).scatter_add(0, at, given), zeros.scatter_reduce(0, at, given, "amax"),
        (x + 1).scatter_reduce(0, at, given, "amin"), (x + 1).scatter_reduce(0, at, given, "prod"),
    )  # fmt: skip


@pytest.mark.parametrize("index", [[0, 2], [1, 1, 1], []], ids=["some", "twice", "none"])
@pytest.mark.parametrize("function", [indexed, scattered], ids=lambda f: f.__name__)
def test_scatters_into_memory_of_their_own(made: list[Any], function: Callable[..., Any], index: list[int]) -> None:
    if function is scattered and index == [1, 1, 1]:
        index = [2, 0, 1]  # which of two comes last is nobody's promise
    check(function, X, torch.tensor(index, dtype=torch.int64))
    source = made[-1].get_code()
    assert ".clone(" not in source


def test_a_scatter_writes_into_what_dies_and_keeps_what_lives(made: list[Any]) -> None:
    def function(x: torch.Tensor, i: torch.Tensor) -> Any:
        y, z = x + 1, x * 3
        return y.scatter_add(0, i, x), z.scatter_add(0, i, x), z

    check(function, X, torch.tensor([[1, 0, 1, 2, 2]]))
    source = made[-1].get_code()
    assert source.count(".scatter_add_(") == 1


def test_the_operand_of_a_scatter_is_not_written_where_it_is_the_update_too(made: list[Any]) -> None:
    def function(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        y = x + 1
        return y.scatter_add(1, i, y)

    check(function, X, torch.tensor([[1, 0, 1, 2, 2], [4, 4, 4, 4, 4]]))
    assert "scatter_add_(" not in made[-1].get_code()


@pytest.mark.parametrize("index", [[[3, 0, 0, 0, 0]], [[-4, 0, 0, 0, 0]]], ids=["above", "below"])
def test_an_index_out_of_range_is_the_error_of_eager_mode(index: list[list[int]]) -> None:
    def function(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        return (x + 1).scatter_add(0, i, x)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=ferrata.get_npu_backend(), fullgraph=True)
    with pytest.raises(RuntimeError, match="out of bounds") as theirs:
        function(X, torch.tensor(index))
    with pytest.raises(RuntimeError, match="out of bounds") as ours:
        compiled(X, torch.tensor(index))
    assert str(ours.value) == str(theirs.value)


def cut(g: Any, x: Any, start: int, stop: int, axis: int = 1) -> Any:
    numbers = [g.const(torch.tensor([n])) for n in (start, stop, axis, 1)]
    return add(g, "StridedSliceV2", x, *numbers)


def joined(g: Any, *parts: Any, axis: int = 1) -> Any:
    return g.add("ConcatV2", {"x": list(parts), "concat_dim": g.const(torch.tensor(axis))}, attrs={})[0]


@pytest.mark.parametrize(
    ("cuts", "part"),
    [
        (((0, 2), 1, (3, 6)), (2, 3)), (((0, 5), 1), (5, 6)), ((2, (2, 6)), (0, 2)), (((0, 2), 1, (4, 6)), None),
        (((1, 2), 1, (3, 6)), None), (((0, 2), 2, (3, 6)), None), (((3, 6), (0, 3)), None), ((3, 3), None),
        (((0, 2), (2, 3), (3, 6)), (2, 3)),
    ],
)  # fmt: skip
def test_which_concatenations_replace_a_part(cuts: tuple[Any, ...], part: tuple[int, int] | None) -> None:
    """A pair is a slice of the tensor of six columns, a number the columns of another."""
    with ge.GraphBuilder("g") as g:
        x = add(g, "Tanh", g.data("x", Desc(0, (4, 6))))
        given = [
            cut(g, x, *c) if isinstance(c, tuple) else g.data(f"n{i}", Desc(0, (4, c))) for i, c in enumerate(cuts)
        ]
        graph = g.finish([joined(g, *given)])
    nodes = graph.by_name()
    found = replaced_part(next(n for n in graph.nodes if n.type == "ConcatV2"), nodes)
    assert (None if found is None else (found.start, found.stop)) == part


def test_probes_see_every_value_and_nothing_written() -> None:
    with ge.GraphBuilder("g") as g:
        x, new = g.data("x", Desc(0, (4, 6))), g.data("new", Desc(0, (4, 1)))
        base = add(g, "Tanh", x)
        graph = g.finish([joined(g, cut(g, base, 0, 2), new, cut(g, base, 3, 6))])
    compiled = ge.Session().compile(graph)
    assert any(IN_PLACE in n.attrs for n in compiled.graph.nodes)
    assert "write_part(" in compiled.source
    a, b = torch.randn(4, 6), torch.randn(4, 1)
    expected = torch.tanh(a)
    seen: dict[str, torch.Tensor] = {}
    tap = Tap(after=lambda node, values: seen.update({node.name: values[0].clone()}))
    (got,) = compiled.probed(tap)([a, b])
    assert torch.equal(seen["Tanh"], expected)
    expected[:, 2:3] = b
    assert torch.equal(got, expected)
    assert torch.equal(compiled(a, b)[0], expected)
