"""printf, DumpTensor and assert of kernels, and the arguments that a launch hands over."""

from __future__ import annotations

import ctypes

import pytest

from ferrata.run import Runtime
from tests.core.units import Unit


def printed(rt: Runtime, call: object, *args: object) -> list[str]:
    with rt.output() as texts, rt.faults_raise():
        call(*args)  # type: ignore[operator]
    return "".join(texts).splitlines()


def test_each_core_prints_with_its_prefix_in_order(unit: Unit, rt: Runtime) -> None:
    lines = printed(rt, unit("printing").run_hello, 12, 7, ctypes.c_float(0.25))
    assert [line for line in lines if "v=" in line] == [f"[AIV Block {i}/12] v=1.500000 n=7" for i in range(12)]
    assert lines[2] == "[AIV Block 1/12] 12 200 ff text 0.250000 %|"


def test_unqualified_printf_and_assert(unit: Unit, rt: Runtime) -> None:
    assert printed(rt, unit("printing").run_unqualified) == ["[AIV Block 0/1] no arguments", "[AIV Block 0/1] 0 of 1"]


def test_dumps(unit: Unit, rt: Runtime) -> None:
    assert printed(rt, unit("printing").run_dumps) == [
        "DumpTensor: desc=5, addr=0x40, data_type=float32, position=UB, dump_size=4",
        "[0.500000, 1.500000, 2.500000, 3.500000]",
        "DumpTensor: desc=6, addr=0x40, data_type=float32, position=UB, dump_size=6",
        "[[0.500000,1.500000,2.500000],",
        "[3.500000,4.500000,5.500000]]",
        "DumpTensor: desc=7, addr=0x40, data_type=float32, position=UB, dump_size=8",
        "shape is [3, 3], dumpSize is 8, data is not enough.",
        "[[0.500000,1.500000,2.500000],",
        "[3.500000,4.500000,5.500000],",
        "[6.500000,7.500000,-]]",
        "DumpTensor: desc=8, addr=0x0, data_type=int16, position=UB, dump_size=3",
        "[0, -1, -2]",
        "DumpTensor: desc=9, addr=0x48, data_type=float32, position=UB, dump_size=2",
        "[2.500000, 3.500000]",
        "DumpTensor: desc=10, addr=0x40, data_type=float32, position=UB, dump_size=1",
        "[0.500000]",
    ]


def test_a_dump_over_the_limit_prints_nothing(unit: Unit, rt: Runtime) -> None:
    assert printed(rt, unit("printing").run_too_long) == ["[AIV Block 0/1] after"]


def test_each_core_has_its_own_copy_of_the_arguments(unit: Unit, rt: Runtime) -> None:
    lines = printed(rt, unit("printing").run_arguments)
    assert lines == [f"[AIV Block {i}/2] 2 2.500000 (nil) 0 array" for i in range(2)]


def test_printing_can_be_compiled_out(unit: Unit, rt: Runtime) -> None:
    library = unit("printing", "-D__NPU_ARCH__=2201", "-DASCENDC_DUMP=0", "-Wno-unused")
    assert printed(rt, library.run_hello, 2, 7, ctypes.c_float(0)) == []


@pytest.mark.parametrize("blocks", [1, 3])
def test_a_mix_of_vector_cores_alone(unit: Unit, rt: Runtime, blocks: int) -> None:
    assert printed(rt, unit("printing").run_mixed, blocks) == [f"[AIV Block {i}/{blocks}] {i} 0" for i in range(blocks)]
