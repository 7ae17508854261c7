"""`ferrata view`: one self-contained HTML page of compiled graphs, for a browser without a network.

    page([Shown(original, graph, steps)])     the text of the page
    write(path, [shown, ...])                 and to a file

Python only gathers facts (model.py, memory.py); folding, layout and drawing happen in the page (js/, style.css).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ferrata.ge.view.model import Shown, described

__all__ = ["Shown", "page", "write"]

_HERE = Path(__file__).parent
_SCRIPTS = ("words", "data", "layout", "canvas", "charts", "panels", "main", "selftest")


def page(programs: Sequence[Shown], title: str = "") -> str:
    """The page as text. title: what stands in the window's title; default: the first graph's name."""
    data = {"title": title or (programs[0].graph.name if programs else "graph"), "programs": described(programs)}
    return str(
        _template().render(title=data["title"], data=_embedded(data), style=_file("style.css"), script=_script())
    )


def write(path: Path | str, programs: Sequence[Shown], title: str = "") -> Path:
    """Write the page; its path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(programs, title), encoding="utf-8")
    return path


def _embedded(data: Any) -> str:
    """JSON that may stand inside a script element, whatever the user's lines contain."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _script() -> str:
    return "\n".join(_file(f"js/{name}.js") for name in _SCRIPTS)


@cache
def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)
    return environment.from_string(_file("page.html.j2"))
