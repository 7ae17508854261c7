"""The files of an operator project: which are compiled, where an operator's kernel is, where its functions stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ferrata.asc import kernels, launches
from ferrata.asc.rewrite import Scan
from ferrata.asc.tilingkeys import entry_name as entry_name
from ferrata.errors import KernelEntryMissing, NotAProject

HOST, KERNEL = "op_host", "op_kernel"
# Parts of production projects that are not the operator: interfaces of other kinds and tests.
_OTHER = frozenset({"op_api", "aclnn", "tests", "test", "ut", "st", "build", "build_out", "cmake", "framework"})
_SOURCES = (".cpp", ".cc", ".cxx")
_KERNELS = (".cpp", ".asc", ".cce", ".cc")


@dataclass(frozen=True)
class Sources:
    """The files of a project. `root` holds op_host and op_kernel."""

    root: Path
    host: tuple[Path, ...]
    kernel: tuple[Path, ...]

    @property
    def include(self) -> list[Path]:
        """Folders in which the project's own headers are looked for."""
        folders = [self.root / HOST, self.root / KERNEL, self.root, self.root / "include", self.root / "common"]
        return [folder for folder in folders if folder.is_dir()]


@dataclass(frozen=True)
class Entry:
    """A kernel function. parameters: as written. template: the words before each template parameter's name."""

    name: str
    file: Path
    line: int
    parameters: tuple[str, ...]
    template: tuple[str, ...] = field(default=())


def find(path: Path) -> Sources:
    """The sources below `path`. Raises NotAProject."""
    root = path.expanduser().resolve()
    if not root.is_dir():
        raise NotAProject(path=path, problem="it is no folder" if root.exists() else "there is no such folder")
    if not (root / HOST).is_dir():
        below = sorted(folder.parent for folder in root.glob(f"*/{HOST}") if folder.is_dir())
        if len(below) != 1:
            also = f"; these below it are: {', '.join(b.name for b in below)}" if below else ""
            raise NotAProject(path=path, problem=f"it has no folder {HOST}{also}")
        root = below[0]
    host = _files(root / HOST, _SOURCES) + _files(root / "op_graph", _SOURCES)
    if not host:
        raise NotAProject(path=path, problem=f"{HOST} has no C++ file")
    if not (root / KERNEL).is_dir():
        raise NotAProject(path=path, problem=f"it has no folder {KERNEL}")
    return Sources(root, host, _files(root / KERNEL, (*_KERNELS, ".h", ".hpp")))


def _files(folder: Path, suffixes: tuple[str, ...]) -> tuple[Path, ...]:
    found = (file for file in folder.rglob("*") if file.suffix in suffixes and file.is_file())
    return tuple(sorted(file for file in found if not _OTHER & set(file.relative_to(folder).parts[:-1])))


def entry(sources: Sources, op_type: str, name: str, file_stem: str | None = None) -> Entry:
    """The definition of kernel `name`. Raises KernelEntryMissing with the nearest name."""
    import difflib

    found: dict[str, list[Entry]] = {}
    for file in sources.kernel:
        for one in _entries(file):
            found.setdefault(one.name, []).append(one)
    if name not in found:
        close = difflib.get_close_matches(name, found, 1, 0.5)
        near = (
            f" Did you mean {close[0]!r} ({found[close[0]][0].file.name}:{found[close[0]][0].line})?" if close else ""
        )
        raise KernelEntryMissing(
            op=op_type, entry=name, folder=sources.root / KERNEL, near=near, known=", ".join(sorted(found)) or "none"
        )
    wanted = (file_stem or name, name)
    return min(found[name], key=lambda e: (e.file.stem not in wanted, e.file.suffix not in _KERNELS))


def _entries(file: Path) -> list[Entry]:
    text = file.read_text(encoding="utf-8", errors="replace")
    scan = Scan.of(text)
    found = []
    for kernel in kernels.find(scan.items, scan.aliases):
        if kernel.body is None:
            continue
        ranges = launches.split(scan.items, *kernel.parameters)
        parameters = tuple(" ".join(t.text for t in scan.items[first:last]) for first, last in ranges)
        template: tuple[str, ...] = ()
        if scan.items[kernel.first].text == "template":
            head = text[scan.items[kernel.first].start : kernel.at]
            template = tuple(_template(head))
        found.append(Entry(kernel.name, file, text.count("\n", 0, kernel.at) + 1, parameters, template))
    return found


def _template(head: str) -> list[str]:
    """`template <typename T, int A>` -> ["typename", "int"]."""
    start, depth, part, parts = head.index("<") + 1, 1, "", []
    for char in head[start:]:
        depth += {"<": 1, ">": -1}.get(char, 0)
        if depth == 0 or (char == "," and depth == 1):
            parts.append(part)
            part = ""
            if depth == 0:
                break
        else:
            part += char
    return [" ".join(words.split("=")[0].split()[:-1]) or words.strip() for words in parts if words.strip()]


def template_parameters(sources: Sources, op_type: str) -> list[tuple[str, int]]:
    """The ASCENDC_TPL_ARGS_DECL of the operator: name and width in bits of each parameter."""
    for file in sources.kernel:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", file.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
        declared = re.search(rf"ASCENDC_TPL_ARGS_DECL\s*\(\s*{op_type}\s*,", text)
        if declared:
            end = text.find("ASCENDC_TPL_SEL", declared.end())
            body = text[declared.end() : end if end > 0 else len(text)]
            pattern = r"ASCENDC_TPL_(DATATYPE|DTYPE|FORMAT|UINT|BOOL)_DECL\s*\(\s*(\w+)\s*(?:,\s*([\w]+))?"
            return [
                (name, {"BOOL": 1, "UINT": _width(text, bits)}.get(kind, 8))
                for kind, name, bits in re.findall(pattern, body)
            ]
    return []


def _width(text: str, bits: str) -> int:
    """A width as written: a number, ASCENDC_TPL_8_BW, or a macro of the header."""
    named = re.fullmatch(r"ASCENDC_TPL_(\d+)_BW", bits)
    if named:
        return int(named[1])
    if bits.isdigit():
        return int(bits)
    defined = re.search(rf"#\s*define\s+{bits}\s+\(?(\d+)", text)
    return int(defined[1]) if defined else 8


def place_of(sources: Sources, pattern: str) -> str | None:
    """`file:line` of the first match of `pattern` (with one group: that group's match) in the host sources."""
    for file in sources.host:
        text = file.read_text(encoding="utf-8", errors="replace")
        hit = re.search(pattern, text, re.MULTILINE)
        if hit:
            return f"{file}:{text.count(chr(10), 0, hit.start()) + 1}"
    return None


def tiling_place(sources: Sources, op_type: str) -> str:
    """Where the tiling function of an operator is defined, as far as the text tells."""
    text = "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in sources.host)
    start = text.find(f"class {op_type}")
    named = re.search(r"SetTiling\(\s*&?([\w:]+)", text[max(start, 0) :])
    named = named or re.search(rf"IMPL_OP\w*\(\s*{op_type}\s*\)[^;]*?\.Tiling\(\s*&?([\w:]+)", text)
    if named:
        name = named[1].split("::")[-1]
        found = place_of(sources, rf"^[ \t]*[\w: \t*&]*\b{name}\s*\([^;{{]*TilingContext[^;{{]*\{{")
        if found:
            return found
    return place_of(sources, rf"class\s+{op_type}\b") or str(sources.root / HOST)
