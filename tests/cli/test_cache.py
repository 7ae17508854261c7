"""The cache on disk: one maker at a time, damaged entries made again, a folder that cannot be written."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ferrata import cache, errors


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FERRATA_CACHE_DIR", str(tmp_path / "cache"))


def test_an_entry_is_made_once_by_many_threads() -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "file").write_text("x")

    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(cache.entry("kind", "name", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and len(found) == 8 and len(set(found)) == 1
    assert (found[0] / "file").read_text() == "x"


def test_a_damaged_entry_is_made_again() -> None:
    def make(folder: Path) -> None:
        (folder / "file").write_text("whole")

    def intact(folder: Path) -> bool:
        return (folder / "file").is_file() and (folder / "file").read_text() == "whole"

    place = cache.entry("kind", "name", make, intact)
    (place / "file").write_text("who")
    assert (cache.entry("kind", "name", make, intact) / "file").read_text() == "whole"
    (place / "file").unlink()
    assert (cache.entry("kind", "name", make, intact) / "file").read_text() == "whole"


def test_a_maker_that_fails_leaves_nothing() -> None:
    def make(folder: Path) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.entry("kind", "name", make)
    assert [p.name for p in (cache.root() / "kind").iterdir() if not p.name.endswith(".lock")] == []
    assert cache.entry("kind", "name", lambda folder: None).is_dir()


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FERRATA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(errors.CacheNotWritable, match=r"cannot be written: Not a directory(.|\n)*FERRATA_CACHE_DIR"):
        cache.entry("kind", "name", lambda folder: None)


def test_the_compiler_says_so_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ferrata.asc import driver

    (tmp_path / "file").write_text("")
    (tmp_path / "unit.asc").write_text("__global__ __aicore__ void k() {}\n")
    monkeypatch.setenv("FERRATA_CACHE_DIR", str(tmp_path / "file"))
    assert driver.main(["--npu-arch=dav-2201", "-c", str(tmp_path / "unit.asc"), "-o", str(tmp_path / "unit.o")]) == 1
    assert "The cache folder" in capsys.readouterr().err
