"""The commands, one function each. Heavy imports (torch, the device) are inside the functions that need them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ferrata import __version__

PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

app = typer.Typer(
    name="ferrata",
    help="Write, run and check Ascend C custom operators, and take them through torch.compile, without an NPU.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print ferrata's version.")
    ] = False,
) -> None:
    pass


@app.command()
def home() -> None:
    """Print the toolkit folder: source "$(ferrata home)/set_env.sh" makes this shell a build shell."""
    from ferrata.asc.home import home as toolkit
    from ferrata.cli.prepare import prepare

    folder = toolkit()
    prepare(folder)
    typer.echo(folder)


@app.command()
def build() -> None:
    """Build the native libraries now (they are otherwise built on first use)."""
    from ferrata.asc.home import home as toolkit
    from ferrata.native import build as native

    for name, make in (("runtime", native.runtime), ("ge", native.ge), ("device", native.device), ("home", toolkit)):
        start = time.perf_counter()
        path = make()
        typer.echo(f"{name:8} {path}  ({time.perf_counter() - start:.1f} s)")


@app.command(context_settings=PASS_ON)
def cc(context: typer.Context) -> None:
    """Compile or link Ascend C, with the options of bisheng: ferrata cc --npu-arch=dav-2201 main.asc -o main."""
    from ferrata.asc.driver import main as driver

    raise typer.Exit(driver(list(context.args)))


@app.command(context_settings=PASS_ON)
def run(context: typer.Context) -> None:
    """Run a Python script with the vendor's import names (torch_npu, torchair): ferrata run script.py ARGUMENTS."""
    from ferrata.cli.scripts import run_script

    run_script(list(context.args))


@app.command(name="op")
def operator_project(
    folder: Annotated[Path, typer.Argument(help="A folder with op_host and op_kernel.")],
    shape: Annotated[list[str] | None, typer.Option(help="Shape of an input: x=2,3 (repeat for each).")] = None,
    dtype: Annotated[list[str] | None, typer.Option(help="Data type of an input: x=float16.")] = None,
    attr: Annotated[list[str] | None, typer.Option(help="Value of an attribute: alpha=2.0.")] = None,
    name: Annotated[str | None, typer.Option(help="The operator, if the folder has several.")] = None,
    execute: Annotated[bool, typer.Option("--run", help="Run it on random tensors of these shapes.")] = False,
) -> None:
    """Show the operators of an OpDef project, their tiling for given shapes, and run them on random tensors."""
    from ferrata.op import load_project
    from ferrata.op.project import report

    for operator in load_project(folder):
        if name not in (None, operator.op_type, operator.name):
            continue
        for line in report.describe(operator):
            typer.echo(line)
        if shape:
            given = report.arguments(operator, shape, dtype or [], attr or [])
            for line in [*report.tiling(operator, given), *(report.run(operator, given) if execute else ())]:
                typer.echo(line)


@app.command(name="export")
def export_operators(
    target: Annotated[str, typer.Argument(help="FILE.py, FILE.py:NAME, package.module or package.module:NAME.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the project.")],
    form: Annotated[str, typer.Option(help="ge (with graphs), opdef (op_host and op_kernel), eager, or all.")] = "ge",
    name: Annotated[str | None, typer.Option(help="Name of the library and its files.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files in a folder that is not empty.")] = False,
) -> None:
    """Write operators as a project for the public toolkit: kernel, PyTorch, GE and converter sources, build and test."""
    from ferrata.cli.projects import export

    if form not in ("ge", "opdef", "eager", "all"):
        raise typer.BadParameter(f"{form!r} is none of ge, opdef, eager, all", param_hint="--form")
    export(target, output, form, name, force)


@app.command(name="run-graph")
def run_graph(
    file: Annotated[Path, typer.Argument(help="A graph that torchair.dynamo_export wrote: model.air.")],
    inputs: Annotated[
        list[str] | None, typer.Option("--input", "-i", help="x=x.npy, or files in the order of the inputs.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Folder for <name>.npy of each result.")] = None,
    library: Annotated[list[Path] | None, typer.Option(help="A library of custom operators.")] = None,
    module: Annotated[
        list[str] | None, typer.Option("--import", help="A Python module (or file.py) of custom operators.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="Where it runs: cpu or npu; default: as it was exported.")] = None,
    info: Annotated[bool, typer.Option("--info", help="Describe the graph: inputs, sizes, outputs, nodes.")] = False,
) -> None:
    """Run an exported graph without the model's code."""
    from ferrata.cli.graphs import run_graph as run

    run(file, inputs or [], output, library or [], module or [], device, info)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The operator, such as rms_norm.")],
    folder: Annotated[Path, typer.Option("--dir", help="Where the project's folder is made.")] = Path(),
) -> None:
    """Start a project: a kernel, an operator, tests that pass, pyproject and CI files."""
    from ferrata.cli.projects import new as make

    make(name, folder)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def compare(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="script.py, FILE.py:FUNCTION, or a folder with a data dump.")],
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance; default: by data type.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance; default: by data type.")] = None,
) -> None:
    """Run graphs compiled and eagerly on equal inputs and name the first node that differs; or compare two data dumps.

    What follows the target are the script's arguments, or the second folder. Exit code 1: there is a difference.
    """
    from ferrata.cli.seeing import compare as run_compare

    raise typer.Exit(0 if run_compare(target, context.args, rtol, atol) else 1)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def coverage(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="script.py, or FILE.py:FUNCTION that returns (model, inputs).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    every: Annotated[bool, typer.Option("--all", help="List the nodes that convert as well.")] = False,
) -> None:
    """Say of each node of a model whether it converts, stays an ATen call or fails, before anything is compiled.

    What follows the target are the script's arguments. Exit code 1: something is missing.
    """
    from ferrata.cli.seeing import coverage as run_coverage

    raise typer.Exit(1 if run_coverage(target, context.args, as_json, every).missing else 0)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def view(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(help="script.py, FILE.py:FUNCTION, model.air, or a ge_proto dump (file or folder).")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page.")] = Path("graph.html"),
    repeat: Annotated[int, typer.Option(min=0, help="Timed runs of each graph; 0: no times.")] = 5,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    library: Annotated[list[Path] | None, typer.Option(help="For model.air: a library of custom operators.")] = None,
    module: Annotated[
        list[str] | None, typer.Option("--import", help="For model.air: a module (or file.py) of custom operators.")
    ] = None,
) -> None:
    """Write one HTML page with the graphs: folded by module, searchable, passes, memory and times; needs no network.

    What follows the target are the script's arguments.
    """
    from ferrata.cli.seeing import view as write_view

    write_view(target, context.args, output, repeat, show, library or [], module or [])


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def profile(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="script.py, or FILE.py:FUNCTION that returns (model, inputs).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The Chrome trace.")] = Path("trace.json"),
    rows: Annotated[int, typer.Option(min=1, help="Rows of the table.")] = 20,
    shapes: Annotated[bool, typer.Option(help="Record and group by input shapes.")] = True,
) -> None:
    """Run a script or model under torch.profiler: nodes and kernels by name, a table and a Chrome trace.

    What follows the target are the script's arguments. Times are those of the emulation.
    """
    from ferrata.cli.seeing import profile as run_profile

    run_profile(target, context.args, output, rows, shapes)


@app.command()
def demo(
    keep: Annotated[Path | None, typer.Option(help="Folder for the built files; default: a temporary one.")] = None,
) -> None:
    """Show the whole chain: kernel, compiled graph, checked result, and a transformer layer on real text."""
    from ferrata.cli.demo import main as show

    show(keep)


@app.command()
def info() -> None:
    """Say what is installed and where: versions, compiler, emulated chip, cache."""
    from ferrata.cli.facts import facts

    for name, value in facts():
        typer.echo(f"{name:14} {value}")


@app.command()
def version() -> None:
    """Print ferrata's version."""
    typer.echo(__version__)
