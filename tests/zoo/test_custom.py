"""Operators of the catalogue inside models of the zoo: graphs hold them as custom nodes, results are as without them."""

from __future__ import annotations

import contextlib

import pytest
import torch

from tests.zoo.custom import CUSTOM, replaced
from tests.zoo.harness import TOLERANCE, compiled, fresh, gradients, graphs, inputs, make, outputs, targets

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("name", ["llama", "electra", "gpt2", "vit"])
def test_forward_equals_the_model_without_them(name: str, device: str) -> None:
    with fresh(name), graphs() as seen:
        module, given = make(name, device=device)
        with torch.no_grad():
            expected = outputs(module(**given))
            with replaced(name, module):
                got = outputs(compiled(name, module)(**given))
        for a, b in zip(got, expected, strict=True):
            torch.testing.assert_close(a, b, **TOLERANCE[torch.float32])
    found = targets(seen)
    assert all(found[t] >= n for t, n in CUSTOM[name][1].items())


@pytest.mark.parametrize("name", ["qwen2", "t5", "mixtral", "mlp", "electra"])
def test_training_in_dynamic_form_equals_the_model_without_them(name: str) -> None:
    with fresh(name), graphs() as seen:
        module, first = make(name)
        sizes = [first, inputs(name, batch=4, length=9, seed=1)]
        if name == "mlp":
            CUSTOM[name][0](module)
        expected = [gradients(module, module, given) for given in sizes]
        with contextlib.nullcontext() if name == "mlp" else replaced(name, module):
            run = compiled(name, module, dynamic=True)
            for given, wanted in zip(sizes, expected, strict=True):
                same(gradients(module, run, given), wanted)
    found = targets(seen)
    assert all(found[t] >= n for t, n in CUSTOM[name][1].items())


def same(got: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert len(got) == len(expected)
    for (key, a), b in zip(got.items(), expected.values(), strict=True):
        scale = float(b.abs().max())
        torch.testing.assert_close(
            a, b, rtol=1e-3, atol=max(1e-3 * scale, 1e-6), msg=lambda text, key=key: f"{key}: {text}"
        )
