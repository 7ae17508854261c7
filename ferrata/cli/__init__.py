"""The command `ferrata`: the topmost room; it calls the others and prints.

Each command is a function in `commands.py`; the demo has a folder of its own.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of the console script. A FerrataError ends with its message and exit code 1, without a traceback."""
    from ferrata.cli.commands import app
    from ferrata.errors import FerrataError

    try:
        app()
    except FerrataError as error:
        if os.environ.get("FERRATA_TRACEBACK") == "1":
            raise
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
