"""What the C++ compiler says about Ascend C, in the words of Ascend C.

objects.py passes the compiler's messages through `improve`: a name that a later chip has gets an explanation, and
suggestions of names inside ferrata's own headers, which no user should write, are left out.
"""

from __future__ import annotations

import re

from ferrata.asc.absent import ABSENT, WITHOUT_FORM

_ESCAPE = re.compile(r"\x1b\[[\d;]*[mK]")
_HEAD = re.compile(
    r"^(?:[^\s:][^:\n]*:\d+:(?:\d+:)? (?:fatal )?(?:error|warning|note): |In file included|[^\s:][^:\n]*: [IA][nt] )"
)
_QUOTED = "[\u2018'`](?:AscendC::)?(\\w+)[\u2019']"
_UNKNOWN = re.compile(
    rf"error: (?:{_QUOTED} (?:was not declared|is not a member of)|there are no arguments to {_QUOTED} that depend|"
    rf"use of undeclared identifier {_QUOTED}|no member named {_QUOTED} in)"
)
_NO_FORM = re.compile(r"error: no matching function for call to [\u2018'`](?:AscendC::)?(\w+)(?:<[^\n]*>)?\(")
_MEANT = re.compile(r"; did you mean [\u2018'`](?:::)?(?:ferrata|_F)[^\u2019'\n]*[\u2019']\??")
_SUGGESTION = re.compile(
    r"note: (?:suggested alternatives?: )?\s*[\u2018'`](?:::)?ferrata\w*(?:::[^\u2019'\n]*)?[\u2019']"
)
_SUGGESTIONS = re.compile(r"note: suggested alternatives:")


def improve(messages: str) -> str:
    """The messages of a compilation as a user should see them."""
    if "error: " not in _ESCAPE.sub("", messages):
        return messages
    kept: list[str] = []
    for block in _blocks(messages):
        text = _improved(block)
        if text:
            kept.append(text)
        elif kept and kept[-1].startswith("In file included"):  # says where the dropped one stood
            kept.pop()
    return "".join(kept)


def _blocks(messages: str) -> list[str]:
    """Each message with the lines of source text below it; \"suggested alternatives\" are one with their list."""
    found: list[str] = []
    for line in messages.splitlines(keepends=True):
        if not found or _HEAD.match(_ESCAPE.sub("", line)):
            found.append(line)
        else:
            found[-1] += line
    return found


def _improved(block: str) -> str:
    head, end, rest = block.partition("\n")
    plain = _ESCAPE.sub("", head)
    if _SUGGESTION.search(plain) or _SUGGESTIONS.search(plain):
        return ""
    unknown = _UNKNOWN.search(plain)
    name = next((group for group in unknown.groups() if group), "") if unknown else ""
    if unknown and name in ABSENT:
        message = f"error: {name} does not exist on dav-2201, only on later chips; use {ABSENT[name]}"
        return plain[: unknown.start()] + message + end + _without_fixit(rest, r"\w")
    form = _NO_FORM.search(plain)
    if form and form.group(1) in WITHOUT_FORM:
        has = f"dav-2201 has fewer forms of {form.group(1)} than later chips"
        note = f"{plain[: form.start()]}note: {has}; use {WITHOUT_FORM[form.group(1)]}\n"
        return block + ("" if block.endswith("\n") else "\n") + note
    if unknown or _MEANT.search(plain):
        return _MEANT.sub("", plain) + end + _without_fixit(rest)
    return block


def _without_fixit(rest: str, name: str = "(?:ferrata|_F)") -> str:
    """The source excerpt without the line that shows a suggested name."""
    lines = rest.splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(rf"^ *\| +{name}", _ESCAPE.sub("", line)))
