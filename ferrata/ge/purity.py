"""Which ATen calls draw random numbers, and which write memory: order matters for the first, clusters for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch


def draws(fn: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> bool:
    """Whether the call draws random numbers. An operator with a probability of dropout draws none if that is 0."""
    if not isinstance(fn, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in fn.tags:
        return False
    for i, argument in enumerate(fn._schema.arguments):
        if argument.name == "dropout_p":
            default = argument.default_value if argument.has_default_value() else None
            given = args[i] if i < len(args) else (kwargs or {}).get(argument.name, default)
            return not (isinstance(given, (int, float)) and given == 0)
    return True


def writes(fn: Any) -> bool:
    """Whether the call may write memory that it was given; True for anything but a functional ATen operator."""
    return not isinstance(fn, torch._ops.OpOverload) or bool(fn._schema.is_mutable)
