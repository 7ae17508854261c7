"""The command line as a user meets it: `ferrata run`, its tracebacks and exit codes, and commands given wrongly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ferrata

pytestmark = pytest.mark.slow

ROOT = Path(ferrata.__file__).parents[1]


def command(*arguments: object, **environ: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", "from ferrata.cli import main; main()", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, **environ},
        capture_output=True,
        text=True,
    )


def test_a_script_gets_its_arguments_and_gives_its_exit_code(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, torch_npu, torchair\nprint(sys.argv[1:], __name__, torchair.__name__)\nsys.exit(7)\n"
    )
    done = command("run", script, "a", "--flag=b", "--help")
    assert done.returncode == 7, done.stderr
    assert done.stdout.strip() == "['a', '--flag=b', '--help'] __main__ torchair"


@pytest.mark.parametrize("raised", ["ValueError('bad')", "errors.BadSetting(where='w', problem='p', allowed='a')"])
def test_a_traceback_is_that_of_the_script(tmp_path: Path, raised: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"from ferrata import errors\n\ndef f():\n    raise {raised}\n\nf()\n")
    done = command("run", script)
    assert done.returncode == 1
    assert f'{script}", line 4, in f' in done.stderr and f'{script}", line 6, in <module>' in done.stderr
    assert "runpy" not in done.stderr and "typer" not in done.stderr and "scripts.py" not in done.stderr


@pytest.mark.parametrize("arguments", [["run"], ["run", "none.py"], ["run", "-m"], ["run", "/"]])
def test_what_cannot_be_run(arguments: list[str]) -> None:
    done = command(*arguments)
    assert done.returncode == 1 and done.stderr.startswith("NotAScript: ") and "Usage: ferrata run" in done.stderr


def test_a_module_that_is_missing() -> None:
    done = command("run", "-m", "no_such_module")
    assert done.returncode == 1 and done.stderr.strip() == "ImportError: No module named no_such_module"


def test_help_and_version() -> None:
    assert command("--version").stdout.strip() == command("version").stdout.strip() == ferrata.__version__
    done = command("run", "--help")
    assert done.returncode == 0 and done.stdout.startswith("Usage: ferrata run script.py ARGUMENTS")
    assert "script.py ARGUMENTS" in " ".join(command("--help", COLUMNS="200").stdout.split())


def test_info_reports_what_is_wrong_instead_of_failing(tmp_path: Path) -> None:
    done = command("info", FERRATA_NPU_ARCH="dav-1", CXX="", PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "'dav-1' is not a chip" in done.stdout and "No C++ compiler found" in done.stdout


def test_a_compiler_that_does_not_run() -> None:
    done = command("info", CXX="/bin/false")
    assert done.returncode == 0 and "/bin/false, which does not run" in done.stdout
