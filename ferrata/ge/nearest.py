"""The name that somebody who wrote another one may have meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_COMMON = frozenset(("custom", "op", "npu", "v", "fused", "x", "y", "is", "to"))  # words that tell no two names apart
_TYPO = 0.72  # how alike two names are, of 1, for one to be the other misspelt
_KIN = 0.6  # the same, for names that share a word, and for short ones


def near(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` for the closest known name, else nothing. Names with words in common come first."""
    words = _words(name)
    matcher = difflib.SequenceMatcher(b=name.lower())
    best: tuple[float, str] | None = None
    for other in dict.fromkeys(known):
        matcher.set_seq1(other.lower())
        theirs = _words(other)
        share = len(words & theirs) / max(len(words), len(theirs), 1)
        least = 0.0 if share == 1.0 and len(words) > 1 else _KIN if share or len(name) < 4 else _TYPO
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
            continue
        alike = 2.0 if _letters(name) == _letters(other) else matcher.ratio()
        if alike >= least and (best is None or alike + share > best[0]):
            best = (alike + share, other)
    return f" Did you mean {best[1]!r}?" if best else ""


def _letters(name: str) -> str:
    return name.lower().replace("_", "")


def _words(name: str) -> set[str]:
    """`RmsNormV2` and `rms_norm` are rms and norm."""
    return {word.lower() for word in _WORD.findall(name)} - _COMMON
