"""Python functions to Ascend C text, statement by statement.

entry.py translates a kernel, launcher.py writes the host's function that launches it. source.py reads a function; usage.py
finds where its variables live; function.py holds the state of one function while statements.py and expressions.py walk
it, with one file below them for each subject (assignments, variables, arithmetic, comparisons, operands, objects, loops,
calls, helpers, results, tensors) and for each thing that the language itself gives (buffers, copies, sync, work); these
come back to the walk by `f.value(node)` and `f.block(body)`. unit.py collects what the file needs at its head, writer.py
lays the lines out. Calls of interfaces go to ferrata.lang.binding.
"""
