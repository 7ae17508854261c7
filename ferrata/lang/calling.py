"""From Python arguments to a running kernel: the native entry of an instance, and what is wrong with its arguments.

The fast path is C++ (native/src/device/entry.cpp). A list of tensors takes a longer one: its descriptor, as kernels read
it, is written to device memory first.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ferrata.lang import parameters
from ferrata.lang.arguments import bad_argument
from ferrata.lang.declaration import Declaration, KernelParam
from ferrata.lang.elements import Dtype, DtypeVar

if TYPE_CHECKING:
    import torch

_NUMBERS = {"int": "i", "float": "f", "bool": "b", int: "i", float: "f", bool: "b"}


def runner(kernel: Declaration, dtypes: Mapping[str, Dtype], address: int, owner: Any) -> Callable[..., None]:
    """The callable run(cores, *args) of an instance. owner: kept alive as long as it is, the loaded library."""
    from ferrata.npu import extension

    slots = tuple(_slot(param, dtypes) for param in kernel.arguments)

    def refuse(index: int, value: Any) -> None:
        _refuse(kernel, dtypes, index, value)

    entry: Callable[..., None] = extension().Entry(address, slots, refuse, owner)
    lists = [at for at, param in enumerate(kernel.arguments) if param.kind == "gm_list"]
    if not lists:
        return entry

    def run(cores: int, *args: Any) -> None:
        if len(args) != len(kernel.arguments):
            refuse(-2, None)
        packed = list(args)
        for at in lists:
            packed[at] = descriptor(kernel, kernel.arguments[at], dtypes, args[at])
        entry(cores, *packed)

    return run


def element(param: KernelParam, dtypes: Mapping[str, Dtype]) -> Dtype | None:
    """The element type of a tensor parameter of an instance."""
    if isinstance(param.element, DtypeVar):
        return dtypes[param.element.name]
    return param.element


def torch_dtype(dtype: Dtype | None) -> Any:
    """torch's dtype, None for any: types that torch lacks travel as bytes."""
    import torch

    return getattr(torch, dtype.torch) if dtype is not None and dtype.torch is not None else None


def _slot(param: KernelParam, dtypes: Mapping[str, Dtype]) -> tuple[str, int, tuple[tuple[str, str], ...]]:
    if param.kind in ("gm", "gm_list"):
        wanted = torch_dtype(element(param, dtypes)) if param.kind == "gm" else None
        return "?" if param.optional else "t", -1 if wanted is None else _scalar_type(wanted), ()
    if param.kind == "struct":
        return "s", -1, tuple((name, _NUMBERS[kind]) for name, kind in parameters.fields_of(param.python) or ())
    return _NUMBERS[param.kind], -1, ()


def _scalar_type(dtype: Any) -> int:
    """The number that c10 has for a dtype."""
    import torch

    order = (
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
        torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.qint8, torch.quint8, torch.qint32,
        torch.bfloat16,
    )  # fmt: skip
    later = {torch.uint16: 27, torch.uint32: 28, torch.uint64: 29}
    return later[dtype] if dtype in later else order.index(dtype)


def descriptor(kernel: Declaration, param: KernelParam, dtypes: Mapping[str, Dtype], tensors: Any) -> torch.Tensor:
    """A list of tensors as ListTensorDesc reads it: offset of the addresses, each tensor's rank, index and sizes, addresses."""
    import torch

    if not isinstance(tensors, list | tuple):
        bad_argument(kernel, param.name, f"takes a list of npu tensors, not {type(tensors).__name__}")
    wanted = torch_dtype(element(param, dtypes))
    head, addresses = b"", b""
    for at, tensor in enumerate(tensors):
        problem = tensor_problem(tensor, wanted)
        if problem:
            bad_argument(kernel, param.name, f"item {at} {problem}")
        head += struct.pack(f"<II{tensor.dim()}Q", tensor.dim(), at, *tensor.shape)
        addresses += struct.pack("<Q", tensor.data_ptr() or 64)
    data = struct.pack("<Q", 8 + len(head)) + head + addresses
    device = tensors[0].device if tensors else "npu"
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).to(device)


def tensor_problem(tensor: Any, wanted: Any) -> str:
    """Why a kernel cannot take this as a tensor of dtype `wanted` (None: any); empty if it can."""
    import torch

    if not isinstance(tensor, torch.Tensor):
        planned = ": a plan returns kernel.launch(...)" if hasattr(tensor, "numel") else ""  # a plan's tensor
        return f"takes an npu tensor, not {type(tensor).__name__}{planned}"
    if tensor.device.type != "npu":
        return f"lies on {tensor.device}; kernels take npu tensors: .to('npu')"
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) and not tensor.is_contiguous():
        return f"is a {type(tensor).__name__}"
    if wanted is not None and tensor.dtype != wanted:
        return f"is {tensor.dtype}, and this instance takes {wanted}"
    if not tensor.is_contiguous():
        return f"is not contiguous (strides {tuple(tensor.stride())} of sizes {tuple(tensor.shape)}): .contiguous() makes it so"
    return ""


def _number_problem(kind: Any, value: Any) -> str:
    name = kind if isinstance(kind, str) else kind.__name__
    if name == "int" and isinstance(value, int):
        return f"takes a 64-bit int, and {value} has more bits"
    return f"takes {name}, not {type(value).__name__}"


def _refuse(kernel: Declaration, dtypes: Mapping[str, Dtype], index: int, value: Any) -> None:
    """Raise what is wrong with an argument that the native entry did not take."""
    names = [param.name for param in kernel.arguments]
    if index == -2:
        bad_argument(kernel, "*", f"takes {len(names)} arguments: {', '.join(names)}")
    if index == -1:
        bad_argument(kernel, "cores", f"is a number of cores from 0 to 65535, not {value!r}")
    param = kernel.arguments[index]
    if param.kind in ("gm", "gm_list"):
        problem = tensor_problem(value, torch_dtype(element(param, dtypes)) if param.kind == "gm" else None)
        if problem:
            bad_argument(kernel, param.name, problem)
        if type(value).__torch_dispatch__ is not _plain_dispatch():
            bad_argument(kernel, param.name, f"is a {type(value).__name__}, which has no memory of its own")
        bad_argument(kernel, param.name, f"lies on {value.device}, other arguments on another npu device")
    if param.kind == "struct":
        for name, kind in parameters.fields_of(param.python) or ():
            if not hasattr(value, name):
                bad_argument(kernel, param.name, f"takes {param.python.__name__}, not {type(value).__name__}")
            field: Any = getattr(value, name)
            fits = isinstance(field, (int, float) if kind is float else kind)
            if not fits or (kind is int and not -(2**63) <= field < 2**63):
                bad_argument(kernel, f"{param.name}.{name}", _number_problem(kind, field))
    bad_argument(kernel, param.name, _number_problem(param.kind, value))


def _plain_dispatch() -> Any:
    import torch

    return torch.Tensor.__torch_dispatch__
