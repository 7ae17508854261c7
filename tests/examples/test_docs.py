"""The code that the documentation prints runs as printed: README's first example, the tutorials, pages of how-tos."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str = "python") -> list[str]:
    """The code blocks of a page in one language, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def run(code: str, folder: Path, name: str) -> str:
    path = folder / name
    path.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


FIRST = ["docs/tutorial/first_operator.md", "docs/zh/tutorial/first_operator.md"]


@pytest.mark.slow
@pytest.mark.parametrize("page", FIRST)
def test_the_first_tutorial_runs_as_printed(page: str, tmp_path: Path) -> None:
    code = blocks(page)
    assert len(code) >= 5
    printed = run("\n".join(code), tmp_path, "axpy.py")
    assert "tutorial::axpy: ok" in printed
    tables = [rows(t) for t in blocks(page, "text") if "opcheck" in t]
    assert tables in ([], [rows(printed)])


def rows(verdict: str) -> list[list[str]]:
    """What a verdict says of each check, without times."""
    shown = [line for line in verdict.splitlines() if re.match(r" \w.*  \w", line)]
    return [re.split(r"\s{2,}", re.sub(r"\d+ ms", "", line).strip()) for line in shown]


@pytest.mark.slow
def test_the_mistakes_in_the_first_tutorial_are_told_as_printed(tmp_path: Path) -> None:
    code = "\n".join(blocks(FIRST[0])[:2])
    mistakes = (("ac.muls(", "ac.mulz("), ("int] = 4096", "int] = 16384"), ("z[start + i :]", "z[start + i + 8 :]"))
    told = [blocks(page, "text")[:3] for page in FIRST]
    assert told[0] == told[1]
    for (right, wrong), lines in zip(mistakes, told[0], strict=True):
        assert code.count(right) == 1
        (tmp_path / "axpy.py").write_text(code.replace(right, wrong), encoding="utf-8")
        assert lines in in_shell("! python axpy.py 2>&1", tmp_path).replace(f"{tmp_path}/", "")


@pytest.mark.slow
def test_readmes_first_example_runs_as_printed(tmp_path: Path) -> None:
    printed = run(blocks("README.md")[0], tmp_path, "add.py")
    assert [rows(text) for text in blocks("README.md", "text") if "opcheck" in text] == [rows(printed)]


@pytest.mark.slow
def test_the_tutorial_of_graph_mode_runs_as_printed(tmp_path: Path) -> None:
    page = "docs/tutorial/graph_mode.md"
    printed = run("\n".join(blocks(page)), tmp_path, "classifier_script.py")
    assert "one compilation, every size" in printed
    assert "Eager and graph agree" in printed
    assert "ZenRmsNorm(x=" in printed
    assert (tmp_path / "classifier" / "classifier.air").exists()
    operators, _ = blocks(page)[0].split("class Classifier")  # "section 1, without the model"
    (tmp_path / "my_operators.py").write_text(operators, encoding="utf-8")
    told = in_shell("\n".join(blocks(page, "bash")), tmp_path)
    assert "ZenRmsNorm 1" in told and (tmp_path / "out/output0.npy").exists()
    told = in_shell("ferrata view classifier/classifier.air --import my_operators", tmp_path)
    assert told == "graph.html\n" and "ZenRmsNorm" in (tmp_path / "graph.html").read_text(encoding="utf-8")


def in_shell(script: str, folder: Path) -> str:
    """What a script prints to a user in the environment of this Python, who has the packages and no more."""
    env = dict(os.environ, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(
        ["bash", "-euc", script], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_five_steps_run_as_printed(tmp_path: Path) -> None:
    """Each block is the file that its heading names; then what stands for the shell, line by line."""
    page = "docs/tutorial/five_steps.md"
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(
        r"^## [^`\n]*`([\w.]+)`\n.*?^```(?:cpp|python)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL
    )
    for name, content in (*named, ("CMakeLists.txt", *blocks(page, "cmake"))):
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert len(list(tmp_path.iterdir())) == 5
    printed = in_shell("\n".join(blocks(page, "bash")), tmp_path)
    assert blocks(page, "text") == [printed.splitlines(keepends=True)[-1]]
    of_library = blocks("docs/howto/check.md")[3]
    assert of_library in blocks("docs/zh/howto/check.md")
    assert "ascendc_ops::ascendc_add: ok" in run(of_library, tmp_path, "check.py")
    kernel = tmp_path / "add_custom_kernel.asc"
    (mistake,) = re.findall(r"write `(ub.Alloc[^`]*)`", text)
    kernel.write_text(kernel.read_text(encoding="utf-8").replace("ub.Alloc<float>(BLOCK_LENGTH)", mistake, 1))
    told = in_shell(
        f"{blocks(page, 'bash')[0]}make -C build && cd build && ! python3 ../add_custom_test.py 2>&1", tmp_path
    )
    assert re.search(r"UB has 196608 bytes and 262144 are needed.*add_custom_kernel.asc:17\n", told, flags=re.DOTALL)


OTHER_CODE = {"tutorial/first_operator.md", "howto/check.md", "howto/control_flow.md", "howto/export.md", "howto/speed.md",
              "reference/operators.md"}  # fmt: skip
IN_CHINESE = sorted(str(p.relative_to(ROOT / "docs/zh")) for p in (ROOT / "docs/zh").glob("*/*.md"))


@pytest.mark.parametrize("page", [p for p in IN_CHINESE if p not in OTHER_CODE])
def test_a_page_in_chinese_has_the_same_code(page: str) -> None:
    """But for what it says in comments and docstrings, so that running one of the two is enough."""
    for language in ("python", "cpp", "cmake"):
        english, chinese = (
            [without_comments(b) for b in blocks(f"{folder}/{page}", language)] for folder in ("docs", "docs/zh")
        )
        assert chinese == english


def without_comments(code: str) -> list[str]:
    code = re.sub(r'"""[^"]*"""', '""', code)
    lines = [re.sub(r"\s*(#|//).*", "", line) for line in code.splitlines()]
    return [line for line in lines if line]


@pytest.mark.slow
def test_the_page_on_deployment_runs_as_printed(tmp_path: Path) -> None:
    """Each block of Python in a process of its own: what one leaves on disk is all that the next has."""
    page = "docs/howto/deploy.md"
    export, load, cached, gears = blocks(page)
    run(export, tmp_path, "export.py")
    told = in_shell(blocks(page, "sh")[0], tmp_path)
    assert "input  x: f32[s6, 4]" in told and (tmp_path / "results/output0.npy").exists()
    shown = re.search(r"^run.inputs  # (.*)$", load, flags=re.MULTILINE)
    assert shown is not None and run(load + "print(run.inputs)\n", tmp_path, "load.py").strip() == shown[1]
    run(cached, tmp_path, "cached.py")
    (stored,) = tmp_path.glob("cache/*/*/_decode/compiled_module")
    before = stored.stat().st_mtime_ns
    run(cached, tmp_path, "cached.py")
    assert stored.stat().st_mtime_ns == before
    assert "SizeOutsideGears" in run(gears + REFUSED, tmp_path, "gears.py")


REFUSED = """
try:
    embed(torch.zeros(1, 129, dtype=torch.int64))
except Exception as error:
    print(type(error).__name__)
"""
