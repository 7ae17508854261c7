"""How long lines of the emitted text are laid out."""

from __future__ import annotations

from ferrata.lang.translate.writer import WIDTH, Line, layout


def test_a_long_head_breaks_between_parameters_on_as_many_lines_as_it_needs() -> None:
    parameters = ", ".join(f"TQue<TPosition::VECIN, {at}>& queue_of_some_length_{at}" for at in range(6))
    lines = layout(Line(f"__aicore__ inline float row_squares({parameters})"))
    assert len(lines) == 6 and all(len(line) <= WIDTH for line in lines)
    assert all(line.endswith(("},", ",", ")")) and line.count("<") == line.count(">") for line in lines)
    assert {len(line) - len(line.lstrip()) for line in lines[1:]} == {len("__aicore__ inline float row_squares(")}


def test_what_cannot_be_broken_stays_long() -> None:
    text = "x = " + "a" * 150 + ";"
    assert layout(Line(text, 1)) == ["    " + text]
    assert layout(Line("if (" + " && ".join(["b" * 70] * 3) + ") {")) == [
        "if (" + "b" * 70, "    && " + "b" * 70, "    && " + "b" * 70 + ") {",
    ]  # fmt: skip
