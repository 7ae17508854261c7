"""`torchair.logger`: a logger of Python's, which tells what is compiled."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import logging
early = logging.getLogger("torchair")
import torch, ferrata as fe
from ferrata import torchair
logger = torchair.logger
assert logger is early and isinstance(logger, logging.Logger) and logger.level == {level}
told = []
class Keep(logging.Handler):
    def emit(self, record): told.append((record.levelname, record.filename, record.getMessage()))
logger.addHandler(Keep())
logger.event("first %d", 1)
logger.warning_once("twice"); logger.warning_once("twice")
logger.setLevel(logging.DEBUG)
torch.compile(lambda x: x.sin() + 1, backend=fe.get_npu_backend(), fullgraph=True)(torch.randn(3))
levels = [level for level, _, _ in told]
assert levels[-3:] == ["INFO", "DEBUG", "DEBUG"], told
assert "(inference): 4 FX nodes" in told[-3][2] and "aten.sin.default" in told[-2][2] and "Sin(x=" in told[-1][2], told
told = [record for record in told if record[1] == "<string>"]
assert told == {told}, told
"""


def _run(folder: Path, level: int, told: list[tuple[str, str, str]], **env: str) -> str:
    program = PROGRAM.format(level=level, told=told)
    environment = {"PATH": "", "PYTHONPATH": str(Path(__file__).parents[2]), **env}
    made = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_it_is_silent_until_asked_and_takes_handlers(tmp_path: Path) -> None:
    out = _run(tmp_path, logging.ERROR, [])
    assert "TORCHAIR" in out and "compiled graph_0 (inference)" in out and "first" not in out


def test_debugging_of_compilation_writes_a_file(tmp_path: Path) -> None:
    told = [("EVENT", "<string>", "first 1"), ("WARNING", "<string>", "twice")]
    _run(tmp_path, logging.DEBUG, told, TORCH_COMPILE_DEBUG="1")
    (file,) = tmp_path.glob("torch_compile_debug/run_*/torchair/debug.log")
    assert "twice" in file.read_text() and "Sin(x=" in file.read_text()
