"""Devices, streams, events, memory and random numbers of torch.npu."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest
import torch

from ferrata import chips
from ferrata.errors import NoSuchDevice, NotOnEmulator
from ferrata.npu.load import visible_devices

pytestmark = pytest.mark.slow

npu = torch.npu


def run(code: str, **environ: str) -> str:
    """Standard output of a fresh interpreter with the device; fails with its error output."""
    import os

    done = subprocess.run(
        [sys.executable, "-c", "import torch, ferrata.npu\n" + code],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_availability_and_names() -> None:
    assert npu.is_available() and npu.device_count() == 1 and npu.current_device() == 0
    assert torch.accelerator.current_accelerator() == torch.device("npu") and torch.accelerator.is_available()
    assert npu.get_device_name() == chips.current().soc
    properties = npu.get_device_properties("npu:0")
    assert (properties.cube_core_num, properties.vector_core_num) == (24, 48) and properties.total_memory == 64 << 30
    npu.synchronize()
    npu.init()
    assert npu.is_initialized()


def test_the_name_and_the_chip_are_configurable() -> None:
    code = "print(torch.npu.get_device_name(), torch.npu.get_device_properties().vector_core_num)"
    assert run(code, FERRATA_NPU_ARCH="dav-3510") == "Ascend950PR 64"
    assert run(code, FERRATA_DEVICE_NAME="Ascend910B1") == "Ascend910B1 48"


def test_capability_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_NPU_DEVICE_CAPABILITY", "9.1")
    assert npu.get_device_capability() == (9, 1)
    monkeypatch.delenv("TORCH_NPU_DEVICE_CAPABILITY")
    with pytest.warns(UserWarning, match="TORCH_NPU_DEVICE_CAPABILITY"):
        assert npu.get_device_capability() is None


@pytest.mark.parametrize(
    "environ, expected",
    [
        ({}, [0]), ({"FERRATA_NPU_DEVICES": "3"}, [0, 1, 2]), ({"ASCEND_RT_VISIBLE_DEVICES": "4,5"}, [4, 5]),
        ({"FERRATA_NPU_DEVICES": "4", "ASCEND_RT_VISIBLE_DEVICES": "1, 3"}, [1, 3]),
    ],
)  # fmt: skip
def test_visible_devices(environ: dict[str, str], expected: list[int]) -> None:
    assert visible_devices(environ) == expected


@pytest.mark.parametrize(
    "environ",
    [
        {"FERRATA_NPU_DEVICES": "0"}, {"FERRATA_NPU_DEVICES": "x"}, {"ASCEND_RT_VISIBLE_DEVICES": "a"},
        {"ASCEND_RT_VISIBLE_DEVICES": "1,1"}, {"FERRATA_NPU_DEVICES": "2", "ASCEND_RT_VISIBLE_DEVICES": "2"},
    ],
)  # fmt: skip
def test_visible_devices_that_do_not_exist(environ: dict[str, str]) -> None:
    with pytest.raises(NoSuchDevice):
        visible_devices(environ)


@pytest.mark.slow
def test_two_devices_are_separate() -> None:
    code = """
a, b = torch.ones(1000, device="npu:0"), torch.ones(3000, device="npu:1")
assert a.device.index == 0 and b.device.index == 1 and (b + 1).device == b.device
assert torch.equal(a.to("npu:1"), b[:1000]) and torch.npu.memory_allocated(1) >= 12000
assert torch.npu.memory_allocated(0) < 12000 + torch.npu.memory_allocated(1)
try:
    a + b[:1000]
except RuntimeError as problem:
    assert "npu:0 and npu:1" in str(problem)
else:
    raise SystemExit("mixed devices were accepted")
with torch.npu.device(1):
    assert torch.npu.current_device() == 1 and torch.ones(2, device="npu").device.index == 1
    assert torch.npu.current_stream().device.index == 1
with torch.npu.device_of(b):
    assert torch.npu.current_device() == 1
torch.npu.set_device("npu:1")
assert torch.randn(2, device="npu").device.index == 1
torch.npu.manual_seed_all(5)
assert torch.equal(torch.rand(3, device="npu:0").cpu(), torch.rand(3, device="npu:1").cpu())
assert torch.npu.can_device_access_peer(0, 1) and len(torch.npu.default_generators) == 2
c = (torch.ones(2, device="npu:1", requires_grad=True) * 2).to("npu:0").sum()
c.backward()
del a, b, c
print(torch.npu.device_count())
"""
    assert run(code, FERRATA_NPU_DEVICES="2") == "2"


def test_bad_devices() -> None:
    for call in (lambda: npu.set_device(7), lambda: torch.ones(1, device="npu:7"), lambda: npu.get_device_name(3)):
        with pytest.raises(RuntimeError, match=r"npu:[37]"):
            call()
    with pytest.raises(ValueError, match="Expected a npu device"):
        npu.synchronize("cpu")
    with pytest.raises(AssertionError, match="npu:9"):
        npu.can_device_access_peer(0, 9)


@pytest.mark.slow
def test_use_in_a_forked_child_is_an_error() -> None:
    code = """
import os, sys
torch.ones(1, device="npu")
pid = os.fork()
if pid == 0:
    try:
        torch.ones(1, device="npu")
    except RuntimeError as problem:
        os._exit(0 if "spawn" in str(problem) else 3)
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(code) == "0"


def test_streams() -> None:
    default, s = npu.default_stream(), npu.Stream(priority=-1)
    assert npu.current_stream() == default and s != default and hash(s) == hash(s) and s.device == torch.device("npu:0")
    with npu.stream(s):
        assert npu.current_stream() == s and torch.accelerator.current_stream() == s
        x = torch.ones(4, device="npu") + 1
    assert npu.current_stream() == default and x.tolist() == [2] * 4
    npu.set_stream(s)
    assert npu.current_stream().npu_stream == s.npu_stream != 0
    npu.set_stream(default)
    s.wait_stream(default)
    s.wait_event(default.record_event())
    assert s.query() and s.synchronize() is None
    with npu.StreamContext(None):
        assert npu.current_stream() == default
    assert npu.ExternalStream(1234).npu_stream == 1234 and npu.SyncLaunchStream().query()
    with torch.Stream(device="npu") as plain:
        assert npu.current_stream() == plain


def test_streams_are_per_thread() -> None:
    import threading

    seen = []
    with npu.stream(npu.Stream()):
        thread = threading.Thread(target=lambda: seen.append(npu.current_stream() == npu.default_stream()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_events() -> None:
    start, end = npu.Event(enable_timing=True), npu.Event(enable_timing=True)
    start.record()
    torch.randn(100, 100, device="npu") @ torch.randn(100, 100, device="npu")
    end.record(npu.current_stream())
    end.wait()
    end.synchronize()
    assert end.query() and start.elapsed_time(end) > 0 and end.recorded_time() >= start.recorded_time()
    with pytest.raises(RuntimeError, match="enable_timing"):
        start.elapsed_time(npu.current_stream().record_event())
    with pytest.raises(RuntimeError, match="never recorded"):
        start.elapsed_time(npu.Event(enable_timing=True))
    with pytest.raises(NotOnEmulator):
        npu.Event(interprocess=True)
    event = torch.Event(device="npu", enable_timing=True)
    event.record()
    assert event.query()


def test_memory_statistics() -> None:
    npu.empty_cache()
    before = npu.memory_allocated()
    npu.reset_peak_memory_stats()
    npu.reset_accumulated_memory_stats()
    x = torch.empty(1 << 20, dtype=torch.uint8, device="npu")
    assert npu.memory_allocated() - before == 1 << 20
    y = x + 1
    del x, y
    assert npu.memory_allocated() == before
    assert 0 <= npu.max_memory_allocated() - before - (2 << 20) < 64, "a kernel may hold its scalars for a moment"
    stats = npu.memory_stats()
    assert list(stats) == sorted(stats) and stats["allocation.all.allocated"] == stats["allocation.all.freed"] >= 2
    assert npu.memory_stats_as_nested_dict()["allocated_bytes"]["all"]["peak"] == npu.max_memory_allocated()
    assert npu.memory_reserved() >= npu.memory_allocated() and npu.max_memory_reserved() >= npu.memory_reserved()
    free, total = npu.mem_get_info()
    assert 0 < free <= total == 64 << 30
    assert "allocated" in npu.memory_summary() and npu.memory_snapshot()[0]["device"] == 0
    assert torch.accelerator.memory_allocated() == npu.memory_allocated()


def test_a_memory_limit_is_an_out_of_memory_error_that_can_be_lifted() -> None:
    npu.set_per_process_memory_fraction(1e-6)
    try:
        assert npu.get_per_process_memory_fraction() == 1e-6
        with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 400.00 MiB on npu:0"):
            torch.empty(100 << 20, device="npu")
    finally:
        npu.set_per_process_memory_fraction(1.0)
    assert torch.empty(100 << 20, device="npu").numel() == 100 << 20
    with pytest.raises(ValueError, match="fraction"):
        npu.set_per_process_memory_fraction(2.0)


def test_absurd_sizes_are_out_of_memory() -> None:
    with pytest.raises((torch.OutOfMemoryError, RuntimeError)):
        torch.empty(1 << 50, device="npu")
    assert torch.ones(2, device="npu").sum().item() == 2


DRAWS = [
    lambda g: torch.rand(5, device="npu", generator=g),
    lambda g: torch.randn(5, device="npu", generator=g),
    lambda g: torch.randint(9, (5,), device="npu", generator=g),
    lambda g: torch.randperm(9, device="npu", generator=g),
    lambda g: torch.empty(5, device="npu").uniform_(generator=g),
    lambda g: torch.bernoulli(torch.full((9,), 0.5, device="npu"), generator=g),
    lambda g: torch.multinomial(torch.ones(9, device="npu"), 4, generator=g),
    lambda g: torch.normal(0.0, 1.0, (4,), device="npu", generator=g),
    lambda g: torch.poisson(torch.ones(9, device="npu"), generator=g),
]


@pytest.mark.parametrize("draw", DRAWS)
def test_seeds_reproduce_and_devices_have_their_own_state(draw: object) -> None:
    torch.npu.manual_seed(5)
    first = draw(None)  # type: ignore[operator]
    cpu_state = torch.get_rng_state()
    torch.npu.manual_seed(5)
    assert torch.equal(draw(None), first)  # type: ignore[operator]
    assert torch.equal(torch.get_rng_state(), cpu_state), "the CPU's generator must not move"
    generator = torch.Generator("npu").manual_seed(5)
    assert torch.equal(draw(generator), first)  # type: ignore[operator]
    assert not torch.equal(draw(generator), first) or first.numel() < 3  # type: ignore[operator]


def test_random_operators_without_a_generator_argument() -> None:
    x = torch.ones(50, device="npu")
    for call in (
        lambda: torch.nn.functional.dropout(x),
        lambda: torch.native_dropout(x, 0.5, True)[0],
        lambda: torch.rand_like(x),
        lambda: torch.nn.functional.alpha_dropout(x, 0.5, True),
        lambda: torch.nn.functional.gumbel_softmax(x),
        lambda: torch.nn.functional.rrelu(-x, training=True),
        lambda: torch.distributions.Normal(x, x).sample(),
        lambda: torch.randn(3, device="npu"),
    ):
        cpu_state = torch.get_rng_state()
        npu.manual_seed(1)
        first = call()
        npu.manual_seed(1)
        assert torch.equal(call(), first) and torch.equal(torch.get_rng_state(), cpu_state)


def test_generator_state_round_trips() -> None:
    npu.manual_seed(3)
    state = npu.get_rng_state()
    assert state.dtype == torch.uint8 and state.device.type == "cpu"
    first = torch.rand(4, device="npu")
    npu.set_rng_state(state)
    assert torch.equal(torch.rand(4, device="npu"), first) and npu.initial_seed() == 3
    npu.set_rng_state_all(npu.get_rng_state_all())
    generator = torch.Generator(device="npu")
    assert generator.device.type == "npu" and generator.manual_seed(9).initial_seed() == 9
    copied = torch.Generator(device="npu")
    copied.set_state(generator.get_state())
    assert torch.equal(torch.rand(3, device="npu", generator=copied), torch.rand(3, device="npu", generator=generator))
    npu.seed()
    npu.seed_all()
    with torch.random.fork_rng(device_type="npu"):
        torch.rand(1, device="npu")


def test_a_generator_of_another_device_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Expected a 'npu' device type for generator but found 'cpu'"):
        torch.rand(3, device="npu", generator=torch.Generator())
