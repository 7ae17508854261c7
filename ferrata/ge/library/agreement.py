"""Before a collective its ranks tell each other what they are about to run, so that two that do not fit together are an
error on every rank. Gloo would wait, end the process, or mix the values of tensors of different sizes.

What is told has one size whatever is run: a line of text, and how many elements go to and come from each rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata import errors

_TEXT = 256  # bytes of the line


def agree(group: Any, name: str, line: str, sent: Sequence[int] = (), wanted: Sequence[int] = ()) -> None:
    """Raise CollectiveMismatch on every rank unless all tell the same line, and get from each other what they want.

    group: the process group; nothing is told on backends other than gloo. sent, wanted: elements by rank, for an
    exchange.
    """
    import torch.distributed as dist

    if "gloo" not in str(dist.get_backend_config(group)):
        return
    size = group.size()
    mine = torch.zeros(_TEXT + 16 * size, dtype=torch.uint8)
    text = bytearray(line.encode()[:_TEXT])
    mine[: len(text)] = torch.frombuffer(text, dtype=torch.uint8)
    if sent:
        mine[_TEXT:] = torch.tensor([*sent, *wanted]).view(torch.uint8)
    told = torch.empty(size, len(mine), dtype=torch.uint8)
    group._allgather_base(told.view(-1), mine).wait()
    ranks = dist.get_process_group_ranks(group)
    found = _lines(told, ranks) if bool((told[:, :_TEXT] != mine[:_TEXT]).any()) else _gaps(told, ranks) if sent else []
    if found:
        listing = "\n".join(f"  {text}" for text in found)
        raise errors.CollectiveMismatch(op=line.split()[0], group=name, rank=dist.get_rank(), listing=listing)


def _lines(told: torch.Tensor, ranks: Sequence[int]) -> list[str]:
    """What each rank runs, ranks that run the same together."""
    runs: dict[str, list[str]] = {}
    for rank, row in zip(ranks, told, strict=True):
        line = bytes(row[:_TEXT].tolist()).rstrip(b"\0").decode(errors="replace")
        runs.setdefault(line, []).append(str(rank))
    return [f"rank {', '.join(of)}: {line}" for line, of in runs.items()]


def _gaps(told: torch.Tensor, ranks: Sequence[int]) -> list[str]:
    """Which ranks send others what these do not want."""
    sent, wanted = told[:, _TEXT:].contiguous().view(torch.int64).chunk(2, 1)
    places = (sent != wanted.t()).nonzero().tolist()
    return [
        f"rank {ranks[i]} sends {int(sent[i, j])} elements to rank {ranks[j]}, which wants {int(wanted[j, i])}"
        for i, j in places
    ]
