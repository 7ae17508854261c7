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
