"""Whole programs, kernel and host, as their authors write them: compiled with bisheng, run on files, compared with NumPy.

histogram       scalar code in UB, a table per core in the workspace, SyncAll in software, strided copies
masks           counter mode, mask registers and placeholders, bit arrays, reductions and copies with strides
queues          depth 0, a queue configuration, state queries, chosen addresses, user tags, Reset and Destroy
int4_dequant    int4b_t from packed bytes, Brcb and block stride 0 for scales of groups
nonzero         compare bits as the pattern of GatherMask, counts exchanged over SyncAll, a registered workspace
c_sort_gather   the C interface: on-chip arrays, unaligned rows, sort, gather, conversions, an atomic sum
cross_entropy   int64 labels, online log-sum-exp, events of every direction, an assert with a message
spelling        unusual spellings of kernels, launches and arrays: specializations, overloads, macros, lambdas
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import ArrayLike, NDArray

from ferrata.asc.home import home

PROGRAMS = Path(__file__).parent / "programs"
F32, F16, I32 = np.float32, np.float16, np.int32
Array = NDArray[np.generic]


class Runner:
    """Compiles a program once and runs it in a folder of its own, with arrays as files."""

    def __init__(self, name: str, folder: Path) -> None:
        self.folder, self.program = folder, folder / name
        command = [
            str(word)
            for word in (home() / "bin/bisheng", "--npu-arch=dav-2201", PROGRAMS / f"{name}.asc", "-o", self.program)
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    def __call__(self, **inputs: Array) -> subprocess.CompletedProcess[str]:
        for name, array in inputs.items():
            array.tofile(self.folder / f"{name}.bin")
        environment = {**os.environ, "ASCEND_HOME_PATH": str(home())}
        return subprocess.run(
            [self.program], cwd=self.folder, capture_output=True, text=True, check=False, env=environment
        )

    def result(self, name: str, dtype: type[np.generic], *shape: int) -> Array:
        return np.fromfile(self.folder / f"{name}.bin", dtype=dtype).reshape(shape or -1)


@pytest.fixture
def runner(request: pytest.FixtureRequest, tmp_path: Path) -> Runner:
    return Runner(request.param, tmp_path)


def program(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("runner", [name], indirect=True)


def same(actual: Array, expected: ArrayLike) -> None:
    np.testing.assert_array_equal(actual, np.asarray(expected))


@program("histogram")
def test_histogram(runner: Runner) -> None:
    values = np.random.default_rng(0).integers(-5, 260, 9001).astype(I32)
    done = runner(v=values)
    assert done.returncode == 0, done.stderr
    same(runner.result("b", I32), np.bincount(values[(values >= 0) & (values < 256)], minlength=256))


@program("masks")
def test_masks(runner: Runner) -> None:
    a, b = np.random.default_rng(1).integers(-8, 9, (2, 512)).astype(F16)
    done = runner(a=a, b=b)
    assert done.returncode == 0, done.stderr
    lane, place = np.arange(512) % 128, np.arange(512)
    chosen = (lane < 4) | ((lane >= 68) & (lane < 72))

    def head(values: Array) -> Array:
        return np.concatenate([values, np.zeros(512 - len(values), F16)])

    same(runner.result("o", F16, 8, 512), [
        np.where(place < 300, a + b, 0), np.where(chosen, a * b, 0), np.where(chosen, a - b, 0),
        np.where(place < 77, a * 2 + 1, 0), head(a.reshape(4, 128)[:, :100].sum(1)),
        head(a.reshape(16, 2, 16)[:, 0].max(1)), head(a.reshape(4, 128).sum(0)),
        np.stack([a[:256].reshape(16, 16), b[:256].reshape(16, 16)], 1).reshape(-1),
    ])  # fmt: skip


@program("queues")
def test_queues(runner: Runner) -> None:
    x = np.random.default_rng(2).normal(size=(6, 256)).astype(F32)
    done = runner(x=x)
    assert done.returncode == 0, done.stderr
    tagged = np.repeat(100 + np.arange(6, dtype=F32)[:, None], 256, 1)
    tagged[:, :128] += x[:, :128]
    addresses = np.repeat([[0], [65536]] * 3, 256, 1)
    same(runner.result("y", F32, 4, 6, 256), [x + 1, 2 * x, addresses, tagged])


@program("int4_dequant")
def test_int4_dequant(runner: Runner) -> None:
    rng = np.random.default_rng(3)
    q = rng.integers(-8, 8, (64, 64))
    packed = ((q[:, ::2] & 15) | ((q[:, 1::2] & 15) << 4)).astype(np.uint8)
    scale, zero = (rng.random(64) + 0.1).astype(F16), rng.integers(-3, 4, 64).astype(F16)
    done = runner(w=packed, s=scale, z=zero)
    assert done.returncode == 0, done.stderr
    same(runner.result("y", F16, 64, 64), (q.astype(F16) - zero[:, None]) * scale[:, None])


@program("nonzero")
def test_nonzero(runner: Runner) -> None:
    x = np.random.default_rng(4).normal(size=5 * 1024).astype(F32)
    x[1024:2048] = -1  # one core finds nothing
    done = runner(x=x)
    assert done.returncode == 0, done.stderr
    expected = np.flatnonzero(x > 0)
    assert runner.result("t", I32)[0] == len(expected)
    same(runner.result("o", I32)[: len(expected)], expected)


@program("c_sort_gather")
def test_c_interface(runner: Runner) -> None:
    x = np.random.default_rng(5).integers(-20, 21, (12, 37)).astype(F16)
    done = runner(x=x)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[AIV Block 0/3] clz 63 popc 8 ffs 3\n"
    rows = x[:, :32].reshape(3, 4, 32)
    same(runner.result("o", I32, 3, 32), np.argsort(-rows[:, 0], axis=1, kind="stable"))
    same(runner.result("s", F32), rows.astype(F32).sum((0, 1)))
    tens = (rows * F16(10)).reshape(3, 128)
    same(runner.result("q", np.int8, 3, 128), np.clip(tens, -128, 127).astype(np.int8))
    same(runner.result("p", F16, 3, 128), tens[:, ::-1])


@program("cross_entropy")
def test_cross_entropy(runner: Runner) -> None:
    rng = np.random.default_rng(6)
    x, labels = (3 * rng.normal(size=(11, 1300))).astype(F32), rng.integers(0, 1300, 11)
    labels[3] = -100
    assert runner(x=x, l=labels).returncode == 0
    expected = torch.nn.functional.cross_entropy(torch.from_numpy(x), torch.from_numpy(labels)).numpy()
    np.testing.assert_allclose(runner.result("o", F32)[0], expected, rtol=2e-6)
    labels[5] = 1300
    done = runner(x=x, l=labels)
    assert done.returncode == 3
    assert "failed. label 1300 of row 5 is not in [0, 1300)" in done.stdout


@program("spelling")
def test_spelling(runner: Runner) -> None:
    rng = np.random.default_rng(7)
    x, u, w = rng.normal(size=64).astype(F32), np.arange(16, dtype=np.uint8), rng.integers(-9, 9, 32).astype(np.int16)
    done = runner(x=x, u=u, w=w)
    assert (done.returncode, done.stdout) == (0, 'k<<<1>>>("\n')
    same(runner.result("a", F32), x)
    same(runner.result("b", F32), [7, *x[1:]])
    same(runner.result("c", F32), x)
    same(runner.result("d", F32)[:4], [0.5, 0.5, 1.5, 1.5])
    same(runner.result("e", I32)[:3], [0x3F800000, 2, 33])
    same(runner.result("v", np.uint8)[:16], u + 10)
    same(runner.result("z", np.int16), w[::-1])
