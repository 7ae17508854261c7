"""Link objects to an executable, a shared library or an archive, with the libraries that are implied."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

from ferrata.asc import objects, store, toolchain

_STATIC_PYTHON = re.compile(r"^libpython\d.*\.a$")
_TORCH_LIBRARY = re.compile(r"^lib(torch|torch_cpu|torch_python|c10)\.so")


def options(items: Sequence[str], home: str, shared: bool, compiler: str) -> list[str]:
    """The libraries and options of a link: the user's `items` in their order, then what every link gets."""
    library = os.path.join(home, "lib64")
    wanted = [item for item in items if not (shared and _STATIC_PYTHON.match(os.path.basename(item)))]
    torch = torch_folder(wanted)
    stamp = [torch_stamp(torch, compiler)] if torch else []
    implied = [
        f"-L{library}", f"-Wl,-rpath,{library}",
        "-Wl,--push-state,--as-needed", "-lascendcl", "-lgert", "-Wl,--pop-state", "-pthread",
    ]  # fmt: skip
    # a kernel library calls its own kernels, also when an older build of it is loaded in the process
    own = ["-Wl,-Bsymbolic-functions"] if shared else []
    return [*wanted, *stamp, *own, *implied]


def link(items: Sequence[str], output: str, shared: bool, home: str, chosen: str | None) -> list[str]:
    """The command that links `items` (objects and options in their order) to `output`."""
    compiler = toolchain.compiler(chosen)
    return [compiler, *(["-shared"] if shared else []), "-o", output, *options(items, home, shared, compiler)]


def archive(members: Sequence[str], output: str) -> list[str]:
    """The command that puts objects into a static library."""
    return [toolchain.which("ar") or "ar", "rcs", output, *members]


def torch_folder(items: Sequence[str]) -> str | None:
    """The `torch` package whose libraries are linked, or None."""
    folders = [item[2:] for item in items if item.startswith("-L")]
    for item in items:
        if _TORCH_LIBRARY.match(os.path.basename(item)):
            candidates = [os.path.dirname(item)]
        elif item in ("-ltorch", "-ltorch_cpu", "-ltorch_python", "-lc10"):
            candidates = folders
        else:
            continue
        for folder in candidates:
            package = os.path.dirname(os.path.realpath(folder))
            if os.path.isfile(os.path.join(package, "version.py")):
                return package
    return None


def torch_stamp(package: str, compiler: str) -> str:
    """An object with torch's version in the section `.ferrata.torch`, for the loader's message about another torch."""
    with open(os.path.join(package, "version.py"), encoding="utf-8") as file:
        found = re.search(r"__version__ = ['\"]([^'\"]+)['\"]", file.read())
    version = found.group(1) if found else "unknown"
    name = re.sub(r"[^\w.+-]", "_", version)
    machine = os.uname().machine
    path = os.path.join(store.folder(), "torch", f"{name}-{machine}.o")
    if not os.path.isfile(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        work = objects.work_folder()
        try:
            source, made = os.path.join(work, "torch.s"), os.path.join(work, "torch.o")
            text = f'.section .ferrata.torch,"a"\n.asciz "{version}"\n.section .note.GNU-stack,"",%progbits\n'
            store.write(source, text.encode())
            code, messages = objects.run([compiler, "-c", source, "-o", made])
            if code:
                print(messages, file=sys.stderr)
                raise SystemExit(code)
            os.replace(made, path)
        finally:
            objects.remove_folder(work)
    return path
