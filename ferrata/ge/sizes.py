"""Expressions of sizes, as Python text and as numbers, whether sympy's or those of a file.

A file has its sizes as trees: `{"symbol": [name, assumptions]}`, an int, or `[function, *arguments]`. A process that only
loads and runs graphs evaluates these (`Size`) and does without sympy, whose import takes a third of a second; whatever
else is asked of a `Size` is answered by the expression of sympy that it stands for.
"""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Mapping
from typing import Any

# function of a tree -> its text of the arguments' texts; the functions are those of sympy and of torch.utils._sympy
_TEXT: dict[str, Callable[..., str]] = {
    "Add": lambda *a: f"({' + '.join(a)})",
    "Mul": lambda *a: f"({'*'.join(a)})",
    "FloorDiv": lambda a, b: f"({a} // {b})",
    "CleanDiv": lambda a, b: f"({a} // {b})",
    "Mod": lambda a, b: f"({a} % {b})",
    "PythonMod": lambda a, b: f"({a} % {b})",
    "Max": lambda *a: f"max({', '.join(a)})",
    "Min": lambda *a: f"min({', '.join(a)})",
    "And": lambda *a: f"({' and '.join(a)})",
    "Or": lambda *a: f"({' or '.join(a)})",
    "Not": lambda a: f"(not {a})",
    "Equality": lambda a, b: f"({a} == {b})",
    "Unequality": lambda a, b: f"({a} != {b})",
    "LessThan": lambda a, b: f"({a} <= {b})",
    "GreaterThan": lambda a, b: f"({a} >= {b})",
    "StrictLessThan": lambda a, b: f"({a} < {b})",
    "StrictGreaterThan": lambda a, b: f"({a} > {b})",
}


class Size:
    """An expression of a file, without sympy as long as its symbols, text and value are all that is asked for."""

    __slots__ = ("_made", "make", "names", "tree")

    def __init__(self, tree: Any, make: Callable[[Any], Any]) -> None:
        """make: the expression of sympy for the tree. Raises ValueError for a tree that has no text here."""
        self.tree, self.make, self._made = tree, make, None
        found: dict[str, None] = {}
        _check(tree, found)
        self.names = sorted(found)

    @property
    def is_Symbol(self) -> bool:
        return isinstance(self.tree, dict)

    def text(self, names: Mapping[str, str]) -> str:
        """As Python, symbols by their new names."""
        return _text(self.tree, names)

    def expression(self) -> Any:
        """The expression of sympy."""
        if self._made is None:
            self._made = self.make(self.tree)
        return self._made

    _sympy_ = expression

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copying and the like look for
            raise AttributeError(name)
        return getattr(self.expression(), name)

    def __reduce__(self) -> Any:
        return _as_it_is, (self.expression(),)

    def __str__(self) -> str:
        return str(self.tree["symbol"][0]) if isinstance(self.tree, dict) else str(self.expression())

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Size):
            return bool(self.tree == other.tree or self.expression() == other.expression())
        return False if isinstance(other, (int, str, type(None))) else bool(self.expression() == other)

    def __hash__(self) -> int:  # that of an equal expression
        return hash(self.expression())


def _as_it_is(expression: Any) -> Any:
    return expression


def _arithmetic(name: str) -> Callable[..., Any]:
    function = getattr(operator, name.strip("_").removeprefix("r") if name in _REFLECTED else name)

    def compute(self: Size, *other: Any) -> Any:
        given = [o.expression() if isinstance(o, Size) else o for o in other]
        return function(*given, self.expression()) if name in _REFLECTED else function(self.expression(), *given)

    return compute


_REFLECTED = ("__radd__", "__rsub__", "__rmul__", "__rfloordiv__", "__rmod__")
for _name in ("__add__", "__sub__", "__mul__", "__floordiv__", "__mod__", "__neg__", "__lt__", "__le__", "__gt__",
              "__ge__", *_REFLECTED):  # fmt: skip
    setattr(Size, _name, _arithmetic(_name))


def _check(tree: Any, names: dict[str, None]) -> None:
    """Raises ValueError for what is no tree of functions that have a text; collects the symbols."""
    if isinstance(tree, dict):
        name = tree["symbol"][0]
        check_symbol(name)
        names[name] = None
    elif isinstance(tree, list):
        kind, *arguments = tree
        if kind not in _TEXT or not arguments:
            raise ValueError(f"the function of sizes {kind!r} has no text")
        for argument in arguments:
            _check(argument, names)
    elif type(tree) is not int:
        raise ValueError(f"{tree!r} is no expression of sizes")


def check_symbol(name: Any) -> None:
    """Raises ValueError unless it is a name: it becomes part of a program."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is no symbol")


def _text(tree: Any, names: Mapping[str, str]) -> str:
    if isinstance(tree, dict):
        return names[tree["symbol"][0]]
    if isinstance(tree, list):
        return _TEXT[tree[0]](*(_text(a, names) for a in tree[1:]))
    return str(tree) if tree >= 0 else f"({tree})"


def symbols_of(expression: Any) -> list[str]:
    """The names of its symbols, in order."""
    return expression.names if isinstance(expression, Size) else sorted(map(str, expression.free_symbols))


def python_text(expression: Any, names: Mapping[str, str]) -> str:
    """The expression as Python, symbols by their new names."""
    if isinstance(expression, Size):
        return expression.text(names)
    from sympy import Symbol  # type: ignore[import-untyped]  # late: graphs of fixed sizes need none of it
    from torch.utils._sympy.printers import PythonPrinter

    new = {s: Symbol(names[str(s)], integer=True, positive=True) for s in expression.free_symbols}
    return str(PythonPrinter().doprint(expression.xreplace(new)))


def value_of(expression: Any, symbols: Mapping[str, int]) -> int | None:
    """Its number; None as long as it has unknowns."""
    names = symbols_of(expression)
    if any(n not in symbols for n in names):
        return None
    if isinstance(expression, Size):
        return int(eval(expression.text({n: n for n in names}), {"__builtins__": _BUILTINS}, dict(symbols)))
    from sympy import Integer

    return int(expression.xreplace({s: Integer(symbols[str(s)]) for s in expression.free_symbols}))


_BUILTINS = {"min": min, "max": max}
