"""One translation unit: the user's file and those of its headers that have to be rewritten too.

A header with a kernel or a launch, and every header on the way to it, is copied into the work folder, rewritten, and
included from there; all others stay where they are. Only the user's own headers are read: what comes from the system,
from Python packages or from ferrata itself holds no `<<<`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from ferrata.asc import cube, kernels, tilingkeys
from ferrata.asc.lexer import Token
from ferrata.asc.rewrite import Edit, Facts, Scan, apply, certain_names, marker, rewrite

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
# Tokens of a macro body are stringified after pasting, so that `name##_kernel` gives the kernel's real name.
_HEAD = "#define FERRATA_NAME(...) #__VA_ARGS__\n"
_FOREIGN = ("/usr/include", "/usr/lib", "/usr/local/include/c++", "/site-packages/", "/dist-packages/")


@dataclass
class File:
    """A file of the unit. `shown` is its name as the compiler would print it."""

    path: str
    shown: str
    scan: Scan
    includes: list[tuple[int, int, str, bool]] = field(default_factory=list)  # start, end, real path, beside the file
    copy: str | None = None


@dataclass
class Unit:
    """What was read of a translation unit."""

    main: File
    files: dict[str, File]
    device: bool  # holds device code: gets __NPU_ARCH__
    dual: frozenset[str]  # kinds of kernels that are compiled for cube cores too
    volatile: bool  # uses __TIME__ and the like: must not be cached
    absent: list[str]  # paths that would have been found first if they existed
    listed: bool = False  # kernels register themselves (runtime.py)

    def write(self, folder: str) -> str:
        """Write the rewritten files below `folder`; the path of the main one."""
        macros = _macros(self.files)
        names = certain_names([file.scan for file in self.files.values()], macros)
        texts = [file.scan.text for file in self.files.values()]
        keyed, structs = tilingkeys.keyed_names(texts), tilingkeys.structs(texts)
        facts = Facts(self.dual, self.listed, keyed, structs, _memories(self.files), tilingkeys.selected(texts))
        copied = [file for file in self.files.values() if file is self.main or file.copy is not None]
        for index, file in enumerate(copied):
            file.copy = os.path.join(folder, str(index), os.path.basename(file.path))
        for file in copied:
            assert file.copy is not None
            edits = rewrite(file.scan, file.shown, macros, names, facts) + self._includes(file)
            text = apply(file.scan.text, sorted(edits))
            os.makedirs(os.path.dirname(file.copy), exist_ok=True)
            with open(file.copy, "w", encoding="utf-8", errors="surrogateescape", newline="") as out:
                out.write((_HEAD if file is self.main else "") + marker(file.shown) + text)
        assert self.main.copy is not None
        return self.main.copy

    def _includes(self, file: File) -> list[Edit]:
        """Point includes at copies; in a header's copy also at neighbours that its new place does not have."""
        edits = []
        for start, end, real, beside in file.includes:
            target = self.files.get(real)
            if target is not None and target.copy is not None:
                edits.append((start, end, f'"{target.copy}"'))
            elif beside and file is not self.main:
                edits.append((start, end, f'"{real}"'))
        return edits

    def originals(self) -> dict[str, str]:
        """Copies to the files that they stand for, for dependency lists."""
        return {file.copy: file.shown for file in self.files.values() if file.copy is not None}

    def quote_folders(self) -> list[str]:
        """Folders in which `#include "..."` of a rewritten file must still look."""
        return list(dict.fromkeys(os.path.dirname(f.shown) or "." for f in self.files.values() if f.copy is not None))


def read(path: str, include: list[str], own_include: str) -> Unit:
    """Read a unit. Raises OSError if its main file cannot be read.

    include: the -iquote, -I and -isystem folders in order.
    """
    main = File(os.path.realpath(path), path, Scan.of(_text(path)))
    files = {main.path: main}
    absent: list[str] = []
    folders = [folder for folder in include if not _foreign(folder, own_include)]
    queue = [main]
    while queue:
        file = queue.pop()
        for hit in _INCLUDE.finditer(file.scan.text):
            quoted = hit.group(1)
            name = quoted or hit.group(2)
            beside = os.path.join(os.path.dirname(file.shown), name)
            candidates = ([beside] if quoted else []) + [os.path.join(folder, name) for folder in folders]
            for candidate in candidates:
                if os.path.isfile(candidate):
                    real = os.path.realpath(candidate)
                    if _foreign(real, own_include):
                        break
                    start = hit.start(1) - 1 if quoted else hit.start(2) - 1
                    file.includes.append((start, hit.end(), real, candidate is beside))
                    if real not in files:
                        files[real] = File(real, candidate, Scan.of(_text(candidate)))
                        queue.append(files[real])
                    break
                absent.append(candidate)
    macros = _macros(files)
    if macros:  # a file may define a kernel through a macro of another file
        names = re.compile(r"\b(?:" + "|".join(map(re.escape, macros)) + r")\b")
        for file in files.values():
            if not file.scan.items and names.search(file.scan.text):
                file.scan = Scan.of(file.scan.text, force=True)
    _mark_copies(files, macros)
    return Unit(
        main, files,
        device=any(kernels.has_device_code(f.scan.items, macros) for f in files.values()),
        dual=_dual(files, macros),
        volatile=any(word in f.scan.text for f in files.values() for word in ("__TIME__", "__DATE__", "__TIMESTAMP__")),
        absent=absent,
    )  # fmt: skip


def _dual(files: dict[str, File], macros: dict[str, list[Token]]) -> frozenset[str]:
    found = [kernel for f in files.values() for kernel in kernels.find(f.scan.items, macros)]
    bodies = [item.text for f in files.values() for item in f.scan.items if item.kind == "pp"]
    hidden = any("__cube__" in text or "__mix__" in text for text in bodies)  # a kernel in a macro's body
    return cube.kinds(found, hidden, lambda: {word for f in files.values() for word in _WORD.findall(f.scan.text)})


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def _foreign(path: str, own_include: str) -> bool:
    """Whether a file or folder belongs to the system, a Python package, torch or ferrata."""
    real = os.path.realpath(path)
    if real.startswith(own_include) or any(part in real + "/" for part in _FOREIGN):
        return True
    return any(os.path.exists(os.path.join(real, name)) for name in ("Python.h", "c10", "ATen"))


def _macros(files: dict[str, File]) -> dict[str, list[Token]]:
    return {name: body for file in files.values() for name, body in file.scan.aliases.items()}


def _memories(files: dict[str, File]) -> tuple[tuple[str, str], ...]:
    return tuple(found for file in files.values() for found in file.scan.memories.items())


def _mark_copies(files: dict[str, File], macros: dict[str, list[Token]]) -> None:
    """Give a (still empty) copy to each file that changes, and to those that include one of them."""
    facts = Facts(memories=_memories(files))
    for file in files.values():
        if rewrite(file.scan, file.shown, macros, facts=facts):
            file.copy = ""
    grown = True
    while grown:
        grown = False
        for file in files.values():
            if file.copy is None and any(files[real].copy is not None for _, _, real, _ in file.includes):
                file.copy, grown = "", True
