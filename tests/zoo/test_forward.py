"""Every architecture of the zoo: one graph with our backend, outputs equal to eager; some on the device and in half."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.zoo.harness import (
    MODELS,
    check_forward,
    compiled,
    fresh,
    graphs,
    inputs,
    make,
    on_aten,
    targets,
)

pytestmark = pytest.mark.slow

QUICK = ("llama", "resnet", "mlp")  # the others take seconds each
# kernels that PyTorch has for the CPU alone; elsewhere they are taken apart into what GE has
FOR_CPU = {"aten::_scaled_dot_product_flash_attention_for_cpu.default", "aten::mkldnn_rnn_layer.default"}


def named(names: Any) -> list[Any]:
    """Test parameters; all but the quick ones are marked slow."""
    return [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in names]


def test_the_zoo_has_the_families_that_it_should() -> None:
    kinds = {m.kind for m in MODELS.values()}
    assert len(MODELS) >= 45
    assert kinds >= {"decoder", "encoder", "encoder-decoder", "mixture of experts", "vision", "audio", "state space"}


@pytest.mark.parametrize("name", named(MODELS))
def test_static_forward_equals_eager(name: str) -> None:
    with fresh(name), graphs() as seen:
        module, given = make(name)
        run = compiled(name, module)
        check_forward(name, run, module, given)
        other = inputs(name, seed=1)
        check_forward(name, run, module, other)
    if MODELS[name].whole:
        assert len(seen) == 1
    assert set(on_aten(targets(seen))) <= FOR_CPU


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mixtral", "t5", "graph_network"])
def test_on_the_device_all_nodes_are_converted(name: str) -> None:
    with fresh(name), graphs() as seen:
        module, given = make(name, device="npu")
        check_forward(name, compiled(name, module), module, given)
    assert not on_aten(targets(seen))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dtype"),
    [("llama", torch.bfloat16), ("bert", torch.float16)],
)
def test_half_precision_equals_eager(name: str, dtype: torch.dtype) -> None:
    with fresh(name):
        module, given = make(name, dtype=dtype)
        check_forward(name, compiled(name, module), module, given, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "unet"])
def test_dynamic_by_option_equals_eager(name: str) -> None:
    """dynamic=True makes every size and Python number of the model one that may change."""
    row = MODELS[name]
    with fresh(name):
        module, given = make(name, batch=5)  # a batch of three would be taken for the three channels
        run = compiled(name, module, dynamic=True)
        check_forward(name, run, module, given)
        with torch._dynamo.config.patch(error_on_recompile=True):
            for i, (batch, length) in enumerate(row.sizes(3)):
                check_forward(name, run, module, inputs(name, batch=batch, length=length, seed=i))
