"""Synchronisation between cores, and its misuse: every error names the call, the value and the line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels, runtime

TEXT = r"""
#include "kernel_operator.h"
using namespace AscendC;

// Each round every core writes its own cell and, after the barrier, adds up all cells: wrong if one core runs ahead.
template <class Barrier> __aicore__ inline void rounds(__gm__ int32_t *cells, __gm__ int32_t *sums, int me, int all, Barrier barrier) {
  for (int round = 0; round < 5; ++round) {
    cells[me] = me + 100 * round;
    barrier();
    int32_t sum = 0;
    for (int i = 0; i < all; ++i)
      sum += cells[i];
    sums[round * all + me] = sum;
    barrier();
  }
}
__global__ __mix__(0, 1) void hard(__gm__ int32_t *cells, __gm__ int32_t *sums) {
  rounds(cells, sums, GetBlockIdx(), GetBlockNum(), [] { SyncAll(); });
}
__global__ __mix__(0, 1) void flag0(__gm__ int32_t *cells, __gm__ int32_t *sums) {
  rounds(cells, sums, GetBlockIdx(), GetBlockNum(), [] {
    CrossCoreSetFlag<0, PIPE_MTE3>(5);
    CrossCoreWaitFlag(5);
  });
}
__global__ __mix__(1, 2) void hard_all(__gm__ int32_t *cells, __gm__ int32_t *sums) {
  const int all = GetBlockNum() * 3;
  int me = g_coreType == AIC ? GetBlockIdx() : GetBlockNum() + GetBlockIdx();
  rounds(cells, sums, me, all, [] { SyncAll<false>(); });
}
__global__ __mix__(1, 2) void hard_vectors(__gm__ int32_t *cells, __gm__ int32_t *sums) {
  SyncAll(); // passes on cube cores
  if ASCEND_IS_AIV { rounds(cells, sums, GetBlockIdx(), GetBlockNum() * 2, [] { SyncAll<true>(); }); }
}
struct Scratch {
  GlobalTensor<int32_t> gm;
  LocalTensor<int32_t> ub;
  __aicore__ Scratch(__gm__ int32_t *workspace, int gm_elements, int ub_elements) : ub(TPosition::VECCALC, 0, ub_elements) {
    gm.SetGlobalBuffer(workspace, gm_elements);
  }
};
__global__ __vector__ void soft(__gm__ int32_t *cells, __gm__ int32_t *sums, __gm__ int32_t *workspace, int used) {
  Scratch s(workspace, GetBlockNum() * 8, GetBlockNum() * 8);
  if (used && GetBlockIdx() >= used)
    return;
  rounds(cells, sums, GetBlockIdx(), used ? used : GetBlockNum(), [&] { SyncAll(s.gm, s.ub, used); });
}
__global__ __vector__ void soft_small(__gm__ int32_t *workspace, int gm_elements, int ub_elements, int used) {
  Scratch s(workspace, gm_elements, ub_elements);
  SyncAll(s.gm, s.ub, used); // soft misuse
}
// a chain: core i adds to what core i-1 left
__global__ __vector__ void chain(__gm__ int32_t *out, __gm__ int32_t *workspace) {
  Scratch s(workspace, GetBlockNum() * 8 * 2, 8);
  int me = GetBlockIdx();
  for (int event = 0; event < 2; ++event) {
    if (me > 0)
      IBWait(s.gm, s.ub, me - 1, event);
    out[event * GetBlockNum() + me] = (me > 0 ? out[event * GetBlockNum() + me - 1] : 0) + me + 1;
    if (me + 1 < GetBlockNum())
      IBSet(s.gm, s.ub, me, event);
  }
}
__global__ __vector__ void pair_misuse(__gm__ int32_t *workspace, int what) {
  Scratch s(workspace, 64, 8);
  if (what == 0)
    IBSet(s.gm, s.ub, 5, 0); // pair block
  if (what == 1)
    IBSet(s.gm, s.ub, 0, -1); // pair event
  if (what == 2)
    IBSet(s.gm, s.ub, 0, 8); // pair size
  if (what == 3) {
    IBSet(s.gm, s.ub, 0, 0);
    IBSet(s.gm, s.ub, 0, 0); // pair twice
  }
  if (what == 4)
    IBWait(s.gm, s.ub, 0, 1); // pair never
}
__global__ __vector__ void turns(__gm__ int32_t *out, __gm__ int32_t *workspace, int prepare) {
  Scratch s(workspace, GetBlockNum() * 8, GetBlockNum() * 8 + 8);
  if (prepare)
    InitDetermineComputeWorkspace(s.gm, s.ub);
  for (int round = 0; round < 3; ++round) {
    WaitPreBlock(s.gm, s.ub); // turns unprepared
    out[1 + out[0]] = round * 100 + GetBlockIdx();
    ++out[0];
    NotifyNextBlock(s.gm, s.ub);
  }
}
__global__ __mix__(1, 2) void mode2(__gm__ int32_t *out) {
  for (int i = 0; i < 20; ++i) {
    if ASCEND_IS_AIC {
      out[GetBlockIdx()] = i + 1;
      CrossCoreSetFlag<2, PIPE_FIX>(3);
      CrossCoreWaitFlag(4);
      out[16 + GetBlockIdx()] += out[32 + GetBlockIdx() * 2] + out[32 + GetBlockIdx() * 2 + 1];
    }
    if ASCEND_IS_AIV {
      CrossCoreWaitFlag<2, PIPE_V>(3);
      out[32 + GetBlockIdx()] = out[block_idx] * (1 + GetSubBlockIdx());
      CrossCoreSetFlag<2, PIPE_MTE3>(4);
    }
  }
}
__global__ __mix__(1, 2) void mode1(__gm__ int32_t *out) {
  if ASCEND_IS_AIV {
    for (int i = 0; i < 10; ++i) {
      out[GetBlockIdx()] = i + GetBlockIdx();
      CrossCoreSetFlag<1, PIPE_MTE3>(0);
      CrossCoreWaitFlag<1>(0);
      out[16 + GetBlockIdx()] += out[GetBlockIdx() ^ 1];
      CrossCoreSetFlag<1, PIPE_MTE3>(1);
      CrossCoreWaitFlag<1>(1);
    }
  }
}
// up to 15 sets may be open
__global__ __mix__(1, 1) void counter(__gm__ int32_t *out, int sets) {
  if ASCEND_IS_AIC {
    for (int i = 0; i < sets; ++i)
      CrossCoreSetFlag<2, PIPE_FIX>(2); // counter set
    CrossCoreSetFlag<2, PIPE_FIX>(6);
  }
  if ASCEND_IS_AIV {
    CrossCoreWaitFlag(6);
    for (int i = 0; i < sets; ++i)
      CrossCoreWaitFlag(2);
    out[0] = sets;
  }
}
__global__ __mix__(1, 1) void misuse(__gm__ int32_t *out, int what) {
  if ASCEND_IS_AIC {
    if (what == 0)
      CrossCoreSetFlag<2, PIPE_FIX>(16); // flag id
    if (what == 1)
      CrossCoreWaitFlag(99); // wait id
    if (what == 2)
      CrossCoreSetFlag<2, PIPE_FIX>(7); // left over
    if (what == 3)
      CrossCoreWaitFlag(9); // never set
    if (what == 4)
      CrossCoreSetFlag<1, PIPE_FIX>(1); // mode 1 on cube
    if (what == 8)
      SyncAll<false>(); // only cubes
  }
  if ASCEND_IS_AIV {
    if (what == 3)
      CrossCoreWaitFlag(8); // never set either
    if (what == 5) {
      CrossCoreSetFlag<0, PIPE_MTE3>(5);
      CrossCoreSetFlag<2, PIPE_MTE3>(5); // mode change
    }
  }
}
__global__ __vector__ void in_vector(__gm__ int32_t *out, int what) {
  if (what == 0)
    CrossCoreSetFlag<0, PIPE_MTE3>(1); // set in vector
  if (what == 1)
    CrossCoreWaitFlag(1); // wait in vector
  if (what == 2)
    SyncAll(); // sync in vector
}
__global__ __mix__(0, 1) void in_mix01(__gm__ int32_t *out, int what) {
  if (what == 0)
    SyncAll<false>(); // all in mix01
  if (what == 1)
    CrossCoreSetFlag<2, PIPE_MTE3>(1); // mode 2 in mix01
  if (what == 2 && GetBlockIdx() != 1)
    SyncAll(); // one is missing
}
__global__ __aicore__ void undeclared(__gm__ int32_t *cells, __gm__ int32_t *sums) {
  rounds(cells, sums, GetBlockIdx(), GetBlockNum(), [] { SyncAll(); });
}
__global__ __aicore__ void undeclared_many(__gm__ int32_t *out) { SyncAll(); /* too many */ }
// enough work that several threads take part: each core fills its row, then sums a column of everybody's
__global__ __mix__(1, 2) void heavy(__gm__ int32_t *rows, __gm__ int32_t *sums) {
  constexpr int n = 8192;
  if ASCEND_IS_AIV {
    const int all = GetBlockNum() * 2, me = GetBlockIdx();
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer(rows, all * n);
    LocalTensor<int32_t> ub(TPosition::VECCALC, 0, n);
    for (int round = 0; round < 20; ++round) {
      Duplicate(ub, me + round, n);
      for (int i = 0; i < 8; ++i)
        DataCopy(gm[me * n], ub, n);
      CrossCoreSetFlag<2, PIPE_MTE3>(1);
      CrossCoreWaitFlag(2);
      SyncAll();
      int32_t sum = 0;
      for (int i = 0; i < all; ++i)
        sum += rows[i * n + n - 1 - me];
      sums[round * all + me] = sum;
      SyncAll();
    }
  }
  if ASCEND_IS_AIC {
    for (int round = 0; round < 20; ++round) {
      CrossCoreWaitFlag(1);
      CrossCoreSetFlag<2, PIPE_FIX>(2);
    }
  }
}
__global__ __vector__ void no_effect(__gm__ int32_t *out) {
  TQueSync<PIPE_MTE2, PIPE_V> sync;
  sync.SetFlag(EVENT_ID0);
  sync.WaitFlag(EVENT_ID0);
  MutexID mutex = AllocMutexID();
  Mutex::Lock<PIPE_V>(mutex);
  Mutex::Unlock<PIPE_V>(mutex);
  ReleaseMutexID(mutex);
  SetNextTaskStart();
  WaitPreTaskEnd();
  DataSyncBarrier<MemDsbT::ALL>();
  PipeBarrier<PIPE_ALL>();
  out[0] = mutex + 1;
}
#define GO(name) extern "C" void go_##name(int32_t *a, int32_t *b, int64_t n) { name<<<n, 0, nullptr>>>(a, b); }
GO(heavy) GO(hard) GO(flag0) GO(hard_all) GO(hard_vectors) GO(chain) GO(undeclared)
#define GO1(name) extern "C" void go_##name(int32_t *a, int64_t n) { name<<<n, 0, nullptr>>>(a); }
GO1(mode2) GO1(mode1) GO1(undeclared_many) GO1(no_effect)
#define GOI(name) extern "C" void go_##name(int32_t *a, int64_t i, int64_t n) { name<<<n, 0, nullptr>>>(a, static_cast<int>(i)); }
GOI(pair_misuse) GOI(counter) GOI(misuse) GOI(in_vector) GOI(in_mix01)
extern "C" void go_soft(int32_t *a, int32_t *b, int32_t *w, int64_t used, int64_t n) { soft<<<n, 0, nullptr>>>(a, b, w, static_cast<int>(used)); }
extern "C" void go_soft_small(int32_t *w, int64_t gm, int64_t ub, int64_t used, int64_t n) {
  soft_small<<<n, 0, nullptr>>>(w, static_cast<int>(gm), static_cast<int>(ub), static_cast<int>(used));
}
extern "C" void go_turns(int32_t *a, int32_t *w, int64_t prepare, int64_t n) { turns<<<n, 0, nullptr>>>(a, w, static_cast<int>(prepare)); }
"""  # noqa: E501


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("sync"))


@pytest.fixture(params=[1, 4], ids=["one thread", "four threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    runtime().ferrata_set_threads(request.param)
    yield request.param
    runtime().ferrata_set_threads(0)


def expected_sums(cores: int) -> np.ndarray:
    return np.array([[cores * (cores - 1) // 2 + 100 * r * cores] * cores for r in range(5)])


@pytest.mark.parametrize(
    ("name", "blocks", "cores"),
    [("hard", 1, 1), ("hard", 48, 48), ("flag0", 7, 7), ("hard_all", 24, 72), ("hard_all", 1, 3),
     ("hard_vectors", 5, 10), ("undeclared", 9, 9)],
)  # fmt: skip
@pytest.mark.usefixtures("threads")
def test_no_core_passes_a_barrier_before_the_last_has_come(
    kernels: Kernels, memory: Device, name: str, blocks: int, cores: int
) -> None:
    cells, sums = memory.array(np.zeros(cores, np.int32)), memory.array(np.zeros((5, cores), np.int32))
    assert kernels(f"go_{name}", cells, sums, blocks) is None
    np.testing.assert_array_equal(sums, expected_sums(cores))


@pytest.mark.usefixtures("threads")
def test_barriers_hold_on_several_threads(kernels: Kernels, memory: Device) -> None:
    cores = 16
    rows, sums = memory.array(np.zeros((cores, 8192), np.int32)), memory.array(np.zeros((20, cores), np.int32))
    assert kernels("go_heavy", rows, sums, cores // 2) is None
    want = [[cores * (cores - 1) // 2 + cores * r] * cores for r in range(20)]
    np.testing.assert_array_equal(sums, want)


@pytest.mark.parametrize("used", [0, 1, 3])
def test_software_barrier(kernels: Kernels, memory: Device, used: int) -> None:
    cores = used or 6
    cells, sums = memory.array(np.zeros(cores, np.int32)), memory.array(np.zeros((5, cores), np.int32))
    workspace = memory.array(np.zeros(6 * 8, np.int32))
    assert kernels("go_soft", cells, sums, workspace, used, 6) is None
    np.testing.assert_array_equal(sums, expected_sums(cores))


@pytest.mark.parametrize(
    ("fill", "gm", "ub", "used", "words"),
    [(0, 31, 64, 0, "gmWorkspace has 124 bytes and 128 are needed"), (0, 32, 24, 0, "ubWorkspace has 96 bytes and 128"),
     (0, 32, 32, 5, "usedCores is 5"), (0, 32, 32, -1, "usedCores is -1"), (3, 32, 32, 0, "not zero"),
     (0, 32, 32, 2, "usedCores is 2 and core 2 calls it")],
)  # fmt: skip
def test_software_barrier_misused(
    kernels: Kernels, memory: Device, fill: int, gm: int, ub: int, used: int, words: str
) -> None:
    fault = kernels("go_soft_small", memory.array(np.full(64, fill, np.int32)), gm, ub, used, 4)
    assert fault is not None and fault.kind == "BadArgument" and words in fault.message
    assert fault.line == kernels.line("// soft misuse") and fault.api.startswith("SyncAll")


@pytest.mark.usefixtures("threads")
def test_of_several_faults_the_lowest_cores_is_reported(kernels: Kernels, memory: Device) -> None:
    for _ in range(20):  # cores 0 and 1 wait, which wakes the other threads; all the others fault
        fault = kernels("go_soft_small", memory.array(np.zeros(128, np.int32)), 128, 128, 2, 16)
        assert fault is not None and "usedCores is 2 and core 2 calls it" in fault.message


@pytest.mark.usefixtures("threads")
def test_pairwise_flags_pass_work_along(kernels: Kernels, memory: Device) -> None:
    out, workspace = memory.array(np.zeros((2, 9), np.int32)), memory.array(np.zeros(9 * 8 * 2, np.int32))
    assert kernels("go_chain", out, workspace, 9) is None
    np.testing.assert_array_equal(out, np.tile(np.cumsum(np.arange(1, 10)), (2, 1)))
    assert not workspace.any()  # each wait took its flag back


@pytest.mark.parametrize(
    ("what", "kind", "words", "mark"),
    [(0, "BadArgument", "blockIdx is 5", "// pair block"), (1, "BadArgument", "eventID is -1", "// pair event"),
     (2, "BadArgument", "gmWorkspace has 256 bytes and 288", "// pair size"),
     (3, "EventMisuse", "already set", "// pair twice"),
     (4, "Deadlock", "IBWait(blockIdx 0, eventID 1)", "// pair never")],
)  # fmt: skip
def test_pairwise_flags_misused(kernels: Kernels, memory: Device, what: int, kind: str, words: str, mark: str) -> None:
    fault = kernels("go_pair_misuse", memory.array(np.zeros(64, np.int32)), what, 1)
    assert fault is not None and fault.kind == kind and words in fault.message
    assert fault.line == kernels.line(mark)


@pytest.mark.usefixtures("threads")
def test_sections_run_in_core_order(kernels: Kernels, memory: Device) -> None:
    out, workspace = memory.array(np.zeros(64, np.int32)), memory.array(np.full(5 * 8, 77, np.int32))
    assert kernels("go_turns", out, workspace, 1, 5) is None
    assert out[1:16].tolist() == [r * 100 + i for r in range(3) for i in range(5)]


def test_section_without_a_prepared_workspace(kernels: Kernels, memory: Device) -> None:
    fault = kernels("go_turns", memory.array(np.zeros(64, np.int32)), memory.array(np.zeros(40, np.int32)), 0, 5)
    assert fault is not None and "InitDetermineComputeWorkspace" in fault.message
    assert fault.line == kernels.line("// turns unprepared")


@pytest.mark.usefixtures("threads")
def test_mode_2_hands_over_between_a_cube_core_and_its_vector_cores(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(64, np.int32))
    assert kernels("go_mode2", out, 4) is None
    assert out[16:20].tolist() == [sum(3 * (i + 1) for i in range(20))] * 4


@pytest.mark.usefixtures("threads")
def test_mode_1_joins_the_two_vector_cores_of_a_block(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(64, np.int32))
    assert kernels("go_mode1", out, 3) is None
    assert out[16:22].tolist() == [45 + 10 * (i ^ 1) for i in range(6)]


@pytest.mark.parametrize("sets", [1, 15])
def test_flag_counter_counts_to_15(kernels: Kernels, memory: Device, sets: int) -> None:
    out = memory.array(np.zeros(1, np.int32))
    assert kernels("go_counter", out, sets, 1) is None
    assert out[0] == sets


def test_flag_counter_overflows_at_16(kernels: Kernels, memory: Device) -> None:
    fault = kernels("go_counter", memory.array(np.zeros(1, np.int32)), 16, 1)
    assert fault is not None and fault.kind == "EventMisuse" and "flag 2 was set 16 times" in fault.message
    assert fault.line == kernels.line("// counter set") and fault.api == "CrossCoreSetFlag" and fault.core == "AIC"


@pytest.mark.parametrize(
    ("name", "what", "kind", "words", "mark"),
    [("misuse", 0, "EventMisuse", "flagId is 16", "// flag id"),
     ("misuse", 1, "EventMisuse", "flagId is 99", "// wait id"),
     ("misuse", 2, "EventMisuse", "flag 7 was set for this core 1 time(s) more", "// left over"),
     ("misuse", 4, "WrongCore", "mode 1", "// mode 1 on cube"),
     ("misuse", 5, "EventMisuse", "flag 5", "// mode change"),
     ("in_vector", 0, "WrongCore", "__vector__", "// set in vector"),
     ("in_vector", 1, "WrongCore", "__mix__(0, 1)", "// wait in vector"),
     ("in_vector", 2, "WrongCore", "SyncAll", "// sync in vector"),
     ("in_mix01", 0, "WrongCore", "would hang", "// all in mix01"),
     ("in_mix01", 1, "WrongCore", "mode 2", "// mode 2 in mix01")],
)  # fmt: skip
def test_misuse_names_the_call_and_the_line(
    kernels: Kernels, memory: Device, name: str, what: int, kind: str, words: str, mark: str
) -> None:
    fault = kernels(f"go_{name}", memory.array(np.zeros(8, np.int32)), what, 1)
    assert fault is not None
    assert (fault.kind, fault.line) == (kind, kernels.line(mark)) and words in fault.message


@pytest.mark.usefixtures("threads")
def test_deadlock_lists_what_every_core_waits_for(kernels: Kernels, memory: Device) -> None:
    fault = kernels("go_misuse", memory.array(np.zeros(8, np.int32)), 3, 2)
    assert fault is not None and fault.kind == "Deadlock"
    for wait, mark, cores in (
        ("(9)", "// never set\n", "AIC 0, AIC 1"),
        ("(8)", "// never set either", "AIV 0, AIV 1"),
    ):
        line = next(
            n for n, text in enumerate(TEXT.splitlines(), 1) if (text + "\n").endswith(mark) or text.endswith(mark)
        )
        assert f"{cores}: CrossCoreWaitFlag{wait} at " in fault.message
        assert f".asc:{line}" in fault.message


@pytest.mark.parametrize(
    ("name", "what", "blocks", "wait", "ended"),
    [("in_mix01", 2, 3, "AIV 0, AIV 2: SyncAll() at", "1 of 3 cores have ended"),
     ("misuse", 8, 1, "AIC 0: SyncAll<false>() at", "1 of 2 cores have ended")],
)  # fmt: skip
def test_barrier_that_a_core_never_reaches(
    kernels: Kernels, memory: Device, name: str, what: int, blocks: int, wait: str, ended: str
) -> None:
    fault = kernels(f"go_{name}", memory.array(np.zeros(8, np.int32)), what, blocks)
    assert fault is not None and fault.kind == "Deadlock"
    assert wait in fault.message and ended in fault.message


def test_barrier_with_more_blocks_than_cores(kernels: Kernels, memory: Device) -> None:
    fault = kernels("go_undeclared_many", memory.array(np.zeros(8, np.int32)), 49)
    assert fault is not None and fault.kind == "BadLaunch"
    assert "numBlocks is 49" in fault.message and "48 blocks" in fault.message
    assert fault.line == kernels.line("/* too many */")


def test_calls_without_effect_are_accepted(kernels: Kernels, memory: Device) -> None:
    out = memory.array(np.zeros(1, np.int32))
    assert kernels("go_no_effect", out, 1) is None
    assert out[0] == 1
