"""The home folder: what `ASCEND_HOME_PATH` points to. `source "$(ferrata home)/set_env.sh"` makes a shell use it.

    bin/bisheng                 the compiler driver, started by the Python that owns ferrata
    include, asc/include        the public headers (a link into the package)
    lib64/                      libascendcl.so, libgert.so, and the names by which projects link parts of them
    lib/cmake/ASC/              the CMake language
    set_env.sh                  the environment, for bash, sh and zsh

It lies in the cache, named by its content. Its libraries are built when it is first asked for.
"""

from __future__ import annotations

import os
import platform
import shlex
import sys
from functools import cache as memoize
from importlib.util import find_spec
from pathlib import Path

from ferrata import cache

PACKAGE = Path(__file__).resolve().parent.parent
CMAKE = Path(__file__).resolve().parent / "cmake"
# Names that projects link, per library that has the content here.
ALIASES = (
    "runtime", "ascendc_runtime", "acl_rt", "acl_rtc", "acl_op_compiler", "nnopbase", "opapi", "profapi",
    "unified_dlog", "ascendalog", "mmpa", "ascend_dump", "c_sec", "error_manager", "register", "platform",
    "tiling_api", "graph_base", "graph", "exe_graph", "metadef", "lowering", "ge_runner", "ge_compiler",
    "opp_registry", "rt2_registry", "tikicpulib", "ascend_hal",
)  # fmt: skip

_SET_ENV = """\
# ferrata: use the emulated NPU in this shell. Read it with `source`; reading it twice changes nothing.
_ferrata_prepend() {{
  eval "_ferrata_now=\\"\\${{$1:-}}\\""
  case ":$_ferrata_now:" in
    *":$2:"*) ;;
    *) eval "export $1=\\"\\$2\\${{_ferrata_now:+:\\$_ferrata_now}}\\"" ;;
  esac
}}
export ASCEND_HOME_PATH={home}
export ASCEND_TOOLKIT_HOME={home}
export ASCEND_INSTALL_PATH={home}
export ASCEND_AICPU_PATH={home}
export ASCEND_OPP_PATH={home}/opp
export TOOLCHAIN_HOME={home}/toolkit
export FERRATA_AUTOLOAD=1
_ferrata_prepend PATH {python}
_ferrata_prepend PATH {home}/bin
_ferrata_prepend LD_LIBRARY_PATH {home}/lib64
_ferrata_prepend PYTHONPATH {compat}
{torch}_ferrata_prepend CMAKE_PREFIX_PATH {home}
unset -f _ferrata_prepend
unset _ferrata_now
"""

_CMAKE_PYTHON = """\
# The Python that owns ferrata: find_package(Python3) takes it unless the project or the user chose another.
foreach(_asc_python Python3 Python)
  if(NOT DEFINED ${{_asc_python}}_EXECUTABLE AND NOT DEFINED ${{_asc_python}}_ROOT_DIR)
    set(${{_asc_python}}_EXECUTABLE "{python}")
  endif()
endforeach()
unset(_asc_python)
"""

_LAUNCHER = """\
import sys

sys.path.insert(0, {parent!r})
from ferrata.asc.driver import main

sys.exit(main(home={home!r}))
"""


@memoize
def home() -> Path:
    """Path of the home folder, made (with its libraries) if it is not there yet."""
    from ferrata.native import build

    runtime, ge = build.runtime(), build.ge()
    torch = _torch_prefix()
    python = _python()
    files = sorted(path for path in CMAKE.rglob("*") if path.is_file())
    parts: list[str | bytes] = [str(runtime), str(ge), python, str(PACKAGE), str(torch)]
    parts += [Path(__file__).read_bytes()]
    for path in files:
        parts += [str(path.relative_to(CMAKE)), path.read_bytes()]
    name = cache.key(parts)
    place = cache.root() / "home" / name

    def make(folder: Path) -> None:
        for sub in ("bin", "lib64", "lib/cmake/ASC", "asc", "opp", "toolkit", "tools"):
            (folder / sub).mkdir(parents=True)
        include = PACKAGE / "native" / "include"
        for link in ("include", "asc/include", "asc/impl"):
            (folder / link).symlink_to(include)
        _libraries(folder / "lib64", runtime, ge)
        machine = folder / f"{platform.machine()}-linux"
        machine.mkdir()
        for sub in ("include", "lib64", "bin"):
            (machine / sub).symlink_to(f"../{sub}")
        for path in files:
            target = folder / "lib/cmake/ASC" / path.relative_to(CMAKE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        (folder / "lib/cmake/ASC/ASCPython.cmake").write_text(_CMAKE_PYTHON.format(python=python))
        _launcher(folder / "bin" / "bisheng", place, python)
        (folder / "set_env.sh").write_text(_environment(place, torch, python))

    return cache.entry("home", name, make)


def _libraries(folder: Path, runtime: Path, ge: Path) -> None:
    (folder / "libascendcl.so").symlink_to(runtime)
    (folder / "libgert.so").symlink_to(ge)
    for name in ALIASES:  # scripts for the linker: a project records only the two real names
        for suffix in (".so", ".a"):
            (folder / f"lib{name}{suffix}").write_text("INPUT ( AS_NEEDED ( -lgert -lascendcl ) )\n")


def _python() -> str:
    """This Python by one name: `python` and `python3` of an environment must not make two homes."""
    usual = Path(sys.executable).with_name("python3")
    return str(usual) if usual.exists() and usual.samefile(sys.executable) else sys.executable


def _launcher(path: Path, home_path: Path, python: str) -> None:
    """bin/bisheng: -I -S keeps the start of Python short (no site packages, no user settings)."""
    code = _LAUNCHER.format(parent=str(PACKAGE.parent), home=str(home_path))
    if len(python) < 120 and not any(c.isspace() for c in python):
        path.write_text(f"#!{python} -IS\n{code}")
    else:
        (path.parent / "bisheng.py").write_text(code)
        script = shlex.quote(str(home_path / "bin" / "bisheng.py"))
        path.write_text(f'#!/bin/sh\nexec {shlex.quote(python)} -IS {script} "$@"\n')
    path.chmod(0o755)


def _environment(home_path: Path, torch: Path | None, python: str) -> str:
    return _SET_ENV.format(
        home=shlex.quote(str(home_path)),
        python=shlex.quote(os.path.dirname(python)),
        compat=shlex.quote(str(PACKAGE / "compat")),
        torch=f"_ferrata_prepend CMAKE_PREFIX_PATH {shlex.quote(str(torch))}\n" if torch else "",
    )


def _torch_prefix() -> Path | None:
    """torch's folder of CMake packages, found without importing torch."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "share" / "cmake"


if __name__ == "__main__":
    os.write(1, f"{home()}\n".encode())
