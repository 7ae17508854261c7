"""`torchair.tools.gegraph_check`."""

from torchair.tools.gegraph_check import align_trace, deadlock_check, filter_operators  # noqa: F401
