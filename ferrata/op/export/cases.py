"""Arguments for the test of an exported operator: sizes for the names in its signature, values for its attributes.

Several sets of sizes are tried on the operator itself, and those with which it runs are kept: a kernel may want whole
blocks, and only it knows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from ferrata.errors import FerrataError
from ferrata.lang.elements import Dtype
from ferrata.op.define import dims as dimensions
from ferrata.op.define.dims import AnySize, Computed, Fixed, Named, Rest
from ferrata.op.define.model import OperatorDef, Port

# sizes of named dimensions in turn, and of a group of dimensions
_SIZES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((16, 64, 32, 128), (4, 32)),
    ((5, 37, 7, 19), (3, 5)),
    ((64, 256, 128, 32), (9, 1000)),
)
MOST = 1 << 20  # elements of a tensor
_VALUES: Mapping[str, str] = {
    "int": "1", "float": "0.5", "bool": "True", "str": '"none"', "list[int]": "[1]", "list[float]": "[0.5]",
    "list[bool]": "[True]",
}  # fmt: skip


def cases(operator: Any) -> list[str]:
    """Texts of argument lists, inputs then attributes."""
    definition: OperatorDef = operator.definition
    texts = [text for sizes in _SIZES for text in _texts(definition, *_modest(definition, *sizes))]
    works = [text for text in dict.fromkeys(texts) if _runs(operator, text)]
    if works:
        return works
    # the plan wants sizes that fit together, one twice the other, say
    for named in itertools.product((4, 2, 8), repeat=4):
        some = _texts(definition, named, (3,))
        if _runs(operator, some[0]):
            works += some
            if len(works) > len(some):
                break
    return works or texts[:1]


def _texts(definition: OperatorDef, named: tuple[int, ...], rest: tuple[int, ...]) -> list[str]:
    """Arguments of these sizes in each data type, and once without the optional ones."""
    dtypes = _dtypes(definition)
    texts = [_case(definition, named, rest, dtype, absent=False) for dtype in dtypes]
    if any(port.kind == "optional" for port in definition.inputs):
        texts.append(_case(definition, named, rest, dtypes[0], absent=True))
    return texts


def _modest(
    definition: OperatorDef, named: tuple[int, ...], rest: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes, smaller where a tensor would have more elements than a test should move."""
    while True:
        sizes = _attribute_sizes(definition)
        if max((math.prod(_shape(port, sizes, named, rest)) for port in definition.inputs), default=0) <= MOST:
            return named, rest
        named, rest = tuple(max(1, s // 2) for s in named), tuple(max(1, s // 8) for s in rest)


def _dtypes(definition: OperatorDef) -> list[dict[str, Dtype]]:
    """Bindings of the dtype variables: each variable's types in turn, at most four."""
    variables = definition.dtype_vars
    count = max((len(var.allowed) for var in variables), default=1)
    return [{var.name: var.allowed[i % len(var.allowed)] for var in variables} for i in range(min(count, 4))]


def _case(
    definition: OperatorDef, named: tuple[int, ...], rest: tuple[int, ...], dtypes: dict[str, Dtype], absent: bool
) -> str:
    sizes = _attribute_sizes(definition)
    parts = []
    for port in definition.inputs:
        if port.kind == "optional" and absent:
            parts.append("None")
            continue
        element = port.element if isinstance(port.element, Dtype) else dtypes[port.element.name]
        if port.kind == "list":
            inner = [_tensor(_shape(port, sizes, named, (*rest, i + 1)), element) for i in range(2)]
            parts.append(f"[{', '.join(inner)}]")
        else:
            parts.append(_tensor(_shape(port, sizes, named, rest), element))
    for attribute in definition.attributes:
        parts.append(_VALUES[attribute.type] if attribute.required else repr(attribute.default))
    return f"[{', '.join(parts)}]"


def _attribute_sizes(definition: OperatorDef) -> dict[str, int]:
    """The sizes that int attributes name."""
    ints = [attribute for attribute in definition.attributes if attribute.type == "int"]
    return {one.name: 1 if one.required else int(one.default) for one in ints}


def _shape(port: Port, sizes: dict[str, int], named: tuple[int, ...], rest: tuple[int, ...]) -> list[int]:
    shape: list[int] = []
    for dim in port.dims:
        match dim:
            case Fixed(size):
                shape.append(size)
            case Named(name):
                if name not in sizes:
                    sizes[name] = named[len(sizes) % len(named)]
                shape.append(sizes[name])
            case AnySize():
                shape.append(named[0])
            case Rest():
                shape += rest
            case Computed(text):
                known = {name: sizes.setdefault(name, named[0]) for name in dimensions.names(text)}
                shape.append(int(dimensions.evaluate(text, known)))
    return shape


def _tensor(shape: list[int], element: Dtype) -> str:
    sizes = ", ".join(map(str, shape))
    dtype = f"torch.{element.torch}"
    name = "floats" if element.floating else "integers"
    return f"{name}({sizes}{', ' if shape else ''}dtype={dtype})"


def _runs(operator: Any, text: str) -> bool:
    """Whether the operator runs with these arguments."""
    import torch

    def integers(*shape: int, dtype: torch.dtype) -> torch.Tensor:
        return torch.randint(0, 2, shape).to(dtype)

    def floats(*shape: int, dtype: torch.dtype) -> torch.Tensor:
        return torch.randn(shape).to(dtype)

    def there(value: Any) -> Any:
        if isinstance(value, list):
            return [there(item) for item in value]
        return value.to("npu") if isinstance(value, torch.Tensor) else value

    values = eval(text, {"torch": torch, "integers": integers, "floats": floats})
    definition: OperatorDef = operator.definition
    count = len(definition.inputs)
    inputs = [there(value) for value in values[:count]]
    attributes = dict(zip((a.name for a in definition.attributes), values[count:], strict=True))
    try:
        operator(*inputs, **attributes)
    except (FerrataError, RuntimeError, ValueError, TypeError):
        return False
    return True
