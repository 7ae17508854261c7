"""Kernels launched from an eager operator: tensors of every origin work, and a fault is its own Python class."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import cpp_extension

from ferrata import errors
from ferrata.asc import api
from ferrata.npu import INCLUDE, extension

pytestmark = pytest.mark.slow
SOURCE = Path(__file__).parent / "kernels" / "copy_op.asc"


@pytest.fixture(scope="module")
def ops() -> Any:
    folders = [*cpp_extension.include_paths(), str(INCLUDE)]
    library = api.compile(
        SOURCE,
        options=[
            *(f"-I{folder}" for folder in folders),
            f"-L{Path(torch.__file__).parent / 'lib'}",
            "-ltorch",
            "-ltorch_cpu",
            "-lc10",
        ],
    )
    torch.ops.load_library(library)
    return torch.ops.npu_kernel_test


def test_a_kernel_reads_and_writes_tensors_of_every_origin(ops: Any) -> None:
    x = torch.randn(1000, device="npu")
    before = extension().launch_count()
    made = [
        x, x + 1, x.cpu().npu(), torch.from_dlpack(x), torch.cat([x, x])[:1000], x.view(10, 100).t().contiguous(),
        torch.linalg.qr(x.view(40, 25))[0].contiguous(), x[24:],
    ]  # fmt: skip
    for tensor in made:
        assert torch.equal(ops.copy(tensor, 0), tensor)
    assert extension().launch_count() == before + len(made)


def test_a_fault_has_its_class_and_line_and_the_next_call_is_right(ops: Any) -> None:
    x = torch.randn(100, device="npu")
    line = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if "the faulting line" in text)
    for _ in range(2):
        with pytest.raises(errors.OutOfBounds) as caught:
            ops.copy(x, 50)
        assert isinstance(caught.value, RuntimeError) and caught.value.kernel == "copy_kernel"
        assert caught.value.line == line and caught.value.file.endswith("copy_op.asc")
        assert torch.equal(ops.copy(x, 0), x)
    with pytest.raises(errors.KernelFault, match=r"(?i)host"):
        ops.host_pointer(x)
    assert torch.equal(ops.copy(x, 0), x)


def test_a_fault_in_another_thread_and_in_backward_keeps_its_class(ops: Any) -> None:
    x = torch.randn(100, device="npu")
    seen: list[BaseException] = []

    def work() -> None:
        try:
            ops.copy(x, 50)
        except errors.KernelFault as fault:
            seen.append(fault)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(seen) == 1

    class Faulty(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
            return v * 1

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            return ops.copy(g, 100000)

    with pytest.raises(errors.KernelFault):
        Faulty.apply(x.requires_grad_()).sum().backward()


def test_the_stream_in_cpp_is_the_current_one(ops: Any) -> None:
    x = torch.ones(1, device="npu")
    assert ops.stream_id(x) == 0
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        assert ops.stream_id(x) == stream.stream_id
        assert torch.equal(ops.copy(x, 0), x)
