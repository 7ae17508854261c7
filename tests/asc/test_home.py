"""The home folder and its set_env.sh."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ferrata.asc.home import home

SHELLS = [shell for shell in ("bash", "sh", "dash", "zsh") if shutil.which(shell)]


def environment(shell: str, script: str) -> dict[str, str]:
    """What a shell that ran the script exports; it starts from almost nothing."""
    command = [shell, "-c", f"set -eu\n{script}\nenv -0"]
    clean = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    output = subprocess.run(command, env=clean, capture_output=True, text=True, check=True).stdout
    return dict(row.split("=", 1) for row in output.split("\0") if row)


@pytest.mark.parametrize("shell", SHELLS)
def test_set_env_gives_what_builds_need(shell: str) -> None:
    found = environment(shell, f". {home()}/set_env.sh")
    assert found["ASCEND_HOME_PATH"] == found["ASCEND_TOOLKIT_HOME"] == str(home())
    assert found["ASCEND_OPP_PATH"]
    assert found["FERRATA_AUTOLOAD"] == "1"
    assert found["PATH"].startswith(f"{home()}/bin:")
    assert f"{home()}/lib64" in found["LD_LIBRARY_PATH"].split(":")
    assert found["CMAKE_PREFIX_PATH"].split(":")[0] == str(home())
    assert found["PYTHONPATH"].endswith("/ferrata/compat")
    assert not any(name.startswith("_ferrata") for name in found)


@pytest.mark.parametrize("shell", SHELLS)
def test_set_env_twice_is_the_same_as_once(shell: str) -> None:
    source = f". {home()}/set_env.sh"
    assert environment(shell, f"{source}\n{source}") == environment(shell, source)


def test_set_env_keeps_what_was_there() -> None:
    found = environment("sh", f'export PYTHONPATH="/a b:/c" LD_LIBRARY_PATH=/d\n. {home()}/set_env.sh')
    assert found["PYTHONPATH"].endswith(":/a b:/c")
    assert found["LD_LIBRARY_PATH"] == f"{home()}/lib64:/d"


def test_python_of_the_environment_has_torch_and_ferrata() -> None:
    script = f". {home()}/set_env.sh; unset FERRATA_AUTOLOAD; python3 -c 'import ferrata; print(ferrata.__file__)'"
    found = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip().endswith("ferrata/__init__.py")


def test_layout() -> None:
    for name in ("bin/bisheng", "include/kernel_operator.h", "include/graph", "include/register", "include/external",
                 "asc/include/kernel_operator.h", "lib64/libascendcl.so", "lib64/libgert.so", "lib64/libregister.so",
                 "lib/cmake/ASC/ASCConfig.cmake"):  # fmt: skip
        assert (home() / name).exists(), name
    assert os.access(home() / "bin/bisheng", os.X_OK)


def test_launcher_starts_without_site_packages_and_finds_the_cache(add_file: Path, own_cache: Path) -> None:
    command = [home() / "bin/bisheng", "--npu-arch=dav-2201", "-c", "add.asc"]
    for _ in ("miss", "hit"):
        subprocess.run(command, cwd=add_file.parent, check=True)
        (add_file.parent / "add.o").unlink()
    assert (own_cache / "asc").is_dir()
