"""The numbers of GE: data types, formats, and their way to torch.

Two numberings exist. `DataType` is that of the C++ and Python interfaces; `PROTO` that of serialised descriptors.
They differ and are converted by name. The table `_ROWS` is the only place that knows either.
"""

from __future__ import annotations

import enum
from typing import Any

import torch

from ferrata import errors

# name, DataType number, proto number (None: not in the proto enumeration), torch dtype, short text
_ROWS: tuple[tuple[str, int, int | None, torch.dtype | None, str], ...] = (
    ("DT_FLOAT", 0, 1, torch.float32, "f32"),
    ("DT_FLOAT16", 1, 2, torch.float16, "f16"),
    ("DT_INT8", 2, 3, torch.int8, "i8"),
    ("DT_INT32", 3, 7, torch.int32, "i32"),
    ("DT_UINT8", 4, 4, torch.uint8, "u8"),
    ("DT_INT16", 6, 5, torch.int16, "i16"),
    ("DT_UINT16", 7, 6, torch.uint16, "u16"),
    ("DT_UINT32", 8, 9, torch.uint32, "u32"),
    ("DT_INT64", 9, 8, torch.int64, "i64"),
    ("DT_UINT64", 10, 10, torch.uint64, "u64"),
    ("DT_DOUBLE", 11, 12, torch.float64, "f64"),
    ("DT_BOOL", 12, 11, torch.bool, "bool"),
    ("DT_STRING", 13, 13, None, "str"),
    ("DT_DUAL_SUB_INT8", 14, 14, None, "dual_sub_i8"),
    ("DT_DUAL_SUB_UINT8", 15, 15, None, "dual_sub_u8"),
    ("DT_COMPLEX64", 16, 16, torch.complex64, "c64"),
    ("DT_COMPLEX128", 17, 17, torch.complex128, "c128"),
    ("DT_QINT8", 18, 18, torch.qint8, "qi8"),
    ("DT_QINT16", 19, 19, None, "qi16"),
    ("DT_QINT32", 20, 20, torch.qint32, "qi32"),
    ("DT_QUINT8", 21, 21, torch.quint8, "qu8"),
    ("DT_QUINT16", 22, 22, None, "qu16"),
    ("DT_RESOURCE", 23, 23, None, "resource"),
    ("DT_STRING_REF", 24, 24, None, "str_ref"),
    ("DT_DUAL", 25, 25, None, "dual"),
    ("DT_VARIANT", 26, 26, None, "variant"),
    ("DT_BF16", 27, 27, torch.bfloat16, "bf16"),
    ("DT_UNDEFINED", 28, 0, None, "?"),
    ("DT_INT4", 29, 28, None, "i4"),
    ("DT_UINT1", 30, 29, None, "u1"),
    ("DT_INT2", 31, 30, None, "i2"),
    ("DT_UINT2", 32, 31, None, "u2"),
    ("DT_COMPLEX32", 33, 32, torch.complex32, "c32"),
    ("DT_HIFLOAT8", 34, 33, None, "hif8"),
    ("DT_FLOAT8_E5M2", 35, 34, torch.float8_e5m2, "f8e5m2"),
    ("DT_FLOAT8_E4M3FN", 36, 35, torch.float8_e4m3fn, "f8e4m3"),
    ("DT_FLOAT8_E8M0", 37, 36, torch.float8_e8m0fnu, "f8e8m0"),
    ("DT_FLOAT6_E3M2", 38, 37, None, "f6e3m2"),
    ("DT_FLOAT6_E2M3", 39, 38, None, "f6e2m3"),
    ("DT_FLOAT4_E2M1", 40, 39, None, "f4e2m1"),
    ("DT_FLOAT4_E1M2", 41, 40, None, "f4e1m2"),
)


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


class Format(enum.IntEnum):
    """GE tensor formats that the Python interface names."""

    FORMAT_UNDEFINED = -1
    FORMAT_NCHW = 0
    FORMAT_NHWC = 1
    FORMAT_ND = 2
    FORMAT_NC1HWC0 = 3
    FORMAT_FRACTAL_Z = 4
    FORMAT_NC1HWC0_C04 = 12
    FORMAT_HWCN = 16
    FORMAT_NDHWC = 27
    FORMAT_FRACTAL_NZ = 29
    FORMAT_NCDHW = 30
    FORMAT_NDC1HWC0 = 32
    FORMAT_FRACTAL_Z_3D = 33
    FORMAT_NC = 35
    FORMAT_NCL = 47
    FORMAT_FRACTAL_NZ_C0_16 = 50
    FORMAT_FRACTAL_NZ_C0_2 = 52
    FORMAT_FRACTAL_NZ_C0_4 = 53
    FORMAT_FRACTAL_NZ_C0_8 = 54


UNDEFINED = int(DataType.DT_UNDEFINED)

_BY_NUMBER = {number: (name, proto, dtype, short) for name, number, proto, dtype, short in _ROWS}
_BY_TORCH = {dtype: number for _, number, _, dtype, _ in _ROWS if dtype is not None}
_BY_NAME = {name: number for name, number, *_ in _ROWS}
_BY_NAME.update({name[3:]: number for name, number, *_ in _ROWS})
_BY_NAME["DT_BFLOAT16"] = _BY_NAME["BFLOAT16"] = 27
_BY_NAME["DT_FLOAT32"] = _BY_NAME["FLOAT32"] = 0


def ge_dtype(dtype: Any) -> int:
    """The GE number of a torch dtype, a `DataType`, a number or a name ("FLOAT", "DT_FLOAT").

    Raises DtypeUnknown.
    """
    if isinstance(dtype, torch.dtype):
        number = _BY_TORCH.get(dtype)
    elif isinstance(dtype, str):
        number = _BY_NAME.get(dtype.upper())
    elif isinstance(dtype, int) and not isinstance(dtype, bool):
        number = int(dtype) if int(dtype) in _BY_NUMBER else None
    else:
        number = None
    if number is None:
        raise errors.DtypeUnknown(dtype=dtype, known=", ".join(sorted(str(t) for t in _BY_TORCH)))
    return number


def torch_dtype(number: int) -> torch.dtype:
    """The torch dtype of a GE number. Raises DtypeUnknown where torch has none."""
    row = _BY_NUMBER.get(int(number))
    if row is None or row[2] is None:
        raise errors.DtypeUnknown(dtype=f"GE data type {dtype_name(number)}", known="")
    return row[2]


def dtype_name(number: int) -> str:
    """`DT_FLOAT` for 0; for an unknown number the number itself."""
    row = _BY_NUMBER.get(int(number))
    return row[0] if row else f"DT_{number}"


def short_name(number: int) -> str:
    """`f32` for 0: what the readable dump prints."""
    row = _BY_NUMBER.get(int(number))
    return row[3] if row else f"dt{number}"


def proto_dtype(number: int) -> int:
    """The number in serialised descriptors; 0 (undefined) if that enumeration lacks the type."""
    row = _BY_NUMBER.get(int(number))
    return 0 if row is None or row[1] is None else row[1]
