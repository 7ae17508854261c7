"""The import name `torchair`: ferrata.torchair under the vendor's name, with the private paths that programs use."""

from ferrata.torchair import *  # noqa: F403
from ferrata.torchair import __all__ as _names
from torchair import ge, inference, llm_datadist, ops, scope, tools  # noqa: F401  submodules under this name

__all__ = list(_names)
