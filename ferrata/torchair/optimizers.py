"""Optimizers whose step is compiled: on the device they count their steps there, as PyTorch has it for its own devices.

Dynamo marks new parameter groups `capturable` on CUDA and XPU only. Elsewhere the counts of one group begin on the host
and move to the device when the next group is made, after the graph has taken the old ones: their first step is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch


@cache
def count_on_the_device() -> None:
    """Let Dynamo treat new groups of npu parameters like those of CUDA, once."""
    from torch._dynamo.variables.optimizer import OptimizerVariable

    original = OptimizerVariable._set_capturable

    def set_capturable(self: OptimizerVariable, tx: Any) -> None:
        for group in self.value.param_groups:
            if _is_new(group, self.value.state):
                group["capturable"] = True
        original(self, tx)

    OptimizerVariable._set_capturable = set_capturable  # type: ignore[method-assign]


def _is_new(group: Mapping[str, Any], state: Mapping[torch.Tensor, Any]) -> bool:
    """Whether all its parameters are on the device and none has a state."""
    return "capturable" in group and all(p.device.type == "npu" and p not in state for p in group["params"])
