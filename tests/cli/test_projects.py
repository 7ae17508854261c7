"""`ferrata export` and `ferrata new` as a person types them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ferrata import errors
from ferrata.op.export.scaffold import check_name, scaffold

pytestmark = pytest.mark.slow

FERRATA = [sys.executable, "-c", "from ferrata.cli import main; main()"]
SEVERAL = Path(__file__).parents[1] / "op" / "exports" / "several.py"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FERRATA, *arguments], cwd=cwd, capture_output=True, text=True)


def test_export_lists_the_files(tmp_path: Path) -> None:
    done = run("export", f"{SEVERAL}:tail", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("exported::tail -> out\n")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert all(name in done.stdout for name in names) and "tail_kernel.asc" in names


def test_export_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").write_text("")
    for arguments, words in [
        (("export", "nothing.py", "-o", "out"), "NoOperatorFound: nothing.py has no operator"),
        (("export", str(SEVERAL), "-o", "used"), "FolderInUse: used exists and is not empty"),
        (("export", str(SEVERAL), "-o", "out", "--form", "five"), "'five' is none of"),
    ]:
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode != 0 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()


def test_new_makes_a_project(tmp_path: Path) -> None:
    done = run("new", "rms_norm", "--dir", "sub", cwd=tmp_path)
    assert done.returncode == 0 and f"cd {Path('sub') / 'rms_norm'} && pytest" in done.stdout, done.stderr
    made = {
        str(path.relative_to(tmp_path / "sub" / "rms_norm")) for path in (tmp_path / "sub").rglob("*") if path.is_file()
    }
    assert made == {
        "rms_norm/__init__.py", "rms_norm/kernel.py", "rms_norm/op.py", "tests/test_rms_norm.py", "pyproject.toml",
        ".github/workflows/test.yml", ".gitignore", "README.md",
    }  # fmt: skip
    exported = run("export", "rms_norm/op.py", "-o", "exported", cwd=tmp_path / "sub" / "rms_norm")
    assert exported.returncode == 0 and "rms_norm::rms_norm -> exported" in exported.stdout, exported.stderr
    with pytest.raises(errors.FolderInUse, match="another place with --dir"):
        scaffold("rms_norm", tmp_path / "sub")


@pytest.mark.slow
def test_a_new_project_passes_at_once(tmp_path: Path) -> None:
    folder = scaffold("my_op", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=folder, capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0 and "18 passed" in done.stdout, done.stdout[-4000:]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("RmsNorm", "capital letters"), ("1x", "does not begin with a letter"), ("a-b", "other characters"), ("", "other characters"),
        ("class", "a word of the language"), ("double", "a word of the language"), ("math", "a module of this name"),
        ("torch", "a module of this name"), ("a__b", "an underscore too many"), ("aten", "keeps this namespace"),
        ("../up", "other characters"),
    ],
)  # fmt: skip
def test_names_that_are_refused(name: str, reason: str) -> None:
    with pytest.raises(errors.NameRefused, match=reason):
        check_name(name)


@pytest.mark.parametrize("name", ["add", "rms_norm", "top_k2"])
def test_names_that_are_fine(name: str) -> None:
    check_name(name)
