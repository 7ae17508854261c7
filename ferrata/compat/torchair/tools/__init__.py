"""`torchair.tools`."""

from torchair.tools import gegraph_check  # noqa: F401
