"""The chips that ferrata emulates: one row each, the only place where a size of a chip stands.

C++ reads the same numbers from `ferrata/native/include/ferrata/chips.h`, which is generated from this table
(`ferrata.native.build` writes it; a test compares the two).
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Chip:
    """Sizes in bytes, counts in units of cores; `arch` is the `--npu-arch` value."""

    arch: str
    npu_arch: int  # value of __NPU_ARCH__
    soc: str  # device name that the emulated part reports
    cube_cores: int
    vector_cores: int
    ub: int
    ub_reserved: int  # framework bytes that no kernel may use
    ub_scratch: int  # scratch that some APIs use at the top, freed by --cce-disable-asc-reserved-ubuf
    l1: int
    l0a: int
    l0b: int
    l0c: int
    bias: int
    fixpipe: int
    memory: int  # device memory that mem_get_info reports


DAV_2201 = Chip(
    arch="dav-2201",
    npu_arch=2201,
    soc="Ascend910B3",
    cube_cores=24,
    vector_cores=48,
    ub=192 * 1024,
    ub_reserved=256,
    ub_scratch=8 * 1024,
    l1=512 * 1024,
    l0a=64 * 1024,
    l0b=64 * 1024,
    l0c=128 * 1024,
    bias=1024,
    fixpipe=2048,
    memory=64 << 30,
)

DAV_3510 = Chip(
    arch="dav-3510",
    npu_arch=3510,
    soc="Ascend950PR",
    cube_cores=32,
    vector_cores=64,
    ub=256 * 1024,
    ub_reserved=0,
    ub_scratch=8 * 1024,
    l1=512 * 1024,
    l0a=64 * 1024,
    l0b=64 * 1024,
    l0c=256 * 1024,
    bias=4096,
    fixpipe=4096,
    memory=128 << 30,
)

CHIPS: dict[str, Chip] = {chip.arch: chip for chip in (DAV_2201, DAV_3510)}
DEFAULT_ARCH = "dav-2201"


def current() -> Chip:
    """The chip that the emulated device reports: `FERRATA_NPU_ARCH`, else dav-2201.

    Raises UnknownChip when the variable names none of `CHIPS`.
    """
    arch = os.environ.get("FERRATA_NPU_ARCH", DEFAULT_ARCH)
    if arch not in CHIPS:
        from ferrata.errors import UnknownChip

        raise UnknownChip(arch=arch, known=", ".join(CHIPS))
    return CHIPS[arch]
