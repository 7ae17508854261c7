"""Kernels compiled while a program runs, and kernel binaries in files: results, logs, and the code of every refusal."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

from ferrata.asc.home import home
from ferrata.native import build
from ferrata.run import runtime
from tests.asc.conftest import Driver

PROGRAM = Path(__file__).parent / "programs" / "compile_at_run_time.cpp"
PARAM, FILE_OPEN, BAD_HANDLE, LOOKUP = 107000, 107009, 107017, 507027
RTC = {"prog": 176000, "input": 176001, "option": 176002, "compile": 176003, "late": 176005, "early": 176006,
       "expression": 176007}  # fmt: skip


def test_a_program_compiles_loads_and_launches_from_a_clean_shell(tmp_path: Path) -> None:
    script = f'. "{home()}/set_env.sh" && bisheng {PROGRAM} -o program -lacl_rtc && ./program'
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "FERRATA_CACHE_DIR") if name in os.environ}
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.stderr == ""
    x = np.arange(100)
    assert done.stdout.splitlines() == [
        "compiled: 0 log: ''",
        f"array: {x[0] * 3 + 1} {x[1] * 3 + 1} {x[99] * 3 + 1}",
        f"list: 1 {x[1] * 3 + 7} {x[99] * 3 + 7}",
        f"image: 2 {x[1] + 2} {x[99] + 2}",
        f"placeholder: 2 {10 * x[1] + 2} {10 * x[99] + 2}",
        f"after unloading: {BAD_HANDLE}",
    ]
    assert done.returncode == 0


@pytest.fixture
def acl(monkeypatch: pytest.MonkeyPatch) -> Iterator[ctypes.CDLL]:
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home()))
    lib = runtime().lib
    lib.aclGetRecentErrMsg.restype = c_char_p
    before = lib.ferrata_set_fault_mode(0)
    assert lib.aclrtSetDevice(0) == 0
    yield lib
    lib.aclrtResetDevice(0)
    lib.ferrata_set_fault_mode(before)


def program(acl: ctypes.CDLL, source: str, name: str | None = None) -> c_void_p:
    handle = c_void_p()
    assert acl.aclrtcCreateProg(byref(handle), source.encode(), name and name.encode(), 0, None, None) == 0
    return handle


def compiled(acl: ctypes.CDLL, handle: c_void_p, *options: str) -> int:
    words = (c_char_p * len(options))(*[option.encode() for option in options])
    return int(acl.aclrtcCompileProg(handle, len(options), words))


def log(acl: ctypes.CDLL, handle: c_void_p) -> str:
    size = c_size_t()
    assert acl.aclrtcGetCompileLogSize(handle, byref(size)) == 0
    text = ctypes.create_string_buffer(b"?" * size.value)
    assert acl.aclrtcGetCompileLog(handle, text) == 0
    assert len(text.value) + 1 == size.value
    return text.value.decode()


def data(acl: ctypes.CDLL, handle: c_void_p) -> ctypes.Array[ctypes.c_char]:
    size = c_size_t()
    assert acl.aclrtcGetBinDataSize(handle, byref(size)) == 0
    binary = ctypes.create_string_buffer(size.value)
    assert acl.aclrtcGetBinData(handle, binary) == 0
    return binary


def test_an_error_names_the_programs_line_in_the_log(acl: ctypes.CDLL) -> None:
    bad = program(acl, '#include "kernel_operator.h"\n__global__ __vector__ void k() {\n  int x = y;\n}\n', "bad_prog")
    assert compiled(acl, bad, "--npu-arch=dav-2201") == RTC["compile"]
    assert "bad_prog:3:11: error: " in log(acl, bad)
    assert b"bad_prog" in acl.aclGetRecentErrMsg()
    size = c_size_t()
    assert acl.aclrtcGetBinDataSize(bad, byref(size)) == RTC["prog"]
    assert acl.aclrtcDestroyProg(byref(bad)) == 0
    assert bad.value is None


def test_refused_compilations(acl: ctypes.CDLL) -> None:
    handle = c_void_p()
    assert acl.aclrtcCreateProg(None, b"", b"", 0, None, None) == RTC["input"]
    assert acl.aclrtcCreateProg(byref(handle), None, b"x", 0, None, None) == RTC["input"]
    texts, names = (c_char_p * 1)(b""), (c_char_p * 1)(b"../outside.h")
    assert acl.aclrtcCreateProg(byref(handle), b"", b"x", 1, texts, names) == RTC["input"]
    assert acl.aclrtcCompileProg(None, 0, None) == RTC["prog"]
    assert acl.aclrtcDestroyProg(byref(c_void_p(64))) == RTC["prog"]
    empty = program(acl, "")
    for option in ("--npu-arhc=dav-2201", "--npu-arch=dav-9999", "-c", "-o", "other.asc", "--help"):
        assert compiled(acl, empty, option) == RTC["option"], option
    assert "did you mean '--npu-arch=" in (compiled(acl, empty, "--npu-arhc=x"), log(acl, empty))[1]
    assert acl.aclrtcDestroyProg(byref(empty)) == 0


def test_name_expressions(acl: ctypes.CDLL) -> None:
    text = "template <int N> __global__ __vector__ void k(int n) {}\n"
    prog, name = program(acl, text, "names"), c_char_p()
    assert acl.aclrtcAddNameExpr(prog, b"") == RTC["input"]
    assert acl.aclrtcAddNameExpr(prog, b"k<4>") == 0
    assert acl.aclrtcGetLoweredName(prog, b"k<4>", byref(name)) == RTC["early"]
    assert compiled(acl, prog) == 0  # for the device's own chip
    assert acl.aclrtcAddNameExpr(prog, b"k<5>") == RTC["late"]
    assert acl.aclrtcGetLoweredName(prog, b"k<5>", byref(name)) == RTC["expression"]
    assert acl.aclrtcGetLoweredName(prog, b"k<4>", byref(name)) == 0
    assert name.value == b"_Z1kILi4EEvi"
    wrong = program(acl, text, "names")
    assert acl.aclrtcAddNameExpr(wrong, b"k<float>") == 0
    assert compiled(acl, wrong) == RTC["expression"]
    assert "name expression 1" in log(acl, wrong)


KEYS = """\
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void keys(GM_ADDR out) {
  extern __ubuf__ uint8_t extra[];
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer((__gm__ int32_t *)out);
  extra[99] = 7;
  if (TILING_KEY_IS(3)) gm.SetValue(block_idx, 30 + extra[99]);
  else if (TILING_KEY_IS(4)) gm.SetValue(block_idx, 40 + extra[99]);
  else gm.SetValue(block_idx, 0);
}
"""


class Attribute(ctypes.Structure):
    """aclrtLaunchKernelAttr."""

    _fields_ = [("id", c_int), ("value", c_uint32 * 4)]


class Config(ctypes.Structure):
    """aclrtLaunchKernelCfg."""

    _fields_ = [("attrs", ctypes.POINTER(Attribute)), ("count", c_size_t)]


def test_a_binary_in_a_file_by_key_and_with_attributes(acl: ctypes.CDLL, bisheng: Driver, tmp_path: Path) -> None:
    (tmp_path / "keys.asc").write_text(KEYS)
    done = bisheng("--npu-arch=dav-2201", "--cce-aicore-only", "-c", "keys.asc", "-o", "keys.o")
    assert (done.returncode, done.stderr) == (0, "")
    binary, function, by_key, out = c_void_p(), c_void_p(), c_void_p(), c_void_p()
    assert acl.aclrtBinaryLoadFromFile(str(tmp_path / "keys.o").encode(), None, byref(binary)) == 0
    assert acl.aclrtBinaryGetFunction(binary, b"keys", byref(function)) == 0
    assert acl.aclrtBinaryGetFunctionByEntry(binary, c_uint64(4), byref(by_key)) == 0
    cube, vector = c_void_p(), c_void_p()
    assert acl.aclrtGetFunctionAddr(function, byref(cube), byref(vector)) == 0
    assert vector.value
    assert acl.aclrtMalloc(byref(out), c_size_t(64), 0) == 0
    config = Config(ctypes.pointer(Attribute(2, (c_uint32 * 4)(128))), 1)  # dynamic UB
    arguments = (c_void_p * 1)(ctypes.cast(ctypes.pointer(out), c_void_p))
    host = np.zeros(2, np.int32)
    for handle, want in ((by_key, [47, 47]), (function, [0, 0])):
        assert acl.aclrtLaunchKernelWithArgsArray(handle, 2, None, byref(config), arguments) == 0
        assert acl.aclrtSynchronizeStream(None) == 0
        assert acl.aclrtMemcpy(c_void_p(host.ctypes.data), c_size_t(8), out, c_size_t(8), 2) == 0
        assert host.tolist() == want
    # without the attribute there is no dynamic UB: a fault of the kernel, on the stream, also where launches throw
    acl.ferrata_set_fault_mode(1)
    assert acl.aclrtLaunchKernelWithArgsArray(function, 2, None, None, arguments) == 0
    acl.ferrata_set_fault_mode(0)
    assert acl.aclrtSynchronizeStream(None) == 507015
    acl.ferrata_take_fault()
    refused = {
        "blocks": acl.aclrtLaunchKernelWithArgsArray(function, 0, None, None, arguments),
        "no arguments": acl.aclrtLaunchKernelWithArgsArray(function, 1, None, None, None),
        "image too small": acl.aclrtLaunchKernel(function, 1, arguments, c_size_t(4), None),
        "attribute": acl.aclrtLaunchKernelWithArgsArray(
            function, 1, None, byref(Config(ctypes.pointer(Attribute(77)), 1)), arguments
        ),
    }
    assert refused == dict.fromkeys(refused, PARAM)
    assert acl.aclrtBinaryGetFunction(binary, b"kees", byref(function)) == LOOKUP
    assert b"it has keys" in acl.aclGetRecentErrMsg()
    assert acl.aclrtBinaryUnLoad(binary) == 0
    assert acl.aclrtBinaryUnLoad(binary) == BAD_HANDLE
    assert acl.aclrtFree(out) == 0


def test_what_is_no_binary_is_refused(acl: ctypes.CDLL, tmp_path: Path) -> None:
    binary, text = c_void_p(), b"no binary at all"
    path = tmp_path / "text"
    path.write_bytes(text)
    assert acl.aclrtBinaryLoadFromFile(str(tmp_path / "none").encode(), None, byref(binary)) == FILE_OPEN
    assert acl.aclrtBinaryLoadFromFile(str(path).encode(), None, byref(binary)) == PARAM
    assert acl.aclrtBinaryLoadFromData(text, c_size_t(len(text)), None, byref(binary)) == PARAM
    assert acl.aclrtBinaryLoadFromData(None, c_size_t(8), None, byref(binary)) == PARAM
    nothing = program(acl, "template <int N> __global__ __vector__ void k() {}\n", "nothing")
    assert compiled(acl, nothing) == 0
    image = data(acl, nothing)
    assert acl.aclrtBinaryLoadFromData(image, c_size_t(len(image)), None, byref(binary)) == PARAM
    assert b"a template needs aclrtcAddNameExpr" in acl.aclGetRecentErrMsg()


def test_a_kernel_of_both_core_kinds_runs_from_a_binary(acl: ctypes.CDLL) -> None:
    text = """\
#include "kernel_operator.h"
extern "C" __global__ __mix__(1, 2) void both(__gm__ int32_t *out) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  if ASCEND_IS_AIC { gm.SetValue(8 + AscendC::GetBlockIdx(), 100); }
  if ASCEND_IS_AIV { gm.SetValue(AscendC::GetBlockIdx(), 1); }
}
"""
    prog, binary, function, out = program(acl, text, "both"), c_void_p(), c_void_p(), c_void_p()
    assert compiled(acl, prog) == 0, log(acl, prog)
    image = data(acl, prog)
    for _ in range(2):  # the second copy of the same binary has its own kernels
        assert acl.aclrtBinaryLoadFromData(image, c_size_t(len(image)), None, byref(binary)) == 0
    assert acl.aclrtBinaryGetFunction(binary, b"both", byref(function)) == 0
    assert acl.aclrtMalloc(byref(out), c_size_t(64), 0) == 0
    assert acl.aclrtMemset(out, c_size_t(64), 0, c_size_t(64)) == 0
    arguments = (c_void_p * 1)(ctypes.cast(ctypes.pointer(out), c_void_p))
    assert acl.aclrtLaunchKernelWithArgsArray(function, 2, None, None, arguments) == 0
    assert acl.aclrtSynchronizeStream(None) == 0
    host = np.zeros(16, np.int32)
    assert acl.aclrtMemcpy(c_void_p(host.ctypes.data), c_size_t(64), out, c_size_t(64), 2) == 0
    assert host.tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 100, 100, 0, 0, 0, 0, 0, 0]
    acl.aclrtFree(out)


ALONE = """\
import ctypes, sys
acl = ctypes.CDLL(sys.argv[1])
prog, size, text = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.create_string_buffer(1000)
acl.aclrtcCreateProg(ctypes.byref(prog), b"", b"x", 0, None, None)
print(acl.aclrtcCompileProg(prog, 0, None))
acl.aclrtcGetCompileLogSize(prog, ctypes.byref(size))
acl.aclrtcGetCompileLog(prog, text)
print(text.value.decode())
"""


def test_without_a_compiler_the_log_says_what_to_do() -> None:
    # a process of its own: in this one the library may lie beside a compiler
    clean = {"PATH": os.path.dirname(shutil.which("g++") or "")}
    command = [sys.executable, "-IS", "-c", ALONE, str(build.runtime())]
    done = subprocess.run(command, env=clean, capture_output=True, text=True)
    code, said = done.stdout.split("\n", 1)
    assert code == "576000"
    assert "set_env.sh" in said
