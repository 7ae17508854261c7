"""Written arguments that share part of their memory with another argument: refused, as torch refuses it of its own.

Cores and tiles run in any order, so what such a call reads may be old or new. The same memory as a whole is no mistake
(`ema_(x, x)`): a kernel reads a tile before it writes it. Runs in every call of an operator with `fe.Mut`.
"""

from __future__ import annotations

from typing import Any

from ferrata import errors


def refuse(op: str, written: tuple[tuple[str, Any], ...], read: tuple[tuple[str, Any], ...]) -> None:
    """Raise WrittenOverlaps. Values are tensors as the kernel gets them, contiguous, or lists of these, or None."""
    spans = _spans(written)
    for at, (name, first, end) in enumerate(spans):
        for other, begin, stop in (*spans[at + 1 :], *_spans(read)):
            if begin < end and first < stop and (begin, stop) != (first, end):
                raise errors.WrittenOverlaps(op=op, name=name, other=other)


def _spans(values: tuple[tuple[str, Any], ...]) -> list[tuple[str, int, int]]:
    """Name, first byte and end of each tensor that has elements."""
    found = []
    for name, value in values:
        for tensor in () if value is None else value if isinstance(value, (list, tuple)) else (value,):
            size = tensor.nbytes
            if size:
                first = tensor.data_ptr()
                found.append((name, first, first + size))
    return found
