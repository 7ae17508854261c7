"""A container for a document and its tensors: a header, the document as JSON, the tensors' bytes one after another.

Small and quick to read; what the cache keeps. A graph for other programs is an .air file, see `air`.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch

from ferrata.ge.store.tensors import from_bytes, to_bytes

MAGIC = b"FERRATA\x01"
_HEAD = len(MAGIC) + 16 + 8


def pack(document: dict[str, Any], tensors: list[torch.Tensor]) -> bytes:
    """The bytes of the container."""
    made = [to_bytes(t) for t in tensors]
    text = json.dumps({"tensors": [row for row, _ in made], **document}, separators=(",", ":")).encode()
    return b"".join([MAGIC, checksum(text), len(text).to_bytes(8, "little"), text, *(raw for _, raw in made)])


def unpack(data: bytes) -> tuple[dict[str, Any], list[torch.Tensor]]:
    """The document and the tensors. Raises ValueError, saying what is wrong with the bytes."""
    document, at = unpack_document(data)
    view, tensors = memoryview(data), []
    for row in document["tensors"]:
        tensors.append(from_bytes(row, view[at : at + row["size"]]))
        at += row["size"]
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes too many")
    return document, tensors


def unpack_document(data: bytes) -> tuple[dict[str, Any], int]:
    """The document alone, and where the tensors begin. Raises ValueError."""
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("it does not begin as such a file does")
    if len(data) < _HEAD:
        raise ValueError("it ends within its header")
    size = int.from_bytes(data[_HEAD - 8 : _HEAD], "little")
    text = data[_HEAD : _HEAD + size]
    if len(text) < size:
        raise ValueError(f"it ends after {len(data)} bytes, within its description of {size}")
    if checksum(text) != data[len(MAGIC) : _HEAD - 8]:
        raise ValueError("its check sum is wrong")
    return json.loads(text), _HEAD + size


def checksum(data: bytes) -> bytes:
    """Sixteen bytes that tell whether others changed."""
    return hashlib.blake2b(data, digest_size=16).digest()
