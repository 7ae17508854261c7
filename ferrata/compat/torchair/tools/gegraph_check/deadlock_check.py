"""`torchair.tools.gegraph_check.deadlock_check`."""

from ferrata.torchair.later import tools as _tools

deadlock_check = _tools.gegraph_check.deadlock_check.deadlock_check
