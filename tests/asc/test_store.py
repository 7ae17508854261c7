"""The compile cache: what is a hit, what is not, and what concurrency and damage do to it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ferrata.asc import objects, options
from ferrata.asc.options import Source


def build(path: Path, *flags: str) -> objects.Outcome:
    call = options.parse(["--npu-arch=dav-2201", *flags])
    return objects.compile_object(Source(str(path), "asc"), call)


def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that are really run from here on."""
    seen: list[list[str]] = []
    real = objects.run

    def run(command: list[str]) -> tuple[int, str]:
        seen.append(command)
        return real(command)

    monkeypatch.setattr(objects, "run", run)
    return seen


@pytest.fixture
def source(tmp_path: Path, own_cache: Path) -> Path:
    (tmp_path / "part.h").write_text("constexpr int value = 1;\n")
    path = tmp_path / "k.asc"
    path.write_text('#include "part.h"\n__global__ __vector__ void k(__gm__ int* x) { *x = value; }\n')
    return path


def test_same_content_is_compiled_once(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = runs(monkeypatch)
    first, second = build(source), build(source)
    assert first.result is not None
    assert second.result is not None
    assert first.result.path == second.result.path
    assert len(commands) == 1


def test_touched_file_with_the_same_content_is_a_hit(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(source)
    commands = runs(monkeypatch)
    os.utime(source, (1, 1))
    build(source)
    assert commands == []


@pytest.mark.parametrize("change", ["source", "header", "same size", "define", "arch", "environment", "new header"])
def test_whatever_changes_the_result_is_a_miss(source: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    include = source.parent / "include"
    include.mkdir()
    build(source, "-iquote", str(include))
    flags = ["-iquote", str(include)]
    header = source.parent / "part.h"
    if change == "source":
        source.write_text(source.read_text() + "int more;\n")
    elif change == "header":
        header.write_text("constexpr int value = 12;\n")
    elif change == "same size":  # and the same time stamp
        stat = header.stat()
        header.write_text("constexpr int value = 2;\n")
        os.utime(header, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    elif change == "define":
        flags.append("-DX=1")
    elif change == "arch":
        flags.append("--npu-arch=dav-3510")
    elif change == "environment":
        monkeypatch.setenv("CPATH", str(include))
    elif change == "new header":
        pass
    commands = runs(monkeypatch)
    if change == "new header":  # found before the one beside an includer that stands elsewhere
        (source.parent / "uses.asc").write_text('#include "late.h"\nint a;\n')
        (include / "late.h").write_text("")
        other = source.parent / "first"
        other.mkdir()
        order = ["-iquote", str(other), "-iquote", str(include)]
        build(source.parent / "uses.asc", *order)
        (other / "late.h").write_text("int b;\n")
        build(source.parent / "uses.asc", *order)
        assert len(commands) == 2
        return
    build(source, *flags)
    assert len(commands) == 1


def test_going_back_to_earlier_content_is_a_hit(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = source.read_text()
    build(source)
    source.write_text(text + "int more;\n")
    build(source)
    source.write_text(text)
    commands = runs(monkeypatch)
    build(source)
    assert commands == []


@pytest.mark.parametrize("damage", ["object", "truncated", "row", "nonsense", "list", "removed"])
def test_damaged_entry_is_made_anew(source: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    first = build(source)
    assert first.result is not None
    made = Path(first.result.path)
    good = made.read_bytes()
    (row,) = made.parent.glob("*.json")
    if damage == "object":
        made.write_bytes(b"x" * len(good))
    elif damage == "truncated":
        made.write_bytes(good[: len(good) // 2])
    elif damage == "row":
        row.write_text(row.read_text()[:-20])
    elif damage == "nonsense":
        row.write_text(json.dumps({"files": [[1]], "absent": [], "object": None}))
    elif damage == "list":
        row.write_text("[1, 2]")
    else:
        made.unlink()
    commands = runs(monkeypatch)
    again = build(source)
    assert again.code == 0
    assert again.result is not None
    assert len(commands) == 1
    assert Path(again.result.path).read_bytes() == good
    build(source)
    assert len(commands) == 1


def test_failure_is_not_remembered(source: Path) -> None:
    good = source.read_text()
    source.write_text("error\n")
    assert build(source).code != 0
    source.write_text(good)
    assert build(source).code == 0


def test_time_macros_are_never_cached(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source.write_text('const char* now = __TIME__;\n#include "part.h"\n')
    commands = runs(monkeypatch)
    build(source)
    build(source)
    assert len(commands) == 2


def test_processes_at_once_compile_once_and_agree(source: Path, own_cache: Path) -> None:
    code = (
        "import sys; from ferrata.asc import objects, options; from ferrata.asc.options import Source\n"
        "real = objects.run\n"
        "def run(command):\n    print('compiled'); return real(command)\n"
        "objects.run = run\n"
        "call = options.parse(['--npu-arch=dav-2201'])\n"
        "print(objects.compile_object(Source(sys.argv[1], 'asc'), call).result.path)\n"
    )
    command = [sys.executable, "-c", code, str(source)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    outputs = [process.communicate()[0].split() for process in processes]
    assert sum(words.count("compiled") for words in outputs) == 1
    assert len({words[-1] for words in outputs}) == 1
    assert list((own_cache / "asc" / "work").iterdir()) == []


def test_old_states_of_a_file_are_dropped(source: Path) -> None:
    for number in range(20):
        source.write_text(f"int x = {number};\n")
        last = build(source)
    assert last.result is not None
    kept = sorted(path.suffix for path in Path(last.result.path).parent.iterdir())
    assert (kept.count(".json"), kept.count(".o")) == (16, 16)
