"""What the operand checks that are always on cost: a kernel and the runtime, each built with them and without (unchecked.h).

The data lies in the caches, so that memory does not hide the checks. Each program runs in a process of its own, in turn.
"""

from __future__ import annotations

import concurrent.futures
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.measure import Result
from ferrata.native import build

HERE = Path(__file__).parent
ELEMENTS = 48 * 4096  # a tile for each core
RUNTIME_FLAGS = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]


def _runtime(folder: Path, flags: list[str]) -> Path:
    """libascendcl.so built with `flags`; the file that raises faults is not touched by them."""
    if not flags:
        return build.runtime()
    sources = sorted((build.SOURCES / "runtime").glob("*.cpp"))

    def compile_one(source: Path) -> str:
        output = str(folder / f"{source.stem}.o")
        own = [] if source.stem == "fault" else flags
        places = [f"-I{build.INCLUDE}", f"-I{source.parent}"]
        command = [build.compiler(), *build.FLAGS, *RUNTIME_FLAGS, *places, *own, "-c", str(source), "-o", output]
        subprocess.run(command, check=True, capture_output=True)
        return output

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    library = folder / "libascendcl.so"
    link = [build.compiler(), "-shared", "-o", str(library), *objects, "-pthread", "-Wl,-soname,libascendcl.so", "-ldl"]
    subprocess.run(link, check=True)
    return library


def _program(folder: Path, flags: list[str]) -> tuple[str, Path]:
    """The program and the runtime to load before it, both built with `flags`."""
    from ferrata.asc.home import home

    folder.mkdir()
    library = _runtime(folder, flags)
    bisheng, kernels, program = str(home() / "bin" / "bisheng"), str(folder / "kernels.o"), str(folder / "program")
    common = [bisheng, "--npu-arch=dav-2201", "-O2", f"-I{build.INCLUDE}", *flags]
    subprocess.run([*common, "-c", str(HERE / "vector_kernels.asc"), "-o", kernels], check=True)
    subprocess.run(
        [bisheng, "-O2", f"-I{build.INCLUDE}", str(HERE / "checks_main.cpp"), kernels, "-o", program], check=True
    )
    return program, library


def run(rounds: int = 15) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="ferrata-checks-") as temporary:
        work = Path(temporary)
        checked = _program(work / "checked", [])
        unchecked = _program(work / "unchecked", ["-include", str(HERE / "unchecked.h")])

        def seconds(program: tuple[str, Path], kernel: str) -> float:
            command = [program[0], kernel, str(ELEMENTS), "50", "3"]
            environment = {**os.environ, "LD_PRELOAD": str(program[1])}
            return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)

        rows = []
        for kernel, what in (
            ("add", "Add: 1 vector instruction a tile"),
            ("sigmoid", "Sigmoid: 4 vector instructions a tile"),
        ):
            pairs = [(seconds(checked, kernel), seconds(unchecked, kernel)) for _ in range(rounds)]
            base = [b for _, b in pairs]
            quartiles = statistics.quantiles(base, n=4)
            rows.append(
                Result(
                    f"operand checks, {what} of 4096, against a build without checks",
                    statistics.median(a for a, _ in pairs),
                    statistics.median(base),
                    statistics.median(a / b for a, b in pairs),
                    1.1,
                    (quartiles[2] - quartiles[0]) / statistics.median(base),
                    "data in the caches",
                )
            )
    return rows
