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


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("axpy", errors.PlanLaunches, "launches more than once in a call"),
        ("add_lists", errors.ExportRefused, "lists of tensors"),
        ("add_into", errors.ExportRefused, "writes an argument in place"),
    ],
)
def test_what_has_no_opdef(name: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        files(operators(name), form="opdef")


@pytest.mark.slow
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
