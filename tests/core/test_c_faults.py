"""Misuse of the C interface: a fault names the function that was called, not the instruction behind it."""

from __future__ import annotations

import pytest

from tests.core.emulated import Device, Kernels

# statement -> (function, kind of fault, message)
CASES: dict[str, tuple[str, str, str]] = {
    "asc_abs(f, f + 16, 64)": ("asc_abs", "BadArgument", "overlap"),
    "asc_abs(f, f + 1024, 65536)": ("asc_abs", "OutOfBounds", "dst has 196608 bytes and 262144 are needed"),
    "asc_add(f + 1, f + 1024, f + 2048, 64)": ("asc_add", "Misaligned", "dst starts at byte 4"),
    "asc_add_sync(f + 1, f + 1024, f + 2048, 64)": ("asc_add_sync", "Misaligned", "dst starts at byte 4"),
    "asc_add(f, f + 1024, f + 2048, big, 1, 1, 1, 8, 8, 8)": ("asc_add", "BadArgument", "repeatTime is 300"),
    "asc_add(f, f + 1024, f + 2048, 1, 1, big, 1, 8, 8, 8)": ("asc_add", "BadArgument", "src0_block_stride is 300; it must be 0..255"),
    "asc_exp(f, f + 1024, 1, 1, 1, wide, 8)": ("asc_exp", "BadArgument", "dst_repeat_stride is 70000; it must be 0..65535"),
    "asc_duplicate(f, 1.0f, 1, wide, 8)": ("asc_duplicate", "BadArgument", "dst_block_stride is 70000"),
    "asc_half2float(f, h + 8192 + 8, 64)": ("asc_half2float", "Misaligned", "src starts at byte 16400"),
    "asc_lt(b, f, f + 1024, 1, 1, 1, 1, 8, big, 8)": ("asc_lt", "BadArgument", "src0_repeat_stride is 300"),
    "asc_select(f, f + 1024, f + 2049, 64)": ("asc_select", "Misaligned", "src1 starts at byte 8196"),
    "asc_datablock_reduce_sum(f, f + 1024, 1, wide, 1, 8)": ("asc_datablock_reduce_sum", "BadArgument", "dst_repeat_stride is 70000"),
    "asc_gather(f, f + 1024, u, 8, 256)": ("asc_gather", "BadArgument", "repeatTime is 256"),
    "asc_brcb(f, f + 1024, wide, 8, 1)": ("asc_brcb", "BadArgument", "dstBlkStride is 70000"),
    "asc_bitsort(f + 8, f + 1024, u, 1)": ("asc_bitsort", "Misaligned", "dst starts at byte 32"),
    "asc_transpose(h + 16, h, )": ("asc_transpose", "BadArgument", "overlaps src"),
    "asc_set_deq_scale(1.0f, int16_t(big), true)": ("asc_set_deq_scale", "BadArgument", "offset is 300"),
    "asc_deq_int162b8_h(i8, i16, 128)": ("asc_deq_int162b8_h", "BadArgument", "must be called before"),
    "{ float a; uint32_t n; asc_get_reduce_max_cnt(a, n); }": ("asc_get_reduce_max_cnt", "BadArgument", "no reduction has run"),
    "asc_sync_notify(PIPE_V, PIPE_MTE3, (event_t)9)": ("asc_sync_notify", "EventMisuse", "event id 9 of V_MTE3"),
    "asc_sync_wait(PIPE_V, PIPE_MTE3, EVENT_ID1)": ("asc_sync_wait", "EventMisuse", "nothing has set it"),
    "asc_sync_inter_arrive(PIPE_MTE3, 1)": ("asc_sync_inter_arrive", "WrongCore", "cross-core synchronisation is off"),
    "asc_copy_gm2ub(f, gm, 8192)": ("asc_copy_gm2ub", "OutOfBounds", "src touches bytes 0 to 8191"),
    "asc_copy_gm2ub(f, gm, 1, wide, 0, 0)": ("asc_copy_gm2ub", "BadArgument", "len_burst is 70000"),
    "asc_copy_gm2ub_align(f, gm, 1, 32, big, 0, 0, 0)": ("asc_copy_gm2ub_align", "BadArgument", "leftPadding is 300"),
    "asc_copy_gm2ub_align_sync(f, gm, 1, 32, 9, 0, 0, 0)": ("asc_copy_gm2ub_align_sync", "BadArgument", "leftPadding is 9"),
    "asc_copy_ub2gm_align(gm, f, 8192)": ("asc_copy_ub2gm_align", "OutOfBounds", "dst touches bytes 0 to 8191"),
    "asc_set_cmp_mask(b + 8)": ("asc_set_cmp_mask", "Misaligned", "must be a multiple of 16"),
}  # fmt: skip

TEXT = r"""
#include "c_api/asc_simd.h"
__global__ __vector__ void misuse(int what, __gm__ float *gm, int big, int wide) {
  asc_init();
  __ubuf__ uint8_t *b = (__ubuf__ uint8_t *)asc_get_phy_buf_addr(0);
  __ubuf__ float *f = (__ubuf__ float *)b;
  __ubuf__ half *h = (__ubuf__ half *)b;
  __ubuf__ int16_t *i16 = (__ubuf__ int16_t *)(b + 4096);
  __ubuf__ int8_t *i8 = (__ubuf__ int8_t *)b;
  __ubuf__ uint32_t *u = (__ubuf__ uint32_t *)(b + 16384);
  (void)f, (void)h, (void)i16, (void)i8, (void)u;
  switch (what) {
%s
  }
}
extern "C" void run(int what, float *gm) { misuse<<<1, 0, 0>>>(what, gm, 300, 70000); }
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    lines = [f"  case {i}: {text.replace(', )', ')')}; break; // case {i};" for i, text in enumerate(CASES)]
    return Kernels(TEXT % "\n".join(lines), tmp_path_factory.mktemp("c_faults"))


@pytest.mark.parametrize("statement", CASES)
def test_a_fault_names_the_function(statement: str, kernels: Kernels, memory: Device) -> None:
    function, kind, message = CASES[statement]
    number = list(CASES).index(statement)
    fault = kernels("run", number, memory.array([0.0] * 1024, "float32"))
    assert fault is not None
    assert message in fault.message, fault.message
    assert (fault.api, fault.kind, fault.line) == (function, kind, kernels.line(f"// case {number};"))
