"""Operators in OpDef form: a folder with op_host/ and op_kernel/ becomes callables, torch operators and GE operators.

The way of a project: sources.py finds the files and what they declare, host.py compiles and loads the host side (its
OpDef registers ports, inference and tiling in C++), kernel.py compiles the kernel for the data types of a call,
schema.py and shapes.py make the torch operator and its fake, operator.py is the callable, report.py prints it.
"""

from __future__ import annotations

from ferrata.op.project.load import Project, load_project
from ferrata.op.project.operator import Operator

__all__ = ["Operator", "Project", "load_project"]
