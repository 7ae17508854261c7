"""Build the demo's operator library the way a user would: with the `bisheng` driver, one object a source, then a link."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from ferrata.asc.home import home
from ferrata.errors import CompileError

FOLDER = Path(__file__).parent
SOURCES = tuple(FOLDER / name for name in ("add_custom_kernel.asc", "add_custom_ge.asc", "add_custom_pytorch.asc"))


def _raise(path: Path, arch: str, code: int, text: str) -> None:
    if code:
        raise CompileError(path=path, arch=arch, code=code, output=text.rstrip())


def build_library(
    folder: Path, sources: Sequence[Path] = SOURCES, arch: str = "dav-2201"
) -> tuple[Path, dict[str, float]]:
    """Compile `sources` into `folder/libascendc_ops.so`. Returns its path and the seconds of each step by file name.

    Raises CompileError with the compiler's text.
    """
    import torch
    from torch.utils import cpp_extension

    from ferrata.npu import INCLUDE as npu_include

    bisheng, torch_folder = str(home() / "bin" / "bisheng"), Path(torch.__file__).parent
    includes = [f"-isystem{path}" for path in [*cpp_extension.include_paths(), npu_include]]
    folder.mkdir(parents=True, exist_ok=True)
    seconds: dict[str, float] = {}
    objects: list[str] = []
    running: list[tuple[Path, float, subprocess.Popen[str]]] = []
    for source in sources:
        objects.append(str(folder / f"{source.stem}.o"))
        command = [bisheng, f"--npu-arch={arch}", "-fPIC", *includes, "-c", str(source), "-o", objects[-1]]
        if source.name.endswith(("_kernel.asc", "_ge.asc")):
            command = [part for part in command if part not in includes]  # these two need no torch
        started = time.perf_counter()
        running.append((source, started, subprocess.Popen(command, stderr=subprocess.PIPE, text=True)))
    for source, started, process in running:
        _, text = process.communicate()
        _raise(source, arch, process.returncode, text)
        seconds[source.name] = time.perf_counter() - started
    library, started = folder / "libascendc_ops.so", time.perf_counter()
    link = [
        bisheng,
        "-shared",
        *objects,
        f"-L{torch_folder / 'lib'}",
        "-ltorch_cpu",
        "-lc10",
        "-lgert",
        "-o",
        str(library),
    ]
    done = subprocess.run(link, capture_output=True, text=True)
    _raise(library, arch, done.returncode, done.stderr or done.stdout)
    seconds["link"] = time.perf_counter() - started
    return library, seconds
