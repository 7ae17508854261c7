"""Memory of the zoo: the plan against its lower bound, and what a call really allocates at its peak.

    python -m benchmarks memory                    every model
    python -m benchmarks.bench_memory llama mlp    some of them; figures go to benchmarks/memory.json
    python -m benchmarks.bench_memory --doc        docs/reference/zoo_memory.md from benchmarks/memory.json

The peak of a call counts allocations above what was there before, through the allocator of the npu device: a call on CPU
tensors inside `lent` allocates there too, so our programs, inductor's and eager are counted alike. What `lent` does to
dispatch is undone around the call, so that the code that an earlier call outside compiled is what runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.bench_zoo import reason
from benchmarks.measure import Result

HERE = Path(__file__).parent
FIGURES = HERE / "memory.json"
PAGE = HERE.parent / "docs" / "reference" / "zoo_memory.md"


def peak(run: Callable[[], Any]) -> int:
    """Bytes that a call allocates at its peak, its results included, when an earlier call has compiled."""
    import torch

    from ferrata.npu import extension

    included, excluded = torch._C._dispatch_tls_local_include_set(), torch._C._dispatch_tls_local_exclude_set()

    def call(_: list[Any]) -> tuple[()]:
        with torch._C._ForceDispatchKeyGuard(included, excluded):
            run()
        return ()

    run()
    run()
    with torch.compiler.set_stance("fail_on_recompile"):
        extension().lent(call, [], 0)
    before = torch.npu.memory_allocated()
    torch.npu.reset_peak_memory_stats()
    with torch.compiler.set_stance("fail_on_recompile"):
        extension().lent(call, [], 0)
    return int(torch.npu.max_memory_allocated()) - before


def measure(name: str, inductor: bool) -> dict[str, Any]:
    """Bytes, by what they are of."""
    import torch

    import ferrata
    import ferrata.npu
    import ferrata.torchair.backend as backend
    from tests.zoo.models import make

    kept: list[Any] = []
    made = backend.Compiled.__init__

    def remember(self: Any, graph: Any, clone: bool) -> None:
        kept.append(graph)
        made(self, graph, clone)

    backend.Compiled.__init__ = remember  # type: ignore[method-assign]
    module, given = make(name)
    ferrata.npu.extension()
    figures: dict[str, Any] = {}
    with torch.no_grad():
        runs: dict[str, Callable[[], Any]] = {"eager": lambda: module(**given)}
        for level in ("O1", "O3") if inductor else ("O1",):
            config = ferrata.CompilerConfig()
            config.ge_config.oo_level = level
            ours = torch.compile(module, backend=ferrata.get_npu_backend(compiler_config=config), dynamic=False)
            runs[level] = lambda c=ours: c(**given)
        if inductor:
            theirs = torch.compile(module, backend="inductor", dynamic=False)
            runs["inductor"] = lambda: theirs(**given)
        for kind, run in runs.items():
            figures[kind] = peak(run)
            if kind == "O1":
                plans = [g.memory for g in kept]
                for what in ("peak", "lower_bound", "without_reuse"):
                    figures[what] = max((getattr(p, what) for p in plans), default=0)
    return figures


def run(names: list[str] | None = None, *, inductor: bool = True) -> list[Result]:
    """Rows for every model; keeps the figures."""
    from tests.zoo.models import MODELS

    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for name in names or MODELS:
        command = [sys.executable, "-m", "benchmarks.bench_memory", "--measure", name, "1" if inductor else "0"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
        line = done.stdout.strip().splitlines()[-1] if done.returncode == 0 else ""
        known[name] = known.get(name, {}) | json.loads(line) if line else {"failed": reason(done.stderr)}
        FIGURES.write_text(json.dumps(known, indent=1) + "\n")
        print(name, known[name], flush=True)
    return [row for name, f in known.items() if "failed" not in f for row in _rows(name, f)]


def _rows(name: str, f: dict[str, int]) -> list[Result]:
    def row(what: str, mine: str, other: str, limit: float) -> Result:
        return Result(f"{name}: {what} (bytes)", f[mine], f[other], f[mine] / max(f[other], 1), limit, 0.0)

    rows = [row("planned peak against the lower bound", "peak", "lower_bound", 1.05)]
    if "inductor" in f:
        rows.append(row("peak of a call at O3 against inductor", "O3", "inductor", 1.0))
    return rows


def write_page() -> None:
    """The page of figures."""
    known = json.loads(FIGURES.read_text())
    lines = [
        "# Memory of the zoo",
        "",
        "Intermediate values of one forward call of each model of the zoo (tiny, float32), made by "
        "`python -m benchmarks memory`, then `python -m benchmarks.bench_memory --doc`.",
        "",
        "The *plan* places every value of the graph in one block (`compiled.memory`); no order of placing needs less than "
        "the *lower bound*, the most that is alive at once. The right half is measured: what a call allocates at its peak, "
        "its results included.",
        "",
        "| model | plan, KiB | lower bound, KiB | ratio | without reuse, KiB | O1 call | O3 call | inductor call | eager call |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, f in known.items():
        if "failed" in f:
            lines.append(f"| {name} | {f['failed'][:80]} | | | | | | | |")
            continue
        ratio = f"{f['peak'] / max(f['lower_bound'], 1):.3f}"
        cells = [_kib(f, "peak"), _kib(f, "lower_bound"), ratio, _kib(f, "without_reuse")]
        cells += [_kib(f, k) for k in ("O1", "O3", "inductor", "eager")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    PAGE.write_text("\n".join(lines) + "\n")


def _kib(figures: dict[str, int], what: str) -> str:
    return f"{figures[what] / 1024:.1f}" if what in figures else ""


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], sys.argv[3] == "1")))
    elif sys.argv[1:] == ["--doc"]:
        write_page()
    else:
        some = [a for a in sys.argv[1:] if a != "--quick"]
        run(some, inductor="--quick" not in sys.argv)
