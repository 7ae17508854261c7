"""The zoo's models compiled at O1 and O3, against eager and against inductor: one call, forward, in one process a model.

python -m benchmarks zoo                       every model, rows for the table of benchmarks
python -m benchmarks.bench_zoo llama mlp       some of them; figures go to benchmarks/zoo.json
python -m benchmarks.bench_zoo --doc           docs/reference/zoo_speed.md from benchmarks/zoo.json
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Result, versus

HERE = Path(__file__).parent
FIGURES = HERE / "zoo.json"
PAGE = HERE.parent / "docs" / "reference" / "zoo_speed.md"
LIMITS = {"O3 against inductor": 1.2, "O1 against eager": 1.05}


def measure(name: str) -> dict[str, Any]:
    """The figures of one model on the CPU, one thread; times are of the process, which others disturb less."""
    import torch

    import ferrata
    from tests.zoo.models import make, outputs

    torch.set_num_threads(1)
    module, given = make(name)
    runs: dict[str, Callable[[], Any]] = {"eager": lambda: module(**given)}
    told: list[str] = []
    with torch.no_grad(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        expected = outputs(module(**given))
        for level in ("O1", "O3"):
            config = ferrata.CompilerConfig()
            config.ge_config.oo_level = level
            compiled = torch.compile(module, backend=ferrata.get_npu_backend(compiler_config=config), dynamic=False)
            runs[level] = lambda c=compiled: c(**given)
        inductor = torch.compile(module, backend="inductor", dynamic=False)
        runs["inductor"] = lambda: inductor(**given)
        for kind, run in runs.items():
            started = time.perf_counter()
            torch.testing.assert_close(outputs(run()), expected, rtol=1e-3, atol=1e-4)
            runs[kind] = run
            print(f"{name} {kind}: first call {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
        told = [str(w.message) for w in caught if "Inductor does not compile" in str(w.message)]
        calls = max(3, min(100, int(0.02 / _once(runs["eager"]))))
        rows = [
            versus(f"{name}: {a} against {b}", runs[a], runs[b], limit=LIMITS[f"{a} against {b}"], calls=calls,
                   rounds=21, warmup=5, clock=time.process_time)
            for a, b in (("O3", "inductor"), ("O1", "eager"))
        ]  # fmt: skip
    return {"rows": [r.as_dict() for r in rows], "told": told}


def _once(run: Callable[[], Any]) -> float:
    run()
    started = time.process_time()
    run()
    return max(time.process_time() - started, 1e-6)


def run(names: list[str] | None = None) -> list[Result]:
    """Rows for every model, and the geometric mean; keeps the figures."""
    from tests.zoo.models import MODELS

    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for name in names or MODELS:
        command = [sys.executable, "-m", "benchmarks.bench_zoo", "--measure", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
        line = done.stdout.strip().splitlines()[-1] if done.returncode == 0 else ""
        known[name] = json.loads(line) if line else {"failed": reason(done.stderr)}
        FIGURES.write_text(json.dumps(known, indent=1) + "\n")
        print(name, known[name].get("failed") or [round(r["ratio"], 3) for r in known[name]["rows"]], flush=True)
    rows = [_result(r) for figures in known.values() for r in figures.get("rows", ())]
    return [*rows, *means(rows)]


def reason(text: str) -> str:
    """The line of a traceback that says what went wrong."""
    lines = [line for line in text.splitlines() if "Error" in line]
    return (lines or text.strip().splitlines() or ["?"])[-1][:200]


def means(rows: list[Result]) -> list[Result]:
    out = []
    for what, limit in (("O3 against inductor", 1.0), ("O1 against eager", 1.05)):
        some = [r.ratio for r in rows if r.name.endswith(what) and r.ratio]
        if some:
            mean = math.exp(sum(map(math.log, some)) / len(some))
            out.append(Result(f"geometric mean of {len(some)}: {what}", 0.0, 1.0, mean, limit, 0.0))
    return out


def _result(row: dict[str, Any]) -> Result:
    return Result(**{k: v for k, v in row.items() if k != "ok"})


def write_page() -> None:
    """The page of figures."""
    known = json.loads(FIGURES.read_text())
    lines = [
        "# Speed of the zoo",
        "",
        "One forward call of each model of the zoo (tiny, float32, CPU, one thread), made by "
        "`python -m benchmarks zoo`, then `python -m benchmarks.bench_zoo --doc`.",
        'Both columns are medians of ratios in one process (A B A B ...). O3 is `ge_config.oo_level = "O3"`, which compiles '
        "clusters; O1 runs every node on ATen. Below about 0.1 ms most of a compiled call is Dynamo's guards and AOTAutograd's "
        'wrapper, which `torch.compile(backend="eager")` costs too: there O1 is slower than eager whatever the program does.',
        "",
        "| model | O3, ms | inductor, ms | O3 / inductor | O1, ms | eager, ms | O1 / eager |",
        "|---|---|---|---|---|---|---|",
    ]
    rows: list[Result] = []
    for name, figures in known.items():
        if "failed" in figures:
            lines.append(f"| {name} | {figures['failed'][:80]} | | | | | |")
            continue
        a, b = map(_result, figures["rows"])
        rows += [a, b]
        cells = []
        for r in (a, b):
            assert r.baseline is not None and r.ratio is not None
            cells += [f"{r.seconds * 1e3:.2f}", f"{r.baseline * 1e3:.2f}", f"{r.ratio:.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", *(f"{r.name.capitalize()}: {r.ratio:.3f} (goal: at most {r.limit:g})." for r in means(rows)), ""]
    PAGE.write_text("\n".join(lines))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2])))
    elif sys.argv[1:] == ["--doc"]:
        write_page()
    else:
        run(sys.argv[1:])
