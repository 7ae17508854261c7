"""Run the zoo and write docs/reference/zoo.md: one row a model. `python -m tools.zoo_report [name ...]`

Results are kept beside the page (zoo.json), so that single models can be run again; without names all are run.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tests.zoo.custom import CUSTOM
from tests.zoo.harness import (
    MODELS,
    check_forward,
    check_training,
    compiled,
    fresh,
    graphs,
    inputs,
    make,
    marked,
    on_aten,
    targets,
)

PAGE = Path(__file__).parents[1] / "docs/reference/zoo.md"
KEPT = PAGE.with_suffix(".json")
SIZES = 10

HEAD = """# The zoo

`python -m tools.zoo_report` compiles models of many architectures ({count} of the zoo's {all} stand below),
random-initialised and tiny, and compares with eager:
outputs in static form, outputs of one dynamic compilation at {sizes} random sizes (Dynamo refuses to
specialise the dimensions that are marked, and to compile again), loss and gradients of a training step. The
architectures come from `transformers` {transformers}, with configurations built in code; those in italics are written
in plain torch (`tests/zoo/handwritten.py`). Nothing is downloaded.

*Nodes* are those of the static forward graph, without inputs, constants and sizes on the host; *converted* is the
share that are GE operators, the rest are calls of ATen, which are listed. *Custom* names operators of the catalogue
with which the model is tested too (`tests/zoo/custom.py`).

"""

FOOT = """
## Calls of ATen that are left

{left}

`_scaled_dot_product_flash_attention_for_cpu` is PyTorch's fused attention for the CPU. GE's FlashAttentionScore has
no float32, so it stays; on `npu` attention reaches the graph taken apart, as matrix products and a softmax.
`mkldnn_rnn_layer` is likewise one for the CPU.

## One graph

Every model of the zoo is captured whole (`fullgraph=True`). The LSTM needs `torch._dynamo.config.allow_rnn = True`,
with any backend: Dynamo refuses `nn.LSTM` otherwise. Where only the batch may change in one compilation, the model's own
code decides by the length, in plain Python or in a loop that is unrolled, and every backend compiles again:

{unrolled}
"""


def attempt(run: Callable[[str], Any], name: str) -> tuple[Any, str]:
    """What it gives and "", or None and what went wrong in a line."""
    try:
        return run(name), ""
    except Exception as failure:  # noqa: BLE001  whatever a model raises stands in its row
        return None, f"{type(failure).__name__}: {failure}".splitlines()[0][:120]


def static(name: str) -> dict[str, Any]:
    with fresh(name), graphs() as seen:
        module, given = make(name)
        check_forward(name, compiled(name, module), module, given)
    found = targets(seen)
    return {
        "parameters": sum(p.numel() for p in module.parameters()),
        "graphs": len(seen),
        "nodes": sum(found.values()),
        "aten": dict(on_aten(found)),
    }


def dynamic(name: str) -> dict[str, Any]:
    """One compilation at many sizes. Recompilation raises."""
    with fresh(name, error_on_recompile=True), graphs() as seen:
        module, given = make(name)
        run = compiled(name, module, dynamic=None)
        check_forward(name, run, module, marked(name, given))
        for i, (batch, length) in enumerate(MODELS[name].sizes(SIZES)):
            check_forward(name, run, module, inputs(name, batch=batch, length=length, seed=i))
    return {"graphs": len(seen)}


def training(name: str) -> dict[str, Any]:
    with fresh(name), graphs() as seen:
        module, given = make(name)
        count = check_training(name, compiled(name, module), module, given)
    found = targets(seen)
    return {"gradients": count, "nodes": sum(found.values()), "aten": dict(on_aten(found))}


def main(names: list[str]) -> int:
    torch.set_num_threads(1)
    failed = False
    for name in names or MODELS:
        row: dict[str, Any] = {}
        for part, run in (("static", static), ("dynamic", dynamic), ("training", training)):
            result, why = attempt(run, name)
            row[part] = result if result is not None else {"failed": why}
        # read again for each row: two of these may run at once
        kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept[name] = row
        failed = failed or any("failed" in part for part in row.values())
        KEPT.write_text(json.dumps({n: kept[n] for n in MODELS if n in kept}, indent=1) + "\n")
        print(name, *(row[p].get("failed") or "equal" for p in row), flush=True)
        PAGE.write_text(page(kept))
    return 1 if failed else 0


def page(kept: dict[str, Any]) -> str:
    """The page of what is known."""
    import transformers

    rows = [m for m in MODELS if m in kept]
    text = [HEAD.format(count=len(rows), all=len(MODELS), sizes=SIZES + 1, transformers=transformers.__version__)]
    text.append(
        "| model | kind | parameters | one graph | nodes | converted | on ATen | static | dynamic | "
        "sizes that change | training | custom |\n|---|---|---:|---|---:|---:|---|---|---|---|---|---|\n"
    )
    text += [line(name, kept[name]) for name in rows]
    left: Counter[str] = Counter()
    for name in rows:
        for part in ("static", "training"):
            left.update(kept[name][part].get("aten", {}))
    shown = [f"| `{t.replace('aten::', '')}` | {n} |\n" for t, n in left.most_common()]
    unrolled = [f"- {name}: {MODELS[name].why}\n" for name in rows if MODELS[name].why]
    table = "| call | nodes, forward and training |\n|---|---:|\n" + "".join(shown)
    text.append(FOOT.format(left=table.rstrip() if shown else "None.", unrolled="".join(unrolled).rstrip()))
    return "".join(text)


def line(name: str, row: dict[str, Any]) -> str:
    model, first = MODELS[name], row["static"]
    nodes, aten = first.get("nodes", 0), first.get("aten", {})
    calls = ", ".join(f"{n}× `{t.removeprefix('aten::').removesuffix('.default')}`" for t, n in aten.items())
    converted = f"{100 * (nodes - sum(aten.values())) / nodes:.1f} %" if nodes else ""
    by_hand = model.build.__module__.endswith("handwritten") or isinstance(model.build, type)
    custom = ", ".join(f"`{t.removeprefix('Catalogue')}`" for t in CUSTOM.get(name, (None, {}))[1])
    cells = (
        f"*{name}*" if by_hand else name,
        model.kind,
        f"{first.get('parameters', 0):,}",
        "yes" if model.whole and first.get("graphs") == 1 else "no",
        str(nodes),
        converted,
        calls,
        first.get("failed") or "equal",
        row["dynamic"].get("failed") or "equal, no recompilation",
        "batch and length" if model.long else "batch",
        row["training"].get("failed") or f"equal, {row['training']['gradients']} gradients",
        custom,
    )
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
