"""inference.cache_compile where programs use it: copied and pickled models, inside other compiled functions, wrong calls."""

from __future__ import annotations

import copy
import io
import re
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from ferrata import errors, torchair
from ferrata.torchair import inference

pytestmark = pytest.mark.slow


class Model(nn.Module):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.run = inference.cache_compile(self.decode, cache_dir=folder)
        self.table = inference.cache_compile(self.positions, cache_dir=folder)
        self.wrong = inference.cache_compile(self.raises, cache_dir=folder)

    def decode(self, x: Any, *, scale: float = 1.0) -> Any:
        return torch.relu(self.linear(x)) * scale

    def positions(self, n: int = 3) -> Any:
        return self.linear.weight[0].cumsum(0)[:n] + torch.arange(n)

    def raises(self, x: Any) -> Any:
        if x.shape[0] > 2:
            raise ValueError("too many rows")
        return x


class Outer(nn.Module):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.inner = Model(folder)
        self.run = inference.cache_compile(self.step, cache_dir=folder)

    def forward(self, x: Any) -> Any:
        return self.inner.run(x)

    def step(self, x: Any) -> Any:
        return self.inner.run(x, scale=2.0) - 1


@torch.no_grad()
@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_a_copy_of_a_model_is_its_own(tmp_path: Path, called: bool, how: str) -> None:
    model, x = Model(tmp_path).eval(), torch.randn(3, 4)
    if called:
        model.run(x)
    if how == "deepcopy":
        other = copy.deepcopy(model)
    else:
        torch.save(model, file := io.BytesIO())
        other = torch.load(io.BytesIO(file.getvalue()), weights_only=False)
    other.linear.weight.fill_(1.0)
    for one in (model, other):
        torch.testing.assert_close(one.run(x), one.decode(x))
    assert other.run.compilations == 0 and other.run.hits == 1


@torch.no_grad()
@pytest.mark.parametrize("fullgraph", [False, True])
def test_inside_a_compiled_function_it_is_part_of_the_graph(tmp_path: Path, fullgraph: bool) -> None:
    torch._dynamo.reset()
    model = Model(tmp_path).eval()
    f = torch.compile(
        lambda x: model.run(x, scale=3.0) + 1, backend=torchair.get_npu_backend(), fullgraph=fullgraph, dynamic=True
    )
    for n in (3, 5):
        x = torch.randn(n, 4)
        torch.testing.assert_close(f(x), model.decode(x, scale=3.0) + 1)
    assert model.run.compilations == 0 and not list(tmp_path.iterdir())


@torch.no_grad()
def test_a_cached_function_may_call_another(tmp_path: Path) -> None:
    first, second = Outer(tmp_path).eval(), Outer(tmp_path).eval()
    second.load_state_dict(first.state_dict())
    for model in (first, second):
        for n in (3, 5):
            x = torch.randn(n, 4)
            torch.testing.assert_close(model.run(x), model.inner.decode(x, scale=2.0) - 1)
    assert (first.run.compilations, first.inner.run.compilations, second.run.compilations) == (1, 0, 0)


@torch.no_grad()
def test_a_function_without_tensors_among_its_arguments(tmp_path: Path) -> None:
    model = Model(tmp_path)
    for args in ((), (2,), (4,), ()):
        torch.testing.assert_close(model.table(*args), model.positions(*args))
    assert model.table.compilations == 3


@torch.no_grad()
@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "missing 1 required positional argument: 'x'"),
        ((torch.ones(3, 4), 2.0), {}, "takes 2 positional arguments but 3 were given"),
        ((torch.ones(3, 4),), {"scales": 2.0}, "unexpected keyword argument 'scales'"),
    ],
)
def test_a_wrong_call_is_told_as_python_tells_it(tmp_path: Path, args: Any, kwargs: Any, text: str) -> None:
    model = Model(tmp_path)
    with pytest.raises(TypeError, match=rf"Model\.decode\(\) .*{text}"):
        model.run(*args, **kwargs)
    assert model.run.compilations == 0
    torch.testing.assert_close(model.run(torch.ones(3, 4)), model.decode(torch.ones(3, 4)))


@torch.no_grad()
def test_what_the_function_raises_is_told_with_its_line(tmp_path: Path) -> None:
    model = Model(tmp_path)
    with pytest.raises(errors.NotOneGraph) as caught:
        model.wrong(torch.ones(3))
    line = Model.raises.__code__.co_firstlineno + 2
    assert re.search(rf"ValueError\('too many rows'\).*test_cache_use\.py:{line}\)", str(caught.value))
    assert model.wrong(torch.ones(2)).tolist() == [1, 1]
    with pytest.raises(errors.NotOneGraph) as caught:
        model.run(torch.ones(3, 5))
    assert f"test_cache_use.py:{Model.decode.__code__.co_firstlineno + 1})" in str(caught.value)
    with pytest.raises(errors.NotOneGraph, match="linear"):
        model.run(None)


class Printing(nn.Module):
    def forward(self, x: Any) -> Any:
        print("here")
        return x + 1


@torch.no_grad()
def test_printing_is_left_out_as_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = inference.cache_compile(Printing().forward, cache_dir=tmp_path)
    for _ in range(2):
        assert run(torch.ones(2)).tolist() == [2, 2]
    assert "here" not in capsys.readouterr().out


@torch.no_grad()
def test_a_mode_of_pytorch_sees_the_operators(tmp_path: Path) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    model = Model(tmp_path).eval()
    with FlopCounterMode(display=False) as counter:
        model.run(torch.ones(3, 4))
    assert counter.get_total_flops() == 2 * 3 * 4 * 4 and model.run.compilations == 0
    exported = torch.export.export(Outer(tmp_path).eval(), (torch.ones(3, 4),), strict=False)
    assert any("linear" in str(n.target) for n in exported.graph.nodes)


@torch.no_grad()
def test_threads_with_sizes_and_modes_of_their_own_compile_each_form_once(tmp_path: Path) -> None:
    model = Model(tmp_path).eval()
    fixed = inference.cache_compile(model.decode, cache_dir=tmp_path, dynamic=False)
    wrong: list[Any] = []

    def work(first: int) -> None:
        with torch.no_grad():
            for n in (2 + (first + i) % 3 for i in range(3)):
                x = torch.randn(n, 4)
                for on in (False, True):
                    with torch.autocast("cpu", torch.bfloat16, enabled=on):
                        got, expected = fixed(x), model.decode(x)
                    if got.dtype != expected.dtype or not torch.allclose(got, expected):
                        wrong.append((n, on, got, expected))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and fixed.compilations == 6
