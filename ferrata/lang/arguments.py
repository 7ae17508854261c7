"""The arguments of a launch against the kernel's parameters: which is which, and the element types that they bind."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ferrata import errors
from ferrata.lang.declaration import Declaration, KernelParam
from ferrata.lang.elements import Dtype, DtypeVar, by_torch

_OURS = (str(Path(errors.__file__).parent), "<call of ")  # and what is written out for a call of an operator


def bind(
    kernel: Declaration, args: tuple[Any, ...], cores: Any, named: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Put arguments to parameters: by position in order, or by name; Consts by name. Returns both; the
    arguments with their defaults."""
    arguments = kernel.arguments
    if cores is None:
        bad_argument(kernel, "cores", "is missing; launch(..., cores=n) says on how many cores it runs")
    if isinstance(cores, float) or (isinstance(cores, int) and cores < 0):
        whole = ": divide with // or fe.ceil_div" if isinstance(cores, float) else ""
        bad_argument(kernel, "cores", f"is a number of cores from 0 to 65535, not {cores}{whole}")
    if len(args) > len(arguments):
        names = ", ".join(param.name for param in arguments)
        bad_argument(kernel, "*", f"the launch has {len(args)} arguments, the kernel takes {len(arguments)}: {names}")
    values = dict(zip((param.name for param in arguments), args, strict=False))
    consts: dict[str, Any] = {}
    known = {param.name: param for param in kernel.params}
    for name, value in named.items():
        if name not in known:
            bad_argument(kernel, name, f"there is no such parameter; there are {', '.join(known)}, and cores")
        if known[name].kind == "const":
            consts[name] = value
        elif name in values:
            bad_argument(kernel, name, "is given twice")
        else:
            values[name] = value
    ordered: dict[str, Any] = {}
    for param in arguments:
        if param.name in values:
            ordered[param.name] = values[param.name]
        elif param.default is not None or param.optional:
            ordered[param.name] = param.default
        else:
            bad_argument(kernel, param.name, "is missing")
        value = ordered[param.name]
        number = param.kind in ("int", "float", "bool")
        if number and (isinstance(value, str) or (isinstance(value, float) and param.kind == "int")):
            bad_argument(kernel, param.name, f"takes {param.kind}, not {type(value).__name__}")
    return ordered, consts


def dtypes(kernel: Declaration, args: Mapping[str, Any]) -> dict[str, Dtype]:
    """The element types of the dtype variables, from the tensors among the arguments."""
    found: dict[str, Dtype] = {}
    first: dict[str, str] = {}
    for param in kernel.arguments:
        if not isinstance(param.element, DtypeVar):
            continue
        value = args[param.name]
        tensors = value if param.kind == "gm_list" and isinstance(value, list | tuple) else (value,)
        for tensor in tensors:
            if tensor is None:
                continue
            dtype = _dtype(kernel, param, tensor)
            name = param.element.name
            if found.setdefault(name, dtype) != dtype:
                bad_argument(
                    kernel, param.name,
                    f"is {dtype!r}, and {first[name]!r} has made {name} {found[name]!r}: convert one of them",
                )  # fmt: skip
            first.setdefault(name, param.name)
    for variable in kernel.dtype_vars:
        if variable.name not in found:  # only optional tensors that are absent: any type will do
            found[variable.name] = variable.allowed[0]
    return found


@cache
def _of_torch(dtype: Any) -> Dtype | None:
    """The element type of a torch dtype."""
    return by_torch(str(dtype).removeprefix("torch."))


def _dtype(kernel: Declaration, param: KernelParam, tensor: Any) -> Dtype:
    dtype = getattr(tensor, "dtype", None)
    found = _of_torch(dtype) if dtype is not None else None
    variable = param.element
    assert isinstance(variable, DtypeVar)
    if found is None:
        bad_argument(
            kernel,
            param.name,
            f"takes an npu tensor, not {type(tensor).__name__}"
            if dtype is None
            else f"is {dtype}, which kernels do not know; {variable.name} can be {', '.join(map(repr, variable.allowed))}",
        )
    assert found is not None
    if found not in variable.allowed:
        allowed = ", ".join(map(repr, variable.allowed))
        bad_argument(kernel, param.name, f"is {found!r}; {variable.name} can be {allowed}")
    return found


def bad_argument(kernel: Declaration, name: str, problem: str) -> None:
    """Raise the error about an argument of a launch, at the line that launches."""
    file, line = _launching() or (kernel.file, kernel.line)
    defined = f"{kernel.file}:{kernel.line}"
    raise errors.BadKernelArgument(
        file=file, line=line, kernel=kernel.name, name=name, problem=problem, excerpt=linecache.getline(file, line).strip(),
        defined=defined,
    )  # fmt: skip


def _launching() -> tuple[str, int] | None:
    """The innermost line of the user's on the stack."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back  # type: ignore[assignment]
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
