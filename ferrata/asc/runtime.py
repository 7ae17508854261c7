"""Kernel binaries: what is loaded while a program runs, by name, rather than linked.

    bisheng --cce-aicore-only k.asc -o k.o
    bisheng --runtime-compile FOLDER NAME BINARY options...      (aclrtcCompileProg, native/src/runtime/acl_rtc.cpp)

A binary is a shared library whose kernels register themselves (native/include/ferrata/binary.h). For the second form
FOLDER holds the program's source NAME and its headers; they move to a folder of the cache that their content names, so
that the same program is compiled once for all processes.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

from ferrata.asc import link, objects, options, store, toolchain
from ferrata.asc.options import Invocation, Source, fail

# Exit codes that acl_rtc.cpp knows.
OPTION, COMPILATION, LINKING = 2, 1, 3


def runtime_compile(arguments: list[str], home: str | None) -> int:
    """Compile a program of aclrtc; the exit code. arguments: folder, name, binary, options."""
    from ferrata.errors import DriverUsage

    folder, name, binary = arguments[:3]
    try:
        call = options.parse(["--cce-aicore-only", *_last_arch(arguments[3:])])
        call.npu_arch()
        if call.sources or call.mode != "link" or call.output or call.archive or call.query or call.help:
            fail("options of aclrtcCompileProg name neither sources nor outputs nor another result than the binary")
    except DriverUsage as error:
        print(f"bisheng: error: {error}", file=sys.stderr)
        return OPTION
    os.chdir(_kept(folder))
    return make_binary(Source(name, "asc"), call, binary, home)


def make_binary(source: Source, call: Invocation, output: str, home: str | None) -> int:
    """Compile one source to the binary `output`; the exit code."""
    if home is None:
        from ferrata.asc.home import home as make_home

        home = str(make_home())
    outcome = objects.compile_object(source, call)
    sys.stderr.write(outcome.messages)
    if outcome.result is None:
        return COMPILATION
    items = [item for item in call.items if isinstance(item, str)]
    made = outcome.result.path
    libraries = link.options([made, *items], home, True, toolchain.compiler(call.toolchain))
    library = output + ".linked"
    code, messages = objects.run([toolchain.compiler(call.toolchain), "-shared", "-o", library, *libraries])
    sys.stderr.write(messages)
    if os.path.basename(made).startswith("once-"):
        os.unlink(made)
    if code:
        return LINKING
    os.replace(library, output)
    return 0


def _last_arch(words: list[str]) -> list[str]:
    """The words with only the last choice of a chip: the first one is the default of acl_rtc.cpp."""
    places = [i for i, word in enumerate(words) if word.startswith(("--npu-arch=", "--npu-soc="))]
    return [word for i, word in enumerate(words) if i not in places[:-1]]


def _kept(folder: str) -> str:
    """The folder of the cache with the content of `folder`."""
    from ferrata import cache

    parts: list[str | bytes] = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(place, file)
            with open(path, "rb") as opened:
                parts += [os.path.relpath(path, folder), opened.read()]
    base = os.path.join(store.folder(), "runtime")
    kept = os.path.join(base, cache.key(parts))
    if not os.path.isdir(kept):
        os.makedirs(base, exist_ok=True)
        work = tempfile.mkdtemp(prefix=".new.", dir=base)
        copy = os.path.join(work, "copy")
        shutil.copytree(folder, copy)
        try:
            os.rename(copy, kept)
        except OSError:  # another process was first
            if not os.path.isdir(kept):
                raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return kept
