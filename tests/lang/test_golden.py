"""The text of translated kernels, word for word. FERRATA_UPDATE_GOLDEN=1 writes the files anew."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from ferrata import lang as ac

GOLDEN = Path(__file__).parent / "golden"


def kernels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_kernels", GOLDEN / "kernels.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["golden_kernels"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


MODULE = kernels()


@pytest.mark.parametrize("kernel", MODULE.ALL, ids=lambda kernel: kernel.name)
def test_the_text_is_what_it_was(kernel: Any, update_golden: bool) -> None:
    path = GOLDEN / f"{kernel.name}.asc"
    text = kernel.source()
    if update_golden:
        path.write_text(text)
    assert text == path.read_text(), "FERRATA_UPDATE_GOLDEN=1 accepts the new text"
    assert all(len(line) <= 120 for line in text.split("\n"))


@pytest.mark.parametrize("kernel", MODULE.ALL, ids=lambda kernel: kernel.name)
def test_names_docstrings_and_comments_survive(kernel: Any) -> None:
    text = " ".join(kernel.source().split())
    source = (GOLDEN / "kernels.py").read_text()
    function = source[source.index(f"def {kernel.name}(") :].partition("\n\n\n")[0]
    for comment in re.findall(r"# (.+)", function):
        assert f"// {comment}" in text
    assert " ".join(kernel.doc.split()) in text.replace("// ", "")
    for name in re.findall(r"^ +(\w+) = ", function, re.M):
        assert re.search(rf"\b{name}\b", text)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 700), (64, 2048)])
def test_rms_norm(dtype: torch.dtype, weighted: bool, rows: int, columns: int) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(rows, columns).to(dtype), torch.randn(columns).to(dtype)
    z = torch.empty_like(x).npu()
    MODULE.rms_norm[7](x.npu(), w.npu() if weighted else None, z, rows, columns, 1e-6)
    expected = torch.nn.functional.rms_norm(x.float(), (columns,), w.float() if weighted else None, 1e-6)
    torch.testing.assert_close(z.cpu(), expected.to(dtype))


@pytest.mark.parametrize("n", [0, 1, 9, 40])
def test_statements_as_python_runs_them(n: int) -> None:
    values = [(i * 37) % 101 - 8 for i in range(40)]
    w = MODULE.Window(-2, 30, 0.5)
    x, z = torch.tensor(values, dtype=torch.int32).npu(), torch.zeros(9, dtype=torch.int32).npu()
    MODULE.statements[1](x, z, w, n)
    expected = [0] * 9
    MODULE.statements.function(list(values), expected, w, n)
    assert z.cpu().tolist() == expected


def test_foreach_over_tensors_of_different_sizes() -> None:
    sizes = [1, 2048, 5000, 17]
    xs = [torch.randn(size).npu() for size in sizes]
    zs = [torch.zeros(size).npu() for size in sizes]
    MODULE.foreach[3](xs, zs, torch.tensor(sizes).npu(), 3.0)
    for x, z in zip(xs, zs, strict=True):
        assert torch.equal(z.cpu(), x.cpu() * 3)


def test_a_mix_kernel_shares_work_over_all_its_vector_cores() -> None:
    z = torch.full((16,), -1.0).npu()
    MODULE.mixed[4](z, 16)
    assert z.cpu().tolist() == [float(2 * (i // 2)) for i in range(16)]


def test_the_toolchain_compiles_the_text_as_it_stands(tmp_path: Path) -> None:
    from ferrata.asc import api

    source = tmp_path / "add.asc"
    source.write_text(MODULE.add.source(entry=({"T": ac.f16}, {"tile": 512})))
    library = api.compile(source, output=tmp_path / "add.so", options=["-Wall", "-Wextra", "-Werror"])
    symbols = subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=True).stdout
    assert "ferrata_entry" in symbols
