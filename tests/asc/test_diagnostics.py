"""What the compiler says points into the user's files: path, line, column and source text."""

import re
from pathlib import Path

import pytest

from ferrata.errors import CompileError

MAIN = """\
#include "kernel_operator.h"
#include "sub/outer.h"
__global__ __vector__ void add(__gm__ float* x, int n) { int y = undefined1; }
namespace a { __global__ __cube__ void second(GM_ADDR x) {} }
int main() {
  add<<<8, nullptr, nullptr>>>(undefined2, 3); a::second<<<8, 0, undefined3>>>(nullptr);
  add<<<8, nullptr, nullptr>>>(nullptr);
#ifdef NOT_DEFINED
  add<<<8, 0>>>(nullptr);
#endif
  inner<<<1>>>("text"); undefined4();
}
"""
OUTER = '#pragma once\n#include "inner.h"\n#include "plain.h"\ninline int outer() { return undefined5; }\n'
INNER = "__global__ __aicore__ void\ninner(__gm__ float* x)\n{ int z = undefined6; }\n"


def errors(text: str) -> list[tuple[str, int, int, str]]:
    found = re.findall(r"^(\S+?):(\d+):(\d+): error: (.*)$", text, re.MULTILINE)
    return [(name, int(line), int(column), message) for name, line, column, message in found]


def test_errors_stand_at_the_users_tokens(tmp_path: Path, bisheng) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "k.asc").write_text(MAIN)
    (tmp_path / "sub/outer.h").write_text(OUTER)
    (tmp_path / "sub/inner.h").write_text(INNER)
    (tmp_path / "sub/plain.h").write_text("#pragma once\n")
    done = bisheng("--npu-arch=dav-2201", "-c", "k.asc")
    assert done.returncode == 1
    found = errors(done.stderr)
    texts = {"k.asc": MAIN, "sub/outer.h": OUTER, "sub/inner.h": INNER}
    for number, name in enumerate(["k.asc", "k.asc", "k.asc", "k.asc", "sub/outer.h", "sub/inner.h"], 1):
        word = f"undefined{number}"
        before, _, _ = texts[name].partition(word)
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        assert [row[:3] for row in found if word in row[3]] == [(name, line, column)]
    assert ("k.asc", 7) in [row[:2] for row in found if "too few arguments" in row[3]]
    assert ("k.asc", 11) in [row[:2] for row in found if "cannot convert" in row[3]]
    assert "    6 |   add<<<8, nullptr, nullptr>>>(undefined2, 3);" in done.stderr
    assert "In file included from sub/outer.h:2,\n                 from k.asc:2:" in done.stderr


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("\nvoid f() {\n  k<<<1, 2, 0, nullptr>>>(nullptr);\n}", 3, "4 launch arguments"),
        ("\nvoid f() {\n  k(nullptr);\n}", 3, "called like a function"),
        ("\n__global__ int bad() { return 0; }", 2, "must return void"),
        ("\n__global__ __mix__(3, 1) void bad() {}", 2, "does not exist"),
        ("\n__global__ __host__ void bad() {}", 2, "__host__"),
    ],
)
def test_broken_rule_is_an_error_at_its_line(tmp_path: Path, bisheng, source: str, line: int, message: str) -> None:
    (tmp_path / "k.asc").write_text("__global__ __vector__ void k(GM_ADDR x) {}" + source)
    done = bisheng("--npu-arch=dav-2201", "-c", "k.asc")
    assert done.returncode == 1
    assert [(row[0], row[1]) for row in errors(done.stderr) if message in row[3]] == [("k.asc", line)]


def test_line_and_file_macros_speak_of_the_users_file(tmp_path: Path, bisheng) -> None:
    (tmp_path / "k.asc").write_text(
        "__global__ __vector__ void k(GM_ADDR x) { int y; }\n"
        "void f() { k<<<1>>>(nullptr); } static_assert(__LINE__ == 2);\n"
        "constexpr const char* file = __FILE__; static_assert(file[0] == 'k' && file[5] == 0);\n"
    )
    done = bisheng("--npu-arch=dav-2201", "-c", "k.asc")
    assert done.returncode == 0, done.stderr


def test_warnings_are_repeated_on_a_cache_hit(tmp_path: Path, bisheng, own_cache: Path) -> None:
    (tmp_path / "k.asc").write_text("#warning look here\n")
    first = bisheng("--npu-arch=dav-2201", "-c", "k.asc")
    second = bisheng("--npu-arch=dav-2201", "-c", "k.asc")
    assert "k.asc:1:2: warning" in first.stderr
    assert second.stderr == first.stderr


def test_python_raises_compile_error_with_the_compilers_text(tmp_path: Path) -> None:
    from ferrata import asc

    path = tmp_path / "k.asc"
    path.write_text("__global__ __vector__ void k(GM_ADDR x)\n{\n    undefined();\n}\n")
    with pytest.raises(CompileError, match=r"k\.asc:3:5: error: .*undefined"):
        asc.compile(path, arch="dav-2201")
