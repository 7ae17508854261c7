"""The numbers of GE: data types, formats, and their way to torch.

The table itself is `ferrata.dtypes`; here it meets torch's dtypes.
"""

from __future__ import annotations

import enum
from typing import Any

import torch

from ferrata import errors
from ferrata.dtypes import ALIASES, DTYPES, Row
from ferrata.dtypes import DataType as DataType


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

_BY_NUMBER: dict[int, Row] = {int(row.type): row for row in DTYPES}
_TORCH: dict[int, torch.dtype] = {int(row.type): getattr(torch, row.torch) for row in DTYPES if row.torch is not None}
_BY_TORCH = {dtype: number for number, dtype in _TORCH.items()}
_BY_NAME = {name: int(number) for name, number in [*((row.name, row.type) for row in DTYPES), *ALIASES.items()]}
_BY_NAME.update({name[3:]: number for name, number in list(_BY_NAME.items())})


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
    dtype = _TORCH.get(int(number))
    if dtype is None:
        raise errors.DtypeUnknown(dtype=f"GE data type {dtype_name(number)}", known="")
    return dtype


def dtype_name(number: int) -> str:
    """`DT_FLOAT` for 0; for an unknown number the number itself."""
    row = _BY_NUMBER.get(int(number))
    return row.name if row else f"DT_{number}"


def short_name(number: int) -> str:
    """`f32` for 0: what the readable dump prints."""
    row = _BY_NUMBER.get(int(number))
    return row.short if row else f"dt{number}"


def proto_dtype(number: int) -> int:
    """The number in serialised descriptors; 0 (undefined) if that enumeration lacks the type."""
    row = _BY_NUMBER.get(int(number))
    return 0 if row is None else row.proto
