"""Misuse of the vector instructions: what can be seen at the call names the call, operand, value, limit and line.

The calls are the lines of kernels/vector_faults.asc.
"""

from __future__ import annotations

import re

import pytest

from tests.core.emulated import Device, Kernels
from tests.core.units import KERNELS

# name of the line -> (kind of fault, message)
CASES: dict[str, tuple[str, str]] = {
    # broadcasts and ranges
    "brcb_repeat": ("BadArgument", "repeatTime is 256; it must be 0..255"),
    "brcb_short": ("OutOfBounds", "src has 60 bytes and 64 are needed"),
    "brcb_dst": ("OutOfBounds", "dst has 508 bytes and 512 are needed"),
    "brcb_overlap": (
        "BadArgument",
        "dst (bytes 0 to 255 of the Unified Buffer) overlaps src (bytes 32 to 63); they must be apart",
    ),
    "arange_count": ("BadArgument", "count is 0; it must be greater than 0"),
    "arange_step": ("BadArgument", "diffValue is -2; it must not be negative"),
    "arange_beyond": ("OutOfBounds", "dst has 256 bytes and 260 are needed"),
    # gathers
    "gather_outside": ("OutOfBounds", "srcOffset[31] is 124: byte 128 is outside src, which has 128 bytes"),
    "gather_misaligned": ("Misaligned", "srcOffset[1] is 2: byte 2 of src is not a multiple of 4"),
    "gather_offsets": ("OutOfBounds", "srcOffset has 256 bytes and 260 are needed"),
    "gather_overlap": ("OutOfBounds", "dst has 64 bytes and 68 are needed"),
    "gather_in_place": ("BadArgument", "dst (bytes 32 to 159 of the Unified Buffer) overlaps src (bytes 0 to 127)"),
    "gather_repeat": ("BadArgument", "repeatTime is 256; it must be 0..255"),
    "gatherb_misaligned": ("Misaligned", "offset[1] is 16: byte 16 of src is not a multiple of 32"),
    "gatherb_outside": ("OutOfBounds", "offset[7] is 224: byte 224 is outside src, which has 224 bytes"),
    "pattern_zero": ("BadArgument", "src1Pattern is 0; it must be 1..7"),
    "pattern_eight": ("BadArgument", "src1Pattern is 8; it must be 1..7"),
    "pack_mask": ("BadArgument", "mask is 0; with reduceMode"),
    "pack_src": ("OutOfBounds", "src0 has 256 bytes and 260 are needed"),
    "pack_dst": ("OutOfBounds", "dst has 124 bytes and 128 are needed"),
    "pack_bits": ("OutOfBounds", "src1Pattern has 4 bytes and 8 are needed"),
    "interpolate_tmp": ("OutOfBounds", "sharedTmpBuffer has 100 bytes and 2560 are needed"),
    "interpolate_repeat": ("BadArgument", "hRepeat is 0 and vRepeat is 1; they must be 1..255"),
    "interpolate_offset": ("BadArgument", "vROffset is 136 elements; it must be a multiple of 16"),
    # sorts
    "sort_dst_align": ("Misaligned", "dst starts at byte 32 of the Unified Buffer; it must be a multiple of 256"),
    "sort_src_align": ("Misaligned", "src0 starts at byte 4160 of the Unified Buffer; it must be a multiple of 128"),
    "sort_half_align": ("Misaligned", "src0 starts at byte 4128 of the Unified Buffer; it must be a multiple of 64"),
    "sort_index_align": ("Misaligned", "src1 starts at byte 8224 of the Unified Buffer; it must be a multiple of 128"),
    "sort_short": ("OutOfBounds", "dst has 508 bytes and 512 are needed"),
    "sort_repeat": ("BadArgument", "repeatTime is -1; it must be 0..255"),
    "sort_tmp": ("OutOfBounds", "tmp has 128 bytes and 512 are needed"),
    "concat_short": ("OutOfBounds", "src has 31 elements and 32 are needed"),
    "extract_overlap": (
        "BadArgument",
        "dstValue (bytes 0 to 127 of the Unified Buffer) overlaps dstIndex (bytes 96 to 223)",
    ),
    "merge_valid": ("BadArgument", "validBit is 5; it must be 3, 7 or 15"),
    "merge_length": ("BadArgument", "elementLengths[0] is 4096; it must be 0..4095"),
    "merge_apart": ("BadArgument", "the queues do not follow each other"),
    "merge_unequal": ("BadArgument", "the lengths differ"),
    "merge_suspended": ("BadArgument", "ifExhaustedSuspension is true"),
    "merge_three": ("BadArgument", "validBit is not 15"),
    "merge_short": ("OutOfBounds", "dst has 252 bytes and 256 are needed"),
    "merge_overlap": ("BadArgument", "overlaps src2 (bytes 8704 to 8767)"),
    "merge_repeat": ("BadArgument", "repeatTime is 0; it must be 1..255"),
    "merge_result": ("BadArgument", "no MrgSort has run with ifExhaustedSuspension = true"),
    # transposes
    "transpose_short": ("OutOfBounds", "src has 510 bytes and 512 are needed"),
    "transpose_overlap": ("BadArgument", "overlaps src (bytes 0 to 511)"),
    "permute_tmp": ("OutOfBounds", "sharedTmpBuffer has 64 bytes and 9216 are needed"),
    "permute_plane": ("BadArgument", "must be a multiple of 32 bytes"),
    "permute_channels": ("BadArgument", "cSize is 4096; it must be 0..4095"),
    "permute_kind": ("BadArgument", "transposeType 1 is not supported"),
    "square_width": ("BadArgument", "takes 16-bit elements; these have 32"),
    "square_size": ("BadArgument", "hSize is 16 and wSize is 8"),
    "blocks_pointer": (
        "WrongPosition",
        "dstList[0] is 0x0 and 32 bytes are needed: this is not inside the Unified Buffer",
    ),
    "blocks_align": ("Misaligned", "srcList[3] starts at byte 4194"),
    "blocks_overlap": ("BadArgument", "the block that dstList[15] writes in repeat 0 is also read"),
    "blocks_short": ("OutOfBounds", "dstList[0] has 32 bytes and 544 are needed"),
    # dequantisation
    "deq_table": ("BadArgument", "SetDeqScale(vdeq, vdeqInfo) must be called before"),
    "deq_scalar": ("BadArgument", "SetDeqScale(scale, offset, signMode) must be called before"),
    "deq_sign": ("BadArgument", "signMode is false in the dequantisation parameters; dst is int8_t and needs true"),
    "deq_dst": ("OutOfBounds", "dst has 128 bytes and 256 are needed"),
    "deq_room": ("OutOfBounds", "vdeq has 120 bytes and 128 are needed"),
    "deq_relu": ("BadArgument", "SetDeqScale(scale) must be called before"),
    # operators and registers
    "operator_line": ("OutOfBounds", "src0 has 256 bytes and 260 are needed"),
    "compare_operator": ("OutOfBounds", "dst has 4 bytes and 8 are needed"),
    "select_address": ("OutOfBounds", "selMask has 0 bytes and 8 are needed"),
    "get_mask_short": ("OutOfBounds", "dst has 127 bytes; it needs 128"),
    "set_mask_align": ("Misaligned", "src starts at byte 8 of the Unified Buffer; it must be a multiple of 16"),
    # overlaps of element-wise instructions
    "overlap_shift": ("BadArgument", "overlap in repeat 0 without being the same"),
    "overlap_next": (
        "BadArgument",
        "repeat 0 writes to dst (from byte 256 of the Unified Buffer) what repeat 1 reads from src0",
    ),
    "overlap_widening": (
        "BadArgument",
        "dst (from byte 0 of the Unified Buffer) and src (from byte 0) overlap in repeat 0",
    ),
    "overlap_stride": ("BadArgument", "what repeat 1 reads from src (from byte 0)"),
    "overlap_select": ("BadArgument", "and src0 (from byte 0) overlap in repeat 0"),
    "overlap_copy": ("BadArgument", "and src (from byte 0) overlap in repeat 0"),
    # numbers that their field or register cannot hold
    "wide_unary": ("BadArgument", "dstRepStride is 300; it must be 0..255"),
    "wide_binary": ("BadArgument", "src0BlkStride is 300; it must be 0..255"),
    "wide_copy": ("BadArgument", "dstRepeatSize is 70000; it must be 0..65535"),
    "wide_blocks": ("BadArgument", "blockLen is 70000; it must be 0..65535"),
    "wide_negative": ("BadArgument", "blockCount is -1; it must be 0..65535"),
    "wide_padding": ("BadArgument", "leftPadding is 300; it must be 0..255"),
    "wide_fill": ("BadArgument", "dstRepeatStride is 300; it must be 0..255"),
    "wide_index": ("BadArgument", "dstBlkStride is 70000; it must be 0..65535"),
    "wide_gather": ("BadArgument", "dstRepStride is 70000; it must be 0..65535"),
    "wide_reduce": ("BadArgument", "dstRepStride is 70000; it must be 0..65535"),
    "wide_merge": ("BadArgument", "repeatTimes is 257; it must be 0..255"),
    "wide_shape": ("BadArgument", "shapeDim is 9; it must be 0..8"),
    "wide_offset": ("BadArgument", "offset is 300; it has nine bits and must be -256..255"),
    "wide_shift": ("BadArgument", "scalarValue is 17; it must be 0..16"),
    "wide_queue": ("BadArgument", "num is 300; a queue needs at least one buffer and has at most 255"),
    # modes, and registers that nothing has written
    "mode_compare": ("BadArgument", "cmpMode is 9; it must be one of LT, GT, EQ, LE, GE, NE"),
    "mode_scalar": ("BadArgument", "cmpMode is 255; it must be"),
    "mode_select": ("BadArgument", "selMode is 1; between two tensors it must be"),
    "mode_select_scalar": ("BadArgument", "selMode is 0; with a scalar it must be VSEL_TENSOR_SCALAR_MODE"),
    "mode_order": ("BadArgument", "order is 4; it must be a ReduceOrder, 0..3"),
    "last_none": ("BadArgument", "no reduction has run in this kernel; ReduceRepeat, ReduceMax or ReduceMin must"),
    "last_other": ("BadArgument", "the last reduction was a maximum or minimum; ReduceSum with a count must"),
    "last_sum": ("BadArgument", "the last reduction was a sum; ReduceRepeat, ReduceMax or ReduceMin must"),
}


@pytest.fixture(scope="module")
def misuse(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    """Every case in one kernel."""
    return Kernels((KERNELS / "vector_faults.asc").read_text(), tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("name", CASES)
def test_misuse_names_the_call_the_value_the_limit_and_the_line(misuse: Kernels, memory: Device, name: str) -> None:
    kind, message = CASES[name]
    line = misuse.line(f"// {name};")
    fault = misuse("run", line)
    assert fault is not None
    assert message in fault.message, fault.message
    assert (fault.kind, fault.line) == (kind, line)
    statement = misuse.path.read_text().splitlines()[line - 1]
    called = re.findall(r"\b([A-Z]\w+)(?:<[^;()]*>)?(?: \w+)?\(", statement)
    assert fault.api in called or "operator" in name, (fault.api, called)


def test_operands_may_coincide(misuse: Kernels) -> None:
    line = next(
        n
        for n, text in enumerate(misuse.path.read_text().splitlines(), 1)
        if "case __LINE__: { Add(ub<float>(0, 200)" in text
    )
    assert misuse("run", line) is None


def test_every_line_of_the_kernel_is_expected() -> None:
    text = (KERNELS / "vector_faults.asc").read_text()
    assert re.findall(r"// (\w+);$", text, re.M) == list(CASES)
