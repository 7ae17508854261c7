"""Recurrent layers drop out between their layers while AOTAutograd traces, as they do in eager mode.

PyTorch's decomposition of stacked recurrent layers takes the probability for zero, whatever the module says; a training
step would silently regularise nothing. Here a stack that drops is traced layer by layer through that decomposition,
with the dropout between. Everybody else's tracing gets PyTorch's answer. This module holds state: that the
decomposition is wrapped, and which thread asks for the dropout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import torch

from ferrata.torchair.asked import Asked

_asked = Asked()


def dropping() -> AbstractContextManager[None]:
    """Inside, in this thread, stacks of recurrent layers are traced with their dropout."""
    _install()
    return _asked.inside(True)


@cache
def _install() -> None:
    from torch._decomp import decompositions

    decompositions._rnn_helper = _wrapped(decompositions._rnn_helper)


def _wrapped(theirs: Callable[..., Any]) -> Callable[..., Any]:
    def layers(
        x: torch.Tensor,
        hidden: Sequence[Any],
        params: Sequence[Any],
        has_biases: bool,
        count: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
        layer: Callable[..., Any],
    ) -> tuple[torch.Tensor, list[Any]]:
        if not (_asked.wanted and train and dropout):
            return theirs(x, hidden, params, has_biases, count, dropout, train, bidirectional, batch_first, layer)  # type: ignore[no-any-return]
        x = x.transpose(0, 1) if batch_first else x
        width, last = 1 + bidirectional, []
        for i in range(count):
            of_layer = slice(i * width, (i + 1) * width)
            x, ends = theirs(
                x, hidden[of_layer], params[of_layer], has_biases, 1, 0.0, train, bidirectional, False, layer
            )
            last += ends
            if i < count - 1:
                x = torch.dropout(x, dropout, train=True)
        return x.transpose(0, 1) if batch_first else x, last

    return layers
