"""The content key of a cached function: a hash of everything that its compiled form depends on, weights' values aside.

The code counts as what Python compiled it to, so that a comment or a moved line changes nothing, and a changed helper
in another file does: functions are followed through the names that they use. PyTorch itself counts by its version.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from ferrata import __version__
from ferrata.torchair import patterns, registry
from ferrata.torchair.cached.state import modes
from ferrata.torchair.config import CompilerConfig, leaves

_LIBRARIES = ("torch", "ferrata", "builtins", "numpy", "typing", "math", "operator", "collections", "functools")
_OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)
_PLAIN = (int, float, bool, str, bytes, complex, type(None), torch.dtype, torch.device, torch.Size)
_INNER = frozenset(vars(torch.nn.Module())) - {"training"}
_DEPTH = 4  # of structures among attributes


def content_key(
    module: torch.nn.Module, method: str, config: CompilerConfig, dynamic: bool, decompositions: dict[Any, Any]
) -> str:
    """32 hexadecimal digits."""
    digest = hashlib.md5(usedforsecurity=False)
    walk = _Walk()
    parts: Iterator[str] = _parts(module, method, config, dynamic, decompositions, walk)
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _parts(
    module: torch.nn.Module,
    method: str,
    config: CompilerConfig,
    dynamic: bool,
    decompositions: dict[Any, Any],
    walk: Any,
) -> Iterator[str]:
    yield from (sys.version, torch.__version__, __version__, _own_files(), method, str(dynamic))
    yield from map(str, modes())
    for name, part in module.named_modules():
        yield f"module {name}: {type(part).__module__}.{type(part).__qualname__} {part.extra_repr()}"
        yield from walk.type(type(part))
        for key, value in sorted(vars(part).items(), key=lambda item: item[0]):
            if key not in _INNER:
                yield f"{name}.{key} = "
                yield from walk.value(value, _DEPTH)
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        yield f"{name}: {tensor.dtype} {tuple(tensor.shape)} {tensor.stride()} {tensor.device}"
    for path, value in leaves(config):
        yield f"{path} = "
        yield from walk.value(value, _DEPTH)
    for target, function in decompositions.items():
        yield str(target)
        yield from walk.value(function, _DEPTH)
    for target, converter in registry.registrations():
        yield f"converter of {target}"
        yield from walk.value(converter.function, _DEPTH)
    for functions in patterns.functions():
        yield "pattern"
        for function in functions:
            yield str(function) if isinstance(function, _OPERATORS) else ""
            yield from walk.value(function, _DEPTH)


@functools.cache
def _own_files() -> str:
    """Sizes and times of the files that make programs: a working copy has one version for many states."""
    folder = Path(__file__).parents[2]
    rows = []
    for part in ("ge", "torchair"):
        for file in sorted((folder / part).rglob("*.py")):
            state = file.stat()
            rows.append(f"{file.relative_to(folder)} {state.st_size} {state.st_mtime_ns}")
    return hashlib.md5("\n".join(rows).encode(), usedforsecurity=False).hexdigest()


class _Walk:
    """Texts of values and code; each function and class once."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def value(self, value: Any, depth: int) -> Iterator[str]:
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__} {value!r}"
        elif isinstance(value, (list, tuple, set, frozenset)) and depth:
            yield type(value).__name__
            items = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
            for item in items:
                yield from self.value(item, depth - 1)
        elif isinstance(value, dict) and depth:
            for key, item in value.items():
                yield repr(key)
                yield from self.value(item, depth - 1)
        elif isinstance(value, torch.Tensor):
            yield f"tensor {value.dtype} {tuple(value.shape)}"
        elif isinstance(value, (types.FunctionType, types.MethodType, functools.partial, type)):
            yield from self.code(value)
        elif hasattr(value, "__dict__") and depth and not isinstance(value, (types.ModuleType, torch.nn.Module)):
            yield f"{type(value).__module__}.{type(value).__qualname__}"
            if not type(value).__module__.startswith("ferrata.torchair"):
                for key, item in sorted(vars(value).items(), key=lambda pair: str(pair[0])):
                    yield str(key)
                    yield from self.value(item, depth - 1)
        else:
            yield type(value).__qualname__

    def code(self, value: Any) -> Iterator[str]:
        if isinstance(value, functools.partial):
            yield from self.code(value.func)
            yield from self.value([*value.args, *value.keywords.items()], _DEPTH)
        elif isinstance(value, type):
            yield f"{value.__module__}.{value.__qualname__}"
            yield from self.type(value)
        elif isinstance(value, types.MethodType):
            yield from self.code(value.__func__)
        else:
            value = inspect.unwrap(value) if hasattr(value, "__wrapped__") else value
            if isinstance(value, types.FunctionType):
                yield from self._function(value)

    def type(self, kind: type) -> Iterator[str]:
        """The methods of a class and of the classes that it derives from."""
        for owner in kind.__mro__:
            if id(owner) in self.seen or _library(owner.__module__):
                continue
            self.seen.add(id(owner))
            for name, member in sorted(vars(owner).items()):
                inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if isinstance(inner, types.FunctionType):
                    yield f"{owner.__qualname__}.{name}"
                    yield from self.code(inner)
                elif isinstance(inner, _PLAIN) and not name.startswith("__"):
                    yield f"{owner.__qualname__}.{name} = {inner!r}"

    def _function(self, function: types.FunctionType) -> Iterator[str]:
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        yield f"{function.__module__}.{function.__qualname__}"
        if _library(function.__module__):
            return
        yield from self.value([function.__defaults__, function.__kwdefaults__], _DEPTH)
        names: set[str] = set()
        yield from _code(function.__code__, names)
        for cell in function.__closure__ or ():
            try:
                yield from self.value(cell.cell_contents, 1)
            except ValueError:  # not filled yet
                yield "empty cell"
        for name in sorted(names & function.__globals__.keys()):
            used = function.__globals__[name]
            yield name
            if isinstance(used, types.ModuleType):
                if not _library(used.__name__):
                    for inner in sorted(names):
                        found = vars(used).get(inner)
                        if isinstance(found, (types.FunctionType, type, *_PLAIN)):
                            yield from self.value(found, _DEPTH)
            else:
                yield from self.value(used, 2)


def _code(code: types.CodeType, names: set[str]) -> Iterator[str]:
    names.update(code.co_names)
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _code(const, names)
        else:
            yield repr(const)


def _library(module: str | None) -> bool:
    return (module or "builtins").partition(".")[0] in _LIBRARIES
