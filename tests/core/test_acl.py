"""The ACL host interface: a plain program from start to end, what a fault does to it, and every refusal's code."""

from __future__ import annotations

import ctypes
import subprocess
import threading
from collections.abc import Iterator
from ctypes import byref, c_float, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path

import numpy as np
import pytest

from ferrata import chips
from ferrata.native import build
from ferrata.run import Runtime

PROGRAMS = Path(__file__).parent / "programs"
H2D, D2D, BAD_KIND = 1, 3, 99
PARAM, NO_CONTEXT, BAD_DEVICE, BAD_HANDLE = 107000, 107002, 107001, 107017


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("acl") / "host"
    library = build.runtime()
    command = [build.compiler(), "-std=c++17", "-O1", "-Wall", "-Wextra", "-include", "ferrata/asc.h",
               "-D__NPU_ARCH__=2201", f"-I{build.INCLUDE}", str(PROGRAMS / "host.cpp"), "-o", str(output),
               str(library), f"-Wl,-rpath,{library.parent}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return output


def test_a_program_runs_and_ends_with_zero(program: Path) -> None:
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_fault_is_reported_once_and_the_next_launch_is_right(program: Path) -> None:
    done = subprocess.run([program, "fault"], capture_output=True, text=True)
    assert done.stdout == "first 507015 1\nthen 0\ndone\n"
    assert done.returncode == 1  # although main returned 0
    assert "HostPointer: DataCopy: src at" in done.stderr
    assert "in kernel twice, block 0 of 8 (AIV)" in done.stderr
    assert f"at {PROGRAMS / 'host.cpp'}:" in done.stderr


def test_a_program_that_never_asks_still_fails(program: Path) -> None:
    assert subprocess.run([program, "careless"], capture_output=True).returncode == 1


@pytest.fixture
def acl(rt: Runtime) -> Iterator[ctypes.CDLL]:
    rt.lib.aclGetRecentErrMsg.restype = ctypes.c_char_p
    rt.lib.aclrtGetSocName.restype = ctypes.c_char_p
    rt.lib.aclFloat16ToFloat.restype = c_float
    rt.lib.aclFloat16ToFloat.argtypes = [ctypes.c_uint16]
    rt.lib.aclFloatToFloat16.restype = ctypes.c_uint16
    rt.lib.aclFloatToFloat16.argtypes = [c_float]
    rt.lib.aclDataTypeSize.restype = c_size_t
    assert rt.lib.aclrtSetDevice(0) == 0
    yield rt.lib
    rt.lib.aclrtResetDevice(0)


def malloc(acl: ctypes.CDLL, size: int) -> c_void_p:
    address = c_void_p()
    assert acl.aclrtMalloc(byref(address), c_size_t(size), 0) == 0
    return address


def test_initialising_twice_and_finalising_twice(acl: ctypes.CDLL) -> None:
    acl.aclInit(None)
    assert acl.aclInit(None) == 100002
    assert acl.aclFinalize() == 0
    assert acl.aclFinalize() == 100037


def test_configuration_files(acl: ctypes.CDLL, tmp_path: Path) -> None:
    acl.aclFinalize()
    assert acl.aclInit(str(tmp_path / "none.json").encode()) == 100003
    config = tmp_path / "acl.json"
    config.write_text("[1]")
    assert acl.aclInit(str(config).encode()) == 100006
    config.write_text('{"simd_printf_fifo_size_per_core": "100"}')
    assert acl.aclInit(str(config).encode()) == 100000
    config.write_text('{"simd_printf_fifo_size_per_core": "30720"}')
    assert acl.aclInit(str(config).encode()) == 0
    acl.aclFinalize()


def test_memory(acl: ctypes.CDLL) -> None:
    address = malloc(acl, 100)
    assert address.value and address.value % 64 == 0
    source = np.arange(100, dtype=np.uint8)
    back = np.zeros(100, np.uint8)
    assert acl.aclrtMemcpy(address, c_size_t(100), c_void_p(source.ctypes.data), c_size_t(100), H2D) == 0
    assert acl.aclrtMemset(address, c_size_t(100), 258, c_size_t(10)) == 0  # the low byte of the value
    assert acl.aclrtMemcpy(c_void_p(back.ctypes.data), c_size_t(100), address, c_size_t(100), 2) == 0
    assert back.tolist() == [2] * 10 + list(range(10, 100))
    assert acl.aclrtFree(address) == 0
    assert acl.aclrtFree(address) == PARAM
    assert b"freed already" in acl.aclGetRecentErrMsg()
    assert acl.aclGetRecentErrMsg() is None
    host = c_void_p()
    assert acl.aclrtMallocHost(byref(host), c_size_t(64)) == 0
    assert acl.aclrtMemset(host, c_size_t(64), 1, c_size_t(64)) == 0
    assert acl.aclrtFreeHost(host) == 0
    assert acl.aclrtFreeHost(host) == PARAM


def test_pitched_copies(acl: ctypes.CDLL) -> None:
    source = np.arange(30, dtype=np.uint8).reshape(5, 6)
    back = np.zeros((5, 4), np.uint8)
    address = malloc(acl, 40)
    copy = acl.aclrtMemcpy2d
    copy.argtypes = [c_void_p, c_size_t, c_void_p, c_size_t, c_size_t, c_size_t, ctypes.c_int]
    assert copy(address, 8, source.ctypes.data, 6, 4, 5, H2D) == 0
    assert copy(back.ctypes.data, 4, address, 8, 4, 5, 2) == 0
    np.testing.assert_array_equal(back, source[:, :4])
    assert copy(address, 3, source.ctypes.data, 6, 4, 5, H2D) == PARAM
    assert copy(address, 8, source.ctypes.data, 6, 4, 99, H2D) == PARAM
    acl.aclrtFree(address)


def test_refused_memory_calls(acl: ctypes.CDLL) -> None:
    address, out = malloc(acl, 64), c_void_p()
    host = np.zeros(256, np.uint8)
    data = c_void_p(host.ctypes.data)
    refused = {
        "size 0": acl.aclrtMalloc(byref(out), c_size_t(0), 0),
        "null out": acl.aclrtMalloc(None, c_size_t(8), 0),
        "free null": acl.aclrtFree(None),
        "free inside": acl.aclrtFree(c_void_p((address.value or 0) + 32)),
        "free host": acl.aclrtFree(data),
        "count": acl.aclrtMemcpy(address, c_size_t(8), data, c_size_t(9), H2D),
        "kind": acl.aclrtMemcpy(address, c_size_t(8), data, c_size_t(8), BAD_KIND),
        "dst null": acl.aclrtMemcpy(None, c_size_t(8), data, c_size_t(8), H2D),
        "past the end": acl.aclrtMemcpy(address, c_size_t(96), data, c_size_t(96), H2D),
        "memset host": acl.aclrtMemset(data, c_size_t(8), 0, c_size_t(8)),
        "memset count": acl.aclrtMemset(address, c_size_t(8), 0, c_size_t(9)),
    }
    assert refused == dict.fromkeys(refused, PARAM)
    assert acl.aclrtMalloc(byref(out), c_size_t(1 << 50), 0) == 207001
    assert acl.aclrtGetLastError(0) == 207001
    assert acl.aclrtGetLastError(0) == 0
    acl.aclrtFree(address)


def test_devices(acl: ctypes.CDLL) -> None:
    count, device, value = c_uint32(), c_int32(7), ctypes.c_int64()
    assert acl.aclrtGetDeviceCount(byref(count)) == 0 and count.value == 1
    assert acl.aclrtGetDevice(byref(device)) == 0 and device.value == 0
    assert acl.aclrtSetDevice(1) == BAD_DEVICE
    chip = chips.current()
    for attribute, want in {101: chip.cube_cores, 201: chip.vector_cores, 204: chip.ub, 601: chip.npu_arch}.items():
        assert acl.aclrtGetDeviceInfo(0, attribute, byref(value)) == 0
        assert value.value == want
    assert acl.aclrtGetDeviceInfo(0, 12345, byref(value)) == PARAM
    assert acl.aclrtGetSocName() == chip.soc.encode()
    free, total = c_size_t(), c_size_t()
    assert acl.aclrtGetMemInfo(1, byref(free), byref(total)) == 0
    assert 0 < free.value <= total.value == chip.memory


def test_streams_and_events(acl: ctypes.CDLL) -> None:
    stream, start, end, status, ms = c_void_p(), c_void_p(), c_void_p(), c_int32(9), c_float()
    assert acl.aclrtCreateStream(byref(stream)) == 0
    assert acl.aclrtCreateEvent(byref(start)) == 0 and acl.aclrtCreateEventWithFlag(byref(end), 8) == 0
    assert acl.aclrtQueryEventStatus(start, byref(status)) == 0 and status.value == 0
    assert acl.aclrtEventElapsedTime(byref(ms), start, end) == 107006
    assert acl.aclrtRecordEvent(start, stream) == 0 and acl.aclrtRecordEvent(end, stream) == 0
    assert acl.aclrtQueryEventStatus(start, byref(status)) == 0 and status.value == 1
    assert acl.aclrtEventElapsedTime(byref(ms), start, end) == 0 and 0 <= ms.value < 1000
    assert acl.aclrtEventElapsedTime(byref(ms), end, start) == 107007
    assert acl.aclrtStreamWaitEvent(stream, start) == 0 and acl.aclrtSynchronizeEvent(end) == 0
    assert acl.aclrtStreamQuery(stream, byref(status)) == 0 and status.value == 0
    assert acl.aclrtSynchronizeStreamWithTimeout(stream, 5) == 0
    assert acl.aclrtDestroyEvent(start) == 0 and acl.aclrtDestroyEvent(end) == 0
    assert acl.aclrtDestroyStream(stream) == 0
    assert acl.aclrtSynchronizeStream(stream) == BAD_HANDLE
    assert acl.aclrtSynchronizeStream(None) == 0
    assert acl.aclrtSynchronizeDevice() == 0


def test_a_thread_without_a_context_is_refused(acl: ctypes.CDLL) -> None:
    codes: list[int] = []

    def work() -> None:
        out = c_void_p()
        codes.append(acl.aclrtMalloc(byref(out), c_size_t(8), 0))
        codes.append(acl.aclrtCreateStream(byref(out)))
        codes.append(acl.aclrtSynchronizeStream(None))
        codes.append(acl.aclrtGetDevice(byref(c_int32())))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == [NO_CONTEXT] * 4


def test_contexts(acl: ctypes.CDLL) -> None:
    default, context, current = c_void_p(), c_void_p(), c_void_p()
    assert acl.aclrtGetCurrentContext(byref(default)) == 0
    assert acl.aclrtCreateContext(byref(context), 0) == 0
    assert acl.aclrtGetCurrentContext(byref(current)) == 0 and current.value == context.value
    assert acl.aclrtSetCurrentContext(default) == 0
    assert acl.aclrtDestroyContext(context) == 0
    assert acl.aclrtDestroyContext(context) == PARAM
    assert acl.aclrtDestroyContext(default) == PARAM


@pytest.mark.filterwarnings("ignore:overflow encountered")  # in the reference
def test_half_conversion_and_type_sizes(acl: ctypes.CDLL) -> None:
    bits = np.arange(65536, dtype=np.uint16)
    for b in [*bits[::251].tolist(), 0, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x8000]:
        want = np.array(b, np.uint16).view(np.float16)
        got = acl.aclFloat16ToFloat(b)
        assert got == float(want) or (np.isnan(got) and np.isnan(want))
    for value in (0.1, 65519.0, 65520.0, 6e-8, -2.5, 1e-9):
        assert acl.aclFloatToFloat16(value) == int(np.float32(value).astype(np.float16).view(np.uint16))
    assert [acl.aclDataTypeSize(t) for t in (0, 1, 2, 9, 11, 12, 27, 29, -1)] == [4, 2, 1, 8, 8, 1, 2, 0, 0]
