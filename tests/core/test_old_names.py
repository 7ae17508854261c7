"""Names that older kernels use and no page documents: intrinsics, the scalar abs, limits, bfloat16_t of a number."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.core.emulated import Kernels, device

TEXT = r"""
#include "kernel_operator.h"
LATER
using namespace AscendC;
OWN
namespace AscendC { __aicore__ inline float inner(float x) { return abs(x); } }
extern "C" __global__ __aicore__ void values(GM_ADDR y) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 64);
  LocalTensor<float> t = buf.Get<float>();
  auto *out = (__gm__ float *)y + get_block_idx() * 16;
  Duplicate(t, (float)INFINITY, 16);
  set_flag(PIPE_V, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  t.SetValue(0, abs(-1.5f)), t.SetValue(1, (float)abs((half)-2.5)), t.SetValue(2, abs(-3)), t.SetValue(3, FLT_MAX);
  t.SetValue(4, abs(-4.25)), t.SetValue(5, abs(int64_t(-5))), t.SetValue(6, inner(-6)), t.SetValue(7, abs((short)-7));
  t.SetValue(8, get_block_num()), t.SetValue(9, get_subblockid()), t.SetValue(10, get_subblockdim());
  t.SetValue(11, Cast(static_cast<bfloat16_t>(0)));
  pipe_barrier(PIPE_ALL);
  for (int i = 0; i < 16; ++i) out[i] = t.GetValue(i);
}
__global__ __vector__ void rounds(__gm__ float *x, __gm__ bfloat16_t *y, int n) {
  for (int i = 0; i < n; ++i) y[i] = static_cast<bfloat16_t>(x[i]);
}
__global__ __vector__ void flags(int what) {
  if (what == 0) set_flag(PIPE_M, PIPE_MTE1, EVENT_ID0); // case 0;
  if (what == 1) set_flag(PIPE_V, PIPE_V, EVENT_ID0); // case 1;
  if (what == 2) wait_flag(PIPE_V, PIPE_S, EVENT_ID3); // case 2;
  if (what == 3) set_flag(PIPE_V, PIPE_S, 8); // case 3;
}
extern "C" {
void go_values(GM_ADDR y) { values<<<2, 0, 0>>>(y); }
void go_rounds(float *x, bfloat16_t *y, int n) { rounds<<<1, 0, 0>>>(x, y, n); }
void go_flags(int what) { flags<<<1, 0, 0>>>(what); }
}
"""
LATER = "#include <cmath>\n#include <cstdlib>\n#include <cfloat>"
OWN = "template <class T> __aicore__ inline T abs(T x) { return x < T(0) ? -x : x; }"


def build(folder: Path, later: str = "", own: str = "") -> Kernels:
    text = TEXT.replace("LATER", later).replace("OWN", own)
    return Kernels(text, folder, ("-O1", "-Wall", "-Wextra", "-Werror"))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return build(tmp_path_factory.mktemp("old"))


@pytest.mark.parametrize(("later", "own"), [("", ""), (LATER, ""), ("", OWN), (LATER, OWN)])
def test_values_with_and_without_the_c_library(tmp_path: Path, later: str, own: str) -> None:
    kernels = build(tmp_path, later, own)
    with device() as memory:
        y = memory.array(np.zeros(32, np.float32))
        assert kernels("go_values", y) is None
        most = np.finfo(np.float32).max
        row = np.array([1.5, 2.5, 3, most, 4.25, 5, 6, 7, 2, 0, 1, 0, *[np.inf] * 4], np.float32)
        np.testing.assert_array_equal(y.reshape(2, 16), [row, row])


def test_numbers_to_bfloat16_round_to_nearest_even(kernels: Kernels) -> None:
    rng = np.random.default_rng(0)
    special = np.array([0, -0.0, 1.00390625, 1.01171875, 3.4e38, np.inf, -np.inf, np.nan, 1e-40], np.float32)
    numbers = np.concatenate([special, rng.integers(0, 2**32, 4096, dtype=np.uint32).view(np.float32)])
    with device() as memory:
        x, y = memory.array(numbers), memory.array(np.zeros(len(numbers), np.uint16))
        assert kernels("go_rounds", x, y, len(numbers)) is None
        with np.errstate(invalid="ignore"):
            expected, nan = numbers.astype(ml_dtypes.bfloat16).view(np.uint16), np.isnan(numbers)
        np.testing.assert_array_equal(y[~nan], expected[~nan])
        assert np.isnan(y.view(ml_dtypes.bfloat16)[nan].astype(np.float32)).all()


@pytest.mark.parametrize(
    ("what", "kind", "api", "words"),
    [
        (0, "WrongCore", "set_flag", "no event of a vector core goes from PIPE_M to PIPE_MTE1"),
        (1, "EventMisuse", "set_flag", "no event of a vector core goes from PIPE_V to PIPE_V"),
        (2, "EventMisuse", "wait_flag", "V_S with id 3 waits but nothing has set it"),
        (3, "EventMisuse", "set_flag", "event id 8 of V_S is outside 0..7"),
    ],
)
def test_flags_that_cannot_be(kernels: Kernels, what: int, kind: str, api: str, words: str) -> None:
    fault = kernels("go_flags", what)
    assert fault is not None and (fault.kind, fault.api) == (kind, api)
    assert words in fault.message and fault.line == kernels.line(f"// case {what};")
