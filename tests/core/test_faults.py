"""Every kind of fault: its class, its message, the user's line; and the device goes on afterwards."""

from __future__ import annotations

import ctypes
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from ferrata import errors
from ferrata.native import build
from ferrata.run import Runtime
from tests.core.units import KERNELS, Unit, line_of

CASES = {
    "gm_read": (errors.OutOfBounds, r"DataCopy: src touches bytes 0 to 4095 of a device memory block that has 256"),
    "gm_write": (errors.OutOfBounds, r"DataCopy: dst touches bytes 3072 to 5119 .* has 256"),
    "gm_size": (errors.OutOfBounds, r"src has 256 bytes \(SetGlobalBuffer\) and 512 are needed"),
    "gm_scalar": (errors.OutOfBounds, r"GlobalTensor::SetValue: element 64 .* 64 elements"),
    "host_pointer": (errors.HostPointer, r"src at 0x[0-9a-f]+ is not device memory"),
    "null_pointer": (errors.HostPointer, r"null pointer"),
    "ub_write": (errors.OutOfBounds, r"Duplicate: dst has 1024 bytes and 1028 are needed"),
    "ub_read": (errors.OutOfBounds, r"Add: src1 has 1024 bytes and 1280 are needed"),
    "ub_scalar": (errors.OutOfBounds, r"element 256 is outside the LocalTensor, which has 256 elements"),
    "ub_view": (errors.OutOfBounds, r"offset 257 .* 256 elements"),
    "tbuf_get": (errors.OutOfBounds, r"300 elements \(1200 bytes\) .* 1024 bytes"),
    "ub_misaligned": (errors.Misaligned, r"dst starts at byte 16 .* multiple of 32"),
    "gm_misaligned": (errors.Misaligned, r"src at 0x[0-9a-f]+ is not aligned to its element size, 4 bytes"),
    "budget_pipe": (
        errors.UbOverBudget,
        r"UB has 196608 bytes and 196640 are needed. Allocated:\n"
        r" +line {budget_pipe first}: TQue, 2 x 65536 bytes\n +line {budget_pipe}: TBuf, 1 x 65568",
    ),
    "budget_static": (
        errors.UbOverBudget,
        r"200000 are needed.*\n +line {budget_static first}: .*, 1 x 160000 bytes\n +line {budget_static}: .*40000",
    ),
    "unallocated": (errors.OutOfBounds, r"never allocated"),
    "wrong_position": (errors.WrongPosition, r"dst is not in the Unified Buffer"),
    "alloc_exhausted": (errors.QueueMisuse, r"AllocTensor: no free block: all 2"),
    "deque_empty": (errors.QueueMisuse, r"DeQue: the queue is empty"),
    "enque_depth": (errors.QueueMisuse, r"EnQue: the queue already holds 1"),
    "enque_twice": (errors.QueueMisuse, r"EnQue: this tensor is in the queue"),
    "free_foreign": (errors.QueueMisuse, r"FreeTensor: this tensor was not allocated from this queue"),
    "free_twice": (errors.QueueMisuse, r"FreeTensor: this tensor is free"),
    "use_freed": (errors.QueueMisuse, r"Duplicate: dst was given back with FreeTensor"),
    "use_enqueued": (errors.QueueMisuse, r"Adds: dst is in the queue"),
    "no_init": (errors.QueueMisuse, r"no buffers: call TPipe::InitBuffer"),
    "second_pipe": (errors.QueueMisuse, r"a second TPipe"),
    "wait_unset": (errors.EventMisuse, r"MTE2_V with id 0 waits but nothing has set it"),
    "set_twice": (errors.EventMisuse, r"MTE2_V with id 1 is set a second time"),
    "set_left": (errors.EventMisuse, r"V_MTE3 with id 2 is set at the end of the kernel"),
    "event_range": (errors.EventMisuse, r"event id 8 of V_MTE3 is outside 0..7"),
    "events_exhausted": (errors.EventMisuse, r"all 8 event ids of V_S are taken"),
    "repeat_range": (errors.BadArgument, r"Adds: repeatTime is 256; it must be 0..255"),
    "negative_count": (errors.BadArgument, r"count is -1"),
    "pad_range": (errors.BadArgument, r"leftPadding is 9; it must be 0..8"),
    "compare_mode": (errors.BadArgument, r"int32_t has only CMPMODE::EQ"),
    "reduce_scratch": (errors.OutOfBounds, r"sharedTmpBuffer has 32 bytes and \d+ are needed"),
    "asserted": (errors.AssertFailed, r"Assertion `block_num == 4' failed. there are 2 blocks"),
    "trapped": (errors.Trapped, r"Trap"),
    "in_a_helper": (errors.OutOfBounds, r"src has 128 bytes"),
    "deadlock": (errors.Deadlock, r"a flag that never comes"),
}


def launch(library: ctypes.CDLL, name: str, address: int, blocks: int = 2) -> None:
    getattr(library, name)(ctypes.c_void_p(address), ctypes.c_int(blocks))


@pytest.mark.parametrize("name", CASES)
def test_fault_has_its_class_message_and_line_and_the_device_goes_on(
    unit: Unit, rt: Runtime, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    library = unit("faults")
    kind, pattern = CASES[name]
    marks = re.findall(r"\{([a-z_ ]+)\}", pattern)
    for mark in marks:
        pattern = pattern.replace("{" + mark + "}", str(line_of("faults", mark)))
    data = rt.array(np.zeros(64, np.float32))
    host = np.zeros(64, np.float32)
    address = {"host_pointer": host.ctypes.data, "null_pointer": 0}.get(name, data.ctypes.data)
    with pytest.raises(kind) as caught, rt.output(), rt.faults_raise():
        launch(library, f"run_{name}", address)
    fault = caught.value
    assert re.search(pattern, fault.detail if ":" not in pattern[:30] else str(fault)), str(fault)
    assert (fault.file, fault.line) == (str(KERNELS / "faults.cpp"), line_of("faults", name))
    assert (fault.kernel, fault.blocks, fault.core) == (name, 2, "AIV")
    assert f"at {KERNELS / 'faults.cpp'}:{fault.line}" in capfd.readouterr().err
    assert str(pickle.loads(pickle.dumps(fault))) == str(fault)
    with rt.faults_raise():
        launch(library, "good", data.ctypes.data, 1)
    assert (data == 1).all()


def test_freed_memory_is_out_of_bounds(unit: Unit, rt: Runtime) -> None:
    address = rt.lib.ferrata_gm_alloc(256)
    rt.lib.ferrata_gm_free(address)
    with pytest.raises(errors.OutOfBounds, match="not allocated"), rt.faults_raise():
        launch(unit("faults"), "run_gm_freed", address)


def test_adopted_memory_is_device_memory_until_forgotten(unit: Unit, rt: Runtime) -> None:
    host = np.zeros(64, np.float32)
    rt.lib.ferrata_gm_adopt(host.ctypes.data, host.nbytes)
    with rt.faults_raise():
        launch(unit("faults"), "good", host.ctypes.data, 1)
    assert (host == 1).all()
    with pytest.raises(errors.OutOfBounds, match="has 256"), rt.faults_raise():
        launch(unit("faults"), "run_gm_read", host.ctypes.data, 1)
    rt.lib.ferrata_gm_forget(host.ctypes.data)
    with pytest.raises(errors.HostPointer), rt.faults_raise():
        launch(unit("faults"), "good", host.ctypes.data, 1)


@pytest.mark.parametrize("blocks", [0, -1, 65536])
def test_block_counts_outside_the_range(unit: Unit, rt: Runtime, blocks: int) -> None:
    with pytest.raises(errors.BadLaunch, match=f"numBlocks is {blocks}"), rt.faults_raise():
        launch(unit("faults"), "good", 0, blocks)


def test_there_is_a_class_for_every_kind_of_fault() -> None:
    names = re.findall(r"^FERRATA_FAULT\((\w+)\)", (build.INCLUDE / "ferrata/core/faults.h").read_text(), re.MULTILINE)
    assert len(names) > 10
    for name in names:
        assert issubclass(getattr(errors, name), errors.KernelFault), name


def test_an_unknown_kind_is_still_a_kernel_fault() -> None:
    fault = errors.fault_from_json('{"kind": "Novel", "message": "m"}')
    assert type(fault) is errors.KernelFault
    assert str(fault) == "m"
    assert isinstance(fault, RuntimeError)


def test_line_markers_are_honoured(unit: Unit, rt: Runtime, tmp_path: Path) -> None:
    from tests.core.units import compile_unit

    source = tmp_path / "rewritten.cpp"
    source.write_text(
        '#line 40 "/src/user.asc"\n#include "kernel_operator.h"\n'
        'static void k() { FERRATA_ENTRY("k", ::ferrata::Kind::vector, 0, 1);\n'
        "  AscendC::WaitFlag<AscendC::HardEvent::V_S>(0); }\n"
        'extern "C" void go() { ::ferrata::launch("k", 1).run([]() { k(); }); }\n'
    )
    output = tmp_path / "rewritten.so"
    done = compile_unit(source, output)
    assert done.returncode == 0, done.stderr
    with pytest.raises(errors.EventMisuse) as caught, rt.faults_raise():
        ctypes.CDLL(str(output)).go()
    assert (caught.value.file, caught.value.line) == ("/src/user.asc", 42)
