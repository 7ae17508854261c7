"""The exported C++ of an operator, built and asked: which launches its plan makes, which shapes and types it infers.

    native = of(definition)
    native.launches(sizes, dtypes, attributes)      as Python's plan gives them: `python_launches(...)`
    native.shapes(...), native.dtypes(...)          InferShape and InferDataType through GE's own contexts

The library holds the text that `ferrata export` writes, with launches that are recorded. It lies in the cache by
content. This module holds state: the libraries that were loaded.
"""

from __future__ import annotations

import ctypes
import dataclasses
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ferrata import cache
from ferrata.errors import PlanBuildFailed, PlanRunFailed
from ferrata.ge import native as ge
from ferrata.lang.elements import by_torch
from ferrata.native import build
from ferrata.op import tuning
from ferrata.op.define import call as calls
from ferrata.op.define import launching
from ferrata.op.define import plan as plans
from ferrata.op.define import shapes as shape_rules
from ferrata.op.define.dims import UNKNOWN, Unknown
from ferrata.op.define.eager import attributes as single
from ferrata.op.define.model import OperatorDef
from ferrata.op.define.operands import Operand
from ferrata.op.define.plan import COUNT_DTYPE
from ferrata.op.plan.function import translate_plan

Sizes = Sequence[Any]  # per input a shape, a list of shapes, or None
FLAGS = ("-std=c++17", "-O0", "-fPIC", "-shared", "-w", "-fvisibility=hidden", "-fvisibility-inlines-hidden")


@dataclass(frozen=True)
class Launched:
    """One launch. types: C++ element types by dtype variable; consts by name; arguments: "tensor 2" or a number.

    Tensors are counted over inputs (one place each, absent ones too), outputs and scratch memory in order.
    """

    kernel: str
    types: tuple[tuple[str, str], ...]
    consts: tuple[tuple[str, int], ...]
    cores: int
    arguments: tuple[Any, ...]


class Native:
    """The library of one operator."""

    def __init__(self, definition: OperatorDef, path: Path, ge_type: str) -> None:
        self.definition, self.path, self.ge_type = definition, path, ge_type
        self._library = ctypes.CDLL(str(path))
        self._plan = self._library.ferrata_plan
        self._plan.restype, self._plan.argtypes = ctypes.c_char_p, [ctypes.POINTER(ctypes.c_int64)]
        self._kernels = {kernel.name: kernel for kernel in translate_plan(definition, recorder=True).kernels.values()}

    def launches(self, sizes: Sizes, dtypes: Sequence[Any], attributes: Mapping[str, Any]) -> list[Launched]:
        """The launches of the C++ plan. sizes, dtypes: per input, a list for a list, None for an absent one.

        Raises PlanRunFailed when the plan refuses the call.
        """
        outputs = _outputs(self.definition, sizes, dtypes, attributes)
        row = _row(self.definition, sizes, dtypes, attributes, outputs)
        text = self._plan((ctypes.c_int64 * len(row))(*row)).decode()
        if text.startswith("!"):
            raise PlanRunFailed(what="the plan", op=self.definition.name, reason=text[1:])
        return [self._launched(line) for line in text.splitlines()]

    def dtypes(self, dtypes: Sequence[Any], attributes: Mapping[str, Any], counts: Sequence[int]) -> list[int]:
        """GE numbers of the output types, by InferDataType. counts: tensors of each output."""
        flat = [d for one in dtypes for d in (one if isinstance(one, list | tuple) else () if one is None else (one,))]
        return self._node(dtypes, attributes, counts).infer_dtypes([_number(d) for d in flat])

    def shapes(
        self, sizes: Sizes, dtypes: Sequence[Any], attributes: Mapping[str, Any], counts: Sequence[int]
    ) -> list[list[int]]:
        """The output shapes, by InferShape; -1 is a size that is not known, [-2] a rank."""
        node = self._node(dtypes, attributes, counts)
        flat = [d for one in dtypes for d in (one if isinstance(one, list | tuple) else () if one is None else (one,))]
        node.infer_dtypes([_number(d) for d in flat])
        present: list[Any] = []
        for port, one in zip(self.definition.inputs, sizes, strict=True):
            present += one if port.kind == "list" else [] if one is None else [one]
        return node.infer_shapes([list(map(int, shape)) for shape in present])

    def _node(self, dtypes: Sequence[Any], attributes: Mapping[str, Any], counts: Sequence[int]) -> ge.NativeNode:
        inputs = [
            len(one) if port.kind == "list" else int(one is not None)
            for port, one in zip(self.definition.inputs, dtypes, strict=True)
        ]
        return ge.NativeNode(self.ge_type, self.ge_type, inputs, list(counts), attributes)

    def _launched(self, line: str) -> Launched:
        head, consts, cores, arguments = line.split("|")
        name, *types = head.split()
        kernel = self._kernels[name]
        values: list[Any] = []
        for parameter, text in zip(kernel.arguments, arguments.split(), strict=True):
            if text.startswith("@"):
                values.append(_tensor(text))
            elif text.startswith("["):
                values.append(tuple(_tensor(part) for part in text.strip("[],").split(",") if part))
            elif text.startswith("{"):
                values.append(tuple(float(part) for part in text.strip("{},").split(",") if part))
            else:
                values.append(float(text) if parameter.kind == "float" else int(text))
        return Launched(
            name,
            tuple(zip((var.name for var in kernel.dtype_vars), types, strict=True)),
            tuple(zip((p.name for p in kernel.consts), map(int, consts.split()), strict=True)),
            int(cores),
            tuple(values),
        )


def _tensor(text: str) -> str | None:
    """Which tensor an address of the recorded call means."""
    slot = int(text[1:]) >> 32
    return f"tensor {slot - 1}" if slot else None


def python_launches(
    definition: OperatorDef, sizes: Sizes, dtypes: Sequence[Any], attributes: Mapping[str, Any]
) -> list[Launched]:
    """The launches of the Python plan in the same words; those without cores are left out."""
    inputs = shape_rules.operands(definition, sizes, dtypes)
    slots = sum(len(one) if isinstance(one, tuple) else 1 for one in inputs)
    outputs = []
    given = single(definition, [attributes[a.name] for a in definition.attributes])
    numel = 0
    for port, one in zip(definition.outputs, _outputs(definition, sizes, dtypes, given), strict=True):
        made = []
        for shape, dtype in one if port.kind == "list" else [one]:
            made.append(Operand(port.name, shape, dtype, slots))
            numel += made[-1].numel()
            slots += 1
        outputs.append(tuple(made) if port.kind == "list" else made[0])
    for port, operand in zip(definition.inputs, inputs, strict=True):
        if port.mutated and operand is not None:
            numel += sum(one.numel() for one in (operand if isinstance(operand, tuple) else (operand,)))
    if not numel:
        return []
    counters = [Operand(dim.name, (1,), COUNT_DTYPE, slots + i) for i, dim in enumerate(definition.unknowns)]
    found, _ = plans.launches(definition, inputs, given, [*outputs, *counters], slots + len(counters))
    result = []
    for launch in found:
        if launch.cores <= 0:
            continue
        kernel = launch.kernel
        bound = launching.types(definition, launch)
        consts = {p.name: launch.consts.get(p.name, p.default) for p in kernel.consts}
        values = [_argument(p, launch.args[p.name]) for p in kernel.arguments]
        result.append(
            Launched(
                kernel.name,
                tuple((var.name, bound[var.name].cpp) for var in kernel.dtype_vars),
                tuple((name, int(value)) for name, value in consts.items()),
                int(launch.cores),
                tuple(values),
            )
        )
    return result


def differences(
    definition: OperatorDef, sizes: Sizes, dtypes: Sequence[Any], attributes: Mapping[str, Any]
) -> list[str]:
    """In what the exported C++ and Python differ for one call, in words; empty when they agree.

    Compared are the launches (kernel, instance, cores, arguments) and what InferShape and InferDataType say.
    """
    native = of(definition)
    problems: list[str] = []
    ours, theirs = python_launches(definition, sizes, dtypes, attributes), native.launches(sizes, dtypes, attributes)
    if len(ours) != len(theirs):
        problems.append(f"the Python plan launches {len(ours)} times, the C++ plan {len(theirs)} times")
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        for field in dataclasses.fields(Launched):
            x, y = getattr(a, field.name), getattr(b, field.name)
            if x != y:
                problems.append(f"launch {i} ({a.kernel}): {field.name} {x} in Python, {y} in C++")
    expected: list[tuple[Any, Any]] = []
    counts: list[int] = []
    for port, one in zip(definition.outputs, _outputs(definition, sizes, dtypes, attributes), strict=True):
        expected += one if port.kind == "list" else [one]
        counts.append(len(one) if port.kind == "list" else 1)
    for port, shape, dtype in zip(definition.inputs, sizes, dtypes, strict=True):
        if port.mutated:
            expected += list(zip(shape, dtype, strict=True)) if port.kind == "list" else [(shape, dtype)]
            counts.append(len(shape) if port.kind == "list" else 1)
    shapes = native.shapes(sizes, dtypes, attributes, counts)
    inferred = [list(shape) for shape, _ in expected]
    at = 0
    for port, count in zip((*definition.outputs, *definition.mutated), counts, strict=True):
        for i, dim in enumerate(port.dims):
            if isinstance(dim, Unknown):  # behind a group of dimensions it is told from the end
                inferred[at][i if port.rest is None or i < port.rest else i - len(port.dims)] = UNKNOWN
        at += count
    if shapes != inferred:
        problems.append(f"shapes {inferred} in Python, {shapes} in GE's inference")
    numbers = native.dtypes(dtypes, attributes, counts)
    if numbers != [_number(dtype) for _, dtype in expected]:
        problems.append(
            f"data types {[_number(dtype) for _, dtype in expected]} in Python, {numbers} in GE's inference"
        )
    return problems


def _argument(parameter: Any, value: Any) -> Any:
    if isinstance(value, Operand):
        return f"tensor {value.slot}"
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return tuple(f"tensor {one.slot}" for one in value)
    if dataclasses.is_dataclass(value):
        return tuple(
            _single(item) if isinstance(item, float) else float(item)
            for item in dataclasses.astuple(value)  # type: ignore[arg-type]
        )
    return _single(value) if parameter.kind == "float" else int(value)


def _single(value: float) -> float:
    """What is left of a number in single precision, as it is printed with nine digits."""
    return float(f"{ctypes.c_float(value).value:.9g}")


def _outputs(definition: OperatorDef, sizes: Sizes, dtypes: Sequence[Any], attributes: Mapping[str, Any]) -> list[Any]:
    """Shape and torch dtype of each output, a list of these for a list."""
    import torch

    names = [_each(d, lambda one: str(one).removeprefix("torch.")) for d in dtypes]
    bound = calls.bind_types(definition, names)
    found = shape_rules.of(definition, sizes, dtypes, attributes, lambda _dim, limit: limit)
    result: list[Any] = []
    for port, shape, element in zip(definition.outputs, found, calls.output_types(definition, bound), strict=True):
        dtype = getattr(torch, str(element.torch))
        result.append([(tuple(s), dtype) for s in shape] if port.kind == "list" else (tuple(shape), dtype))
    return result


def _each(value: Any, function: Any) -> Any:
    if isinstance(value, list | tuple):
        return [function(item) for item in value]
    return None if value is None else function(value)


def _number(dtype: Any) -> int:
    element = by_torch(str(dtype).removeprefix("torch."))
    assert element is not None
    return int(element.type)


def _row(
    definition: OperatorDef, sizes: Sizes, dtypes: Sequence[Any], attributes: Mapping[str, Any], outputs: Sequence[Any]
) -> list[int]:
    """The call as check.cpp's Reader reads it."""
    row: list[int] = []

    def tensor(shape: Any, dtype: Any) -> None:
        if shape is None:
            row.append(0)
            return
        row.extend([1, _number(dtype), len(shape), *map(int, shape)])

    for port, shape, dtype in zip(definition.inputs, sizes, dtypes, strict=True):
        if port.kind == "list":
            row.append(len(shape))
            for one in zip(shape, dtype, strict=True):
                tensor(*one)
        else:
            tensor(shape, dtype)
    given = single(definition, [attributes[a.name] for a in definition.attributes])
    for attribute in definition.attributes:
        value = given[attribute.name]
        if attribute.type == "str":
            data = value.encode()
            row.extend([len(data), *data])
        elif attribute.type.startswith("list"):
            row.append(len(value))
            row.extend(_bits(v) if attribute.type == "list[float]" else int(v) for v in value)
        else:
            row.append(_bits(value) if attribute.type == "float" else int(value))
    for port, output in zip(definition.outputs, outputs, strict=True):
        if port.kind == "list":
            row.append(len(output))
            for one in output:
                tensor(*one)
        else:
            tensor(*output)
    for _ in definition.unknowns:
        tensor((1,), COUNT_DTYPE)
    return row


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", float(value)))[0])


_loaded: dict[Any, Native] = {}


def of(definition: OperatorDef) -> Native:
    """Build and load the C++ of an operator.

    Raises KernelSourceError and ExportRefused for what has no C++, PlanBuildFailed.
    """
    from ferrata.op.export.check import source

    known = (definition.signature(), definition.ge_type, definition.plan, definition.shape, tuning.in_use())
    if known in _loaded:
        return _loaded[known]
    build.ge()
    text, ge_type = source(definition)
    flags = [*FLAGS, f"-I{build.INCLUDE}"]
    key = cache.key([text, *FLAGS, build.compiler_version(), _headers()])

    def make(folder: Path) -> None:
        (folder / "check.cpp").write_text(text)
        command = [build.compiler(), *flags, str(folder / "check.cpp"), "-o", str(folder / "check.so")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise PlanBuildFailed(op=definition.name, output=done.stderr[-8000:])

    folder = cache.entry("plans", f"{definition.short_name}-{key}", make)
    ge.serial()  # loads libgert, whose symbols the library takes
    native = _loaded[known] = Native(definition, folder / "check.so", ge_type)
    return native


@lru_cache(maxsize=1)
def _headers() -> str:
    """What of our headers the text sees: the libraries' place in the cache tells when one changed."""
    return f"{build.ge()} {build.runtime()}"
