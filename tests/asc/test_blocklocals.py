"""`__BLOCK_LOCAL__` objects: one value per core, also while cores take turns, and the initial one for each core."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ferrata.asc import blocklocals
from ferrata.asc.home import home
from ferrata.asc.lexer import tokens
from ferrata.asc.rewrite import apply
from tests.asc.conftest import Driver


@pytest.mark.parametrize(
    ("before", "names"),
    [
        ("__BLOCK_LOCAL__ int32_t a;", ["a"]),
        ("__BLOCK_LOCAL__ __inline__ LocalTensor<half> *p = nullptr;", ["p"]),
        ("__BLOCK_LOCAL__ T<1, 2> a{f(1, 2), 3}, b[4] = {1, 2}, *c;", ["a", "b", "c"]),
        ("extern __BLOCK_LOCAL__ int a;", []),
    ],
)
def test_declarations_are_registered(before: str, names: list[str]) -> None:
    after = before + "".join(f" FERRATA_BLOCK_LOCAL({name})" for name in names)
    assert apply(f"{before} int x;", blocklocals.edits(tokens(f"{before} int x;"))) == f"{after} int x;"


STATE = """\
#pragma once
struct State { int32_t id, sum; };
__BLOCK_LOCAL__ State state{-1, 5};
"""
PROGRAM = """\
#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "state.h"
using namespace AscendC;
__BLOCK_LOCAL__ int32_t counts[2];
__BLOCK_LOCAL__ __inline__ LocalTensor<int32_t> *shared;
__aicore__ inline void Step(int32_t by) { state.sum += by; ++counts[1]; }
__global__ __mix__(0, 1) void k(__gm__ int32_t *out) {
  TPipe pipe;
  TBuf<> buffer;
  pipe.InitBuffer(buffer, 32);
  LocalTensor<int32_t> tensor = buffer.Get<int32_t>();
  shared = &tensor;
  const int32_t first = state.id;
  state.id = GetBlockIdx();
  for (int i = 0; i < 3; ++i) {
    SyncAll();
    Step(state.id * 10);
  }
  shared->SetValue(0, first);
  shared->SetValue(1, state.sum);
  shared->SetValue(2, counts[0] * 100 + counts[1]);
  GlobalTensor<int32_t> all;
  all.SetGlobalBuffer(out + GetBlockIdx() * 8, 8);
  PipeBarrier<PIPE_ALL>();
  DataCopy(all, tensor, 8);
}
int main() {
  aclrtSetDevice(0);
  int32_t *out, host[64];
  aclrtMalloc((void **)&out, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST);
  for (int launch = 0; launch < 2; ++launch) {
    k<<<8, 0>>>(out);
    if (aclrtSynchronizeDevice()) return 1;
    aclrtMemcpy(host, sizeof host, out, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int i = 0; i < 8; ++i) printf("%d %d %d\\n", host[i * 8], host[i * 8 + 1], host[i * 8 + 2]);
  }
}
"""


def test_every_core_has_its_own_value(bisheng: Driver, tmp_path: Path) -> None:
    (tmp_path / "state.h").write_text(STATE)
    (tmp_path / "p.asc").write_text(PROGRAM)
    done = bisheng("--npu-arch=dav-2201", "-O0", "p.asc", "-o", "p", f"-I{home()}/include")
    assert (done.returncode, done.stderr) == (0, "")
    run = subprocess.run([tmp_path / "p"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == [f"-1 {5 + 30 * core} 3" for core in range(8)] * 2
