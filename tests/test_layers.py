"""The house: a folder imports only from folders below it, and nothing imports the vendor's names' folder."""

from __future__ import annotations

import ast
from pathlib import Path

import ferrata

ROOT = Path(ferrata.__file__).parent
ORDER = ["cli", "testing", "op", "torchair", "ge", "lang", "check", "run", "asc", "npu", "native"]
GROUND = {"chips", "dtypes", "errors", "faults", "cache", "quiet", "_autoload", "__init__", "__main__"}
# what the package itself and the autoload entry point may reach: they are doors, not rooms
DOORS = {"__init__", "__main__", "_autoload"}


def _room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def _imports(path: Path) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" if node.module == "ferrata" else node.module for alias in node.names]
        found += [(node.lineno, name.split(".")[1]) for name in names if name.startswith("ferrata.")]
    return found


def test_every_folder_has_its_place_in_the_order() -> None:
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and any(p.rglob("*.py"))} - {"__pycache__", "compat"}
    assert folders <= set(ORDER), f"not in the order of rooms: {folders - set(ORDER)}"


def test_imports_go_downward_only() -> None:
    wrong = []
    for path in ROOT.rglob("*.py"):
        room = _room(path)
        if room == "compat" or room in DOORS:
            continue
        for line, target in _imports(path):
            if target in GROUND:
                continue
            if (
                room in GROUND
                or target == "compat"
                or (target in ORDER and room in ORDER and ORDER.index(target) < ORDER.index(room))
            ):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports ferrata.{target}")
    assert not wrong, "\n".join(wrong)


def _files_named(path: Path, modules: set[str]) -> set[str]:
    """The modules that a file imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & modules or {node.module}
    return found & modules


def test_files_of_lang_import_one_way() -> None:
    """Also late imports and those for type checkers count: what is left when all that stand on nothing are taken away,
    again and again, are circles and what stands on them."""
    paths = {".".join(p.relative_to(ROOT.parent).with_suffix("").parts): p for p in (ROOT / "lang").rglob("*.py")}
    paths = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    left = {name: _files_named(path, set(paths)) - {name} for name, path in paths.items()}
    while ready := {name for name, needs in left.items() if not needs}:
        left = {name: needs - ready for name, needs in left.items() if name not in ready}
    assert not left, "\n".join(f"{name} <- {', '.join(sorted(needs))}" for name, needs in left.items())
