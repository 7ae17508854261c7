"""Type checkers and editors: a user's file with kernels passes mypy --strict, and mistakes in it do not."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import ferrata
from ferrata import lang as ac

FILE = '''\
from dataclasses import dataclass

import torch

from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)


@dataclass
class Params:
    n: int
    scale: float


def load(q: ac.Queue, x: ac.Gm[T], at: int, n: int) -> None:
    with q.put() as a:
        ac.copy(a[:n], x[at:])


def twice(n: int) -> tuple[int, int]:
    return n // 2, n * 2


@ac.kernel
def add(x: ac.Gm[T], y: ac.Gm[T] | None, z: ac.Gm[T], n: int, p: Params, *, tile: ac.Const[int] = 2048) -> None:
    """z = x + y."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs = ac.queue(ac.VECIN, T, tile, buffers=2)
    zs = ac.queue(ac.VECOUT, T, tile, buffers=2)
    work = ac.tbuf(ac.f32, tile)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        load(xs, x, start + i, m)
        with xs.get() as a, zs.put() as c:
            if T is ac.f16:
                ac.cast(work, a, ac.RoundMode.CAST_NONE, m)
            ac.add(c, a, a, m)
            total = ac.sum_of(a, m) * p.scale
            a[0] = total
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])
    ac.order(ac.V, ac.MTE3)
    low, high = twice(n)
    z[low] = x[high]


@ac.kernel(core="mix")
def mixed(xs: list[ac.Gm[T]], n: int) -> None:
    if ac.is_vector_core():
        x = xs[0]
        x[0] = 1


def host(x: torch.Tensor) -> str:
    add[4](x, None, x, x.numel(), Params(1, 2.0), tile=1024)
    launch = add.launch(x, None, x, x.numel(), Params(1, 2.0), cores=4)
    launch.run()
    return add.source()
'''


MISTAKES = [
    ("ac.copy(a[:n], x[at:])", "ac.copy(a[:n], 5)"),
    ("ac.core_share(n, align=", "ac.core_share(n, alin="),
    ("ac.queue(ac.VECIN, T, tile, buffers=2)", 'ac.queue(ac.VECIN, T, "tile")'),
    ("total = ac.sum_of(a, m)", "total = ac.sum_off(a, m)"),
    ("with xs.get() as a", "with xs.pop() as a"),
]


@pytest.mark.slow
def test_a_users_kernels_pass_a_strict_check_and_mistakes_do_not(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    (tmp_path / "user.py").write_text(FILE)
    for at, (right, wrong) in enumerate(MISTAKES):
        assert right in FILE
        (tmp_path / f"mistake{at}.py").write_text(FILE.replace(right, wrong))
    cache = Path(ferrata.__file__).parents[1] / ".mypy_cache"
    report, problems, _ = api.run(["--strict", "--cache-dir", str(cache), *map(str, sorted(tmp_path.glob("*.py")))])
    wrong_files = {line.partition(":")[0].rpartition("/")[2] for line in report.splitlines() if ": error: " in line}
    assert wrong_files == {f"mistake{at}.py" for at in range(len(MISTAKES))}, report + problems


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(ferrata.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize(
    "name", [n for n, v in vars(ac).items() if getattr(v, "__module__", "") == "ferrata.lang.surface"]
)
def test_every_function_of_the_language_has_a_docstring(name: str) -> None:
    assert inspect.getdoc(getattr(ac, name))
