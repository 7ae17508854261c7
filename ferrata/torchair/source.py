"""Where in the user's program an FX node comes from."""

from __future__ import annotations

import functools
import linecache
import os
import re
import traceback
from typing import Any

import torch

import ferrata
from ferrata.ge.ir import Where

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<func>[^\n]+))?(?:\n\s*(?P<code>[^\n]+))?')
_VARIABLE = re.compile(r"[LG]\['(\w+)'\](?:\[\d+\])?")
_TORCH = os.path.dirname(torch.__file__)
_OWN = os.path.dirname(ferrata.__file__)
_DEMO = os.path.join(_OWN, "cli", "demo")


def where_of(node: Any) -> Where:
    """Provenance of an FX node: the innermost frame of its stack trace that is neither PyTorch's nor ours."""
    line = code = ""
    frames = list(_FRAME.finditer(getattr(node, "stack_trace", None) or ""))
    for match in reversed(frames):
        file = match["file"]
        if file.startswith((_TORCH, _OWN, "<")) and not file.startswith(_DEMO):
            continue
        line = f"{shorten(file)}:{match['line']}"
        code = (match["code"] or linecache.getline(file, int(match["line"]))).strip()
        break
    meta = getattr(node, "meta", {})
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack")  # the latter in backward graphs
    module = ""
    if stack:
        outer, inner = (str(place[0]) for place in (next(iter(stack.values())), next(reversed(stack.values()))))
        # a model whose forward is compiled is no module in the stack, and the variable is what forward calls it
        compiled = bool(frames) and frames[0]["func"] == "forward" and outer.startswith("L['") and "." in outer
        module = _module_path(inner, compiled)
    return Where(line, code, str(node.name), target_name(node.target), "", module)


@functools.cache
def _module_path(path: str, compiled: bool) -> str:
    """`layers.0.mlp` for Dynamo's `L['self'].layers.0.mlp`; a model that is a variable keeps the variable's name, unless
    it is what is compiled."""
    match = _VARIABLE.match(path)
    if match is None:
        return path
    name = "" if compiled or match[1] in ("self", "fn", "args") else match[1]
    return ".".join(filter(None, (name, path[match.end() :].strip("."))))


def target_name(target: Any) -> str:
    """`aten.add.Tensor`, `operator.mul`, or the name as it is."""
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.OpOverload):
        return _overload_name(target)
    module = getattr(target, "__module__", "") or ""
    name = getattr(target, "__name__", None) or str(target)
    return f"{module.removeprefix('_')}.{name}" if module in ("_operator", "math") else name


@functools.cache
def _overload_name(target: Any) -> str:
    return str(target)


def line_in(function: Any, failure: BaseException | None = None) -> str:
    """The innermost line of the file of a user's function that raised, else where the function stands."""
    code = getattr(function, "__code__", None)
    if code is None:
        return "no source line"
    frames = traceback.extract_tb(failure.__traceback__) if failure is not None else []
    own = [f for f in frames if f.filename == code.co_filename]
    return f"{code.co_filename}:{own[-1].lineno if own else code.co_firstlineno}"


def shorten(file: str) -> str:
    """The path of a file below the working folder, relative to it; others as they are."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
