"""The lexer never takes text in comments, strings or directives for code, and keeps positions."""

import pytest

from ferrata.asc.lexer import Lines, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<<<b>>>c", ["a", "<<<", "b", ">", ">", ">", "c"]),
        ("a << <b", ["a", "<<", "<", "b"]),
        ("a<<=b", ["a", "<<=", "b"]),
        ("p->q >= r", ["p", "->", "q", ">=", "r"]),
        ("1'000'000 0x1p-3 1.5e+7f .5", ["1'000'000", "0x1p-3", "1.5e+7f", ".5"]),
        (R"'\'' 'a' L'x' u8'y'", [R"'\''", "'a'", "L", "'x'", "u8", "'y'"]),
        (R'"a\"b" L"c"', [R'"a\"b"', 'L"c"']),
        ('R"(a"b)" LR"d(x)" )d"', ['R"(a"b)"', 'LR"d(x)" )d"']),
        ("a // b\\\n c\n d", ["a", "d"]),
        ("a /* b\n * c */ d", ["a", "d"]),
        ("#define A(x) \\\n  x + 1\nb", ["#define A(x) \\\n  x + 1", "b"]),
        ('#define A "// \\" x" // c\nb', ['#define A "// \\" x" // c', "b"]),
        ("#define A /* x\n y */ 1\nb", ["#define A /* x\n y */ 1", "b"]),
        ("a # b", ["a", "#", "b"]),
        ("don't", ["don", "'", "t"]),
        ("/* open", []),
        ("x\\\ny", ["x", "y"]),
        ("变量<<<1>>>(2)", ["变量", "<<<", "1", ">", ">", ">", "(", "2", ")"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    found = tokens(text)
    assert [token.text for token in found] == expected
    assert all(text[token.start : token.end] == token.text for token in found)


def test_lines_count_from_one() -> None:
    lines = Lines("ab\ncd\n")
    assert [lines.at(i) for i in (0, 2, 3, 6)] == [(1, 1), (1, 3), (2, 1), (3, 1)]
