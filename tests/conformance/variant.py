"""A variant: one API, form and combination of types, the C++ that calls it, and how its cases are drawn.

`call` writes the C++ from the registry's declaration, parameter by parameter, so that a declaration which the headers
do not have shows as a missing variant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ferrata.lang.api import Api, Form
from tests.conformance.plan import Case, Plan


@dataclass(frozen=True)
class Variant:
    """One row of the suite."""

    api: str  # id of the registry row
    form: str
    types: tuple[str, ...]
    call: str
    draw: Callable[[Plan], Case]
    detail: str = ""

    @property
    def id(self) -> str:
        """A name for reports and for the test."""
        return "/".join(part for part in (self.api, self.form, "-".join(self.types), self.detail) if part)


# Stride slots by parameter name: dst, src0, src1 block strides, then the repeat strides.
STRIDE_SLOTS = {
    "dstBlkStride": 0,
    "dstBlockStride": 0,
    "srcBlkStride": 1,
    "dstRepStride": 3,
    "dstRepeatStride": 3,
    "srcRepStride": 4,
}
PARAMS = {
    "UnaryRepeatParams": (0, 1, 3, 4),
    "BinaryRepeatParams": (0, 1, 2, 3, 4, 5),
    "CopyRepeatParams": (0, 1, 3, 4),
    "BrcbRepeatParams": (0, 3),
    "GatherRepeatParams": (0, 3),
}


def letters(api: Api, types: Sequence[str]) -> dict[str, str]:
    """Template letters to types."""
    return dict(zip(next(iter(api.dtypes.values())).letters, types, strict=True))


def substitute(text: str, names: Mapping[str, str]) -> str:
    """Replace template letters by types."""
    return re.sub(r"\b([A-Z])\b", lambda m: names.get(m[1], m[1]), text)


def call(
    api: Api,
    form: Form,
    types: Sequence[str],
    explicit: str = "",
    given: Mapping[str, str] | None = None,
) -> str:
    """The C++ statement. `explicit`: template arguments to write; `given`: expressions for parameters by name."""
    names = letters(api, types)
    tensor = 0
    arguments = []
    for param in form.params:
        kind = substitute(param.type, names)
        if given and param.name in given:
            expression = given[param.name]
            tensor += "LocalTensor<" in kind
        elif match := re.fullmatch(r"(?:const )?LocalTensor<(\w+)>&?", kind):
            expression = f"c.t<{match[1]}>({tensor})"
            tensor += 1
        elif param.role == "mask":
            expression = "c.mask" if "[" in kind else "c.mask[0]"
        elif param.role == "count":
            expression = "c.count()"
        elif param.role == "repeat":
            expression = "c.repeat()"
        elif param.role == "scalar":
            expression = f"c.scalar<{re.sub('const|&', '', kind).strip()}>()"
        elif param.name in STRIDE_SLOTS:
            expression = f"c.s({STRIDE_SLOTS[param.name]})"
        elif match := re.search(r"(\w+RepeatParams)", kind):
            expression = f"{match[1]}({', '.join(f'c.s({slot})' for slot in PARAMS[match[1]])})"
        elif "CMPMODE" in kind:
            expression = "compare_mode(c.mode())"
        elif "RoundMode" in kind:
            expression = "static_cast<RoundMode>(c.mode())"
        elif "ReduceOrder" in kind:
            expression = "reduce_order(c.mode())"
        elif "SELMODE" in kind:
            expression = "static_cast<SELMODE>(c.mode())"
        elif param.default is not None:
            continue
        else:
            raise ValueError(f"{api.id}: no expression for {param}")
        arguments.append(expression)
    return f"{api.name}{f'<{explicit}>' if explicit else ''}({', '.join(arguments)});"
