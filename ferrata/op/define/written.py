"""Functions that are written out as Python text, because each call of an operator passes through them.

`entry` is the function that torch dispatches to: it makes tensors contiguous, builds the key of a call, and calls what is
prepared for the key. `call` is that, for operators of single tensors: allocate, launch, return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch

from ferrata.op.define.launching import Place, Steps, View
from ferrata.op.define.model import OperatorDef, Port


def function(source: str, name: str, scope: Mapping[str, Any], what: str) -> Callable[..., Any]:
    """The function `name` of a text."""
    names = dict(scope)
    exec(compile(source, f"<call of {what}>", "exec"), names)
    found: Callable[..., Any] = names[name]
    return found


def entry(definition: OperatorDef) -> str:
    """The text of `run`, which takes what the signature takes. Its own names begin with an underscore."""
    parameters, key, row, before, after = [], [], [], [], []
    several = len(definition.inputs) > 1 or any(port.kind == "list" for port in definition.inputs)
    for port in definition.inputs:
        parameters.append(port.name + (" = None" if port.kind == "optional" else ""))
        key.append(_key(port, several))
        row.append(f"*{port.name}" if port.kind == "list" else port.name)
        before += [f"_{port.name} = {port.name}"] if port.mutated else []
        before.append(_contiguous(port))
        after += [_back(port)] if port.mutated else []
    for i, attribute in enumerate(definition.attributes):
        name = attribute.name
        parameters += ["*"] * (i == definition.keyword_only)
        parameters.append(name + ("" if attribute.required else f" = _default_{name}"))
        listed = f"tuple({name})" if attribute.type.startswith("list") else name
        # 0.0 and -0.0 are equal and not the same
        floats = {"float": f"{name} or repr({name})", "list[float]": f"tuple([v or repr(v) for v in {name}])"}
        key.append(floats.get(attribute.type, listed))
    device = next((f"{p.name}.device" for p in definition.inputs if p.kind == "required"), None)
    values = ", ".join(row)
    inputs, attributes = _tuple(p.name for p in definition.inputs), _tuple(a.name for a in definition.attributes)
    called = f"_call({device or f'next((t.device for t in ({values},) if t is not None), _device)'}, {values})"
    lines = [
        f"def run({', '.join(parameters)}):",
        *before,
        *_apart(definition),
        f"_key = {_tuple(key)}",
        "_call = _get(_key)",
        f"if _call is None: _call = _keep(_key, {inputs}, {attributes})",
        *([f"_result = {called}", *after, "return _result"] if after else [f"return {called}"]),
    ]
    return "\n    ".join(lines) + "\n"


def _tuple(parts: Any) -> str:
    return f"({''.join(part + ', ' for part in parts)})"


def _key(port: Port, several: bool) -> str:
    name = port.name
    if port.kind == "list":
        return f"tuple([(t.shape, t.dtype, t.device) for t in {name}])"
    parts = f"{name}.shape, {name}.dtype" + (f", {name}.device" if several else "")
    return parts if port.kind == "required" else f"None if {name} is None else ({parts})"


def _contiguous(port: Port) -> str:
    name = port.name
    if port.kind == "list":
        return f"{name} = [t if t.is_contiguous() else t.contiguous() for t in {name}]"
    present = "" if port.kind == "required" else f"{name} is not None and "
    return f"if {present}not {name}.is_contiguous(): {name} = {name}.contiguous()"


def _apart(definition: OperatorDef) -> list[str]:
    """What is written shares no part of its memory with another argument."""
    if not definition.mutated or (len(definition.inputs) == 1 and definition.inputs[0].kind != "list"):
        return []
    pairs = [
        _tuple(f"({p.name!r}, {p.name})" for p in definition.inputs if p.mutated is written)
        for written in (True, False)
    ]
    return [f"_refuse({definition.name!r}, {', '.join(pairs)})"]


def _back(port: Port) -> str:
    """A written tensor that was not contiguous gets what its copy got."""
    name = port.name
    if port.kind == "list":
        return f"for _a, _b in zip(_{name}, {name}):\n        if _a is not _b: _a.copy_(_b)"
    return f"if {name} is not _{name}: _{name}.copy_({name})"


def call(inputs: int, likes: Sequence[int | None], outputs: Sequence[Any], launched: Steps) -> Callable[..., Any]:
    """A function of the device and that many inputs, which allocates, launches and returns the outputs.

    likes: per output the input whose shape and type it has, None for a shape of its own.
    """
    # a contiguous tensor with a dimension of size 1 may have an odd stride there, which its like would keep
    likes = [None if like is not None and 1 in output[0] else like for like, output in zip(likes, outputs, strict=True)]
    places = tuple(step.places for step in launched.steps)
    zeros = tuple(zero for _, _, zero in launched.scratch)
    make = _maker(inputs, tuple(likes), places, zeros, len(launched.constants))
    runs = [part for step in launched.steps for part in (step.run, step.cores)]
    shapes = [part for like, output in zip(likes, outputs, strict=True) if like is None for part in output]
    scratch = [part for shape, dtype, _ in launched.scratch for part in (shape, dtype)]
    made: Callable[..., Any] = make(*runs, *shapes, *scratch, *launched.constants)
    return made


@cache
def _maker(
    inputs: int,
    likes: tuple[int | None, ...],
    steps: tuple[tuple[Place, ...], ...],
    scratch: tuple[bool, ...],
    constants: int,
) -> Callable[..., Any]:
    """A function that makes calls of one structure; shapes, kernels and constants are its arguments."""
    row = [f"x{i}" for i in range(inputs)] + [f"z{i}" for i in range(len(likes))]
    row += [f"w{i}" for i in range(len(scratch))] + [f"c{i}" for i in range(constants)]
    given = [name for i in range(len(steps)) for name in (f"run{i}", f"cores{i}")]
    body = []
    for i, like in enumerate(likes):
        if like is None:
            given += [f"zs{i}", f"zd{i}"]
            body.append(f"z{i} = empty(zs{i}, dtype=zd{i}, device=device)")
        else:
            body.append(f"z{i} = empty_like(x{like})")
    for i, zero in enumerate(scratch):
        given += [f"ws{i}", f"wd{i}"]
        body.append(f"w{i} = {'zeros' if zero else 'empty'}(ws{i}, dtype=wd{i}, device=device)")
    given += [f"c{i}" for i in range(constants)]
    for i, places in enumerate(steps):
        body.append(f"run{i}(cores{i}, {', '.join(_argument(row, place) for place in places)})")
    results = ", ".join(f"z{i}" for i in range(len(likes)))
    lines = [
        f"def make({', '.join(given)}):",
        f"    def call(device, {', '.join(row[:inputs])}):",
        *(f"        {line}" for line in body),
        f"        return {results or None}",
        "    return call",
    ]
    scope: dict[str, Any] = {"empty": torch.empty, "empty_like": torch.empty_like, "zeros": torch.zeros, "torch": torch}
    return function("\n".join(lines) + "\n", "make", scope, "an operator")


def _argument(row: Sequence[str], place: Place) -> str:
    if isinstance(place, View):
        return f"{row[place.slot]}.view({place.dtype})"
    return f"[{', '.join(row[i] for i in place)}]" if isinstance(place, tuple) else row[place]
