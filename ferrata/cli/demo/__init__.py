"""`ferrata demo`: the whole chain on one screen, each step really done.

Compile the operator, load it, capture a model, print its GE graph, compare the result; then the same operator with
dynamic shapes inside a transformer layer on real text.
"""

from __future__ import annotations

import re
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ferrata.asc.home import home
from ferrata.cli.prepare import prepare
from ferrata.errors import DemoFailed

NEXT = """\
  [bold]ferrata home[/]           the toolkit: source "$(ferrata home)/set_env.sh", then cmake and make as ever
  [bold]ferrata run x.py[/]       run a script that imports torch_npu and torchair
  [bold]ferrata cc[/]             the bisheng-compatible compiler: ferrata cc --npu-arch=dav-2201 main.asc -o main
  [bold]docs/tutorial[/]          from kernel to graph in five steps
"""


def main(keep: Path | None = None) -> None:
    """Run the demo; built files go to `keep` or a temporary folder. Raises DemoFailed if a result is not as expected."""
    console = Console(highlight=False, soft_wrap=True)
    prepare(home())  # before the first title, so that a first build is not counted as part of a step
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ferrata-demo-")))
        _compile(console, folder)
        _add(console, folder)
        _encoder(console, folder)
    console.print("\n[bold cyan]5  What to try next[/]")
    console.print(NEXT)


def _title(console: Console, text: str) -> None:
    console.print(f"\n[bold cyan]{text}[/]")


def _compile(console: Console, folder: Path) -> None:
    from ferrata.cli.demo.library import FOLDER, build_library

    _title(console, "1  Compile: an Ascend C kernel, its GE operator and its PyTorch schema, for dav-2201")
    library, seconds = build_library(folder)
    for name, value in seconds.items():
        lines = "" if name == "link" else f"{len((FOLDER / name).read_text().splitlines()):4} lines"
        console.print(f"  {name:24} {lines:10} {value:6.2f} s")

    import torch

    import ferrata.npu  # noqa: F401

    torch.ops.load_library(str(library))  # type: ignore[no-untyped-call]
    console.print(f"  loaded {library.name}: torch.ops.ascendc_ops.ascendc_add, GE operator AddCustom")


def _backend(folder: Path, name: str) -> Any:
    from ferrata.torchair import CompilerConfig, get_npu_backend

    config = CompilerConfig()
    config.debug.graph_dump.type = "py"
    (folder / name).mkdir(parents=True, exist_ok=True)
    config.debug.graph_dump.path = str(folder / name)
    return get_npu_backend(compiler_config=config)


def _graphs(folder: Path, name: str) -> list[str]:
    return [path.read_text() for path in sorted((folder / name).glob("*optimized*.py"))]


def _add(console: Console, folder: Path) -> None:
    import torch

    from ferrata.cli.demo.model import AddModel, register
    from ferrata.run import runtime

    register()
    _title(console, "2  Capture: torch.compile(model, fullgraph=True) turns the call into a GE graph")
    torch.manual_seed(0)
    x, y = torch.rand(8, 2048), torch.rand(8, 2048)
    model = torch.compile(AddModel().to("npu"), fullgraph=True, backend=_backend(folder, "add"), dynamic=False)
    launches = runtime().launches()
    with torch.no_grad():
        z = model(x.to("npu"), y.to("npu"))
    for text in _graphs(folder, "add"):
        console.print(escape(text.rstrip()))

    _title(console, "3  Check: the graph's result against torch.add")
    error = (z.cpu() - torch.add(x, y)).abs().max().item()
    count = runtime().launches() - launches
    console.print(f"  z on {z.device}, shape {list(z.shape)}; kernel launches: {count}; largest difference: {error:g}")
    if error != 0 or count != 1:
        raise DemoFailed(step="AddCustom", expected="difference 0 and one launch", got=f"{error:g} and {count}")
    console.print("  [bold green]equal, bit for bit[/]")


def _encoder(console: Console, folder: Path) -> None:
    import torch

    from ferrata.cli.demo.model import EncoderLayer, batches
    from ferrata.run import runtime

    _title(
        console, "4  A model: the residual adds of a transformer encoder layer, dynamic shapes, a text read as bytes"
    )
    torch.manual_seed(0)
    plain = EncoderLayer(torch.add).eval()
    custom = EncoderLayer(torch.ops.ascendc_ops.ascendc_add.default).eval()
    custom.load_state_dict(plain.state_dict())
    model = torch.compile(custom.to("npu"), fullgraph=True, backend=_backend(folder, "encoder"), dynamic=True)
    table = Table("batch", "bytes", "kernel launches", "largest difference to torch.add", "time", box=None)
    worst = 0.0
    with torch.no_grad():
        for tokens in batches():
            before, start = runtime().launches(), time.perf_counter()
            out = model(tokens.to("npu"))
            elapsed = time.perf_counter() - start
            error = (out.cpu() - plain(tokens)).abs().max().item()
            worst = max(worst, error)
            launches = runtime().launches() - before
            if launches != 2:
                raise DemoFailed(step="encoder layer", expected="two launches a call", got=str(launches))
            shape = f"{tokens.shape[0]} x {tokens.shape[1]}"
            table.add_row(
                shape, str(int((tokens != 0).sum())), str(launches), f"{error:.1e}", f"{elapsed * 1e3:.0f} ms"
            )
    graphs = _graphs(folder, "encoder")
    lines = graphs[0].splitlines()
    shown = [line for line in lines if "= AddCustom(" in line]
    console.print(f"  the graph has {len(lines) - 2} nodes; those of the custom operator:")
    for line in shown:
        console.print(escape("  " + re.sub(" {2,}", "  ", line.strip())))
    console.print(table)
    if worst > 1e-5 or len(graphs) != 1:
        raise DemoFailed(
            step="encoder layer", expected="differences up to 1e-5, one compilation", got=f"{worst}, {len(graphs)}"
        )
    console.print(f"  [bold green]one compilation served all {len(batches())} shapes[/]")
