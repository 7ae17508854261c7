"""`ferrata run`: run a user's script with the vendor's import names on the path."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

from ferrata.errors import NotAScript

COMPAT = Path(__file__).resolve().parent.parent / "compat"


def run_script(arguments: list[str]) -> None:
    """Run `arguments[0]` as `__main__` with the rest as its arguments; `-m module` runs a module.

    The script sees what `source set_env.sh` gives it: torch_npu and torchair import, `import torch` brings the device.
    Raises NotAScript when there is no such file.
    """
    if not arguments or (arguments[0] == "-m" and len(arguments) < 2):
        raise NotAScript(path=" ".join(arguments) or "(nothing)")
    sys.path.insert(0, str(COMPAT))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(COMPAT), os.environ.get("PYTHONPATH")]))
    os.environ["FERRATA_AUTOLOAD"] = "1"
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    script = Path(arguments[0])
    if not script.is_file():
        raise NotAScript(path=str(script))
    sys.argv = list(arguments)
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
