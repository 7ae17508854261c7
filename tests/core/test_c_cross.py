"""The C interface between cores: all of a type, the vector cores of a block, a block's cube core and its vector cores."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.emulated import Device, Kernels

TEXT = r"""
#include "c_api/asc_simd.h"
__global__ __mix__(0, 1) void inter(__gm__ int32_t *cells) {
  asc_init();
  const int64_t me = asc_get_block_idx(), all = asc_get_block_num();
  for (int round = 0; round < 3; ++round) {
    cells[me * 16] = 10 * round + me;
    asc_sync_inter_arrive(PIPE_MTE3, 1);
    asc_sync_inter_wait(PIPE_S, 1);
    int32_t sum = 0;
    for (int64_t core = 0; core < all; ++core)
      sum += cells[core * 16];
    asc_sync_inter_arrive(PIPE_MTE3, 2);
    asc_sync_inter_wait(PIPE_S, 2);
    cells[me * 16 + 1 + round] = sum;
  }
}
__global__ __mix__(1, 2) void block(__gm__ int32_t *cells) {
  if ASCEND_IS_AIC {
    asc_sync_block_wait(PIPE_S, 3);
    cells[0] = cells[16] + cells[32];
    asc_sync_block_arrive(PIPE_FIX, 4);
  } else {
    const int64_t me = asc_get_sub_block_id();
    cells[16 + 16 * me] = 5 + me;
    asc_sync_subblock_arrive(PIPE_MTE3, 0);
    asc_sync_subblock_wait(PIPE_S, 0);
    cells[16 + 16 * me + 1] = cells[16 + 16 * (1 - me)];
    asc_sync_block_arrive(PIPE_MTE3, 3);
    asc_sync_block_wait(PIPE_S, 4);
    cells[16 + 16 * me + 2] = cells[0];
  }
}
extern "C" {
void go_inter(int32_t *cells) { inter<<<4, 0, 0>>>(cells); }
void go_block(int32_t *cells) { block<<<1, 0, 0>>>(cells); }
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(TEXT, tmp_path_factory.mktemp("c_cross"))


def test_all_vector_cores_meet(kernels: Kernels, memory: Device) -> None:
    cells = memory.array(np.zeros((4, 16), np.int32))
    assert kernels("go_inter", cells) is None
    assert cells[:, 1:4].tolist() == [[6, 46, 86]] * 4


def test_a_block_and_its_vector_cores(kernels: Kernels, memory: Device) -> None:
    cells = memory.array(np.zeros((3, 16), np.int32))
    assert kernels("go_block", cells) is None
    assert cells[:, :3].tolist() == [[11, 0, 0], [5, 6, 11], [6, 5, 11]]
