"""The logger `torchair.logger`: name "torchair", level ERROR, on standard output, with the extra level EVENT.

At INFO it says which graphs are compiled, at DEBUG what they hold. With TORCH_COMPILE_DEBUG=1 it is at DEBUG, and
writes to `torchair/debug.log` in PyTorch's folder for that too.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

EVENT = 35
_LEVELS = {"0": logging.DEBUG, "1": logging.INFO, "2": logging.WARNING, "3": logging.ERROR, "4": logging.CRITICAL + 10}


class Logger(logging.Logger):
    """Python's logger with `event` and `warning_once`."""

    _seen: set[str]

    def event(self, message: str, *args: Any) -> None:
        self.log(EVENT, message, *args, stacklevel=2)

    def warning_once(self, message: str, *args: Any) -> None:
        if message not in self._seen:
            self._seen.add(message)
            self.warning(message, *args, stacklevel=2)


def told(gm: Any, compiled: Any, kind: str) -> None:
    """Log a graph that was compiled: kind is "inference", "forward" or "backward"."""
    if not logger.isEnabledFor(logging.INFO):
        return
    graph = compiled.graph
    logger.info("compiled %s (%s): %d FX nodes, %d nodes", graph.name, kind, len(gm.graph.nodes), len(graph.nodes))
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("FX graph of %s:\n%s", graph.name, gm.print_readable(print_output=False).rstrip())
        logger.debug("%s", graph)


def _debug_file() -> logging.Handler:
    from torch._dynamo.utils import get_debug_dir  # late: it imports Dynamo

    path = os.path.join(get_debug_dir(), "torchair", "debug.log")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return logging.FileHandler(path, encoding="utf-8")


def _made() -> Logger:
    logger = logging.getLogger("torchair")
    logger.__class__ = Logger  # the same object, for whoever asked `logging` for it before
    assert isinstance(logger, Logger)
    logger._seen = set()
    debug = os.environ.get("TORCH_COMPILE_DEBUG") == "1"
    if not logger.handlers:
        for handler in (logging.StreamHandler(sys.stdout), *([_debug_file()] if debug else [])):
            handler.setFormatter(logging.Formatter("[%(levelname)s] TORCHAIR %(asctime)s %(message)s"))
            logger.addHandler(handler)
        logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else _LEVELS.get(os.environ.get("TNG_LOG_LEVEL", "3"), logging.ERROR))
    return logger


logging.addLevelName(EVENT, "EVENT")
logger = _made()
