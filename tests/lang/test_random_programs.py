"""Random integer programs: what the translated kernel computes is what Python computes.

Each program is a helper; one kernel calls them all on several inputs. Programs that Python itself refuses for these inputs
(a variable read before it is assigned) are left out. The seeds are fixed.
"""

from __future__ import annotations

import importlib.util
import os
import random
from pathlib import Path
from types import ModuleType

import pytest
import torch

from ferrata.errors import NoValue

NAMES = "abcde"
INPUTS = [(3, -7, 12), (0, 5, -1), (-9, -4, 8)]


class Writer:
    """One random function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0
        self.count = 0

    def expression(self, depth: int = 3) -> str:
        pick = self.random.randrange(12) if depth else self.random.randrange(2)
        if pick == 0:
            return str(self.random.randint(-9, 9))
        if pick <= 2:
            return self.random.choice(NAMES)
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        if pick <= 5:
            return f"({one} {self.random.choice('+-*&|^')} {other})"
        if pick == 6:
            return f"({one} {self.random.choice(['//', '%'])} ({other} | 1))"
        if pick == 7:
            return f"(({one}) {self.random.choice(['<<', '>>'])} (({other}) & 3))"
        if pick == 8:
            return f"{self.random.choice(['min', 'max'])}({one}, {other})"
        if pick == 9:
            return f"({one} if {self.condition(depth - 1)} else {other})"
        if pick == 10:
            return f"abs({one})"
        return f"{self.random.choice('-~')}{one}" if one[0] not in "-~" else one

    def condition(self, depth: int = 2) -> str:
        pick = self.random.randrange(7)
        one, other = self.expression(max(depth - 1, 0)), self.expression(max(depth - 1, 0))
        if pick < 4 or not depth:
            return f"{one} {self.random.choice(['<', '<=', '==', '!=', '>', '>='])} {other}"
        if pick == 4:
            return f"({self.condition(depth - 1)} {self.random.choice(['and', 'or'])} {self.condition(depth - 1)})"
        if pick == 5:
            return f"not ({self.condition(depth - 1)})"
        return f"{one} < {other} <= {self.expression(0)}"

    def small(self) -> str:
        """An assignment whose value stays small enough for 64 bits, however often it is made."""
        name = self.random.choice(NAMES)
        if self.random.random() < 0.3:
            return f"{name} {self.random.choice(['+=', '-=', '^='])} ({self.expression(1)}) % 50"
        if self.random.random() < 0.1:
            other = self.random.choice(NAMES)
            return f"{name}, {other} = {other}, {name}" if other != name else f"{name} = {name} % 7"
        return f"{name} = {self.expression(2)} % 1000"

    def block(self, indent: int, depth: int) -> list[str]:
        lines: list[str] = []
        pad = "    " * indent
        for _ in range(self.random.randint(1, 4)):
            pick = self.random.randrange(8)
            if depth and pick == 0:
                lines += [f"{pad}if {self.condition()}:", *self.block(indent + 1, depth - 1)]
                if self.random.random() < 0.4:
                    lines += [f"{pad}elif {self.condition()}:", *self.block(indent + 1, depth - 1)]
                if self.random.random() < 0.6:
                    lines += [f"{pad}else:", *self.block(indent + 1, depth - 1)]
            elif depth and pick == 1:
                self.count += self.random.random() < 0.7 or bool(self.loops)  # else the name of a loop before
                name = f"i{self.count}"
                bounds = self.random.choice(["3", "1, 4", "4, 0, -1", "a % 5", "0, b % 7, 2", "c % 4, -3, -2"])
                self.loops += 1
                lines += [f"{pad}for {name} in range({bounds}):", *self.block(indent + 1, depth - 1)]
                self.loops -= 1
                lines.append(f"{'    ' * (indent + 1)}a = (a + {name}) % 100")
                if self.random.random() < 0.3:
                    lines += [f"{pad}else:", *self.block(indent + 1, depth - 1)]
            elif self.loops and pick == 2:
                lines += [f"{pad}if {self.condition(1)}:", f"{pad}    {self.random.choice(['break', 'continue'])}"]
            elif pick == 3 and depth and self.random.random() < 0.3:
                lines += [f"{pad}if {self.condition(1)}:", f"{pad}    return {self.expression(1)}"]
            else:
                lines.append(pad + self.small())
        return lines

    def function(self, name: str) -> str:
        body = ["    d, e = b, 3"] if self.random.random() < 0.7 else []
        body += self.block(1, 3)
        result = self.random.choice(["a + b * 3 + c * 7", "a - d", "e * 2 + b"])
        return "\n".join([f"def {name}(a: int, b: int, c: int):", *body, f"    return {result}", ""])


def module(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def valid(text: str, name: str) -> bool | None:
    """Whether Python runs the function on every input, in 64 bits; None if a variable has no value somewhere."""
    space: dict[str, object] = {}
    exec(text, space)
    function = space[name]
    assert callable(function)
    try:
        return all(abs(function(*values)) < 2**62 for values in INPUTS)
    except UnboundLocalError:
        return None
    except NameError:  # nothing assigns it
        return False


def translates(folder: Path, text: str, name: str) -> bool:
    """Whether each variable has a value on every path to where it is read; any other refusal is a failure."""
    made = module(
        folder / f"{name}.py", KERNEL.format(functions=text, calls=f"        z[i] = {name}(x[i], x[i], x[i])")
    )
    try:
        made.kernel.source()
    except NoValue:
        return False
    return True


KERNEL = """\
from ferrata import lang as ac

{functions}

@ac.kernel
def kernel(x: ac.Gm[ac.i64], z: ac.Gm[ac.i64], n: int):
    for i in range(n):
{calls}
"""


@pytest.mark.slow
@pytest.mark.parametrize("group", range(int(os.environ.get("FERRATA_RANDOM_GROUPS", "3"))))
def test_random_programs_compute_what_python_computes(group: int, tmp_path: Path) -> None:
    functions: list[str] = []
    seed = group * 10_000
    while len(functions) < 25:
        seed += 1
        text = Writer(seed).function(f"p{seed}")
        good = valid(text, f"p{seed}")
        if good is False:
            continue
        translated = translates(tmp_path, text, f"p{seed}")
        assert good or not translated, f"Python finds a variable without a value in\n{text}"
        if translated:
            functions.append(text)
    names = [text[4 : text.index("(")] for text in functions]
    calls = [
        f"        z[{len(names)} * i + {at}] = {name}(x[3 * i], x[3 * i + 1], x[3 * i + 2])"
        for at, name in enumerate(names)
    ]
    kernel = KERNEL.format(functions="\n\n".join(functions), calls="\n".join(calls))
    made = module(tmp_path / f"random{group}.py", kernel)
    x = torch.tensor(INPUTS, dtype=torch.int64).flatten().npu()
    z = torch.zeros(len(INPUTS) * len(names), dtype=torch.int64).npu()
    made.kernel[1](x, z, len(INPUTS))
    expected = [getattr(made, name)(*values) for values in INPUTS for name in names]
    got = z.cpu().tolist()
    wrong = {names[at % len(names)]: (got[at], expected[at]) for at in range(len(got)) if got[at] != expected[at]}
    assert not wrong, "\n".join(
        [*map(str, wrong.items()), *(text for text in functions if text[4 : text.index("(")] in wrong)]
    )
