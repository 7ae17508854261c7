"""`torchair.core.utils`."""

from ferrata.torchair.log import logger  # noqa: F401
