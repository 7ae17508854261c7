"""Make a failing program small: leave out calls, results, inputs; make arguments plain and sizes small.

Each change is kept if the program still fails in the same way. A call that goes is replaced, where later ones read it,
by an input of the same type and shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ferrata.torchair.testing.fuzz.generate import resolve
from ferrata.torchair.testing.fuzz.program import Input, Program, Size, Step, Var, evaluate, variables

Fails = Callable[[Program], "Exception | None"]


def kind_of(failure: Exception) -> str:
    """Failures of one kind shrink into each other: the error's class, and what differs, without names and numbers."""
    return f"{type(failure).__name__}: {re.split(r'[:0-9]', str(failure), maxsplit=1)[0][:60]}"


def shrink(program: Program, fails: Fails, most: int = 400) -> Program:
    """The smallest program found that fails as this one does. fails: the failure, None if there is none."""
    first = fails(program)
    if first is None:
        return program
    wanted = kind_of(first)
    tried = 0
    seen = {repr(program)}

    def still(candidate: Program) -> bool:
        nonlocal tried
        key = repr(candidate)
        if key in seen or tried >= most:
            return False
        seen.add(key)
        tried += 1
        try:
            failure = fails(candidate)
        except Exception:  # noqa: BLE001  the candidate is no program
            return False
        return failure is not None and kind_of(failure) == wanted

    changed = True
    while changed and tried < most:
        changed = False
        for candidate in _smaller(program):
            if still(candidate):
                program, changed = candidate, True
                break
    return program


def _smaller(program: Program) -> Iterator[Program]:
    """Candidates, the largest cuts first."""
    for count in (len(program.outputs) // 2, 1):
        for i in range(0, len(program.outputs), max(count, 1)):
            rest = program.outputs[:i] + program.outputs[i + max(count, 1) :]
            if rest:
                yield _pruned(program.replace(outputs=rest))
    shapes = _shapes(program)
    for i in reversed(range(len(program.steps))):
        yield from _without(program, i, shapes)
    if program.symbolic:
        yield program.replace(symbolic=False)
    for i, given in enumerate(program.inputs):
        for simpler in _simpler_input(given):
            yield program.replace(inputs=(*program.inputs[:i], simpler, *program.inputs[i + 1 :]))
    for i, step in enumerate(program.steps):
        for other in _simpler_step(step):
            yield _pruned(program.replace(steps=(*program.steps[:i], other, *program.steps[i + 1 :])))
    for symbol, value in program.symbols.items():
        if value > 2:
            yield program.replace(symbols={**program.symbols, symbol: value - 1})


def _pruned(program: Program) -> Program:
    """Without calls whose results nobody reads and that write nothing, and without unused inputs."""
    needed = set(program.outputs)
    steps: list[Step] = []
    for step in reversed(program.steps):
        writes = resolve(step.op)._schema.is_mutable  # type: ignore[attr-defined]
        if writes or any(r in needed for r in step.results):
            steps.insert(0, step)
            needed |= set(variables((step.args, dict(step.kwargs))))
    sized = {c for s in steps for c in _letters((s.args, dict(s.kwargs)))}
    read = tuple(i for i in program.inputs if i.name in needed)
    unknown = sized - {d for i in read for d in i.dims} - set(program.numbers)
    inputs = tuple(i for i in program.inputs if i in read or unknown & set(i.dims))
    return program.replace(steps=tuple(steps), inputs=inputs, numbers=tuple(n for n in program.numbers if n in sized))


def _letters(value: Any) -> Iterator[str]:
    if isinstance(value, Size):
        yield from (c for c in value.text if c.isalpha())
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _letters(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _letters(v)


def _without(program: Program, i: int, shapes: dict[str, torch.Tensor]) -> Iterator[Program]:
    """Leave out a call; what it gave is an input, or its first operand where that has the same shape and type."""
    step = program.steps[i]
    steps = program.steps[:i] + program.steps[i + 1 :]
    later = {n for s in steps for n in variables((s.args, dict(s.kwargs)))} | set(program.outputs)
    lost = [r for r in step.results if r in later]
    if not lost:
        yield _pruned(program.replace(steps=steps))
        return
    read = {n for s in steps for n in variables((s.args, dict(s.kwargs)))}
    operands = tuple(dict.fromkeys(variables((step.args, dict(step.kwargs)))))
    if operands and not read & set(lost):  # results alone: those of its operands instead
        kept = tuple(o for o in program.outputs if o not in lost)
        yield _pruned(program.replace(steps=steps, outputs=tuple(dict.fromkeys((*kept, *operands)))))
    for operand in operands:
        if len(lost) == 1 and _alike(shapes.get(operand), shapes.get(lost[0])):
            yield _pruned(_renamed(program.replace(steps=steps), {lost[0]: operand}))
            break
    if all(r in shapes for r in lost):
        made = tuple(_input_of(r, shapes[r], program) for r in lost if r is not None)
        outputs = tuple(o for o in program.outputs if o not in lost)
        if outputs:
            yield _pruned(program.replace(steps=steps, inputs=program.inputs + made, outputs=outputs))


def _input_of(name: str, tensor: torch.Tensor, program: Program) -> Input:
    by_size = {v: s for s, v in program.symbols.items() if v > 1}
    dims = tuple(by_size.get(n, str(n)) for n in tensor.shape)
    whole = not tensor.dtype.is_floating_point and not tensor.dtype.is_complex and tensor.dtype != torch.bool
    if whole and tensor.numel():
        return Input(name, tensor.dtype, dims, str(int(tensor.min())), str(int(tensor.max()) + 1))
    return Input(name, tensor.dtype, dims)


def _alike(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    return a is not None and b is not None and a.shape == b.shape and a.dtype == b.dtype


def _renamed(program: Program, names: dict[str, str]) -> Program:
    def change(value: Any) -> Any:
        if isinstance(value, Var):
            return Var(names.get(value.name, value.name))
        if isinstance(value, (list, tuple)):
            return type(value)(change(v) for v in value)
        return value

    steps = tuple(
        Step(s.op, change(s.args), {k: change(v) for k, v in s.kwargs.items()}, s.results, s.many)
        for s in program.steps
    )
    return program.replace(steps=steps, outputs=tuple(dict.fromkeys(names.get(o, o) for o in program.outputs)))


def _shapes(program: Program) -> dict[str, torch.Tensor]:
    """Every value at the sizes of capture, as far as the program runs."""
    found: dict[str, Any] = {}
    arguments = program.arguments(program.symbols)
    for given, value in zip(program.inputs, arguments, strict=False):
        found[given.name] = value
    scope = {**program.symbols, "torch": torch}
    try:
        for step in program.steps:
            args, kwargs = _real(step.args, found, scope), _real(dict(step.kwargs), found, scope)
            result = resolve(step.op)(*args, **kwargs)
            results = result if isinstance(result, (list, tuple)) else (result,)
            found.update({n: r for n, r in zip(step.results, results, strict=False) if n is not None})
    except Exception:  # noqa: BLE001  what is known so far does
        pass
    return {n: v for n, v in found.items() if isinstance(v, torch.Tensor)}


def _real(value: Any, found: dict[str, Any], sizes: Any) -> Any:
    if isinstance(value, Var):
        return found[value.name]
    if isinstance(value, Size):
        return evaluate(value.text, sizes)
    if isinstance(value, (list, tuple)):
        return type(value)(_real(v, found, sizes) for v in value)
    if isinstance(value, dict):
        return {k: _real(v, found, sizes) for k, v in value.items()}
    return value


def _simpler_input(given: Input) -> Iterator[Input]:
    import dataclasses

    if given.layout != "contiguous":
        yield dataclasses.replace(given, layout="contiguous")
    if given.values != "plain":
        yield dataclasses.replace(given, values="plain")
    for i, d in enumerate(given.dims):
        if len(d) > 1:
            yield dataclasses.replace(given, dims=(*given.dims[:i], d[0], *given.dims[i + 1 :]))


def _simpler_step(step: Step) -> Iterator[Step]:
    """Arguments at the end and keywords may have defaults."""
    for name in step.kwargs:
        yield Step(step.op, step.args, {k: v for k, v in step.kwargs.items() if k != name}, step.results, step.many)
    if len(step.args) > 1 and not isinstance(step.args[-1], Var):
        yield Step(step.op, step.args[:-1], step.kwargs, step.results, step.many)
