"""`npugraph_ex.inference`."""

from ferrata.torchair.inference import *  # noqa: F403
from ferrata.torchair.inference import __all__ as _names

__all__ = list(_names)
