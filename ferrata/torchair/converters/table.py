"""The table that converters register in. This module holds state: the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TABLE: dict[Any, Callable[..., Any]] = {}


def converts(*overloads: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the converter of overloads."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for overload in overloads:
            assert overload not in TABLE, f"two converters for {overload}"
            TABLE[overload] = function
        return function

    return register
