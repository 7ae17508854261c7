"""Samples of the collectives, in two processes that both convert each call and compare it with eager.

    counts, failures = run()

counts: by overload, how many samples were converted and how many stayed ATen nodes.
"""

from __future__ import annotations

import collections
import multiprocessing
import tempfile
import warnings
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch

from ferrata.torchair.testing import op_db
from ferrata.torchair.testing.operands import make, odd, spaced, turned

NAME = "collectives"
WORLD = 2
DTYPES = (*op_db.DTYPES, torch.int8)
Counts = dict[str, list[int]]

_SHAPES = ((), (1,), (4,), (0, 3), (4, 3), (2, 1, 3), spaced(4, 3), turned(4, 3))
_REDUCTIONS = ("sum", "max", "min", "product", "avg")
_LISTS = (((4,),), ((4,), (2, 3)), ((2,), spaced(4, 3), (2, 0)))


def run(dtypes: Sequence[torch.dtype] = DTYPES) -> tuple[Counts, list[str]]:
    """All samples, in processes of their own. The counts of the first, the failures of both."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        results = context.Queue()
        ranks = [
            context.Process(target=_rank, args=(rank, str(Path(folder) / "store"), dtypes, results))
            for rank in range(WORLD)
        ]
        for process in ranks:
            process.start()
        found = dict(results.get(timeout=600) for _ in ranks)
        for process in ranks:
            process.join()
    return found[0][0], [failure for rank in range(WORLD) for failure in found[rank][1]]


def rows() -> dict[str, list[tuple[Callable[..., Any], tuple[Any, ...]]]]:
    """Samples by overload; they need a group of two, whose name is "0"."""
    c10d, group = torch.ops._c10d_functional, "0"

    def waited(values: Any) -> Any:
        return (
            [c10d.wait_tensor.default(v) for v in values]
            if isinstance(values, list)
            else c10d.wait_tensor.default(values)
        )

    def over(overload: Any, *more: Any) -> Callable[..., Any]:
        return lambda x: waited(overload(x, *more, group))

    def of_list(overload: Any, *more: Any) -> Callable[..., Any]:
        return lambda *xs: waited(overload(list(xs), *more, group))

    return {
        "all_reduce.default": [(over(c10d.all_reduce.default, r), (x,)) for r in _REDUCTIONS for x in (*_SHAPES, odd())],
        "all_reduce_coalesced.default": [
            (of_list(c10d.all_reduce_coalesced.default, r), xs) for r in _REDUCTIONS for xs in _LISTS
        ],
        "all_gather_into_tensor.default": [
            (over(c10d.all_gather_into_tensor.default, WORLD), (x,)) for x in (*_SHAPES[1:], odd())
        ],
        "all_gather_into_tensor_coalesced.default": [
            (of_list(c10d.all_gather_into_tensor_coalesced.default, WORLD), xs) for xs in _LISTS
        ],
        "reduce_scatter_tensor.default": [
            (over(c10d.reduce_scatter_tensor.default, r, WORLD), (x,)) for r in _REDUCTIONS for x in (*_SHAPES[2:], odd(2))
        ],
        "reduce_scatter_tensor_coalesced.default": [
            (of_list(c10d.reduce_scatter_tensor_coalesced.default, r, WORLD), xs) for r in _REDUCTIONS for xs in _LISTS
        ],
        "broadcast.default": [(over(c10d.broadcast.default, s), (x,)) for s in range(WORLD) for x in (*_SHAPES, odd())],
        "all_to_all_single.default": [
            (over(c10d.all_to_all_single.default, [2, 2], [2, 2]), (x,)) for x in ((4,), (4, 3), (4, 0), spaced(4, 3), turned(4, 3))
        ] + [(over(c10d.all_to_all_single.default, [0, 0], [0, 0]), ((0, 3),))],
    }  # fmt: skip


def _rank(rank: int, store: str, dtypes: Sequence[torch.dtype], results: Any) -> None:
    """What one process does."""
    counts: Counts = collections.defaultdict(lambda: [0, 0])
    failures = []
    try:
        import torch.distributed as dist

        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        dist.init_process_group(
            "gloo",
            store=dist.FileStore(store, WORLD),  # type: ignore[attr-defined]
            rank=rank,
            world_size=WORLD,
            timeout=timedelta(seconds=60),
        )
        for name, samples in rows().items():
            overload = f"_c10d_functional.{name}"
            for dtype, symbolic in [*((d, False) for d in dtypes), (torch.float32, True)]:
                for number, (function, operands) in enumerate(samples):
                    generator = torch.Generator().manual_seed(rank)
                    tensors = tuple(make(o, dtype, generator) for o in operands)
                    case = op_db.Case(overload, dtype, function, tensors)
                    try:
                        outcome = op_db.run(case, symbolic=symbolic, functional=False)
                    except Exception as failure:  # noqa: BLE001  the report names it
                        failures.append(f"{overload} {dtype} sample {number} of rank {rank}: {failure}")
                        continue
                    for place, overloads in enumerate((outcome.converted, outcome.stayed) if outcome else ()):
                        counts[overload][place] += overload in overloads
        dist.destroy_process_group()
    except Exception as failure:  # noqa: BLE001  the other process must not wait for a result
        failures.append(f"{NAME} of rank {rank}: {failure!r}")
    results.put((rank, (dict(counts), failures)))
