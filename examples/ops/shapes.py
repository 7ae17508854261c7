"""What operators that broadcast share: sizes and steps of the last four dimensions, and reading along them."""

import math
from dataclasses import dataclass

from ferrata import lang as ac


@dataclass
class Four:
    """A number for each of the last four dimensions: sizes, or elements that a step moves by (0: repeated)."""

    a: int
    b: int
    c: int
    d: int


def size(x, back: int):
    """The size of a dimension, counted from the end; 1 before the first."""
    return x.shape[x.dim() - back] if x.dim() >= back else 1


def step(x, back: int):
    """Elements between neighbours in that dimension, 0 where there are none."""
    return 0 if size(x, back) == 1 else math.prod(x.shape[x.dim() - back + 1 :])


def fetch(block, x, at: int, step: int, n: int):
    """n elements from there, or one repeated."""
    if step == 0:
        ac.duplicate(block, x[at], n)
    else:
        ac.copy(block[:n], x[at:])
