"""Whole programs on aarch64: queues, cores that wait for each other, scalars, what kernels print, faults, deadlocks.

program.asc is compiled by the driver for both machines. What it prints and its exit code must be equal, and
what each part must show is looked at here.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.aarch64 import cross

pytestmark = cross.needs_aarch64
SOURCE = Path(__file__).parent / "program.asc"
SHOWN = {
    "queues": (0, r"^0\nfloat [0-9a-f]{16}\nhalf [0-9a-f]{16}\n0: -0x1\.3ff888p\+3 -0x1\.4p\+3\n"),
    "large": (0, r"^0\nbytes [0-9a-f]{16}\nequal\n"),
    # 16 cores, last round: every cell holds 400 + core; the cube core counted to 3 and both its vector cores read it
    "waits": (0, r"(?s)^0\n.*\n3: 403 .* 3\n4: 404 .* 30\n5: 405 .* 31\n"),
    "scalars": (0, r"sum 468a product 3310 letters 96, 6\.539062"),
    "printf": (0, r"core 0 of 2: v=1\.500000 n=-7\n(?s:.*)200 ff text 0\.100000 %\|\nDumpTensor: desc=5"),
    "fault": (1, r"OutOfBounds: Adds: dst has 64 bytes and 68 are needed\n(?s:.*)program\.asc:LINE\n"),
    "deadlock": (1, r"Deadlock(?s:.*)AIV 0: SyncAll\(\) at .*\n +AIV 1: CrossCoreWaitFlag\(7\) at"),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """program.asc for this machine and for aarch64."""
    folder = tmp_path_factory.mktemp("aarch64")
    here, there, made = folder / "here", folder / "there", folder / "there.o"
    cross.bisheng(SOURCE, here, "-O2", cross=False)
    cross.bisheng(SOURCE, made, "-O2", "-march=armv8-a", "-c", cross=True)
    cross.link([made], there)
    return here, there


@pytest.mark.parametrize("part", SHOWN)
def test_a_program_prints_on_aarch64_what_it_prints_here(part: str, programs: tuple[Path, Path]) -> None:
    here, there = programs
    code, pattern = SHOWN[part]
    (line,) = (number for number, text in enumerate(SOURCE.read_text().splitlines(), 1) if text.endswith("// here"))
    mine = subprocess.run([str(here), part], capture_output=True, text=True, timeout=60)
    other = cross.run(there, part)
    assert (other.stdout, other.stderr) == (mine.stdout, mine.stderr)
    assert other.returncode == mine.returncode == code
    assert re.search(pattern.replace("LINE", str(line)), other.stdout + other.stderr, re.M), other.stdout + other.stderr
