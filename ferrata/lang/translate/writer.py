"""Lines of C++ with the Python line that each comes from, and their layout.

A `Slot` is a place that is filled later: the declaration of a variable whose type only its first assignment tells.
`render` gives the text, as a person reads it or with `#line` for compilers and debuggers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

WIDTH = 120
INDENT = "    "


@dataclass
class Line:
    """One logical line; it may be laid out on several. python: line in the user's file, 0 for none."""

    text: str
    depth: int = 0
    python: int = 0
    file: str = ""
    comment: str = ""


@dataclass
class Slot:
    """Lines that are not known yet."""

    depth: int
    lines: list[Line] = field(default_factory=list)


class Writer:
    """The lines of one function or file, in order."""

    def __init__(self, file: str = "") -> None:
        self.items: list[Line | Slot] = []
        self.depth = 0
        self.python = 0
        self.file = file
        self.comment = ""  # of the user's statement: goes behind the next line

    def emit(self, text: str, comment: str = "") -> None:
        """Add a line at the current depth; `comment` says why we inserted it, else the user's own goes there."""
        if not comment and self.comment:
            comment, self.comment = self.comment, ""
        self.items.append(Line(text, self.depth, self.python, self.file, comment))

    def open(self, text: str, comment: str = "") -> None:
        """A line that opens a block."""
        self.emit(text, comment)
        self.depth += 1

    def close(self, text: str = "}") -> None:
        """The end of a block, and perhaps the start of the next."""
        self.depth -= 1
        self.emit(text)

    def slot(self) -> Slot:
        """A place for lines to come."""
        place = Slot(self.depth)
        self.items.append(place)
        return place

    def fill(self, place: Slot, text: str, comment: str = "") -> None:
        """Put a line into a place."""
        place.lines.append(Line(text, place.depth, self.python, self.file, comment))

    def __iter__(self) -> Iterator[Line]:
        for item in self.items:
            if isinstance(item, Line):
                yield item
            else:
                yield from item.lines


def render(lines: Iterable[Line], markers: bool = False) -> str:
    """The text. markers: with `#line` before each line that comes from a Python line."""
    out: list[str] = []
    for line in lines:
        pieces = layout(line)
        for piece in pieces:
            if markers and line.python and piece.strip():
                out.append(f'#line {line.python} "{escape(line.file)}"')
            out.append(piece)
    return "\n".join(out) + "\n"


def escape(text: str) -> str:
    """As the inside of a C string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def layout(line: Line) -> list[str]:
    """A line on as many as it needs."""
    if not line.text:
        return [f"{INDENT * line.depth}// {line.comment}"] if line.comment else [""]
    if line.text.startswith("#"):
        return [line.text]
    whole = INDENT * line.depth + line.text
    if line.comment:
        if len(whole) + len(line.comment) + 4 <= WIDTH:
            return [f"{whole} // {line.comment}"]
        return [*comment(line.comment, line.depth), *_broken(whole, line.depth)]
    return _broken(whole, line.depth)


def comment(text: str, depth: int) -> list[str]:
    """A comment on as many lines as it needs."""
    out: list[str] = []
    for paragraph in text.split("\n"):
        words, current = paragraph.split(), INDENT * depth + "//"
        for word in words:
            if len(current) + 1 + len(word) > WIDTH and not current.endswith("//"):
                out.append(current)
                current = INDENT * depth + "//"
            current += " " + word
        out.append(current)
    return out


def _broken(text: str, depth: int, inside: int = -1) -> list[str]:
    """Break a long line behind a comma or before an operator, deepest inside which it still fits.

    inside: the column of a bracket of a line before that is still open, -1 for none.
    """
    if len(text) <= WIDTH or text.lstrip().startswith("//"):
        return [text]
    best = None
    stack: list[int] = [inside] if inside >= 0 else []
    quoted, angles, start = "", 0, len(text) - len(text.lstrip())
    for at, char in enumerate(text[:WIDTH]):
        if at < start:
            continue
        if quoted:
            quoted = "" if char == quoted and text[at - 1] != "\\" else quoted
        elif char in "\"'":
            quoted = char
        elif char == "<" and (text[at - 1].isalnum() or text[at - 1] == "_"):  # a comparison has a space before
            angles += 1
        elif char == ">" and angles:
            angles -= 1
        elif angles:
            continue
        elif char in "([{":
            stack.append(at)
        elif char in ")]}" and stack:
            stack.pop()
        elif char == " " and text[at - 1] in ",;" and stack and (best is None or len(stack) <= best[1]):
            best = (at, len(stack), stack[-1] + 1)
        elif char == " " and text[at + 1 : at + 4] in ("&& ", "|| ", "?  ") and (best is None or len(stack) <= best[1]):
            best = (at, len(stack), stack[-1] + 1 if stack else 4 * depth + 4)
    if best is None:
        return [text]
    at, level, indent = best
    return [text[:at].rstrip(), *_broken(" " * indent + text[at + 1 :], depth, indent - 1 if level else -1)]
