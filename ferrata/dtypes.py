"""The table of data types: GE's number, the number in serialised descriptors, torch's name, the short text of dumps.

Two numberings exist. `DataType` is that of the C++ and Python interfaces; `proto` that of serialised descriptors. They
differ and are converted by name. This table is the only place that knows either; nothing here imports torch.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class DataType(enum.IntEnum):
    """GE data types by their number; `DT_MAX` is a bound, not a type."""

    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_STRING = 13
    DT_DUAL_SUB_INT8 = 14
    DT_DUAL_SUB_UINT8 = 15
    DT_COMPLEX64 = 16
    DT_COMPLEX128 = 17
    DT_QINT8 = 18
    DT_QINT16 = 19
    DT_QINT32 = 20
    DT_QUINT8 = 21
    DT_QUINT16 = 22
    DT_RESOURCE = 23
    DT_STRING_REF = 24
    DT_DUAL = 25
    DT_VARIANT = 26
    DT_BF16 = 27
    DT_UNDEFINED = 28
    DT_INT4 = 29
    DT_UINT1 = 30
    DT_INT2 = 31
    DT_UINT2 = 32
    DT_COMPLEX32 = 33
    DT_HIFLOAT8 = 34
    DT_FLOAT8_E5M2 = 35
    DT_FLOAT8_E4M3FN = 36
    DT_FLOAT8_E8M0 = 37
    DT_FLOAT6_E3M2 = 38
    DT_FLOAT6_E2M3 = 39
    DT_FLOAT4_E2M1 = 40
    DT_FLOAT4_E1M2 = 41
    DT_MAX = 42


@dataclass(frozen=True)
class Row:
    """One data type. torch: the name of the dtype in `torch`, None where torch has none."""

    type: DataType
    proto: int
    torch: str | None
    short: str

    @property
    def name(self) -> str:
        """`DT_FLOAT`, as GE spells it."""
        return self.type.name


DTYPES: tuple[Row, ...] = (
    Row(DataType.DT_FLOAT, 1, "float32", "f32"),
    Row(DataType.DT_FLOAT16, 2, "float16", "f16"),
    Row(DataType.DT_INT8, 3, "int8", "i8"),
    Row(DataType.DT_INT32, 7, "int32", "i32"),
    Row(DataType.DT_UINT8, 4, "uint8", "u8"),
    Row(DataType.DT_INT16, 5, "int16", "i16"),
    Row(DataType.DT_UINT16, 6, "uint16", "u16"),
    Row(DataType.DT_UINT32, 9, "uint32", "u32"),
    Row(DataType.DT_INT64, 8, "int64", "i64"),
    Row(DataType.DT_UINT64, 10, "uint64", "u64"),
    Row(DataType.DT_DOUBLE, 12, "float64", "f64"),
    Row(DataType.DT_BOOL, 11, "bool", "bool"),
    Row(DataType.DT_STRING, 13, None, "str"),
    Row(DataType.DT_DUAL_SUB_INT8, 14, None, "dual_sub_i8"),
    Row(DataType.DT_DUAL_SUB_UINT8, 15, None, "dual_sub_u8"),
    Row(DataType.DT_COMPLEX64, 16, "complex64", "c64"),
    Row(DataType.DT_COMPLEX128, 17, "complex128", "c128"),
    Row(DataType.DT_QINT8, 18, "qint8", "qi8"),
    Row(DataType.DT_QINT16, 19, None, "qi16"),
    Row(DataType.DT_QINT32, 20, "qint32", "qi32"),
    Row(DataType.DT_QUINT8, 21, "quint8", "qu8"),
    Row(DataType.DT_QUINT16, 22, None, "qu16"),
    Row(DataType.DT_RESOURCE, 23, None, "resource"),
    Row(DataType.DT_STRING_REF, 24, None, "str_ref"),
    Row(DataType.DT_DUAL, 25, None, "dual"),
    Row(DataType.DT_VARIANT, 26, None, "variant"),
    Row(DataType.DT_BF16, 27, "bfloat16", "bf16"),
    Row(DataType.DT_UNDEFINED, 0, None, "?"),
    Row(DataType.DT_INT4, 28, None, "i4"),
    Row(DataType.DT_UINT1, 29, None, "u1"),
    Row(DataType.DT_INT2, 30, None, "i2"),
    Row(DataType.DT_UINT2, 31, None, "u2"),
    Row(DataType.DT_COMPLEX32, 32, "complex32", "c32"),
    Row(DataType.DT_HIFLOAT8, 33, None, "hif8"),
    Row(DataType.DT_FLOAT8_E5M2, 34, "float8_e5m2", "f8e5m2"),
    Row(DataType.DT_FLOAT8_E4M3FN, 35, "float8_e4m3fn", "f8e4m3"),
    Row(DataType.DT_FLOAT8_E8M0, 36, "float8_e8m0fnu", "f8e8m0"),
    Row(DataType.DT_FLOAT6_E3M2, 37, None, "f6e3m2"),
    Row(DataType.DT_FLOAT6_E2M3, 38, None, "f6e2m3"),
    Row(DataType.DT_FLOAT4_E2M1, 39, None, "f4e2m1"),
    Row(DataType.DT_FLOAT4_E1M2, 40, None, "f4e1m2"),
)

ALIASES = {"DT_BFLOAT16": DataType.DT_BF16, "DT_FLOAT32": DataType.DT_FLOAT}  # spellings that interfaces also accept
