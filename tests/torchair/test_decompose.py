"""Operators without a converter are broken up while tracing; those with one, and the user's, stay whole."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from ferrata import torchair
from ferrata.torchair import decompose, registry
from ferrata.torchair.backend import get_npu_backend
from ferrata.torchair.converters import every

aten = torch.ops.aten


def types_of(function: Any, *args: torch.Tensor, **options: Any) -> list[str]:
    """GE types of the graph of a function, compared with eager on the way."""
    found: list[str] = []

    def watching(gm: torch.fx.GraphModule, inputs: Any) -> Any:
        from torch._dynamo.backends.common import aot_autograd

        def compiler(inner: torch.fx.GraphModule, example: Any) -> Any:
            made = torchair.get_compiler()(inner, example)
            found.extend(n.type for n in made.graph.original.nodes)
            return made

        return aot_autograd(fw_compiler=compiler, decompositions=decompose.decompositions())(gm, inputs)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=watching, fullgraph=True, **options)
    torch.testing.assert_close(compiled(*args), function(*args))
    return found


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: aten.std_mean.correction(x, [1], correction=1), (3, 4)),
        (lambda x: torch.sinc(x), (5,)),
        (lambda x: torch.rot90(x), (3, 4)),
        (lambda x: torch.nn.functional.pixel_shuffle(x, 2), (1, 4, 3, 3)),
        (lambda x: torch.deg2rad(x), (4,)),
        (lambda x: torch.nn.functional.huber_loss(x, x + 1), (4,)),
        (lambda x: torch.diag_embed(x), (2, 3)),
        (lambda x: torch.trace(x), (3, 3)),
    ],
)
def test_an_operator_without_converter_becomes_operators_of_ge(function: Any, shape: tuple[int, ...]) -> None:
    types = types_of(function, torch.randn(shape))
    assert not [t for t in types if "::" in t], types


def test_what_has_a_converter_stays_whole() -> None:
    types = types_of(lambda x: torch.nn.functional.gelu(torch.softmax(x, -1)), torch.randn(3, 4))
    assert "SoftmaxV2" in types and "GeluV2" in types


def test_attention_stays_whole() -> None:
    q = torch.randn(1, 2, 4, 8)
    types = types_of(lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x), q)
    assert "aten::_scaled_dot_product_flash_attention_for_cpu.default" in types


def test_no_entry_has_a_converter_writes_or_returns_numbers() -> None:
    table = decompose.decompositions()
    assert len(table) > 60
    assert not set(table) & set(every())
    assert not any(op._schema.is_mutable for op in table)


def test_what_a_converter_of_the_user_takes_is_not_broken_up() -> None:
    @torchair.register_fx_node_ge_converter(aten.sinc.default)
    def convert(x: Any, meta_outputs: Any = None) -> Any:
        return x

    try:
        assert aten.sinc.default not in decompose.decompositions()
    finally:
        registry.unregister(aten.sinc.default)
    assert aten.sinc.default in decompose.decompositions()


def test_decompositions_of_the_user_come_first() -> None:
    def mine(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x == 0, 1.0, torch.sin(math.pi * x) / (math.pi * x))

    assert decompose.decompositions({aten.sinc.default: mine})[aten.sinc.default] is mine
    torch._dynamo.reset()
    backend = get_npu_backend(custom_decompositions={aten.sinc.default: mine})
    x = torch.randn(5)
    torch.testing.assert_close(torch.compile(torch.sinc, backend=backend)(x), torch.sinc(x))
