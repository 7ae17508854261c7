"""`ferrata compare`, `coverage`, `view`, `profile`: run a target with its graphs watched, and print what was seen.

A target is a script, which runs as `ferrata run` runs it, or FILE.py:NAME, where NAME is `(model, inputs)` or a function
that returns such a pair: then the model is compiled with the default options and called once.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ferrata import errors
from ferrata.cli.scripts import run_script, vendor_names

if TYPE_CHECKING:
    from ferrata.torchair.coverage import Coverage


def compare(target: str, arguments: Sequence[str], rtol: float | None, atol: float | None) -> bool:
    """Compare eager and graph in a target, or two dump folders; print the report. Whether they agree."""
    folders = [Path(target), *map(Path, arguments[:1])]
    if folders[0].is_dir():
        from ferrata.torchair.folders import compare_folders

        if len(folders) < 2 or not folders[1].is_dir():
            raise errors.BadDumpFolder(
                path=folders[-1], problem="two folders are compared: ferrata compare EAGER GRAPH"
            )
        if len(arguments) > 1:
            raise errors.BadDumpFolder(path=arguments[1], problem="more than two folders cannot be compared")
        report = compare_folders(*folders, rtol=rtol, atol=atol)
    else:
        vendor_names()
        from ferrata.torchair.compare import comparing

        failure = None
        with comparing(rtol=rtol, atol=atol) as report:
            try:
                run_target(target, arguments)
            except Exception as raised:  # a graph that stops is what the report tells of
                if report.first is None:
                    raise
                failure = raised
        if not report.calls:
            raise errors.NothingCaptured(what="ferrata compare", where=target)
        if failure is not None:
            report.notes.append("the run ended there; later graphs are not compared")
    print(report)
    return report.same


def coverage(target: str, arguments: Sequence[str], as_json: bool, every: bool) -> Coverage:
    """Survey a target and print the table, or JSON. every: also the nodes that convert."""
    vendor_names()
    from ferrata.torchair.coverage import surveying

    with surveying() as report, _stdout_is_stderr(as_json):
        try:
            run_target(target, arguments)
        except Exception as failure:  # what was captured before is still worth a table
            if not report.graphs:
                raise
            report.notes.append(f"the run ended early: {type(failure).__name__}: {str(failure).splitlines()[0]}")
    if not report.graphs:
        raise errors.NothingCaptured(what="ferrata coverage", where=target)
    if as_json:
        print(json.dumps(report.as_json(), indent=1))
    else:
        _table(report, every)
    return report


def view(
    target: str,
    arguments: Sequence[str],
    output: Path,
    repeat: int,
    show: bool,
    libraries: Sequence[Path] = (),
    modules: Sequence[str] = (),
) -> Path:
    """Write the page of a target's graphs, of an .air file, or of ge.proto dumps (a file, a folder); print where it is.

    libraries, modules: custom operators of an .air file, as in `ferrata run-graph`.
    """
    from ferrata.ge.view import write

    file = Path(target)
    _check_writable(output)
    if file.suffix == ".air":
        from ferrata.cli.graphs import load_operators
        from ferrata.ge.store import read_graph
        from ferrata.ge.view import Shown

        load_operators(libraries, modules)
        graph, _, device = read_graph(file)
        path = write(output, [Shown(graph, graph, device=str(device))], file.stem)
    elif file.is_dir():
        from ferrata.ge.view.read import read_folder

        path = write(output, read_folder(file), file.name)
    elif file.suffix == ".txt":
        from ferrata.ge.view import Shown
        from ferrata.ge.view.read import read_dump

        graph = read_dump(file)
        path = write(output, [Shown(graph, graph)], file.stem)
    else:
        _check_script(target, _split(target)[0], ", nor .air (an exported graph) or .txt (a ge.proto dump)")
        vendor_names()
        from ferrata.torchair.view import viewing

        with viewing(repeat=repeat) as seen:
            try:
                run_target(target, arguments)
            except Exception as failure:  # what was captured before can be seen
                if not seen.graphs:
                    raise
                print(f"The run ended early: {type(failure).__name__}: {failure}", file=sys.stderr)
        if not seen.graphs:
            raise errors.NothingCaptured(what="ferrata view", where=target)
        path = write(output, seen.shown(), Path(target.split(":")[0]).stem)
    print(path)
    if show:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
    return path


def profile(target: str, arguments: Sequence[str], output: Path, rows: int, shapes: bool) -> None:
    """Run a target under torch.profiler, print the operators that took longest, and write a Chrome trace.

    A pair (model, inputs) is compiled and called once before, so that the profile has no compilation in it.
    """
    vendor_names()
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as recorder

    _check_writable(output)
    run = prepared(target, arguments)
    with recorder(activities=[ProfilerActivity.CPU], record_shapes=shapes) as found:
        run()
    table = found.key_averages(group_by_input_shape=shapes).table(
        sort_by="self_cpu_time_total", row_limit=rows, max_name_column_width=60
    )
    print(table)
    found.export_chrome_trace(str(output))
    print(f"{output}: open it in chrome://tracing or ui.perfetto.dev")


def _check_writable(file: Path) -> None:
    """Make the folder of a file that will be written, before anything runs. Raises NotWritable."""
    if file.is_dir():
        raise errors.NotWritable(path=file, reason="it is a folder")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise errors.NotWritable(path=file, reason=problem.strerror) from problem
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise errors.NotWritable(path=file, reason="permission denied")


def prepared(target: str, arguments: Sequence[str]) -> Callable[[], Any]:
    """What runs the target; a pair is compiled and called once already."""
    path, name = _split(target)
    _check_script(target, path)
    if not name:
        return lambda: run_target(target, arguments)
    if arguments:
        raise errors.BadTarget(target=target, problem=f"what follows it is not understood: {' '.join(arguments)}")
    model, inputs = pair(path, name)
    import torch

    from ferrata.torchair import get_npu_backend

    compiled = torch.compile(model, backend=get_npu_backend())
    args = inputs if isinstance(inputs, (tuple, list)) else () if isinstance(inputs, Mapping) else (inputs,)
    call = partial(compiled, *args, **(inputs if isinstance(inputs, Mapping) else {}))
    call()
    return call


def _split(target: str) -> tuple[str, str]:
    """FILE.py:NAME as its parts; a path alone has no name."""
    path, _, name = target.rpartition(":") if ":" in target and not Path(target).exists() else (target, "", "")
    return path, name


def _check_script(target: str, path: str, others: str = "") -> None:
    """A script may have no ending; a file of another kind is not run as one. Raises BadTarget."""
    file = Path(path)
    if file.is_dir():
        raise errors.BadTarget(target=target, problem=f"{path} is a folder, not a Python file")
    if file.is_file() and file.suffix not in ("", ".py", ".pyw"):
        raise errors.BadTarget(target=target, problem=f"{file.name} is not a Python file{others}")


def run_target(target: str, arguments: Sequence[str]) -> None:
    """Run it. A script that exits, even with a failure code, has run."""
    path, name = _split(target)
    _check_script(target, path)
    if name:
        prepared(target, arguments)
        return
    with contextlib.suppress(SystemExit):
        run_script([path, *arguments], report=False)


def pair(path: str, name: str) -> tuple[Callable[..., Any], Any]:
    """(model, inputs) by file and name. Raises BadTarget."""
    target = f"{path}:{name}"
    file = Path(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise errors.BadTarget(target=target, problem=f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if found is None:
        public = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        raise errors.BadTarget(
            target=target, problem=f"{path} has no {name!r} (it has {', '.join(public) or 'nothing'})"
        )
    try:
        needed = inspect.signature(found).bind() if callable(found) else None  # without parameters?
    except (TypeError, ValueError) as problem:
        raise errors.BadTarget(target=target, problem=f"{name} cannot be called so ({problem})") from None
    made = found if needed is None else found()
    if not isinstance(made, tuple) or len(made) != 2 or not callable(made[0]):
        raise errors.BadTarget(target=target, problem=f"it gives {type(made).__name__}, not (model, inputs)")
    return made


def _table(report: Coverage, every: bool) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from ferrata.torchair.coverage import STATUSES

    colours = {"missing": "bold red", "failed": "bold red", "not executable": "bold red", "graph break": "yellow"}
    colours |= {"aten": "yellow", "derived": "green", "converted": "green", "size": "dim"}
    console = Console()
    table = Table(title=f"{len(report.rows)} nodes in {report.graphs} graph(s)", title_justify="left", expand=False)
    for title, style in (("status", ""), ("operator", ""), ("calls", "right"), ("where", ""), ("why, what to do", "")):
        table.add_column(title, justify="right" if style else "left", overflow="fold")
    for row, count, lines in report.grouped():
        if not every and row.status in ("converted", "derived", "size"):
            continue
        more = f"\n+{len(lines) - 3} lines" if len(lines) > 3 else ""
        where = "\n".join(lines[:3]) + more
        words = "\n".join(filter(None, (row.code, row.reason, row.suggestion)))
        colour = colours[row.status]
        table.add_row(f"[{colour}]{row.status}[/]", escape(row.op), str(count), escape(where), escape(words))
    if table.row_count:
        console.print(table)
    counts = report.counts()
    console.print("  ".join(f"[{colours[s]}]{n} {s}[/]" for s, n in counts.items()), highlight=False)
    for status in counts:
        console.print(f"[dim]{status}: {STATUSES[status][0]}[/]", highlight=False)
    for note in report.notes:
        console.print(f"note: {note}", markup=False, highlight=False)
    if report.missing:
        console.print(f"[bold red]{len(report.missing)} node(s) keep this model from being compiled.[/]")


@contextlib.contextmanager
def _stdout_is_stderr(wanted: bool) -> Iterator[None]:
    """What a script prints must not stand in the JSON."""
    with contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext():
        yield
