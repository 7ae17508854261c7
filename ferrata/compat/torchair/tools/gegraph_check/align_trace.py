"""`torchair.tools.gegraph_check.align_trace`."""

from ferrata.torchair.later import tools as _tools

align_trace_json = _tools.gegraph_check.align_trace.align_trace_json
