"""Exported projects: what is in them, that they stand on their own, that they build and pass."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors
from ferrata.op.export import export, files, find
from ferrata.op.export.write import write

SEVERAL = Path(__file__).parent / "exports" / "several.py"


@pytest.fixture(scope="module")
def operators():
    return find(str(SEVERAL))


@pytest.fixture(scope="module")
def project(operators):
    return files(operators)


def test_find_names(operators) -> None:
    assert [one.name for one in operators] == [
        f"exported::{name}" for name in ("axpy", "scale_rows", "add_into", "add_lists", "tail")
    ]
    assert find(f"{SEVERAL}:tail") == [operators[-1]]
    assert find(f"{SEVERAL}:exported::axpy") == [operators[0]]
    with pytest.raises(errors.NoOperatorFound, match="Did you mean 'tail'"):
        find(f"{SEVERAL}:tial")
    with pytest.raises(errors.NoOperatorFound, match="There is no file"):
        find("no/such/file.py")
    with pytest.raises(errors.NoOperatorFound, match="There is no file or module"):
        find("no_such_module_of_anybody")


def test_the_files_of_a_module(project) -> None:
    assert sorted(project) == [
        "CMakeLists.txt", "README.md", "several_converter.py", "several_ge.asc", "several_kernel.asc", "several_ops.h",
        "several_pytorch.asc", "several_test.py",
    ]  # fmt: skip


def test_nothing_depends_on_ferrata(project) -> None:
    for name, text in project.items():
        assert "ferrata" not in text.lower(), name


def test_text_is_clean(project) -> None:
    for name, text in project.items():
        assert text.endswith("\n") and not text.endswith("\n\n"), name
        assert not re.search(r"[ \t]+$", text, re.M), name
        assert "\n\n\n\n" not in text, name
        if name.endswith(".py"):
            ast.parse(text)
        if name.endswith((".asc", ".h")):
            assert max(map(len, text.splitlines())) <= 120, name


def test_schemas_prototypes_and_ports(project) -> None:
    torch_side = project["several_pytorch.asc"]
    assert 'm.def("axpy(Tensor x, Tensor y, float alpha=1.0, *, str mode=\\"plain\\") -> Tensor"' in torch_side
    assert 'm.def("add_into(Tensor(a!) x, Tensor y, *, float alpha=1.0) -> ()"' in torch_side
    ge = project["several_ge.asc"]
    assert ".OPTIONAL_INPUT(weight, TensorType({DT_FLOAT}))" in ge
    assert '.ATTR(mode, String, "plain")' in ge
    assert ".DYNAMIC_OUTPUT(zs, TensorType({DT_FLOAT}))" in ge
    assert ".DATATYPE(T, TensorType({DT_FLOAT16, DT_FLOAT}))" in ge
    converter = project["several_converter.py"]
    assert 'attrs={"alpha": attr.Float(alpha), "mode": attr.Str(mode)}' in converter
    assert 'outputs=[("zs", len(xs))]' in converter


def test_a_kernel_stands_once(project) -> None:
    assert project["several_kernel.asc"].count("void axpy_kernel(") == 1


def test_one_operator_names_the_files(operators) -> None:
    made = files(operators[:1], form="eager")
    assert sorted(made) == [
        "CMakeLists.txt",
        "README.md",
        "axpy_kernel.asc",
        "axpy_ops.h",
        "axpy_pytorch.asc",
        "axpy_test.py",
    ]
    assert "gert" not in made["CMakeLists.txt"] and "torchair" not in made["axpy_test.py"]
    ends = ("converter.py", "ge.asc", "kernel.asc", "ops.h", "pytorch.asc", "test.py")
    assert sorted(files(operators[:1], name="mine")) == sorted(
        ["CMakeLists.txt", "README.md", *(f"mine_{e}" for e in ends)]
    )


def test_the_reference_comes_along(project) -> None:
    assert (
        'def reference_axpy(x, y, alpha=1.0, mode="plain"):\n    return alpha * x + y\n' in project["several_test.py"]
    )


# --- sizes that a kernel counts ---

COUNTED = Path(__file__).parent / "exports" / "counted.py"


def counted(*names: str):
    return [one for one in find(str(COUNTED)) if one.__name__ in names]


def test_a_counted_size_is_allocated_at_most_and_shrunk() -> None:
    made = files(counted("positive", "twice"))
    ge, torch_side = made["counted_ge.asc"], made["counted_pytorch.asc"]
    assert "Shrink(places_output, found_size);" in ge
    assert "shapes[1][0] = Dim::Unknown(); // the kernel counts it" in ge
    assert "values = values.narrow(0, 0, found_size)" in torch_side
    assert "at::Tag::dynamic_output_shape" in torch_side and "Meta" not in torch_side
    assert "    torch._check(found <= 2 * n)\n    return x.new_empty((found, d))\n" in made["counted_converter.py"]


def test_a_counted_size_behind_others_is_for_eager_mode() -> None:
    with pytest.raises(errors.ExportRefused, match=r"(?s)found, which is not the first size of y.*--form eager"):
        files(counted("until_zero"), form="ge")
    assert "y.narrow(1, 0, found_size)" in files(counted("until_zero"), form="eager")["until_zero_pytorch.asc"]


@pytest.mark.slow
def test_counted_sizes_build_and_pass(tmp_path: Path) -> None:
    export(counted("positive", "twice"), tmp_path / "ge")
    assert "Ran 6 tests" in build(tmp_path / "ge")
    export(counted("until_zero"), tmp_path / "eager", form="eager")
    assert "Ran 1 test" in build(tmp_path / "eager")


# --- gradients ---

LEARNED = Path(__file__).parent / "exports" / "learned.py"


def learned(*names: str):
    return [one for one in find(str(LEARNED)) if one.__name__ in names]


def test_a_backward_goes_along_as_it_was_written() -> None:
    made = files(learned("blend", "squares", "outside"))
    text = made["learned_gradients.py"]
    ast.parse(text)
    assert 'needs = {name for name, asked in zip(("xs", "w"), ctx.needs_input_grad) if (any(asked)' in text
    assert "import math\n\nimport torch\n" in text and "\nblend = torch.ops.exported.blend\n" in text
    assert '\n\ndef weighted(grad, alpha):\n    """grad times alpha, by the operator itself."""\n' in text
    assert "    return (*backward_blend(grad, ctx.alpha), None)\n" in text
    assert 'register_autograd("exported::blend", gradients_blend, setup_context=save_blend)' in text
    assert "\nHALF = 0.5\n" in text  # named in a comprehension
    assert "outside" not in text
    assert (
        "the gradient of exported::outside: it calls catalogue::add, which is not exported with it."
        in made["README.md"]
    )
    assert "import learned_gradients" in made["learned_converter.py"]
    eager = files(learned("blend"), form="eager")
    assert "import blend_gradients" in eager["blend_test.py"]


def test_gradients_in_the_test_take_cases_of_integers() -> None:
    from examples.ops.cumsum import cumsum

    tree = ast.parse(files([cumsum])["cumsum_test.py"])
    parts = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in ("flat", "gradients")]
    names: dict[str, Any] = {"torch": torch}
    exec(compile(ast.Module(parts, []), "cumsum_test.py", "exec"), names)
    assert names["gradients"](torch.neg, [torch.arange(3)]) == []
    (none,) = names["gradients"](lambda x: x.int(), [torch.ones(3)])
    assert torch.equal(none, torch.zeros(3))


def test_the_gradient_of_a_write_stays_here() -> None:
    from examples.ops.rotary import rotary_

    made = files([rotary_], form="eager")
    assert "rotary_gradients.py" not in made
    assert "the gradient of catalogue::rotary_: it writes its arguments" in made["README.md"]


@pytest.mark.slow
def test_gradients_build_and_pass(tmp_path: Path) -> None:
    export(learned("blend", "squares"), tmp_path / "out")
    assert "Ran 10 tests" in build(tmp_path / "out")
    export(learned("blend"), tmp_path / "eager", form="eager")
    assert "Ran 2 tests" in build(tmp_path / "eager")


# --- reading ---


def test_a_file_has_no_helper_that_its_operator_does_not_use(operators) -> None:
    """Operators that only compare sizes, without lists, attributes and scratch memory: the plainest file."""
    from examples.ops.add import add

    made = files([add])
    ge = made["add_ge.asc"]
    for helper in ("Instances", "OutputIndex", "Attributes", "ListOf", "SetTypes", "Number()", "known"):
        assert not re.search(rf"\b{re.escape(helper)}(?=\W)", ge.replace("not known", "")), helper
    assert len(ge.splitlines()) < 170
    assert "OnStream" not in made["add_pytorch.asc"] and "allocate" not in made["add_ops.h"]
    for name, text in made.items():
        if name.endswith((".asc", ".h")):  # each function that a file defines is used
            for function in re.findall(r"^(?:inline |template <[^>]*> )?[\w:<>]+ (\w+)\([^;]*\{$", text, re.M):
                everything = "".join(one for file, one in made.items() if file.endswith((".asc", ".h")))
                assert len(re.findall(rf"\b{function}\b", everything)) > 1, (name, function)


# --- writing ---


def test_a_folder_in_use_is_refused(tmp_path: Path, operators) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(errors.FolderInUse, match="--force"):
        export(operators[:1], tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    write(tmp_path, {"a/b.txt": "b"}, force=True)
    assert (tmp_path / "mine.txt").read_text() == "kept" and (tmp_path / "a" / "b.txt").read_text() == "b"
    with pytest.raises(errors.FolderInUse, match="It is a file"):
        write(tmp_path / "mine.txt", {"a": "b"}, force=True)


def test_nothing_half_written(tmp_path: Path) -> None:
    bad = {"a.txt": "a", "b.txt": "\udc80"}  # cannot be encoded
    with pytest.raises(UnicodeEncodeError):
        write(tmp_path / "out", bad)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_used(tmp_path: Path) -> None:
    write(tmp_path / "x" / "y", {"a.txt": "a"})
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", {"a.txt": "a"})
    assert (tmp_path / "empty" / "a.txt").read_text() == "a"
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["empty", "x"]


# --- builds, in a clean shell ---

BUILD = """
set -e
source "$(ferrata home)/set_env.sh"
mkdir -p build && cd build
cmake -DCMAKE_ASC_ARCHITECTURES=dav-2201 .. > log.txt 2>&1 || { tail -30 log.txt; exit 1; }
make >> log.txt 2>&1 || { grep -n error log.txt | head -20; exit 1; }
cd .. && python3 *_test.py
"""


def build(folder: Path) -> str:
    binaries = Path(sys.executable).parent
    clean = {"HOME": os.environ["HOME"], "PATH": f"{binaries}:/usr/bin:/bin"}
    clean.update({k: v for k, v in os.environ.items() if k in ("FERRATA_CACHE_DIR", "XDG_CACHE_HOME", "CXX")})
    done = subprocess.run(["bash", "-c", BUILD], cwd=folder, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-6000:]
    return done.stderr


@pytest.mark.slow
def test_a_module_builds_and_passes(tmp_path: Path, operators) -> None:
    export(operators, tmp_path / "out")
    assert "Ran 15 tests" in build(tmp_path / "out")


@pytest.mark.slow
def test_the_eager_form_builds_and_passes(tmp_path: Path, operators) -> None:
    export([operators[1], operators[2]], tmp_path / "out", form="eager", name="two")
    assert "Ran 2 tests" in build(tmp_path / "out")


def test_sizes_that_fit_together_are_found_and_are_modest() -> None:
    from ferrata.op.export import cases, project
    from tests.op.exports.halves import shift_

    assert cases.cases(shift_)[0] == "[floats(3, 4, 4, 4, dtype=torch.float32), floats(2, dtype=torch.float32)]"
    assert "shift_test.py" in project.files([shift_])
