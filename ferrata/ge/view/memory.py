"""How many bytes of intermediate values live after each node, from the engine's memory plan, for every node of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferrata.ge.ir import Desc, Graph
from ferrata.ge.memory import MemoryPlan, plan_memory
from ferrata.ge.passes.lives import GUESS
from ferrata.ge.types import UNDEFINED, torch_dtype


def live_bytes(graph: Graph, sizes: Mapping[str, int]) -> tuple[list[int], MemoryPlan]:
    """(bytes alive at each node of `graph.nodes`, the plan). sizes: of symbols; the plan says what it guessed."""
    plan = plan_memory(graph, sizes)
    live = dict(zip(plan.steps, plan.live, strict=True))
    alive, now = [], 0
    for node in graph.nodes:  # inputs and constants are no steps: nothing changes there
        now = live.get(node.name, now)
        alive.append(now)
    return alive, plan


def nbytes(desc: Desc, sizes: Mapping[str, int]) -> int:
    """Bytes of a value; 0 for numbers on the host and unknown ranks."""
    if desc.host or desc.shape is None or desc.dtype == UNDEFINED:
        return 0
    count = 1
    for dim in desc.shape:
        count *= _size(dim, sizes)
    try:
        return count * torch_dtype(desc.dtype).itemsize
    except Exception:  # noqa: BLE001  a type of GE that torch has not: a byte each is near enough for a picture
        return count


def _size(dim: Any, sizes: Mapping[str, int]) -> int:
    if isinstance(dim, int):
        return GUESS if dim < 0 else dim
    value = dim.xreplace({s: _number(sizes.get(str(s), GUESS)) for s in dim.free_symbols})
    return int(value) if value.is_number else GUESS


def _number(value: int) -> Any:
    import sympy  # type: ignore[import-untyped]

    return sympy.Integer(value)
