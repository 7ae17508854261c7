"""ASCENDC_TPL_TILING_STRUCT_SEL and ASCENDC_TPL_KERNEL_TYPE_SEL: what a combination of template parameters chooses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.core.emulated import Kernels, device, runtime

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;
struct Plain { int32_t n; };
struct Wide { int64_t n; };
namespace tiles { struct Tiny { int8_t n; }; }
ASCENDC_TPL_ARGS_DECL(Pick, ASCENDC_TPL_DATATYPE_DECL(D, C_DT_FLOAT, C_DT_INT32), ASCENDC_TPL_UINT_DECL(N, 8, ASCENDC_TPL_UI_LIST, 1, 2, 3));
ASCENDC_TPL_SEL(
  ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D, C_DT_FLOAT), ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 1, 2), ASCENDC_TPL_TILING_STRUCT_SEL(Wide)),
  ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D, C_DT_INT32), ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 1), ASCENDC_TPL_TILING_STRUCT_SEL(tiles::Tiny), ASCENDC_TPL_KERNEL_TYPE_SEL(KERNEL_TYPE_AIV_ONLY)),
  ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D, C_DT_INT32), ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 2), ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_MIX_AIC_1_2)),
  ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D, C_DT_INT32), ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 3), ASCENDC_TPL_KERNEL_TYPE_SEL(9)));
template <typename D, int N> __global__ __aicore__ void pick(GM_ADDR out, GM_ADDR tiling)
{
  REGISTER_TILING_DEFAULT(Plain);
  GET_TILING_DATA(t, tiling);
  auto *o = (__gm__ int64_t *)out;
  o[GetBlockIdx() * 4] = t.n;
  o[GetBlockIdx() * 4 + 1] = sizeof(t);
  o[GetBlockIdx() * 4 + 2] = GetSubBlockNum();
  o[GetBlockIdx() * 4 + 3] = N;
}
extern "C" void go_key(uint8_t *o, uint8_t *t) { pick<<<2, 0, 0>>>(o, t); }
extern "C" void go_wide(uint8_t *o, uint8_t *t) { pick<float, 2><<<2, 0, 0>>>(o, t); }
extern "C" uint64_t key_of(int d, int n) { return GET_TPL_TILING_KEY(d, n); }
"""  # noqa: E501
FLOAT, INT32 = 0, 3


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    yield Kernels(TEXT, tmp_path_factory.mktemp("selection"))
    runtime().ferrata_set_tiling_key(0)


def run(kernels: Kernels, name: str, dtype: int, n: int, value: int) -> list[list[int]]:
    runtime().ferrata_set_tiling_key(dtype | n << 8)
    with device() as memory:
        out, tiling = memory.array(np.full((4, 4), -1, np.int64)), memory.array(np.array([value], np.int64))
        assert kernels(name, out, tiling) is None
        found: list[list[int]] = out.tolist()
        return found


BIG = 5 + (1 << 40)


@pytest.mark.parametrize(
    ("dtype", "n", "value", "size", "cores"),
    [(FLOAT, 1, BIG, 8, 1), (FLOAT, 2, BIG, 8, 1), (INT32, 1, 5, 1, 1), (INT32, 2, 5, 4, 2)],
)
def test_the_keys_combination_selects(kernels: Kernels, dtype: int, n: int, value: int, size: int, cores: int) -> None:
    rows = run(kernels, "go_key", dtype, n, BIG)
    assert rows[: 2 * cores] == [[value, size, cores, n]] * (2 * cores)
    assert all(row == [-1] * 4 for row in rows[2 * cores :])


def test_explicit_arguments_select_too(kernels: Kernels) -> None:
    assert run(kernels, "go_wide", INT32, 1, BIG)[:2] == [[BIG, 8, 1, 2]] * 2


def test_a_kind_of_another_chip_is_a_fault(kernels: Kernels) -> None:
    runtime().ferrata_set_tiling_key(INT32 | 3 << 8)
    with device() as memory:
        fault = kernels("go_key", memory.array(np.zeros(16, np.int64)), memory.array(np.zeros(1, np.int64)))
    assert fault is not None and "kernel type 9 is for other chips" in fault.message
