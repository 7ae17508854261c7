"""`torchair.tools.gegraph_check.filter_operators`."""

from ferrata.torchair.later import tools as _tools

filter_comm_ops = _tools.gegraph_check.filter_operators.filter_comm_ops
