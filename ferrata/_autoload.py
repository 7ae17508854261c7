"""Entry point `torch.backends`: `import torch` calls this; it brings the npu device in only when asked to.

`FERRATA_AUTOLOAD=1` (set by `source "$(ferrata home)/set_env.sh"` and by `ferrata run`) makes `device="npu"` work
without another import. Otherwise nothing happens, so installing ferrata changes no program.
"""

from __future__ import annotations

import os
import warnings


def autoload() -> None:
    """Import the device if FERRATA_AUTOLOAD is 1. A failure is a warning: `import torch` itself must work."""
    if os.environ.get("FERRATA_AUTOLOAD") != "1":
        return
    try:
        import ferrata.npu  # noqa: F401
    except Exception as problem:  # noqa: BLE001  anything: a broken compiler must not break `import torch`
        warnings.warn(
            f"ferrata could not load the npu device ({type(problem).__name__}: {problem}). "
            "`import ferrata.npu` shows the whole error; unset FERRATA_AUTOLOAD to silence this.",
            RuntimeWarning,
            stacklevel=2,
        )
