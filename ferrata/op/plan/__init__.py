"""The host side of an operator in C++: `@op.plan` and `@op.shape` as GE's Execute and inference run them.

The way of a plan: source.py reads the Python function, function.py opens a scope (scope.py) and walks its statements
(statements.py, loops.py, returns.py), expressions (expressions.py, members.py, calls.py) and launches (launches.py,
tiling.py for the OpDef form). helpers.py holds the C++ that the text calls; rules.py writes the dimensions of a signature
as one C++ function. native.py builds the text and runs it for given shapes, so that a test can hold it against Python.
"""
