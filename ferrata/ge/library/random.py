"""Random numbers: drawn from the device's default generator, in the order of the graph, exactly as PyTorch draws them.

The inputs `seed` and `offset` of the stateless operators are not read: a graph here continues the stream that
`torch.manual_seed` began, as eager mode does. Every node has an effect (`effect=True`), so that passes neither merge,
move nor drop draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ferrata.ge.library.rules import rule
from ferrata.ge.types import torch_dtype

aten = torch.ops.aten
Ints = Sequence[int]


@rule("RandomUniform", host="shape", creates="dtype", effect=True)
def random_uniform(shape: Ints, *, dtype: torch.dtype, device: Any) -> Any:
    """From [0, 1)."""
    return torch.rand(list(shape), dtype=dtype, device=device)


@rule("RandomStandardNormal", host="shape", creates="dtype", effect=True)
def random_standard_normal(shape: Ints, *, dtype: torch.dtype, device: Any) -> Any:
    return torch.randn(list(shape), dtype=dtype, device=device)


@rule("RandomUniformInt", host="shape min max", creates="min", effect=True)
def random_uniform_int(shape: Ints, low: int, high: int, *, dtype: torch.dtype, device: Any) -> Any:
    """From [low, high)."""
    return torch.randint(low, high, list(shape), dtype=dtype, device=device)


@rule("StatelessRandperm", host="n", creates="dtype", effect=True)
def randperm(n: int, seed: Any, offset: Any, *, dtype: torch.dtype, device: Any) -> Any:
    return torch.randperm(n, dtype=dtype, device=device)


@rule("StatelessBernoulli", host="shape prob", creates="dtype", effect=True)
def bernoulli_p(shape: Ints, prob: float, seed: Any, offset: Any, *, dtype: torch.dtype, device: Any) -> Any:
    """1 with probability `prob`, else 0."""
    return torch.empty(list(shape), dtype=dtype, device=device).bernoulli_(prob)


@rule("StatelessBernoulliV2", effect=True)
def bernoulli(x: Any, seed: Any, offset: Any, *, dtype: int = 0) -> Any:
    """1 with the probability that x has there, else 0."""
    return torch.bernoulli(x).to(torch_dtype(dtype))


@rule("StatelessNormal", host="shape mean std", creates="dtype", effect=True)
def stateless_normal(
    shape: Ints, seed: Any, offset: Any, mean: float, std: float, *, dtype: torch.dtype, device: Any
) -> Any:
    return torch.empty(list(shape), dtype=dtype, device=device).normal_(mean, std)


@rule("Normal", numbers="mean std", effect=True)
def normal(mean: Any, std: Any) -> Any:
    return torch.normal(mean, std)


def _uniform_text(parts: Sequence[str], attrs: Mapping[str, Any]) -> str:
    low, high = attrs.get("from", 0.0), attrs.get("to", 1.0)
    return f"torch.empty_like({parts[0]}).uniform_({low!r}, {high!r})"


@rule(
    "Uniform", effect=True, text=_uniform_text, infer=lambda inputs, attrs: [(inputs[0].dtype, list(inputs[0].shape))]
)
def uniform(x: Any, **bounds: float) -> Any:
    """From [from, to), in the shape of x."""
    return torch.empty_like(x).uniform_(bounds.get("from", 0.0), bounds.get("to", 1.0))


@rule("MultinomialWithReplacement", effect=True)
def multinomial(x: Any, seed: Any, offset: Any, *, numsamples: int, replacement: bool = False) -> Any:
    """Indices, drawn with the weights of x."""
    return torch.multinomial(x, numsamples, replacement)


@rule("RandomPoisson", host="shape", effect=True)
def poisson(shape: Ints, rate: Any, *, dtype: int = 9) -> Any:
    """One draw per rate: more than that, `shape` is empty in PyTorch's operator."""
    if list(shape):
        raise KeyError("shape")
    return torch.poisson(rate).to(torch_dtype(dtype))


@rule("RandomGamma", host="shape", effect=True)
def gamma(shape: Ints, alpha: Any) -> Any:
    """Of scale 1, one draw per alpha."""
    if list(shape):
        raise KeyError("shape")
    return torch._standard_gamma(alpha)
