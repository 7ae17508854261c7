"""Build the native libraries on first use, into the content-addressed cache.

runtime  -> lib64/libascendcl.so   ACL host API, device memory, streams, the emulated cores   (src/runtime/*.cpp)
ge       -> lib64/libgert.so       GE C++ API: registries, contexts, value types              (src/ge/*.cpp)
device   -> ferrata_npu.so         the torch device and the GE executor on tensors            (src/device/*.cpp)

An object's key holds its source, the headers of ours that it reaches, the flags, the compiler's version and, for the device,
torch's version and place; a library's key holds its objects' keys.
"""

from __future__ import annotations

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache as memoize
from pathlib import Path

from ferrata import cache
from ferrata.errors import NativeBuildFailed, NoCompiler

NATIVE = Path(__file__).parent
INCLUDE = NATIVE / "include"
SOURCES = NATIVE / "src"
FLAGS = ["-std=c++17", "-O2", "-fPIC", "-g1", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Wall", "-Wextra"]


@memoize
def compiler() -> str:
    """Path of the C++ compiler: CXX, else g++, else clang++. Raises NoCompiler."""
    tried = [name for name in (os.environ.get("CXX"), "g++", "clang++", "c++") if name]
    for name in tried:
        path = shutil.which(name)
        if path and Path(path).name != "bisheng":  # a project may set CXX to the driver, which needs these libraries
            return path
    raise NoCompiler(tried=", ".join(tried))


@memoize
def compiler_version(cxx: str | None = None) -> str:
    """First line of `--version` and the target triple of `cxx`, else of `compiler()`; part of every cache key."""
    path = cxx or compiler()

    def ask(option: str) -> str:
        try:
            return subprocess.run([path, option], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as problem:
            raise NoCompiler(tried=f"{path}, which does not run ({problem})") from None

    version, machine = ask("--version"), ask("-dumpmachine")
    if not version.strip():
        raise NoCompiler(tried=f"{path}, which does not tell its version")
    # without the program's name: CMake sets CXX to c++, which is the same compiler as g++
    return f"{version.splitlines()[0].partition(' ')[2]} ({machine.strip()})"


_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)


@memoize
def _included(file: Path, roots: tuple[Path, ...]) -> tuple[Path, ...]:
    """Our own files that `file` includes, whatever the preprocessor's conditions say."""
    found = []
    for name in _INCLUDED.findall(file.read_bytes()):
        candidates = (root / name.decode() for root in (file.parent, *roots))
        hit = next((path.resolve() for path in candidates if path.is_file()), None)
        if hit is not None and NATIVE in hit.parents:
            found.append(hit)
    return tuple(found)


def _content(source: Path, roots: tuple[Path, ...]) -> list[str | bytes]:
    """Names and bytes of a source and of all our files that it reaches: what its object depends on."""
    seen, waiting = {source}, [source]
    while waiting:
        for path in _included(waiting.pop(), roots):
            if path not in seen:
                seen.add(path)
                waiting.append(path)
    parts: list[str | bytes] = []
    for path in sorted(seen):
        parts += [str(path.relative_to(NATIVE)), path.read_bytes()]
    return parts


def _compile(command: Sequence[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NativeBuildFailed(
            what=what, compiler=command[0], code=done.returncode, command=" ".join(command),
            output=(done.stderr or done.stdout)[-20000:],
        )  # fmt: skip


def _build(
    name: str,
    folder: Path,
    output: str,
    flags: list[str],
    link: list[str],
    extra_key: list[str],
    cxx: str | None = None,
) -> Path:
    """One cache entry per object, so that a change costs what it touches, and one for the linked library.

    `extra_key` stands in for what `flags` and `link` name by path. `cxx` is a cross compiler's path, if any.
    """
    sources = [path.resolve() for path in sorted(folder.rglob("*.cpp")) + sorted(folder.rglob("*.S"))]
    roots = (INCLUDE, folder.resolve(), INCLUDE / "graph", INCLUDE / "external")
    common = [*FLAGS, *(flag for flag in flags if "/" not in flag), *extra_key, compiler_version(cxx)]
    keys = [cache.key([*common, *_content(source, roots)]) for source in sources]

    def compile_one(source: Path, key: str) -> Path:
        def make(work: Path) -> None:
            places = [f"-I{INCLUDE}", f"-I{folder}"]
            _compile([cxx or compiler(), *FLAGS, *flags, *places, "-c", str(source), "-o", str(work / "unit.o")], name)

        return cache.entry("objects", f"{name}-{source.stem}-{key}", make) / "unit.o"

    def make(work: Path) -> None:
        # the one thing that takes long enough for a user to wonder
        print(
            f"ferrata: building {Path(output).name} (once for this compiler and torch) ...", file=sys.stderr, flush=True
        )
        target = work / output
        target.parent.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            objects = list(pool.map(compile_one, sources, keys))
        _compile([cxx or compiler(), "-shared", "-o", str(target), *map(str, objects), *link], name)
        (work / "size").write_text(str(target.stat().st_size))

    def intact(made: Path) -> bool:  # a library cut short, by a full disk say, would kill the process that maps it
        target, size = made / output, made / "size"
        return target.is_file() and (not size.is_file() or size.read_text() == str(target.stat().st_size))

    linked = cache.key([*(flag for flag in link if "/" not in flag), *common, output, *keys])
    return cache.entry("native", f"{name}-{linked}", make, intact) / output


@memoize
def runtime(cxx: str | None = None) -> Path:
    """Path of libascendcl.so; `cxx` names a cross compiler, whose library this machine cannot load."""
    return _build(
        "runtime", SOURCES / "runtime", "lib64/libascendcl.so",
        ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"],  # a vector unit: never fuse a * b + c
        ["-pthread", "-Wl,-soname,libascendcl.so", "-Wl,-z,defs", "-ldl"], [], cxx,
    )  # fmt: skip


@memoize
def ge() -> Path:
    """Path of libgert.so."""
    return _build(
        "ge", SOURCES / "ge", "lib64/libgert.so", [f"-I{INCLUDE}/graph", f"-I{INCLUDE}/external"],
        ["-pthread", "-Wl,-soname,libgert.so", "-Wl,-z,defs"], [],
    )  # fmt: skip


@memoize
def device() -> Path:
    """Path of the torch extension `ferrata_npu`, built against the torch of this interpreter."""
    import torch

    # those of torch.utils.cpp_extension, whose import costs a tenth of a second
    headers = Path(torch.__file__).parent / "include"
    places = [headers, headers / "torch" / "csrc" / "api" / "include", sysconfig.get_paths()["include"]]
    includes = [f"-isystem{path}" for path in places]
    torch_lib = Path(torch.__file__).parent / "lib"
    flags = [*includes, "-DTORCH_EXTENSION_NAME=ferrata_npu", "-DTORCH_API_INCLUDE_EXTENSION_H", "-O1",
             f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", "-std=c++20", "-Wno-unused-parameter"]  # fmt: skip
    # no path to our own two libraries is recorded: ferrata.npu loads them first, and the loader finds them by name
    link = [f"-L{torch_lib}", "-ltorch", "-ltorch_cpu", "-lc10", "-ltorch_python", str(runtime()), str(ge()),
            f"-Wl,-rpath,{torch_lib}"]  # fmt: skip
    return _build(
        "device", SOURCES / "device", "ferrata_npu.so", flags, link, [torch.__version__, str(torch_lib), sys.version]
    )
