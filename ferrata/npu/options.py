"""Settings of `torch.npu` that tune hardware: accepted, checked and kept, without effect on the emulated device."""

from __future__ import annotations

import enum
import itertools
import re
import warnings
from typing import Any, ClassVar

import torch

from ferrata.errors import BadOption, BadSetting
from ferrata.npu.devices import Device, get_device_properties, index_of

# Keys of set_option: compile options of the ACL runtime by their own names, and the settings of this module.
OPTION_KEY = re.compile(r"ACL_[A-Z0-9_]+|jit_?[cC]ompile|allow_internal_format|deterministic|(CONV|MATMUL)_ALLOW_HF32")


class CubeMathType(enum.IntEnum):
    """How matrix products treat float32 inputs."""

    KEEP_DTYPE = 0
    ALLOW_FP32_DOWN_PRECISION = 1
    USE_FP16 = 2
    USE_HF32 = 3


class _Settings:
    """A namespace of checked attributes: an unknown name is AttributeError, a wrong type BadOption."""

    _types: dict[str, type]
    _where: str

    def __init__(self, where: str, **defaults: Any) -> None:
        object.__setattr__(self, "_where", where)
        object.__setattr__(self, "_types", {name: type(value) for name, value in defaults.items()})
        for name, value in defaults.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self._types.get(name)
        if kind is None:
            raise AttributeError(f"{self._where} has no setting {name!r}; it has {', '.join(self._types)}")
        if issubclass(kind, enum.IntEnum):
            if value not in list(kind):
                raise BadOption(
                    where=f"{self._where}.{name}", problem=f"got {value!r}", allowed=", ".join(kind.__members__)
                )
            value = kind(value)
        elif not isinstance(value, kind):
            raise BadOption(where=f"{self._where}.{name}", problem=f"got {value!r}", allowed=kind.__name__)
        object.__setattr__(self, name, value)


config = _Settings("torch.npu.config", allow_internal_format=False)
matmul = _Settings("torch.npu.matmul", allow_hf32=False, cube_math_type=CubeMathType.KEEP_DTYPE)
conv = _Settings("torch.npu.conv", allow_hf32=True)

_state: dict[str, Any] = {
    "options": {}, "jit_compile": False, "aoe": None, "mm_bmm_nd": True, "sync_debug": 0, "task_queue": 1,
    "op_timeout_ms": None, "deterministic_level": 0, "deterministic_with_backward": False,
}  # fmt: skip
_device_limits: dict[int, dict[str, int]] = {}
_stream_limits: dict[tuple[int, int], dict[str, int]] = {}


def set_option(option: dict[str, Any]) -> None:
    """Keep compiler and runtime options. Raises BadOption for an unknown key."""
    if not isinstance(option, dict):
        raise TypeError("npu option must be a dict")
    for key in option:
        if not isinstance(key, str) or not OPTION_KEY.fullmatch(key):
            raise BadOption(
                where="torch.npu.set_option", problem=f"unknown key {key!r}",
                allowed="ACL_*, jit_compile, allow_internal_format, deterministic, CONV_ALLOW_HF32, MATMUL_ALLOW_HF32",
            )  # fmt: skip
    _state["options"].update(option)


def set_compile_mode(jit_compile: bool = False) -> None:
    """Keep whether operators would be compiled at run time."""
    _state["jit_compile"] = bool(jit_compile)


def is_jit_compile_false() -> bool:
    """True unless set_compile_mode(jit_compile=True)."""
    return not _state["jit_compile"]


def set_aoe(dump_path: str) -> None:
    """Keep the folder for tuning graphs; none are written."""
    _state["aoe"] = dump_path


def set_mm_bmm_format_nd(is_nd: bool) -> None:
    """Keep whether matrix products use plain layout; they always do."""
    if not isinstance(is_nd, bool):
        raise TypeError("set_mm_bmm_format_nd takes a bool")
    _state["mm_bmm_nd"] = is_nd


def get_mm_bmm_format_nd() -> bool:
    """What set_mm_bmm_format_nd set; True at first."""
    return bool(_state["mm_bmm_nd"])


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Keep the mode: 0 or "default", 1 or "warn", 2 or "error". Raises BadSetting for anything else."""
    names = {"default": 0, "warn": 1, "error": 2}
    mode = names.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if mode not in (0, 1, 2):
        raise BadSetting(
            where="torch.npu.set_sync_debug_mode",
            problem=f"got {debug_mode!r}",
            allowed="default, warn, error, 0, 1, 2",
        )
    _state["sync_debug"] = mode


def get_sync_debug_mode() -> int:
    """0, 1 or 2."""
    return int(_state["sync_debug"])


def set_task_queue_enable(level: int) -> None:
    """Keep the level, 0, 1 or 2; launches are synchronous."""
    if level not in (0, 1, 2):
        raise BadSetting(where="torch.npu.set_task_queue_enable", problem=f"got {level!r}", allowed="0, 1, 2")
    _state["task_queue"] = level


def get_task_queue_enable() -> int:
    """What set_task_queue_enable set; 1 at first."""
    return int(_state["task_queue"])


def _core_limits(where: str, cube_num: int, vector_num: int) -> dict[str, int]:
    for name, value in (("cube_num", cube_num), ("vector_num", vector_num)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{where}: {name} must be an int, not {type(value).__name__}")
    chip = get_device_properties()
    cube, vector = chip.cube_core_num, chip.vector_core_num
    return {
        "cube_core_num": cube if cube_num < 0 else min(cube_num, cube),
        "vector_core_num": vector if vector_num < 0 else min(vector_num, vector),
    }


def _checked_device(device: Device) -> int:
    try:
        return index_of(device)
    except (RuntimeError, ValueError) as problem:
        raise AssertionError(str(problem)) from None


def set_device_limit(device: Device, cube_num: int = -1, vector_num: int = -1) -> None:
    """Keep how many cores a device may use; the first call for a device counts, -1 means all."""
    limits, index = _core_limits("set_device_limit", cube_num, vector_num), _checked_device(device)
    if index in _device_limits:
        warnings.warn(f"the limit of npu:{index} was set before; it takes effect once per process", stacklevel=2)
    _device_limits.setdefault(index, limits)


def get_device_limit(device: Device) -> dict[str, int]:
    """{"cube_core_num": n, "vector_core_num": m} of a device."""
    return dict(_device_limits.get(_checked_device(device)) or _core_limits("get_device_limit", -1, -1))


def set_stream_limit(stream: torch.Stream, cube_num: int = -1, vector_num: int = -1) -> None:
    """Keep how many cores a stream may use; -1 means all."""
    _stream_limits[_stream_key(stream)] = _core_limits("set_stream_limit", cube_num, vector_num)


def get_stream_limit(stream: torch.Stream) -> dict[str, int]:
    """{"cube_core_num": n, "vector_core_num": m} of a stream; its device's when none was set."""
    return dict(_stream_limits.get(_stream_key(stream)) or get_device_limit(stream.device_index))


def reset_stream_limit(stream: torch.Stream) -> None:
    """Forget the stream's limit."""
    _stream_limits.pop(_stream_key(stream), None)


def _stream_key(stream: torch.Stream) -> tuple[int, int]:
    if not isinstance(stream, torch.Stream):
        raise TypeError(f"expected a torch.npu.Stream, not {type(stream).__name__}")
    return stream.device_index, stream.stream_id


def set_op_timeout_ms(timeout: int) -> None:
    """Keep the time-out of a kernel; the emulator has none, deadlocks are found as such."""
    if not isinstance(timeout, int) or timeout < 0:
        raise BadSetting(where="torch.npu.set_op_timeout_ms", problem=f"got {timeout!r}", allowed="milliseconds >= 0")
    _state["op_timeout_ms"] = timeout


def enable_deterministic_with_backward(*args: Any) -> Any:
    """Keep the setting; execution is deterministic. Returns its argument, as the decorator form does."""
    _state["deterministic_with_backward"] = True
    return args[0] if args else None


def disable_deterministic_with_backward(*args: Any) -> Any:
    """Undo enable_deterministic_with_backward."""
    _state["deterministic_with_backward"] = False
    return args[0] if args else None


def set_deterministic_level(level: int) -> None:
    """Keep the level, 0 to 3; 0 also turns torch's deterministic algorithms off, others turn them on."""
    if level not in (0, 1, 2, 3):
        raise BadSetting(where="torch.npu.set_deterministic_level", problem=f"got {level!r}", allowed="0, 1, 2, 3")
    _state["deterministic_level"] = level
    torch.use_deterministic_algorithms(level > 0)


def utilization(device: Device = None) -> int:
    """0: the emulated device has no counter of its load."""
    index_of(device)
    return 0


def init_dump() -> None:
    """Accepted; eager operators are not dumped."""


def set_dump(path_to_json: str) -> None:
    """Accepted; eager operators are not dumped."""


def finalize_dump() -> None:
    """Accepted; eager operators are not dumped."""


class mstx:
    """Markers for the profiler: kept in torch's own profiler as record_function ranges where it runs.

    Called on the class, `torch.npu.mstx.mark("x")`, or on an object of it.
    """

    _open: ClassVar[dict[int, Any]] = {}
    _numbers = itertools.count(1)

    @staticmethod
    def mark(message: str, stream: Any = None, domain: str = "default") -> None:
        """A point in time."""
        with torch.profiler.record_function(message):
            pass

    @staticmethod
    def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
        """Start a range; returns its number."""
        number = next(mstx._numbers)
        mstx._open[number] = torch.profiler.record_function(message)
        mstx._open[number].__enter__()
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """End a range."""
        opened = mstx._open.pop(range_id, None)
        if opened is not None:
            opened.__exit__(None, None, None)

    @staticmethod
    def mstx_range(message: str, stream: Any = None, domain: str = "default") -> Any:
        """Decorator: the function's calls are ranges."""
        return torch.profiler.record_function(message)


def super_kernel_scope_begin(scope: str, options: str = "") -> None:
    """Accepted without effect."""


def super_kernel_scope_end(scope: str) -> None:
    """Accepted without effect."""
