"""Offsets in one block for pieces of memory whose lives are known: the search of the memory plan, on numbers alone.

No two pieces that live at once share a byte. First the pieces are placed in the order of time, with a list of gaps, in
several ways: that takes time in proportion to their number. If none reaches the lower bound, and the pieces that meet are
not too many, orders without regard to time are tried, each changed where the last plan was highest.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

WORK = 600_000  # looks at a neighbour that a search may take: about a quarter of a second


@dataclass(frozen=True, slots=True)
class Piece:
    """nbytes, alive in steps start..end (both included)."""

    nbytes: int
    start: int
    end: int


def lower_bound(pieces: Iterable[Piece]) -> int:
    """The most that is alive at once: no placing needs less."""
    change: dict[int, int] = {}
    for p in pieces:
        change[p.start] = change.get(p.start, 0) + p.nbytes
        change[p.end + 1] = change.get(p.end + 1, 0) - p.nbytes
    total = most = 0
    for step in sorted(change):
        total += change[step]
        most = max(most, total)
    return most


def offsets(pieces: Sequence[Piece], work: int = WORK) -> list[int]:
    """An offset for each piece; the block's size is the lowest that was found. work: bounds the search."""
    some = [k for k, p in enumerate(pieces) if p.nbytes]
    chosen = [pieces[k] for k in some]
    out = [0] * len(pieces)
    for k, offset in zip(some, _search(chosen, work), strict=True):
        out[k] = offset
    return out


def _search(pieces: Sequence[Piece], work: int) -> list[int]:
    if not pieces:
        return []
    best, lowest, bound = [0] * len(pieces), -1, lower_bound(pieces)
    horizon = max(p.end for p in pieces)
    mirrored = [Piece(p.nbytes, horizon - p.end, horizon - p.start) for p in pieces]
    for given in (pieces, mirrored):
        for choose in (_first, _tightest):
            found = _in_time(given, choose)
            peak = _peak(pieces, found)
            if lowest < 0 or peak < lowest:
                best, lowest = found, peak
            if lowest == bound:
                return best
    meeting = _meeting(pieces, work // 8)
    if meeting is None:
        return best
    every = range(len(pieces))
    orders = [
        sorted(every, key=lambda k: (-pieces[k].nbytes, pieces[k].start)),
        sorted(every, key=lambda k: (-(pieces[k].end - pieces[k].start + 1) * pieces[k].nbytes, k)),
        sorted(every, key=lambda k: (pieces[k].start - pieces[k].end, -pieces[k].nbytes)),
        sorted(every, key=lambda k: best[k]),
    ]
    tries = work // max(1, sum(map(len, meeting)) + len(pieces))
    rng = random.Random(0)  # the same plan at each time
    order: list[int] = []
    reached = -1  # what the order at work reached
    since = 0
    for _ in range(tries):
        if orders:
            order, reached = orders.pop(0), -1
        found = _place(pieces, meeting, order)
        top = max(every, key=lambda k: found[k] + pieces[k].nbytes)
        peak = found[top] + pieces[top].nbytes
        since = 0 if reached < 0 or peak < reached else since + 1
        reached = peak if since == 0 else reached
        if peak < lowest:
            best, lowest = found, peak
        if lowest == bound:
            break
        order = [top, *(k for k in order if k != top)]
        if since >= 12:  # it goes round in circles: a few others first, too
            front = rng.sample(order, min(len(order), 3))
            order = [*front, *(k for k in order if k not in front)]
            since = 0
    return best


def _peak(pieces: Sequence[Piece], found: Sequence[int]) -> int:
    return max(offset + p.nbytes for p, offset in zip(pieces, found, strict=True))


# ---- in the order of time ----

Choose = Callable[[Sequence[tuple[int, int]], int], int]


def _first(gaps: Sequence[tuple[int, int]], nbytes: int) -> int:
    return next((i for i, (_, size) in enumerate(gaps) if size >= nbytes), -1)


def _tightest(gaps: Sequence[tuple[int, int]], nbytes: int) -> int:
    fitting = [(size, i) for i, (_, size) in enumerate(gaps) if size >= nbytes]
    return min(fitting)[1] if fitting else -1


def _in_time(pieces: Sequence[Piece], choose: Choose) -> list[int]:
    """Each piece into a gap that is free when it begins; above the others if there is none."""
    found = [0] * len(pieces)
    gaps: list[tuple[int, int]] = []  # (offset, bytes), by offset; none touches another or the top
    top = 0
    endings: dict[int, list[int]] = {}
    for k, p in enumerate(pieces):
        endings.setdefault(p.end, []).append(k)
    ends = sorted(endings)
    gone = 0
    for k in sorted(range(len(pieces)), key=lambda k: (pieces[k].start, -pieces[k].nbytes)):
        one = pieces[k]
        while gone < len(ends) and ends[gone] < one.start:
            for dead in endings[ends[gone]]:
                top = _release(gaps, found[dead], pieces[dead].nbytes, top)
            gone += 1
        i = choose(gaps, one.nbytes)
        if i < 0:
            found[k], top = top, top + one.nbytes
            continue
        offset, size = gaps[i]
        found[k] = offset
        if size == one.nbytes:
            del gaps[i]
        else:
            gaps[i] = (offset + one.nbytes, size - one.nbytes)
    return found


def _release(gaps: list[tuple[int, int]], offset: int, nbytes: int, top: int) -> int:
    """Give a piece back; the new top."""
    i = bisect.bisect(gaps, (offset, 0))
    if i < len(gaps) and gaps[i][0] == offset + nbytes:
        nbytes += gaps.pop(i)[1]
    if i > 0 and sum(gaps[i - 1]) == offset:
        i -= 1
        offset, before = gaps.pop(i)
        nbytes += before
    if offset + nbytes == top:
        return offset
    gaps.insert(i, (offset, nbytes))
    return top


# ---- in any order ----


def _meeting(pieces: Sequence[Piece], most: int) -> list[list[int]] | None:
    """For each piece those that live while it does; None if these are more than `most` pairs."""
    found: list[list[int]] = [[] for _ in pieces]
    alive: list[int] = []
    pairs = 0
    for k in sorted(range(len(pieces)), key=lambda k: pieces[k].start):
        alive = [a for a in alive if pieces[a].end >= pieces[k].start]
        pairs += len(alive)
        if pairs > most:
            return None
        for a in alive:
            found[a].append(k)
        found[k].extend(alive)
        alive.append(k)
    return found


def _place(pieces: Sequence[Piece], meeting: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """Each piece, in this order, at the lowest place that is free while it lives."""
    found = [-1] * len(pieces)
    for k in order:
        nbytes, at = pieces[k].nbytes, 0
        for offset, other in sorted((found[m], m) for m in meeting[k] if found[m] >= 0):
            if offset - at >= nbytes:
                break
            at = max(at, offset + pieces[other].nbytes)
        found[k] = at
    return found
