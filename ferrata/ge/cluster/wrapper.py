"""Results that nobody reads, freed in the C++ function of a cluster as they are in Inductor's Python.

An operator that TorchInductor calls, such as attention, makes all its results; in C++ those without a reader would live
until the function returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


@contextmanager
def unread_freed() -> Iterator[None]:
    """While it is active, C++ wrappers are written that free unread results of an operator at once."""
    from torch._inductor import ir
    from torch._inductor.codegen.cpp_wrapper_cpu import CppWrapperCpu
    from torch._inductor.virtualized import V

    write = CppWrapperCpu.generate_c_shim_fallback_kernel

    def and_free(self: Any, kernel: Any, args: list[str]) -> None:
        write(self, kernel, args)
        for output in kernel.outputs:
            if isinstance(output, ir.MultiOutput) and output.get_name() in V.graph.removed_buffers:
                self.writeline(f"{output.get_name()}.reset();")

    with mock.patch.object(CppWrapperCpu, "generate_c_shim_fallback_kernel", and_free):
        yield
