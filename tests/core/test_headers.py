"""What the device headers promise: light, exact about types, free of the observer, true to the chips."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ferrata import chips
from ferrata.native import build
from ferrata.run import Runtime
from tests.core.units import KERNELS, Unit, compile_unit

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_the_chip_table_in_cpp_is_the_one_in_python() -> None:
    spec = importlib.util.spec_from_file_location("gen_chips", ROOT / "tools" / "gen_chips.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.HEADER.read_text() == module.text(), "run tools/gen_chips.py"
    assert [chip.npu_arch for chip in chips.CHIPS.values()] == [2201, 3510]


def test_a_kernel_pulls_in_nothing_of_the_standard_library_but_type_traits(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text('#include "ferrata/asc.h"\n#include "kernel_operator.h"\n')
    command = [build.compiler(), "-std=c++17", f"-I{build.INCLUDE}", "-M", str(source)]
    seen = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    names = {Path(p).name for p in seen if "/c++/" in p and str(build.INCLUDE) not in p}
    assert names <= {"type_traits", "c++config.h", "os_defines.h", "cpu_defines.h", "pstl_config.h"}, names
    foreign = {Path(p).name for p in seen if p.endswith(".h") and "/c++/" not in p and str(build.INCLUDE) not in p}
    assert foreign <= {"stddef.h", "stdint.h", "stdint-gcc.h", "features.h", "cdefs.h", "wordsize.h", "long-double.h", "stubs.h",
                       "float.h", "stubs-64.h", "types.h", "typesizes.h", "time64.h", "timesize.h", "wchar.h", "stdint-intn.h",
                       "stdint-uintn.h", "stdc-predef.h", "libc-header-start.h", "features-time64.h",
                       "stdint-least.h"}, foreign  # fmt: skip


def test_a_kernel_knows_the_types_of_stddef(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text('#include "kernel_operator.h"\nsize_t n; ptrdiff_t d; void *p = NULL; uintptr_t u;\n')
    done = compile_unit(source, tmp_path / "k.so")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("LocalTensor<double> t; Add(t, t, t, 8);", r"Add .*half"),
        ("LocalTensor<uint8_t> t; Duplicate(t, uint8_t(1), 8);", r"Duplicate .*bfloat16_t"),
        ("LocalTensor<int16_t> t; LocalTensor<int8_t> u; Cast(u, t, RoundMode::CAST_NONE, 8);", r"Cast.*no conversion"),
        ("PipeBarrier<PIPE_S>();", r"PipeBarrier<PIPE_S> does not exist"),
        ("LocalMemAllocator<Hardware::UB> a; a.Alloc<TPosition::A1, float>(8);", r"another memory"),
        ("TQue<TPosition::VECIN, 0> q; q.AllocTensor<float>();", r"depth 0 has only the in-place form"),
    ],
)
def test_a_wrong_type_is_one_compile_error_that_says_what_is_right(tmp_path: Path, body: str, message: str) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(f'#include "kernel_operator.h"\nusing namespace AscendC;\nvoid k() {{ {body} }}\n')
    done = compile_unit(source, tmp_path / "k.so")
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == 1, errors
    assert "static assertion failed" in errors[0]
    assert re.search(message, errors[0]), errors[0]


def test_templates_of_every_type_may_pad_with_a_plain_number_and_take_a_scalar_root(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(
        '#include "kernel_operator.h"\n#include <cmath>\nusing namespace AscendC;\n'
        "template <class T> DataCopyPadExtParams<T> pad() { return {false, 0, 0, 0}; }\n"
        "auto a = pad<bfloat16_t>(); auto b = pad<half>(); auto c = pad<float>(); auto d = pad<int8_t>();\n"
        "auto e = DataCopyPadExtParams<bfloat16_t>{true, 1, 0, 3};\n"
        "bool three = e.paddingValue.bits == 0x4040;\n"
        "float root(float x) { float y = sqrt(x); return y + fabs(x); }\n"
        'extern "C" bool is_three() { return three && root(4.0f) == 6.0f; }\n'
    )
    done = compile_unit(source, tmp_path / "k.so")
    assert done.returncode == 0, done.stderr
    assert ctypes.CDLL(str(tmp_path / "k.so")).is_three() == 1


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs binutils")
def test_without_an_observer_nothing_of_it_is_left(unit: Unit, tmp_path: Path) -> None:
    plain, observed = tmp_path / "a.so", tmp_path / "b.so"
    assert compile_unit(KERNELS / "pipeline.cpp", plain).returncode == 0
    assert (
        compile_unit(KERNELS / "pipeline.cpp", observed, "-D__NPU_ARCH__=2201", "-DFERRATA_OBSERVER=1").returncode == 0
    )
    names = [
        subprocess.run(["nm", "-D", p], capture_output=True, text=True, check=True).stdout for p in (plain, observed)
    ]
    assert "ferrata_observe" not in names[0]
    assert "ferrata_observe" in names[1]


class _Event(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint8), ("pipe", ctypes.c_uint8), ("write", ctypes.c_uint8), ("id", ctypes.c_int16),
                ("hard_event", ctypes.c_uint16), ("api", ctypes.c_char_p)]  # fmt: skip


def test_an_observer_sees_instructions_and_hand_overs_in_order(unit: Unit, rt: Runtime) -> None:
    import numpy as np

    seen: list[str] = []
    kinds = ["vector", "reduce", "select", "copy", "scalar", "set_flag", "wait_flag", "barrier", "queue"]

    def look(_core: int, event: ctypes._Pointer[_Event]) -> None:
        it = event.contents
        if it.kind < len(kinds):
            seen.append(f"{kinds[it.kind]} {(it.api or b'').decode()}".strip())

    observer = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Event))(look)
    library = unit("pipeline", "-D__NPU_ARCH__=2201", "-DFERRATA_OBSERVER=1")
    x, y, z = (rt.array(np.zeros(64, np.float32)) for _ in range(3))
    rt.lib.ferrata_set_observer(observer)
    try:
        with rt.faults_raise():
            library.run_add(*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, z)), 64, 64, 1)
    finally:
        rt.lib.ferrata_set_observer(None)
    assert seen == [
        "queue AllocTensor", "queue AllocTensor", "copy DataCopy", "copy DataCopy", "set_flag EnQue", "set_flag EnQue",
        "wait_flag DeQue", "wait_flag DeQue", "queue AllocTensor", "vector", "set_flag EnQue", "set_flag FreeTensor",
        "set_flag FreeTensor", "wait_flag DeQue", "copy DataCopy", "set_flag FreeTensor",
    ]  # fmt: skip
