"""Operator projects of different styles, run from Python, against torch."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors, get_npu_backend
from ferrata.op import Operator, Project, load_project

pytestmark = pytest.mark.slow  # host side and kernels are compiled on first use

PROJECTS = Path(__file__).parent / "projects"
EXAMPLE = Path(__file__).parents[2] / "examples" / "kernels" / "opdef_scale_add"


@pytest.fixture(scope="module")
def affine() -> Operator:
    return load_project(PROJECTS / "affine").Affine


@pytest.fixture(scope="module")
def pick() -> Operator:
    return load_project(PROJECTS / "pick").PickOp


@pytest.fixture(scope="module")
def join() -> Operator:
    return load_project(PROJECTS / "join").JoinRows


@pytest.fixture(scope="module")
def keep() -> Operator:
    return load_project(PROJECTS / "keep").KeepAbove


@pytest.fixture(scope="module")
def many() -> Operator:
    return load_project(PROJECTS / "many").ManyScales


@pytest.fixture(scope="module")
def gather() -> Operator:
    return load_project(PROJECTS / "gather").GatherRows


@pytest.fixture(scope="module")
def scale_add() -> Operator:
    return load_project(EXAMPLE).ScaleAdd


@pytest.mark.parametrize("shape", [(1,), (3, 5000), (4096,), (200_001,), (2, 3, 64)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_the_example_scales_adds_and_sums_over_the_cores(
    scale_add: Operator, shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    x, y = torch.rand(shape, dtype=dtype), torch.rand(shape, dtype=dtype)
    z, total = scale_add(x.to("npu"), y.to("npu"), alpha=2.0)
    torch.testing.assert_close(z.cpu(), x * 2 + y)
    torch.testing.assert_close(total.cpu(), (x * 2 + y).double().sum().float().reshape(1), rtol=1e-4, atol=1e-3)


def test_the_tiling_key_selects_the_branch(scale_add: Operator) -> None:
    x = torch.rand(100)
    assert scale_add.tiling(x, x)["key"] == 2
    found = scale_add.tiling(x, x, with_sum=False)
    assert (found["key"], found["blocks"], found["bytes"]) == (1, 1, 16)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
@pytest.mark.parametrize("with_bias", [False, True])
def test_dtype_columns_and_an_optional_input(affine: Operator, dtype: torch.dtype, with_bias: bool) -> None:
    x = torch.randint(-50, 50, (33, 47)).to(dtype)
    bias = torch.randint(-50, 50, (33, 47)).to(dtype) if with_bias else None
    expected = x * 3 + 6 + (bias if bias is not None else 0)
    torch.testing.assert_close(affine(x, bias, scale=3.0), expected.to(dtype))


def test_attributes_have_their_defaults_and_take_lists_and_texts(affine: Operator) -> None:
    x = torch.zeros(8)
    assert affine.schema == (
        "(Tensor x, Tensor? bias=None, *, float scale, int[] shifts=[1, 2, 3], "
        'str mode="all", float eps=1e-12) -> Tensor'
    )
    assert affine(x, scale=1.0).tolist() == [6.0] * 8
    assert affine(x, scale=1.0, shifts=[10, 20, 30]).tolist() == [60.0] * 8
    assert affine(x, scale=1.0, mode="none").tolist() == [0.0] * 8


def test_an_empty_tensor_is_legal(affine: Operator) -> None:
    assert affine(torch.zeros(0, 5), scale=1.0).shape == (0, 5)


def test_a_view_is_read_through_its_strides(affine: Operator) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    torch.testing.assert_close(affine(x.to("npu").t(), scale=2.0).cpu(), x.t() * 2 + 6)


def test_a_dynamic_input_is_a_list_and_two_outputs_a_tuple(join: Operator) -> None:
    parts = [torch.rand(n, 5) for n in (2, 1, 4)]
    together, rows = join([p.to("npu") for p in parts])
    assert torch.equal(together.cpu(), torch.cat(parts))
    assert rows.tolist() == [7, 6, 9]  # InitValue(5), then what the kernel adds


def test_nested_tiling_classes_lie_as_the_kernel_reads_them(join: Operator) -> None:
    data = join.tiling([torch.rand(3, 6), torch.rand(4, 6)])["data"]
    assert len(data) == 32
    assert int.from_bytes(data[0:2], "little") == 7  # rows
    assert data[8] == 1  # part.flag
    assert int.from_bytes(data[16:24], "little") == 6  # part.columns
    assert [int.from_bytes(data[i : i + 2], "little") for i in (24, 26, 28)] == [7, 8, 9]


@pytest.mark.parametrize(
    ("dtype", "mode", "twice", "expected"),
    [
        (torch.float32, 1, False, 5.0),
        (torch.float32, 2, True, 18.0),
        (torch.int32, 1, True, 8),
    ],
)
def test_template_keys_instantiate_the_kernel(
    pick: Operator, dtype: torch.dtype, mode: int, twice: bool, expected: float
) -> None:
    x, y = torch.full((4,), 2, dtype=dtype), torch.full((4,), 3, dtype=dtype)
    result = pick(x, y, mode=mode, twice=twice)
    assert result is x and x.tolist() == [expected] * 4  # the output is the input, written


def test_a_combination_that_no_selection_permits_is_refused(pick: Operator) -> None:
    x = torch.ones(4, dtype=torch.int32)
    with pytest.raises(errors.TemplateKeyRefused, match="TYPE = 3, MODE = 2, TWICE = 0"):
        pick(x, x, mode=2)


@pytest.mark.parametrize("shape", [(3, 7), (1,), (0,), (1000,)])
def test_a_kernel_computes_the_shape_of_its_output(keep: Operator, shape: tuple[int, ...]) -> None:
    x = torch.rand(shape)
    kept, count, pairs = keep(x.to("npu"), limit=0.25)
    want = x[x > 0.25]
    assert torch.equal(kept.cpu(), want)
    assert count.tolist() == [want.numel()]
    assert torch.equal(pairs.cpu(), torch.arange(2 * want.numel(), dtype=torch.int32).reshape(2, -1))


def test_a_shape_that_is_missing_or_too_large_is_an_error(keep: Operator) -> None:
    with pytest.raises(errors.OutputShapeNotComputed, match=r"gave nothing for output kept, .* \[5\]"):
        keep(torch.rand(5), fail=1)
    with pytest.raises(errors.OutputShapeNotComputed, match=r"gave the shape \[6\] for output kept, .* \[5\]"):
        keep(torch.rand(5), fail=2)


def test_a_graph_has_the_computed_shape_as_a_symbol(keep: Operator) -> None:
    def model(x: Any) -> Any:
        kept, count, pairs = torch.ops.op_project.keep_above(x * 2, limit=1.0)
        return kept + 1, count, pairs.sum()

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(model, backend=get_npu_backend(), fullgraph=True)
        for n in (20, 33):
            x = torch.rand(n).to("npu")
            for got, want in zip(compiled(x), model(x), strict=True):
                assert torch.equal(got, want)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_lists_of_tensors_and_attributes(many: Operator, dtype: torch.dtype) -> None:
    xs = [torch.rand(2, 3).to(dtype), torch.rand(5).to(dtype), torch.zeros(0, 4, dtype=dtype)]
    for result, x in zip(many([x.to("npu") for x in xs]), xs, strict=True):
        torch.testing.assert_close(result.cpu(), x * 3)
    bias = torch.ones(1, dtype=dtype)
    for result, x in zip(many(xs, bias, factors=[2.0], rounds=[1, 2]), xs, strict=True):
        torch.testing.assert_close(result, x * 5 + 1)


def test_each_tiling_key_has_its_struct(many: Operator) -> None:
    x = torch.rand(5)
    assert (many.tiling([x])["key"], many.tiling([x])["bytes"]) == (1, 8)
    assert (many.tiling([x], flags=[True])["key"], many.tiling([x], flags=[True])["bytes"]) == (2, 16)
    torch.testing.assert_close(many([x], flags=[True])[0], x + 6 + 2)
    torch.testing.assert_close(many([x], flags=[True], table=[[1], [2], [3, 4]])[0], x + 10 + 3)


@pytest.mark.parametrize(("dtype", "index"), [(torch.float32, torch.int32), (torch.float32, torch.int64)])
def test_keys_select_classes_of_the_kernel(gather: Operator, dtype: torch.dtype, index: torch.dtype) -> None:
    x = torch.rand(20, 33).to(dtype)
    mask = torch.rand(40) > 0.5
    for picks, given, key in ((3, None, 200), (40, None, 100), (40, mask, 101)):
        indices = torch.randint(0, 20, (picks,)).to(index)
        assert gather.tiling(x, indices, given)["key"] == key
        y, hits = gather(x, indices, given)
        want = x[indices.long()] * (1 if given is None else given[:, None])
        assert torch.equal(y, want)
        assert hits.sum() == (picks if given is None else given.sum())


def test_an_optional_output_may_be_left_out(gather: Operator) -> None:
    x, indices = torch.rand(20, 33), torch.randint(0, 20, (40,), dtype=torch.int32)
    y, hits = gather(x.to("npu"), indices.to("npu"), without="hits")
    assert hits is None
    assert torch.equal(y.cpu(), x[indices.long()])
    with pytest.raises(errors.BadOpArgument, match="without names 'y'; optional outputs are: hits"):
        gather(x, indices, without=["y"])


def test_torch_compile_runs_the_operator_as_a_graph_node(scale_add: Operator, affine: Operator) -> None:
    def model(x: Any, y: Any) -> Any:
        z, total = torch.ops.op_project.scale_add(x * 2, y, alpha=3.0)
        return torch.ops.op_project.affine(torch.relu(z), scale=2.0) + total

    compiled = torch.compile(model, backend=get_npu_backend(), fullgraph=True, dynamic=True)
    for n in (700, 33):
        x, y = torch.rand(3, n).to("npu"), torch.rand(3, n).to("npu")
        torch.testing.assert_close(compiled(x, y), model(x, y))


def test_a_written_input_stays_written_in_a_compiled_graph(pick: Operator) -> None:
    def model(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        torch.ops.op_project.pick_op(x, y, mode_=2)  # torch's functionalisation owns the name `mode`
        return x + 1

    compiled = torch.compile(model, backend=get_npu_backend(), fullgraph=True)
    x, y = torch.full((4,), 2.0).to("npu"), torch.full((4,), 3.0).to("npu")
    assert compiled(x, y).tolist() == [7.0] * 4
    assert x.tolist() == [6.0] * 4


class _Join(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        together, _ = torch.ops.op_project.join_rows([x, y, x])
        result: torch.Tensor = together * 2
        return result


def test_the_fake_keeps_symbols(join: Operator) -> None:
    dims = {name: torch.export.Dim(name) for name in "abc"}
    shapes = {"x": {0: dims["a"], 1: dims["c"]}, "y": {0: dims["b"], 1: dims["c"]}}
    exported = torch.export.export(_Join(), (torch.rand(3, 5), torch.rand(7, 5)), dynamic_shapes=shapes)
    (rows, width) = next(n.meta["val"] for n in exported.graph.nodes if "mul" in n.name).shape
    x = next(n.meta["val"] for n in exported.graph.nodes if n.name == "x")
    assert width.node.expr == x.shape[1].node.expr
    assert not rows.node.expr.is_number


def test_opcheck_accepts_the_torch_operator(affine: Operator, pick: Operator) -> None:
    x = torch.rand(4, 5)
    torch.library.opcheck(affine.op, (x, x.clone()), {"scale": 2.0}, test_utils=("test_schema", "test_faketensor"))
    torch.library.opcheck(pick.op, (x, x.clone()), {"mode_": 1}, test_utils=("test_schema", "test_faketensor"))


def test_a_changed_project_replaces_its_operators(tmp_path: Path) -> None:
    root = tmp_path / "step"
    shutil.copytree(PROJECTS / "step", root)
    rename(root, "StepOne", "StepAgain", "step_one", "step_again")
    x = torch.zeros(3)
    assert load_project(root)(x).tolist() == [1.0] * 3
    kernel = root / "op_kernel" / "step_again.cpp"
    text = kernel.read_text()
    kernel.write_text(text.replace("1.0f", "2.0f"))
    assert load_project(root)(x).tolist() == [2.0] * 3
    host = root / "op_host" / "step.cpp"
    before = host.read_text()
    host.write_text(
        before.replace("this->SetInferShape", 'this->Attr("more").AttrType(OPTIONAL).Int(3);\n    this->SetInferShape')
    )
    assert "more" in load_project(root).StepAgain.schema
    host.write_text(before)
    assert "more" not in load_project(root).StepAgain.schema


def rename(root: Path, *pairs: str) -> None:
    """Rename the operator and its files, since types are unique in a process."""
    for file in list(root.rglob("*.cpp")):
        text, name = file.read_text(), file.name
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            text, name = text.replace(old, new), name.replace(old, new)
        file.write_text(text)
        file.rename(file.with_name(name))


def test_two_folders_with_one_type_are_refused(affine: Operator, tmp_path: Path) -> None:
    shutil.copytree(PROJECTS / "affine", tmp_path / "other")
    with pytest.raises(errors.DuplicateOperator, match="affine"):
        load_project(tmp_path / "other")


def test_wrong_arguments_are_named(affine: Operator) -> None:
    x = torch.rand(3)
    for args, kwargs, text in (
        ((), {"scale": 1.0}, "input x must be a tensor"),
        ((x,), {}, "attribute scale has no default"),
        ((x,), {"scale": 1.0, "sclae": 2}, "nothing is called 'sclae'"),
        ((x, None, 3), {}, "3 positional arguments for 2 inputs"),
    ):
        with pytest.raises(errors.BadOpArgument, match=text):
            affine(*args, **kwargs)


def test_types_that_no_column_has_are_named(affine: Operator) -> None:
    with pytest.raises(errors.DtypeNotInOpDef, match="x DT_DOUBLE"):
        affine(torch.rand(3).double(), scale=1.0)
    with pytest.raises(errors.DtypeNotInOpDef, match="x DT_FLOAT, bias DT_FLOAT16"):
        affine(torch.rand(3), torch.rand(3).half(), scale=1.0)


def test_a_failing_tiling_function_tells_what_it_printed_and_where_it_is(affine: Operator) -> None:
    with pytest.raises(errors.TilingFailed, match=r"(?s)affine_tiling.cpp:7.*mode must be all or none, not some"):
        affine(torch.rand(3), scale=1.0, mode="some")
    with pytest.raises(
        errors.TilingFailed, match=r"returned status 4294967295 \(0xFFFFFFFF\) at \S*affine_tiling.cpp:13\."
    ):
        affine(torch.rand(3), scale=1.0, mode="some")
    with pytest.raises(errors.TilingFailed, match=r"\(0xFFFFFFFF\) at \S*affine_tiling.cpp:22\."):
        affine(torch.rand(3), scale=1.0, eps=0.0)


def test_a_project_is_found_one_folder_down_and_prints_its_operators(tmp_path: Path) -> None:
    project = load_project(EXAMPLE)
    assert isinstance(project, Project)
    assert repr(project) == "<project opdef_scale_add: ScaleAdd>"
    assert project["ScaleAdd"] is project.scale_add
    with pytest.raises(AttributeError, match="it has ScaleAdd"):
        _ = project.Nothing
