"""What the language refuses: the class, the words, the line and the caret, for each misuse."""

from __future__ import annotations

import importlib.util
import itertools
import pickle
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ferrata import errors

HEAD = """\
import math
from dataclasses import dataclass
import torch
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)
TILE = 64
TABLE = [1, 2]
WEIGHT = torch.ones(3)

@dataclass
class Params:
    n: int
    eps: float

def double(v):
    return v * 2

def itself(v):
    return itself(v - 1)

def two(v: float):
    if v > 0:
        return 1
    return 2.5

def some(v: int):
    if v > 0:
        return v

def nothing(v):
    v += 1

def filled(v: float):
    own = ac.ub(ac.f32, 64)
    ac.duplicate(own, v, 64)

@ac.kernel
def other(z: ac.Gm[T]):
    pass

@ac.kernel
def kernel(x: ac.Gm[T], z: ac.Gm[T], n: int, s: float, p: Params, *, tile: ac.Const[int] = 64):
"""
_count = itertools.count()


def module(folder: Path, text: str) -> Any:
    """Import a module of this text."""
    path = folder / f"case{next(_count)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def refused(folder: Path, body: str) -> errors.KernelSourceError:
    """The error of translating a kernel with this body; a `|` marks where its caret must begin."""
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    lines = body.split("\n")
    at = next(i for i, line in enumerate(lines) if "|" in line)
    column = lines[at].index("|")
    lines[at] = lines[at].replace("|", "", 1)
    made = module(folder, HEAD + "\n".join(lines) + "\n")
    with pytest.raises(errors.KernelSourceError) as caught:
        made.kernel.source()
    error = caught.value
    assert error.fields["line"] == HEAD.count("\n") + 1 + at
    assert Path(str(error.fields["file"])).name.startswith("case")
    shown, carets = str(error.fields["excerpt"]).split("\n")
    stripped = len(lines[at]) - len(lines[at].lstrip())
    assert shown.strip() == lines[at].strip()
    assert carets.index("^") == 4 + column - stripped, str(error)
    assert str(error).startswith(f"{error.fields['file']}:{error.fields['line']}: ")
    return error


CASES: list[tuple[str, type[Exception], str]] = [
    # statements
    ("|import os", errors.UnsupportedStatement, "Import at the top of the module."),
    ("|try:\n    n = 1\nexcept ValueError:\n    pass", errors.UnsupportedStatement, "no exceptions"),
    ("|raise ValueError", errors.UnsupportedStatement, "use assert"),
    ("|global TILE", errors.UnsupportedStatement, "return the new one"),
    ("|del n", errors.UnsupportedStatement, "given back where their `with` ends"),
    ("|def inner():\n    pass", errors.UnsupportedStatement, "Define the helper in the module"),
    ("|class A:\n    pass", errors.UnsupportedStatement, "dataclass"),
    ("|match n:\n    case 1:\n        pass", errors.UnsupportedStatement, "if, elif, else"),
    ("|n + 1", errors.UnsupportedStatement, "computes a value that nothing uses"),
    ("|return n", errors.UnsupportedStatement, "A kernel gives its results through tensors"),
    ("while n:\n    break\n    |n = 1", errors.UnsupportedStatement, "never reached"),
    ("for i in (1, 2):\n    pass\nelse:\n    |n = 1", errors.UnsupportedStatement, "else behind a loop over a tuple"),
    ("with |open('f') as g:\n    pass", errors.UnsupportedStatement, ""),
    # expressions
    ("f = |lambda v: v", errors.UnsupportedExpression, "Define a function with def"),
    ("f = |[i for i in range(3)]", errors.UnsupportedExpression, "Write the loop"),
    ("f = |{1: 2}", errors.UnsupportedExpression, "a dict"),
    ("ac.printf(|f'{n}')", errors.UnsupportedExpression, "ac.printf"),
    ("f = |math.sqrt(s)", errors.UnsupportedExpression, "The scalar unit has no such function"),
    ("f = |sum(n)", errors.UnsupportedExpression, "ac.sum_of"),
    ("|print(n)", errors.UnsupportedExpression, "ac.printf"),
    ("f = |sorted(n)", errors.UnsupportedExpression, "min, max, abs"),
    ("f = |x @ x", errors.UnsupportedExpression, "`@`"),
    ("f = |n is s", errors.UnsupportedExpression, "compare numbers with =="),
    ("f = |s**s", errors.UnsupportedExpression, "products"),
    ("f = |1 // 0", errors.UnsupportedExpression, "modulo by zero"),
    ("f = |3j", errors.UnsupportedExpression, "3j"),
    ("f = |WEIGHT[0]", errors.WrongType, "pass it as a parameter"),
    ("f = [1, 2]\n|f.append(3)", errors.UnknownAttribute, "no methods"),
    ("f = |TABLE[0]", errors.UnsupportedExpression, "numbers or tuples"),
    ("|other(z)", errors.UnsupportedExpression, "the launch of a kernel from a kernel"),
    ("ac.adds(|*x)", errors.UnsupportedExpression, "Write the arguments out"),
    # names
    ("f = |tille", errors.UnknownName, "Did you mean 'tile'?"),
    ("q = ac.queue(ac.VECIN, T, 64)\nwith q.put() as a:\n    ac.copy(a, x)\nac.copy(z, |a)", errors.UnknownName, "inside its `with`"),
    ("f = |TILLE", errors.UnknownName, "Did you mean 'TILE'?"),
    ("f = |later\nlater = 1", errors.NoValue, "none before its assignment further down"),
    ("|ac.adq(x, x, x, n)", errors.UnknownAttribute, "Did you mean ac.add"),
    ("f = |p.m", errors.UnknownAttribute, "It has: n, eps."),
    ("f = |x.shape", errors.UnknownAttribute, "pass sizes as parameters"),
    ("f = |n.real", errors.UnknownAttribute, "a int has no 'real'"),
    # types
    ("f = 0\n|f = s", errors.TypeChanges, "Start it as a float, `f = 0.0`"),
    ("f = True\n|f = 2", errors.TypeChanges, "bool since line"),
    ("f = 0\n|f += s", errors.TypeChanges, "int since line"),
    ("f = |x + 1", errors.WrongType, "one element is x[i]"),
    ("f = |x[0] + n", errors.WrongType, "float(x), int(x) or T(x)"),
    ("f = |x[0] / 2", errors.WrongType, "Convert with float(x)"),
    ("f = |s % 2", errors.WrongType, "int(x) first"),
    ("f = x[|s]", errors.WrongType, "an index takes an int"),
    ("if |x:\n    pass", errors.WrongType, "`x is not None`"),
    ("for i in range(|s):\n    pass", errors.WrongType, "range takes ints"),
    ("f = |n(1)", errors.WrongType, "a call takes a function, not int"),
    ("f: int = |s", errors.WrongType, "takes int, not float"),
    ("f = -|ac", errors.WrongType, "the module ferrata.lang"),
    ("f = |p[0]", errors.WrongType, "takes a tensor, not Params"),
    ("f = |Params(n)", errors.WrongArguments, "lacks eps"),
    # arguments
    ("f = |n // 0", errors.UnsupportedExpression, "a division by zero"),
    ("f = |ac.RoundMode.CAST_RIN", errors.UnknownAttribute, "Did you mean CAST_RINT?"),
    ("f = |double()", errors.WrongArguments, "missing a required argument"),
    ("f = |double(n, n)", errors.WrongArguments, "too many positional arguments"),
    ("f = |min(n)", errors.WrongArguments, "ac.min_of(tensor, n)"),
    ("for i in |range(n, 1, 2, 3):\n    pass", errors.WrongArguments, "takes 1 to 3 arguments"),
    ("for i in |range(0, n, 0):\n    pass", errors.WrongArguments, "a step of 0"),
    ("a, b = |ac.core_share()", errors.WrongArguments, "lacks total"),
    ("a, b = ac.core_share(n, |alin=8)", errors.WrongArguments, "Did you mean 'align'?"),
    ("|a, b, c = ac.core_share(n)", errors.WrongArguments, "has 3 targets and 2 values"),
    ("|ac.order(ac.V, ac.V)", errors.WrongArguments, "ac.barrier(ac.V)"),
    ("|ac.order(n, ac.V)", errors.WrongType, "a pipe: ac.S, ac.V"),
    # helpers
    ("f = |nothing(n)", errors.WrongType, "a call without one"),
    # tensors
    ("f = x[|-1]", errors.BadSlice, "Write the length: x[n - 1]."),
    ("f = x[0:8:|2]", errors.BadSlice, "a slice with a step"),
    ("f = |x[0, 1]", errors.BadSlice, "row * columns + column"),
    ("|x[0:4] = n", errors.BadSlice, "ac.copy(x[a:b], y) copies"),
    ("|ac.copy(z, x, n)", errors.CopyRefused, "Through a queue"),
    ("a = ac.ub(ac.f32, 64)\n|ac.copy(a, x, n)", errors.CopyRefused, "ac.cast does"),
    ("a = ac.ub(T, 64)\n|ac.copy(a[:8], x[:n])", errors.CopyRefused, "Slice one side only"),
    ("a = ac.ub(T, 64)\nb = ac.ub(T, 64)\n|ac.copy(a, b, n)", errors.CopyRefused, "whole 32-byte blocks only"),
    ("a = ac.ub(ac.i32, 64)\nb = ac.ub(ac.f32, 64)\n|ac.convert(a, b, n)", errors.WrongType, "a choice: ac.cast"),
    ("a = ac.ub(ac.f16, 64)\nb = ac.ub(ac.bf16, 64)\n|ac.convert(a, b, n)", errors.WrongType, "by way of ac.f32"),
    ("a = ac.ub(ac.bf16, 64)\n|ac.convert(a, a, n)", errors.WrongType, "need no conversion"),
    ("a = ac.ub(ac.f32, 64)\n|ac.convert(a, x, n)", errors.WrongType, "Bring it into the core first"),
    # buffers
    ("for i in range(n):\n    q = |ac.queue(ac.VECIN, T, 64)", errors.BufferInLoop, "Make buffers before the loop"),
    ("filled(s)\nfor i in range(n):\n    |filled(s)", errors.BufferInLoop, "`own = ac.ub(ac.f32, 64)` of filled()"),
    ("q = |ac.queue(ac.VECIN, T, 64).put()", errors.BufferUse, "assigned to a variable"),
    ("q = ac.queue(ac.VECIN, T, 64)\na = |q.put()", errors.BufferUse, "by hand it is alloc()"),
    ("q = ac.queue(ac.VECIN, T, 64)\nwith |q.take() as a:\n    pass", errors.UnsupportedStatement, "with queue.get() as a:"),
    ("q = ac.queue(ac.VECIN, T, 64)\nwith |q.put():\n    pass", errors.UnsupportedStatement, "Name the tensor"),
    ("q = ac.queue(ac.VECIN, |5, 64)", errors.WrongType, "an element type such as ac.f16"),
    ("a = ac.ub(|'float32', 64)", errors.WrongType, "not the string 'float32'.\n\n    a = ac.ub('float32', 64)"),
    ("a = ac.ub(|'float32', 64)", errors.WrongType, "Write ac.f32."),
    ("a = ac.tbuf(|float, 64)", errors.WrongType, "not the class float"),
    ("a = ac.tbuf(|'flaot', 64)", errors.WrongType, "The element types are ac.f16, ac.bf16, ac.f32"),
    ("a = ac.ub(T, 64)\nb = a.view(|'int32')", errors.WrongType, "Write ac.i32."),
    ("q = |ac.queue(ac.VECIN, T, 0)", errors.WrongArguments, "asks for 0 elements"),
    ("q = |ac.queue(ac.VECIN, T)", errors.WrongArguments, "lacks size"),
    ("q = |ac.queue(ac.A1, T, 64)", errors.WrongType, "ac.VECIN, ac.VECOUT or ac.VECCALC"),
    ("|q = ac.queue(ac.VECIN, T, 64)\nq = ac.queue(ac.VECIN, T, 64)", errors.BufferUse, "assigned more than once"),
    ("if n:\n    |a = ac.ub(T, 64)\nac.copy(z, a[:n])", errors.BufferUse, "before the branch"),
    # loops
    ("for i in range(n):\n    pass\nz[0] = T(|i)", errors.LoopVariable, "the variable of the loop on line {1}, which has ended"),
    ("i = 0\nfor i in range(n):\n    pass\nz[0] = T(|i)", errors.LoopVariable, "the loop on line {2}, which has ended"),
    ("i = 0\nwhile |i < n:\n    for i in range(n):\n        pass", errors.LoopVariable, "the loop on line {3}, which has"),
    ("for i in (1, 2):\n    pass\nz[0] = T(|i)", errors.LoopVariable, "Keep the last value in a variable of its own"),
    ("for n in range(n):\n    pass\nz[0] = T(|n)", errors.LoopVariable, "the variable of the loop on line {1}"),
    # a value on each path
    ("if n > 3:\n    f = 1\nz[0] = T(|f)", errors.NoValue, "it has none where `n > 3` does not hold (line {1})"),
    ("if n > 3:\n    pass\nelse:\n    f = 1\nz[0] = T(|f)", errors.NoValue, "none where `n > 3` holds"),
    ("if n > 3:\n    f = 1\nelif n > 2:\n    f = 2\nz[0] = T(|f)", errors.NoValue, "where `n > 2` does not hold"),
    ("for i in range(n):\n    f = i\nz[0] = T(|f)", errors.NoValue, "where the loop on line {1} makes no pass"),
    ("while n > 3:\n    f = 1\nz[0] = T(|f)", errors.NoValue, "where the loop on line {1} makes no pass"),
    ("while True:\n    if n > 3:\n        break\n    f = 1\nz[0] = T(|f)", errors.NoValue, "line {1} is left by `break`"),
    ("for i in range(4):\n    if n > i:\n        continue\n    f = 1\nz[0] = T(|f)", errors.NoValue, "a pass of the loop"),
    ("for i in range(n):\n    if i > 0:\n        z[i] = T(|f)\n    f = i", errors.NoValue, "on the first pass of the loop"),
    ("if n > 3:\n    f = 1\n|f += 1", errors.NoValue, "does not hold"),
    ("if n > 3:\n    f = 1\n    return\nz[0] = T(|f)", errors.NoValue, "Give it a first value"),
    ("for i in range(3):\n    if n > i:\n        f = 2\n        break\nz[0] = T(|f)", errors.NoValue, "`n > i` does not"),
    ("if n > 3:\n    f, g = 1, 2\nz[0] = T(|g)", errors.NoValue, "Give it a first value before: g = ..."),
    ("if n > 3:\n    f = 0.5\nz[0] = T(|f)", errors.NoValue, "Give it a first value before: f = 0.5"),
    ("for |i in range(n):\n    i += 1", errors.LoopVariable, "use while"),
    ("|for i in x:\n    pass", errors.UnsupportedStatement, "Loop over range(...)"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "kind", "words"), CASES, ids=[case[0].replace("\n", "; ")[:50] for case in CASES])
def test_refused(tmp_path: Path, body: str, kind: type[Exception], words: str) -> None:
    error = refused(tmp_path, body)
    assert type(error) is kind
    words = re.sub(r"\{(\d+)\}", lambda at: str(int(at[1]) + HEAD.count("\n")), words)  # a line of the body
    assert words in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_every_path_of_a_helper_returns_a_value(tmp_path: Path) -> None:
    made = module(tmp_path, HEAD + "    z[0] = T(some(n))\n")
    with pytest.raises(errors.TypeChanges, match="would become nothing where a path comes to the end") as caught:
        made.kernel.source()
    line = caught.value.fields["line"]
    assert HEAD.splitlines()[line - 1] == "    if v > 0:"
    whole = HEAD.replace("        return v\n\n", "        return v\n    else:\n        return 0\n\n")
    assert "some(n)" in module(tmp_path, whole + "    z[0] = T(some(n))\n").kernel.source()
