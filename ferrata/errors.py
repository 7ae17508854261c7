"""Every error that ferrata raises, each a class whose docstring is its message template.

A template says what happened, where, what was expected and what to do. Raise with keyword arguments:
`raise NoPrototype(op="AddCustm", where="model.py:12", near="AddCustom")`. A standard class may be a second
base so that `except ValueError` written for the vendor's packages keeps working.
"""

from __future__ import annotations

import inspect
import string
from typing import Any


class FerrataError(Exception):
    """{message}"""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields
        super().__init__(self.render())

    def render(self) -> str:
        """The docstring of the class with the fields filled in; a field left out is a programming error."""
        template = inspect.cleandoc(type(self).__doc__ or "{message}")
        return string.Formatter().vformat(template, (), self.fields)

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(name)

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.fields)


def _rebuild(cls: type[FerrataError], fields: dict[str, Any]) -> FerrataError:
    return cls(**fields)


# --- ground -----------------------------------------------------------------------------------------------------


class UnknownChip(FerrataError, ValueError):
    """{arch!r} is not a chip that ferrata knows. Known: {known}. Set FERRATA_NPU_ARCH or --npu-arch to one of them."""


class NoCompiler(FerrataError, RuntimeError):
    """No C++ compiler found: tried {tried}.

    Install one (Debian/Ubuntu: `sudo apt-get install g++`; Fedora: `sudo dnf install gcc-c++`) or set CXX to its path.
    """


class NativeBuildFailed(FerrataError, RuntimeError):
    """Building {what} with {compiler} failed (exit code {code}).

    Command: {command}
    {output}
    """


# --- commands ---------------------------------------------------------------------------------------------------


class NotAScript(FerrataError, FileNotFoundError):
    """{path} is not a Python script that can be run. Usage: ferrata run script.py [arguments], or ferrata run -m module."""
