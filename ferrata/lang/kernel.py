"""`@ac.kernel`: a function of the kernel language, its parameters, its Ascend C text, its instances and launches.

The decorator reads the signature; the body is translated when text or an instance is first asked for, so that helpers
may stand below the kernel. State: each kernel keeps its translation and its instances.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from ferrata import chips, errors
from ferrata.lang import parameters
from ferrata.lang.elements import Dtype, DtypeVar, Element
from ferrata.lang.parameters import ParamKind

if TYPE_CHECKING:
    from ferrata.lang.instance import Instance
    from ferrata.lang.launch import Launch
    from ferrata.lang.translate.entry import Translation
    from ferrata.lang.tuning import Tuning

Core = Literal["vector", "cube", "mix"]


@dataclass(frozen=True)
class KernelParam:
    """One parameter. element: of a "gm"; python: the dataclass of a "struct", int or bool of a "const"."""

    name: str
    kind: ParamKind
    element: Element | None = None
    default: Any = None
    optional: bool = False
    python: Any = None


class Kernel:
    """A kernel written in Python. `kernel[cores](x, y, n)` runs it on npu tensors; `.source()` is its Ascend C."""

    def __init__(self, function: Callable[..., Any], core: Core, scope: Mapping[str, Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.core: Core = core
        self.doc = inspect.getdoc(function) or ""
        self.file = function.__code__.co_filename
        self.line = function.__code__.co_firstlineno
        self.params = _params(self, scope)
        self.dtype_vars: tuple[DtypeVar, ...] = tuple(
            dict.fromkeys(p.element for p in self.params if isinstance(p.element, DtypeVar))
        )
        self.arguments = tuple(p for p in self.params if p.kind != "const")
        self.consts = tuple(p for p in self.params if p.kind == "const")
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
            from ferrata.lang.instance import check_translated
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
            from ferrata.lang.translate.entry import launcher

            text += launcher(self, made, *entry)
        return text

    def instance(self, dtypes: Mapping[str, Dtype] | None = None, consts: Mapping[str, int] | None = None) -> Instance:
        """The kernel for these element types and Consts (defaults filled in), translated, compiled and loaded.

        Raises KernelSourceError, BadInstance, UbOverBudgetAtInstance, KernelDoesNotCompile."""
        bound = tuple((name, getattr(dtype, "name", dtype)) for name, dtype in (dtypes or {}).items())
        key = (bound, tuple((consts or {}).items()), os.environ.get("FERRATA_NPU_ARCH"))
        found = self._instances.get(key)
        if found is None:
            from ferrata.lang import instance

            with self._lock:
                whole = (tuple(sorted(bound)), tuple(sorted((consts or {}).items())), chips.current().arch)
                found = self._instances.get(whole) or instance.make(self, dtypes or {}, consts or {})
                self._instances[key] = self._instances[whole] = found
        return found

    def launch(self, *args: Any, cores: Any, **consts: Any) -> Launch:
        """A launch with these arguments, by position or, Consts, by name; nothing runs before `.run()`."""
        from ferrata.lang.launch import bind

        return bind(self, args, cores, consts)

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
        raise errors.BadInstance(
            file=self.file, line=self.line, kernel=self.name,
            problem=f"a kernel is launched on cores: {self.name}[cores](...), or {self.name}.launch(..., cores=...) in a plan",
        )  # fmt: skip


def _by_name(module: str, name: str) -> Any:
    import importlib

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


def _params(kernel: Kernel, scope: Mapping[str, Any]) -> tuple[KernelParam, ...]:
    function = kernel.function
    hints = _annotations(kernel, scope)
    params = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _refused(
                kernel, errors.BadAnnotation, name, annotation=f"with *, {parameter}", help="Name each parameter."
            )
        if name not in hints:
            raise _refused(
                kernel, errors.MissingAnnotation, name,
                help=f"Write {name}: ac.Gm[T], int, float, bool, ac.Const[int], or a dataclass of numbers.",
            )  # fmt: skip
        parsed = parameters.parse(hints[name])
        if parsed is None or parsed.kind in ("local", "queue"):
            raise _refused(
                kernel, errors.BadAnnotation, name, annotation=_spelled(hints[name]),
                help="It takes ac.Gm[T], ac.Gm[T] | None, list[ac.Gm[T]], int, float, bool, ac.Const[int], or a dataclass of numbers.",
            )  # fmt: skip
        if parsed.kind == "struct" and parameters.fields_of(parsed.python) is None:
            raise _refused(
                kernel, errors.BadAnnotation, name, annotation=_spelled(hints[name]),
                help="The fields of such a dataclass are int, float or bool.",
            )  # fmt: skip
        default = None if parameter.default is parameter.empty else parameter.default
        params.append(KernelParam(name, parsed.kind, parsed.element, default, parsed.optional, parsed.python))
    return tuple(params)


def _spelled(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation)


def _annotations(kernel: Kernel, scope: Mapping[str, Any]) -> dict[str, Any]:
    function = kernel.function
    raw = inspect.get_annotations(function)
    cells = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            continue
    found = {}
    for name, annotation in raw.items():
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, dict(function.__globals__), {**scope, **cells})
            except Exception as problem:  # noqa: BLE001 - the user's expression, whatever it raises
                raise _refused(
                    kernel,
                    errors.BadAnnotation,
                    name,
                    annotation=f"{annotation}",
                    help=f"It cannot be evaluated: {problem}",
                ) from None
        found[name] = annotation
    return found


def _refused(
    kernel: Kernel, kind: type[errors.KernelSourceError], name: str, **fields: Any
) -> errors.KernelSourceError:
    """An error at a parameter of the kernel."""
    from ferrata.lang.translate import source

    try:
        read = source.read(kernel.function)
    except errors.NoKernelSource:
        return kind(file=kernel.file, line=kernel.line, excerpt="", name=name, kernel=kernel.name, **fields)
    args = read.tree.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    node = next((arg for arg in named if arg.arg == name), read.tree)
    return kind(
        file=read.file, line=node.lineno, excerpt=read.excerpt(node), name=name, kernel=kernel.name, **fields
    )  # fmt: skip
