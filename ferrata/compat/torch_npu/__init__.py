"""The import name `torch_npu`: the emulated device of ferrata under the vendor package's names. Re-exports only."""

import sys as _sys

import torch as _torch

import ferrata.npu as _device  # noqa: F401  (registers the device)
from ferrata import errors as _errors
from ferrata.npu import transfer as _transfer
from ferrata.npu.dtypes import *  # noqa: F403  (dtype symbols)
from ferrata.npu.formats import (  # noqa: F401
    Format,
    copy_memory_,
    empty_with_format,
    get_npu_format,
    get_storage_size,
    npu_broadcast,
    npu_dtype_cast,
    npu_format_cast,
    npu_format_cast_,
    npu_transpose,
    one_,
)
from ferrata.npu.load import alias_modules as _alias
from ferrata.npu.refused import FUNCTIONS as _REFUSED

__version__ = _torch.__version__.split("+")[0] + "+ferrata"

npu = _torch.npu
_sys.modules[__name__ + ".npu"] = npu
for _name in ("amp", "graphs", "memory", "options", "random", "streams", "utils"):
    _sys.modules[f"{__name__}.npu.{_name}"] = getattr(npu, _name)
_alias(__name__ + ".dynamo.torchair", "torchair")

npu.__path__ = []  # a package, so that the next line's names can be imported
for _name in (__name__ + ".npu", "torch.npu"):
    _alias(_name + ".npugraph_ex", "npugraph_ex")

from torch_npu import contrib, distributed, dynamo, optim, profiler, testing, utils  # noqa: E402, F401

for _name in ("erase_stream", "matmul_checksum", "HiFloat8Tensor"):
    globals()[_name] = _REFUSED[_name]


def _autoload():
    """Entry point torch.backends: importing this package has done all."""


def __getattr__(name):
    """Operators of the namespace `npu` that a library brings: torch_npu.<name> is torch.ops.npu.<name>."""
    if name.startswith("__"):
        raise AttributeError(name)
    if hasattr(_torch.ops.npu, name):
        return getattr(_torch.ops.npu, name)
    if name in _REFUSED:  # transformers imports npu_fusion_attention wherever torch_npu is
        return _REFUSED[name]
    if name.startswith(("npu_", "_npu_")):  # a probe with hasattr says no, a call says what is missing
        raise _errors.OperatorAbsent(op=name)
    raise AttributeError(
        f"module 'torch_npu' has no attribute {name!r}: neither a function of the emulated device nor an operator "
        f"torch.ops.npu.{name} that a loaded library defines"
    )


def _of_npu(name, _next=npu.__getattr__):
    """torch.npu.npugraph_ex is the package of that name; it loads the graph side, hence only when asked for."""
    if name == "npugraph_ex":
        import npugraph_ex

        return npugraph_ex
    return _next(name)


npu.__getattr__ = _of_npu

if _transfer.wanted():
    _transfer.transfer()
