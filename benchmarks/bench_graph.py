"""One call of a compiled graph with AddCustom on [8, 2048], against inductor with the same computation as a torch.library operator."""

from __future__ import annotations

import torch

import ferrata
from benchmarks.kernels import demo_operator
from benchmarks.measure import Result, versus


def _reference_operator() -> object:
    library = torch.library.Library("ferrata_bench", "FRAGMENT")
    library.define("add(Tensor x, Tensor y) -> Tensor")
    library.impl("add", lambda x, y: x + y, "CPU")
    torch.library.register_fake("ferrata_bench::add", lambda x, y: torch.empty_like(x), lib=library)
    return torch.ops.ferrata_bench.add, library  # the library must stay alive


def run() -> list[Result]:
    ours = demo_operator()
    theirs, keep = _reference_operator()
    x, y = torch.rand(8, 2048), torch.rand(8, 2048)
    xn, yn = x.to("npu"), y.to("npu")
    rows = []
    with torch.no_grad():
        for dynamic in (False, True):
            torch._dynamo.reset()
            graph = torch.compile(
                lambda a, b: ours(a, b), backend=ferrata.get_npu_backend(), fullgraph=True, dynamic=dynamic
            )
            inductor = torch.compile(lambda a, b: theirs(a, b), backend="inductor", fullgraph=True, dynamic=dynamic)
            torch.testing.assert_close(graph(xn, yn).cpu(), inductor(x, y))
            name = f"compiled AddCustom [8, 2048], {'dynamic' if dynamic else 'static'}, against inductor"
            rows.append(versus(name, lambda g=graph: g(xn, yn), lambda i=inductor: i(x, y), limit=1.0))
    del keep
    return rows
