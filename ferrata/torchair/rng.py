"""Checkpointing with random operators on npu: PyTorch saves and restores a generator's state around them by two
higher-order operators that know only its own devices.

`install` adds npu to them, once; for every other device they are as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch.utils import _pytree as pytree


@cache
def install() -> None:
    """Teach `run_and_save_rng_state` and `run_with_rng_state` the npu."""
    from torch._C import DispatchKey
    from torch._higher_order_ops.utils import registered_hop_fake_fns
    from torch._prims import rng_prims
    from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, track_tensor_tree

    save, restore = rng_prims.run_and_save_rng_state, rng_prims.run_with_rng_state

    def choose(original: Callable[..., Any], run: Callable[..., Any], before: int) -> Callable[..., Any]:
        """before: how many arguments lie in front of those of the random operator."""

        def chosen(*args: Any, **kwargs: Any) -> Any:
            ours = rng_prims.get_device(args[before:], kwargs) == "npu"  # type: ignore[no-untyped-call]
            return (run if ours else original)(*args, **kwargs)

        return chosen

    def traced(mode: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        out = run_and_save(op, *args, **kwargs)
        proxies = pytree.tree_map(mode.tracer.unwrap_proxy, ((op, *args), kwargs))
        proxy = mode.tracer.create_proxy("call_function", save, *proxies)
        return track_tensor_tree(out, proxy, constant=None, tracer=mode.tracer)

    save.py_impl(DispatchKey.PrivateUse1)(run_and_save)
    restore.py_impl(DispatchKey.PrivateUse1)(run_with_saved)
    # these know a fixed list of devices
    for operator, run, before in ((save, run_and_save, 1), (restore, run_with_saved, 2)):
        kernels = operator.py_kernels
        kernels[DispatchKey.BackendSelect] = choose(kernels[DispatchKey.BackendSelect], run, before)
    modes = save.python_key_table
    modes[ProxyTorchDispatchMode] = choose(modes[ProxyTorchDispatchMode], traced, 2)
    registered_hop_fake_fns[save] = choose(registered_hop_fake_fns[save], run_and_save, 1)
    save._dispatch_cache.clear()
    restore._dispatch_cache.clear()


def run_and_save(op: Any, *args: Any, **kwargs: Any) -> Any:
    """The state of the default generator of the operands' device, and what the operator gives."""
    return torch.npu.get_rng_state(_device(args, kwargs)), op(*args, **kwargs)  # type: ignore[attr-defined]


def run_with_saved(state: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
    """What the operator gives with that state; afterwards the generator is where it was."""
    device = _device(args, kwargs)
    now = torch.npu.get_rng_state(device)  # type: ignore[attr-defined]
    torch.npu.set_rng_state(state, device)  # type: ignore[attr-defined]
    try:
        return op(*args, **kwargs)
    finally:
        torch.npu.set_rng_state(now, device)  # type: ignore[attr-defined]


def _device(args: Any, kwargs: Any) -> Any:
    tensors = [a for a in pytree.tree_leaves((args, kwargs)) if isinstance(a, torch.Tensor)]
    return tensors[0].device if tensors else kwargs["device"]
