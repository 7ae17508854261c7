"""The code that the documentation prints runs as printed: README's first example and the first tutorial."""

from __future__ import annotations

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


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/tutorial/first_operator.md", "docs/zh/tutorial/first_operator.md"])
def test_the_first_tutorial_runs_as_printed(page: str, tmp_path: Path) -> None:
    code = blocks(page)
    assert len(code) >= 5
    assert "tutorial::axpy: ok" in run("\n".join(code), tmp_path, "axpy.py")


@pytest.mark.slow
def test_readmes_first_example_runs_as_printed(tmp_path: Path) -> None:
    assert "mylib::add: ok" in run(blocks("README.md")[0], tmp_path, "add.py")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/tutorial/graph_mode.md", "docs/zh/tutorial/graph_mode.md"])
def test_the_tutorial_of_graph_mode_runs_as_printed(page: str, tmp_path: Path) -> None:
    printed = run("\n".join(blocks(page)), tmp_path, "classifier_script.py")
    assert "one compilation, every size" in printed
    assert "Eager and graph agree" in printed
    assert "ZenRmsNorm(x=" in printed
    assert (tmp_path / "classifier" / "classifier.air").exists()
