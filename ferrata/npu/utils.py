"""`torch.npu.utils`: questions that programs ask about the software and the part they run on."""

from __future__ import annotations

import re
from typing import Any

import torch

from ferrata import __version__, chips
from ferrata.errors import BadSetting
from ferrata.npu.devices import get_device_name

CANN_MODULES = ("CANN", "RUNTIME", "COMPILER", "HCCL", "TOOLKIT", "OPP", "OPP_KERNEL", "DRIVER")
EMULATED_CANN = f"9.0.0.ferrata{__version__}"
_SOC_VERSIONS = {"dav-2201": 222, "dav-3510": 260}  # numbers of the emulated parts, by which libraries branch


def get_cann_version(module: str = "CANN") -> str:
    """A version text that says `ferrata`: there is no toolkit."""
    if module not in CANN_MODULES:
        raise BadSetting(
            where="get_cann_version", problem=f"unknown module {module!r}", allowed=", ".join(CANN_MODULES)
        )
    return EMULATED_CANN


def _is_gte_cann_version(version: str, module: str = "CANN") -> bool:
    """Whether the emulated toolkit's version is at least `version`."""

    def numbers(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text.split(".ferrata")[0])[:3]]

    return numbers(get_cann_version(module)) >= numbers(version)


def get_soc_version() -> int:
    """A fixed number for the emulated part."""
    return _SOC_VERSIONS[chips.current().arch]


def is_support_inf_nan() -> bool:
    """True: inf and NaN are kept."""
    return True


def npu_check_overflow(grad: Any) -> bool:
    """Whether a tensor or number has an inf or a NaN."""
    if isinstance(grad, torch.Tensor):
        return not bool(torch.isfinite(grad.float()).all())
    number = float(grad)
    return number != number or number in (float("inf"), float("-inf"))


def get_npu_overflow_flag() -> bool:
    """Refused on parts that keep inf and NaN, as on hardware."""
    raise BadSetting(
        where="get_npu_overflow_flag", problem=f"{get_device_name()} has no overflow flag", allowed="npu_check_overflow"
    )


def clear_npu_overflow_flag() -> None:
    """Refused on parts that keep inf and NaN, as on hardware."""
    raise BadSetting(
        where="clear_npu_overflow_flag", problem=f"{get_device_name()} has no overflow flag", allowed="nothing to clear"
    )
