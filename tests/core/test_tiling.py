"""Tiling data and keys, workspaces, on-chip arrays, template keys and the chip's facts."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels, runtime

TEXT = r"""
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/platform/platform_ascendc.h"
using namespace AscendC;

struct Small { uint32_t n; uint16_t arr[3]; uint64_t m; };
struct Wide { Small small; TCubeTiling cube; float f; };

extern "C" __global__ __aicore__ void op_kernel(GM_ADDR x, GM_ADDR out_bytes, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(Small);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 30", Wide);
  GET_TILING_DATA(data, tiling); // default
  __gm__ int64_t *out = reinterpret_cast<__gm__ int64_t *>(out_bytes);
  out[0] = data.n;
  out[1] = data.arr[2];
  out[2] = static_cast<int64_t>(data.m);
  GET_TILING_DATA_MEMBER(Small, m, member, tiling);
  out[3] = static_cast<int64_t>(member);
  GET_TILING_DATA_PTR_WITH_STRUCT(Small, pointer, tiling);
  out[4] = pointer->arr[1];
  COPY_TILING_WITH_STRUCT(Small, pointer, copied);
  out[5] = copied.n;
  COPY_TILING_WITH_ARRAY(uint16_t, 3, pointer->arr, numbers);
  out[6] = numbers[0];
  if (TILING_KEY_IS(10)) {
    out[7] = 10;
  } else if (TILING_KEY_IS(20UL)) {
    out[7] = 20;
  } else if (TILING_KEY_LIST(30, 31)) {
    GET_TILING_DATA_WITH_STRUCT(Wide, wide, tiling);
    out[7] = 30 + wide.cube.mxTypePara;
  }
  out[8] = GetUserWorkspace(workspace) - workspace;
  out[9] = GetSysWorkSpacePtr() != nullptr;
}
extern "C" __global__ __aicore__ void no_default(GM_ADDR out, GM_ADDR tiling) {
  REGISTER_NONE_TILING;
  GET_TILING_DATA_WITH_STRUCT(Wide, wide, tiling); // none
  *reinterpret_cast<__gm__ float *>(out) = wide.f;
}
__global__ __vector__ void own_workspace(GM_ADDR workspace, __gm__ int64_t *out) {
  SetSysWorkspace(workspace);
  out[0] = GetUserWorkspace(workspace) - workspace;
  out[1] = GetSysWorkSpacePtr() - workspace;
}
__global__ __vector__ void kfc(__gm__ int64_t *out, __kfc_workspace__ __gm__ uint8_t *workspace, int n) {
  out[0] = GetUserWorkspace(workspace) - workspace;
  out[1] = GetSysWorkSpacePtr() - workspace;
}

// --- on-chip arrays ---
struct Block { float a[4]; int32_t b; };
__aicore__ inline __ubuf__ float *helper(int i) {
  __ubuf__ float scratch[8];
  return scratch + i;
}
__global__ __vector__ void arrays(__gm__ int64_t *out, int what) {
  __ubuf__ half t[256];
  static __ubuf__ float u[2][10], v[3];
  __ubuf__ Block block;
  __ubuf__ float *first = helper(0);
  __ubuf__ float *second = helper(2);
  extern __ubuf__ char rest[]; // dynamic
  auto at = [](const void *p) { return static_cast<int64_t>(static_cast<uint32_t>(reinterpret_cast<uint64_t>(p))); };
  out[0] = at(t);
  out[1] = at(u);
  out[2] = at(v);
  out[3] = at(&block);
  out[4] = at(first);
  out[5] = at(second);
  out[6] = at(rest);
  for (int i = 0; i < 2; ++i) {
    __ubuf__ int32_t again[4];
    out[7 + i] = at(again);
  }
  LocalTensor<half> view(TPosition::VECCALC, static_cast<uint32_t>(reinterpret_cast<uint64_t>(t)), 256);
  Duplicate(view, half(3), 256);
  block.b = 5;
  u[1][9] = 2;
  out[9] = static_cast<int64_t>(t[255]) + block.b + static_cast<int64_t>(u[1][9]);
}
__global__ __vector__ void beside_pipe(__gm__ int64_t *out) {
  __ubuf__ half before[20];
  auto at = [](uint64_t p) { return static_cast<int64_t>(static_cast<uint32_t>(p)); };
  TPipe pipe;
  TBuf<TPosition::VECCALC> first, second;
  pipe.InitBuffer(first, 32);
  __ubuf__ half after[16];
  pipe.InitBuffer(second, 32);
  out[0] = at(reinterpret_cast<uint64_t>(before));
  out[1] = at(first.Get<half>().GetPhyAddr());
  out[2] = at(reinterpret_cast<uint64_t>(after));
  out[3] = at(second.Get<half>().GetPhyAddr());
}
__global__ __vector__ void too_large(__gm__ int64_t *out) {
  __ubuf__ float a[40000];
  __ubuf__ float b[20000]; // over
  a[0] = b[0] = 0;
}

// --- template keys ---
ASCENDC_TPL_ARGS_DECL(Op, ASCENDC_TPL_DATATYPE_DECL(D, C_DT_FLOAT, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0)), ASCENDC_TPL_UINT_DECL(N, 12, ASCENDC_TPL_UI_MIX, 2, 0, 5, 100, 200, 7, 9), ASCENDC_TPL_BOOL_DECL(B, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D, C_DT_FLOAT), ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 1, 2, 150), ASCENDC_TPL_BOOL_SEL(B, 1), ASCENDC_TPL_KERNEL_TYPE_SEL(1), ASCENDC_TPL_TILING_STRUCT_SEL(Small)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D, C_DT_FLOAT16), ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_RANGE, 1, 0, 4), ASCENDC_TPL_BOOL_SEL(B, 0, 1)));
static_assert(GET_TPL_TILING_KEY(C_DT_FLOAT16, 150, 1) == (1 | 150 << 8 | 1 << 20), "packed in order");
constexpr bool allowed(uint64_t key) { return ferrata::tpl::permitted(ferrata_tpl_parameters, ferrata_tpl_combinations, key); }
static_assert(allowed(GET_TPL_TILING_KEY(C_DT_FLOAT, 150, true)) && !allowed(GET_TPL_TILING_KEY(C_DT_FLOAT, 150, false)), "listed");
static_assert(allowed(GET_TPL_TILING_KEY(C_DT_FLOAT16, 4, false)) && !allowed(GET_TPL_TILING_KEY(C_DT_FLOAT16, 5, false)), "ranges");
static_assert(ferrata_tpl_parameters[1].allows(9) && ferrata_tpl_parameters[1].allows(100) && !ferrata_tpl_parameters[1].allows(6), "mix");

extern "C" void go_op(uint8_t *x, uint8_t *o, uint8_t *w, uint8_t *t) { op_kernel<<<1, 0, nullptr>>>(x, o, w, t); }
extern "C" void go_none(uint8_t *o, uint8_t *t) { no_default<<<1, 0, nullptr>>>(o, t); }
extern "C" void go_own(uint8_t *w, int64_t *o) { own_workspace<<<1, 0, nullptr>>>(w, o); }
extern "C" void go_kfc(uint8_t *w, int64_t *o) { kfc<<<1, 0, nullptr>>>(o, w, 3); }
extern "C" void go_arrays(int64_t *o, int64_t ub) { arrays<<<1, ub, nullptr>>>(o, 0); }
extern "C" void go_beside_pipe(int64_t *o) { beside_pipe<<<1, 0, nullptr>>>(o); }
extern "C" void go_too_large(int64_t *o) { too_large<<<1, 0, nullptr>>>(o); }
extern "C" void facts(int64_t *out) {
  using namespace platform_ascendc;
  PlatformAscendC *p = PlatformAscendCManager::GetInstance("Ascend910B3");
  out[0] = p->GetCoreNumAic();
  out[1] = p->GetCoreNumAiv();
  out[2] = p->GetCoreNum();
  out[3] = p->GetCoreNumVector();
  out[4] = p->CalcTschNumBlocks(40, 20, 40);
  out[5] = p->CalcTschBlockDim(7, 0, 40);
  out[6] = p->GetLibApiWorkSpaceSize();
  uint64_t size = 0;
  const CoreMemType types[] = {CoreMemType::L0_A, CoreMemType::L0_B, CoreMemType::L0_C, CoreMemType::L1, CoreMemType::UB};
  for (int i = 0; i < 5; ++i) {
    p->GetCoreMemSize(types[i], size);
    out[7 + i] = size;
  }
  p->ReserveLocalMemory(ReservedSize::RESERVED_SIZE_32K);
  p->ReserveLocalMemory(ReservedSize::RESERVED_SIZE_16K);
  p->GetCoreMemSize(CoreMemType::UB, size);
  out[12] = size;
  out[13] = p->GetSocVersion() == SocVersion::ASCEND910B && p->GetCurNpuArch() == NpuArch::DAV_2201;
  out[14] = p == PlatformAscendCManager::GetInstance();
  out[15] = PlatformAscendC("Nothing").GetSocVersion() == SocVersion::RESERVED_VERSION;
}
"""  # noqa: E501

FRAMEWORK = r"""
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void framework(GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling) {
  __gm__ int64_t *o = reinterpret_cast<__gm__ int64_t *>(out);
  o[0] = workspace - out;
  o[1] = AscendC::GetUserWorkspace(workspace) - out;
  o[2] = GetSysWorkSpacePtr() - out;
}
extern "C" void go(uint8_t *o, uint8_t *w, uint8_t *t) { framework<<<1, 0, nullptr>>>(o, w, t); }
"""
SYSTEM = 16 << 20


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("tiling"))


@pytest.fixture
def settings() -> Iterator[ctypes.CDLL]:
    yield runtime()
    runtime().ferrata_set_tiling_key(0)
    runtime().ferrata_set_system_workspace(None)


SMALL = np.dtype(
    {"names": ["n", "arr", "m"], "formats": ["u4", ("u2", 3), "u8"], "offsets": [0, 4, 16], "itemsize": 24}
)


@pytest.mark.parametrize(("key", "branch"), [(10, 10), (20, 20), (30, 37), (31, 37), (5, 0)])
@pytest.mark.parametrize("framework", [False, True])
def test_operator_entry_reads_its_tiling(
    kernels: Kernels, memory: Device, settings: ctypes.CDLL, key: int, branch: int, framework: bool
) -> None:
    raw = np.zeros(24 + 200 + 8, np.uint8)
    raw[:24].view(SMALL)[0] = (7, (1, 2, 3), 1 << 40)
    raw[24:224].view(np.int32)[49] = 7
    out, workspace = memory.array(np.zeros(10, np.int64)), memory.array(np.zeros(64, np.uint8))
    settings.ferrata_set_tiling_key(key)
    settings.ferrata_set_system_workspace(workspace.ctypes.data if framework else None)
    assert kernels("go_op", workspace, out, workspace, memory.array(raw)) is None
    assert out[:7].tolist() == [7, 3, 1 << 40, 1 << 40, 2, 7, 1]
    assert out[7:].tolist() == [branch, 0 if framework else SYSTEM, int(framework)]


@pytest.mark.parametrize(("length", "kind"), [(0, "HostPointer"), (20, "OutOfBounds")])
def test_tiling_argument_that_is_no_tiling_data(kernels: Kernels, memory: Device, length: int, kind: str) -> None:
    tiling = memory.array(np.zeros(length, np.uint8)) if length else None
    fault = kernels("go_none", memory.array(np.zeros(1, np.float32)), tiling)
    assert fault is not None and fault.kind == kind and "tiling" in fault.message
    assert fault.api == "GET_TILING_DATA_WITH_STRUCT" and fault.line == kernels.line("// none")


@pytest.mark.parametrize("name", ["go_own", "go_kfc"])
def test_workspace_of_a_direct_launch(kernels: Kernels, memory: Device, name: str) -> None:
    out = memory.array(np.full(2, -1, np.int64))
    assert kernels(name, memory.array(np.zeros(64, np.uint8)), out) is None
    assert out.tolist() == [SYSTEM, 0]


@pytest.mark.parametrize(("options", "skipped"), [(("-DHAVE_WORKSPACE", "-DHAVE_TILING"), True), ((), False)])
def test_workspace_of_an_older_build(
    memory: Device, tmp_path_factory: pytest.TempPathFactory, options: tuple[str, ...], skipped: bool
) -> None:
    kernels = Kernels(FRAMEWORK, tmp_path_factory.mktemp("framework"), ("-O1", *options))
    out, workspace = memory.array(np.zeros(3, np.int64)), memory.array(np.zeros(64, np.uint8))
    assert kernels("go", out, workspace, out) is None
    base = workspace.ctypes.data - out.ctypes.data
    shift = SYSTEM if skipped else 0
    assert out.tolist() == [base + shift, base + SYSTEM, base if skipped else -out.ctypes.data]


def test_arrays_in_ub_lie_one_after_the_other(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(10, np.int64))
    assert kernels("go_arrays", out, 1000) is None
    assert out.tolist() == [0, 512, 608, 640, 672, 680, 196608 - 1024, 704, 704, 10]


def test_arrays_share_ub_with_what_a_pipe_gives_out(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(4, np.int64))
    assert kernels("go_beside_pipe", out) is None
    assert out.tolist() == [0, 64, 96, 128]


def test_dynamic_ub_needs_a_size(kernels: Kernels, memory: Device) -> None:
    fault = kernels("go_arrays", memory.array(np.zeros(10, np.int64)), 0)
    assert fault is not None and "second launch argument" in fault.message and fault.line == kernels.line("// dynamic")


@pytest.mark.parametrize("size", [196608, 1 << 30])
def test_dynamic_ub_larger_than_what_is_left(kernels: Kernels, memory: Device, size: int) -> None:
    fault = kernels("go_arrays", memory.array(np.zeros(10, np.int64)), size)
    assert fault is not None and fault.kind == "UbOverBudget" and fault.line == kernels.line("// dynamic")


def test_arrays_over_the_memory(kernels: Kernels, memory: Device) -> None:
    fault = kernels("go_too_large", memory.array(np.zeros(10, np.int64)))
    assert fault is not None and fault.kind == "UbOverBudget" and "240000" in fault.message
    assert fault.line == kernels.line("// over")


def test_facts_of_the_chip(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(16, np.int64))
    assert kernels("facts", out) is None
    assert out.tolist() == [
        24, 48, 48, 0, 20, 7, SYSTEM, 65536, 65536, 131072, 524288, 196608, 196608 - 16384, 1, 1, 1,
    ]  # fmt: skip
