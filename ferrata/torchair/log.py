"""The logger `torchair.logger`: name "torchair", level ERROR, on standard output, with the extra level EVENT."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

EVENT = 35
_LEVELS = {"0": logging.DEBUG, "1": logging.INFO, "2": logging.WARNING, "3": logging.ERROR, "4": logging.CRITICAL + 10}


class Logger(logging.LoggerAdapter):  # type: ignore[type-arg]
    """The logger with `event` and `warning_once`."""

    def __init__(self) -> None:
        inner = logging.getLogger("torchair")
        if not inner.handlers:
            handler = logging.StreamHandler(sys.stdout)
            handler.setFormatter(logging.Formatter("[%(levelname)s] TORCHAIR %(asctime)s %(message)s"))
            inner.addHandler(handler)
            inner.propagate = False
        debug = os.environ.get("TORCH_COMPILE_DEBUG") == "1"
        inner.setLevel(logging.DEBUG if debug else _LEVELS.get(os.environ.get("TNG_LOG_LEVEL", "3"), logging.ERROR))
        super().__init__(inner, {})
        self._seen: set[str] = set()

    def event(self, message: str, *args: Any) -> None:
        self.log(EVENT, message, *args)

    def warning_once(self, message: str, *args: Any) -> None:
        if message not in self._seen:
            self._seen.add(message)
            self.warning(message, *args)


logging.addLevelName(EVENT, "EVENT")
logger = Logger()
