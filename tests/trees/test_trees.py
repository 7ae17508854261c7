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


@pytest.mark.slow
@pytest.mark.parametrize("tree", sorted(SCRIPTS))
def test_tree_builds_and_runs(tree: str, tmp_path: Path) -> None:
    if "Ninja" in SCRIPTS[tree] and shutil.which("ninja") is None:
        pytest.skip("the tree is built with Ninja")
    shutil.copytree(HERE / tree, tmp_path / tree)
    script = f'set -e\n. "{home()}/set_env.sh"\n{SCRIPTS[tree]}'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path / tree, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    assert LAST[tree] in [line.strip() for line in text.splitlines()], text
