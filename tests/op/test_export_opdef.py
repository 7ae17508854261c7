"""The OpDef form: a tiling function from the plan, a kernel under tiling keys; it runs as any operator project does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors
from ferrata.op import load_project
from ferrata.op.export import export, files, find

SEVERAL = Path(__file__).parent / "exports" / "several.py"


def operators(*names: str) -> list[Any]:
    return [one for one in find(str(SEVERAL)) if one.__name__ in names]


def test_the_files() -> None:
    made = files(operators("tail"), form="opdef")
    assert sorted(made) == [
        "README.md", "op_host/exported_tail.cpp", "op_host/exported_tail_tiling.h", "op_kernel/exported_tail.cpp",
    ]  # fmt: skip
    assert "TILING_DATA_FIELD_DEF(int64_t, n);" in made["op_host/exported_tail_tiling.h"]
    assert "launcher.tiling.set_n(n);" in made["op_host/exported_tail.cpp"]
    kernel = made["op_kernel/exported_tail.cpp"]
    assert "axpy_kernel_code::axpy_kernel<DTYPE_X, 1024>(x, x, y, data.alpha, data.n);" in kernel
    assert "__global__ __vector__" not in kernel
    for name, text in made.items():
        assert "ferrata" not in text.lower(), name
        assert max(map(len, text.splitlines())) <= 120 or name.endswith(".md"), name


def test_all_forms_at_once() -> None:
    made = files(operators("tail"), form="all")
    assert {name.split("/")[0] for name in made} == {"ge", "opdef", "eager"}


@pytest.mark.parametrize("name", ["axpy", "add_lists"])
def test_what_has_no_opdef(name: str) -> None:
    with pytest.raises(errors.PlanLaunches, match=r"(?s)launches more than once in a call.*--form ge"):
        files(operators(name), form="opdef")


def test_what_is_written_is_an_output_of_the_same_name() -> None:
    made = files(operators("add_into"), form="opdef")
    host, kernel = made["op_host/exported_add_into.cpp"], made["op_kernel/exported_add_into.cpp"]
    assert host.count('put("x")') == 2 and "        SetShape(ctx, 0, x.shape);\n" in host
    assert "GM_ADDR x, GM_ADDR y, GM_ADDR x_out, GM_ADDR workspace" in kernel
    assert "(y, x, x, data.alpha, data.n);" in kernel


COUNTED = Path(__file__).parent / "exports" / "counted.py"


def counted(*names: str) -> list[Any]:
    return [one for one in find(str(COUNTED)) if one.__name__ in names]


def test_the_kernel_tells_a_shape_that_it_counts() -> None:
    made = files(counted("twice"), form="opdef")
    host, kernel = made["op_host/exported_twice.cpp"], made["op_kernel/exported_twice.cpp"]
    assert ".OutputShapeDependOnCompute();" in host and "SetInferShapeRange(twice_op::InferShapeRange)" in host
    assert "        shapes.SetValue(1, GetCount(found));\n        shapes.SetValue(2, data.y_1);\n" in kernel
    with pytest.raises(errors.ExportRefused, match=r"(?s)found, which is not the first size of y.*--form eager"):
        files(counted("until_zero"), form="opdef")


@pytest.mark.slow
@pytest.mark.own_process
def test_counted_sizes_run(tmp_path: Path) -> None:
    from examples.ops.compact import compact

    export([*counted("positive", "twice"), compact], tmp_path / "out", form="opdef", name="three")
    project = load_project(tmp_path / "out")
    for x in (torch.randn(300), torch.ones(5), -torch.ones(5), torch.zeros(1)):
        values, places = project.ExportedPositive(x.npu())
        assert torch.equal(values.cpu(), x[x > 0]) and torch.equal(places.cpu(), (x > 0).nonzero().flatten().int())
    for shape in ((7, 5), (1, 1), (40, 3)):
        x = torch.randn(shape)
        assert torch.equal(project.ExportedTwice(x.npu()).cpu(), x[x[:, 0] > 0].repeat_interleave(2, 0))
    for n in (0, 1, 5000, 100_000):  # on none, one, and all cores
        x = torch.randn(n)
        values, places = project.CatalogueCompact(x.npu(), threshold=0.3)
        assert torch.equal(values.cpu(), x[x > 0.3]) and torch.equal(places.cpu(), (x > 0.3).nonzero().flatten().int())


@pytest.mark.slow
@pytest.mark.own_process
def test_lists_and_writes_run(tmp_path: Path) -> None:
    from examples.ops.foreach_add import foreach_add
    from examples.ops.rotary import rotary_

    def turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos[:, None] - b * sin[:, None], b * cos[:, None] + a * sin[:, None]], -1)

    export([*operators("add_into"), foreach_add, rotary_], tmp_path / "out", form="opdef", name="three")
    project = load_project(tmp_path / "out")
    x, y = torch.randn(3, 40), torch.randn(3, 40)
    there = x.npu()
    project.ExportedAddInto(there, y.npu(), alpha=2.0)
    torch.testing.assert_close(there.cpu(), x + 2 * y)
    for dtype in (torch.float32, torch.float16):
        xs, ys = ([torch.randn(n).to(dtype) for n in (5, 1, 300)] for _ in range(2))
        zs = project.CatalogueForeachAdd([t.npu() for t in xs], [t.npu() for t in ys], alpha=0.5)
        for x, y, z in zip(xs, ys, zs, strict=True):
            torch.testing.assert_close(z.cpu(), x + 0.5 * y)
    x, angle = torch.randn(2, 5, 4, 16), torch.randn(5, 8)
    there = x.npu()
    project.CatalogueRotary(there, angle.cos().npu(), angle.sin().npu())
    torch.testing.assert_close(there.cpu(), turned(x, angle.cos(), angle.sin()))


@pytest.mark.slow
@pytest.mark.own_process
def test_it_runs(tmp_path: Path) -> None:
    export(operators("scale_rows", "tail"), tmp_path / "out", form="opdef", name="two")
    project = load_project(tmp_path / "out")
    x, weight = torch.randn(7, 40), torch.randn(40)
    for w, expected in ((weight, x * weight), (None, x)):
        y, total = project.ExportedScaleRows(x.npu(), None if w is None else w.npu())
        torch.testing.assert_close(y.cpu(), expected, rtol=0, atol=0)
        assert total.tolist() == [2.5] * 7
    for dtype in (torch.float32, torch.float16):
        for n in (1, 3, 40, 5000):
            z = torch.randn(n).to(dtype)
            got = project.ExportedTail(z.npu(), drop=3)
            torch.testing.assert_close(got.cpu(), 2 * z[: max(n - 3, 0)], rtol=0, atol=0)
