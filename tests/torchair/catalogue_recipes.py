"""Recipes for random programs with operators of the catalogue between PyTorch's:

PYTHONPATH=. python -m ferrata.torchair.testing.fuzz --recipes tests.torchair.catalogue_recipes
"""

from __future__ import annotations

import torch

import ferrata.npu  # noqa: F401  (registers the device)
from examples.ops import add as _add  # noqa: F401  (each defines its operator)
from examples.ops import softmax as _softmax  # noqa: F401
from ferrata.torchair.testing.fuzz import Gen, Reject, recipe


@recipe(weight=25)
def catalogue_add(g: Gen) -> None:
    x = g.pick(dtype=torch.float32, rank=(1, 2, 3))
    g.emit("torch.ops.catalogue.add.default", x, g.like(x))


@recipe(weight=25)
def catalogue_softmax(g: Gen) -> None:
    x = g.pick(dtype=torch.float32, rank=(1, 2))
    if 0 in x.shape:
        raise Reject
    g.emit("torch.ops.catalogue.softmax.default", x)
