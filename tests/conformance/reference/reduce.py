"""Reductions in the documented order of accumulation.

Inside a repeat a binary tree over adjacent lanes, every node rounded to the element type; a lane that is masked off
does not take part, its partner passes through. What happens between repeats differs by API and stands at each function.
"""

from __future__ import annotations

import numpy as np

from tests.conformance.reference.addressing import Active, Operand, lanes
from tests.conformance.reference.arith import clamp, maximum, minimum
from tests.conformance.reference.memory import BITS, Array, Image, index_of

RAW = {"half": np.uint16, "float": np.uint32}


def tree(values: Array, present: Array, operation: str, saturate: bool) -> tuple[Array, Array]:
    """Reduce the last axis (a power of two long); returns results and whether any lane took part."""
    combine = {"SUM": np.add, "MAX": maximum, "MIN": minimum}[operation]
    while values.shape[-1] > 1:
        a, b = values[..., ::2], values[..., 1::2]
        has_a, has_b = present[..., ::2], present[..., 1::2]
        both = combine(a, b)
        if operation == "SUM":
            both = clamp(both, saturate)
        values = np.where(has_a & has_b, both, np.where(has_a, a, b)).astype(values.dtype)
        present = has_a | has_b
    result = values[..., 0]
    # a NaN wins over all numbers of the repeat first, and is clamped then
    return (result if operation == "SUM" else clamp(result, saturate)), present[..., 0]


def extreme_index(values: Array, present: Array, result: Array) -> Array:
    """The smallest active lane that holds the result's bits (last axis); 0 where none does."""
    raw = RAW["half"] if values.dtype == np.float16 else RAW["float"]
    same = (np.ascontiguousarray(values).view(raw) == np.asarray(result).view(raw)[..., None]) & present
    return np.argmax(same, axis=-1)


def _load(image: Image, src: Operand, enabled: Active) -> Array:
    return image.read(src.dtype, lanes(src, *enabled.shape))


def data_block(image: Image, dst: Operand, src: Operand, enabled: Active, operation: str, saturate: bool) -> None:
    """One result per block; eight per repeat. dst.repeat_stride counts 8 elements."""
    repeats, per_repeat = enabled.shape
    shape = (repeats, 8, per_repeat // 8)
    result, any_lane = tree(_load(image, src, enabled).reshape(shape), enabled.reshape(shape), operation, saturate)
    first = index_of(dst.dtype, dst.address)
    at = first + np.arange(repeats)[:, None] * dst.repeat_stride * 8 + np.arange(8)
    image.write(dst.dtype, at[any_lane], result[any_lane])


def pair_elements(image: Image, dst: Operand, src: Operand, enabled: Active, saturate: bool) -> None:
    """Sums of adjacent lanes, E / 2 per repeat. dst.repeat_stride counts 128 bytes."""
    repeats, per_repeat = enabled.shape
    shape = (repeats, per_repeat // 2, 2)
    result, any_lane = tree(_load(image, src, enabled).reshape(shape), enabled.reshape(shape), "SUM", saturate)
    unit = 128 * 8 // BITS[dst.dtype]
    at = (
        index_of(dst.dtype, dst.address)
        + np.arange(repeats)[:, None] * dst.repeat_stride * unit
        + np.arange(per_repeat // 2)
    )
    image.write(dst.dtype, at[any_lane], result[any_lane])


ORDERS = ("VALUE_INDEX", "INDEX_VALUE", "ONLY_VALUE", "ONLY_INDEX")


def per_repeat(
    image: Image, dst: Operand, src: Operand, enabled: Active, operation: str, order: str, saturate: bool
) -> tuple[Array, Array]:
    """One record per repeat; dst.repeat_stride counts records. Returns the values and the lanes of the extremes."""
    values = _load(image, src, enabled)
    result, any_lane = tree(values, enabled, operation, saturate)
    index = extreme_index(values, enabled, result)
    size = BITS[dst.dtype] // 8
    unknown = np.isnan(values).any(axis=1, where=enabled)
    runs = np.flatnonzero(any_lane)
    record = {"ONLY_VALUE": size, "ONLY_INDEX": 4}.get(order, 2 * size) if operation != "SUM" else size
    at = dst.address + runs * dst.repeat_stride * record
    if operation == "SUM" or order != "ONLY_INDEX":
        value_at = at + size if operation != "SUM" and order == "INDEX_VALUE" else at
        image.write(dst.dtype, value_at // size, result[runs])
    if operation != "SUM" and order != "ONLY_VALUE":
        index_at = at + size if order == "VALUE_INDEX" else at
        store_indices(image, index_at, 4 if order == "ONLY_INDEX" else size, index[runs], unknown[runs])
    return result, index


def store_indices(image: Image, address: Array, size: int, index: Array, unknown: Array) -> None:
    """Raw integer bits of indices; `unknown` where the winner is NaN, whose index the specification leaves open."""
    dtype = "uint16_t" if size == 2 else "uint32_t"
    for at in address[unknown]:
        image.ignore(int(at), size)
    image.write(dtype, address // size, index.astype(RAW["half" if size == 2 else "float"]))


def sum_by_count(values: Array, enabled: Active, saturate: bool) -> np.generic:
    """Per-repeat trees, added left to right in the element type."""
    partial, _ = tree(values, enabled, "SUM", saturate)
    total = partial[0]
    for value in partial[1:]:
        total = clamp(np.asarray(total + value), saturate)[()]
    return total


def sum_by_repeat(values: Array, enabled: Active, saturate: bool) -> np.generic:
    """Per-repeat trees, then trees over the packed partial sums, E at a time, until one is left."""
    per = enabled.shape[1]
    partial, _ = tree(values, enabled, "SUM", saturate)
    while partial.size > 1:
        groups = -(-partial.size // per)
        padded = np.zeros(groups * per, partial.dtype)
        padded[: partial.size] = partial
        there = np.arange(groups * per) < partial.size
        partial, _ = tree(padded.reshape(groups, per), there.reshape(groups, per), "SUM", saturate)
    return partial[0]


def extreme(values: Array, enabled: Active, operation: str, saturate: bool) -> tuple[np.generic, int, bool]:
    """(value, repeat * E + lane, whether the index is open) over all repeats; saturated NaN repeats count as 0."""
    per = enabled.shape[1]
    partial, any_lane = tree(values, enabled, operation, saturate)
    combine = maximum if operation == "MAX" else minimum
    best = partial[any_lane][0]
    for value in partial[any_lane][1:]:
        best = combine(np.asarray(best), np.asarray(value))[()]
    raw = RAW["half" if values.dtype == np.float16 else "float"]
    first = int(np.argmax((partial.view(raw) == np.asarray(best).view(raw)) & any_lane))
    lane = int(extreme_index(values[first], enabled[first], partial[first]))
    return best, first * per + lane, bool(np.isnan(values[enabled]).any())
