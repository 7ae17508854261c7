"""Training through the zoo: loss and every gradient equal to eager, static and dynamic; an optimizer's steps too.

A sample, for its time; tools/zoo_report.py trains every model, and test_custom.py five (t5 too) with operators of their own.
"""

from __future__ import annotations

import copy

import pytest
import torch

from tests.zoo.harness import MODELS, check_training, compiled, fresh, graphs, inputs, loss_of, make, marked

STATIC = ("deberta_v2", "mamba", "resnet", "wav2vec2", "lstm")
DYNAMIC = ("llama", "bert", "vit", "unet", "graph_network")


@pytest.mark.slow
@pytest.mark.parametrize("name", STATIC)
def test_static_training_equals_eager(name: str) -> None:
    with fresh(name), graphs() as seen:
        module, given = make(name)
        assert check_training(name, compiled(name, module), module, given) > 3
    assert len(seen) == 2  # forward and backward


@pytest.mark.slow
@pytest.mark.parametrize("name", DYNAMIC)
def test_dynamic_training_equals_eager(name: str) -> None:
    with fresh(name), graphs() as seen:
        module, given = make(name)
        run = compiled(name, module, dynamic=None)
        check_training(name, run, module, marked(name, given))
        with torch._dynamo.config.patch(error_on_recompile=True):
            for i, (batch, length) in enumerate(MODELS[name].sizes(3)):
                check_training(name, run, module, inputs(name, batch=batch, length=length, seed=i))
    assert len(seen) == 2


@pytest.mark.slow
def test_batch_norm_in_training_mode_updates_its_statistics() -> None:
    with fresh("resnet"):
        module, given = make("resnet")
        module.train()
        other = copy.deepcopy(module)
        run = compiled("resnet", module)
        for _ in range(2):
            loss_of(run(**given)).backward()
            loss_of(other(**given)).backward()
    for (key, a), b in zip(module.state_dict().items(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5, msg=lambda text, key=key: f"{key}: {text}")


def test_steps_of_an_optimizer_give_the_same_weights() -> None:
    with fresh("mlp"):
        module, _ = make("mlp")
        other = copy.deepcopy(module)
        run = compiled("mlp", module)
        for model, call in ((module, run), (other, other)):
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
            for step in range(4):
                optimizer.zero_grad()
                loss_of(call(**inputs("mlp", seed=step))).backward()
                optimizer.step()
    for a, b in zip(module.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
