"""What the checks share: the options of one `fe.testing.check` and the runs of the operator.

`run` calls the operator and keeps what the checks ask about: outputs, what the call did to its inputs' memory, how many
kernels it launched. It calls twice: the outputs of the first call are overwritten before their memory is freed, so that
a kernel that leaves elements unwritten does not find an earlier call's right answer there.
"""

from __future__ import annotations

import inspect
import linecache
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

import ferrata
from ferrata.testing import layouts
from ferrata.testing.cases import Case, Sample, tensors_in
from ferrata.testing.compare import Tolerance, difference
from ferrata.testing.report import Finding
from ferrata.testing.subject import AttrParam, Subject, outputs_of

POISON = 0xA5


@dataclass(frozen=True)
class Described:
    """What a fake has to predict of an output."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    stride: tuple[int, ...]
    device: str


@dataclass(frozen=True)
class Run:
    """One call. outputs: on the CPU, then the mutated arguments; names: of these; written: unlawful writes, in words.

    unstable: how two equal calls differ, in words. error: what the call raised instead.
    """

    sample: Sample
    inputs: Mapping[str, Any] = field(default_factory=dict)  # values before the call, on the CPU
    outputs: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    described: tuple[Described, ...] = ()
    written: tuple[str, ...] = ()
    aliased: tuple[str, ...] = ()
    unstable: str = ""
    launches: int = 0
    error: Exception | None = None


@dataclass
class Context:
    """Options of one check, and its runs once they are there."""

    subject: Subject
    cases: tuple[Case, ...]
    device: str
    dtypes: Any = None
    layouts: tuple[str, ...] = ()
    rtol: Tolerance = None
    atol: Tolerance = None
    special: bool = True
    generated: bool = False
    runs: list[Run] = field(default_factory=list)

    @property
    def good(self) -> list[Run]:
        """Runs that returned, on ordinary values."""
        return [run for run in self.runs if run.error is None and not run.sample.special]

    def plain(self) -> list[Run]:
        """One run of each case: the first dtype, contiguous."""
        seen: dict[str, Run] = {}
        for run in self.good:
            if run.sample.layout == "contiguous":
                seen.setdefault(repr(run.sample.case), run)
        return list(seen.values())

    def each_dtype(self) -> list[Run]:
        """The contiguous runs: every case, every dtype."""
        return [run for run in self.good if run.sample.layout == "contiguous"]

    def finding(self, message: str, sample: Sample | None = None, cause: BaseException | None = None) -> Finding:
        """A finding about a run; it names the user's line that the cause names, else that of the definition."""
        where = (locate(cause) if cause is not None else "") or self.subject.where
        if sample is None:
            return Finding(message, where=where, cause=cause)
        return Finding(message, str(sample), self.again(sample), where, cause)

    def again(self, sample: Sample) -> str:
        """The call of `check` that makes this run only."""
        dtypes = ", ".join(f'"{k}": {v}' for k, v in sample.dtypes.items())
        options = f", dtypes={{{dtypes}}}" if dtypes else ""
        return (
            f'fe.testing.check({self.subject.expression}, cases=[{sample.case}]{options}, layouts=["{sample.layout}"])'
        )


def run(subject: Subject, sample: Sample, device: str, launches: Callable[[], int]) -> Run:
    """Call the operator twice on equal inputs; the second call's outputs count."""
    inputs, again = sample.inputs(device), sample.inputs(device)
    named = list(tensors_in(inputs))
    before = {name: layouts.block(tensor) for name, tensor in named}
    values = {k: _cpu(v) for k, v in inputs.items()}
    count = launches()
    try:
        outputs = subject.call(inputs)
        count = launches() - count
        written = [
            w for name, tensor in named for w in _written(name, tensor, before[name], root(name) in sample.mutated)
        ]
        aliased = _aliased(subject, outputs, named)
        first = _results(outputs, inputs, sample)
        for output in outputs:
            poison(output)
        del outputs
        outputs = subject.call(again)
    except Exception as failure:  # noqa: BLE001  the operator is the user's: whatever it raises is a finding
        return Run(sample, values, error=failure)
    second = _results(outputs, again, sample)
    names = output_names(subject, len(outputs))
    names += tuple(f"the mutated {name}" for name, _ in named if root(name) in sample.mutated)
    described = tuple(describe(o) for o in outputs if isinstance(o, torch.Tensor))
    texts = [difference(n, b, a, versus="the first call") for n, a, b in zip(names, first, second, strict=True)]
    unstable = next((text for text in texts if text is not None), "")
    return Run(sample, values, second, names, described, tuple(written), aliased, unstable, count)


def _results(outputs: tuple[Any, ...], inputs: Mapping[str, Any], sample: Sample) -> tuple[Any, ...]:
    """Outputs, then mutated arguments, on the CPU."""
    mutated = [tensor for name, tensor in tensors_in(inputs) if root(name) in sample.mutated]
    return tuple(_cpu(value) for value in (*outputs, *mutated))


def _aliased(subject: Subject, outputs: tuple[Any, ...], named: Sequence[tuple[str, torch.Tensor]]) -> tuple[str, ...]:
    names = output_names(subject, len(outputs))
    return tuple(
        f"{names[i]} shares the memory of the input {name}"
        for i, output in enumerate(outputs)
        if i not in subject.aliases
        for name, tensor in named
        if isinstance(output, torch.Tensor) and output.numel() and shares(output, tensor)
    )


def output_names(subject: Subject, count: int) -> tuple[str, ...]:
    """Names of an operator's outputs; a list of tensors has more outputs than names."""
    names = subject.outputs
    return names if len(names) == count else tuple(f"{names[0] if names else 'out'}[{i}]" for i in range(count))


def describe(tensor: torch.Tensor) -> Described:
    """What a fake has to predict; the stride of dimensions of size 1 or of an empty tensor means nothing."""
    stride = tuple(s if n != 1 and tensor.numel() else 0 for s, n in zip(tensor.stride(), tensor.shape, strict=True))
    return Described(tuple(tensor.shape), tensor.dtype, stride, tensor.device.type)


def poison(tensor: Any) -> None:
    """Overwrite the block of a tensor that nobody needs any more."""
    if isinstance(tensor, torch.Tensor) and not tensor.requires_grad and tensor.untyped_storage().nbytes():
        layouts.whole(tensor).fill_(POISON)


def shares(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors are views of one block."""
    return a.device == b.device and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def references(subject: Subject, run_: Run, dtype: torch.dtype = torch.float64) -> tuple[Any, ...]:
    """The reference's outputs and mutated arguments for the inputs of a run, floats in `dtype`; raises what it raises."""
    assert subject.reference is not None
    values = {k: wide(v, dtype) for k, v in run_.inputs.items()}
    outputs = outputs_of(call_reference(subject, values))
    mutated = [tensor for name, tensor in tensors_in(values) if root(name) in run_.sample.mutated]
    # an in-place reference may return its argument as well
    return (*outputs[: len(run_.outputs) - len(mutated)], *mutated)


def call_reference(subject: Subject, values: Mapping[str, Any]) -> Any:
    """Call the reference as the operator is called: by position, attributes after a `*` by name.

    Parameters at the end that the case leaves out are left out for a reference that does not take them.
    """
    assert subject.reference is not None
    keyword = {p.name for p in subject.params if isinstance(p, AttrParam) and p.keyword}
    full = {p.name: values.get(p.name, getattr(p, "default", None)) for p in subject.params}
    given = list(full)
    while True:
        args = [full[n] for n in given if n not in keyword]
        named = {n: full[n] for n in given if n in keyword}
        last = given[-1] if given else None
        if last is None or values.get(last) is not None or _takes(subject.reference, args, named):
            return subject.reference(*args, **named)
        given.pop()


def _takes(function: Callable[..., Any], args: list[Any], named: dict[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **named)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True


def locate(failure: BaseException | None) -> str:
    """`file:line` of the user's code that an exception comes from, "" if there is none."""
    fields = getattr(failure, "fields", {})
    if fields.get("file") and fields.get("line"):
        return _place(str(fields["file"]), int(fields["line"]))
    frames = traceback.extract_tb(failure.__traceback__) if failure is not None else []
    mine = [f for f in frames if is_user(f.filename)]
    if not mine:
        return ""
    return _place(mine[-1].filename, mine[-1].lineno or 0)


def is_user(file: str) -> bool:
    """Whether a file is neither torch's, nor ours, nor Python's."""
    inside = (str(Path(torch.__file__).parent), str(Path(ferrata.__file__).parent), os.path.dirname(os.__file__))
    return os.path.isfile(file) and not file.startswith(inside)


def _place(file: str, line: int) -> str:
    text = linecache.getline(file, line).strip()
    return f"{short(file)}:{line}" + (f"  {text}" if text else "")


def short(path: str) -> str:
    """A path relative to the working directory where that is shorter."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def said(failure: BaseException) -> str:
    """An exception in one or more lines."""
    text = str(failure).strip()
    return f"{type(failure).__name__}: {text}" if text else type(failure).__name__


def root(name: str) -> str:
    """The parameter that a tensor belongs to: `x` of `x[0]`."""
    return name.split("[")[0]


def _cpu(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value):
        return [_cpu(v) for v in value]
    return value


def wide(value: Any, dtype: torch.dtype = torch.float64) -> Any:
    """Tensors copied, floats as `dtype`."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype, copy=True) if value.dtype.is_floating_point else value.clone()
    if isinstance(value, list) and value and isinstance(value[0], torch.Tensor):
        return [wide(v, dtype) for v in value]
    return value


def _written(name: str, tensor: torch.Tensor, before: torch.Tensor, mutated: bool) -> Sequence[str]:
    after = layouts.block(tensor)
    changed = before != after
    if not mutated:
        if not changed.any():
            return ()
        inside = changed & layouts.footprint(tensor)
        if inside.any():
            return (f"the input {name} was written, and the signature does not say so",)
    outside = changed & ~layouts.footprint(tensor)
    if not outside.any():
        return ()
    return (
        f"memory around the input {name} was written: {int(outside.sum())} bytes beside the tensor are not what they were",
    )
