"""`torchair.ge`: what converters are written with."""

from ferrata.torchair.ge import *  # noqa: F403
from ferrata.torchair.ge import __all__ as _names

__all__ = list(_names)
