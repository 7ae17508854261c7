"""The command line of `bisheng`: one table of options, and what a command line asks for.

The table follows the device compiler's documented options and adds those of GCC that projects pass through. An option
that is in neither is an error that names the nearest known one, because a silently dropped option changes results.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

# Accepted without effect here. A trailing "=" stands for any value.
IGNORED = (
    "--cce-res-usage", "--cce-simd-vf-fusion=", "-lineinfo", "--lineinfo", "--sanitizer", "--run-mode=sim",
    "--run-mode=npu", "-dc", "--cce-auto-sync-log=", "--cce-disable-vf-stack-reserved-ubuf", "--cce-auto-sync",
    "--cce-auto-sync=on", "--cce-soc-version=", "--cce-soc-core-type=", "--cce-aicore-arch=",
    "--cce-enable-print", "--cce-ld-path=", "--cce-long-call=", "-stdlib=", "-fcolor-diagnostics",
    "-Qunused-arguments", "-Weverything", "-Wno-unused-command-line-argument", "-Xhost-start", "-Xhost-end",
    "-Xaicore-start", "-Xaicore-end",
)  # fmt: skip
_IGNORED_WITH_VALUE = ("-mllvm", "-Xclang", "--gcc-install-dir")
# Options of the device compiler that have an effect here.
_OWN = (
    "--npu-arch=", "--npu-soc=", "--gcc-toolchain=", "--run-mode=", "--cce-auto-sync=off",
    "--cce-disable-asc-reserved-ubuf", "--cce-aicore-only", "--enable-simt", "--shared", "-shared", "-lib", "--cce-build-static-lib",
    "-x", "-o", "-c", "-E", "-S", "-help",
    "--help", "--version", "-v", "-###",
)  # fmt: skip
_COMPILE_VALUE = ("-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot",
                  "--param", "--sysroot", "-B")  # fmt: skip
_COMPILE = ("-g", "-ggdb", "-w", "-pthread", "-pipe", "-pedantic", "-pedantic-errors", "-ansi", "-undef", "-nostdinc",
            "-nostdinc++", "-save-temps", "-pg", "-P", "-C", "-H", "-time")  # fmt: skip
# standards that the device headers cannot be read with; units with device code are compiled as C++17 instead
OLD = {f"-std={kind}{year}": f"-std={kind}17" for kind in ("c++", "gnu++") for year in ("11", "0x", "14", "1y")}
_COMPILE_PREFIX = ("-std=", "-O", "-f", "-m", "-W", "-g", "--sysroot=", "--param=", "-Wp,", "-Wa,", "-save-temps=")
_LINK_VALUE = ("-L", "-l", "-Xlinker", "-z", "-T", "-u", "-rpath", "--rpath", "-soname", "-e")
_LINK = ("-s", "-static", "-static-libgcc", "-static-libstdc++", "-rdynamic", "-nostdlib", "-nodefaultlibs",
         "-nostartfiles", "-pie", "-no-pie", "-r", "-static-pie")  # fmt: skip
_LINK_PREFIX = ("-Wl,", "-fuse-ld=", "-flto", "-Wl")
_DEPEND = ("-MD", "-MMD", "-MP", "-MG", "-M", "-MM")
_DEPEND_VALUE = ("-MF", "-MT", "-MQ")
_QUERY = ("-dumpmachine", "-dumpversion", "-dumpfullversion", "-print-")

HOST_SUFFIXES = {".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".c": "c", ".cce": "asc", ".asc": "asc"}
_OBJECTS = (".o", ".a", ".so", ".obj", ".lo")
# Chip names of --npu-soc by their beginning.
_SOCS = (("ascend910b", "dav-2201"), ("ascend910_93", "dav-2201"), ("ascend950", "dav-3510"))


class Source(NamedTuple):
    """An input to compile: language asc, c++ or c."""

    path: str
    language: str


class Invocation:
    """What one command line asks for. (A plain class: importing dataclasses costs more than a cache hit's own work.)"""

    def __init__(self) -> None:
        self.mode = "link"  # link, -c, -E, -S, -M, -MM, -fsyntax-only
        self.sources: list[Source] = []
        self.items: list[Source | str] = []  # sources, objects and link options in their order
        self.flags: list[str] = []  # for every compilation
        self.output: str | None = None
        self.arch: str | None = None
        self.toolchain: str | None = None
        self.shared = False
        self.archive = False
        self.depend: list[tuple[str, str]] = []  # -MD and what belongs to it
        self.defines: list[str] = []  # that options of the device compiler stand for
        self.verbose = False
        self.dry_run = False
        self.query: list[str] = []  # asked of the C++ compiler itself
        self.help = False
        self.notes: list[str] = []  # warnings for the user
        self.binary = False  # make a kernel binary (runtime.py)
        self.wrappers: str | None = None  # folder for launch wrappers (legacy.py) instead of compiling

    def has(self, *prefixes: str) -> bool:
        """Whether a compile flag begins with one of the prefixes."""
        return any(flag.startswith(prefixes) for flag in self.flags)

    def npu_arch(self) -> int:
        """Value of __NPU_ARCH__. Raises DriverUsage for an architecture that no chip has."""
        from ferrata.chips import CHIPS

        if self.arch not in CHIPS:
            fail(f"--npu-arch={self.arch}: unknown architecture; known: {', '.join(CHIPS)}")
        return CHIPS[self.arch].npu_arch


def fail(message: str) -> NoReturn:
    """Raise DriverUsage; imported here, since only a command line that is wrong needs it."""
    from ferrata.errors import DriverUsage

    raise DriverUsage(message=message)


def parse(arguments: list[str]) -> Invocation:
    """Read a command line. Raises DriverUsage for what cannot be understood."""
    result = Invocation()
    language: str | None = None
    words = _expand(arguments)
    for word in words:
        if not word.startswith("-") or word == "-":
            _input(result, word, language)
            continue
        if _ignored(word):
            continue
        if word in _IGNORED_WITH_VALUE:
            _value(word, words)
            continue
        name, separator, value = word.partition("=")
        if word == "-x" or (word.startswith("-x") and word[2:] in ("asc", "c++", "c", "none", "cce")):
            given = word[2:] or _value("-x", words)
            language = _language(given)
        elif name in ("--npu-arch", "--npu-soc", "--gcc-toolchain", "--launch-wrappers"):
            value = value if separator else _value(name, words)
            if name == "--launch-wrappers":
                result.wrappers = value
            elif name == "--npu-arch":
                result.arch = value
            elif name == "--npu-soc":
                result.arch = result.arch or _soc(value)
            else:
                result.toolchain = value
        elif name == "--run-mode":
            if value == "cpu":
                result.defines.append("-DASCENDC_CPU_DEBUG=1")
        elif word == "--cce-auto-sync=off":
            result.defines.append("-DFERRATA_AUTO_SYNC=0")
        elif word == "--cce-disable-asc-reserved-ubuf":
            result.defines.append("-DFERRATA_NO_RESERVED_UB=1")
        elif word == "--cce-aicore-only":
            result.binary = True
            result.defines += ["-include", "ferrata/binary.h"]
        elif word == "--enable-simt":
            fail("--enable-simt: this architecture has no SIMT; leave the option out")
        elif word in ("-shared", "--shared"):
            result.shared = True
        elif word in ("-lib", "--cce-build-static-lib"):
            result.archive = True
        elif word in ("-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"):
            result.mode = word
        elif word == "-o" or (word.startswith("-o") and not word.startswith("-openmp")):
            result.output = word[2:] or _value("-o", words)
        elif word in ("-help", "--help"):
            result.help = True
        elif word in ("--version", "-V") or word.startswith(_QUERY):
            result.query.append(word)
        elif word == "-v":
            result.verbose = True
        elif word == "-###":
            result.dry_run = True
        elif word in _DEPEND:
            result.depend.append((word, ""))
        elif word in _DEPEND_VALUE or word[:3] in _DEPEND_VALUE:
            result.depend.append((word[:3], word[3:] or _value(word, words)))
        elif not _passed_on(result, word, words):
            if word.startswith("--cce-") and not _nearest(word):
                # a device compiler has more of these than are documented; a misspelt one is still an error
                result.notes.append(f"option '{word}' has no effect here")
                continue
            fail(f"unknown option '{word}'{_nearest(word)}")
    if "-v" in arguments and not result.sources and not result.items:
        result.query.append("-v")
    if any(source.language == "asc" for source in result.sources):
        result.notes += [f"{flag}: Ascend C needs C++17 here, which is used" for flag in result.flags if flag in OLD]
    return result


def _passed_on(result: Invocation, word: str, words: Iterator[str]) -> bool:
    """Options of GCC: keep them for the compilations, the link, or both. False if it is none."""
    for option in _LINK_VALUE:
        if word == option:
            value = _value(word, words)
            if option in ("-rpath", "--rpath", "-soname"):
                result.items.append(f"-Wl,{option},{value}")
            else:
                result.items += [word, value] if option not in ("-L", "-l") else [word + value]
            return True
    for option in _COMPILE_VALUE:
        if word == option:
            value = _value(word, words)
            result.flags += [option + value] if option in ("-I", "-D", "-U") else [option, value]
            return True
    if word.startswith(_LINK_PREFIX) or word in _LINK or (word[:2] in ("-L", "-l") and len(word) > 2):
        result.items.append(word)
        if word.startswith("-flto"):
            return True  # lto needs both steps to agree; kernels gain nothing, so it stays out of compilation
        return True
    if word.startswith(("-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include")) and len(word) > 2:
        result.flags.append(word)
        return True
    if word in _COMPILE or word.startswith(_COMPILE_PREFIX):
        result.flags.append(word)
        if word.startswith(("-fsanitize", "--sysroot", "-pthread", "-fopenmp", "-m")):
            result.items.append(word)
        return True
    return False


def _input(result: Invocation, word: str, language: str | None) -> None:
    suffix = os.path.splitext(word)[1]
    versioned = ".so." in os.path.basename(word)
    kind = language or HOST_SUFFIXES.get(suffix)
    if kind is None or (language is None and (suffix in _OBJECTS or versioned)) or suffix in (".o", ".a", ".so"):
        result.items.append(word)
        return
    source = Source(word, kind)
    result.sources.append(source)
    result.items.append(source)


def _expand(arguments: list[str]) -> Iterator[str]:
    """The words, with `@file` replaced by the words in it (CMake and Ninja write such files for long lines)."""
    for word in arguments:
        if word.startswith("@") and os.path.isfile(word[1:]):
            with open(word[1:], encoding="utf-8") as file:
                yield from _expand(shlex.split(file.read()))
        else:
            yield word


def _value(option: str, words: Iterator[str]) -> str:
    try:
        return next(words)
    except StopIteration:
        fail(f"option '{option}' needs a value")


def _ignored(word: str) -> bool:
    return any(word == known or (known.endswith("=") and word.startswith(known)) for known in IGNORED)


def _language(name: str) -> str | None:
    known = {"asc": "asc", "cce": "asc", "c++": "c++", "c": "c", "none": None}
    if name not in known:
        fail(f"-x {name}: unknown language; known: asc, c++, c, none")
    return known[name]


def _soc(name: str) -> str:
    for start, arch in _SOCS:
        if name.lower().startswith(start):
            return arch
    fail(f"--npu-soc={name}: unknown chip; write --npu-arch= instead")


def _nearest(word: str) -> str:
    import difflib

    head, separator, value = word.partition("=")
    known = {option.rstrip("=") for option in (*IGNORED, *_OWN, *_COMPILE, *_LINK, *_DEPEND, *_DEPEND_VALUE)}
    near = difflib.get_close_matches(head, sorted(known), 1, 0.6)
    return f"; did you mean '{near[0]}{separator}{value}'?" if near else ""
