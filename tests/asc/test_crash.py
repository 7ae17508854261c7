"""Scalar code that crashes ends the process, but names its kernel first; other signals keep their meaning."""

from __future__ import annotations

import platform
import signal
import subprocess
from pathlib import Path

import pytest

from ferrata.asc.home import home

PROGRAM = """\
#include <csignal>
#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void k(__gm__ int32_t *x, int32_t how) {
  if (AscendC::GetBlockIdx() != 1) return;
  volatile int32_t zero = 0, *nowhere = nullptr;
  if (how == 1) *x = 7 / zero;
  if (how == 2) *x = *nowhere;
  if (how == 3) x[1 << 26] = 1;
}
int main(int argc, char **) {
  aclrtSetDevice(0);
  if (argc > 3) raise(SIGSEGV);
  void *x;
  aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  k<<<2, 0>>>((int32_t *)x, argc);
  return aclrtSynchronizeDevice();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crash")
    (folder / "c.asc").write_text(PROGRAM)
    done = subprocess.run(
        [home() / "bin" / "bisheng", "--npu-arch=dav-2201", "-O0", "c.asc", "-o", "c"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "c"


@pytest.mark.parametrize(
    ("words", "number", "said"),
    [([], signal.SIGFPE, "divided by zero"), (["a"], signal.SIGSEGV, "null pointer"),
     (["a", "b"], signal.SIGSEGV, "device memory that is not allocated"), (["a", "b", "c"], signal.SIGSEGV, None)],
)  # fmt: skip
def test_a_crash_names_the_kernel(program: Path, words: list[str], number: int, said: str | None) -> None:
    if number == signal.SIGFPE and platform.machine() != "x86_64":
        pytest.skip("this processor divides by zero without a signal")
    run = subprocess.run([program, *words], capture_output=True, text=True)
    assert run.returncode == -number
    if said is None:
        assert run.stderr == ""
    else:
        assert said in run.stderr
        assert "in kernel k, block 1 of 2 (AIV)" in run.stderr
