"""inference.cache_compile: one compilation for all processes, right for every call, whatever lies in the folder."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from ferrata import errors, torchair
from ferrata.torchair import inference
from ferrata.torchair.cached.key import content_key

pytestmark = pytest.mark.slow


def helper(x: Any) -> Any:
    return x * 2


class Model(nn.Module):
    def __init__(self, folder: Any = None, **options: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("steps", torch.zeros(()))
        self.scale = 2.0
        self.run = inference.cache_compile(self.decode, cache_dir=folder, **options)

    def decode(self, x: Any, k: Any = 2, *, past: Any = None) -> Any:
        self.steps.add_(1)
        h = helper(self.linear(x)) * self.scale * k
        return {"h": h if past is None else h + past, "n": x.shape[0], "same": x}

    def swap(self, x: Any, y: Any) -> Any:
        x.copy_(y + 1)
        return x


def entries(function: Any) -> list[Path]:
    return sorted(p for p in function.folder.iterdir() if p.suffix != ".lock")


def pair(folder: Path, **options: Any) -> tuple[Model, Model]:
    """Two instances with equal weights: the first compiles, the second finds the file."""
    first, second = Model(folder, **options), Model(folder, **options)
    second.load_state_dict(first.state_dict())
    return first.eval(), second.eval()


@torch.no_grad()
def test_the_second_instance_reads_what_the_first_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = pair(tmp_path)
    for n in (3, 5, 9):
        x = torch.randn(n, 4)
        got = first.run(x)
        torch.testing.assert_close(got["h"], helper(first.linear(x)) * 4)
        assert got["n"] == n and got["same"] is x
    assert (first.run.compilations, first.run.hits, first.steps) == (1, 0, 3)

    def never(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("compiled again")

    monkeypatch.setattr("ferrata.torchair.cached.trace", never)
    for n in (7, 2):
        x = torch.randn(n, 4)
        torch.testing.assert_close(second.run(x)["h"], helper(second.linear(x)) * 4)
    assert (second.run.compilations, second.run.hits, second.steps) == (0, 1, 2)
    (file,) = entries(first.run)
    assert file.name == "compiled_module" and stat.S_IMODE(file.stat().st_mode) == 0o600
    parts = file.relative_to(tmp_path).parts
    assert parts[0].startswith("Model_dynamic_") and parts[1:3] == ("world1global_rank0", "decode")


@torch.no_grad()
def test_each_kind_of_call_has_its_form(tmp_path: Path) -> None:
    first, second = pair(tmp_path)
    x, p = torch.randn(3, 4), torch.randn(3, 4)
    calls = [
        ((x,), {}),
        ((x, 3), {}),
        ((x,), {"past": p}),
        ((x[:1],), {}),
        ((x.double(),), {}),
        ((x.t().contiguous().t(),), {}),
    ]
    for model in (first, second):
        for args, kwargs in [*calls[:4], calls[5]]:
            expected = helper(model.linear(args[0])) * 2 * (args[1] if len(args) > 1 else 2) + kwargs.get("past", 0)
            torch.testing.assert_close(model.run(*args, **kwargs)["h"], expected)
    assert first.run.compilations == 5 and second.run.compilations == 0
    assert [e.name for e in entries(first.run)] == ["compiled_module", *(f"compiled_module_{i}" for i in range(1, 5))]
    with pytest.raises(RuntimeError, match="dtype"):  # as eager says
        first.run(x.double())


@torch.no_grad()
def test_a_size_of_one_has_its_form_without_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = Model(tmp_path).eval()
    for n in (1, 3, 1, 5):
        x = torch.randn(n, 4)
        torch.testing.assert_close(model.run(x)["h"], helper(model.linear(x)) * 4)
    assert model.run.compilations == 2
    assert not [r for r in caplog.records if "specialized" in r.getMessage()]


@torch.no_grad()
def test_static_forms_serve_their_sizes(tmp_path: Path) -> None:
    model = Model(tmp_path, dynamic=False)
    for n in (3, 4, 3, 4):
        assert model.run(torch.randn(n, 4))["n"] == n
    assert model.run.compilations == 2


@torch.no_grad()
def test_weights_are_the_module_s(tmp_path: Path) -> None:
    model = Model(tmp_path)
    x = torch.randn(3, 4)
    model.run(x)
    model.linear.weight = nn.Parameter(torch.ones(4, 4))
    model.linear.bias.zero_()
    torch.testing.assert_close(model.run(x)["h"], x.sum(1, keepdim=True).expand(3, 4) * 8)
    model.linear.weight = nn.Parameter(torch.ones(4, 4).t().contiguous().t())
    torch.testing.assert_close(model.run(x)["h"], x.sum(1, keepdim=True).expand(3, 4) * 8)


@torch.no_grad()
def test_overlapping_arguments_of_a_writing_function_run_as_they_are(tmp_path: Path) -> None:
    model = Model(tmp_path)
    run = inference.cache_compile(model.swap, cache_dir=tmp_path)
    x, y = torch.zeros(3), torch.ones(3)
    assert run(x, y) is x and x.tolist() == [2, 2, 2]
    with pytest.warns(UserWarning, match="shares memory"):
        run(x, x)
    assert x.tolist() == [3, 3, 3]


def test_gradients_are_refused(tmp_path: Path) -> None:
    model = Model(tmp_path)
    with pytest.raises(errors.CacheNeedsNoGrad, match="decode computes no gradients"):
        model.run(torch.randn(3, 4))
    with torch.inference_mode():
        model.run(torch.randn(3, 4))


@torch.no_grad()
@pytest.mark.parametrize("damage", ["cut", "flip", "pickle", "writable", "link", "empty", "version"])
def test_a_damaged_or_foreign_file_is_ignored_and_made_anew(
    tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair(tmp_path)
    x = torch.randn(3, 4)
    expected = first.run(x)["h"]
    (file,) = entries(first.run)
    data = file.read_bytes()
    if damage == "cut":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "flip":
        file.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])
    elif damage == "pickle":
        import pickle

        file.write_bytes(pickle.dumps({"a": 1}))
    elif damage == "writable":
        file.chmod(0o666)
    elif damage == "link":
        file.rename(file.with_name("other"))
        file.symlink_to("other")
    elif damage == "empty":
        file.write_bytes(b"")
    else:
        monkeypatch.setattr("ferrata.ge.store.document.VERSION", 2)
    with pytest.warns(UserWarning, match="is ignored and made anew"):
        torch.testing.assert_close(second.run(x)["h"], expected)
    third = Model(tmp_path).eval()
    third.load_state_dict(first.state_dict())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.testing.assert_close(third.run(x)["h"], expected)
    assert (second.run.compilations, third.run.compilations) == (1, 0)


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    os.chown(tmp_path, 1234, -1)
    with pytest.raises(errors.CacheNotOwned, match="belongs to user"), torch.no_grad():
        model.run(torch.randn(3, 4))


def test_the_key_follows_the_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def key(model: Any, config: Any = None, dynamic: bool = True, decompositions: Any = None) -> str:
        return content_key(model, "decode", config or torchair.CompilerConfig(), dynamic, decompositions or {})

    model = Model()
    base = key(model)
    assert key(Model()) == base == key(model)
    keys = {base, key(model, dynamic=False), key(model, decompositions={torch.ops.aten.relu.default: helper})}
    config = torchair.CompilerConfig()
    config.ge_config.oo_level = "O1"
    keys.add(key(model, config))
    model.scale = 3.0
    keys.add(key(model))
    model.scale = 2.0
    model.train(False)
    keys.add(key(model))
    model.train(True)
    assert key(model) == base
    other = Model()
    other.linear = nn.Linear(4, 4, dtype=torch.float64)
    keys.add(key(other))
    torch.use_deterministic_algorithms(True)
    keys.add(key(model))
    torch.use_deterministic_algorithms(False)
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x * 3)
    keys.add(key(model))
    monkeypatch.undo()
    monkeypatch.setattr(torch, "__version__", "9")
    keys.add(key(model))
    monkeypatch.undo()

    class Child(Model):
        pass

    keys.add(key(Child()))
    assert len(keys) == 11 and key(model) == base


@pytest.mark.parametrize("function", [torch.relu, lambda x: x, nn.ReLU()])
def test_only_bound_methods_of_modules(function: Any) -> None:
    with pytest.raises(errors.CacheUsage, match="not a bound method"):
        inference.cache_compile(function)


def test_one_config_alone() -> None:
    other = torchair.CompilerConfig()
    other.ge_config.oo_level = "O1"
    backend = torchair.get_npu_backend(compiler_config=other)
    inference.cache_compile(nn.ReLU().forward, backend=backend)
    with pytest.raises(ValueError, match="config differs"):
        inference.cache_compile(nn.ReLU().forward, backend=backend, config=torchair.CompilerConfig())
    with pytest.raises(ValueError, match="global_rank"):
        inference.cache_compile(nn.ReLU().forward, global_rank=-1)


@torch.no_grad()
def test_readable_cache_shows_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Model(tmp_path)
    model.run(torch.randn(3, 4))
    (file,) = entries(model.run)
    text = inference.readable_cache(file, file=tmp_path / "out.txt")
    assert capsys.readouterr().out == text + "\n" and (tmp_path / "out.txt").read_text() == text
    for part in ("# input 0: parameter linear.weight", "buffer steps (written)", "def run(args):", "test_cache.py:"):
        assert part in text
    assert inference.readable_cache(file, print_output=False) == text and not capsys.readouterr().out
    (tmp_path / "link").symlink_to(file)
    for bad in (tmp_path / "link", tmp_path / "nope", tmp_path / "out.txt"):
        with pytest.raises(ValueError, match="is no"):
            inference.readable_cache(bad)


@torch.no_grad()
def test_threads_compile_once(tmp_path: Path) -> None:
    model = Model(tmp_path)
    x, results = torch.randn(3, 4), []
    threads = [threading.Thread(target=lambda: results.append(torch.no_grad()(model.run)(x)["h"])) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 4 and model.run.compilations == 1
    assert all(torch.equal(r, results[0]) for r in results)


def test_artifacts_of_a_compiled_graph(tmp_path: Path) -> None:
    from ferrata.torchair.backend import Compiled

    gm = torch.fx.symbolic_trace(lambda x, y: torch.ops.aten.add.Tensor(x, y))
    made = torchair.get_compiler()(gm, [torch.randn(2), torch.randn(2)])
    back = Compiled.load_artifacts(made.dump_artifacts())
    x = torch.randn(2)
    assert torch.equal(back([x, x])[0], 2 * x) and back.get_code() == made.get_code()
    with pytest.raises(RuntimeError, match="not a graph file"):
        Compiled.load_artifacts(b"old")


PROCESS = """
import sys, torch
sys.path[:0] = [{root!r}, {here!r}]
from test_cache import Model
torch.manual_seed(0)
m = Model({folder!r}).eval()
with torch.no_grad():
    h = m.run(torch.ones(3, 4))["h"]
heavy = [n for n in ("sympy", "torch._dynamo", "torch._functorch.aot_autograd") if n in sys.modules]
print(m.run.compilations, h.sum().item(), *heavy)
"""


@pytest.mark.slow
def test_processes_at_once_share_one_compilation(tmp_path: Path) -> None:
    here = Path(__file__).parent
    code = PROCESS.format(root=str(here.parents[1]), here=str(here), folder=str(tmp_path))
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    rows = [p.communicate()[0].split() for p in started]
    assert sorted(r[0] for r in rows) == ["0", "1"], rows
    assert rows[0][1] == rows[1][1]
    assert not min(rows)[2:], "reading what another process compiled needs neither sympy nor Dynamo"
