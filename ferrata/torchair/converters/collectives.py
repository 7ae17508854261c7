"""Functional collectives of torch.distributed to the Hcom operators. A node is done when it has run: nothing waits.

Data types and reductions that GE's collectives do not have stay PyTorch's operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata.ge.library.collectives import REDUCTIONS, elements
from ferrata.torchair.build import const, ops, require, shape_list
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

c10d = torch.ops._c10d_functional
_REDUCTIONS = {theirs: name for name, theirs in REDUCTIONS.items()}
INT64 = torch.int64


def reduction(name: str) -> str:
    found = _REDUCTIONS.get(name.lower())
    require(found is not None, f"the reduction {name}")
    return str(found)


def named(group: Any) -> str:
    require(isinstance(group, str), "a group without a name")
    return str(group)


@converts(c10d.all_reduce.default)
def all_reduce(x: Tensor, how: str, group: Any) -> Any:
    return ops.HcomAllReduce(x, reduction=reduction(how), group=named(group))


@converts(c10d.all_reduce_coalesced.default)
def all_reduce_coalesced(xs: Sequence[Tensor], how: str, group: Any) -> Any:
    return [all_reduce(x, how, group) for x in xs]


@converts(c10d.all_gather_into_tensor.default)
def all_gather(x: Tensor, size: int, group: Any) -> Any:
    return ops.HcomAllGather(x, rank_size=size, group=named(group))


@converts(c10d.all_gather_into_tensor_coalesced.default)
def all_gather_coalesced(xs: Sequence[Tensor], size: int, group: Any) -> Any:
    return [all_gather(x, size, group) for x in xs]


@converts(c10d.reduce_scatter_tensor.default)
def reduce_scatter(x: Tensor, how: str, size: int, group: Any) -> Any:
    return ops.HcomReduceScatter(x, reduction=reduction(how), rank_size=size, group=named(group))


@converts(c10d.reduce_scatter_tensor_coalesced.default)
def reduce_scatter_coalesced(xs: Sequence[Tensor], how: str, size: int, group: Any) -> Any:
    return [reduce_scatter(x, how, size, group) for x in xs]


@converts(c10d.broadcast.default)
def broadcast(x: Tensor, source: int, group: Any) -> Any:
    return ops.HcomBroadcast([x], outputs=1, root_rank=source, group=named(group))


@converts(c10d.all_to_all_single.default)
def all_to_all(x: Tensor, received: Any, sent: Any, group: Any) -> Any:
    """GE counts elements of flat data."""
    static = all(isinstance(s, (list, tuple)) and all(isinstance(v, int) for v in s) for s in (received, sent))
    require(static, "parts whose sizes change from call to call")
    row = shape_list(x)[1:]
    counts = [const(list(v), INT64) for splits in (sent, received) for v in elements(splits, row)]
    made = ops.HcomAllToAllV(ops.Reshape(x, [-1]), *counts, group=named(group))
    return ops.Reshape(made, [sum(received), *row])
