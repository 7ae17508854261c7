"""Write docs/reference/converters.md: which overloads of PyTorch convert to which GE operators, and how they fared.

    python tools/converters_report.py [--samples 4] [--jobs 2] [--keep FILE]

Every operator of PyTorch's database, in every dtype of `op_db.DTYPES`, static and with symbolic sizes (float32), is
compiled and compared with eager. The page lists each Core ATen overload: converted, or an ATen node.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import logging
import multiprocessing
import warnings
from pathlib import Path

import torch

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "converters.md"
_SIZE = "a number on the host: graphs have it where sizes change, and arithmetic on sizes is Python in the program"
REASONS = {
    "aten._local_scalar_dense.default": "`item()`: the host reads a value, which is a number of the program then (an unbacked size)",
    "aten.resize_.default": "no graph of torch.compile has it (Dynamo ends the graph there); what another tracer makes of it runs",
    "aten.sym_is_contiguous.default": "asked and answered while PyTorch traces: no graph has it",
    "aten.sym_numel.default": _SIZE,
    "aten.sym_size.int": _SIZE,
    "aten.sym_storage_offset.default": _SIZE,
    "aten.sym_stride.int": _SIZE,
}
ROUNDED = "samples of which PyTorch's trace rounds otherwise"
Counts = dict[str, list[int]]  # overload -> samples converted, left as ATen nodes


def run(name: str, samples: int) -> tuple[Counts, list[str]]:
    """All samples of one operator of the database, or of one overload with samples of our own."""
    warnings.simplefilter("ignore")
    logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # what PyTorch refuses is no news
    torch.set_num_threads(1)
    from ferrata.torchair.testing import collective, op_db, own

    if name == collective.NAME:
        return collective.run()
    counts: Counts = collections.defaultdict(lambda: [0, 0])
    failures = []
    ours = name in own.rows()
    work = [(dtype, False) for dtype in (own.DTYPES if ours else op_db.DTYPES)] + [(torch.float32, True)]
    for dtype, symbolic in work:
        try:
            for case in own.cases(name, dtype) if ours else op_db.cases(name, dtype, samples):
                outcome = op_db.run(case, symbolic=symbolic, functional=not ours or own.functional(name))
                if outcome is None:
                    continue
                counts[ROUNDED][0] += outcome.rounded
                for place, overloads in enumerate((outcome.converted, outcome.stayed)):
                    for overload in overloads if not ours else overloads & {name}:
                        counts[overload][place] += 1
        except Exception as failure:  # noqa: BLE001  the report names it
            reason = str(failure).strip().splitlines()[0] if str(failure).strip() else ""
            failures.append(f"{name} {str(dtype).removeprefix('torch.')}{' symbolic' if symbolic else ''}: {reason}")
    return dict(counts), failures


def main() -> None:
    """Run everything and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="results by operator: a run that was stopped goes on from this file")
    options = parser.parse_args()
    from ferrata.torchair.testing import collective, op_db, own

    names = [*op_db.operators(), *own.rows(), collective.NAME]
    results = kept(options.keep, options.samples)
    todo = [name for name in names if name not in results]
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for name, result in zip(todo, pool.map(run, todo, [options.samples] * len(todo)), strict=True):
            results[name] = result
            if options.keep is not None:
                with options.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([name, options.samples, *result]) + "\n")
    counts: Counts = collections.defaultdict(lambda: [0, 0])
    failures: list[str] = []
    for found, failed in (results[name] for name in names):
        failures += failed
        for overload, (converted, left) in found.items():
            counts[overload][0] += converted
            counts[overload][1] += left
    PAGE.write_text(page(counts, failures, options.samples), encoding="utf-8")
    print(f"{PAGE}: {len(failures)} failures")


def kept(path: Path | None, samples: int) -> dict[str, tuple[Counts, list[str]]]:
    """What a run that was stopped has found, with as many samples."""
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: (counts, failures) for name, number, counts, failures in lines if number == samples}


def page(counts: Counts, failures: list[str], samples: int) -> str:
    """The text of the page."""
    from ferrata.torchair.converters import every

    rounded = counts.pop(ROUNDED, [0, 0])[0]
    core = core_overloads()
    known = {str(target) for target in every()}
    lines = [
        "# Converters of PyTorch's operators", "",
        "Generated by `python tools/converters_report.py`. Each operator of PyTorch's own database is traced, converted",
        f"and compared with eager: the first {samples} samples in float32, float16, bfloat16, float64, int64, int32,",
        "uint8 and bool, and with symbolic sizes in float32. A call that GE's prototypes do not cover (float64 products,",
        "for example) stays an ATen node: it runs here and is marked as not portable.", "",
        f"Core ATen overloads with a converter: **{len(core & known)} of {len(core)}**; further overloads: "
        f"{len(known - core)}. Differences: **{len(failures)}**, in {sum(a + b for a, b in counts.values())} calls of "
        f"overloads with a converter (a sample may call several). In {rounded} samples the graph that PyTorch traces rounds",
        "otherwise than eager itself (it breaks an operator up); these were compared with that graph.", "",
        f"Overloads with a converter that no sample calls: **{sum(name not in counts for name in known)}**. Those that the",
        "database does not call (gradients, Scalar forms, lists, random numbers, operators that are their parts before",
        "AOTAutograd hands over a graph) have samples of our own in `ferrata/torchair/testing`, in these data types and",
        "int16, int8 and complex64: with no dimension, no element, one element, broadcast, gaps in memory, NaN and",
        "infinities. Collectives run in two processes. Random operators draw from one seed here and there. Other operators",
        "of ATen are broken up by PyTorch's core decompositions while they are traced; what is left then runs as an ATen",
        "node.", "",
    ]  # fmt: skip
    if failures:
        lines += ["## Differences", "", *[f"- {f}" for f in failures], ""]
    lines += ["| overload | Core ATen | samples converted | samples left as ATen nodes |", "|---|---|---:|---:|"]
    for overload in sorted(known):
        converted, left = counts.get(overload, [0, 0])
        lines.append(f"| `{overload}` | {'yes' if overload in core else ''} | {converted} | {left} |")
    lines += ["", "## Core ATen overloads that run as ATen nodes", ""]
    lines += ["| overload | why |", "|---|---|"]
    lines += [f"| `{name}` | {REASONS.get(name, 'not converted yet')} |" for name in sorted(core - known)]
    return "\n".join(lines) + "\n"


def core_overloads() -> set[str]:
    """The overloads that PyTorch tags as core, of all that are registered: `dir` lists only those already used."""
    names = {schema.name for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")}
    found = set()
    for name in names:
        packet = getattr(torch.ops.aten, name.removeprefix("aten::"))
        found |= {str(op) for op in (getattr(packet, o) for o in packet.overloads()) if torch.Tag.core in op.tags}
    return found


if __name__ == "__main__":
    main()
