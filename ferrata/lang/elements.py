"""Element types of the kernel language: `ac.f16`, and variables over them, `ac.dtype_var("T", ac.f16, ac.f32)`.

A kernel with a variable becomes a template; a call with tensors binds it. The C++ names are those of the registry's
rows. This file stands below the translator and above the table of data types.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ferrata.dtypes import DTYPES, DataType


@dataclass(frozen=True)
class Dtype:
    """One element type. name: as in `ac.f16`; cpp: in Ascend C; bytes: per element (0.5 for int4)."""

    name: str
    cpp: str
    type: DataType
    bytes: float
    floating: bool = False

    def __repr__(self) -> str:
        return f"ac.{self.name}"

    @property
    def torch(self) -> str | None:
        """The name of the dtype in torch, None where torch has none."""
        return next(row.torch for row in DTYPES if row.type == self.type)


f16 = Dtype("f16", "half", DataType.DT_FLOAT16, 2, True)
bf16 = Dtype("bf16", "bfloat16_t", DataType.DT_BF16, 2, True)
f32 = Dtype("f32", "float", DataType.DT_FLOAT, 4, True)
i4 = Dtype("i4", "int4b_t", DataType.DT_INT4, 0.5)
i8 = Dtype("i8", "int8_t", DataType.DT_INT8, 1)
u8 = Dtype("u8", "uint8_t", DataType.DT_UINT8, 1)
i16 = Dtype("i16", "int16_t", DataType.DT_INT16, 2)
u16 = Dtype("u16", "uint16_t", DataType.DT_UINT16, 2)
i32 = Dtype("i32", "int32_t", DataType.DT_INT32, 4)
u32 = Dtype("u32", "uint32_t", DataType.DT_UINT32, 4)
i64 = Dtype("i64", "int64_t", DataType.DT_INT64, 8)
u64 = Dtype("u64", "uint64_t", DataType.DT_UINT64, 8)
boolean = Dtype("boolean", "bool", DataType.DT_BOOL, 1)

ALL: tuple[Dtype, ...] = (f16, bf16, f32, i4, i8, u8, i16, u16, i32, u32, i64, u64, boolean)


@dataclass(frozen=True)
class DtypeVar:
    """A variable over element types; a kernel that uses it is a template with a parameter of this name."""

    name: str
    allowed: tuple[Dtype, ...]

    def __repr__(self) -> str:
        return self.name

    @property
    def cpp(self) -> str:
        return self.name


Element = Dtype | DtypeVar


def dtype_var(name: str, *allowed: Dtype) -> DtypeVar:
    """A variable over the given element types; over all of them when none is given."""
    if not name.isidentifier():
        raise ValueError(f"a dtype variable's name is a C++ identifier, not {name!r}")
    return DtypeVar(name, allowed or ALL)


def choices(element: Element) -> tuple[Dtype, ...]:
    """The element types that it can be."""
    return element.allowed if isinstance(element, DtypeVar) else (element,)


@cache
def by_torch(name: str) -> Dtype | None:
    """The element type of a torch dtype's name ("float16"), None where kernels have none."""
    return next((dtype for dtype in ALL if dtype.torch == name), None)


@cache
def by_cpp(name: str) -> Dtype | None:
    """The element type of a C++ name of the registry ("half")."""
    return next((dtype for dtype in ALL if dtype.cpp == name), None)


def meant(obj: object) -> Dtype | None:
    """The element type that an object of another kind names: "float32", torch.float32, np.float32, float; None if it does
    not name one."""
    text = obj if isinstance(obj, str) else obj.__name__ if isinstance(obj, type) else str(obj)
    name = text.rpartition(".")[2]
    others = {"float": f32, "half": f16, "double": None, "int": i32, "fp16": f16, "fp32": f32, "bool": boolean}
    return next((d for d in ALL if name in (d.name, d.cpp, d.torch)), others.get(name))
