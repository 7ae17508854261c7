"""mkdocs hooks: the reference pages that are made from the code, so that they cannot drift from it."""

from __future__ import annotations

import inspect
import string
from dataclasses import fields
from typing import TYPE_CHECKING

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from ferrata.lang.binding.names import Entry


def errors_page() -> str:
    """Every error class of ferrata.errors, by section, with its template."""
    from ferrata import errors

    source = inspect.getsource(errors)
    lines = [
        "# Errors",
        "",
        "Made from `ferrata/errors.py`. Words in braces are filled in when the error is raised.",
        "",
    ]
    for line in source.splitlines():
        if line.startswith("# --- "):
            lines += [f"## {line.strip('# -').capitalize()}", ""]
        elif line.startswith("class "):
            name = line[len("class ") :].split("(")[0].split(":")[0]
            cls = getattr(errors, name)
            bases = ", ".join(f"`{base.__name__}`" for base in cls.__mro__[1:] if base.__module__ == "builtins"
                              and base not in (object, BaseException, Exception))  # fmt: skip
            lines += [f"### {name}", ""]
            if bases:
                lines += [f"Also a {bases}.", ""]
            template = "".join(
                literal + (f"‹{field}›" if field else "")
                for literal, field, _, _ in string.Formatter().parse(inspect.cleandoc(cls.__doc__ or ""))
            )
            lines += ["```text", template, "```", ""]
    return "\n".join(lines)


def chips_page() -> str:
    """The table of chips."""
    from ferrata.chips import CHIPS, Chip

    names = [field.name for field in fields(Chip)]
    lines = ["# Chips", "", "Made from `ferrata/chips.py`. Sizes in bytes.", ""]
    lines += ["| | " + " | ".join(CHIPS) + " |", "|---" * (len(CHIPS) + 1) + "|"]
    lines += [
        f"| `{name}` | " + " | ".join(str(getattr(chip, name)) for chip in CHIPS.values()) + " |" for name in names
    ]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """`ferrata --help` and the help of each command."""
    from typer.testing import CliRunner

    from ferrata.cli.commands import app

    def text(*path: str) -> str:
        output = CliRunner().invoke(app, [*path, "--help"], prog_name="ferrata", env={"TERMINAL_WIDTH": "100"}).output
        return f"## `{' '.join(['ferrata', *path])}`\n\n```text\n{output.strip()}\n```\n"

    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    taken = {"cc", "run"}  # these pass --help on
    parts = [text()] + [text(name) for name in names if name not in taken]
    return "# Commands\n\n" + "\n".join(parts)


def config_page() -> str:
    """Every option of CompilerConfig: default, allowed values, what ferrata does with it."""
    from ferrata.torchair.config import reference_rows

    lines = ["# Compiler options", "", "Made from the option table of `ferrata.torchair.CompilerConfig`.", ""]
    lines += ["| option | default | allowed | what ferrata does |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in reference_rows()]
    return "\n".join(lines) + "\n"


def passes_page() -> str:
    """Every pass of the graph engine: its name, where it runs, what it does."""
    from ferrata.ge import cluster
    from ferrata.ge.passes import FINAL, PIPELINE

    lines = [
        "# Passes of the graph engine",
        "",
        "Made from `ferrata/ge/passes`. They run in this order. Each has a switch: "
        '`config.ge_config.optimization_switch = "Name:off"`, several separated by semicolons. With '
        "`DUMP_GE_GRAPH=2` and `DUMP_GRAPH_LEVEL=1` the graph is written before and after each pass that changes it.",
        "",
        "| pass | levels | what it does |",
        "|---|---|---|",
    ]

    def first(text: str | None) -> str:
        return inspect.cleandoc(text or "").split("\n\n")[0].replace("\n", " ")

    for entry in PIPELINE:
        module = inspect.getmodule(entry.run)
        lines.append(f"| `{entry.name}` | {', '.join(entry.levels)} | {first(module and module.__doc__)} |")
    lines.append(f"| `{cluster.NAME}` | O3, where it is set | {first(cluster.__doc__)} |")
    for entry in FINAL:
        module = inspect.getmodule(entry.run)
        lines.append(f"| `{entry.name}` | {', '.join(entry.levels)} | {first(module and module.__doc__)} |")
    return "\n".join(lines) + "\n"


def kernel_language_page() -> str:
    """Every interface under its Python name: forms, element types, limits; then structures and enumerations."""
    from ferrata.lang.api import RULES
    from ferrata.lang.binding import layouts, names

    lines = [
        "# Interfaces in Python",
        "",
        "Made from the API registry. `ac` is `from ferrata import lang as ac`. Each interface is called as its forms show: "
        "a list `[low, high]` is a mask of bits, a structure may be written as a tuple, `*` stands before what is given by "
        "name. Parameters may be written as in C++ too (`repeatTime`). Results that C++ returns by reference are results "
        "in Python.",
        "",
        "Rules that entries name:",
        "",
        *(f"- **{key}**: {text}" for key, text in RULES.items()),
        "",
    ]
    groups: dict[str, list[names.Entry]] = {}
    for entry in names.functions().values():
        if entry.present:
            groups.setdefault(entry.present[0].category, []).append(entry)
    for category, entries in groups.items():
        lines += [f"## {category.capitalize()}", ""]
        for entry in entries:
            lines += _interface(entry)
    lines += ["## Members", ""]
    for table in names.methods().values():
        for entry in table.values():
            lines += _interface(entry)
    lines += ["## Structures", ""]
    for name, row in names.structs().items():
        what = layouts.layout(name)
        taken = [f"{field.python}={field.default or '...'}" for field in what.fields]
        lines += [f"### ac.{name}", "", row.doc, "", "```python", f"ac.{name}({', '.join(taken)})", "```", ""]
        lines += [text + "\n" for text in (row.limits, row.notes) if text]
    lines += ["## Enumerations", ""]
    for name, members in names.enums().items():
        lines += [f"**ac.{name}**: " + ", ".join(f"`{member}`" for member in members), ""]
    for title, host in (("Not on dav-2201", False), ("On the host only", True)):
        missing = [
            e.spelled for e in names.functions().values() if not e.present and (e.rows[0].pipe == "host") == host
        ]
        lines += [f"## {title}", "", ", ".join(f"`{name}`" for name in missing) + ".", ""]
    return "\n".join(lines)


def _interface(entry: Entry) -> list[str]:
    """One interface of the page."""
    from ferrata.lang.api import DAV_2201, sentences
    from ferrata.lang.binding.signature import signatures
    from ferrata.lang.elements import by_cpp

    rows = entry.present
    lines = [f"### {entry.spelled}", "", *dict.fromkeys(row.doc for row in rows), "", "```python"]
    every = [signature for row in rows for signature in signatures(row)]
    kinds = any(slot.kind.tag == "global" for signature in every for slot in signature.params)
    for signature in every:
        results = [slot.python for slot in signature.results]
        arrow = f" -> {', '.join(results)}" if results else ""
        lines.append(f"{entry.spelled}({signature.spelled(kinds)}){arrow}")
    lines += ["```", ""]
    facts = [f"In C++ `{entry.cpp}`, pipe {', '.join(dict.fromkeys(row.pipe for row in rows))}."]
    for row in rows:
        dtypes = row.dtypes[DAV_2201]
        combos = [[by_cpp(name) for name in combo] for combo in dtypes]
        shown = [" <- ".join(member.name for member in combo if member) for combo in combos if all(combo)]
        if shown:
            facts.append(f"{', '.join(dtypes.letters)}: {', '.join(shown)}.")
    lines += [" ".join(dict.fromkeys(facts)), ""]
    rules = ", ".join(dict.fromkeys(rule for row in rows for rule in row.rules))
    limits = sentences([rules, *(row.limits for row in rows)])
    if limits:
        lines += [f"Limits: {limits}", ""]
    lines += [f"Notes: {text}\n" for text in dict.fromkeys(row.notes for row in rows if row.notes)]
    return lines


PAGES = {
    "reference/errors.md": errors_page,
    "reference/chips.md": chips_page,
    "reference/commands.md": commands_page,
    "reference/config.md": config_page,
    "reference/passes.md": passes_page,
    "reference/kernel_language.md": kernel_language_page,
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for uri, page in PAGES.items():
        files.append(File.generated(config, uri, content=page()))
    return files
