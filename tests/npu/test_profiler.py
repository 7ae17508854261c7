"""torch.profiler on the device: kernels by name, with the shapes of their inputs, inside the nodes that launch them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

import ferrata.npu  # noqa: F401
from examples.ops.add import add
from ferrata import torchair


def trace(folder: Path, run: Any, **options: Any) -> list[dict[str, Any]]:
    with profile(activities=[ProfilerActivity.CPU], **options) as prof:
        run()
    prof.export_chrome_trace(str(folder / "trace.json"))
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    return sorted((e for e in events if e.get("cat") == "cpu_op"), key=lambda e: e["ts"])


def named(events: list[dict[str, Any]], start: str) -> dict[str, Any]:
    return next(e for e in events if e["name"].startswith(start))


def test_an_eager_launch(tmp_path: Path) -> None:
    x, y = torch.randn(3, 5, device="npu"), torch.randn(3, 5, device="npu")
    add(x, y)
    events = trace(tmp_path, lambda: add(x, y), record_shapes=True)
    assert named(events, "add_kernel<float")["args"]["Input Dims"] == [[3, 5], [3, 5], [3, 5], []]
    again = trace(tmp_path, lambda: add(x, y))
    assert "Input Dims" not in named(again, "add_kernel")["args"]
    assert not any(e["name"].startswith("add_kernel") for e in trace(tmp_path, lambda: None))


def test_a_graph_shows_nodes_and_their_kernels(tmp_path: Path) -> None:
    x = torch.randn(4, 6, device="npu")
    run = torch.compile(lambda x: add(x, x).relu(), backend=torchair.get_npu_backend())
    torch.testing.assert_close(run(x).cpu(), (2 * x.cpu()).relu())
    events = trace(tmp_path, lambda: run(x), record_shapes=True)
    node, kernel = named(events, "CatalogueAdd/"), named(events, "add_kernel")
    assert node["args"]["Input Dims"] == [[4, 6], [4, 6]] and kernel["args"]["Input Dims"][0] == [4, 6]
    assert "test_profiler.py:" in node["args"]["line"] and named(events, "Relu/Relu")["ts"] > kernel["ts"]
    assert node["ts"] <= kernel["ts"] and kernel["ts"] + kernel["dur"] <= node["ts"] + node["dur"]
