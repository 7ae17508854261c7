"""Errors in the words of Ascend C: interfaces of later chips, suggestions, words that device code does not have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ferrata.asc import absent, hints, refused
from ferrata.asc.rewrite import Scan
from ferrata.lang.registry import apis
from tests.asc.conftest import Driver

USE = """\
#include "kernel_operator.h"
using namespace AscendC;
template <class T> struct Op {
  LocalTensor<T> a;
  __aicore__ inline void Run() {
    Scatter(a, a, a, 0, 8);
    AscendC::Neg(a, a, 8);
  }
};
__global__ __vector__ void k() {
  LocalTensor<float> a;
  Subs(a, a, 1.0f, 8); FusedExpSub(a, a, a, 8);
  Adds(a, 2.0f, a, 8);
  check_event(1); launch(1); undefined1();
  Op<float> op;
  op.Run();
}
"""


@pytest.mark.parametrize("mode", ["-c", "-fsyntax-only"])
def test_interfaces_that_the_chip_does_not_have(bisheng: Driver, tmp_path: Path, mode: str) -> None:
    (tmp_path / "u.asc").write_text(USE)
    done = bisheng("--npu-arch=dav-2201", mode, "u.asc")
    assert done.returncode == 1
    found = re.findall(r"^u\.asc:(\d+):(\d+): error: (.*)$", done.stderr, re.MULTILINE)
    for name, line, column in (("Scatter", 6, 12), ("Neg", 7, 14), ("Subs", 12, 3), ("FusedExpSub", 12, 24)):
        text = f"{name} does not exist on dav-2201, only on later chips; use {absent.ABSENT[name]}"
        assert [(int(a), int(b)) for a, b, message in found if message == text] == [(line, column)]
    note = f"u.asc:13:7: note: dav-2201 has fewer forms of Adds than later chips; use {absent.WITHOUT_FORM['Adds']}\n"
    assert note in done.stderr


def test_no_suggestion_points_into_the_headers(bisheng: Driver, tmp_path: Path) -> None:
    (tmp_path / "u.asc").write_text(USE)
    said = bisheng("--npu-arch=dav-2201", "-c", "u.asc").stderr
    for name in ("check_event", "launch", "undefined1"):
        assert len(re.findall(rf"error: .{name}. was not declared in this scope\n", said)) == 1
    assert "suggested" not in said and "ferrata::check_event" not in said and "ferrata::launch" not in said


def test_other_suggestions_stay(bisheng: Driver, tmp_path: Path) -> None:
    text = USE.replace("undefined1()", "AscendC::DataCopyy(1)")
    (tmp_path / "u.asc").write_text(text)
    assert re.search(r"did you mean .DataCopy", bisheng("--npu-arch=dav-2201", "-c", "u.asc").stderr)


def test_coloured_messages_are_read_too() -> None:
    red, plain = "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"
    said = f"{red}a.asc:1:2:{plain} {red}error: {plain}'{red}Neg{plain}' was not declared in this scope\n 1 | Neg\n"
    assert hints.improve(said).startswith("a.asc:1:2: error: Neg does not exist on dav-2201")
    assert hints.improve("a.asc:1:2: warning: 'Neg' was not declared") == "a.asc:1:2: warning: 'Neg' was not declared"


def test_every_row_of_a_later_chip_says_what_to_write_instead() -> None:
    rows = [api for api in apis() if api.category == "absent"]
    assert rows and all(api.instead for api in rows)
    assert {api.name for api in rows} == (absent.ABSENT.keys() | absent.WITHOUT_FORM.keys()) - {
        alias.name for api in rows for alias in api.aliases
    }


def refusals(text: str) -> list[tuple[str, str]]:
    scan = Scan.of(text)
    return [(text[at:].split()[0], why.partition(":")[0]) for at, why in refused.problems(scan.items, scan.aliases)]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("throw 1 ;", "device code has no exceptions"),
        ("int *p = new int[3];", "device code has no heap"),
        ("auto p = malloc(3);", "device code has no heap"),
        ("std::vector<int> v;", "device code cannot use std"),
        ("auto t = typeid(int).name();", "device code has no run-time types"),
    ],
)
def test_words_that_device_code_does_not_have(body: str, why: str) -> None:
    for head in ("__aicore__ inline void f()", "__global__ __vector__ void k()"):
        ((_, said),) = refusals(f"{head} {{ {body} }}")
        assert said == why
    assert refusals(f"void host() {{ {body} }} __global__ __vector__ void k() {{}}") == []
    assert refusals(f"__host__ __aicore__ void both() {{ {body} }}") == []


@pytest.mark.parametrize(
    "body",
    ["new (p) int(3);", "struct L { L(const L &) = delete; };", "pool.malloc(3); int malloc = 1;",
     "std::is_same<int, int> a; constexpr std::array<int, 2> b;", 'printf("throw"); // throw'],
)  # fmt: skip
def test_words_that_only_resemble_them(body: str) -> None:
    assert refusals(f"__aicore__ inline void f() {{ {body} }}") == []


def test_such_words_are_errors_at_their_place_unless_switched_off(bisheng: Driver, tmp_path: Path) -> None:
    text = '#include "kernel_operator.h"\n__global__ __vector__ void k(int n) {\n#ifdef OLD\n  throw n;\n#endif\n}\n'
    (tmp_path / "t.asc").write_text(text)
    assert bisheng("--npu-arch=dav-2201", "-c", "t.asc").returncode == 0
    done = bisheng("--npu-arch=dav-2201", "-DOLD", "-c", "t.asc")
    assert done.returncode == 1
    assert re.search(r"^t\.asc:4:\d+: error: device code has no exceptions", done.stderr, re.MULTILINE)


def test_syntax_alone_leaves_no_file(bisheng: Driver, tmp_path: Path) -> None:
    (tmp_path / "s.asc").write_text('#include "kernel_operator.h"\n__global__ __vector__ void k() {}\n')
    done = bisheng("--npu-arch=dav-2201", "-fsyntax-only", "s.asc", "-o", "s.o")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["s.asc"]
