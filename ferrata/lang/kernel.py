"""`@ac.kernel`: a function of the kernel language, its Ascend C text, its instances and launches.

The decorator reads the signature (declaration.py); the body is translated when text or an instance is first asked for, so that helpers
may stand below the kernel. State: each kernel keeps its translation and its instances.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from ferrata import chips
from ferrata.lang import arguments
from ferrata.lang.declaration import Core, Declaration
from ferrata.lang.elements import Dtype

if TYPE_CHECKING:
    from ferrata.lang.instance import Instance
    from ferrata.lang.translate.entry import Translation
    from ferrata.lang.tuning import Tuning


class Kernel(Declaration):
    """A kernel written in Python. `kernel[cores](x, y, n)` runs it on npu tensors; `.source()` is its Ascend C."""

    def __init__(self, function: Callable[..., Any], core: Core, scope: Mapping[str, Any]) -> None:
        super().__init__(function, core, scope)
        self._lock = threading.RLock()
        self._translations: dict[str, Translation] = {}
        self._instances: dict[Any, Instance] = {}
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    def __repr__(self) -> str:
        return f"<kernel {self.name} at {self.file}:{self.line}>"

    def __reduce__(self) -> Any:
        return _by_name, (self.__module__, self.function.__qualname__)

    def translation(self) -> Translation:
        """The translated kernel for the current chip. Raises KernelSourceError."""
        chip = chips.current().arch
        made = self._translations.get(chip)
        if made is None:
            from ferrata.lang.budget import check_translated
            from ferrata.lang.translate import entry

            with self._lock:
                made = self._translations.get(chip) or entry.translate(self, chip)
                check_translated(self, made)
                self._translations[chip] = made
        return made

    def source(self, *, lines: bool = False, entry: tuple[Mapping[str, Dtype], Mapping[str, int]] | None = None) -> str:
        """The Ascend C text. lines: with `#line` that name the Python lines. entry: dtypes and Consts of an instance, whose
        launching function then stands at the end. Raises KernelSourceError."""
        made = self.translation()
        text = made.text(lines)
        if entry is not None:
            from ferrata.lang.translate.launcher import launcher

            text += launcher(self, made, *entry, markers=lines)
        return text

    def instance(self, dtypes: Mapping[str, Dtype] | None = None, consts: Mapping[str, int] | None = None) -> Instance:
        """The kernel for these element types and Consts (defaults filled in), translated, compiled and loaded.

        Raises KernelSourceError, BadInstance, UbOverBudgetAtInstance, KernelDoesNotCompile."""
        bound = tuple((name, getattr(dtype, "name", dtype)) for name, dtype in (dtypes or {}).items())
        key = (bound, tuple((consts or {}).items()), os.environ.get("FERRATA_NPU_ARCH"))
        found = self._instances.get(key)
        if found is None:
            with self._lock:
                whole = (tuple(sorted(bound)), tuple(sorted((consts or {}).items())), chips.current().arch)
                found = self._instances.get(whole) or self._make(dtypes or {}, consts or {})
                self._instances[key] = self._instances[whole] = found
        return found

    def _make(self, dtypes: Mapping[str, Dtype], consts: Mapping[str, int]) -> Instance:
        from ferrata.lang import instance

        dtypes, consts = instance.bound(self, dtypes, consts)
        return instance.make(self, self.translation(), dtypes, consts)

    def launch(self, *args: Any, cores: Any = None, **consts: Any) -> Launch:
        """A launch with these arguments, by position or, Consts, by name; nothing runs before `.run()`."""
        return Launch(self, *arguments.bind(self, args, cores, consts), cores)

    def tune(self, *args: Any, cores: int, force: bool = False, **choices: Sequence[int]) -> Tuning:
        """Measure each combination of the listed Consts on npu tensors: CPU time of the emulation, not the NPU's.

        >>> add.tune(x, y, z, x.numel(), cores=48, tile=[2048, 1024, 4096]).best
        {'tile': 2048}
        """
        from ferrata.lang.tuning import tune

        return tune(self, *args, cores=cores, force=force, **choices)  # type: ignore[arg-type]

    def __getitem__(self, cores: int) -> Callable[..., None]:
        """`kernel[cores](x, y, n, tile=1024)`: run on npu tensors."""

        def run(*args: Any, **consts: Any) -> None:
            self.launch(*args, cores=cores, **consts).run()

        return run

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Not how a kernel runs."""
        call = f"{self.name}[cores](...), or {self.name}.launch(..., cores=...) in a plan"
        arguments.bad_argument(self, "cores", f"is missing; a kernel is launched on cores: {call}")


@dataclass(frozen=True)
class Launch:
    """A kernel with its arguments and cores, before it runs: what a plan returns and `kernel[cores](...)` runs.

    args: by the parameters' names, defaults filled in; tensors, numbers, or whatever a plan has in their place.
    """

    kernel: Kernel
    args: Mapping[str, Any]
    consts: Mapping[str, Any]
    cores: Any

    def run(self) -> None:
        """Run on the current npu stream. No cores, nothing to do."""
        if not self.cores:
            return
        made = self.kernel.instance(self.dtypes(), self.consts)
        made.run(self.cores, *self.args.values())

    def dtypes(self) -> dict[str, Dtype]:
        """The element types of the dtype variables, from the tensors among the arguments."""
        return arguments.dtypes(self.kernel, self.args)


def _by_name(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(*, core: Core = "vector") -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, /, *, core: Core = "vector") -> Any:
    """Make a kernel of a function: `@ac.kernel`, or `@ac.kernel(core="mix")` for one that runs on both kinds of cores.

    Each parameter is annotated: `ac.Gm[T]` (or `ac.Gm[T] | None`, `list[ac.Gm[T]]`), `int`, `float`, `bool`, a dataclass of
    those, `ac.Const[int]`. Raises MissingAnnotation, BadAnnotation; what the body may hold is checked when it is translated.
    """
    if core not in ("vector", "cube", "mix"):
        raise ValueError(f'core is "vector", "cube" or "mix", not {core!r}')
    scope = sys._getframe(1).f_locals  # annotations may name what only the enclosing function knows

    def make(function: Callable[..., Any]) -> Kernel:
        if "torch" in sys.modules:  # so that `.npu()` works in a script that defines kernels and no operators
            importlib.import_module("ferrata.npu")
        return Kernel(function, core, scope)

    return make if function is None else make(function)
