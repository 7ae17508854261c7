"""The rewriter's text against golden files, and what a compiler says about the result.

`FERRATA_UPDATE_GOLDEN=1 pytest tests/asc/test_rewrite.py` writes the golden files anew; read the difference before
committing it.
"""

import os
import re
from pathlib import Path

import pytest

from ferrata.asc import rewrite
from ferrata.asc.lexer import tokens

GOLDEN = Path(__file__).parent / "golden"


def rewritten(text: str, name: str = "u.asc") -> str:
    scan = rewrite.Scan.of(text)
    names = rewrite.certain_names([scan], scan.aliases)
    return rewrite.apply(text, rewrite.rewrite(scan, name, scan.aliases, names))


@pytest.mark.parametrize("source", sorted(GOLDEN.glob("*.asc")), ids=lambda path: path.stem)
def test_golden(source: Path) -> None:
    got = rewritten(source.read_text(), source.name)
    golden = source.with_suffix(".cpp")
    if os.environ.get("FERRATA_UPDATE_GOLDEN"):
        golden.write_text(got)
    assert got == golden.read_text()


@pytest.mark.parametrize("source", sorted(GOLDEN.glob("*.asc")), ids=lambda path: path.stem)
def test_every_user_token_keeps_line_and_column(source: Path) -> None:
    """Follow the #line directives of the output: each identifier of the input stands where it stood."""
    text = source.read_text()
    seen = set()
    line = 1
    for row in rewritten(text, source.name).splitlines():
        marker = re.fullmatch(r'#line (\d+) ".*"', row)
        if marker:
            line = int(marker.group(1))
            continue
        seen |= {(word.group(), line, word.start() + 1) for word in re.finditer(r"\w+", row)}
        line += 1
    lines = text.splitlines()
    # a 4-argument launch is dropped as a whole; launches in macro bodies keep their line only
    skip = {i for i, row in enumerate(lines, 1) if "1, 2, 3, s" in row or "name##" in row}
    for token in tokens(text):
        number = text.count("\n", 0, token.start) + 1
        column = token.start - (text.rfind("\n", 0, token.start) + 1) + 1
        if token.kind == "id" and number not in skip and token.text not in ("nullptr", "NULL"):
            assert (token.text, number, column) in seen


@pytest.mark.parametrize(
    "text",
    [
        "int x = a << b;",
        'const char* s = "k<<<1>>>(x)";',
        "// k<<<1>>>(x)\n/* k<<<1>>>(x) */",
        'auto s = R"(k<<<1>>>(x))";',
        "bool b = a < b > c;",
        "struct S { S& operator<<<int>(int); };",
        "auto c = '<'; auto d = 1'000;",
        "<<<<<<< HEAD",
        "",
    ],
)
def test_text_without_launch_stays(text: str) -> None:
    assert rewritten(text) == text


@pytest.mark.parametrize(
    ("launch", "callee"),
    [
        ("k<<<1>>>(x)", "k"),
        ("a::b::k<<<1>>>(x)", "a::b::k"),
        ("::k<<<1>>>(x)", "::k"),
        ("k<A, B><<<1>>>(x)", "k<A, B>"),
        ("k<A<B<C>>><<<1>>>(x)", "k<A<B<C>>>"),
        ("T<A>::k<B><<<1>>>(x)", "T<A>::k<B>"),
        ("k < A > <<<1>>>(x)", "k < A >"),
        ("return k<<<1>>>(x)", "k"),
        ("k<(1 > 0)><<<1>>>(x)", "k<(1 > 0)>"),
        ("k<sizeof(int)><<<1>>>(x)", "k<sizeof(int)>"),
    ],
)
def test_callee(launch: str, callee: str) -> None:
    assert f'::ferrata::launch("{callee}", ' in rewritten(launch + ";")


def test_windows_line_ends_and_no_final_newline() -> None:
    got = rewritten("__global__ __vector__ void k(GM_ADDR x)\r\n{\r\n}\r\nvoid h() { k<<<1>>>(0); }")
    assert 'FERRATA_ENTRY("k"' in got
    assert "#line 4" in got


def test_call_of_a_host_function_with_the_kernels_name_is_no_error() -> None:
    text = (
        "__global__ __vector__ void add(GM_ADDR x) {}\nnamespace host { int add(int x); }\n"
        "void f() { using host::add;\n  add(1);\n}\n"
    )
    assert "_Pragma" not in rewritten(text)
