"""Tiling keys in kernels that are launched directly: a struct per key, template parameters from the key."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ferrata.asc import tilingkeys
from ferrata.asc.kernels import find
from ferrata.asc.lexer import tokens
from tests.asc.conftest import Driver

KERNELS = """\
#include "acl/acl.h"
#include "cpu_debug_launch.h"
#include "kernel_operator.h"
using namespace AscendC;
struct Plain { uint32_t n; };
struct Wide { uint64_t many; float extra; };
struct Tiny { uint8_t tiny; };
extern "C" __global__ __aicore__ void by_key(GM_ADDR out, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(Plain);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 2 || "
                                "TILING_KEY_VAR == 0x12", Wide);
  REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR & 0xF) == 2 && TILING_KEY_VAR < 18446744073709551615", Tiny);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)out);
  if (TILING_KEY_IS(2)) {
    GET_TILING_DATA(t, tiling);
    gm.SetValue(0, t.many + t.extra);
  } else if (TILING_KEY_LIST(34, 50)) {
    GET_TILING_DATA(t, tiling);
    gm.SetValue(0, t.tiny);
  } else if (TILING_KEY_IS(9))
    return;
  else {
    GET_TILING_DATA_WITH_STRUCT(Plain, t, tiling);
    gm.SetValue(0, t.n);
  }
  gm.SetValue(1, 5);
}
struct Same { float f[4]; uint32_t n; };
extern "C" __global__ __aicore__ void at_top(GM_ADDR out, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(Plain);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 2", Wide);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 3", Same);
  GET_TILING_DATA(t, tiling);
  GlobalTensor<float> gm;
  gm.SetGlobalBuffer((__gm__ float *)out);
  gm.SetValue(0, t.n);
  if (TILING_KEY_IS(3)) gm.SetValue(1, t.f[1]);
}
extern "C" void launch_at_top(uint64_t key, void *out, void *tiling) {
  ICPU_SET_TILING_KEY(key);
  at_top<<<1, 0>>>((uint8_t *)out, (uint8_t *)tiling);
  ICPU_SET_TILING_KEY(0);
}
extern "C" void launch_by_key(uint64_t key, void *out, void *tiling) {
  ICPU_SET_TILING_KEY(key);
  by_key<<<1, 0>>>((uint8_t *)out, (uint8_t *)tiling);
  ICPU_SET_TILING_KEY(0);
}

#include "keys.h"
template <typename T, int N, bool TWICE> __global__ __vector__ void shift_custom(GM_ADDR x) {
  GlobalTensor<T> gm;
  gm.SetGlobalBuffer((__gm__ T *)x);
  gm.SetValue(0, static_cast<T>(N * (TWICE ? 2 : 1)) / static_cast<T>(4));
}
extern "C" uint64_t key_of(uint32_t type, uint32_t n, bool twice) { return GET_TPL_TILING_KEY(type, n, twice); }
extern "C" void launch_shift(uint64_t key, void *x) {
  ICPU_SET_TILING_KEY(key);
  shift_custom<<<1, 0>>>((uint8_t *)x);
  ICPU_SET_TILING_KEY(0);
}
extern "C" void launch_one(void *x) { shift_custom<float, 2, false><<<1, 0>>>((uint8_t *)x); }
"""
KEYS = """\
#pragma once
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(ShiftCustom, ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT, C_DT_INT32),
                      ASCENDC_TPL_UINT_DECL(N, 8, ASCENDC_TPL_UI_MIX, 1, 2, 3, 7), ASCENDC_TPL_BOOL_DECL(TWICE, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T, C_DT_FLOAT),
                                     ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 2, 7), ASCENDC_TPL_BOOL_SEL(TWICE, 0, 1)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T, C_DT_INT32),
                                     ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_RANGE, 1, 2, 4),
                                     ASCENDC_TPL_BOOL_SEL(TWICE, 1)));
"""
FLOAT, INT32 = 0, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys")
    (path / "kernels.asc").write_text(KERNELS)
    (path / "keys.h").write_text(KEYS)
    return path


@pytest.fixture(scope="module")
def lib(folder: Path) -> ctypes.CDLL:
    from ferrata.asc import compile
    from ferrata.run import runtime

    runtime()
    library = ctypes.CDLL(str(compile(folder / "kernels.asc")))
    library.key_of.restype = ctypes.c_uint64
    return library


class Block:
    """32 bytes of device memory."""

    def __init__(self, data: bytes = b"") -> None:
        from ferrata.run import runtime

        acl = runtime().lib
        acl.ferrata_gm_alloc.restype = ctypes.c_void_p
        self.at = ctypes.c_void_p(acl.ferrata_gm_alloc(ctypes.c_size_t(32)))
        ctypes.memmove(self.at, data.ljust(32, b"\0"), 32)
        self.free = acl.ferrata_gm_free

    def values(self, kind: Any) -> list[float]:
        return list(ctypes.cast(self.at, ctypes.POINTER(kind * 2)).contents)

    def __del__(self) -> None:
        self.free(self.at)


@pytest.mark.parametrize(
    ("key", "tiling", "want"),
    [
        (1, (11).to_bytes(4, "little"), [11.0, 5.0]),
        (2, (20).to_bytes(8, "little") + bytes.fromhex("0000003f"), [20.5, 5.0]),
        (34, b"\x07", [7.0, 5.0]),
        (50, b"\x08", [8.0, 5.0]),
        (9, b"", [0.0, 0.0]),
    ],
)
def test_the_key_gives_the_struct(lib: ctypes.CDLL, key: int, tiling: bytes, want: list[float]) -> None:
    out, data = Block(), Block(tiling)
    lib.launch_by_key(ctypes.c_uint64(key), out.at, data.at)
    assert out.values(ctypes.c_float) == want


def test_data_read_for_all_keys_need_a_struct_that_has_them(lib: ctypes.CDLL) -> None:
    data = Block(b"\x05\0\0\0" + bytes.fromhex("0000003f") + bytes(8) + b"\x09")
    for key, want in ((1, [5.0, 0.0]), (2, [5.0, 0.0]), (3, [9.0, 0.5])):  # Wide has no n: the default
        out = Block()
        lib.launch_at_top(ctypes.c_uint64(key), out.at, data.at)
        assert out.values(ctypes.c_float) == want


@pytest.mark.parametrize(
    ("dtype", "n", "twice", "kind", "want"),
    [
        (FLOAT, 7, True, ctypes.c_float, 3.5),
        (FLOAT, 2, False, ctypes.c_float, 0.5),
        (INT32, 4, True, ctypes.c_int32, 2),
    ],
)
def test_the_key_gives_the_instance(lib: ctypes.CDLL, dtype: int, n: int, twice: bool, kind: Any, want: float) -> None:
    out = Block()
    lib.launch_shift(ctypes.c_uint64(lib.key_of(dtype, n, twice)), out.at)
    assert out.values(kind)[0] == want
    lib.launch_one(out.at)  # explicit arguments are as before
    assert out.values(ctypes.c_float)[0] == 0.5


def test_a_key_that_no_combination_permits_is_a_fault(lib: ctypes.CDLL) -> None:
    from ferrata.run import runtime

    acl = runtime().lib
    acl.ferrata_peek_fault.restype = ctypes.c_char_p
    before = acl.ferrata_set_fault_mode(0)
    lib.launch_shift(ctypes.c_uint64(lib.key_of(INT32, 7, True)), Block().at)
    assert b"none of the 7 permitted combinations" in acl.ferrata_peek_fault()
    acl.ferrata_take_fault()
    acl.ferrata_set_fault_mode(before)


def test_a_binary_has_an_entry_per_key(folder: Path, lib: ctypes.CDLL) -> None:
    from ferrata.asc import driver
    from ferrata.run import runtime

    source, binary = folder / "shift.asc", folder / "shift.o"
    text = KERNELS[: KERNELS.index("struct Plain")] + KERNELS[KERNELS.index('#include "keys.h"') :]
    source.write_text(text[: text.index('extern "C"')])
    assert driver.main(["--npu-arch=dav-2201", "--cce-aicore-only", "-c", str(source), "-o", str(binary)]) == 0
    acl = runtime().lib
    assert acl.aclrtSetDevice(0) == 0
    handle, function, out = ctypes.c_void_p(), ctypes.c_void_p(), Block()
    assert acl.aclrtBinaryLoadFromFile(str(binary).encode(), None, ctypes.byref(handle)) == 0
    key = ctypes.c_uint64(lib.key_of(FLOAT, 7, True))
    assert acl.aclrtBinaryGetFunctionByEntry(handle, key, ctypes.byref(function)) == 0
    arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(out.at), ctypes.c_void_p))
    assert acl.aclrtLaunchKernelWithArgsArray(function, 1, None, None, arguments) == 0
    assert acl.aclrtSynchronizeStream(None) == 0
    assert out.values(ctypes.c_float)[0] == 3.5
    assert acl.aclrtBinaryUnLoad(handle) == 0
    acl.aclrtResetDevice(0)


@pytest.mark.parametrize(
    "condition",
    [
        "",
        '"TILING_KEY_VAR = 2"',
        '"key == 2"',
        "TILING_KEY_VAR == 2",
        '"TILING_KEY_VAR == 2; f()"',
        '"1.5 < TILING_KEY_VAR"',
    ],
)
def test_a_condition_that_is_none_is_named(bisheng: Driver, tmp_path: Path, condition: str) -> None:
    (tmp_path / "k.asc").write_text(
        '#include "kernel_operator.h"\nstruct S { int n; };\n__global__ __vector__ void k() {\n'
        f"  REGISTER_TILING_FOR_TILINGKEY({condition}, S);\n}}\n"
    )
    done: subprocess.CompletedProcess[str] = bisheng("--npu-arch=dav-2201", "-c", "k.asc")
    assert done.returncode != 0
    assert re.search(r"k.asc:4:\d+: error: REGISTER_TILING_FOR_TILINGKEY: write", done.stderr)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("TILING_KEY_VAR == 1", "ferrata_key == 1ull"),
        (
            "(TILING_KEY_VAR>>4)%10!=0x2 || ~TILING_KEY_VAR^3",
            "( ferrata_key >> 4ull ) % 10ull != 0x2ull || ~ ferrata_key ^ 3ull",
        ),
    ],
)
def test_conditions_become_expressions(text: str, condition: str) -> None:
    items = tokens(f'__global__ __vector__ void k() {{ REGISTER_TILING_FOR_TILINGKEY("{text}", S); }}')
    (kernel,) = find(items, {})
    assert f"return ({condition}) ? 1 : 0;" in tilingkeys.rules(items, kernel).opening
