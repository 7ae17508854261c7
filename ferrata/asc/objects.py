"""Compile one source file to one object (or, for the Python API, straight to a library), through the cache."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from ferrata.asc import store, toolchain
from ferrata.asc.options import OLD, Invocation, Source

_count = itertools.count()


class Outcome(NamedTuple):
    """code 0: `result` is there. Else `messages` says why."""

    code: int
    messages: str
    result: store.Result | None


def flags_for(source: Source, call: Invocation, compiler: str) -> list[str]:
    """The flags of a compilation that do not depend on the source's text."""
    flags = list(call.flags)
    if source.language == "c":
        flags = [flag for flag in flags if not flag.startswith(("-std=c++", "-std=gnu++"))]
    if source.language == "asc":
        flags = [OLD.get(flag, flag) for flag in flags]
        if not call.has("-std="):
            flags.insert(0, "-std=gnu++17")
        if not call.has("-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-pic", "-fno-PIC"):
            flags.append("-fPIC")
        if not call.has("-march=", "-mcpu="):
            flags.append("-march=native")
        own = [*toolchain.UNIT, *([] if toolchain.is_clang(compiler) else toolchain.GCC_ONLY)]
        # ours first, so that a user's -f option wins; the rules of the arithmetic last, since no option may change them
        flags = [*own, *flags, *toolchain.MATH, "-include", toolchain.PRELUDE, *call.defines]
    return [*flags, "-isystem", toolchain.INCLUDE]


def optimisation(device: bool, call: Invocation) -> list[str]:
    """-O for a unit when the command line names none: kernels fast, unless debugging; host code quick to compile."""
    if call.has("-O"):
        return []
    if call.has("-g") and not call.has("-g0"):
        return ["-O0"]
    return ["-O3"] if device else ["-O1"]


def compile_object(source: Source, call: Invocation, link: Callable[[], list[str]] | None = None) -> Outcome:
    """Make the object of a source, or find it in the cache.

    link: if given, make a shared library instead; it returns the link's libraries and options, and is asked only when
    there is something to make. The result's path lies in the cache.
    """
    compiler = toolchain.compiler(call.toolchain)
    flags = flags_for(source, call, compiler)
    suffix = ".o" if link is None else ".so"
    items = [item for item in call.items if isinstance(item, str)] if link is not None else []
    environment = [f"{name}={os.environ.get(name, '')}" for name in toolchain.ENVIRONMENT]
    entry = store.Entry(source.path, [
        os.getcwd(), source.language, suffix, str(call.arch), *flags, "|", *items, "|",
        *environment, toolchain.identity(compiler), toolchain.cpu(), toolchain.own_version(),
    ])  # fmt: skip
    found = entry.find()
    if found is not None:
        return Outcome(0, found.messages, found)
    with entry.lock():
        found = entry.find()  # somebody else may have made it while we waited
        if found is not None:
            return Outcome(0, found.messages, found)
        last = ["-c"] if link is None else ["-x", "none", "-shared", *link()]
        return _make(source, call, [compiler, *flags], last, entry, suffix)


def _make(
    source: Source, call: Invocation, command: list[str], last: list[str], entry: store.Entry, suffix: str
) -> Outcome:
    work = work_folder()
    try:
        prepared = prepare(source, call, work)
        made = os.path.join(work, "result" + suffix)
        depfile = os.path.join(work, "depfile")
        if prepared.dual:
            code, messages = _make_dual(prepared, command, last, depfile, work, made)
        else:
            inputs = ["-MD", "-MF", depfile, "-MT", "x", "-x", prepared.language, prepared.path]
            code, messages = run([*command, *prepared.flags, *inputs, *last, "-o", made])
        if code:
            return Outcome(code, hints(messages), None)
        dependencies = read_depfile(depfile, prepared, source.path)
        if prepared.volatile or any(store.file_hash(path) != digest for path, digest in prepared.known.items()):
            kept = os.path.join(entry.path, f"once-{os.getpid()}-{next(_count)}{suffix}")
            os.replace(made, kept)
            return Outcome(0, messages, store.Result(kept, messages, dependencies))
        return Outcome(0, messages, entry.add(made, suffix, messages, dependencies, prepared.absent))
    finally:
        remove_folder(work)


def _make_dual(
    prepared: Prepared, command: list[str], last: list[str], depfile: str, work: str, made: str
) -> tuple[int, str]:
    """Compile for vector cores and, at the same time, for cube cores, and join the two objects."""
    from concurrent.futures import ThreadPoolExecutor

    from ferrata.asc import cube

    vector, other = os.path.join(work, "vector.o"), os.path.join(work, "cube.o")
    base = [*command, *prepared.flags, "-fno-lto", "-c", "-x", prepared.language, prepared.path]
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(run, [*base, "-DFERRATA_AIC_PASS", "-w", "-o", other])
        code, messages = run([*base, "-MD", "-MF", depfile, "-MT", "x", "-o", vector])
        second_code, second_messages = second.result()
    if code:
        return code, messages
    if second_code:
        return second_code, "In the compilation for cube cores:\n" + second_messages
    whole = made if last == ["-c"] else os.path.join(work, "whole.o")
    code, said = cube.merge(run, vector, other, whole)
    if code or whole == made:
        return code, messages + said
    code, said = run([*command, "-x", "none", whole, *last, "-o", made])
    return code, messages + said


class Prepared(NamedTuple):
    """A source as the C++ compiler gets it."""

    path: str
    language: str
    flags: list[str]  # that depend on the text
    originals: dict[str, str]  # rewritten copies to the user's files
    known: dict[str, str]  # files already read, with the hash of what was read
    absent: list[str]
    volatile: bool
    dual: bool = False  # also to be compiled for cube cores


def prepare(source: Source, call: Invocation, work: str) -> Prepared:
    """Rewrite an Ascend C source into the folder `work`; a C++ or C source stays as it is."""
    if source.language != "asc":
        digest = store.file_hash(source.path)
        return Prepared(source.path, source.language, [], {}, {source.path: digest}, [], False)
    from ferrata.asc import unit  # a cache hit does without the rewriter

    read = unit.read(source.path, _include_folders(call.flags), toolchain.INCLUDE)
    read.listed = call.binary
    known = {file.shown: _hash_text(file.scan.text) for file in read.files.values()}
    path = read.write(work)
    flags = [part for folder in read.quote_folders() for part in ("-iquote", folder)]
    flags += [f"-DFERRATA_NPU_ARCH={call.npu_arch()}", *optimisation(read.device, call)]
    if read.device:
        flags += [*toolchain.DEVICE, f"-D__NPU_ARCH__={call.npu_arch()}"]
    flags += [f"-ffile-prefix-map={work}/0/="]
    if read.dual:
        unit_name = _hash_text("\0".join([source.path, *call.flags, *call.defines, *known.values()]))
        flags.append(f'-DFERRATA_UNIT="{unit_name}"')
    return Prepared(path, "c++", flags, read.originals(), known, read.absent, read.volatile, bool(read.dual))


def hints(messages: str) -> str:
    """The compiler's messages in the words of Ascend C; imported here, since only a failed compilation needs it."""
    from ferrata.asc.hints import improve

    return improve(messages)


def _hash_text(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _include_folders(flags: list[str]) -> list[str]:
    pairs = list(itertools.pairwise(flags))
    quote = [value for flag, value in pairs if flag == "-iquote"]
    system = [value for flag, value in pairs if flag == "-isystem"]
    return quote + [flag[2:] for flag in flags if flag.startswith("-I") and len(flag) > 2] + system


def run(command: list[str]) -> tuple[int, str]:
    """Run a compiler; its exit code and everything it said."""
    if sys.stderr is not None and sys.stderr.isatty():
        command = [*command, "-fdiagnostics-color=always"]
    import subprocess

    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def read_depfile(path: str, prepared: Prepared, source: str) -> list[str]:
    """The files that a compilation read, copies replaced by the user's files, the source first."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ")
    words = text.partition(":")[2].replace("\\ ", "\0").replace("$$", "$").split()
    names = [word.replace("\0", " ").replace("\\#", "#") for word in words]
    return list(dict.fromkeys([source, *(prepared.originals.get(name, name) for name in names)]))


def work_folder() -> str:
    """A new folder for one compilation."""
    path = os.path.join(store.folder(), "work", f"{os.getpid()}-{next(_count)}")
    remove_folder(path)  # a process of that number may have been killed
    os.makedirs(path)
    return path


def remove_folder(path: str) -> None:
    """Remove a folder and all below it."""
    for folder, folders, files in os.walk(path, topdown=False):
        for name in files:
            os.unlink(os.path.join(folder, name))
        for name in folders:
            os.rmdir(os.path.join(folder, name))
    if os.path.isdir(path):
        os.rmdir(path)
