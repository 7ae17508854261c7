"""Imports without collections of garbage: modules are made to stay, and looking for garbage among them takes longer
than making them.

`import torch` leaves hundreds of thousands of objects; every import of ours after it would walk through them once or
twice, a fifth of a second each time.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """Inside, the collector waits; afterwards it is as it was."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def leave_at_exit() -> None:
    """The end of the process frees its memory at once, instead of looking for garbage in it first."""
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
