"""Optimizers whose step is compiled, with any backend: on the device they count their steps there.

Dynamo makes the state of one parameter group at a time and moves counts from the host to the device as it comes to the
next group, after the graph has taken the old ones: the first step of the groups before is lost. On CUDA and XPU it
evades that by marking new groups `capturable`, so that counts begin on the device. Here npu groups are marked likewise,
and the states of all groups are made before the first is taken: Adafactor knows no `capturable`, and parameters that
join a group late are no new group.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import torch

DYNAMO = "torch._dynamo.variables.optimizer"


def install() -> None:
    """Let Dynamo treat npu parameters like those of CUDA, from its import on; Dynamo itself is not imported."""
    if DYNAMO in sys.modules:
        _mend(sys.modules[DYNAMO])
    else:
        sys.meta_path.insert(0, _OnImport())


class _OnImport(importlib.abc.MetaPathFinder):
    """Finds Dynamo's module where it is, and mends it once it has run."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != DYNAMO:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_mend(module: ModuleType) -> None:
                execute(module)
                _mend(module)

            spec.loader.exec_module = execute_and_mend  # type: ignore[method-assign]
        return spec


def _mend(module: Any) -> None:
    variable = module.OptimizerVariable
    set_capturable, call_method = variable._set_capturable, variable.call_method

    @functools.wraps(set_capturable)
    def set_capturable_on_npu(self: Any, tx: Any) -> None:
        for group in self.value.param_groups:
            if _is_new(group, self.value.state):
                group["capturable"] = True
        set_capturable(self, tx)

    @functools.wraps(call_method)
    def call_method_with_states(self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
        if name == "_init_group" and any(_lacks_state(g, self.value.state) for g in self.value.param_groups):
            try:
                given, named = self.get_python_args(*args, **kwargs)
            except module.ArgMappingException:
                pass  # Dynamo traces it
            else:
                self.graph_break_if_pending_mutation(tx)
                _make_states(self.value, given, named)
        return call_method(self, tx, name, args, kwargs)

    variable._set_capturable, variable.call_method = set_capturable_on_npu, call_method_with_states


def _is_new(group: Mapping[str, Any], state: Mapping[torch.Tensor, Any]) -> bool:
    """Whether all its parameters are on the device and none has a state."""
    return "capturable" in group and all(_is_npu(p) and p not in state for p in group["params"])


def _lacks_state(group: Mapping[str, Any], state: Mapping[torch.Tensor, Any]) -> bool:
    return any(_is_npu(p) and p.grad is not None and p not in state for p in group["params"])


def _is_npu(parameter: torch.Tensor) -> bool:
    return parameter.device.type == "npu"


def _make_states(optimizer: Any, given: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Have `_init_group` called for every group, as it is about to be for one; what it collects is dropped."""
    if not hasattr(optimizer, "_init_group") or not any(g is a for g in optimizer.param_groups for a in given[:1]):
        return
    for group in optimizer.param_groups:
        fresh = [[] if isinstance(a, list) else a for a in given[1:]]
        optimizer._init_group(group, *fresh, **{k: [] if isinstance(v, list) else v for k, v in named.items()})
