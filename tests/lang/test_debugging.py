"""Compiler errors, faults and a debugger's steps speak of the Python line."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors
from ferrata import lang as ac
from ferrata.lang import library


def line_of(kernel: Any, text: str) -> int:
    """The line of this file on which a function has a text."""
    lines, first = inspect.getsourcelines(getattr(kernel, "function", kernel))
    return next(first + at for at, line in enumerate(lines) if text in line)


def reach(x, i: int):
    return x[i]


@ac.kernel
def too_far(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    for i in range(n):
        z[i] = reach(x, i * 1000)


def test_a_fault_names_the_python_line_also_in_a_helper() -> None:
    x = torch.zeros(8).npu()
    with pytest.raises(errors.OutOfBounds) as caught:
        too_far[1](x, torch.zeros(8).npu(), 8)
    assert caught.value.fields["file"] == __file__
    assert caught.value.fields["line"] == line_of(reach, "return x[i]")


@ac.kernel
def padded(x: ac.Gm[ac.f32], n: int):
    a = ac.ub(ac.f32, 64)
    ac.copy(a, x, n)  # DataCopyPad


def test_a_fault_of_a_copy_names_its_line() -> None:
    with pytest.raises(errors.OutOfBounds) as caught:
        padded[1](torch.zeros(3).npu(), 60)
    assert caught.value.fields["line"] == line_of(padded, "ac.copy")


def test_a_compiler_error_is_raised_at_the_python_line() -> None:
    number = line_of(padded, "ac.copy")
    text = padded.source(lines=True).replace("DataCopyPad(a", "DataCopyPat(a")
    with pytest.raises(errors.KernelDoesNotCompile) as caught:
        library.compiled(padded, text)
    assert caught.value.fields["line"] == number and caught.value.fields["file"] == __file__
    assert "DataCopyPat" in str(caught.value) and "ac.copy(a, x, n)" in str(caught.value)


def test_line_markers_name_each_statement_once_in_order() -> None:
    text = too_far.source(lines=True)
    found = [int(line.split()[1]) for line in text.splitlines() if line.startswith("#line")]
    assert line_of(too_far, "z[i] =") in found and line_of(reach, "return x[i]") in found
    assert "\n".join(line for line in text.splitlines() if not line.startswith("#line")) + "\n" == too_far.source()


PROGRAM = """\
import torch
import ferrata.npu
from ferrata import lang as ac

@ac.kernel
def stepped(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    total = 0.0
    for i in range(n):
        total += x[i]
    z[0] = total

stepped[1](torch.ones(4).npu(), torch.zeros(1).npu(), 4)
"""


@pytest.mark.slow
def test_gdb_stops_and_steps_on_python_lines(tmp_path: Path) -> None:
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("gdb is not installed")
    program = tmp_path / "stepped.py"
    program.write_text(PROGRAM)
    commands = [
        "set breakpoint pending on", "set debuginfod enabled off", "break stepped.py:10", "run", "info locals", "backtrace 1",
        "up", "down", "tbreak stepped.py:9", "kill",
    ]  # fmt: skip
    arguments = [part for command in commands for part in ("-ex", command)]
    done = subprocess.run(
        [gdb, "-q", "-nx", "-batch", *arguments, "--args", sys.executable, str(program)],
        env={**os.environ, "FERRATA_KERNEL_DEBUG": "1"}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    if "ptrace: Operation not permitted" in said:
        pytest.skip("this machine does not let gdb trace")
    assert f"at {program}:10" in said, said
    assert "10\t    z[0] = total" in said and "total = 4" in said and "n=4" in said
