"""torch_npu.profiler: re-exports."""

from ferrata.npu.profiler import *  # noqa: F403
from ferrata.npu.profiler import _ExperimentalConfig  # noqa: F401
