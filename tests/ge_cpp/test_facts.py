"""Every CHECK of the C++ programs is one test; the programs are compiled as an author's code is."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAMS = ("values", "graph_side")


def facts(program: str) -> list[str]:
    return re.findall(r'CHECK\("([^"]+)"', (HERE / f"{program}.cpp").read_text())


@pytest.fixture(scope="session")
def outcomes(compile_program: Callable[[str], Path]) -> dict[str, dict[str, str]]:
    def run(program: str) -> dict[str, str]:
        output = subprocess.run([compile_program(program)], capture_output=True, text=True, check=True).stdout
        return {fact: verdict for verdict, fact in (line.split("\t") for line in output.splitlines())}

    return {program: run(program) for program in PROGRAMS}


@pytest.mark.parametrize(("program", "fact"), [(p, f) for p in PROGRAMS for f in facts(p)])
def test_fact(outcomes: dict[str, dict[str, str]], program: str, fact: str) -> None:
    assert outcomes[program].get(fact) == "ok"


def test_library_serves_builds_with_old_strings(compile_program: Callable[..., Path]) -> None:
    """Nothing that libgert exports depends on the author's std::string."""
    program = compile_program("graph_side", "-D_GLIBCXX_USE_CXX11_ABI=0")
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert {line.split("\t")[0] for line in output.splitlines()} == {"ok"}
