"""`torchair.tools`."""

from ferrata.torchair.later import tools as _tools

gegraph_check = _tools.gegraph_check
