"""Converters of PyTorch's own operators to GE's library, by category.

Each reads like the mapping that it is. A call for which GE has nothing (a data type that the prototype does not allow,
an argument that no attribute carries) raises Unsupported, and the node stays an ATen node, marked as not portable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch

from ferrata.torchair.converters import foreign
from ferrata.torchair.converters.table import TABLE


def find(target: Any) -> Callable[..., Any] | None:
    """The converter of an overload of PyTorch, or of a library that is known here; None if there is none."""
    return every().get(target) or foreign.find(target)


@cache
def every() -> Mapping[Any, Callable[..., Any]]:
    """All converters by overload."""
    from ferrata.torchair.converters import (  # noqa: F401  (each fills the table)  # noqa: F401  (foreach reads the others)
        activation,
        arith,
        foreach,
        grad,
        index,
        nn,
        place,
        random,
        reduce,
        scan,
        shape,
        signal,
        spatial,
    )

    if torch.distributed.is_available():
        from ferrata.torchair.converters import collectives  # noqa: F401

    return TABLE
