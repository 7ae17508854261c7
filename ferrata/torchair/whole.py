"""Resampling stays one operator while AOTAutograd traces, where GE has it with its gradient.

PyTorch's dispatcher in Python breaks `interpolate` up into indexing and arithmetic before any table of decompositions is
asked: hundreds of small calls where the device, and ATen, have one. Around the kernels that do it stands a question;
everybody else's tracing, Inductor's among it, gets PyTorch's answer. This module holds state: that the kernels are
replaced, and which thread asks for whole operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch._C import DispatchKey

from ferrata.torchair.asked import Asked

aten = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)


@dataclass(frozen=True, slots=True)
class Kept:
    """An operator that GE has whole: for which data types, and whether with a step that is not that of the sizes."""

    dtypes: tuple[torch.dtype, ...]
    factors: bool = True


KEPT = {
    aten.upsample_nearest2d: Kept((*_HALF, torch.float32, torch.float64)),
    aten.upsample_nearest3d: Kept((*_HALF, torch.float32, torch.float64)),
    aten.upsample_bilinear2d: Kept((*_HALF, torch.float32)),
    aten.upsample_trilinear3d: Kept((torch.float16, torch.float32, torch.float64)),
    aten.upsample_bicubic2d: Kept((torch.float32,), factors=False),
}
_DEVICES = ("cpu", "npu")
_asked = Asked()


def resampling(wanted: bool = True) -> AbstractContextManager[None]:
    """Inside, in this thread, resampling is traced as one operator."""
    if wanted:
        _install()
    return _asked.inside(wanted)


@cache
def _install() -> None:
    for packet, kept in KEPT.items():
        default, vec = packet.default, packet.vec
        for overload, make in ((default, _of_default), (vec, _of_vec)):
            for key in (DispatchKey.Autograd, DispatchKey.CompositeImplicitAutograd):
                theirs = overload.py_kernels.get(key)
                if theirs is not None and not (overload is default and key != DispatchKey.Autograd):
                    overload.py_kernels[key] = make(default, kept, theirs)
            overload._dispatch_cache.clear()


def _of_default(default: Any, kept: Kept, theirs: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(x: torch.Tensor, size: Sequence[Any], *rest: Any) -> Any:
        if _whole(x, size, rest, kept):
            return default._op_dk(DispatchKey.Autograd, x, size, *rest)
        return theirs(x, size, *rest)

    return kernel


def _of_vec(default: Any, kept: Kept, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """The form with a size or factors. The factors are the last argument."""

    def kernel(x: torch.Tensor, size: Any, *rest: Any) -> Any:
        *others, factors = rest
        if _asked.wanted and (size is None) != (factors is None):
            from torch._decomp.decompositions import upsample_compute_output_size

            target = upsample_compute_output_size(x.size(), size, factors)  # type: ignore[no-untyped-call]
            steps = tuple(factors) if factors is not None else (None,) * len(target)
            if _whole(x, target, (*others, *steps), kept):
                return default(x, target, *others, *steps)
        return theirs(x, size, *rest)

    return kernel


def _whole(x: torch.Tensor, size: Sequence[Any], rest: Sequence[Any], kept: Kept) -> bool:
    """Whether a converter takes the call: of sizes that are known; its gradient's takes no batch that is not."""
    if not _asked.wanted or x.device.type not in _DEVICES or x.dtype not in kept.dtypes:
        return False
    if not all(type(n) is int for n in (*x.shape[0 if x.requires_grad else 2 :], *size)):
        return False
    return kept.factors or not any(isinstance(v, float) for v in rest)
