"""Python functions to Ascend C text, statement by statement.

source.py reads a function; usage.py finds where its variables live; function.py holds the state of one function while
statements.py and expressions.py walk it, with one file beside them for each thing that the language itself gives
(buffers, copies, synchronisation, sharing of work); unit.py puts kernel, helpers, constants and structures into a file.
Calls of interfaces go to ferrata.lang.binding.
"""
