"""Run compiled kernels on the emulated cores: the library that does it, and what a fault looks like in Python."""

from ferrata.run.runtime import Runtime, runtime

__all__ = ["Runtime", "runtime"]
