"""Kernels for tests of the definition: what a plan launches, computed by a torch function instead of cores.

They have the interface of a kernel written in Python, so that these tests say nothing of the translator; a function gets
the launch's arguments in order and writes into the tensors of its outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrata.lang.elements import Dtype, DtypeVar, Element


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    element: Element | None = None
    default: Any = None
    written: bool | None = None


@dataclass(frozen=True)
class Launch:
    kernel: Kernel
    args: Mapping[str, Any]
    consts: Mapping[str, int]
    cores: int


@dataclass
class Kernel:
    """params as text: "x: T, z: T!, n: int, alpha: float, tile = 64"; ! is written, = a constant."""

    name: str
    params: tuple[Parameter, ...]
    function: Callable[..., None]
    dtype_vars: tuple[DtypeVar, ...] = ()
    runs: list[tuple[int, dict[str, Dtype], dict[str, int]]] = field(default_factory=list)

    def launch(self, *args: Any, cores: int, **consts: int) -> Launch:
        names = [p.name for p in self.params if p.kind != "const"]
        defaults = {p.name: p.default for p in self.params if p.kind == "const"}
        return Launch(self, dict(zip(names, args, strict=True)), defaults | consts, cores)

    def instance(self, dtypes: Mapping[str, Dtype], consts: Mapping[str, int]) -> Callable[..., None]:
        def run(cores: int, *args: Any) -> None:
            self.runs.append((cores, dict(dtypes), dict(consts)))
            for parameter, value in zip((p for p in self.params if p.kind != "const"), args, strict=True):
                if parameter.kind == "gm" and value is not None:
                    assert value.device.type == "npu" and value.is_contiguous(), parameter.name
            self.function(*args)

        return run


def kernel(text: str, *variables: DtypeVar, **elements: Dtype) -> Callable[[Callable[..., None]], Kernel]:
    """Decorate the function that computes: `@kernel("x: T, z: T!, n: int", T)`."""
    known: dict[str, Element] = {var.name: var for var in variables} | elements

    def one(part: str) -> Parameter:
        if "=" in part:
            name, default = part.split("=")
            return Parameter(name.strip(), "const", default=int(default))
        name, kind = (word.strip() for word in part.split(":"))
        if kind in ("int", "float", "bool"):
            return Parameter(name, kind)
        written = kind.endswith("!")
        return Parameter(name, "gm", known[kind.removesuffix("!")], written=written)

    def decorate(function: Callable[..., None]) -> Kernel:
        return Kernel(function.__name__, tuple(map(one, text.split(","))), function, variables)

    return decorate
