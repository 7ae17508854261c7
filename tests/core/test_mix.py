"""Mixed kernels: which cores run, what each is told it is, and which of the two compilations it executes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels, runtime

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;

// row of a core: [type, block_idx, GetBlockIdx, GetSubBlockIdx, GetSubBlockNum, GetTaskRatio, GetBlockNum, 1]
template <int C = g_coreType> struct Who { static constexpr int value = C; };
__aicore__ inline void tell(__gm__ int32_t *row) {
  row[0] = Who<>::value;
  row[1] = static_cast<int32_t>(block_idx);
  row[2] = static_cast<int32_t>(GetBlockIdx());
  row[3] = static_cast<int32_t>(GetSubBlockIdx());
  row[4] = static_cast<int32_t>(GetSubBlockNum());
  row[5] = static_cast<int32_t>(GetTaskRatio());
  row[6] = static_cast<int32_t>(GetBlockNum());
  row[7] += 1;
}
#define BODY                                                            \
  if ASCEND_IS_AIC { tell(aic + GetBlockIdx() * 8); }                   \
  if ASCEND_IS_AIV { tell(aiv + GetBlockIdx() * 8); }

__global__ __mix__(1, 2) void mix12(__gm__ int32_t *aic, __gm__ int32_t *aiv) { BODY }
__global__ __mix__(1, 1) void mix11(__gm__ int32_t *aic, __gm__ int32_t *aiv) { BODY }
__global__ __mix__(0, 1) void mix01(__gm__ int32_t *aic, __gm__ int32_t *aiv) { BODY }
__global__ __mix__(1, 0) void mix10(__gm__ int32_t *aic, __gm__ int32_t *aiv) { BODY }
__global__ __vector__ void vec(__gm__ int32_t *aic, __gm__ int32_t *aiv) { BODY }
__global__ __cube__ void cube(__gm__ int32_t *aic, __gm__ int32_t *aiv) { BODY }
__global__ __aicore__ void type11(__gm__ int32_t *aic, __gm__ int32_t *aiv) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  BODY
}
extern "C" __global__ __aicore__ void by_key(GM_ADDR aic_bytes, GM_ADDR aiv_bytes) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIV_ONLY);
  KERNEL_TASK_TYPE(8, KERNEL_TYPE_AIC_ONLY);
  __gm__ int32_t *aic = reinterpret_cast<__gm__ int32_t *>(aic_bytes);
  __gm__ int32_t *aiv = reinterpret_cast<__gm__ int32_t *>(aiv_bytes);
  BODY
}
__global__ __aicore__ void type_bad(__gm__ int32_t *aic, __gm__ int32_t *aiv) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE); // bad type
  BODY
}
// every kind of parameter reaches both sides
struct Pair { int32_t a; float b; };
namespace inner {
template <typename T, int N, typename... Rest>
__global__ __mix__(1, 2) void arguments(__gm__ T *out, const Pair pair, GM_ADDR, float f = 1.5f, Rest... rest) {
  int32_t sum = pair.a + static_cast<int32_t>(pair.b) + N + static_cast<int32_t>(f * 2) + (static_cast<int32_t>(rest) + ... + 0);
  if constexpr (g_coreType == AscendC::AIC)
    out[0] = sum + 1000;
  else
    out[1 + GetSubBlockIdx()] = sum + 2000;
}
}
__global__ __mix__(1, 2) void async_mix(__gm__ int32_t *out);
__aicore__ inline void store(__gm__ int32_t *out, int32_t value) { out[g_coreType == AIC ? 0 : 1 + GetSubBlockIdx()] = value; }
__global__ __mix__(1, 2) void async_mix(__gm__ int32_t *out) {
  Async<EngineType::AIC, store>(out, 5);
  Async<EngineType::AIV, store>(out, 6);
}
__global__ __mix__(1, 1) void unguarded(__gm__ int32_t *out, int what) {
  LocalTensor<float> ub(TPosition::VECCALC, 0, 64);
  if ASCEND_IS_AIC {
    if (what == 0)
      Adds(ub, ub, 1.0f, 64); // vector on cube
    if (what == 1)
      SetFlag<HardEvent::V_MTE3>(0); // V on cube
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
  }
  if ASCEND_IS_AIV {
    if (what == 2)
      WaitFlag<HardEvent::MTE1_M>(0); // M on vector
    if (what == 3) {
      TQueSync<PIPE_FIX, PIPE_M> sync;
      sync.SetFlag(0); // FIX on vector
    }
    Duplicate(ub, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
  }
}
static int constructed;
struct Once { Once() { ++constructed; } } once;
extern "C" int constructions() { return constructed; }

#define GO(name) extern "C" void go_##name(int32_t *aic, int32_t *aiv, int64_t n) { name<<<n, 0, nullptr>>>(aic, aiv); }
GO(mix12) GO(mix11) GO(mix01) GO(mix10) GO(vec) GO(cube) GO(type11) GO(type_bad)
extern "C" void go_by_key(uint8_t *aic, uint8_t *aiv, int64_t n) { by_key<<<n, 0, nullptr>>>(aic, aiv); }
extern "C" void go_arguments(int32_t *out) {
  inner::arguments<int32_t, 4><<<1, 0, nullptr>>>(out, Pair{10, 20.0f}, nullptr, 2.5f, 100, 200);
}
extern "C" void go_unguarded(int32_t *out, int64_t what) {
  unguarded<<<1, 0, nullptr>>>(out, static_cast<int>(what));
}
extern "C" void go_async(int32_t *out) { async_mix<<<1, 0, nullptr>>>(out); }
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("mix"))


def rows(kernels: Kernels, memory: Device, name: str, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    aic, aiv = memory.array(np.zeros((8, 8), np.int32)), memory.array(np.zeros((16, 8), np.int32))
    assert kernels(f"go_{name}", aic, aiv, blocks) is None
    return aic, aiv


def cubes(blocks: int) -> np.ndarray:
    return np.array([[0, i, i, 0, 1, 1, blocks, 1] for i in range(blocks)])


def vectors(blocks: int, ratio: int) -> np.ndarray:
    return np.array([[1, i // ratio, i, i % ratio, ratio, ratio, blocks, 1] for i in range(blocks * ratio)])


@pytest.mark.parametrize(
    ("name", "has_cubes", "ratio"),
    [("mix12", True, 2), ("mix11", True, 1), ("mix01", False, 1), ("mix10", True, 0), ("vec", False, 1),
     ("cube", True, 0), ("type11", True, 1)],
)  # fmt: skip
def test_each_core_runs_once_and_knows_its_place(
    kernels: Kernels, memory: Device, name: str, has_cubes: bool, ratio: int
) -> None:
    aic, aiv = rows(kernels, memory, name, 3)
    np.testing.assert_array_equal(aic[:3], cubes(3) if has_cubes else np.zeros((3, 8)))
    np.testing.assert_array_equal(aiv[: 3 * ratio], vectors(3, ratio) if ratio else np.zeros((0, 8)))
    assert not aic[3:].any() and not aiv[3 * ratio :].any()


@pytest.mark.parametrize(("key", "has_cubes", "ratio"), [(1, True, 2), (7, False, 1), (8, True, 0)])
def test_kernel_task_type_of_the_tiling_key_wins(
    kernels: Kernels, memory: Device, key: int, has_cubes: bool, ratio: int
) -> None:
    runtime().ferrata_set_tiling_key(key)
    try:
        aic, aiv = rows(kernels, memory, "by_key", 2)
    finally:
        runtime().ferrata_set_tiling_key(0)
    assert aic[:, 7].sum() == (2 if has_cubes else 0)
    assert aiv[:, 7].sum() == 2 * ratio


def test_arguments_reach_both_kinds_of_cores(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(3, np.int32))
    assert kernels("go_arguments", out) is None
    assert out.tolist() == [1339, 2339, 2339]


def test_async_runs_on_the_named_kind_only(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(3, np.int32))
    assert kernels("go_async", out) is None
    assert out.tolist() == [5, 6, 6]


@pytest.mark.parametrize(
    ("what", "api", "mark"),
    [(0, "Adds", "// vector on cube"), (1, "SetFlag", "// V on cube"), (2, "WaitFlag", "// M on vector"),
     (3, "SetFlag", "// FIX on vector")],
)  # fmt: skip
def test_instruction_of_the_other_kind_of_core(
    kernels: Kernels, memory: Device, what: int, api: str, mark: str
) -> None:
    fault = kernels("go_unguarded", memory.array(np.zeros(1, np.int32)), what)
    assert fault is not None and fault.kind == "WrongCore" and fault.api == api
    assert fault.line == kernels.line(mark)


def test_each_core_may_use_its_own_pipes(kernels: Kernels, memory: Device) -> None:
    assert kernels("go_unguarded", memory.array(np.zeros(1, np.int32)), 9) is None


def test_initialisers_of_the_host_run_once(kernels: Kernels) -> None:
    assert kernels._library.constructions() == 1


@pytest.mark.parametrize(("name", "blocks"), [("mix12", 25), ("mix01", 49)])
def test_mix_kernel_with_more_blocks_than_combinations(
    kernels: Kernels, memory: Device, name: str, blocks: int
) -> None:
    aic, aiv = memory.array(np.zeros(8, np.int32)), memory.array(np.zeros(8, np.int32))
    fault = kernels(f"go_{name}", aic, aiv, blocks)
    assert fault is not None and fault.kind == "BadLaunch"
    assert f"numBlocks is {blocks}" in fault.message and str(blocks - 1) in fault.message


@pytest.mark.parametrize("blocks", [0, -1, 65536])
def test_number_of_blocks_out_of_range(kernels: Kernels, memory: Device, blocks: int) -> None:
    out = memory.array(np.zeros(8, np.int32))
    fault = kernels("go_vec", out, out, blocks)
    assert fault is not None and fault.kind == "BadLaunch" and f"numBlocks is {blocks}" in fault.message


def test_kernel_type_of_another_chip(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(8, np.int32))
    fault = kernels("go_type_bad", out, out, 1)
    assert fault is not None and fault.kind == "BadArgument" and fault.line == kernels.line("// bad type")
