"""Our share of compiling: from AOTAutograd's graph to the program that runs, per node; and importing the package.

Graphs are one captured block of a transformer, repeated: mixed operators with the Meta values of a capture, static and
with symbolic sizes. What Dynamo, AOTAutograd and Inductor take is not in it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

import torch

from benchmarks.measure import Result, spread

SIZES = (1_000, 5_000, 20_000)
LIMIT = 0.5e-3  # seconds a node
ROUNDS = 5
_WIDTH, _HEADS = 16, 2


def block(x: torch.Tensor, mask: torch.Tensor, *weights: torch.Tensor) -> torch.Tensor:
    """A layer with attention, gate and some indexing; the result has the shape of x."""
    norm, qkv, out, up, down, bias = weights
    batch, length, width = x.shape
    y = torch.nn.functional.layer_norm(x, (width,), norm, bias)
    q, k, v = torch.split(torch.matmul(y, qkv), width, -1)
    q, k, v = (t.view(batch, length, _HEADS, width // _HEADS).transpose(1, 2) for t in (q, k, v))
    scores = torch.matmul(q, k.transpose(-1, -2)) * 0.3
    scores = scores.masked_fill(mask[:length, :length] == 0, float("-inf"))
    y = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).reshape(batch, length, width)
    x = x + torch.matmul(y, out)
    gate, value = torch.matmul(x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5), up).chunk(2, -1)
    y = torch.nn.functional.gelu(gate) * torch.sigmoid(value)
    y = torch.where(y > 0, y, y.clamp(min=-1.0).exp() - 1)
    x = x + torch.matmul(y, down)
    rotated = torch.cat([-x[..., width // 2 :], x[..., : width // 2]], -1)
    return x * 0.9 + rotated.to(torch.float64).to(torch.float32) * 0.1


def example() -> list[torch.Tensor]:
    """Inputs of one block."""
    w = _WIDTH
    shapes = [(2, 6, w), (64, 64), (w,), (w, 3 * w), (w, w), (w, 4 * w), (2 * w, w), (w,)]
    return [torch.randn(s) for s in shapes]


def repeated(nodes: int, *, symbolic: bool) -> tuple[torch.fx.GraphModule, list[torch.Tensor]]:
    """A graph of about so many calls: the block again and again, each on the result of the one before."""
    from torch.fx.experimental.proxy_tensor import make_fx

    inputs = example()
    one = make_fx(block, tracing_mode="symbolic" if symbolic else "fake")(*inputs)
    calls = sum(n.op == "call_function" for n in one.graph.nodes)
    graph = torch.fx.Graph()
    env: dict[torch.fx.Node, torch.fx.Node] = {}
    places = [n for n in one.graph.nodes if n.op == "placeholder"]
    result = next(n for n in one.graph.nodes if n.op == "output").args[0]
    for place in places:
        env[place] = graph.node_copy(place)
    for _ in range(max(1, round(nodes / calls))):
        for node in one.graph.nodes:
            if node.op == "get_attr":
                env.setdefault(node, graph.node_copy(node))
            elif node.op == "call_function":
                env[node] = graph.node_copy(node, lambda n: env[n])
        env[places[0]] = env[result]
    graph.output((env[result],))
    return torch.fx.GraphModule(one, graph), inputs


def run() -> list[Result]:
    from ferrata.torchair.backend import compile_graph
    from ferrata.torchair.config import CompilerConfig

    results = []
    for symbolic in (False, True):
        kind = "dynamic" if symbolic else "static"
        graphs = {size: repeated(size, symbolic=symbolic) for size in SIZES}
        counts = {size: sum(n.op == "call_function" for n in gm.graph.nodes) for size, (gm, _) in graphs.items()}
        took: dict[int, list[float]] = {size: [] for size in SIZES}
        for _ in range(ROUNDS):  # sizes in turn, so that a slower machine slows all of them
            for size, (gm, inputs) in graphs.items():
                start = time.perf_counter()
                compile_graph(gm, inputs, CompilerConfig())
                took[size].append((time.perf_counter() - start) / counts[size])
        for size, per_node in took.items():
            name = f"conversion and session, {counts[size]} nodes, {kind}: seconds a node"
            results.append(Result(name, statistics.median(per_node), None, None, LIMIT, spread(per_node)))
        small, large = took[SIZES[0]], took[SIZES[-1]]
        ratio = statistics.median(b / a for a, b in zip(small, large, strict=True))
        name = f"a node of {SIZES[-1]} against one of {SIZES[0]}, {kind}"
        results.append(Result(name, statistics.median(large), statistics.median(small), ratio, 1.25, spread(large)))
    results.append(_import())
    return results


def _import(rounds: int = 9) -> Result:
    """Importing the package with its converters after torch, against torch alone, in fresh processes in turn."""
    ours = "import torch, ferrata.torchair; from ferrata.torchair.converters import every; every()"
    pairs = [(_process(ours), _process("import torch")) for _ in range(rounds)]
    base = [b for _, b in pairs]
    more = statistics.median(a - b for a, b in pairs)
    return Result(
        "importing the package with its converters, over importing torch", more, None, None, 0.3, spread(base)
    )


def _process(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def _main() -> Any:
    for result in run():
        print(f"{result.name}: {result.seconds:.6f} {'' if result.ok is None else 'ok' if result.ok else 'ABOVE'}")


if __name__ == "__main__":
    _main()
