"""The language's types as type checkers see them. Nothing here is imported when a program runs.

At run time `ac.f16` is a Dtype and `ac.dtype_var` makes a variable over such. In an annotation, `x: ac.Gm[T]`, a checker
wants a type; in a call, `ac.queue(ac.VECIN, T, n)`, a value. Pyright takes a TypeVar for both, and then completes `x.`;
mypy does not, so to mypy the variable is a value and what annotations name is Any.

elements.py stands below the structures, whose members take element types; parameters.py above them.
"""
