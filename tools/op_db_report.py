"""Run PyTorch's own operator database on the npu device against the CPU and write docs/reference/op_db.md.

    python tools/op_db_report.py [--only NAME] [--samples 4] [--jobs 2] [--check]

For every operator of torch.testing._internal.common_methods_invocations.op_db: the forward for each dtype of DTYPES
that it supports on the CPU, and the backward for float32, on the first samples of its own generator. Both devices get
the same values and seeds; results must be equal (the kernels are the same). A run takes some minutes on two cores.
`--check` exits with 1 when an operator fails that the page does not name.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import itertools
import multiprocessing
import os
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "op_db.md"
DTYPES = ("float32", "float16", "bfloat16", "int64", "bool")
CATEGORIES = (
    ("linalg", "linear algebra"), ("fft", "Fourier transforms"), ("nn.functional", "neural networks"),
    ("_refs", "references"), ("special", "special functions"), ("signal", "windows"), ("sparse", "sparse"),
    ("masked", "masked reductions"), ("_", "internal"), ("", "tensors"),
)  # fmt: skip
# No value of theirs can be compared: their results are uninitialised memory.
UNDEFINED = frozenset({"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"})

# Their further tensors must lie on the CPU on every device.
HOST_ARGUMENTS = frozenset({"tensor_split"})

# Differences that are torch's own choice, by operator.
NOTES = {
    "nn.functional.linear_cross_entropy.chunked": "torch's own table picks another accumulation for this device",
    "nn.functional.linear_cross_entropy.chunked_none": "as linear_cross_entropy.chunked",
}


@dataclass
class Tally:
    """Counts of one operator: (passed, failed, not run) and the first reasons."""

    name: str
    passed: int = 0
    failed: int = 0
    unsupported: int = 0  # the CPU fails too, so there is nothing to compare with
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def fail(self, where: str, problem: object) -> None:
        """Count a failure; keep the first line of each new reason."""
        self.failed += 1
        text = str(problem).strip().splitlines()[0][:160] if str(problem).strip() else type(problem).__name__
        if len(self.reasons) < 3:
            self.reasons.append(f"{where}: {text}")


def category(name: str) -> str:
    """The row of the table in which an operator counts."""
    return next(title for prefix, title in CATEGORIES if name.startswith(prefix))


def to_npu(value: Any) -> Any:
    """The same value with every tensor on the device (leaves keep requires_grad)."""
    import torch
    from torch.utils._pytree import tree_map

    def move(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return _copy(item).requires_grad_(item.requires_grad)
        if isinstance(item, torch.device) or (isinstance(item, str) and item == "cpu"):
            return torch.device("npu") if not isinstance(item, str) else "npu"
        if isinstance(item, torch.Generator):
            return torch.Generator("npu").manual_seed(item.initial_seed())
        return item

    return tree_map(move, value)


def _first_to_npu(parts: list[Any]) -> list[Any]:
    return [to_npu(parts[0]), *parts[1:]]


def _copy(tensor: Any) -> Any:
    """A tensor on the device with the strides of `tensor` and its whole storage (operators may look beyond a view)."""
    import torch

    plain = tensor.detach()
    if plain.layout != torch.strided or plain.is_conj() or plain.is_neg() or type(plain) is not torch.Tensor:
        return plain.to("npu")
    whole = plain.as_strided((plain.untyped_storage().nbytes() // plain.element_size(),), (1,), 0).to("npu")
    return whole.as_strided(plain.size(), plain.stride(), plain.storage_offset())


def same(cpu: Any, npu: Any) -> str:
    """Empty when the results agree, else what differs."""
    import torch
    from torch.utils._pytree import tree_flatten

    left, _ = tree_flatten(cpu)
    right, _ = tree_flatten(npu)
    if len(left) != len(right):
        return f"{len(left)} results on cpu, {len(right)} on npu"
    for a, b in zip(left, right, strict=True):
        if isinstance(a, torch.Tensor):
            if not isinstance(b, torch.Tensor):
                return "a result is not a tensor"
            if b.device.type != "npu" and a.device.type == "cpu" and not isinstance(b, torch.nn.Parameter):
                return f"a result is on {b.device}"
            if a.layout == torch.strided and a.stride() != b.stride():
                return f"strides {a.stride()} on cpu, {b.stride()} on npu"
            exact = not (a.dtype.is_floating_point or a.dtype.is_complex)
            rtol, atol = (0.0, 0.0) if exact else (1e-5, 1e-6)
            try:
                torch.testing.assert_close(b.detach().cpu(), a.detach(), equal_nan=True, rtol=rtol, atol=atol)
            except Exception as problem:  # noqa: BLE001  reported
                return " ".join(str(problem).split())[:160]
        elif isinstance(a, (int, float, bool, complex, str)) and a != b and not (a != a and b != b):
            return f"{a!r} on cpu, {b!r} on npu"
    return ""


def run_operator(op: Any, samples: int, dtypes: tuple[str, ...] = DTYPES) -> Tally:
    """All dtypes and the float32 backward of one operator, `samples` samples each."""
    import torch

    tally = Tally(f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name)
    start = time.perf_counter()
    for text in dtypes:
        dtype = getattr(torch, text)
        if dtype not in op.supported_dtypes("cpu"):
            continue
        backward = text == "float32" and op.supports_autograd
        try:
            torch.manual_seed(0)
            inputs = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=backward), samples))
        except Exception:  # noqa: BLE001  a generator that needs other hardware
            tally.unsupported += 1
            continue
        for number, sample in enumerate(inputs):
            _one_sample(op, sample, f"{text} sample {number}", backward, tally)
    tally.seconds = time.perf_counter() - start
    return tally


def _one_sample(op: Any, sample: Any, where: str, backward: bool, tally: Tally) -> None:
    import torch

    try:
        where_to = to_npu if op.name not in HOST_ARGUMENTS else _first_to_npu
        moved = where_to([sample.input, sample.args, sample.kwargs])
        cpu_leaves, npu_leaves = _leaves((sample.input, sample.args, sample.kwargs)), _leaves(moved)
        torch.manual_seed(1)
        expected = op(sample.input, *sample.args, **sample.kwargs)
    except Exception:  # noqa: BLE001  the CPU cannot either
        tally.unsupported += 1
        return
    try:
        torch.manual_seed(1)
        actual = op(moved[0], *moved[1], **moved[2])
        difference = "" if op.name in UNDEFINED else same(expected, actual)
    except Exception as problem:  # noqa: BLE001  counted
        tally.fail(where, problem)
        return
    if difference:
        tally.fail(where, difference)
        return
    tally.passed += 1
    if not backward or not cpu_leaves or op.name in UNDEFINED:
        return
    try:
        torch.manual_seed(2)
        gradients = _gradients(sample.output_process_fn_grad(expected), cpu_leaves)
    except Exception:  # noqa: BLE001  the CPU cannot either
        return
    try:
        torch.manual_seed(2)
        difference = same(gradients, _gradients(sample.output_process_fn_grad(actual), npu_leaves))
    except Exception as problem:  # noqa: BLE001  counted
        difference = str(problem) or type(problem).__name__
    if difference:
        tally.fail(f"{where} backward", difference)
    else:
        tally.passed += 1


def _leaves(value: Any) -> list[Any]:
    import torch
    from torch.utils._pytree import tree_leaves

    return [
        item for item in tree_leaves(value) if isinstance(item, torch.Tensor) and item.requires_grad and item.is_leaf
    ]


def _gradients(output: Any, leaves: list[Any]) -> list[Any]:
    import torch
    from torch.utils._pytree import tree_leaves

    outputs = [item for item in tree_leaves(output) if isinstance(item, torch.Tensor) and item.requires_grad]
    seeds = [torch.ones_like(item) for item in outputs]
    return list(torch.autograd.grad(outputs, leaves, seeds, allow_unused=True))


def operators(only: str = "") -> list[Any]:
    """The database, without the operators of devices that are not here."""
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if only in op.name]


def _work(arguments: tuple[str, int, int, int]) -> list[Tally]:
    only, samples, part, parts = arguments
    import torch

    import ferrata.npu  # noqa: F401

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    return [run_operator(op, samples) for op in operators(only)[part::parts]]


def page(tallies: list[Tally], samples: int, seconds: float) -> str:
    """The Markdown page."""
    rows: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for tally in tallies:
        row = rows[category(tally.name)]
        row["operators"] += 1
        row["clean"] += tally.failed == 0
        row["passed"] += tally.passed
        row["failed"] += tally.failed
        row["unsupported"] += tally.unsupported
    total: collections.Counter[str] = sum(rows.values(), collections.Counter())
    import torch

    lines = [
        "# PyTorch's operator database on the device",
        "",
        f"`python tools/op_db_report.py` runs the {total['operators']} entries of PyTorch "
        f"{torch.__version__.split('+')[0]}'s own test database (`op_db`) on `npu` and on the CPU and compares the "
        f"results: the forward for {', '.join(DTYPES)} where the operator supports them, and the backward for float32, "
        f"on up to {samples} samples of each. Every sample counts as one case, each backward as another. Cases that "
        f"the CPU itself refuses ({total['unsupported']}) are left out.",
        "",
        "| category | operators | all cases pass | cases passed | cases failed | rate |",
        "|---|---:|---:|---:|---:|---:|",
    ]

    def line(title: str, row: collections.Counter[str]) -> str:
        cases = row["passed"] + row["failed"]
        rate = 100 * row["passed"] / cases if cases else 100.0
        return f"| {title} | {row['operators']} | {row['clean']} | {row['passed']} | {row['failed']} | {rate:.2f} % |"

    lines += [line(title, rows[title]) for title in sorted(rows)]
    lines += [line("**all**", total), "", "## What fails", ""]
    failing = sorted((tally for tally in tallies if tally.failed), key=lambda tally: tally.name)
    if not failing:
        lines.append("Nothing.")
    else:
        lines += ["| operator | failed of | why |", "|---|---|---|"]
        for tally in failing:
            note = NOTES.get(tally.name)
            why = note or "<br>".join(dict.fromkeys(_reason(text) for text in tally.reasons))
            lines.append(f"| `{tally.name}` | {tally.failed} of {tally.failed + tally.passed} | {why} |")
    return "\n".join(lines) + "\n"


def _reason(text: str) -> str:
    """What went wrong without the sample's number, so that equal reasons show once."""
    return text.split(": ", 1)[-1].replace("|", "\\|")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    start = time.perf_counter()
    parts = 1 if options.only else options.jobs * 8
    work = [(options.only, options.samples, part, parts) for part in range(parts)]
    tallies: list[Tally] = []
    if parts == 1:
        tallies = _work(work[0])
    else:
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
            for done, result in enumerate(pool.map(_work, work), 1):
                tallies += result
                print(f"{done}/{parts} parts, {time.perf_counter() - start:.0f} s", file=sys.stderr)
    seconds = time.perf_counter() - start
    text = page(tallies, options.samples, seconds)
    print(text)
    print(
        f"{seconds:.0f} s; slowest: "
        + ", ".join(f"{t.name} {t.seconds:.1f}" for t in sorted(tallies, key=lambda t: -t.seconds)[:8]),
        file=sys.stderr,
    )
    if not options.only and not options.check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text)
    if options.check:
        known = PAGE.read_text()
        return int(any(tally.failed and f"| `{tally.name}` |" not in known for tally in tallies))
    return 0


if __name__ == "__main__":
    sys.exit(main())
