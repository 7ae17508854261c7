"""Whole source trees in the styles of several authors, built and run as their authors would, in a shell that did nothing
but read set_env.sh. The trees know nothing of ferrata; they follow the toolkit's documented interfaces only.

scale_shift   torch 2 style: dynamic shapes, four dtypes by template, attributes of five kinds, tiling by value; a target
              of .asc and .cpp, hidden symbols, `LINKER:`, `$ENV{ASCEND_HOME_PATH}`, Ninja
two_ops       two operators in one library: optional input, two outputs, workspace, arguments in device memory, a
              reference output; ASC enabled after project(), a kernel folder of its own, C++ compiled as ASC, dav-3510
streams       a host program: kernels in an OBJECT library, streams, events, files, ctest, cmake --install
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from ferrata.asc.home import home

HERE = Path(__file__).parent
SCRIPTS = {
    "scale_shift": "cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release && cmake --build out && python run_model.py",
    "two_ops": "mkdir build && cd build && cmake .. && cmake --build . && cd .. && python3 run_ops.py",
    "streams": "python3 gen_data.py && cmake -B build . && make -C build && (cd build && ctest) && "
    "cmake --install build --prefix inst && inst/bin/streams data",
}
LAST = {"scale_shift": "OK", "two_ops": "OK", "streams": "test pass"}
EXAMPLES = HERE.parent.parent / "examples"
BUILD = "mkdir build && cd build && cmake -DCMAKE_ASC_ARCHITECTURES=dav-2201 .. && make"


@pytest.mark.slow
@pytest.mark.parametrize("tree", sorted(SCRIPTS))
def test_tree_builds_and_runs(tree: str, tmp_path: Path) -> None:
    if "Ninja" in SCRIPTS[tree] and shutil.which("ninja") is None:
        pytest.skip("the tree is built with Ninja")
    lines = build_shell(HERE / tree, tmp_path / tree, SCRIPTS[tree])
    assert LAST[tree] in lines, "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["add_custom_torch_library", "add_custom_pybind"])
def test_example_builds_and_runs(example: str, tmp_path: Path) -> None:
    lines = build_shell(EXAMPLES / example, tmp_path / example, f"{BUILD} && python3 ../add_custom_test.py")
    assert "OK" in lines, "\n".join(lines)


def build_shell(tree: Path, copy: Path, commands: str) -> list[str]:
    """Run the commands in a copy of the tree, in a shell that has read set_env.sh; the lines that they print."""
    shutil.copytree(tree, copy)
    script = f'set -e\n. "{home()}/set_env.sh"\n{commands}'
    done = subprocess.run(["bash", "-c", script], cwd=copy, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    return [line.strip() for line in text.splitlines()]
