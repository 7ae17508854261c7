"""`torchair.ops`."""

from ferrata.torchair.ops import *  # noqa: F403
from ferrata.torchair.ops import __all__ as _names

__all__ = list(_names)
