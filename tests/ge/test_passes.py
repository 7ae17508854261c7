"""Each pass by its graph before and after, and by what the graph computes with and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import ge
from ferrata.ge.attrs import AttrValue
from ferrata.ge.ir import Desc, Graph, Ref
from ferrata.ge.passes import PIPELINE, run_passes
from ferrata.ge.types import ge_dtype

NAMES = {entry.name for entry in PIPELINE}
FLOAT = Desc(0, (4, 6))


def only(name: str, graph: Graph) -> list[str]:
    """The nodes after one pass and the removal of dead ones, as "name = Type(reads)"."""
    after = run_passes(graph, off=NAMES - {name, "DeadNodes"})
    return [
        f"{n.name} = {n.type}({', '.join(map(str, n.refs))})" for n in after.nodes if n.type not in ("Data", "Const")
    ]


def same(graph: Graph, *inputs: torch.Tensor) -> None:
    """With and without passes, and twice, the graph gives the same and leaves its inputs alike."""
    plain, fast = ge.Session(off=frozenset(NAMES)).compile(graph), ge.Session().compile(graph)
    for _ in range(2):
        first, second = [i.clone() for i in inputs], [i.clone() for i in inputs]
        assert all(map(torch.equal, plain(*first), fast(*second)))
        assert all(map(torch.equal, first, second))


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values)


def add(g: Any, op_type: str, *reads: Ref, **attrs: AttrValue) -> Ref:
    """A node of one output, ports in the prototype's order."""
    from ferrata.ge.library import prototype

    proto = prototype(op_type)
    assert proto is not None
    ref: Ref = g.add(op_type, dict(zip([p.name for p in proto.inputs], reads, strict=False)), attrs=attrs)[0]
    return ref


def test_sizes_fold_to_constants() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        sizes = add(g, "Shape", x, dtype=AttrValue("DataType", 9))
        turned = add(g, "ReverseV2", sizes, g.const(ints(0)))
        graph = g.finish([add(g, "Reshape", x, turned)])
    assert only("ConstantFolding", graph) == ["Reshape = Reshape(x:0, ReverseV2:0)"]
    assert run_passes(graph).node("ReverseV2").value.tolist() == [6, 4]
    assert run_passes(graph).node("ReverseV2").where.made_by == "ConstantFolding"
    same(graph, torch.randn(4, 6))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_small_floating_numbers_fold_to_what_a_run_gives(dtype: torch.dtype) -> None:
    table = torch.tensor([0.1, -0.0, 3.3, float("inf"), float("nan"), 65504.0]).to(dtype)
    with ge.GraphBuilder("g") as g:
        x = g.data("x", Desc(ge_dtype(dtype), (4, 6)))
        logs = add(g, "Log", add(g, "Mul", g.const(table), g.const(table)))
        graph = g.finish([add(g, "Mul", x, logs)])
    assert only("ConstantFolding", graph) == ["Mul_1 = Mul(x:0, Log:0)"]
    folded = run_passes(graph).node("Log").value
    torch.testing.assert_close(folded, (table * table).log(), rtol=0, atol=0, equal_nan=True)
    assert folded.dtype == dtype


def test_results_and_large_values_do_not_fold() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        large = add(g, "Neg", g.const(torch.arange(24 * 6).view(6, 24).t() / 2))
        graph = g.finish(
            [add(g, "Neg", g.const(ints(1))), add(g, "Mul", add(g, "Reshape", x, g.const(ints(24, 1))), large)]
        )
    assert sum("= Neg" in line for line in only("ConstantFolding", graph)) == 2
    same(graph, torch.randn(4, 6))


def test_equal_nodes_merge_and_different_ones_do_not() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        means = [add(g, "ReduceMean", x, g.const(ints(axis)), keep_dims=AttrValue("Bool", True)) for axis in (1, 1, 0)]
        total = add(g, "Add", add(g, "Add", means[0], means[1]), means[2])
        graph = g.finish([total])
    assert only("CommonSubexpressions", graph) == [
        "ReduceMean = ReduceMean(x:0, Const:0)", "ReduceMean_2 = ReduceMean(x:0, Const_2:0)",
        "Add = Add(ReduceMean:0, ReduceMean:0)", "Add_1 = Add(Add:0, ReduceMean_2:0)",
    ]  # fmt: skip
    same(graph, torch.randn(4, 6))


def test_nothing_merges_across_a_write_nor_into_a_result() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        before = add(g, "Neg", x)
        g.add("Assign", {"ref": x, "value": y})
        after = add(g, "Neg", x)
        graph = g.finish([add(g, "Add", before, after), add(g, "Abs", y), add(g, "Abs", y)])
    assert len(only("CommonSubexpressions", graph)) == 6
    same(graph, torch.randn(4, 6), torch.randn(4, 6))


def test_casts_that_widen_and_come_back_go() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", Desc(1, (4,)))  # float16
        wide = add(g, "Cast", x, dst_type=AttrValue("Int", 0))
        graph = g.finish([add(g, "Neg", add(g, "Cast", wide, dst_type=AttrValue("Int", 1)))])
    assert only("RedundantNodes", graph) == ["Neg = Neg(x:0)"]
    same(graph, torch.randn(4).half())


@pytest.mark.parametrize("write", [False, True])
def test_casts_that_round_or_copy_what_is_written_stay(write: bool) -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", Desc(1 if write else 0, (4,)))
        there, back = (0, 1) if write else (1, 0)
        copy = add(g, "Cast", add(g, "Cast", x, dst_type=AttrValue("Int", there)), dst_type=AttrValue("Int", back))
        if write:
            g.add("Assign", {"ref": x, "value": add(g, "Neg", x)})
        graph = g.finish([add(g, "Neg", copy)])
    assert sum("= Cast" in line for line in only("RedundantNodes", graph)) == 2
    same(graph, torch.full((4,), 0.1, dtype=torch.half if write else torch.float))


def test_reshapes_and_transpositions_that_undo_each_other_go() -> None:
    with ge.GraphBuilder("g") as g:
        x = g.data("x", FLOAT)
        flat = add(g, "Reshape", x, g.const(ints(-1)))
        back = add(g, "Reshape", flat, g.const(ints(4, 6)))
        other = add(g, "Reshape", add(g, "Reshape", back, g.const(ints(3, 8))), g.const(ints(2, 12)))
        graph = g.finish([add(g, "Neg", back), add(g, "Neg", other)])
    assert only("RedundantNodes", graph) == [
        "Reshape_3 = Reshape(x:0, Const_3:0)", "Neg = Neg(x:0)", "Neg_1 = Neg(Reshape_3:0)"
    ]  # fmt: skip
    same(graph, torch.randn(4, 6))


def stacked(g: Any, parts: list[Ref], axis: int, at: int) -> Ref:
    """One part of a stack, as PyTorch's `stack` and `select` are written in GE."""
    attrs = {"axis": AttrValue("Int", axis), "N": AttrValue("Int", len(parts))}
    stack = g.add("Pack", {"x": parts}, attrs=attrs)[0]
    bounds = [g.const(ints(b)) for b in (at, at + 1 if at != -1 else 2**31 - 1, axis, 1)]
    return add(g, "Squeeze", add(g, "StridedSliceV2", stack, *bounds), axis=AttrValue("ListInt", [axis]))


@pytest.mark.parametrize(("axis", "at", "chosen"), [(0, 0, "x"), (2, 1, "y"), (-1, -1, "y"), (-2, -2, "x")])
def test_one_part_of_a_stack_is_read_without_the_stack(axis: int, at: int, chosen: str) -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        graph = g.finish([add(g, "Neg", stacked(g, [x, y], axis, at))])
    assert only("RedundantNodes", graph) == [f"Neg = Neg({chosen}:0)"]
    same(graph, torch.randn(4, 6), torch.randn(4, 6))


@pytest.mark.parametrize("kind", ["result", "written", "view", "longer", "along another axis"])
def test_a_part_of_a_stack_that_is_more_than_the_part_stays(kind: str) -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        if kind == "longer":
            stack = g.add("Pack", {"x": [x, y]}, attrs={"axis": AttrValue("Int", 0), "N": AttrValue("Int", 2)})[0]
            part = add(g, "StridedSliceV2", stack, *[g.const(ints(b)) for b in (0, 2, 0, 1)])
        elif kind == "along another axis":
            stack = g.add("Pack", {"x": [x, y]}, attrs={"axis": AttrValue("Int", 0), "N": AttrValue("Int", 2)})[0]
            row = add(g, "StridedSliceV2", stack, *[g.const(ints(b)) for b in (1, 2, 1, 1)])
            part = add(g, "Squeeze", row, axis=AttrValue("ListInt", [1]))
        else:
            part = stacked(g, [x, y], 0, 1)
        if kind == "written":
            g.add("Assign", {"ref": y, "value": add(g, "Neg", x)})
        if kind == "view":
            part = add(g, "Transpose", part, g.const(ints(1, 0)))
        graph = g.finish([part if kind == "result" else add(g, "Neg", part)])
    gone = kind == "view"  # both lie alike here, so the view may read the part itself
    assert (not any("= Pack" in line for line in only("RedundantNodes", graph))) == gone
    same(graph, torch.randn(4, 6), torch.randn(4, 6))


@pytest.mark.parametrize(("op_type", "shape", "attr"), [
    ("MatMulV2", (4, 6), "transpose_x2"), ("BatchMatMulV2", (2, 4, 6), "adj_x2")
])  # fmt: skip
def test_transposed_operands_become_attributes(op_type: str, shape: tuple[int, ...], attr: str) -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", Desc(0, shape)), g.data("y", Desc(0, shape))
        rank = len(shape)
        swap = g.const(ints(*range(rank - 2), rank - 1, rank - 2))
        graph = g.finish([add(g, op_type, x, add(g, "Transpose", y, swap))])
    assert only("TransposeIntoMatMul", graph) == [f"{op_type} = {op_type}(x:0, y:0)"]
    assert run_passes(graph).node(op_type).attrs[attr].value is True
    a, b = torch.randn(shape), torch.randn(shape)
    (out,) = ge.Session().compile(graph)(a, b)
    torch.testing.assert_close(out, a @ b.mT)


def test_another_order_of_dimensions_stays() -> None:
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", Desc(0, (2, 4, 6))), g.data("y", Desc(0, (6, 5, 2)))
        graph = g.finish([add(g, "BatchMatMulV2", x, add(g, "Transpose", y, g.const(ints(2, 0, 1))))])
    assert len(only("TransposeIntoMatMul", graph)) == 2
    same(graph, torch.randn(2, 4, 6), torch.randn(6, 5, 2))


def test_passes_that_change_nothing_return_the_graph() -> None:
    with ge.GraphBuilder("g") as g:
        graph = g.finish([add(g, "Neg", g.data("x", FLOAT))])
    assert run_passes(graph) is graph


def test_dumps_of_all_stages_show_each_pass_that_changed_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "GRAPH": "2",
        "GRAPH_LEVEL": "1",
        "GRAPH_PATH": str(tmp_path),
        "GRAPH_FORMAT": "readable",
    }.items():
        monkeypatch.setenv(f"DUMP_{name}" if name != "GRAPH" else "DUMP_GE_GRAPH", value)
    with ge.GraphBuilder("g") as g:
        x, y = g.data("x", FLOAT), g.data("y", FLOAT)
        graph = g.finish([add(g, "MatMulV2", x, add(g, "Transpose", y, g.const(ints(1, 0))))])
    ge.Session().compile(graph)
    stages = [path.stem.rsplit("_", 1)[1] for path in sorted(tmp_path.rglob("*.txt"))]
    assert stages == [
        "PreRunBegin", "BeforeTransposeIntoMatMul", "AfterTransposeIntoMatMul", "BeforeDeadNodes", "AfterDeadNodes",
        "Build",
    ]  # fmt: skip
