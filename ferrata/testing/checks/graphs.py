"""The operator in a graph: GE's inference agrees with what it gives, and compiled it gives what it gives in eager mode."""

from __future__ import annotations

import itertools
import types
from typing import Any

import torch

from ferrata.testing.cases import tensors_in
from ferrata.testing.checks.fakes import structures, symbols_possible, unlike
from ferrata.testing.checks.runs import counter
from ferrata.testing.compare import difference
from ferrata.testing.context import Context, Described, Run, describe, output_names, said
from ferrata.testing.report import Finding, Outcome
from ferrata.testing.subject import outputs_of

_numbers = itertools.count()
STATIC = 3  # graphs; other sizes of one structure are the same program


def inference(ctx: Context) -> Outcome:
    """InferShape and InferDataType for the sizes of every run, and with every size unknown."""
    if ctx.subject.ge is None:
        return Outcome(skipped='no GE type: give ge="AddCustom"')
    from ferrata.ge.impl import find_implementation
    from ferrata.ge.prototype import find_prototype

    proto = find_prototype(ctx.subject.ge)
    if proto is None:
        return Outcome(1, [ctx.finding(f"GE has no prototype of the type {ctx.subject.ge}")])
    impl = find_implementation(ctx.subject.ge)
    if impl is None or not impl.infers_shape:
        return Outcome(1, [ctx.finding(f"the GE type {ctx.subject.ge} has no InferShape")])
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    findings = []
    for r in ctx.each_dtype():
        try:
            findings += [ctx.finding(text, r.sample) for text in _inferred(ctx, r, proto, impl)]
        except Exception as failure:  # noqa: BLE001  inference is the user's where it is a shape function
            findings.append(ctx.finding(f"GE inference raised {said(failure)}", r.sample, failure))
    return Outcome(len(ctx.each_dtype()), findings)


def _inferred(ctx: Context, run: Run, proto: Any, impl: Any) -> list[str]:
    from ferrata.ge.impl import NodeInfo
    from ferrata.ge.types import UNDEFINED, ge_dtype, torch_dtype

    counts, tensors = [], []
    for port in proto.inputs:
        value = run.inputs.get(port.name)
        mine = value if isinstance(value, list) else [] if value is None else [value]
        counts.append(len(mine))
        tensors += mine
    outputs = run.described
    # an output under an input's name is that input
    own = [o for o in proto.outputs if o.name not in {i.name for i in proto.inputs}]
    names = output_names(ctx.subject, len(outputs))
    spread = len(outputs) - sum(o.kind != "dynamic" for o in own)
    written = dict(zip((i.name for i in proto.inputs), counts, strict=True))
    out_counts = [written.get(o.name, spread if o.kind == "dynamic" else 1) for o in proto.outputs]
    attrs = {a.name: run.inputs.get(a.name, a.default) for a in proto.attrs}
    info = NodeInfo(proto.op_type, "checked", proto, tuple(counts), tuple(out_counts), attrs, ctx.subject.where, {})
    dtypes = [ge_dtype(t.dtype) for t in tensors]
    shapes = [list(t.shape) for t in tensors]
    if impl.reads_values(info):
        return []
    inferred = impl.dtypes(info, dtypes) if impl.infers_dtype else None
    known, settled = impl.shapes(info, shapes, dtypes)
    unknown, _ = impl.shapes(info, [[-1] * len(s) for s in shapes], dtypes)
    instances = [o.name for o, n in zip(proto.outputs, out_counts, strict=True) for _ in range(n)]
    mutated = {p.name for p in ctx.subject.tensors if p.mutated}
    where = [i for i, name in enumerate(instances) if name not in mutated]
    wrong: list[str] = []
    for name, i, real in zip(names, where, outputs, strict=False):
        for shape, when in ((known[i], "infers"), (unknown[i], "infers with every size unknown")):
            text = _unlike_shape(name, shape, real.shape, when)
            wrong += [] if text is None else [text]
        types_ = inferred or settled
        if types_[i] != UNDEFINED and torch_dtype(types_[i]) != real.dtype:
            wrong.append(f"{name}: GE infers {torch_dtype(types_[i])}, the operator gives {real.dtype}")
    return wrong[:1]


def _unlike_shape(name: str, shape: list[int], real: tuple[int, ...], when: str) -> str | None:
    if shape == [-2]:
        return None
    if len(shape) == len(real) and all(a in (-1, b) for a, b in zip(shape, real, strict=True)):
        return None
    return f"{name}: GE {when} shape {tuple(shape)}, the operator gives {real}"


def static(ctx: Context) -> Outcome:
    """Cases compiled for their own sizes: the first ones of different structure."""
    runs = ctx.plain()
    if not runs:
        return Outcome(skipped="no run succeeded")
    return _outcome(ctx, [group[:1] for group in structures(runs)[:STATIC]], dynamic=False)


def dynamic(ctx: Context) -> Outcome:
    """One graph for all cases that differ in sizes only; a second compilation is a failure."""
    if not ctx.good:
        return Outcome(skipped="no run succeeded")
    runs = [r for r in ctx.plain() if symbols_possible(r)]
    if not runs:
        return Outcome(skipped="every size is 0 or 1, or there are no dimensions: nothing can be symbolic")
    return _outcome(ctx, structures(runs), dynamic=True)


def _outcome(ctx: Context, groups: list[list[Run]], *, dynamic: bool) -> Outcome:
    if ctx.subject.random:
        return Outcome(skipped="the operator is random")
    findings: list[Finding] = []
    for runs in groups:
        findings += _compiled(ctx, runs, dynamic)
    graphs = f"{len(groups)} graph{'s' * (len(groups) > 1)}"
    return Outcome(sum(map(len, groups)), findings, note=graphs)


def _compiled(ctx: Context, runs: list[Run], dynamic: bool) -> list[Finding]:
    from ferrata.torchair import get_npu_backend

    # the options are those of a user's own call
    function: Any = torch.compile(caller(ctx), backend=get_npu_backend(), fullgraph=True, dynamic=dynamic)
    count = counter(ctx.device)
    findings = []
    for i, r in enumerate(runs):
        inputs = r.sample.inputs(ctx.device)
        before = count()
        try:
            if i:
                with torch.compiler.set_stance("fail_on_recompile"):
                    outputs = outputs_of(function(inputs))
            else:
                outputs = outputs_of(function(inputs))
        except Exception as failure:  # noqa: BLE001  the graph of the user's operator
            what = "recompiling for other sizes" if "recompile" in str(failure) and i else "compiling"
            findings.append(ctx.finding(f"{what} failed: {said(failure)}", r.sample, failure))
            break
        mutated = [t for name, t in tensors_in(inputs) if name.split("[")[0] in r.sample.mutated]
        text = _differs(ctx, r, outputs, mutated)
        if text is None and r.launches and count() == before:
            text = f"the compiled graph launched no kernel, the operator alone launches {r.launches}"
        if text is not None:
            findings.append(ctx.finding(text, r.sample))
    return findings


def _differs(ctx: Context, run: Run, outputs: tuple[Any, ...], mutated: list[torch.Tensor]) -> str | None:
    for name, out, real in zip(output_names(ctx.subject, len(outputs)), outputs, run.described, strict=True):
        if isinstance(out, torch.Tensor):
            text = unlike(name, _comparable(describe(out), real), real, "compiled it has")
            if text is not None:
                return text
    for name, out, right in zip(run.names, (*outputs, *mutated), run.outputs, strict=True):
        text = difference(name, out, right, versus="the eager call")
        if text is not None:
            return f"{text}\n    compiled and eager must give the same bits"
    return None


def _comparable(mine: Described, real: Described) -> Described:
    return Described(mine.shape, mine.dtype, real.stride, mine.device)  # a graph may choose other strides


def caller(ctx: Context) -> Any:
    """A function of a dictionary that calls the operator, of its own for each use."""
    overload = ctx.subject.overload

    def call(values: Any) -> Any:
        return overload(**values)

    # Dynamo keeps compiled graphs by code object; each check has its own, so that checks do not count as recompilations
    code = call.__code__.replace(co_name=f"checked_{next(_numbers)}")
    return types.FunctionType(code, call.__globals__, code.co_name, None, call.__closure__)
