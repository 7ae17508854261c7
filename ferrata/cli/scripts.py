"""`ferrata run`: run a user's script with the vendor's import names on the path."""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from ferrata.errors import NotAScript

USAGE = """Usage: ferrata run script.py ARGUMENTS
       ferrata run -m module ARGUMENTS

Run a Python script or module with the vendor's import names: `import torch_npu, torchair` gives ferrata's, and
`import torch` brings the emulated device."""

COMPAT = Path(__file__).resolve().parent.parent / "compat"


def vendor_names() -> None:
    """From here on torch_npu and torchair import, and `import torch` brings the device; so do child processes."""
    if str(COMPAT) not in sys.path:
        sys.path.insert(0, str(COMPAT))
    inherited = os.environ.get("PYTHONPATH", "")
    if str(COMPAT) not in inherited.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(COMPAT), inherited]))
    os.environ["FERRATA_AUTOLOAD"] = "1"


def run_script(arguments: list[str], *, report: bool = True) -> None:
    """Run `arguments[0]` as `__main__` with the rest as its arguments; `-m module` runs a module.

    The script sees what `source set_env.sh` gives it: torch_npu and torchair import, `import torch` brings the device.
    An exception of the script ends the process as Python itself does: the script's traceback, exit code 1; with
    report=False it is the caller's.
    Raises NotAScript when there is no such file.
    """
    if arguments in (["--help"], ["-h"]):
        print(USAGE)
        return
    if not arguments or (arguments[0] == "-m" and len(arguments) < 2):
        raise NotAScript(path=" ".join(arguments) or "(nothing)")
    vendor_names()
    trouble = _tracebacks_of_the_script() if report else contextlib.nullcontext()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        with trouble:
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    script = Path(arguments[0])
    if not script.is_file():
        raise NotAScript(path=str(script))
    sys.argv = list(arguments)
    sys.path.insert(0, str(script.resolve().parent))
    with trouble:
        runpy.run_path(str(script), run_name="__main__")


@contextlib.contextmanager
def _tracebacks_of_the_script() -> Iterator[None]:
    """Report an exception from where the script begins: how it was started is no help to its author."""
    try:
        yield
    except Exception as failure:  # noqa: BLE001  this is the outermost frame of the user's program
        trace = failure.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _STARTERS:
            trace = trace.tb_next
        sys.excepthook(type(failure), failure.with_traceback(trace), trace)
        sys.exit(1)


_STARTERS = (__file__, runpy.__file__, runpy.run_path.__code__.co_filename)
