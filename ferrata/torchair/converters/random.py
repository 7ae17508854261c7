"""Random numbers. The nodes draw from the device's default generator in the order of the program, as eager mode does.

A result whose memory is not laid out row by row gets its numbers in another order: such calls stay ATen nodes.
"""

from __future__ import annotations

from typing import Any

import torch

from ferrata.ge.types import ge_dtype
from ferrata.torchair.build import Unsupported, const, dtype_of, ops, out, promote, require, sizes_of
from ferrata.torchair.converters.table import converts
from ferrata.torchair.ge import Tensor

aten = torch.ops.aten


def stream() -> tuple[Any, Any]:
    """Seed and offset: zeros, which stand for the state of the default generator."""
    return const(0, torch.int64), const(0, torch.int64)


def plain(meta: Any) -> Any:
    """The Meta of the result, if its memory is contiguous."""
    require(meta.is_contiguous() and meta.layout is torch.strided, "a result that is not contiguous")
    return meta


def sizes(size: Any) -> Any:
    return size if isinstance(size, Tensor) else const(list(size), torch.int64)


@converts(aten.rand.default)
def rand(size: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None) -> Any:
    return ops.RandomUniform(sizes(size), dtype=ge_dtype(made(pin_memory).dtype))


@converts(aten.randn.default)
def randn(size: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None) -> Any:
    return ops.RandomStandardNormal(sizes(size), dtype=ge_dtype(made(pin_memory).dtype))


@converts(aten.rand_like.default)
def rand_like(x: Tensor, *, pin_memory: Any = None, memory_format: Any = None, **_: Any) -> Any:
    return ops.RandomUniform(sizes_of(x, torch.int64), dtype=ge_dtype(made(pin_memory).dtype))


@converts(aten.randn_like.default)
def randn_like(x: Tensor, *, pin_memory: Any = None, memory_format: Any = None, **_: Any) -> Any:
    return ops.RandomStandardNormal(sizes_of(x, torch.int64), dtype=ge_dtype(made(pin_memory).dtype))


def made(pin_memory: Any = None) -> Any:
    require(not pin_memory, "pinned memory")
    meta = plain(out())
    require(on_device(meta), "a result on another device than the graph's")
    return meta


def on_device(meta: Any) -> bool:
    """Whether the result is where nodes of the library put what they create."""
    from ferrata.ge.builder import current

    return bool(meta.device.type == current("a converter").device.type)


@converts(aten.randint.default)
def randint(high: Any, size: Any, **options: Any) -> Any:
    return randint_low(0, high, size, **options)


@converts(aten.randint.low)
def randint_low(low: Any, high: Any, size: Any, *, pin_memory: Any = None, **_: Any) -> Any:
    return integers(low, high, sizes(size), made(pin_memory).dtype)


@converts(aten.randint_like.default)
def randint_like(x: Tensor, high: Any, *, pin_memory: Any = None, **_: Any) -> Any:
    return integers(0, high, sizes_of(x, torch.int64), made(pin_memory).dtype)


@converts(aten.randint_like.low_dtype)
def randint_like_low(x: Tensor, low: Any, high: Any, *, pin_memory: Any = None, **_: Any) -> Any:
    return integers(low, high, sizes_of(x, torch.int64), made(pin_memory).dtype)


def integers(low: Any, high: Any, shape: Any, dtype: torch.dtype) -> Any:
    """Other types than GE's are cast: PyTorch draws alike for all."""
    require(isinstance(low, int) and isinstance(high, int), "bounds that change from call to call")
    drawn = dtype if dtype in (torch.int32, torch.int64) else torch.int64
    result = ops.RandomUniformInt(shape, const(low, drawn), const(high, drawn))
    return result if drawn == dtype else ops.Cast(result, dst_type=ge_dtype(dtype))


@converts(aten.randperm.default)
def randperm(n: Any, *, pin_memory: Any = None, **_: Any) -> Any:
    dtype = made(pin_memory).dtype
    n = n if isinstance(n, Tensor) else const(n, torch.int64)
    return ops.StatelessRandperm(n, *stream(), dtype=ge_dtype(dtype))


@converts(aten.bernoulli.default)
def bernoulli(x: Tensor, *, generator: Any = None) -> Any:
    default(generator)
    return ops.StatelessBernoulliV2(x, *stream(), dtype=ge_dtype(plain(out()).dtype))


@converts(aten.bernoulli.p)
def bernoulli_p(x: Tensor, p: float = 0.5, *, generator: Any = None) -> Any:
    default(generator)
    return coins(x, p, plain(out()).dtype)


def coins(x: Tensor, p: float, dtype: torch.dtype) -> Any:
    require(isinstance(p, (int, float)), "a probability that changes from call to call")
    require(on_device(out()), "a result on another device than the graph's")
    shape = sizes_of(x, torch.int64)
    return ops.StatelessBernoulli(shape, const(float(p), torch.float64), *stream(), dtype=ge_dtype(dtype))


def default(generator: Any) -> None:
    require(generator is None, "a generator of its own")


@converts(aten.native_dropout.default)
def native_dropout(x: Tensor, p: float, train: Any = True) -> Any:
    """The mask as drawn; then x times (mask times factor), the order of PyTorch's kernel, which rounds small types alike."""
    if train is False:
        return ops.TensorMove(x), ops.Fill(sizes_of(x, torch.int64), const(True, torch.bool))
    plain(out(0))
    keep, dtype = 1.0 - p, out(0).dtype
    require(on_device(out(1)), "a result on another device than the graph's")
    shape = sizes_of(x, torch.int64)
    mask = ops.StatelessBernoulli(shape, const(keep, torch.float64), *stream(), dtype=ge_dtype(torch.bool))
    factor, kept = promote(1.0 / keep if keep else 0.0, to=dtype), ops.Cast(mask, dst_type=ge_dtype(dtype))
    return ops.Mul(x, ops.Mul(kept, factor)), mask


@converts(aten.normal.Tensor_Tensor, aten.normal.Tensor_float, aten.normal.float_Tensor)
def normal(mean: Any, std: Any = 1.0, *, generator: Any = None) -> Any:
    default(generator)
    dtype = plain(out()).dtype
    tensors = [v for v in (mean, std) if isinstance(v, Tensor)]
    require(all(dtype_of(v) == dtype for v in tensors), "mixed types")
    return ops.Normal(*(v if isinstance(v, Tensor) else const(float(v), dtype) for v in (mean, std)))


@converts(aten.normal_functional.default)
def normal_functional(x: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
    default(generator)
    dtype = made().dtype
    bounds = [const(float(v), dtype) for v in (mean, std)]
    return ops.StatelessNormal(sizes_of(x, torch.int64), *stream(), *bounds, dtype=ge_dtype(dtype))


@converts(aten.uniform.default)
def uniform(x: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Any:
    default(generator)
    plain(out())
    require(x.desc.stride is None, "strides of its own")
    return ops.Uniform(x, **{"from": float(low), "to": float(high)})


@converts(aten.multinomial.default)
def multinomial(x: Tensor, num_samples: Any, replacement: bool = False, *, generator: Any = None) -> Any:
    default(generator)
    if not isinstance(num_samples, int):
        raise Unsupported("a number of draws that changes from call to call")
    return ops.MultinomialWithReplacement(x, *stream(), numsamples=num_samples, replacement=replacement)


@converts(aten.poisson.default)
def poisson(x: Tensor, generator: Any = None) -> Any:
    default(generator)
    return ops.RandomPoisson(const([], torch.int64), x, dtype=ge_dtype(plain(out()).dtype))


@converts(aten._standard_gamma.default)
def standard_gamma(x: Tensor, generator: Any = None) -> Any:
    default(generator)
    plain(out())
    return ops.RandomGamma(const([], torch.int64), x)


@converts(aten.native_dropout_backward.default)
def native_dropout_backward(grad: Tensor, mask: Tensor, scale: float) -> Any:
    dtype = out().dtype
    require(dtype_of(grad) == dtype, "mixed types")
    return ops.Mul(ops.Mul(grad, ops.Cast(mask, dst_type=ge_dtype(dtype))), promote(scale, to=dtype))
