"""`ferrata info`: what a bug report needs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from ferrata import __version__, cache, chips
from ferrata.errors import FerrataError


def facts() -> Iterator[tuple[str, str]]:
    """Pairs of name and value; never raises for something that is missing, but says so."""
    from ferrata.native import build

    yield "ferrata", f"{__version__} in {Path(__file__).resolve().parent.parent}"
    yield "python", f"{sys.version.split()[0]} ({sys.executable})"
    yield "machine", f"{platform.system()} {platform.machine()}"
    try:
        yield "compiler", f"{build.compiler()}: {build.compiler_version().splitlines()[0]}"
    except FerrataError as error:
        yield "compiler", str(error).splitlines()[0]
    try:
        import torch

        yield "torch", f"{torch.__version__} in {Path(torch.__file__).parent}"
    except ImportError as error:
        yield "torch", f"not importable: {error}"
    try:
        chip = chips.current()
        yield "chip", f"{chip.arch} as {chip.soc}: {chip.cube_cores} cube and {chip.vector_cores} vector cores"
    except FerrataError as error:
        yield "chip", str(error)
    yield "cache", str(cache.root())
