"""mkdocs hooks: the reference pages that are made from the code, so that they cannot drift from it."""

from __future__ import annotations

import inspect
import string
from dataclasses import fields

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


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


PAGES = {
    "reference/errors.md": errors_page,
    "reference/chips.md": chips_page,
    "reference/commands.md": commands_page,
    "reference/config.md": config_page,
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for uri, page in PAGES.items():
        files.append(File.generated(config, uri, content=page()))
    return files
