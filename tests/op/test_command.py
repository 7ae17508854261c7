"""`ferrata op`: what it prints, and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrata import errors
from ferrata.cli.commands import app

pytestmark = pytest.mark.slow
EXAMPLE = str(Path(__file__).parents[2] / "examples" / "kernels" / "opdef_scale_add")


def test_it_shows_ports_tiling_and_a_run() -> None:
    shapes = ["--shape", "x=3,5000", "--shape", "y=3,5000", "--attr", "alpha=2.0", "--attr", "with_sum=true"]
    done = CliRunner().invoke(app, ["op", EXAMPLE, *shapes, "--run"])
    assert done.exit_code == 0, done.exception
    for text in ("required  FLOAT, FLOAT16", "blocks 4, tiling key 2", "workspaces [16777344]", "float32[3, 5000]"):
        assert text in done.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--shape", "q=3"], "'q=3' is not name=value"),
        (["--shape", "x=a"], "'a' is no shape"),
        (["--shape", "x=3", "--dtype", "x=float17"], "no torch dtype"),
        (["--shape", "x=3"], "input y must be a tensor"),
    ],
)
def test_wrong_arguments_are_explained(arguments: list[str], problem: str) -> None:
    done = CliRunner().invoke(app, ["op", EXAMPLE, *arguments])
    assert isinstance(done.exception, errors.BadOpArgument)
    assert problem in str(done.exception)
