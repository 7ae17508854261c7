"""Turn Ascend C source text into C++ text: launches into calls, kernel bodies get their entry hook.

    k<A, B><<<n, ub, stream>>>(x, y);
        ::ferrata::launch("k<A, B>", n, ub, stream).run([&](auto... ferrata_a) { k<A, B>(ferrata_a...); }, x, y);
    __global__ __vector__ void k(__gm__ float* x) {
        ... { FERRATA_ENTRY("k", ::ferrata::Kind::vector, 0, 1);

Every token of the user keeps its line and, outside macro definitions, its column: after inserted text a `#line` and
blanks bring the position back, so that diagnostics, `__LINE__` and debug info speak of the user's file. Rules that the
text breaks become `_Pragma("GCC error ...")` at the place, which the compiler reports beside its own errors and
skips in code that `#if` switches off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from ferrata.asc import blocklocals, cube, devicenames, kernels, launches, onchip, parameters, refused, tilingkeys
from ferrata.asc.kernels import Kernel
from ferrata.asc.launches import Launch
from ferrata.asc.lexer import Lines, Token, closing, tokens

Edit = tuple[int, int, str]  # replace [start, end) by the text
_BRANCH = re.compile(r"#[ \t]*(?:el|endif)")
# Text that a macro's replacement may hold and that changes there.
_IN_MACROS = re.compile(rf"<<<|__global__|{onchip.WORDS.pattern}|{devicenames.WORDS.pattern}")
_INTERESTING = re.compile(
    r"<<<|__global__|__aicore__|__BLOCK_LOCAL__|^[ \t]*\#[ \t]*define(?:[^\n\\]|\\\r?\n|\\.)*?"
    rf"(?:{onchip.WORDS.pattern}|{devicenames.WORDS.pattern})",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Scan:
    """What one file holds, read once and used twice: for the unit's tables, then for the rewriting."""

    text: str
    items: list[Token] = field(default_factory=list)
    aliases: dict[str, list[Token]] = field(default_factory=dict)  # macros that stand for function qualifiers
    memories: dict[str, str] = field(default_factory=dict)  # macros that stand for qualifiers of on-chip memory

    @staticmethod
    def of(text: str, force: bool = False) -> Scan:
        """Lex the text if it can hold anything of interest (or `force`)."""
        if not force and not _INTERESTING.search(text):
            return Scan(text)
        items = tokens(text)
        return Scan(text, items, kernels.aliases(items), onchip.aliases(items))


class Facts(NamedTuple):
    """What the whole unit says of its kernels."""

    dual: frozenset[str] = frozenset()  # kinds that are also compiled for cube cores (cube.kinds)
    listed: bool = False  # they register themselves, for a binary (runtime.py)
    keyed: frozenset[str] = frozenset()  # template kernels whose parameters a tiling key holds
    structs: tuple[tuple[int, str], ...] = ()  # tiling structs that the host side gave to keys
    memories: tuple[tuple[str, str], ...] = ()  # macros that stand for qualifiers of on-chip memory
    selected: tuple[tuple[str, ...], bool] = ((), False)  # what combinations of template parameters select


def rewrite(
    scan: Scan,
    shown: str,
    macros: dict[str, list[Token]],
    names: frozenset[str] = frozenset(),
    facts: Facts = Facts(),  # noqa: B008  frozen
) -> list[Edit]:
    """The edits that make C++ of the file.

    shown: the file's name in `#line`. macros: kernel-qualifier aliases of the unit. names: kernels of the unit whose
    direct call is certainly a mistake (see `direct_calls`).
    """
    place = _Place(scan.text, shown, facts)
    edits = _edit(scan.items, place, macros, inline=False)
    if facts.memories or onchip.WORDS.search(scan.text):
        edits += onchip.edits(scan.items, macros, dict(facts.memories))
    if devicenames.WORDS.search(scan.text):
        edits += devicenames.edits(scan.items, macros)
    if blocklocals.WORD in scan.text:
        edits += blocklocals.edits(scan.items)
    edits += [_error(place, at, _direct_call(name)) for name, at in direct_calls(scan.items, names)]
    if refused.WORDS.search(scan.text):
        edits += [_error(place, at, why) for at, why in refused.problems(scan.items, macros)]
    for item in scan.items:
        if item.kind == "pp" and _IN_MACROS.search(item.text):
            edits += _macro(item, scan.text, place, macros)
    return sorted(edits + _resync(scan, place, edits))


def _resync(scan: Scan, place: _Place, edits: list[Edit]) -> list[Edit]:
    """Lines were inserted, and where `#if` skips a part its `#line` do not count: say the line again behind each."""
    if not edits:
        return []
    first = min(edits)[0]
    found = []
    for item in scan.items:
        if item.kind == "pp" and item.start > first and _BRANCH.match(item.text):
            after = _line_end(scan.text, item.end) + 1
            if after < len(scan.text):
                found.append((after, after, marker(place.shown, place.line(after))))
    return found


def apply(text: str, edits: list[Edit]) -> str:
    """The text with the edits made; edits are sorted. They overlap only in text that is no C++: the first wins."""
    out, at = [], 0
    for start, end, new in edits:
        if start < at:
            continue
        out += [text[at:start], new]
        at = end
    return "".join([*out, text[at:]])


def marker(shown: str, line: int = 1) -> str:
    """A `#line` directive with its line end."""
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{escaped}"\n'


class _Place:
    """Positions in one file."""

    def __init__(self, text: str, shown: str, facts: Facts) -> None:
        self.text, self.shown, self.facts = text, shown, facts
        self._lines = Lines(text)

    def line(self, offset: int) -> int:
        """Line of an offset, from 1."""
        return self._lines.at(offset)[0]

    def column(self, offset: int) -> int:
        """Column of an offset, from 1."""
        return self._lines.at(offset)[1]

    def resume(self, offset: int) -> str:
        """Text after which the compiler stands at `offset` of the user's file."""
        line, column = self._lines.at(offset)
        begin = offset - column + 1
        blanks = re.sub(r"[^\t]", " ", self.text[begin:offset])
        return "\n" + marker(self.shown, line) + blanks


def _edit(items: list[Token], place: _Place, macros: dict[str, list[Token]], inline: bool) -> list[Edit]:
    edits: list[Edit] = []
    for kernel in kernels.find(items, macros):
        if kernel.problem:
            edits.append(_error(place, items[kernel.first].start, kernel.problem, inline))
        if kernel.body is not None:
            edits += _entry(items, kernel, place, inline)
    taken = 0
    for launch in launches.find(items):
        if launch.launch < taken:
            continue  # inside one that was replaced as a whole
        if len(launch.config) > 3 or not launch.config:
            edits.append(_bad_launch(items, launch, place, inline))
            taken = launch.end
        else:
            edits += _launch(items, launch, place, inline)
    return edits


def _entry(items: list[Token], kernel: Kernel, place: _Place, inline: bool) -> list[Edit]:
    assert kernel.body is not None
    name = f"FERRATA_NAME({kernel.name})" if inline else f'"{kernel.name}"'
    told = f"{name}, ::ferrata::Kind::{kernel.kind}, {kernel.cube}, {kernel.vector}"
    found = parameters.parameters(items, kernel)
    facts = place.facts
    dual = kernel.kind in facts.dual
    typed = cube.entry(items, kernel, found) if found is not None and (dual or facts.listed) else None
    edits = [(at, at, text) for at, text in typed.names] if typed else []
    text = f" FERRATA_ENTRY({told});"
    if typed and dual:
        text = f" FERRATA_DUAL_ENTRY({told}, ({typed.self}), {typed.arguments});"
    keyed = kernel.name in facts.keyed and not inline
    if typed and facts.listed:
        as_listed = f'"{kernel.name}<...>"' if keyed else name
        text += f" FERRATA_LIST_KERNEL({as_listed}, ::ferrata::Kind::{kernel.kind}, ({typed.self}));"
    text += parameters.workspace(found or [], kernel.kind == "any")
    if not inline and (facts.structs or tilingkeys.WORD.search(place.text)):
        rules = tilingkeys.rules(items, kernel, facts.structs)
        if rules.problem:
            edits.append(_error(place, *rules.problem))
        text += rules.opening
        edits += rules.edits
    if keyed and not tilingkeys.WORD.search(place.text):
        chosen = tilingkeys.selection(items, kernel, *facts.selected)
        text += chosen.opening
        edits += chosen.edits
    end = closing(items, kernel.last)
    if keyed and found is not None and end is not None:
        after = items[end].end
        form = tilingkeys.dispatcher(items, kernel, found, facts.listed)
        edits.append((after, after, form + (place.resume(after) if form else "")))
    rest = place.text[kernel.body : _line_end(place.text, kernel.body)]
    if inline or not rest.strip():
        return [*edits, (kernel.body, kernel.body, text + (" " if rest.strip() else ""))]
    return [*edits, (kernel.body, kernel.body, text + place.resume(kernel.body))]


def _launch(items: list[Token], launch: Launch, place: _Place, inline: bool) -> list[Edit]:
    begin, close, open_ = items[launch.callee].start, items[launch.close].start, items[launch.open].end
    config = items[launch.launch].end
    callee = _callee(items, launch, place)
    name = f"FERRATA_NAME({callee})" if inline else '"' + callee.replace("\\", "\\\\").replace('"', '\\"') + '"'
    # the call stands at the callee's own position: there the compiler reports arguments that do not fit the kernel
    back = "" if inline else place.resume(begin)
    if any(items[first].text == "{" for first, _ in launch.arguments):
        run = f").run_as({back}{callee}, "  # `{...}` has no type: the parameter gives it
    elif launch.arguments:
        run = f").run([&](auto... ferrata_a) {{ {back}{callee}(ferrata_a...); }}, "
    else:
        run = f").run([&]() {{ {back}{callee}(); }}"
    edits = [
        (begin, config, f"::ferrata::launch({name}, " + _rejoin(place, begin, config, inline)),
        (close, open_, run + _rejoin(place, close, open_, inline)),
    ]
    for first, last in launch.arguments:
        # through `auto...` a literal 0 would be an int and no longer a null pointer
        if last - first == 1 and items[first].text in ("0", "NULL"):
            start, end = items[first].start, items[first].end
            edits.append((start, end, "::ferrata::Zero{}" + _rejoin(place, start, end, inline)))
    return edits


def _callee(items: list[Token], launch: Launch, place: _Place) -> str:
    """What stands before `<<<`, on one line and without comments."""
    text = place.text[items[launch.callee].start : items[launch.launch].start].replace("\\\n", " ")
    if "//" in text or "/*" in text:
        return " ".join(token.text for token in items[launch.callee : launch.launch])
    return " ".join(text.split())


def _rejoin(place: _Place, start: int, end: int, inline: bool) -> str:
    """What must follow a replacement of [start, end) to keep lines (and, not inline, columns)."""
    return "\\\n" * place.text.count("\n", start, end) if inline else place.resume(end)


def _bad_launch(items: list[Token], launch: Launch, place: _Place, inline: bool) -> Edit:
    callee = _callee(items, launch, place)
    count = len(launch.config)
    if count == 4:
        why = f"{callee}<<<...>>> has 4 launch arguments: that is the SIMT form, which this architecture does not have"
    else:
        why = f"{callee}<<<...>>> has {count} launch arguments"
    message = f"{why}; write {callee}<<<numBlocks, dynUBufSize, stream>>>(...), for example {callee}<<<8, 0, stream>>>"
    start, end = items[launch.callee].start, items[launch.end].end
    _, _, pragma = _error(place, start, message, inline)
    return start, end, pragma + "(void)0" + _rejoin(place, start, end, inline)


def _error(place: _Place, at: int, message: str, inline: bool = False) -> Edit:
    text = message.replace("\\", "\\\\").replace('"', "'")
    # the compiler reports the place of the text within the pragma: blanks move it to the user's column
    blanks = " " * max(0, place.column(at) - len('GCC error "'))
    pragma = f'_Pragma("GCC {blanks}error \\"{text}\\"") '
    return at, at, pragma if inline else pragma + place.resume(at)


def _macro(item: Token, text: str, place: _Place, macros: dict[str, list[Token]]) -> list[Edit]:
    """Edits inside the body of a `#define`; names are stringified there so that pasted ones come out right."""
    parts = tokens(text, item.start + 1, item.end, directives=False)
    if len(parts) < 3 or parts[0].text != "define":
        return []
    body = parts[kernels.body_of_macro(parts) :]
    edits = _edit(_pasted(body), place, macros, inline=True)
    if onchip.WORDS.search(item.text):
        edits += onchip.macro(body)
    if devicenames.WORDS.search(item.text):
        edits += devicenames.macro(body)
    return edits


def _pasted(parts: list[Token]) -> list[Token]:
    """`a ## b` as one identifier that spans the whole, so that a pasted kernel name is one name."""
    out: list[Token] = []
    at = 0
    while at < len(parts):
        token = parts[at]
        if token.text == "##" and out and at + 1 < len(parts):
            left, right = out.pop(), parts[at + 1]
            gap = " " * (token.start - left.end)
            gap_right = " " * (right.start - token.end)
            out.append(Token("id", left.text + gap + "##" + gap_right + right.text, left.start))
            at += 2
            continue
        out.append(token)
        at += 1
    return out


def _direct_call(name: str) -> str:
    return f"kernel '{name}' is called like a function; a kernel starts with {name}<<<numBlocks, 0, stream>>>(...)"


def certain_names(scans: list[Scan], macros: dict[str, list[Token]]) -> frozenset[str]:
    """Kernel names of the unit that no other function of the unit shares."""
    names: set[str] = set()
    shared: set[str] = set()
    for scan in scans:
        declared = kernels.find(scan.items, macros)
        inside = {kernel.at for kernel in declared}
        names |= {kernel.name for kernel in declared}
        for before, token, after in zip(scan.items, scan.items[1:], scan.items[2:], strict=False):
            if token.kind == "id" and after.text == "(" and token.start not in inside:
                declares = before.kind == "id" and before.text not in ("return", "else", "do")
                if declares or before.text in ("*", "&", ">", "::", ".", "->", "#", "##", ","):
                    shared.add(token.text)
    return frozenset(names - shared)


def direct_calls(items: list[Token], names: frozenset[str]) -> list[tuple[str, int]]:
    """Statements `name(...);` for kernels `names`: (name, offset)."""
    found = []
    for index in range(1, len(items) - 1):
        token = items[index]
        if token.kind == "id" and token.text in names and items[index + 1].text == "(":
            end = closing(items, index + 1)
            statement = items[index - 1].kind == "op" and items[index - 1].text in ("{", "}", ";")
            if statement and end is not None and end + 1 < len(items) and items[end + 1].text == ";":
                found.append((token.text, token.start))
    return found


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end
