"""The loops of the vector unit use the machine's vectors: looked up in the disassembly of the built library."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from functools import cache as memoize

import pytest

from ferrata.native import build

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("objdump") is None, reason="reads x86-64 disassembly"
)


@memoize
def functions() -> list[tuple[str, str]]:
    """(demangled name, instructions) of every function of the library."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", str(build.runtime())]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"^[0-9a-f]+ <(.*)>:$", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize(
    ("functor", "instruction"),
    [
        ("AddFloat", r"addps"),
        ("MulFloat", r"mulps"),
        ("DivFloat", r"divps"),
        ("MaxFloat", r"cmp\w*ps"),
        ("SqrtFloat", r"sqrtps"),
        ("ExpFloat", r"mulps"),
        ("LnFloat", r"mulpd"),
        ("LeakyFloat", r"mulps"),
        ("AddInt", r"paddw"),
        ("AddInt", r"paddd"),
    ],
)
def test_a_loop_is_vectorised_in_both_builds(functor: str, instruction: str) -> None:
    bodies = [body for name, body in functions() if functor in name]
    assert any(re.search(rf"\sv{instruction}\s.*%ymm", body) for body in bodies), f"{functor}: no AVX2"
    assert any(re.search(rf"\s{instruction}\s.*%xmm", body) for body in bodies), f"{functor}: no SSE2"


@pytest.mark.parametrize(("name", "instruction"), [("row_compare_half", "mulps"), ("narrow", "addps")])
def test_half_is_converted_in_vectors(name: str, instruction: str) -> None:
    bodies = [body for function, body in functions() if re.search(rf"\b{name}\(", function)]
    for width in ("zmm", "ymm"):
        assert any(re.search(rf"\sv{instruction}\s.*%{width}", body) for body in bodies), width


@pytest.mark.parametrize(
    ("functor", "instruction"), [("Plus", "addph"), ("Minus", "subph"), ("Times", "mulph"), ("Over", "divph")]
)
def test_half_arithmetic_has_instructions_of_its_own(functor: str, instruction: str) -> None:
    bodies = [body for name, body in functions() if re.search(rf"\b{functor}\b", name)]
    if not bodies:
        pytest.skip("built by a compiler that does not know AVX512-FP16")
    assert any(re.search(rf"\sv{instruction}\s.*%zmm", body) for body in bodies)


def test_nothing_is_fused() -> None:
    assert not any(re.search(r"\sv?fn?m(add|sub)\w*", body) for _, body in functions())


def test_no_intrinsics_but_for_stores_past_the_caches() -> None:
    sources = [*(build.SOURCES / "runtime").iterdir(), *build.INCLUDE.rglob("*.h")]
    pattern = r"\b_mm\d*_|\b__m(128|256|512)|intrin\.h|arm_(neon|sve)\.h|__builtin_(ia32|aarch64|neon)_"
    assert {path.name for path in sources if re.search(pattern, path.read_text())} == {"stream.h"}
