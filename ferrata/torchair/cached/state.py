"""What a compiled form takes for granted besides its arguments: modes of the process, and of the module and its parts.

Looked at before each call, so it must be cheap: constants among attributes are not here, they count when a form is made.
"""

from __future__ import annotations

from typing import Any

import torch


class State:
    """`current()` is equal for two calls that one compiled form may serve."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module, self._version = module, -1
        self._scan()

    def _scan(self) -> None:
        """Which parts the module has; a part that is replaced has weights elsewhere, and perhaps other code."""
        self._version += 1
        parts = list(self._module.modules())
        self._attributes = [part.__dict__ for part in parts]
        self._trees = [(part._modules, dict(part._modules)) for part in parts if part._modules]

    def current(self) -> tuple[Any, ...]:
        for now, seen in self._trees:
            if now != seen:
                self._scan()
                break
        return self._version, tuple([own["training"] for own in self._attributes]), *modes()


def modes() -> tuple[Any, ...]:
    """States of the process that end up in graphs."""
    always = (torch.are_deterministic_algorithms_enabled(), torch.get_default_dtype())
    if not torch._C._is_any_autocast_enabled():
        return always
    kinds = ("cpu", torch._C._get_privateuse1_backend_name())
    return (*always, *(torch.is_autocast_enabled(kind) and torch.get_autocast_dtype(kind) for kind in kinds))
