"""`torchair._ge_concrete_graph.supported_declaration`: samples for `declare_supported`."""

from ferrata.torchair.samples import *  # noqa: F403
from ferrata.torchair.samples import __all__ as _names

__all__ = list(_names)
