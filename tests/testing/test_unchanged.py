"""A verdict is reused only while all that it depends on is the same; in every case here "the same" is told by content."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import testing as ft
from ferrata.testing.unchanged import Unknown, fingerprint

pytestmark = pytest.mark.slow

SCRIPT = """
    import torch, ferrata.npu
    from ferrata import testing as ft
    from ferrata.testing import unchanged
    import helper

    unchanged._world = lambda: "the same"  # whoever works on ferrata meanwhile
    library = torch.library.Library("verdicts", "DEF")
    library.define("add(Tensor x, Tensor y) -> Tensor")
    library.impl("add", lambda x, y: helper.add(x, y), "CPU")
    torch.library.register_fake("verdicts::add", lambda x, y: x.new_empty(x.shape), lib=library)
    print(ft.check("verdicts::add", [ft.case(x=(4, N), y=(4, N))], reference=torch.add, device="cpu",
                   only=["values"], show=False)["values"].status)
"""


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs the script in a process of its own and gives what it prints."""
    (tmp_path / "helper.py").write_text("def add(x, y):\n    return (x + y).contiguous()\n")

    def go(n: int = 5) -> str:
        script = tmp_path / "script.py"
        text = textwrap.dedent(SCRIPT).replace("N)", f"{n})")
        if not script.exists() or script.read_text() != text:
            script.write_text(text)
        # a file that is as old as the process counts as edited since; clocks of files are coarse
        for path in tmp_path.glob("*.py"):
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 5))
        env = {**os.environ, "FERRATA_CACHE_DIR": _cache(tmp_path)}
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env)
        return done.stdout.strip() or done.stderr

    return go


def _cache(folder: Path) -> str:
    """The libraries of the real cache, verdicts of our own."""
    from ferrata import cache

    place = folder / "cache"
    if not place.exists():
        place.mkdir()
        for entry in cache.root().iterdir():
            if entry.name != "verdicts":
                (place / entry.name).symlink_to(entry)
    return str(place)


@pytest.mark.slow
def test_a_second_process_reuses_the_verdict_until_something_changes(run: Any, tmp_path: Path) -> None:
    assert run() == "ok"
    assert run() == "unchanged"
    assert run(n=6) == "ok"  # another case, in another script
    assert run(n=6) == "unchanged"
    (tmp_path / "helper.py").write_text("def add(x, y):\n    return (x + y + 1).contiguous()\n")
    assert "CheckFailed" in run(n=6)
    (tmp_path / "helper.py").write_text("def add(x, y):\n    return (x + y).contiguous()\n")
    assert run(n=6) == "unchanged"  # the content is what counts, not the time


HEAVY = (
    "torch._dynamo",
    "torch._inductor",
    "torch._functorch.aot_autograd",
    "sympy",
    "functorch",
    "onnx",
    "hypothesis",
)


@pytest.mark.slow
def test_an_unchanged_verdict_imports_nothing_that_torch_does_not(run: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    seen = f"import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    script.write_text(textwrap.dedent(SCRIPT).replace("N)", "5)") + seen)
    for path in tmp_path.glob("*.py"):
        os.utime(path, (0, 0))
    env = {**os.environ, "FERRATA_CACHE_DIR": _cache(tmp_path)}
    outputs = [
        subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env).stdout for _ in range(2)
    ]
    assert outputs[-1].split("\n")[:2] == ["unchanged", "[]"]


def test_imports_of_ferrata_leave_the_collector_as_it_was() -> None:
    import gc

    from ferrata.quiet import no_collections

    assert gc.isenabled()
    with no_collections(), no_collections():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with no_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_functions_are_told_apart_by_what_they_hold() -> None:
    def make(n: int, extra: Any = None) -> Any:
        def scaled(x: Any) -> Any:
            return x * n if extra is None else extra

        return scaled

    assert fingerprint(make(2)) == fingerprint(make(2))
    assert fingerprint(make(2)) != fingerprint(make(3))
    assert fingerprint(make(2, make(1))) != fingerprint(make(2, make(0)))


def test_tensors_are_told_apart_by_their_values() -> None:
    assert fingerprint(torch.ones(3)) == fingerprint(torch.ones(3))
    assert fingerprint(torch.ones(3)) != fingerprint(torch.zeros(3))
    assert fingerprint(torch.ones(3)) != fingerprint(torch.ones(3, dtype=torch.float64))
    assert fingerprint(ft.case(x=(3, 4))) != fingerprint(ft.case(x=(4, 3)))


def test_what_cannot_be_told_is_never_reused() -> None:
    class Scale:
        """Whose instances may hold anything."""

    scale = Scale()
    with pytest.raises(Unknown):
        fingerprint(lambda x: (x, scale))


def test_a_failed_verdict_is_not_kept(library: Any) -> None:
    name = library.define("add(Tensor x, Tensor y) -> Tensor", lambda x, y: x - y, lambda x, y: x.new_empty(x.shape))
    for _ in range(2):
        with pytest.raises(AssertionError, match="the reference"):
            ft.check(name, [ft.case(x=(3,), y=(3,))], reference=torch.add, device="cpu", only=["values"], show=False)


def test_the_packages_import_nothing_heavy_by_themselves() -> None:
    code = f"import sys, ferrata.torchair, ferrata.op.define, ferrata.testing; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
