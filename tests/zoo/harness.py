"""Compile models of the zoo, keep the graphs that they became, and compare with eager.

Used by the tests beside it and by tools/zoo_report.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

import ferrata as fe
import ferrata.npu  # the device
from ferrata.ge.ir import Graph
from ferrata.torchair import backend as torchair_backend
from tests.zoo.models import MODELS, inputs, loss_of, make, outputs

# by data type: what rounding in another order makes of a network of this depth
TOLERANCE = {
    torch.float32: {"rtol": 2e-4, "atol": 2e-5},
    torch.float16: {"rtol": 2e-2, "atol": 2e-2},
    torch.bfloat16: {"rtol": 8e-2, "atol": 8e-2},
}
# nodes that hold no computation of a model
_NOTHING = frozenset({"Data", "RefData", "Const", "NetOutput"})


@contextmanager
def graphs() -> Iterator[list[Graph]]:
    """Inside, every graph that is converted is also put on the list."""
    seen: list[Graph] = []
    convert = torchair_backend.convert

    def keeping(*args: Any, **options: Any) -> Graph:
        made = convert(*args, **options)
        seen.append(made)
        return made

    torchair_backend.convert = keeping
    try:
        yield seen
    finally:
        torchair_backend.convert = convert


@contextmanager
def fresh(name: str, **settings: Any) -> Iterator[None]:
    """Dynamo without memory, with the settings that a row needs."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    with torch._dynamo.config.patch(**MODELS[name].dynamo, **settings):
        yield


def compiled(name: str, module: Any, *, backend: Any = None, dynamic: bool | None = False) -> Any:
    return torch.compile(module, backend=backend or fe.get_npu_backend(), fullgraph=MODELS[name].whole, dynamic=dynamic)


def marked(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The inputs, with the dimensions that may change marked: Dynamo then refuses to specialise them."""
    for key, dims in MODELS[name].dynamic.items():
        for dim in dims:
            torch._dynamo.mark_dynamic(given[key], dim)
    return given


def check_forward(name: str, run: Any, module: Any, given: dict[str, Any], dtype: torch.dtype = torch.float32) -> None:
    """Every tensor that comes out equals eager's."""
    with torch.no_grad():
        expected, got = outputs(module(**given)), outputs(run(**given))
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        torch.testing.assert_close(a, b, **TOLERANCE[dtype], msg=lambda text, i=i: f"{name}, output {i}: {text}")


def gradients(module: Any, run: Any, given: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The loss and every parameter's gradient."""
    module.zero_grad()
    loss = loss_of(run(**given))
    loss.backward()
    found = {n: p.grad.clone() for n, p in module.named_parameters() if p.grad is not None}
    return {"loss": loss.detach(), **found}


def check_training(name: str, run: Any, module: Any, given: dict[str, Any]) -> int:
    """Loss and gradients equal eager's; how many gradients there are."""
    expected, got = gradients(module, module, given), gradients(module, run, given)
    assert got.keys() == expected.keys()
    for key, value in expected.items():
        # a gradient is a sum of many terms: small against the largest is nothing
        scale = float(value.abs().max())
        torch.testing.assert_close(
            got[key], value, rtol=1e-3, atol=max(1e-3 * scale, 1e-6), msg=lambda text, key=key: f"{name}, {key}: {text}"
        )
    return len(expected) - 1


def targets(seen: Sequence[Graph]) -> Counter[str]:
    """How often each type of node occurs, those inside subgraphs too; without inputs, constants, sizes on the host."""
    found: Counter[str] = Counter()
    for graph in seen:
        for node in graph.nodes:
            if node.type not in _NOTHING and not all(o.desc.host for o in node.outputs):
                found[node.type] += 1
            found += targets(list(node.graphs.values()))
    return found


def on_aten(found: Counter[str]) -> Counter[str]:
    """Those of the types that stayed calls of ATen: not portable."""
    return Counter({t: n for t, n in found.items() if "::" in t})


__all__ = [
    "MODELS", "TOLERANCE", "check_forward", "check_training", "compiled", "fresh", "graphs", "inputs", "make", "marked",
    "on_aten", "targets",
]  # fmt: skip
