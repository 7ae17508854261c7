"""Models of the zoo with operators of the catalogue in place of their norms, activations, embeddings, attention.

`replace(name, module)` changes a module in place, weights included, so that an untouched copy is what it must equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from torch import Tensor, nn

from examples.ops.dropout import dropout
from examples.ops.embedding import embedding
from examples.ops.layer_norm import layer_norm
from examples.ops.rms_norm import rms_norm
from examples.ops.rotary import rotary_
from examples.ops.softmax import softmax
from examples.ops.swiglu import swiglu


class RmsNorm(nn.Module):
    """Any of the RMS norms of `transformers`."""

    def __init__(self, old: Any) -> None:
        super().__init__()
        self.weight, self.eps = old.weight, old.variance_epsilon

    def forward(self, x: Tensor) -> Tensor:
        return rms_norm(x, self.weight, eps=self.eps)[0]


class LayerNorm(nn.Module):
    def __init__(self, old: nn.LayerNorm) -> None:
        super().__init__()
        self.weight, self.bias, self.eps = old.weight, old.bias, old.eps

    def forward(self, x: Tensor) -> Tensor:
        return layer_norm(x, self.weight, self.bias, self.eps)[0]


class Embedding(nn.Module):
    def __init__(self, old: nn.Embedding) -> None:
        super().__init__()
        self.weight = old.weight

    def forward(self, index: Tensor) -> Tensor:
        return embedding(self.weight, index)


class Gated(nn.Module):
    """Llama's feed-forward part."""

    def __init__(self, old: Any) -> None:
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = old.gate_proj, old.up_proj, old.down_proj

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(swiglu(self.gate_proj(x), self.up_proj(x)))


class Dropout(nn.Module):
    """A fixed seed, so that the mask is the same wherever it is drawn."""

    def forward(self, x: Tensor) -> Tensor:
        return dropout(x, 0.25, 7)


def attend(module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any, **options: Any) -> tuple[Tensor, None]:
    """An attention function of `transformers` without a mask."""
    weights = softmax((query @ key.transpose(-1, -2)) * query.shape[-1] ** -0.5)
    return (weights @ value).transpose(1, 2).contiguous(), None


def turned(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, unsqueeze_dim: int = 1) -> tuple[Tensor, ...]:
    """The rotary embedding of Llama's relatives: both halves of cos and sin are equal."""
    half = cos.shape[-1] // 2
    c, s = cos[0, :, :half].contiguous(), sin[0, :, :half].contiguous()
    made = []
    for x in (q, k):
        y = x.transpose(1, 2).contiguous()
        rotary_(y, c, s)
        made.append(y.transpose(1, 2))
    return tuple(made)


def swap(module: nn.Module, ends: str, made: Callable[[Any], nn.Module]) -> None:
    """Put `made(old)` in the place of each part whose class's name ends so."""
    for parent in list(module.modules()):
        for name, part in list(parent.named_children()):
            if type(part).__name__.endswith(ends):
                setattr(parent, name, made(part))


def _llama(module: nn.Module) -> None:
    swap(module, "RMSNorm", RmsNorm)
    swap(module, "MLP", Gated)


def _attention(module: Any) -> None:
    from transformers import AttentionInterface

    AttentionInterface.register("catalogue", attend)
    module.config._attn_implementation = "catalogue"
    swap(module, "LayerNorm", LayerNorm)


def _embedded(module: nn.Module) -> None:
    swap(module, "Embedding", Embedding)
    swap(module, "LayerNorm", LayerNorm)


def _dropped(module: nn.Module) -> None:
    swap(module, "GELU", lambda old: nn.Sequential(old, Dropout()))
    swap(module, "LayerNorm", LayerNorm)


# model -> (how its parts are replaced, GE types that its graph then has and how many at least)
CUSTOM: dict[str, tuple[Callable[[Any], None], dict[str, int]]] = {
    "llama": (_llama, {"CatalogueRmsNorm": 5, "CatalogueSwiglu": 2}),
    "qwen2": (_llama, {"CatalogueRmsNorm": 5, "CatalogueSwiglu": 2, "CatalogueRotary": 4}),
    "t5": (lambda m: swap(m, "T5LayerNorm", RmsNorm), {"CatalogueRmsNorm": 12}),
    "electra": (_attention, {"CatalogueSoftmax": 2, "CatalogueLayerNorm": 5}),
    "gpt2": (_embedded, {"CatalogueEmbedding": 2, "CatalogueLayerNorm": 5}),
    "mixtral": (lambda m: swap(m, "RMSNorm", RmsNorm), {"CatalogueRmsNorm": 5}),
    "vit": (lambda m: swap(m, "LayerNorm", LayerNorm), {"CatalogueLayerNorm": 5}),
    "mlp": (_dropped, {"CatalogueDropout": 1, "CatalogueLayerNorm": 1}),
}


@contextmanager
def replaced(name: str, module: nn.Module) -> Iterator[nn.Module]:
    """The module with operators of the catalogue; the rotary embedding is a function of its file, so only inside."""
    CUSTOM[name][0](module)
    if name != "qwen2":
        yield module
        return
    with mock.patch("transformers.models.qwen2.modeling_qwen2.apply_rotary_pos_emb", turned):
        yield module


__all__ = ["CUSTOM", "replaced"]
