"""A double-buffered kernel end to end: lengths, cores and threads; and what the launches leave behind."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest

from ferrata.run import Runtime
from tests.core.units import Unit


def add(unit: Unit, rt: Runtime, n: int, tile: int, blocks: int) -> None:
    rng = np.random.default_rng(n)
    x, y = (rt.array(rng.standard_normal(max(n, 1)), np.float32) for _ in range(2))
    z = rt.array(np.full(max(n, 1), 7), np.float32)
    with rt.faults_raise():
        unit("pipeline").run_add(*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, z)), n, tile, blocks)
    np.testing.assert_array_equal(z[:n], x[:n] + y[:n])
    assert (z[n:] == 7).all()


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 4095, 16384, 100003])
@pytest.mark.parametrize("blocks", [1, 8, 48])
def test_every_length_on_any_number_of_cores(unit: Unit, rt: Runtime, n: int, blocks: int) -> None:
    add(unit, rt, n, 2048, blocks)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_result_does_not_depend_on_the_number_of_threads(unit: Unit, rt: Runtime, threads: int) -> None:
    rt.set_threads(threads)
    try:
        for blocks in (1, 2, 48, 500):
            add(unit, rt, 3_000_001, 4096, blocks)  # long enough for helper threads and for stores past the caches
    finally:
        rt.set_threads(0)


def test_launches_from_several_host_threads_at_once(unit: Unit, rt: Runtime) -> None:
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            x, y = (rt.array(np.arange(400_000 + seed) * k, np.float32) for k in (1, 2))
            z = rt.array(np.zeros_like(x))
            for _ in range(5):
                unit("pipeline").run_add(*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, z)), len(x), 2048, 8)
            np.testing.assert_array_equal(z, x + y)
        except BaseException as error:  # noqa: BLE001 - handed to the test's thread
            failures.append(error)

    unit("pipeline")
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert rt.fault() is None


def test_launches_are_counted_and_device_memory_is_given_back(unit: Unit, rt: Runtime) -> None:
    before, launches = rt.stats(), rt.launches()
    add(unit, rt, 100, 64, 2)
    after = rt.stats()
    assert rt.launches() == launches + 1
    assert after.allocated == before.allocated
    assert after.allocations - before.allocations == after.frees - before.frees == 3


def test_a_tile_over_the_budget_is_a_fault(unit: Unit, rt: Runtime) -> None:
    from ferrata.errors import UbOverBudget

    with pytest.raises(UbOverBudget, match="UB has 196608 bytes and 262144 are needed"):
        add(unit, rt, 64, 16384, 1)


def test_the_other_chip_has_more_memory(unit: Unit, rt: Runtime) -> None:
    x, y, z = (rt.array(np.arange(64) * k, np.float32) for k in (1, 2, 0))
    other = unit("pipeline", "-D__NPU_ARCH__=3510")
    with rt.faults_raise():
        other.run_add(*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, z)), 64, 10880, 1)  # 255 KiB
    np.testing.assert_array_equal(z, x + y)
