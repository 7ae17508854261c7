"""inference.cache_compile and what is no argument: modes of the module and the process, options that it honours or refuses."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from ferrata import errors, torchair
from ferrata.torchair import inference, patterns

pytestmark = pytest.mark.slow


class Model(nn.Module):
    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__()
        self.linear, self.drop, self.scale = nn.Linear(4, 4), nn.Dropout(0.5), 2.0
        self.run = inference.cache_compile(self.decode, cache_dir=folder, **options)

    def decode(self, x: Any) -> Any:
        return torch.relu(self.drop(self.linear(x))) * self.scale

    def keep(self, x: Any) -> Any:
        return x, self.linear.weight


def pair(folder: Path, **options: Any) -> tuple[Model, Model]:
    """Two instances with equal weights: the first compiles, the second finds the files."""
    first, second = Model(folder, **options), Model(folder, **options)
    second.load_state_dict(first.state_dict())
    return first.eval(), second.eval()


def config(**options: Any) -> Any:
    """group__option=value."""
    made = torchair.CompilerConfig()
    for path, value in options.items():
        *groups, name = path.split("__")
        place: Any = made
        for group in groups:
            place = getattr(place, group)
        setattr(place, name, value)
    return made


@pytest.fixture(autouse=True)
def no_patterns() -> Iterator[None]:
    patterns.forget()
    yield
    patterns.forget()


def agrees(model: Model, *sizes: int) -> None:
    for n in sizes:
        x = torch.randn(n, 4)
        torch.testing.assert_close(model.run(x), model.decode(x))


def dropped(model: Model) -> float:
    """The part of what is no zero by itself."""
    x = torch.randn(400, 4)
    return float((model.run(x)[model.linear(x) > 0] == 0).float().mean())


@torch.no_grad()
def test_training_and_evaluation_have_their_own_forms(tmp_path: Path) -> None:
    model = Model(tmp_path).train()
    assert 0.3 < dropped(model) < 0.7
    model.eval()
    assert dropped(model) == 0
    agrees(model, 3, 5)
    assert model.run.compilations == 2
    assert 0.3 < dropped(model.train()) < 0.7 and model.run.compilations == 2
    other = Model(tmp_path).eval()
    agrees(other, 3)
    assert other.run.compilations == 0


@torch.no_grad()
def test_one_part_in_another_mode_counts(tmp_path: Path) -> None:
    model = Model(tmp_path).eval()
    assert dropped(model) == 0
    model.drop.train()
    assert 0.3 < dropped(model) < 0.7


@torch.no_grad()
def test_autocast_has_its_own_form(tmp_path: Path) -> None:
    first, second = pair(tmp_path)
    for model in (first, second):
        agrees(model, 3)
        with torch.autocast("cpu", torch.bfloat16):
            assert model.run(torch.randn(3, 4)).dtype == torch.bfloat16
            agrees(model, 3, 5)
        with torch.autocast("cpu", torch.float16):
            assert model.run(torch.randn(3, 4)).dtype == torch.float16
        agrees(model, 3)
    assert (first.run.compilations, second.run.compilations, second.run.hits) == (3, 0, 3)


@torch.no_grad()
def test_a_part_that_is_replaced_is_seen(tmp_path: Path) -> None:
    model = Model(tmp_path).eval()
    agrees(model, 3)
    model.linear = nn.Linear(4, 4).eval()
    agrees(model, 3)
    assert model.run.compilations == 1  # the same code, other weights
    layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)).eval()
    model.linear = layers  # type: ignore[assignment]
    agrees(model, 3)
    layers[0] = nn.Linear(4, 8).eval()
    agrees(model, 3)
    assert model.run.compilations == 2


@torch.no_grad()
def test_an_attribute_that_changed_counts_after_reset(tmp_path: Path) -> None:
    model = Model(tmp_path).eval()
    agrees(model, 3)
    model.scale = 3.0
    model.run.reset()
    agrees(model, 3)
    assert model.run.compilations == 2


@torch.no_grad()
def test_patterns_are_part_of_the_key(tmp_path: Path) -> None:
    first, second = pair(tmp_path)
    agrees(first, 3)
    torchair.register_replacement(lambda x: torch.relu(x), lambda x: torch.sigmoid(x), [torch.empty(2)])
    x = torch.randn(3, 4)
    expected = torch.sigmoid(second.linear(x)) * 2
    torch.testing.assert_close(second.run(x), expected)
    patterns.forget()
    torchair.register_replacement(lambda x: torch.relu(x), lambda x: torch.tanh(x), [torch.empty(2)])
    third = Model(tmp_path).eval()
    third.load_state_dict(first.state_dict())
    torch.testing.assert_close(third.run(x), torch.tanh(third.linear(x)) * 2)


def test_gradients_are_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    model = Model(tmp_path).eval()
    with pytest.raises(errors.CacheNeedsNoGrad):
        model.run(torch.randn(3, 4))
    assert model.run.compilations == 0 and not list(tmp_path.iterdir())
    model.requires_grad_(False)
    agrees(model, 3)
    with pytest.raises(errors.CacheNeedsNoGrad):
        model.run(torch.randn(3, 4, requires_grad=True))
    with torch.inference_mode():
        assert model.run(torch.randn(3, 4)).is_inference()
    assert not model.run(torch.randn(3, 4)).is_inference() and model.run.compilations == 1


@torch.no_grad()
@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("mode", ["max-autotune", "reduce-overhead", "npugraph_ex"])
@pytest.mark.parametrize("ge_cache", [False, True])
def test_every_mode_is_right_for_every_size(tmp_path: Path, mode: str, dynamic: bool, ge_cache: bool) -> None:
    for model in pair(tmp_path, config=config(mode=mode), dynamic=dynamic, ge_cache=ge_cache):
        agrees(model, 3, 5, 3, 1, 7, 5)
    (folder,) = tmp_path.iterdir()
    kind = "dynamic" if dynamic else "static"
    captured = "" if mode == "max-autotune" else "_aclgraphcache"
    assert folder.name.startswith(f"Model_{kind}{captured}{'_gecache' if ge_cache else ''}_")
    assert model.run.compilations == 0  # the second


@torch.no_grad()
def test_run_eagerly_compiles_nothing(tmp_path: Path) -> None:
    model = Model(tmp_path, config=config(debug__run_eagerly=True)).eval()
    agrees(model, 3, 4)
    assert model.run.compilations == 0 and not list(tmp_path.iterdir())


@torch.no_grad()
@pytest.mark.parametrize("option", ["data_dump", "fx_summary"])
def test_options_for_graphs_that_are_not_kept_are_refused(tmp_path: Path, option: str) -> None:
    kind = {"data_dump": "npy", "fx_summary": "csv"}[option]
    model = Model(tmp_path / "cache", config=config(**{f"debug__{option}__type": kind}))
    for _ in range(2):
        with pytest.raises(errors.CacheUsage, match=rf"debug\.{option}\.type = '{kind}'.*use torch\.compile"):
            model.run(torch.randn(3, 4))
    assert model.run.compilations == 0 and not (tmp_path / "cache").exists()


@torch.no_grad()
def test_frozen_parameters_are_told_to_have_no_effect(tmp_path: Path) -> None:
    first, second = pair(tmp_path, config=config(experimental_config__frozen_parameter=True))
    for model in (first, second):
        with pytest.warns(UserWarning, match="frozen_parameter has no effect"):
            agrees(model, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.linear.weight = nn.Parameter(torch.randn(4, 4))
            agrees(model, 3, 5)


@torch.no_grad()
@pytest.mark.parametrize("clone", [True, False])
def test_results_are_copies_if_asked_for(tmp_path: Path, clone: bool) -> None:
    for model in pair(tmp_path, config=config(debug__aclgraph__enable_output_clone=clone)):
        run = inference.cache_compile(
            model.keep, cache_dir=tmp_path, config=config(debug__aclgraph__enable_output_clone=clone)
        )
        x = torch.randn(3, 4)
        same, weight = run(x)
        assert torch.equal(same, x) and torch.equal(weight, model.linear.weight)
        assert (same.data_ptr() != x.data_ptr()) == (weight.data_ptr() != model.linear.weight.data_ptr()) == clone


@torch.no_grad()
@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ({"debug__graph_dump__type": "py", "debug__graph_dump__path": "dump"}, "dynamo_optimized_graph_*.py"),
        ({"debug__graph_dump__type": "txt", "debug__graph_dump__path": "dump"}, "dynamo_optimized_graph_*.txt"),
        ({"dump_config__enable_dump": True, "dump_config__dump_path": "dump"}, "**/*Relu*"),
    ],
)
def test_dumps_are_written_also_for_what_comes_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], pattern: str
) -> None:
    monkeypatch.chdir(tmp_path)
    dumps = tmp_path / "dump"
    dumps.mkdir()
    found: list[int] = []
    for model in pair(tmp_path / "cache", config=config(**options)):
        agrees(model, 3)
        found.append(len(list(dumps.glob(pattern))))
    assert model.run.hits == 1 and 0 < found[0] < found[1]
