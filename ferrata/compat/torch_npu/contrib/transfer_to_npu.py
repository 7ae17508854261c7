"""Importing this module lets a program written for CUDA run on the npu device."""

from ferrata.npu.transfer import transfer

transfer()
