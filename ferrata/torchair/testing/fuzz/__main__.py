"""The command: `python -m ferrata.torchair.testing.fuzz --programs N --seed S`. Exit code 1 if anything differs."""

from __future__ import annotations

import argparse
import importlib
import sys
import time

import torch

from ferrata.torchair.testing.fuzz.program import Program
from ferrata.torchair.testing.fuzz.run import examine, quiet, run
from ferrata.torchair.testing.fuzz.shrink import shrink


def failure_of(program: Program) -> Exception | None:
    """What a program fails with."""
    try:
        examine(program)
    except Exception as failure:  # noqa: BLE001  every failure counts
        return failure
    return None


def paste(program: Program) -> str:
    """The program as a script that shows the difference."""
    inputs = ", ".join(
        f"fuzz.make({given!r}, sizes, {program.seed})" for given in program.inputs
    )  # fmt: skip
    numbers = "".join(f", {program.symbols[n]}" for n in program.numbers)
    return (
        "import torch\nfrom torch import inf, nan\n\n"
        "from ferrata.torchair.testing.fuzz.check import check\n"
        "from ferrata.torchair.testing.fuzz.program import Input, make\n\naten = torch.ops.aten\n\n\n"
        f"{program.source()}\n\nsizes = {dict(program.symbols)}\n"
        f"arguments = [{inputs.replace('fuzz.make', 'make')}{numbers}]\n"
        f"check(program, arguments, symbolic={program.symbolic})\n"
    )


def main() -> int:
    """Run, shrink what fails, print."""
    parser = argparse.ArgumentParser(prog="python -m ferrata.torchair.testing.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--steps", type=int, default=None, help="calls of each program")
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--overloads", action="store_true", help="print how often each overload occurred")
    parser.add_argument("--recipes", action="append", default=[], help="a module with further recipes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for module in options.recipes:
        importlib.import_module(module)
    quiet()
    start, count = time.perf_counter(), 0

    def failed(program: Program, failure: Exception) -> None:
        nonlocal count
        count += 1
        print(f"\n# program {program.seed}: {type(failure).__name__}: {str(failure)[:600]}", flush=True)
        small = program if options.no_shrink else shrink(program, failure_of)
        print(paste(small), flush=True)
        if count >= options.most:
            raise SystemExit(f"stopped after {count} failures, at program {program.seed}")

    tally = run(options.programs, options.seed, failed, options.steps)
    took = time.perf_counter() - start
    kinds = ", ".join(f"{v.value}: {n}" for v, n in sorted(tally.verdicts.items(), key=lambda p: -p[1]))
    print(
        f"{tally.programs} programs from {options.seed}: {len(tally.failures)} differ; {kinds}; "
        f"{tally.runs} runs, {tally.nodes} nodes, {took:.0f} s"
    )
    if options.overloads:
        for name, (converted, left) in sorted(tally.overloads.items()):
            print(f"  {name}: {converted} converted, {left} as ATen nodes")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
