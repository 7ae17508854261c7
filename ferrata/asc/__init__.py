"""Ascend C source to machine code: rewriting `<<<>>>`, the compiler driver, the compile cache, the CMake language.

The way of a file: options.py reads the command line, unit.py the file and the user's headers, lexer.py, kernels.py and
launches.py find what is not C++, rewrite.py makes C++ of it, objects.py and link.py run the system's compiler,
store.py remembers results. driver.py is the command `bisheng`, api.py the same from Python, home.py the folder that
ASCEND_HOME_PATH points to, cmake/ the language for CMake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ferrata.asc.api import compile as compile

__all__ = ["compile"]


def __getattr__(name: str) -> Any:
    # late, so that the driver starts without the rest
    if name == "compile":
        from ferrata.asc.api import compile as function

        return function
    raise AttributeError(f"module 'ferrata.asc' has no attribute {name!r}")
