"""Where pieces of memory with known lives are put: never two at one place, never below the bound, seldom above it."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrata.ge.placing import Piece, lower_bound, offsets

PIECES = st.lists(
    st.builds(
        lambda nbytes, start, length: Piece(nbytes * 64, start, start + length),
        st.integers(0, 40),
        st.integers(0, 30),
        st.one_of(st.integers(0, 3), st.integers(0, 30)),
    ),
    max_size=40,
)


def peak(pieces: list[Piece], found: list[int]) -> int:
    return max((at + p.nbytes for p, at in zip(pieces, found, strict=True) if p.nbytes), default=0)


def shared(pieces: list[Piece], found: list[int]) -> list[tuple[int, int, int]]:
    """Every byte that two pieces have at the same step, the slow way: (step, piece, piece)."""
    out = []
    for step in range(max((p.end for p in pieces), default=-1) + 1):
        alive = sorted((found[k], k) for k, p in enumerate(pieces) if p.nbytes and p.start <= step <= p.end)
        for (_, below), (at, above) in itertools.pairwise(alive):
            if found[below] + pieces[below].nbytes > at:
                out.append((step, below, above))
    return out


def most_alive(pieces: list[Piece]) -> int:
    steps = range(max((p.end for p in pieces), default=-1) + 1)
    return max((sum(p.nbytes for p in pieces if p.start <= s <= p.end) for s in steps), default=0)


@given(PIECES)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_no_two_lives_that_overlap_share_memory_and_the_bound_is_the_most_alive(pieces: list[Piece]) -> None:
    found = offsets(pieces, work=20_000)
    assert not shared(pieces, found)
    assert all(at >= 0 and at % 64 == 0 for at in found)
    assert lower_bound(pieces) == most_alive(pieces)
    assert lower_bound(pieces) <= peak(pieces, found) <= 2 * lower_bound(pieces)


@pytest.mark.parametrize("seed", range(8))
def test_lives_as_programs_have_them_stay_within_a_twentieth_of_the_bound(seed: int) -> None:
    rng = random.Random(seed)
    pieces = []
    for k in range(300):
        length = rng.choice([0, 1, 1, 2, 3, 8, 40])
        pieces.append(Piece(rng.choice([64, 640, 2688, 2688, 10752]), k, min(299, k + length)))
    found = offsets(pieces)
    assert not shared(pieces, found)
    assert peak(pieces, found) <= 1.05 * lower_bound(pieces)


def test_a_gap_between_long_lives_is_used_by_what_comes_later() -> None:
    pieces = [Piece(64, 0, 9), Piece(128, 1, 2), Piece(64, 2, 9), Piece(128, 4, 9)]
    assert peak(pieces, offsets(pieces)) == 256


def test_what_first_fit_in_the_order_of_time_gets_wrong_is_put_right() -> None:
    """First fit puts the second piece in the middle, so that the last lies above it, at 128: 320 bytes."""
    pieces = [Piece(64, 0, 1), Piece(64, 1, 4), Piece(64, 0, 0), Piece(192, 2, 3)]
    assert peak(pieces, offsets(pieces)) == lower_bound(pieces) == 256


def test_the_same_pieces_give_the_same_plan() -> None:
    rng = random.Random(3)
    pieces = [Piece(rng.randrange(1, 50) * 64, k % 40, k % 40 + rng.randrange(12)) for k in range(120)]
    assert offsets(pieces) == offsets(list(pieces))


def test_pieces_of_no_size_take_nothing() -> None:
    assert offsets([Piece(0, 0, 5), Piece(64, 0, 5)]) == [0, 0]
    assert offsets([]) == []


def test_a_long_graph_is_placed_by_time_alone_when_too_many_meet() -> None:
    pieces = [Piece(64 * (1 + k % 7), k, 2999 if k % 2 else k + 1) for k in range(3000)]
    found = offsets(pieces)
    ends = sorted((found[k], found[k] + p.nbytes) for k, p in enumerate(pieces) if p.end == 2999)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(ends))
    assert peak(pieces, found) <= 1.05 * lower_bound(pieces)
