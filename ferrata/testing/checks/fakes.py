"""The fake (Meta) implementation: does it predict what the operator gives, and does it keep symbols symbols?

A fake that asks a symbolic size for its value makes torch.compile recompile for other sizes, or turns the size into a
constant. The check runs it under a ShapeEnv and refuses every guard that appears.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ferrata.testing.cases import tensors_in
from ferrata.testing.context import Context, Described, Run, describe, is_user, output_names, said, short
from ferrata.testing.report import Finding, Outcome
from ferrata.testing.subject import outputs_of


def fake(ctx: Context) -> Outcome:
    """Shape, dtype, strides and device of every output of every run."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    findings = []
    mode = FakeTensorMode(shape_env=ShapeEnv())  # an unbacked size needs one
    first = {repr(r.sample.case): r.sample.dtypes for r in reversed(ctx.good)}
    # a fake sees layouts and dtypes apart from each other
    runs = [r for r in ctx.good if r.sample.layout == "contiguous" or r.sample.dtypes == first[repr(r.sample.case)]]
    for r in runs:
        inputs = r.sample.inputs(ctx.device)
        fakes = _mapped(inputs, lambda t: mode.from_tensor(t, static_shapes=True))
        try:
            with mode:
                outputs = outputs_of(ctx.subject.overload(**fakes))
        except Exception as failure:  # noqa: BLE001  the fake is the user's
            findings.append(ctx.finding(f"the fake raised {said(failure)}", r.sample, failure))
            continue
        if len(outputs) != len(r.described):
            findings.append(
                ctx.finding(f"the fake gives {len(outputs)} outputs, the operator {len(r.described)}", r.sample)
            )
            continue
        for name, predicted, real in zip(output_names(ctx.subject, len(outputs)), outputs, r.described, strict=True):
            text = unlike(name, _described(predicted), real, "the fake says")
            if text:
                findings.append(ctx.finding(text, r.sample))
                break
    return Outcome(len(runs), findings)


def unlike(name: str, predicted: Described, real: Described, who: str) -> str | None:
    """What a prediction got wrong about an output; a size of None is one that only the kernel knows."""
    for what in ("shape", "dtype", "stride", "device"):
        mine, theirs = getattr(predicted, what), getattr(real, what)
        if what in ("shape", "stride") and len(mine) == len(theirs):
            mine = tuple(t if m is None else m for m, t in zip(mine, theirs, strict=True))
        if mine != theirs:
            return f"{name}: {who} {what} {mine}, the operator gives {theirs}"
    return None


def _described(tensor: torch.Tensor) -> Described:
    """As `describe`, of a fake; what depends on data is None."""
    if all(isinstance(n, int) for n in (*tensor.shape, *tensor.stride())):
        return describe(tensor)
    known = tuple(n if isinstance(n, int) else None for n in tensor.shape)
    strides = tuple(
        None if n is None else 0 if n == 1 else s if isinstance(s, int) else None
        for n, s in zip(known, tensor.stride(), strict=True)
    )
    return Described(known, tensor.dtype, strides, tensor.device.type)


def symbolic(ctx: Context) -> Outcome:
    """One symbolic run for each structure of the cases: no guard, and right sizes for every case of the structure."""
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    findings: list[Finding] = []
    groups = structures([r for r in ctx.plain() if symbols_possible(r)])
    if not groups:
        return Outcome(skipped="every size is 0 or 1, or there are no dimensions: nothing can be symbolic")
    for runs in groups:
        findings += _symbolic(ctx, runs)
    return Outcome(len(groups), findings)


def structures(runs: list[Run]) -> list[list[Run]]:
    """Runs grouped by what one symbolic graph can serve: ranks, equal sizes, sizes 0 and 1, also of outputs, attributes."""
    groups: dict[Any, list[Run]] = {}
    for r in runs:
        sizes: dict[int, int] = {}
        shapes = [
            (name, str(t.dtype), tuple(n if n < 2 else -2 - sizes.setdefault(n, len(sizes)) for n in t.shape))
            for name, t in tensors_in(r.inputs)
        ]
        attrs = {k: repr(v) for k, v in r.inputs.items() if not isinstance(v, (torch.Tensor, list))}
        # a computed size is a constant where it is 0 or 1, as torch has it for those of inputs
        made = [tuple(min(n, 2) for n in one.shape) for one in r.described]
        groups.setdefault(repr((shapes, attrs, made)), []).append(r)
    return list(groups.values())


def symbols_possible(run: Run) -> bool:
    """Whether some size is neither 0 nor 1 (torch makes those constants)."""
    return any(n > 1 for _, t in tensors_in(run.inputs) for n in t.shape)


def _symbolic(ctx: Context, runs: list[Run]) -> list[Finding]:
    from torch._dynamo.source import ConstantSource
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    first = runs[0]
    env = ShapeEnv()
    mode = FakeTensorMode(shape_env=env)
    symbols: dict[Any, tuple[str, int]] = {}

    def symbolised(name: str, tensor: torch.Tensor) -> Any:
        dynamic: Any = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DUCK] * tensor.dim())
        made = mode.from_tensor(
            tensor, symbolic_context=dynamic, source=ConstantSource(name.replace("[", "_").rstrip("]"))
        )
        for i, n in enumerate(made.shape):
            if isinstance(n, torch.SymInt):
                symbols.setdefault(n.node.expr, (name, i))
        return made

    inputs = first.sample.inputs(ctx.device)
    fakes = {}
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor):
            fakes[name] = symbolised(name, value)
        elif isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
            fakes[name] = [symbolised(f"{name}[{i}]", v) for i, v in enumerate(value)]
        else:
            fakes[name] = value
    _state(ctx, fakes)
    before = len(env.guards)
    try:
        with mode:
            outputs = outputs_of(ctx.subject.overload(**fakes))
    except Exception as failure:  # noqa: BLE001  the fake is the user's
        return [ctx.finding(f"the fake raised under symbolic sizes {said(failure)}", first.sample, failure)]
    findings = [_guarded(ctx, first, guard, symbols) for guard in env.guards[before:]]
    if findings:
        return findings
    for r in runs:
        sizes = dict(tensors_in(r.inputs))
        values = {symbol: sizes[name].shape[i] for symbol, (name, i) in symbols.items()}
        for name, out, real in zip(output_names(ctx.subject, len(outputs)), outputs, r.described, strict=False):
            shape = tuple(_number(n, values) for n in out.shape)
            wrong = [i for i, (a, b) in enumerate(zip(shape, real.shape, strict=False)) if a is not None and a != b]
            if wrong or len(shape) != len(real.shape):
                said_ = f"{name}: under symbolic sizes the fake says shape {tuple(map(str, out.shape))}, which is {shape} here"
                findings.append(ctx.finding(f"{said_}; the operator gives {real.shape}", r.sample))
    return findings


def _state(ctx: Context, inputs: Mapping[str, Any]) -> None:
    """Let the shapes know what the signature states: a fixed size, `2*n` in an input. These are guards by intention."""
    definition = ctx.subject.definition
    if definition is None:
        return
    from ferrata.op.define import call

    tensors = [inputs.get(port.name) for port in definition.inputs]
    shapes = [[tuple(t.shape) for t in one] if isinstance(one, list) else one if one is None else tuple(one.shape)
              for one in tensors]  # fmt: skip
    call.bind(definition, shapes, {a.name: inputs.get(a.name, a.default) for a in definition.attributes})


def _guarded(ctx: Context, run: Run, guard: Any, symbols: Mapping[Any, tuple[str, int]]) -> Finding:
    names = {str(s): f"{name}.shape[{i}]" for s, (name, i) in symbols.items()}
    text = str(guard.expr)
    for symbol in sorted(names, key=len, reverse=True):
        text = text.replace(symbol, names[symbol])
    frame = getattr(guard.sloc, "framework_loc", None)
    where = ""
    if frame is not None and hasattr(frame, "filename") and is_user(frame.filename):
        where = f"{short(frame.filename)}:{frame.lineno}" + (f"  {frame.line}" if frame.line else "")
    return Finding(
        f"the fake specialises a symbolic size: it asks whether {text}; torch.compile would recompile for other sizes",
        str(run.sample),
        ctx.again(run.sample),
        where or ctx.subject.where,
    )


def _number(size: Any, values: Mapping[Any, int]) -> int | None:
    if isinstance(size, int):
        return size
    found = size.node.expr.subs(values)
    return int(found) if found.is_number else None


def _mapped(values: Mapping[str, Any], function: Any) -> dict[str, Any]:
    return {
        k: function(v)
        if isinstance(v, torch.Tensor)
        else [function(t) for t in v]
        if isinstance(v, list) and v and isinstance(v[0], torch.Tensor)
        else v
        for k, v in values.items()
    }
