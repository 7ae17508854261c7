"""Sorting and merging of 8-byte records: score, padding, 32-bit index. Descending and stable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.conformance.reference.memory import BITS, Array, Image, index_of


def scores(image: Image, dtype: str, address: int, count: int) -> Array:
    """`count` packed scores."""
    return image.read(dtype, index_of(dtype, address) + np.arange(count)).copy()


def store_records(image: Image, dtype: str, address: int, score: Array, index: Array) -> None:
    """Write records; the two bytes behind a half score are open."""
    size = BITS[dtype] // 8
    number = np.arange(score.size)
    image.write(dtype, (address + 8 * number) // size, score, None)
    image.write("uint32_t", (address + 8 * number + 4) // 4, index, None)
    if size == 2:
        for n in number:
            image.ignore(address + 8 * int(n) + 2, 2)


def load_records(image: Image, dtype: str, address: int, count: int) -> tuple[Array, Array]:
    """(scores, indices) of `count` records."""
    number = np.arange(count)
    score = image.read(dtype, index_of(dtype, address + 8 * number)).copy()
    return score, image.read("uint32_t", (address + 8 * number + 4) // 4).copy()


def order(score: Array) -> Array:
    """The stable descending order; -0 and +0 are equal."""
    return np.argsort(-score.astype(np.float64), kind="stable")


def sort_groups(image: Image, dtype: str, dst: int, src: int, index: int, count: int, group: int) -> None:
    """Sort32 (group 32) and Sort (one group for a full sort)."""
    score, number = scores(image, dtype, src, count), scores(image, "uint32_t", index, count)
    for start in range(0, count, group):
        part = slice(start, start + group)
        by = order(score[part])
        store_records(image, dtype, dst + 8 * start, score[part][by], number[part][by])


def merge(queues: Sequence[tuple[Array, Array]], suspend: bool) -> tuple[list[tuple[int, int]], list[int]]:
    """Merge descending queues: (queue, position) of each output record, and how many each queue gave.

    Ties: the lower queue first. `suspend`: stop right after some queue is used up.
    """
    taken = [0] * len(queues)
    out: list[tuple[int, int]] = []
    while True:
        open_queues = [q for q, (score, _) in enumerate(queues) if taken[q] < score.size]
        if not open_queues or (suspend and len(open_queues) < len(queues)):
            return out, taken
        best = max(open_queues, key=lambda q: (float(queues[q][0][taken[q]]), -q))
        out.append((best, taken[best]))
        taken[best] += 1


def merge_records(
    image: Image,
    dtype: str,
    dst: int,
    sources: Sequence[int],
    lengths: Sequence[int],
    suspend: bool = False,
    repeats: int = 1,
) -> list[int]:
    """MrgSort over record queues; every repeat advances all addresses by the four lengths together."""
    step = 8 * sum(lengths)
    taken = [0] * len(sources)
    for repeat in range(repeats):
        queues = [
            load_records(image, dtype, at + repeat * step, length) for at, length in zip(sources, lengths, strict=True)
        ]
        picks, taken = merge(queues, suspend)
        score = np.array([queues[q][0][k] for q, k in picks], dtype=queues[0][0].dtype)
        number = np.array([queues[q][1][k] for q, k in picks], dtype=np.uint32)
        store_records(image, dtype, dst + repeat * step, score, number)
    return taken


def extract(image: Image, dtype: str, values: int, indices: int, src: int, count: int) -> None:
    """Records back to a tensor of scores and a tensor of indices."""
    score, number = load_records(image, dtype, src, count)
    image.write(dtype, index_of(dtype, values) + np.arange(count), score, None)
    image.write("uint32_t", indices // 4 + np.arange(count), number, None)
