"""A wish that holds inside a `with` block and in its thread alone."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Asked(threading.local):
    """`wanted` is what the innermost block of this thread asks for; False outside of all."""

    wanted = False

    @contextlib.contextmanager
    def inside(self, wanted: bool) -> Iterator[None]:
        before, self.wanted = self.wanted, wanted
        try:
            yield
        finally:
            self.wanted = before
