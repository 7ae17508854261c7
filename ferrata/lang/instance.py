"""One instance of a kernel: bound element types and Consts, the compiled library, the function that launches it.

Making one checks what the kernel demands and what it needs of the Unified Buffer, then compiles the text with the lines of
the Python file, so that compiler errors, faults and debuggers speak of it. Libraries lie in the cache by content.
"""

from __future__ import annotations

import ctypes
import linecache
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ferrata import cache, chips, errors
from ferrata.lang.calling import runner
from ferrata.lang.declaration import Declaration
from ferrata.lang.elements import Dtype
from ferrata.lang.translate.entry import Translation, launcher


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
    text = made.text(markers=True) + launcher(kernel, made, dtypes, consts)
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


def describe(dtypes: Mapping[str, Dtype], consts: Mapping[str, int]) -> str:
    """A binding in words."""
    parts = [f"{name} = {dtype!r}" for name, dtype in dtypes.items()] + [f"{k} = {v}" for k, v in consts.items()]
    return ", ".join(parts) or "no parameters of its own"


def budget(
    kernel: Declaration,
    allocations: Any,
    binding: Mapping[str, Any],
    dtypes: Mapping[str, Dtype],
    consts: Mapping[str, int],
) -> int | None:
    """Bytes of the Unified Buffer. Raises UbOverBudgetAtInstance, which names every line that allocates."""
    chip = chips.current()
    rows = [(one, one.bytes(binding) if one.bytes is not None else None) for one in allocations]
    total = sum(size for _, size in rows if size is not None)
    if total > chip.ub:
        listing = "\n".join(
            f"    {size if size is not None else '?':>9}  {Path(one.file).name}:{one.line}  {one.what}"
            for one, size in rows
        )
        raise errors.UbOverBudgetAtInstance(
            file=kernel.file, line=kernel.line, kernel=kernel.name, binding=describe(dtypes, consts), bytes=total,
            arch=chip.arch, budget=chip.ub, listing=listing, excerpt="", message="over budget",
            help="Take a smaller tile, fewer buffers, or one buffer for two uses.",
        )  # fmt: skip
    return None if any(size is None for _, size in rows) else total


def check_translated(kernel: Declaration, made: Translation) -> None:
    """Refuse a kernel whose buffers of constant size cannot fit, whatever it is instantiated with."""
    smallest = {v.name: min(v.allowed, key=lambda dtype: dtype.bytes) for v in kernel.dtype_vars}
    fixed = []
    for one in made.allocations:
        try:
            if one.bytes is not None:
                one.bytes(smallest)
                fixed.append(one)
        except KeyError:  # needs a Const
            continue
    budget(kernel, fixed, smallest, smallest, {})


def debugging() -> bool:
    """Whether kernels are compiled for a debugger: FERRATA_KERNEL_DEBUG=1."""
    return os.environ.get("FERRATA_KERNEL_DEBUG", "") not in ("", "0")


def compiled(kernel: Declaration, text: str) -> Path:
    """The library of a text, from the cache or compiled. Raises KernelDoesNotCompile."""
    from ferrata.asc import toolchain

    arch = chips.current().arch
    # -g alone would mean -O0
    options = ["-O0", "-g"] if debugging() else ["-O3", "-g1"]
    compiler = toolchain.compiler(None)
    environment = [f"{name}={os.environ.get(name, '')}" for name in toolchain.ENVIRONMENT]
    key = cache.key(
        [text, arch, *options, *environment, toolchain.identity(compiler), toolchain.cpu(), toolchain.own_version()]
    )

    name = f"{kernel.name}-{key}"

    def build(folder: Path) -> None:
        from ferrata.asc import api

        source = folder / f"{kernel.name}.asc"
        source.write_text(text)
        # a debugger finds the text where the library stays
        place = f"-ffile-prefix-map={folder}={cache.root() / 'kernels' / name}"
        try:
            api.compile(source, arch=arch, output=folder / "kernel.so", options=[*options, place])
        except errors.CompileError as problem:
            raise _located(kernel, problem) from None

    return cache.entry("kernels", name, build) / "kernel.so"


def _located(kernel: Declaration, problem: errors.CompileError) -> Exception:
    """A compiler's message at the user's line."""
    output = str(problem.fields["output"])
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", output)
    found = re.search(r"^(.+?\.\w+):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", plain, re.M)
    if not found:
        return problem
    inside = re.search(rf"^{re.escape(kernel.file)}:(\d+)", plain, re.M)
    file, line = found[1], int(found[2])
    if not file.endswith(".py") and inside:
        file, line = kernel.file, int(inside[1])
    text = linecache.getline(file, line).rstrip()
    return errors.KernelDoesNotCompile(
        file=file, line=line, kernel=kernel.name, message=found[3], excerpt=f"    {text.strip()}\n",
        help=plain if len(plain) < 4000 else plain[:4000] + " ...",
    )  # fmt: skip
