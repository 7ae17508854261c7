"""Build the torch device before somebody waits for it without knowing why.

A CMake project asks `python3 -c "import torch"` for torch's folder, and in a build shell that import loads the device. Its
first build takes a minute, so `ferrata home` does it beforehand, where the build says on stderr what it does.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

from ferrata import cache


def prepare(home: Path) -> None:
    """Build the device for the installed torch unless it was built for this toolkit folder."""
    try:
        torch_version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return  # a toolkit without torch still compiles host programs
    done = cache.root() / "prepared" / cache.key([home.name, torch_version, sys.prefix])
    if done.exists():
        return
    from ferrata.native import build

    build.device()
    done.parent.mkdir(parents=True, exist_ok=True)
    done.touch()
