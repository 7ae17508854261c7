"""Device words inside a user's macros: on-chip arrays, qualifiers under another name, printf and assert."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ferrata.asc import devicenames, onchip
from ferrata.asc.home import home
from ferrata.asc.lexer import Token, tokens
from ferrata.asc.rewrite import Scan, apply, rewrite
from tests.asc.conftest import Driver


def body(text: str) -> list[Token]:
    return tokens(text, directives=False)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("__ubuf__ T name[n]", "__ubuf__ T (&name)[n] = FERRATA_ON_CHIP(ub)"),
        ("__cbuf__ T a[n], b[2 * n];", "__cbuf__ T (&a)[n] = FERRATA_ON_CHIP(l1), (&b)[2 * n] = FERRATA_ON_CHIP(l1);"),
        ("__ubuf__ T name;", "__ubuf__ T &name = FERRATA_ON_CHIP(ub);"),
        ("__ubuf__ T *name = p", "__ubuf__ T *name = p"),
        ("__ubuf__ T", "__ubuf__ T"),
        ("f((__ubuf__ T *)p)", "f((__ubuf__ T *)p)"),
    ],
)
def test_arrays_in_a_macros_replacement(text: str, after: str) -> None:
    assert apply(text, sorted(onchip.macro(body(text)))) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("__ubuf__ T t[2] = {1, 2};", "__ubuf__ T (&t)[2]  = FERRATA_ON_CHIP_FROM(ub,  {1, 2});"),
        (
            "__ubuf__ T t[2]{1, 2}, u;",
            "__ubuf__ T (&t)[2] = FERRATA_ON_CHIP_FROM(ub, {1, 2}), &u = FERRATA_ON_CHIP(ub);",
        ),
        ("__ubuf__ T x = a < b;", "__ubuf__ T &x  = FERRATA_ON_CHIP_FROM(ub,  a < b);"),
        ("BUF T t[A < B ? 1 : 2];", "BUF T (&t)[A < B ? 1 : 2] = FERRATA_ON_CHIP(ub);"),
        ("__ubuf__ T *p = {q}, *r;", "__ubuf__ T *p = {q}, *r;"),
        ("__ubuf__ struct { int a; } s;", "__ubuf__ struct { int a; } s;"),
    ],
)
def test_initialised_arrays_and_macros_as_qualifiers(text: str, after: str) -> None:
    whole = f"__aicore__ void f() {{ {text} }}"
    edits = onchip.edits(tokens(whole), {}, {"BUF": "ub"})
    assert apply(whole, sorted(edits)) == f"__aicore__ void f() {{ {after} }}"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('printf("a", __VA_ARGS__); assert(x)', '_FPRTF("a", __VA_ARGS__); _FASRT(x)'),
        ("printf", "_FPRTF"),
        ("std::printf(x); log.printf(x); static_assert(x)", "std::printf(x); log.printf(x); static_assert(x)"),
        ("fprintf(stderr, x) + clock()", "fprintf(stderr, x) + clock()"),
    ],
)
def test_names_in_a_macros_replacement(text: str, after: str) -> None:
    assert apply(text, devicenames.macro(body(text))) == after


def test_a_header_with_nothing_but_such_a_macro_is_read() -> None:
    text = "#define STAGE(T, name, n) \\\n  __ubuf__ T name[n]\n"
    scan = Scan.of(text)
    assert apply(text, rewrite(scan, "a.h", {})).startswith("#define STAGE(T, name, n) \\\n  __ubuf__ T (&name)[n] =")
    assert not Scan.of('#define TEXT "a"\nint printf_count;\n').items


PROGRAM = r"""
#include <cstdio>
#include <cassert>
#include "words.h"
#include "kernel_operator.h"
#include "acl/acl.h"
#include "c_api/asc_simd.h"
#define UB __ubuf__
#define DEV __aicore__ inline
#define HIDDEN(T) __ubuf__ T
DEV void helper() {
  UB float t[4] = {1, 2, 3};
  UB int32_t k = 7, m{8};
  printf("%d %d %d\n", (int)t[2], (int)t[3], k + m);
  t[2] = 9;
}
extern "C" __global__ __vector__ void k(int what) {
  STAGE(float, a, 16);
  STAGE(float, b, 16);
  for (int i = 0; i < 16; ++i) a[i] = b[i] = i;
  helper(), helper();
  asc_add(a, a, b, 16);
  LOG("%d 100%%\n", (int)a[3]);
  SAY("alias\n");
  HIDDEN(float) s[64]; // hidden
  if (what == 1) asc_add(s, s, b, 16); // used
  CHECK(what != 2);
}
int main(int argc, char **) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  LOG("host 100%%\n");
  CHECK(argc > 0);
  SAY("%d\n", 5);
  k<<<1, nullptr, nullptr>>>(argc - 1);
  return aclrtSynchronizeDevice();
}
"""
HEADER = """\
#define STAGE(T, name, n) \\
  __ubuf__ T name[n]
#define LOG(...) printf(__VA_ARGS__)
#define SAY printf
#define CHECK(c) do { assert(c); } while (0)
"""


def test_a_program_with_such_macros(bisheng: Driver, tmp_path: Path) -> None:
    (tmp_path / "words.h").write_text(HEADER)
    (tmp_path / "m.asc").write_text(PROGRAM)
    done = bisheng("--npu-arch=dav-2201", "m.asc", "-o", "m", f"-I{home()}/include")
    assert done.returncode == 0, done.stderr
    run = subprocess.run([tmp_path / "m"], capture_output=True, text=True)
    core = "[AIV Block 0/1] "
    expected = ["host 100%", "5", *[f"{core}{text}" for text in ("3 0 15", "3 0 15", "6 100%", "alias")]]
    assert (run.returncode, run.stdout.splitlines()) == (0, expected)
    failed = subprocess.run([tmp_path / "m", "1", "2"], capture_output=True, text=True)
    assert failed.returncode != 0 and "Assertion `what != 2' failed" in failed.stdout
    used = 1 + next(at for at, line in enumerate(PROGRAM.splitlines()) if "// used" in line)
    stray = subprocess.run([tmp_path / "m", "1"], capture_output=True, text=True)
    assert "the address is that of a local variable on the stack: declare an array in on-chip memory as" in stray.stderr
    assert f"m.asc:{used}" in stray.stderr


def test_an_initialised_array_without_a_size_is_an_error(bisheng: Driver, tmp_path: Path) -> None:
    text = '#include "kernel_operator.h"\n__global__ __vector__ void k() { __ubuf__ float t[] = {1, 2}; t[0] = 1; }\n'
    (tmp_path / "u.asc").write_text(text)
    done = bisheng("--npu-arch=dav-2201", "-c", "u.asc")
    assert done.returncode == 1
    assert "an array in on-chip memory needs its size in the declaration" in done.stderr
