"""`torchair.scope`."""

from ferrata.torchair.scope import *  # noqa: F403
from ferrata.torchair.scope import __all__ as _names

__all__ = list(_names)
