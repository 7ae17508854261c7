"""Sizes of a signature's dimensions: names bound from shapes, and shapes made from names.

A dimension is a number, a name ("rows"), "_" for any size, arithmetic over names ("2*n"), or a group: "..." or "*lead"
for any number of dimensions. One name stands for one size, one group for the same dimensions, wherever it appears in a
signature; only in a list of tensors does each tensor have its own "...".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferrata.op.define.dims import evaluate, names
from ferrata.testing.cases import Case
from ferrata.testing.subject import Dims, Subject, TensorParam

Sizes = dict[str, Any]  # name -> size, group -> tuple of sizes


def is_group(dim: Any) -> bool:
    """Whether a dimension stands for any number of them."""
    return isinstance(dim, str) and (dim == "..." or dim.startswith("*"))


def unify(dims: Dims, shape: tuple[int, ...], sizes: Mapping[str, Any]) -> Sizes | None:
    """`sizes` with what this shape adds; None when it does not fit."""
    found = dict(sizes)
    at = next((i for i, dim in enumerate(dims) if is_group(dim)), -1)
    if at < 0:
        if len(dims) != len(shape):
            return None
        pairs = list(zip(dims, shape, strict=True))
    else:
        count = len(shape) - (len(dims) - 1)
        if count < 0:
            return None
        rest = tuple(shape[at : at + count])
        if found.setdefault(str(dims[at]), rest) != rest:
            return None
        pairs = [*zip(dims[:at], shape[:at], strict=True), *zip(dims[at + 1 :], shape[at + count :], strict=True)]
    for dim, size in pairs:
        if isinstance(dim, int):
            if dim != size:
                return None
        elif dim.isidentifier() and dim != "_" and found.setdefault(dim, size) != size:
            return None
    return found


def shaped(dims: Dims, sizes: Mapping[str, Any], free: int = 1) -> tuple[int, ...]:
    """The shape that the dimensions have with these sizes; `free` for "_"."""
    shape: list[int] = []
    for dim in dims:
        if is_group(dim):
            shape += sizes.get(str(dim), ())
        elif isinstance(dim, int):
            shape.append(dim)
        elif dim.isidentifier():
            shape.append(sizes.get(dim, free))
        else:
            shape.append(max(0, evaluate(dim, sizes)))
    return tuple(shape)


def sizes_of(subject: Subject, case: Case) -> Sizes | None:
    """The sizes in a case whose tensors are all given as shapes; None when they are not, or do not fit the signature."""
    sizes: Sizes = {}
    for param in subject.tensors:
        value = case.values.get(param.name)
        if value is None:
            continue
        if param.dims is None or param.kind == "list" or not isinstance(value, (tuple, list)):
            return None
        found = unify(param.dims, tuple(value), sizes)
        if found is None:
            return None
        sizes = found
    return sizes


def dim_names(subject: Subject) -> list[str]:
    """Names and groups of the tensors' dimensions, in the order of the signature."""
    found = []
    for param in subject.tensors:
        for dim in param.dims or ():
            if is_group(dim):
                found.append(str(dim))
            elif isinstance(dim, str) and dim != "_":
                found += names(dim)
    return list(dict.fromkeys(found))


def without_elements(subject: Subject, case: Case) -> Case | None:
    """The case with its outermost dimension of size 0; None where the signature does not say which that is."""
    sizes = sizes_of(subject, case)
    if not sizes:
        return None
    groups = {name: (0, *size[1:]) for name, size in sizes.items() if is_group(name) and size}
    if groups and not subject.broadcast:
        return _resized(subject, case, {**sizes, **groups})
    name = next((n for n in sizes if not is_group(n)), None)
    return None if name is None or subject.broadcast else _resized(subject, case, {**sizes, name: 0})


def without_dimensions(subject: Subject, case: Case) -> Case | None:
    """The case with 0-d tensors; None where the signature has dimensions that cannot be left out."""
    sizes = sizes_of(subject, case)
    present = [p.dims for p in subject.tensors if case.values.get(p.name) is not None]
    if not sizes or not all(dims and len(dims) == 1 and is_group(dims[0]) for dims in present):
        return None
    return None if all(size == () for size in sizes.values()) else _resized(subject, case, {})


def _resized(subject: Subject, case: Case, sizes: Mapping[str, Any]) -> Case:
    return case.replaced(
        {p.name: _other(p, case.values[p.name], sizes) for p in subject.tensors if case.values.get(p.name) is not None}
    )


def _other(param: TensorParam, shape: tuple[int, ...], sizes: Mapping[str, Any]) -> tuple[int, ...]:
    made = shaped(param.dims or (), sizes)
    free = [i for i, dim in enumerate(param.dims or ()) if dim == "_"]
    offset = len(shape) - len(param.dims or ())
    group = next((i for i, dim in enumerate(param.dims or ()) if is_group(dim)), len(shape))
    # "_" keeps the size that the case gave it
    out = list(made)
    for i in free:
        out[i if i < group else i - len(param.dims or ())] = shape[i if i < group else i + offset]
    return tuple(out)
