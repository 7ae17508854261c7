"""`bisheng`: the command-line compiler driver. Takes a command line apart, compiles, links.

Runs as `python -m ferrata.asc.driver` or, faster, as `bin/bisheng` of the home folder, which starts Python without
its site packages: nothing here may import more than the standard library on the way to a cache hit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ferrata.asc import link, objects, options, store, toolchain
from ferrata.asc.options import Invocation, Source, fail

HELP = """\
usage: bisheng [options] file...

Compile and link Ascend C (.asc), C++ and C with the system's C++ compiler for ferrata's emulated NPU.

  --npu-arch=ARCH        {archs}; needed for .asc sources
  --npu-soc=NAME         the same by the chip's name; --npu-arch wins
  -x asc|c++|c|none      language of the files that follow
  -c, -E, -S             compile only, preprocess only, assemble only
  -o FILE                output
  -shared, -lib          make a shared, a static library
  -O0 -O1 -O2 -O3        default: -O3 for kernels (-O0 with -g), -O1 for units without kernels
  -g, -fPIC, -std=, -I, -D, -L, -l, -W..., -f..., -m..., -Wl,...   as GCC
  -MD -MMD -MF -MT -MQ -MP   dependency file
  --gcc-toolchain=DIR    use DIR/bin/g++ if it is there
  --cce-auto-sync=on|off, --cce-disable-asc-reserved-ubuf
  --cce-aicore-only      make a kernel binary of one source, for aclrtBinaryLoadFromFile
  -###, -v               print the commands (-### does not run them)

accepted without effect: {ignored}
"""


def main(arguments: Sequence[str] | None = None, home: str | None = None) -> int:
    """Run one command line; the exit code. `home`: the home folder if the caller knows it."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["--runtime-compile"]:
            from ferrata.asc.runtime import runtime_compile

            return runtime_compile(words[1:], home)
        call = options.parse(words)
        for note in call.notes:
            print(f"bisheng: warning: {note}", file=sys.stderr)
        return _main(call, home)
    except Exception as error:
        from ferrata.errors import FerrataError

        if not isinstance(error, FerrataError | OSError):
            raise
        print(f"bisheng: error: {error}", file=sys.stderr)
        return 1


def _main(call: Invocation, home: str | None) -> int:
    if call.help:
        from ferrata.chips import CHIPS

        archs = " or ".join(CHIPS)
        print(HELP.format(archs=archs, ignored=" ".join(options.IGNORED)), end="")
        return 0
    if call.query:
        from ferrata import __version__

        if "--version" in call.query:
            print(f"bisheng (ferrata {__version__})", flush=True)
        return os.spawnv(os.P_WAIT, toolchain.compiler(call.toolchain), ["c++", *call.query])
    if call.wrappers is not None:
        from ferrata.asc.legacy import write_wrappers

        print(";".join(write_wrappers([source.path for source in call.sources], call.wrappers)))
        return 0
    _check(call)
    if call.binary and call.mode in ("link", "-c") and not call.dry_run:
        return _binary(call, home)
    if call.mode != "link":
        return _each(call)
    return _link(call, home)


def _check(call: Invocation) -> None:
    if not call.sources and not any(not item.startswith("-") for item in call.items if isinstance(item, str)):
        fail("no input files")
    if any(source.language == "asc" for source in call.sources) and call.arch is None:
        from ferrata.chips import CHIPS

        known = " or ".join(f"--npu-arch={arch}" for arch in CHIPS)
        fail(f"an .asc source needs the option --npu-arch: write {known}")
    for item in call.items:
        path = item.path if isinstance(item, Source) else item
        if not path.startswith("-") and not os.path.isfile(path) and not path.isdigit() and isinstance(item, Source):
            fail(f"no such file: '{path}'")
    if call.mode != "link" and call.output and len(call.sources) > 1:
        fail(f"-o with {call.mode} and several sources: give each its own command")


def _each(call: Invocation) -> int:
    """-c, -E, -S, -M, -fsyntax-only: at most one output per source."""
    if not call.sources:
        fail(f"{call.mode} needs a source file")
    for source in call.sources:
        base = os.path.splitext(os.path.basename(source.path))[0]
        if call.mode != "-c" or call.dry_run:
            code = _uncached(source, call, base)
        else:
            output = call.output or base + ".o"
            outcome = objects.compile_object(source, call)
            sys.stderr.write(outcome.messages)
            code = outcome.code
            if outcome.result is not None:
                _copy(outcome.result.path, output)
                _write_depfile(call, output, outcome.result.dependencies)
                _drop(outcome.result.path)
        if code:
            return code
    return 0


def _binary(call: Invocation, home: str | None) -> int:
    """--cce-aicore-only: a file of kernels that aclrtBinaryLoadFromFile loads."""
    from ferrata.asc.runtime import make_binary

    if len(call.sources) != 1 or call.sources[0].language != "asc":
        fail("--cce-aicore-only makes a kernel binary of one Ascend C source")
    base = os.path.splitext(os.path.basename(call.sources[0].path))[0]
    return make_binary(call.sources[0], call, call.output or base + ".o", home)


def _uncached(source: Source, call: Invocation, base: str) -> int:
    compiler = toolchain.compiler(call.toolchain)
    work = objects.work_folder()
    try:
        prepared = objects.prepare(source, call, work)
        output = call.output or {"-S": base + ".s", "-c": base + ".o"}.get(call.mode)
        if call.mode == "-fsyntax-only":
            output = None
        command = [compiler, *objects.flags_for(source, call, compiler), *prepared.flags, call.mode]
        command += ["-x", prepared.language, prepared.path, *(["-o", output] if output else [])]
        if call.dry_run:
            print(" ".join(map(_quoted, command)), file=sys.stderr)
            return 0
        if call.mode == "-fsyntax-only":
            code, messages = objects.run(command)
            sys.stderr.write(objects.hints(messages))
            return code
        sys.stdout.flush()
        return os.spawnv(os.P_WAIT, compiler, command)
    finally:
        objects.remove_folder(work)


def _link(call: Invocation, home: str | None) -> int:
    if call.dry_run:
        for source in call.sources:
            _uncached(source, call, os.path.splitext(os.path.basename(source.path))[0])
        return 0
    made: dict[int, str] = {}
    used: list[str] = []
    for source, outcome in zip(call.sources, _compile_all(call), strict=True):
        sys.stderr.write(outcome.messages)
        if outcome.result is None:
            return outcome.code
        made[id(source)] = outcome.result.path
        used += outcome.result.dependencies
    items = [made[id(item)] if isinstance(item, Source) else item for item in call.items]
    output = call.output or ("a.a" if call.archive else "a.out")
    if call.archive:
        command = link.archive([item for item in items if not item.startswith("-")], output)
        if os.path.exists(output):
            os.unlink(output)
    else:
        if home is None:
            from ferrata.asc.home import home as make_home

            home = str(make_home())
        command = link.link(items, output, call.shared, home, call.toolchain)
    if call.verbose:
        print(" ".join(map(_quoted, command)), file=sys.stderr)
    code, messages = objects.run(command)
    sys.stderr.write(messages)
    if code == 0 and call.sources:
        _write_depfile(call, output, list(dict.fromkeys(used)))
    for path in made.values():
        _drop(path)
    return code


def _compile_all(call: Invocation) -> list[objects.Outcome]:
    if len(call.sources) < 2:
        return [objects.compile_object(source, call) for source in call.sources]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(lambda source: objects.compile_object(source, call), call.sources))


def _copy(path: str, output: str) -> None:
    with open(path, "rb") as file:
        data = file.read()
    if output == "/dev/null":
        return
    store.write(output, data)


def _drop(path: str) -> None:
    """Remove a result that must not be found again (see compile.py: volatile units)."""
    if os.path.basename(path).startswith("once-"):
        os.unlink(path)


def _write_depfile(call: Invocation, output: str, dependencies: list[str]) -> None:
    names = [name for name, _ in call.depend]
    if "-MD" not in names and "-MMD" not in names:
        return
    targets = [_escaped(value) if name == "-MQ" else value for name, value in call.depend if name in ("-MT", "-MQ")]
    path = next((value for name, value in call.depend if name == "-MF"), os.path.splitext(output)[0] + ".d")
    if "-MMD" in names:
        dependencies = [p for p in dependencies if not p.startswith(("/usr/", toolchain.INCLUDE))]
    words = [_escaped(dependency) for dependency in dependencies]
    text = " ".join(targets or [_escaped(output)]) + ": " + " \\\n  ".join(words) + "\n"
    if "-MP" in names:
        text += "".join(f"\n{word}:\n" for word in words[1:])
    store.write(path, text.encode("utf-8", "surrogateescape"))


def _escaped(path: str) -> str:
    return path.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)


if __name__ == "__main__":
    sys.exit(main())
