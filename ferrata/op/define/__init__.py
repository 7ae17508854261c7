"""Operators defined in Python: `@fe.op`."""
