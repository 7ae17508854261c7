"""Whole programs as users write them, built by the driver and run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ferrata import chips
from tests.asc.conftest import Driver

pytestmark = pytest.mark.slow

PROGRAMS = Path(__file__).parent / "programs"
CHIP = chips.current()
WANT = {
    "tiling_and_streams": f"""\
aiv {CHIP.vector_cores} ub {CHIP.ub} ws 16777216 arch {CHIP.npu_arch}
size 48 48
pointer bad 0
value bad 0
st 0
""",
    "lists_and_mix": """\
sync 0
15 210
sync 0
360 361 360 361 360 361 360 361
DumpTensor: desc=7, addr=0x0, data_type=float32, position=UB, dump_size=6
[1.500000, 1.500000, 1.500000, 1.500000, 1.500000, 1.500000]
DumpTensor: desc=8, addr=0x0, data_type=float32, position=UB, dump_size=6
[[1.500000,1.500000,1.500000],
[1.500000,1.500000,1.500000]]
DumpTensor: desc=9, addr=0x0, data_type=float32, position=UB, dump_size=4
[1.500000, 1.500000, 1.500000, 1.500000]
[AIV Block 0/1] -3 4 ff 1.500000 text (nil)
sync 0
""",
}


@pytest.mark.parametrize("name", WANT)
def test_a_program_prints_what_it_must(bisheng: Driver, tmp_path: Path, name: str) -> None:
    libraries = ["-ltiling_api", "-lplatform", "-lregister"]
    done = bisheng(f"--npu-arch={CHIP.arch}", str(PROGRAMS / f"{name}.asc"), "-o", "program", *libraries)
    assert (done.returncode, done.stderr) == (0, "")
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [line.rstrip() for line in ran.stdout.splitlines()] == WANT[name].splitlines()


def test_the_names_of_the_language_are_there(bisheng: Driver, tmp_path: Path) -> None:
    done = bisheng(f"--npu-arch={CHIP.arch}", str(PROGRAMS / "language_names.asc"), "-o", "program")
    assert (done.returncode, done.stderr) == (0, "")
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True)
    said = [line.removeprefix("[AIV Block 0/1] ") for line in ran.stdout.splitlines()]
    assert said[:2] == ["side 3", "32 0 0 0 1 2201 1"]
    assert [line.split(",")[0] for line in said[2:4]] == ["descId is 70000", "descId is 70001"]
    assert said[4] == "dev"
    assert said[5:10] != [] and said[10:] == ["0"]  # the second vector core said the same


def test_a_host_program_in_c_links_a_kernel_library(bisheng: Driver, tmp_path: Path) -> None:
    (tmp_path / "k.asc").write_text(
        '#include "kernel_operator.h"\n'
        "template <typename T> __global__ __vector__ void fill(__gm__ T *out, int n, T v) {\n"
        "  for (int i = AscendC::GetBlockIdx(); i < n; i += AscendC::GetBlockNum()) { out[i] = v; }\n}\n"
        'extern "C" void launch_fill(uint32_t blocks, void *stream, void *out, int n, float v) {\n'
        "  fill<float><<<blocks, 0, stream>>>((float *)out, n, v);\n}\n"
    )
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "acl/acl.h"\n'
        "void launch_fill(uint32_t blocks, void *stream, void *out, int n, float v);\n"
        "int main(void) {\n  aclrtStream s = NULL;\n  void *d = NULL;\n  float h[100];\n"
        "  if (aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&s) ||\n"
        "      aclrtMalloc(&d, 400, ACL_MEM_MALLOC_HUGE_FIRST))\n    return 2;\n"
        "  launch_fill(4, s, d, 100, 2.5f);\n  if (aclrtSynchronizeStream(s))\n    return 3;\n"
        "  aclrtMemcpy(h, 400, d, 400, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        '  printf("%g %g\\n", h[0], h[99]);\n  return 0;\n}\n'
    )
    for words in (["--npu-arch=dav-2201", "-c", "k.asc"], ["-c", "main.c"], ["k.o", "main.o", "-o", "program"]):
        done = bisheng(*words)
        assert (done.returncode, done.stderr) == (0, "")
    assert subprocess.run([tmp_path / "program"], capture_output=True, text=True).stdout == "2.5 2.5\n"
