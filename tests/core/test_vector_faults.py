"""Misuse of the vector instructions: every constraint that can be seen at the call names the call, operand, limit and line."""

from __future__ import annotations

import re

import pytest

from tests.core.emulated import Device, Kernels

HEAD = r"""
#include "kernel_operator.h"
using namespace AscendC;

template <class T> inline LocalTensor<T> ub(uint32_t address, uint32_t elements) {
  return LocalTensor<T>(TPosition::VECCALC, address, elements);
}
inline void offsets(LocalTensor<uint32_t> to, uint32_t first, uint32_t step) {
  for (uint32_t i = 0; i < to.GetSize(); ++i)
    to.SetValue(i, first + i * step);
}
__global__ __vector__ void misuse(int what) {
  uint64_t taken = 0;
  const uint16_t lengths[4] = {8, 8, 8, 8}, unequal[4] = {8, 8, 8, 7};
  MrgSortSrcList<float> apart(ub<float>(8192, 64), ub<float>(8704, 64), ub<float>(9216, 64), ub<float>(9728, 64));
  LocalTensor<uint32_t> at = ub<uint32_t>(65536, 64);
  (void)taken, (void)lengths, (void)unequal;
  switch (what) {
"""
TAIL = r"""
  }
}
extern "C" void run(int what) { misuse<<<1, 0, nullptr>>>(what); }
"""

# name -> (statement, kind of fault, message)
CASES: dict[str, tuple[str, str, str]] = {
    # broadcasts and ranges
    "brcb_repeat": ("Brcb(ub<half>(0, 128), ub<half>(4096, 16), 256, BrcbRepeatParams(1, 8));", "BadArgument",
                    "repeatTime is 256; it must be 0..255"),
    "brcb_short": ("Brcb(ub<float>(0, 128), ub<float>(4096, 15), 2, BrcbRepeatParams(1, 8));", "OutOfBounds",
                   "src has 60 bytes and 64 are needed"),
    "brcb_dst": ("Brcb(ub<float>(0, 127), ub<float>(4096, 16), 2, BrcbRepeatParams(1, 8));", "OutOfBounds",
                 "dst has 508 bytes and 512 are needed"),
    "brcb_overlap": ("Brcb(ub<float>(0, 64), ub<float>(32, 8), 1, BrcbRepeatParams(1, 8));", "BadArgument",
                     "dst (bytes 0 to 255 of the Unified Buffer) overlaps src (bytes 32 to 63); they must be apart"),
    "arange_count": ("Arange(ub<float>(0, 64), 0.0f, 1.0f, 0);", "BadArgument", "count is 0; it must be greater than 0"),
    "arange_step": ("Arange(ub<int32_t>(0, 64), 0, -2, 8);", "BadArgument", "diffValue is -2; it must not be negative"),
    "arange_beyond": ("Arange(ub<float>(0, 64), 0.0f, 1.0f, 65);", "OutOfBounds", "dst has 256 bytes and 260 are needed"),
    # gathers
    "gather_outside": ("offsets(at, 0, 4), Gather(ub<float>(0, 64), ub<float>(4096, 32), at, 4u, 32u);", "OutOfBounds",
                       "srcOffset[31] is 124: byte 128 is outside src, which has 128 bytes"),
    "gather_misaligned": ("offsets(at, 0, 2), Gather(ub<float>(0, 64), ub<float>(4096, 64), at, 0u, 32u);", "Misaligned",
                          "srcOffset[1] is 2: byte 2 of src is not a multiple of 4"),
    "gather_offsets": ("Gather(ub<float>(0, 65), ub<float>(4096, 64), at, 0u, 65u);", "OutOfBounds",
                       "srcOffset has 256 bytes and 260 are needed"),
    "gather_overlap": ("offsets(at, 0, 4), Gather(ub<float>(64, 16), ub<float>(0, 64), at, 0u, 17u - 1u + 1u);", "OutOfBounds",
                       "dst has 64 bytes and 68 are needed"),
    "gather_in_place": ("offsets(at, 0, 4), Gather(ub<float>(32, 32), ub<float>(0, 64), at, 0u, 32u);", "BadArgument",
                        "dst (bytes 32 to 159 of the Unified Buffer) overlaps src (bytes 0 to 127)"),
    "gather_repeat": ("Gather(ub<float>(0, 64), ub<float>(4096, 64), at, 0u, 64, 256, 8);", "BadArgument",
                      "repeatTime is 256; it must be 0..255"),
    "gatherb_misaligned": ("offsets(at, 0, 16), Gatherb(ub<uint16_t>(0, 128), ub<uint16_t>(4096, 256), at, 1, GatherRepeatParams(1, 8));",
                           "Misaligned", "offset[1] is 16: byte 16 of src is not a multiple of 32"),
    "gatherb_outside": ("offsets(at, 0, 32), Gatherb(ub<uint16_t>(0, 128), ub<uint16_t>(4096, 112), at, 1, GatherRepeatParams(1, 8));",
                        "OutOfBounds", "offset[7] is 224: byte 224 is outside src, which has 224 bytes"),
    "pattern_zero": ("GatherMask(ub<float>(0, 64), ub<float>(4096, 64), uint8_t(0), false, 0, GatherMaskParams(1, 1, 8, 8), taken);",
                     "BadArgument", "src1Pattern is 0; it must be 1..7"),
    "pattern_eight": ("GatherMask(ub<float>(0, 64), ub<float>(4096, 64), uint8_t(8), false, 0, GatherMaskParams(1, 1, 8, 8), taken);",
                      "BadArgument", "src1Pattern is 8; it must be 1..7"),
    "pack_mask": ("GatherMask(ub<float>(0, 64), ub<float>(4096, 64), uint8_t(1), true, 0, GatherMaskParams(1, 1, 8, 8), taken);",
                  "BadArgument", "mask is 0; with reduceMode"),
    "pack_src": ("GatherMask(ub<float>(0, 64), ub<float>(4096, 64), uint8_t(1), true, 65, GatherMaskParams(1, 1, 8, 8), taken);",
                 "OutOfBounds", "src0 has 256 bytes and 260 are needed"),
    "pack_dst": ("GatherMask(ub<float>(0, 31), ub<float>(4096, 64), uint8_t(2), false, 0, GatherMaskParams(1, 1, 8, 8), taken);",
                 "OutOfBounds", "dst has 124 bytes and 128 are needed"),
    "pack_bits": ("GatherMask(ub<float>(0, 64), ub<float>(4096, 64), ub<uint32_t>(8192, 1), false, 0, GatherMaskParams(1, 1, 8, 8), taken);",
                  "OutOfBounds", "src1Pattern has 4 bytes and 8 are needed"),
    "interpolate_tmp": ("offsets(at, 0, 0), BilinearInterpolation(ub<half>(0, 128), ub<half>(4096, 64), at, ub<half>(8192, 16), 128, 2, false, 1, 128, 1, "
                        "ub<uint8_t>(16384, 100));", "OutOfBounds", "sharedTmpBuffer has 100 bytes and 2560 are needed"),
    "interpolate_repeat": ("BilinearInterpolation(ub<half>(0, 128), ub<half>(4096, 64), at, ub<half>(8192, 16), 128, 0, false, 1, 128, 1, "
                           "ub<uint8_t>(16384, 4096));", "BadArgument", "hRepeat is 0 and vRepeat is 1; they must be 1..255"),
    "interpolate_offset": ("BilinearInterpolation(ub<half>(0, 128), ub<half>(4096, 64), at, ub<half>(8192, 16), 128, 1, false, 1, 136, 1, "
                           "ub<uint8_t>(16384, 4096));", "BadArgument", "vROffset is 136 elements; it must be a multiple of 16"),
    # sorts
    "sort_dst_align": ("Sort32(ub<float>(32, 64), ub<float>(4096, 32), ub<uint32_t>(8192, 32), 1);", "Misaligned",
                       "dst starts at byte 32 of the Unified Buffer; it must be a multiple of 256"),
    "sort_src_align": ("Sort32(ub<float>(0, 64), ub<float>(4160, 32), ub<uint32_t>(8192, 32), 1);", "Misaligned",
                       "src0 starts at byte 4160 of the Unified Buffer; it must be a multiple of 128"),
    "sort_half_align": ("Sort32(ub<half>(0, 128), ub<half>(4128, 32), ub<uint32_t>(8192, 32), 1);", "Misaligned",
                        "src0 starts at byte 4128 of the Unified Buffer; it must be a multiple of 64"),
    "sort_index_align": ("Sort32(ub<float>(0, 64), ub<float>(4096, 32), ub<uint32_t>(8224, 32), 1);", "Misaligned",
                         "src1 starts at byte 8224 of the Unified Buffer; it must be a multiple of 128"),
    "sort_short": ("Sort32(ub<float>(0, 127), ub<float>(4096, 64), ub<uint32_t>(8192, 64), 2);", "OutOfBounds",
                   "dst has 508 bytes and 512 are needed"),
    "sort_repeat": ("Sort32(ub<float>(0, 64), ub<float>(4096, 32), ub<uint32_t>(8192, 32), -1);", "BadArgument",
                    "repeatTime is -1; it must be 0..255"),
    "sort_tmp": ("auto tmp = ub<float>(32768, 32); Sort<float, true>(ub<float>(0, 128), ub<float>(4096, 64), ub<uint32_t>(8192, 64), tmp, 2);",
                 "OutOfBounds", "tmp has 128 bytes and 512 are needed"),
    "concat_short": ("LocalTensor<float> all; Concat(all, ub<float>(0, 31), ub<float>(4096, 32), 2);", "OutOfBounds",
                     "src has 31 elements and 32 are needed"),
    "extract_overlap": ("Extract(ub<float>(0, 32), ub<uint32_t>(96, 32), ub<float>(4096, 64), 1);", "BadArgument",
                        "dstValue (bytes 0 to 127 of the Unified Buffer) overlaps dstIndex (bytes 96 to 223)"),
    "merge_valid": ("MrgSort(ub<float>(0, 64), apart, MrgSort4Info(lengths, false, 5, 1));", "BadArgument",
                    "validBit is 5; it must be 3, 7 or 15"),
    "merge_length": ("const uint16_t long_[4] = {4096, 1, 1, 1}; MrgSort(ub<float>(0, 64), apart, MrgSort4Info(long_, false, 15, 1));",
                     "BadArgument", "elementLengths[0] is 4096; it must be 0..4095"),
    "merge_apart": ("MrgSort(ub<float>(0, 128), apart, MrgSort4Info(lengths, false, 15, 2));", "BadArgument",
                    "the queues do not follow each other"),
    "merge_unequal": ("MrgSort(ub<float>(0, 128), apart, MrgSort4Info(unequal, false, 15, 2));", "BadArgument", "the lengths differ"),
    "merge_suspended": ("MrgSort(ub<float>(0, 128), apart, MrgSort4Info(lengths, true, 15, 2));", "BadArgument",
                        "ifExhaustedSuspension is true"),
    "merge_three": ("MrgSort(ub<float>(0, 128), apart, MrgSort4Info(lengths, false, 7, 2));", "BadArgument", "validBit is not 15"),
    "merge_short": ("MrgSort(ub<float>(0, 63), apart, MrgSort4Info(lengths, false, 15, 1));", "OutOfBounds",
                    "dst has 252 bytes and 256 are needed"),
    "merge_overlap": ("MrgSort(ub<float>(8672, 64), apart, MrgSort4Info(lengths, false, 15, 1));", "BadArgument",
                      "overlaps src2 (bytes 8704 to 8767)"),
    "merge_repeat": ("uint32_t n[4]; MrgSort<float>(ub<float>(0, 64), apart, lengths, n, 15, 0);", "BadArgument",
                     "repeatTime is 0; it must be 1..255"),
    "merge_result": ("uint16_t a, b, c, d; GetMrgSortResult(a, b, c, d);", "BadArgument", "no MrgSort has run with ifExhaustedSuspension = true"),
    # transposes
    "transpose_short": ("Transpose(ub<half>(0, 256), ub<half>(4096, 255));", "OutOfBounds", "src has 510 bytes and 512 are needed"),
    "transpose_overlap": ("Transpose(ub<half>(32, 256), ub<half>(0, 256));", "BadArgument", "overlaps src (bytes 0 to 511)"),
    "permute_tmp": ("Transpose(ub<half>(0, 256), ub<half>(4096, 256), ub<uint8_t>(8192, 64), "
                    "TransposeParamsExt(1, 16, 4, 4, TransposeType::TRANSPOSE_NCHW2NHWC));", "OutOfBounds",
                    "sharedTmpBuffer has 64 bytes and 9216 are needed"),
    "permute_plane": ("Transpose(ub<half>(0, 256), ub<half>(4096, 256), ub<uint8_t>(8192, 64), "
                      "TransposeParamsExt(1, 16, 3, 5, TransposeType::TRANSPOSE_NCHW2NHWC));", "BadArgument", "must be a multiple of 32 bytes"),
    "permute_channels": ("Transpose(ub<half>(0, 256), ub<half>(4096, 256), ub<uint8_t>(8192, 64), "
                         "TransposeParamsExt(1, 4096, 4, 4, TransposeType::TRANSPOSE_NHWC2NCHW));", "BadArgument", "cSize is 4096; it must be 0..4095"),
    "permute_kind": ("Transpose(ub<half>(0, 256), ub<half>(4096, 256), ub<uint8_t>(8192, 64), "
                     "TransposeParamsExt(1, 1, 4, 4, TransposeType::TRANSPOSE_NZ2ND_0213));", "BadArgument", "transposeType 1 is not supported"),
    "square_width": ("Transpose(ub<float>(0, 256), ub<float>(4096, 256), ub<uint8_t>(8192, 64), "
                     "TransposeParamsExt(1, 1, 16, 16, TransposeType::TRANSPOSE_ND2ND_B16));", "BadArgument", "takes 16-bit elements; these have 32"),
    "square_size": ("Transpose(ub<half>(0, 256), ub<half>(4096, 256), ub<uint8_t>(8192, 64), "
                    "TransposeParamsExt(1, 1, 16, 8, TransposeType::TRANSPOSE_ND2ND_B16));", "BadArgument", "hSize is 16 and wSize is 8"),
    "blocks_pointer": ("uint64_t d[16] = {}, s[16] = {}; TransDataTo5HD<half>(d, s, TransDataTo5HDParams());", "WrongPosition",
                       "dstList[0] is 0x0 and 32 bytes are needed: this is not inside the Unified Buffer"),
    "blocks_align": ("uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) d[i] = ub<half>(32 * i, 16).GetPhyAddr(), s[i] = d[i] + 4096 + (i == 3) * 2; "
                     "TransDataTo5HD<half>(d, s, TransDataTo5HDParams());", "Misaligned", "srcList[3] starts at byte 4194"),
    "blocks_overlap": ("uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) d[i] = ub<half>(32 * i, 16).GetPhyAddr(), s[i] = d[i] + 480; "
                       "TransDataTo5HD<half>(d, s, TransDataTo5HDParams());", "BadArgument", "the block that dstList[15] writes in repeat 0 is also read"),
    "blocks_short": ("LocalTensor<half> d[16], s[16]; for (int i = 0; i < 16; ++i) d[i] = ub<half>(32 * i, 16), s[i] = ub<half>(4096 + 32 * i, 16); "
                     "TransDataTo5HD(d, s, TransDataTo5HDParams(false, false, 2, 16, 1));", "OutOfBounds", "dstList[0] has 32 bytes and 544 are needed"),
    # dequantisation
    "deq_table": ("CastDequant<int8_t, int16_t, true>(ub<int8_t>(0, 256), ub<int16_t>(4096, 128), 128u);", "BadArgument",
                  "SetDeqScale(vdeq, vdeqInfo) must be called before"),
    "deq_scalar": ("CastDequant<int8_t, int16_t, false>(ub<int8_t>(0, 256), ub<int16_t>(4096, 128), 128u);", "BadArgument",
                   "SetDeqScale(scale, offset, signMode) must be called before"),
    "deq_sign": ("SetDeqScale(1.0f, int16_t(0), false); CastDequant<int8_t, int16_t, false>(ub<int8_t>(0, 256), ub<int16_t>(4096, 128), 128u);",
                 "BadArgument", "signMode is false in the dequantisation parameters; dst is int8_t and needs true"),
    "deq_dst": ("SetDeqScale(1.0f, int16_t(0), true); CastDequant<int8_t, int16_t, false>(ub<int8_t>(0, 128), ub<int16_t>(4096, 128), 128u);",
                "OutOfBounds", "dst has 128 bytes and 256 are needed"),
    "deq_room": ("SetDeqScale(ub<uint64_t>(0, 15), VdeqInfo());", "OutOfBounds", "vdeq has 120 bytes and 128 are needed"),
    "deq_relu": ("AddDeqRelu(ub<half>(0, 64), ub<int32_t>(4096, 64), ub<int32_t>(8192, 64), 64);", "BadArgument",
                 "SetDeqScale(scale) must be called before"),
    # operators and registers
    "operator_line": ("LocalTensor<float> d = ub<float>(0, 65); d = ub<float>(4096, 64) + ub<float>(8192, 65);", "OutOfBounds",
                      "src0 has 256 bytes and 260 are needed"),
    "compare_operator": ("LocalTensor<uint8_t> d = ub<uint8_t>(0, 4); d = ub<float>(4096, 64) < ub<float>(8192, 64);", "OutOfBounds",
                         "dst has 4 bytes and 8 are needed"),
    "select_address": ("auto a = ub<uint64_t>(0, 16); a.SetValue(0, uint64_t(196608)); SetCmpMask(a); Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>("
                       "ub<float>(4096, 64), ub<float>(8192, 64), ub<float>(12288, 64), 1, BinaryRepeatParams());", "OutOfBounds",
                       "selMask has 0 bytes and 8 are needed"),
}  # fmt: skip


@pytest.fixture(scope="module")
def misuse(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    """Every case in one kernel, one line each."""
    lines = [f"  case {k}: {{ {CASES[name][0]} break; }} // {name};" for k, name in enumerate(CASES)]
    return Kernels(HEAD + "\n".join(lines) + TAIL, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("name", CASES)
def test_misuse_names_the_call_the_value_the_limit_and_the_line(misuse: Kernels, memory: Device, name: str) -> None:
    statement, kind, message = CASES[name]
    fault = misuse("run", list(CASES).index(name))
    assert fault is not None
    assert message in fault.message, fault.message
    assert (fault.kind, fault.line) == (kind, misuse.line(f"// {name};"))
    called = re.findall(r"\b([A-Z]\w+)(?:<[^;()]*>)?\(", statement)
    assert fault.api in called or "operator" in name, (fault.api, called)
