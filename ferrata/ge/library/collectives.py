"""Collectives: a node starts PyTorch's functional collective and waits for it.

Before its first collective every group meets in its store, so that ranks that do not come are named; before each one its
ranks tell each other what they run; a failure is reported with the operator and the group. This module holds state:
the groups that have met.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.library.agreement import agree
from ferrata.ge.library.rules import rule

Infer = Callable[[list[Any], Mapping[str, Any]], list[Any]]
REDUCTIONS = {"sum": "sum", "prod": "product", "max": "max", "min": "min"}  # GE's name: PyTorch's

_met: set[tuple[str, int]] = set()


def _like(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [(inputs[0].dtype, list(inputs[0].shape))]


def _times(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    rows, *rest = inputs[0].shape
    return [(inputs[0].dtype, [rows * attrs["rank_size"], *rest])]


def _part(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    rows, *rest = inputs[0].shape
    return [(inputs[0].dtype, [rows // attrs["rank_size"], *rest])]


@rule("HcomAllReduce", infer=_like, effect=True)
def all_reduce(x: Any, *, reduction: str, group: str, fusion: int = 1, fusion_id: int = -1) -> Any:
    op = torch.ops._c10d_functional.all_reduce.default
    with _meeting("HcomAllReduce", group, x, reduction):
        return _waited(op(x, REDUCTIONS[reduction], group))


@rule("HcomAllGather", infer=_times, effect=True)
def all_gather(x: Any, *, rank_size: int, group: str, fusion: int = 0, fusion_id: int = -1) -> Any:
    """Along dimension 0, by rank."""
    op = torch.ops._c10d_functional.all_gather_into_tensor.default
    with _meeting("HcomAllGather", group, x):
        return _waited(op(x, rank_size, group))


@rule("HcomReduceScatter", infer=_part, effect=True)
def reduce_scatter(x: Any, *, reduction: str, group: str, rank_size: int, fusion: int = 0, fusion_id: int = -1) -> Any:
    """The rank's part of dimension 0."""
    op = torch.ops._c10d_functional.reduce_scatter_tensor.default
    with _meeting("HcomReduceScatter", group, x, reduction):
        return _waited(op(x, REDUCTIONS[reduction], rank_size, group))


@rule("HcomBroadcast", infer=lambda inputs, attrs: [(x.dtype, list(x.shape)) for x in inputs[0]], effect=True)
def broadcast(x: list[Any], *, root_rank: int, group: str, fusion: int = 0, fusion_id: int = -1) -> Any:
    op = torch.ops._c10d_functional.broadcast.default
    done = []
    for t in x:
        with _meeting("HcomBroadcast", group, t, f"from rank {root_rank}"):
            done.append(_waited(op(t, root_rank, group)))
    return done


def _received(inputs: list[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [(inputs[0].dtype, [sum(inputs[3])])]


_COUNTS = "send_counts send_displacements recv_counts recv_displacements"


@rule("HcomAllToAllV", host=_COUNTS, infer=_received, effect=True)
def all_to_all(
    send_data: Any, send_counts: Sequence[int], send_displacements: Sequence[int], recv_counts: Sequence[int],
    recv_displacements: Sequence[int], *, group: str,
) -> Any:  # fmt: skip
    """Counts and displacements in elements; the parts lie one behind the other."""
    op = torch.ops._c10d_functional.all_to_all_single.default
    sent, wanted = list(send_counts), list(recv_counts)
    with _meeting("HcomAllToAllV", group, send_data, sent=sent, wanted=wanted):
        return _waited(op(send_data.reshape(-1), wanted, sent, group))


@contextlib.contextmanager
def _meeting(
    op_type: str, group: str, x: Any, detail: str = "", *, sent: Sequence[int] = (), wanted: Sequence[int] = ()
) -> Iterator[None]:
    """The ranks have come and run the same; inside, what gloo says becomes CollectiveFailed."""
    meet(op_type, group)
    shape = "" if sent else str(list(x.shape))
    line = f"{op_type} {detail} of {str(x.dtype).removeprefix('torch.')}{shape}".replace("  ", " ")
    try:
        agree(_resolve(group), group, line, sent, wanted)
        yield
    except errors.GraphError:
        raise
    except RuntimeError as failure:
        raise errors.CollectiveFailed(op=op_type, group=group, ranks=_ranks(group), reason=str(failure)) from failure


def _waited(started: Any) -> Any:
    return torch.ops._c10d_functional.wait_tensor.default(started)


def _ranks(group: str) -> str:
    import torch.distributed as dist

    return ", ".join(map(str, dist.get_process_group_ranks(_resolve(group))))


def _resolve(group: str) -> Any:
    from torch.distributed import distributed_c10d

    resolve: Any = getattr(distributed_c10d, "_resolve_process_group")  # noqa: B009  it is private
    return resolve(group)


def meet(op_type: str, group: str) -> None:
    """Once per group: wait until every rank is here. Raises CollectiveTimeout, which names those that are not.

    HCCL_CONNECT_TIMEOUT says how many seconds; 120 unless set.
    """
    import torch.distributed as dist
    from torch.distributed import distributed_c10d as c10d

    found = _resolve(group)
    key = (group, id(found))
    if key in _met:
        return
    ranks, me = dist.get_process_group_ranks(found), dist.get_rank()
    store = c10d._get_process_group_store(found)
    names = {rank: f"ferrata/meeting/{group}/{rank}" for rank in ranks}
    store.set(names[me], "here")
    seconds = float(os.environ.get("HCCL_CONNECT_TIMEOUT", "120"))
    end = time.monotonic() + seconds
    pause = 0.001
    while not store.check(list(names.values())):
        if time.monotonic() > end:
            missing = [rank for rank, name in names.items() if not store.check([name])]
            if not missing:
                break
            raise errors.CollectiveTimeout(
                op=op_type,
                group=group,
                rank=me,
                seconds=f"{seconds:g}",
                missing=", ".join(map(str, missing)),
                here=", ".join(str(r) for r in ranks if r not in missing),
                count=len(ranks),
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    _met.add(key)


def elements(splits: Sequence[int], row: Sequence[int]) -> tuple[list[int], list[int]]:
    """Counts and displacements in elements, of splits of dimension 0."""
    size = math.prod(row)
    counts = [s * size for s in splits]
    return counts, [sum(counts[:i]) for i in range(len(counts))]
