"""Scalar code that crashes is a fault of its kernel, with its line; outside kernels the signals keep their meaning."""

from __future__ import annotations

import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ferrata import asc
from ferrata.asc.home import home

PROGRAM = """\
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "acl/acl.h"
#include "kernel_operator.h"
__aicore__ inline int32_t quotient(int32_t a, volatile int32_t b) { return a / b; } // divide
__attribute__((noinline)) int32_t deep(volatile char *before, int32_t n) {
  volatile char here[4096];
  here[0] = before[0]; // deep
  return n ? deep(here, n + 1) + here[0] : 0;
}
__global__ __mix__(0, 1) void k(__gm__ int32_t *x, int32_t how) { // kernel
  volatile char one = 1;
  void *volatile nowhere = nullptr;
  volatile int64_t far = 1 << 26;
  if (AscendC::GetBlockIdx() != 1) {
    if (how == 5) AscendC::SyncAll(); // the core that crashes never comes
    return;
  }
  if (how == 1 || how == 5) *x = quotient(7, 0);
  if (how == 2) *x = *(int32_t *)nowhere; // null
  if (how == 3) x[far] = 1; // far
  if (how == 4) *x = strlen((const char *)nowhere); // callee
  if (how == 6) *x = deep(&one, 1);
  if (how == 7) __builtin_trap(); // trap
  if (how == 8) *x = 8;
}
extern "C" void go(int32_t *x, int32_t how) { k<<<2, 0>>>(x, how); }
int main(int argc, char **argv) {
  aclrtSetDevice(0);
  if (argc > 2) raise(SIGSEGV);
  void *x;
  aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  memset(x, 0, 64);
  k<<<2, 0>>>((int32_t *)x, atoi(argv[1]));
  int code = aclrtSynchronizeDevice();
  k<<<2, 0>>>((int32_t *)x, 8); // the process goes on
  printf("%d %d", code, *(int32_t *)x);
  return 0;
}
"""


def build(folder: Path, *options: str) -> Path:
    (folder / "c.asc").write_text(PROGRAM)
    done = subprocess.run(
        [home() / "bin" / "bisheng", "--npu-arch=dav-2201", *options, "c.asc", "-o", "c"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("crash"), "-g", "-O1")


def line_of(mark: str) -> int:
    return next(at for at, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith(f"// {mark}"))


@pytest.mark.parametrize(
    ("how", "kind", "said", "mark"),
    [(1, "DivisionByZero", "an integer is divided by zero", "divide"), (2, "WildAddress", "a null pointer", "null"),
     (3, "WildAddress", "device memory that is not allocated", "far"), (4, "WildAddress", "a null pointer", "callee"),
     (5, "DivisionByZero", "an integer is divided by zero", "divide"), (6, "WildAddress", "stack of 1 MiB", "deep"),
     (7, "Trapped", "the compiler has put a trap", "trap")],
)  # fmt: skip
def test_a_crash_is_a_fault_of_its_kernel(program: Path, how: int, kind: str, said: str, mark: str) -> None:
    if kind == "DivisionByZero" and platform.machine() != "x86_64":
        pytest.skip("this processor divides by zero without a signal")
    run = subprocess.run([program, str(how)], capture_output=True, text=True)
    assert run.returncode == 1  # main returned 0
    assert run.stdout == ("507016 8" if kind == "Trapped" else "507015 8")
    assert f"[ferrata] {kind}: " in run.stderr
    assert said in run.stderr
    assert "in kernel k, block 1 of 2 (AIV)" in run.stderr
    assert f"c.asc:{line_of(mark)}\n" in run.stderr


def test_without_debug_information_the_call_before_is_named(tmp_path: Path) -> None:
    run = subprocess.run([build(tmp_path, "-O1"), "2"], capture_output=True, text=True)
    assert run.returncode == 1
    assert "compile with -g to see the line. The call before it stands at c.asc:" + str(line_of("kernel")) in run.stderr


def test_outside_kernels_a_signal_ends_the_process_as_ever(program: Path) -> None:
    run = subprocess.run([program, "8", "raise"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (-signal.SIGSEGV, "")


OUTSIDE = """
import ctypes, faulthandler, signal, sys
from contextlib import suppress
from ferrata import errors
from ferrata.run.runtime import runtime
runtime()
if sys.argv[1] == "after":
    faulthandler.enable()
if sys.argv[1] == "ignored":
    signal.signal(signal.SIGFPE, signal.SIG_IGN)
    signal.raise_signal(signal.SIGFPE)
if sys.argv[1] == "taken back":  # a kernel has run since: the runtime's handler is the first again
    faulthandler.enable()
    library = ctypes.CDLL(sys.argv[2])
    for how in (2, 8):
        with suppress(errors.WildAddress), runtime().faults_raise():
            library.go(runtime().empty(16, "int32").ctypes.data_as(ctypes.c_void_p), how)
    print("on")
ctypes.string_at(0)
"""


@pytest.mark.parametrize("options", [["-X", "faulthandler", "-c", OUTSIDE, "before"], ["-c", OUTSIDE, "after"]])
def test_pythons_faulthandler_works_whoever_came_first(options: list[str]) -> None:
    run = subprocess.run([sys.executable, *options], capture_output=True, text=True)
    assert run.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in run.stderr
    assert "string_at" in run.stderr


def test_a_signal_that_is_ignored_stays_so() -> None:
    run = subprocess.run([sys.executable, "-c", OUTSIDE, "ignored"], capture_output=True, text=True)
    assert run.returncode == -signal.SIGSEGV


def test_a_fault_is_no_fatal_error_when_faulthandler_came_later(tmp_path: Path) -> None:
    (tmp_path / "c.asc").write_text(PROGRAM)
    library = asc.compile(tmp_path / "c.asc")
    run = subprocess.run([sys.executable, "-c", OUTSIDE, "taken back", library], capture_output=True, text=True)
    assert run.returncode == -signal.SIGSEGV
    assert run.stdout == "on\n"
    assert run.stderr.count("Fatal Python error") == 1  # that of string_at
    assert run.stderr.index("WildAddress") < run.stderr.index("Fatal Python error") < run.stderr.index("string_at")
