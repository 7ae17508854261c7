"""How long the AddCustom kernel file takes to compile: cold through the driver, and from the cache."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
from pathlib import Path

import ferrata.asc
from benchmarks.kernels import ADD_CUSTOM
from benchmarks.measure import Result, alone
from ferrata.asc.home import home


def run() -> list[Result]:
    source = (ADD_CUSTOM / "add_custom_kernel.asc").read_text()
    with tempfile.TemporaryDirectory() as folder:
        count = itertools.count()
        driver = [str(home() / "bin" / "bisheng"), "--npu-arch=dav-2201", "-fPIC"]

        def cold() -> None:
            # a comment that was never compiled before makes every round a miss
            path = Path(folder) / f"cold{next(count)}.asc"
            path.write_text(f"{source}\n// {folder} {path.name}\n")
            subprocess.run([*driver, "-c", str(path), "-o", f"{path}.o"], check=True)

        warm_path = Path(folder) / "warm.asc"
        warm_path.write_text(f"{source}\n// {folder}\n")
        ferrata.asc.compile(warm_path)
        warm = [*driver, "-c", str(warm_path), "-o", f"{warm_path}.o"]
        subprocess.run(warm, check=True)
        return [
            alone("AddCustom kernel, cold, through the driver", cold, limit=1.0, rounds=9),
            alone(
                "AddCustom kernel, from the cache (ferrata.asc.compile)",
                lambda: ferrata.asc.compile(warm_path),
                limit=0.020,
                rounds=31,
            ),
            alone(
                "AddCustom kernel, from the cache, through the driver",
                lambda: subprocess.run(warm, check=True),
                limit=None,
                rounds=15,
                note="includes the start of the driver's process",
            ),
        ]
