"""`printf`, `clock` and `assert` mean the device's in device functions and the C library's in host functions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ferrata.asc import devicenames
from ferrata.asc.home import home
from ferrata.asc.lexer import tokens
from ferrata.asc.rewrite import apply
from tests.asc.conftest import Driver


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ('printf("a");', '_FPRTF("a");'),
        ('if (x) printf("%d", clock());', 'if (x) _FPRTF("%d", _FCLK());'),
        ('assert(a < b, "%d", a); static_assert(true);', '_FASRT(a < b, "%d", a); static_assert(true);'),
        ('AscendC::printf("a"); log.printf("a"); p->clock();', 'AscendC::printf("a"); log.printf("a"); p->clock();'),
        ("int clock(int x); clock(3); auto f = printf;", "int clock(int x); clock(3); auto f = printf;"),
    ],
)
def test_unqualified_calls_in_device_functions_are_replaced(body: str, after: str) -> None:
    for head in ("__aicore__ inline void f()", "__global__ __vector__ void k()"):
        text = f'void host() {{ printf("a"); }} {head} {{ {body} }}'
        assert (
            apply(text, devicenames.edits(tokens(text), {})) == f'void host() {{ printf("a"); }} {head} {{ {after} }}'
        )


@pytest.mark.parametrize("head", ["A() : a{1}, b(2), C<int>{3}", "~A() noexcept", "auto f(A a = {}) const -> int"])
def test_bodies_of_all_kinds_of_functions(head: str) -> None:
    text = f'struct A {{ __aicore__ inline {head} {{ printf("a"); }} int a; }}; void g() {{ printf("b"); }}'
    assert apply(text, devicenames.edits(tokens(text), {})) == text.replace('printf("a")', '_FPRTF("a")')


PROGRAM = """\
#include <cstdio>
#include <ctime>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "utils/debug/asc_time.h"
{more}
using namespace AscendC;
struct Op {{
  __aicore__ inline void Run() {{
    uint64_t start = clock();
    printf("member\\n");
    printf("%d\\n", clock() - start < 1000000000);
  }}
}};
extern "C" __global__ __vector__ void k() {{ printf("text\\n"); Op op; op.Run(); }}
int main() {{
  aclrtSetDevice(0);
  k<<<1, 0>>>();
  aclrtSynchronizeDevice();
  printf("host %d\\n", clock() >= 0 && clock() < 100 * CLOCKS_PER_SEC);
}}
"""


@pytest.mark.parametrize("more", ["", '#include "utils/debug/asc_printf.h"'])
def test_a_program_prints_with_and_without_the_prefix(bisheng: Driver, tmp_path: Path, more: str) -> None:
    (tmp_path / "names.asc").write_text(PROGRAM.format(more=more))
    done = bisheng("--npu-arch=dav-2201", "names.asc", "-o", "names", f"-I{home()}/include")
    assert (done.returncode, done.stderr) == (0, "")
    said = subprocess.run([tmp_path / "names"], capture_output=True, text=True).stdout
    prefix = "[AIV Block 0/1] "
    assert said.splitlines() == [f"{prefix}text", f"{prefix}member", f"{prefix}1", "host 1"]


ASSERTS = """\
{first}
#include "kernel_operator.h"
{last}
__global__ __vector__ void k(int n) {{ assert(n < 4, "n is %d\\n", n); assert(n != 3); }}
int main(int argc, char **) {{
  aclrtSetDevice(0);
  {host}
  k<<<1, 0>>>(argc + 1);
  return aclrtSynchronizeDevice();
}}
"""
ACL, CASSERT = '#include "acl/acl.h"\n', "#include <cassert>\n"


@pytest.mark.parametrize(
    ("first", "last", "host"),
    [(ACL, "", ""), (ACL + CASSERT, "", "assert(argc > 0);"), (ACL, CASSERT, "assert(argc > 0);"),
     (ACL + CASSERT, '#include "utils/debug/asc_assert.h"', "")],
)  # fmt: skip
def test_a_kernel_asserts_with_and_without_the_header(
    bisheng: Driver, tmp_path: Path, first: str, last: str, host: str
) -> None:
    (tmp_path / "a.asc").write_text(ASSERTS.format(first=first, last=last, host=host))
    done = bisheng("--npu-arch=dav-2201", "-O0", "a.asc", "-o", "a", f"-I{home()}/include")
    assert (done.returncode, done.stderr) == (0, "")
    for words, said in ([], None), (["1"], "Assertion `n != 3'"), (["1", "2"], "Assertion `n < 4' failed. n is 4"):
        run = subprocess.run([tmp_path / "a", *words], capture_output=True, text=True)
        assert (run.returncode == 0) == (said is None)
        assert said is None or said in run.stdout
