"""The functions, structures and enumerations that editors see: up to date, complete, light, and clear outside kernels."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ferrata import lang
from ferrata.errors import OnlyInKernels
from ferrata.lang import enums, structures
from ferrata.lang.binding import constant, names
from ferrata.lang.binding.objects import OBJECTS
from ferrata.lang.binding.signature import signatures
from ferrata.lang.values import EnumType, Value

ROOT = Path(__file__).resolve().parents[2]
PRESENT = [key for key, entry in names.functions().items() if entry.present]


@cache
def generator() -> Any:
    """tools/gen_lang.py as a module."""
    found = importlib.util.spec_from_file_location("gen_lang", ROOT / "tools/gen_lang.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_generated_files_are_up_to_date() -> None:
    stale = [path.name for path, text in generator().outputs().items() if path.read_text() != text]
    assert stale == [], "run tools/gen_lang.py"


@pytest.mark.parametrize("name", PRESENT)
def test_every_interface_is_a_function_that_says_where_it_belongs(name: str) -> None:
    function: Any = lang
    for part in name.split("."):
        function = getattr(function, part)
    assert function.__qualname__ == name  # how the translator knows it
    shared = name in generator().SHARED
    assert function.__module__ == ("ferrata.lang.surface" if shared else "ferrata.lang.functions")
    assert shared or f"In C++: {names.functions()[name].cpp}." in inspect.getdoc(function)
    parameters = inspect.signature(function).parameters.values()
    arguments = [None for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    with pytest.raises(OnlyInKernels, match=f"ac.{name} has a meaning inside a function"):
        function(*arguments)


def test_interfaces_of_later_chips_are_no_functions() -> None:
    absent = [key for key in names.functions() if key not in PRESENT]
    assert absent
    assert not [name for name in absent if hasattr(lang, name)]


USE = '''
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)


@ac.kernel
def kernel(x: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 256) -> None:
    """Uses a form of each kind."""
    xs = ac.queue(ac.VECIN, T, tile)
    mask = ac.tbuf(ac.u8, tile)
    with xs.get() as a:
        ac.add(a, a, a, n)
        ac.muls(a, a, 2.0, n)
        ac.adds(a, a, T(2), [255, 0], 4, (1, 1, 8, 8), is_set_mask=False)
        ac.add(a, a, a, 64, 4, ac.BinaryRepeatParams(1, 1, 1, 8, 8, 8))
        ac.compare(mask, a, a, ac.CMPMODE.LT, n)
        ac.reduce_repeat(a, a, 64, 1, 1, 1, 8, reduce_type=ac.ReduceType.SUM)
        ac.reduce_repeat(ac.ReduceType.SUM, a, a, 64, 1, 1, 1, 8)
        ac.data_copy_pad(a, x[n:], ac.DataCopyExtParams(1, n, 0, 0, 0), (False, 0, 0, 0))
        ac.copy(a, a, 64, 4, ac.CopyRepeatParams(1, 1, 8, 8))
        ac.copy(z, a[:n])
        ac.set_flag(ac.HardEvent.MTE2_V, 0)
        ac.pipe_barrier(ac.V)
        ac.set_atomic_add(T)
        a.set_value(0, a.get_value(1))
        ac.printf("%d %f\\n", n, a[0])
    length: int = ac.get_block_idx() + ac.get_vec_len()
    value, index = ac.get_reduce_repeat_max_min_spr(T)
    assert value > index + length


kernel[2](1, 2, 3)
'''
MISUSE = {
    "ac.ad(1)": 'Module has no attribute "ad"',
    "ac.pipe_barrier(ac.CMPMODE.LT)": "No overload variant of",
    "ac.exp()": "All overload variants of",
    "ac.get_block_idx(1)": "Too many arguments",
    "ac.DataCopyExtParams(length=1)": "Unexpected keyword argument",
    "ac.RoundMode.RINT": "has no attribute",
}


@pytest.mark.slow
def test_mypy_takes_and_refuses_what_the_language_does(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(USE)
    bad.write_text("from ferrata import lang as ac\n" + "\n".join(MISUSE) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(good), str(bad)]
    output = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
    assert not [text for text in output if "good.py" in text]
    for line, message in enumerate(MISUSE.values(), start=2):
        assert any(f"bad.py:{line}:" in text and message in text for text in output), (line, message, output)


@pytest.mark.parametrize("name", [*names.structs(), *OBJECTS])
def test_every_structure_is_a_class_that_is_not_made_outside(name: str) -> None:
    kind = getattr(structures, name)
    with pytest.raises(OnlyInKernels):
        kind(*(None for p in list(inspect.signature(kind).parameters.values()) if p.default is p.empty))


@pytest.mark.parametrize("owner", names.methods())
def test_every_member_is_a_method(owner: str) -> None:
    kind = getattr(structures, owner)
    assert [name for name in names.methods()[owner] if not callable(getattr(kind, name, None))] == []


@pytest.mark.parametrize("name", names.enums())
def test_every_enumeration_has_its_members(name: str) -> None:
    kind = getattr(enums, name)
    assert tuple(kind.__members__) == names.enums()[name]
    for member in kind:
        assert constant(member) == Value(member.value, EnumType(name), const=member)


def test_pipes_positions_and_constants_have_short_names() -> None:
    assert enums.MTE2 is enums.PIPE_MTE2 is enums.pipe_t.PIPE_MTE2
    assert enums.VECIN is enums.TPosition.VECIN is enums.QuePosition.VECIN
    assert enums.VECIN.value == "TPosition::VECIN"
    assert enums.PIPE_ALL.value == "PIPE_ALL"
    assert enums.DEFAULT_REPEAT_STRIDE == 8
    value = constant(enums.MASK_PLACEHOLDER)
    assert value is not None
    assert (value.cpp, value.const) == ("MASK_PLACEHOLDER", 0)
    assert constant(8) is None


@pytest.mark.parametrize(
    ("python", "cpp"),
    [
        ("add", "Add"), ("data_copy_pad", "DataCopyPad"), ("whole_reduce_sum", "WholeReduceSum"), ("and_", "And"),
        ("get_block_idx", "GetBlockIdx"), ("trans_data_to_5hd", "TransDataTo5HD"), ("sort32", "Sort32"),
        ("get_ub_size_in_bytes", "GetUBSizeInBytes"), ("get_sff_value", "GetSFFValue"), ("icache_preload", "ICachePreLoad"),
        ("read_gm_by_pass_dcache", "ReadGmByPassDCache"), ("ib_set", "IBSet"), ("printf", "printf"),
        ("Mutex.lock", "Mutex::Lock"), ("set_mask_count", "SetMaskCount"), ("gatherb", "Gatherb"), ("sync_all", "SyncAll"),
    ],
)  # fmt: skip
def test_python_names(python: str, cpp: str) -> None:
    assert names.functions()[python].cpp == cpp


def test_no_two_interfaces_have_one_name() -> None:
    taken: dict[str, set[str]] = {}
    for entry in names.functions().values():
        for row in entry.rows:
            for name in (row.name, *(alias.name for alias in row.aliases)):
                taken.setdefault(names.snake(name.rpartition("::")[2]) + ("." if "::" in name else ""), set()).add(name)
    assert {python: cpp for python, cpp in taken.items() if len(cpp) > 1} == {"printf": {"printf", "PRINTF"}}


def test_every_overload_is_a_form() -> None:
    """`ac.add` shows as many signatures as it has forms."""
    text = (ROOT / "ferrata/lang/functions.py").read_text()
    for name in ("add", "exp", "gather", "duplicate"):
        forms = sum(len(signatures(row)) for row in names.functions()[name].present)
        assert text.count(f"@overload\ndef {name}(") == forms


def test_importing_the_functions_reads_no_registry() -> None:
    code = "import sys, ferrata.lang.functions; print(any(m.startswith('ferrata.lang.apis.') for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
