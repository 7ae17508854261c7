"""One instance of a kernel: bound element types and Consts, the compiled library, the function that launches it.

Making one checks what the kernel demands (here) and what it needs of the Unified Buffer (budget.py), then compiles its text
(library.py).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ferrata import errors
from ferrata.lang.budget import budget, describe
from ferrata.lang.calling import runner
from ferrata.lang.declaration import Declaration
from ferrata.lang.elements import Dtype
from ferrata.lang.library import compiled
from ferrata.lang.translate.entry import Translation
from ferrata.lang.translate.launcher import launcher


@dataclass(frozen=True)
class Instance:
    """A kernel that can run. run(cores, *args): args in the order of the parameters without the Consts; the native call.

    ub: bytes of the Unified Buffer that it allocates, None where only running tells.
    """

    kernel: Declaration
    dtypes: Mapping[str, Dtype]
    consts: Mapping[str, int]
    path: Path
    ub: int | None
    run: Callable[..., None] = field(repr=False)

    def __call__(self, cores: int, *args: Any) -> None:
        """Run on the current stream of the arguments' device; no cores, nothing to do."""
        self.run(cores, *args)


def make(kernel: Declaration, made: Translation, dtypes: Mapping[str, Dtype], consts: Mapping[str, int]) -> Instance:
    """Check, compile and load what the kernel was translated to. dtypes, consts: as `bound` gives them."""
    binding: dict[str, Any] = {**dtypes, **consts}
    for name in made.template:
        if name not in binding:
            _refuse(kernel, f"dtype variable {name} stands in no parameter, so no argument tells it")
    for demand in made.demands:
        if not demand.test(binding):
            _refuse(
                kernel, f"with {describe(dtypes, consts)} it does not hold that {demand.words} (line {demand.line})"
            )
    used = budget(kernel, made.allocations, binding, dtypes, consts)
    text = made.text(markers=True) + launcher(kernel, made, dtypes, consts, markers=True)
    path = compiled(kernel, text)
    library = ctypes.CDLL(str(path))
    address = ctypes.cast(library.ferrata_entry, ctypes.c_void_p).value
    return Instance(kernel, dtypes, consts, path, used, runner(kernel, dtypes, address or 0, library))


def _refuse(kernel: Declaration, problem: str) -> None:
    raise errors.BadInstance(file=kernel.file, line=kernel.line, kernel=kernel.name, problem=problem)


def bound(
    kernel: Declaration, dtypes: Mapping[str, Dtype], consts: Mapping[str, int]
) -> tuple[dict[str, Dtype], dict[str, int]]:
    """The binding with defaults, checked. Raises BadInstance."""
    variables = {variable.name: variable for variable in kernel.dtype_vars}
    for name, dtype in dtypes.items():
        if name not in variables:
            _refuse(kernel, f"it has no dtype variable {name!r}")
        if not isinstance(dtype, Dtype):
            _refuse(kernel, f"{name} is an element type such as ac.f16, not {dtype!r}")
        if dtype not in variables[name].allowed:
            allowed = ", ".join(map(repr, variables[name].allowed))
            _refuse(kernel, f"{name} cannot be {dtype!r}; it can be {allowed}")
    missing = [name for name in variables if name not in dtypes]
    if missing:
        _refuse(kernel, f"no element type for {', '.join(missing)}")
    known = {param.name: param for param in kernel.consts}
    for name in consts:
        if name not in known:
            _refuse(kernel, f"it has no Const {name!r}; it has {', '.join(known) or 'none'}")
    values: dict[str, int] = {}
    for name, param in known.items():
        value = consts.get(name, param.default)
        if value is None:
            _refuse(kernel, f"Const {name!r} has no value and no default")
        if not isinstance(value, int) or (param.python is bool) != isinstance(value, bool):
            _refuse(kernel, f"Const {name!r} is {param.python.__name__}, not {value!r}")
        if not -(2**63) <= value < 2**63:
            _refuse(kernel, f"Const {name!r} = {value} does not fit 64 bits")
        values[name] = value
    return dict(dtypes), values
