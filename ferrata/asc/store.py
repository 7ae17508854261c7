"""The compile cache on disk. This module holds state: `<cache>/asc`.

Direct mode: an entry is found without preprocessing. Its folder is named by everything known before the compiler runs
(source path, flags, compiler, processor); inside, a manifest lists for each result the files it was made from, and a
result is good only if all of them still have the same content. Writers hold a file lock; readers need none, since
files are replaced in one step and every object carries its hash. Anything unreadable counts as absent and is made anew.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple

from ferrata import cache

_KEEP = 16  # results per entry: so many states of the same file are remembered
_SETTLED = 2_000_000_000  # ns; a file younger than this at recording time may change again within its time stamp


class Result(NamedTuple):
    """A compiled file, what the compiler said, and what it read."""

    path: str
    messages: str
    dependencies: list[str]


def folder() -> str:
    """The compile cache's folder, made if need be."""
    path = os.path.join(str(cache.root()), "asc")
    os.makedirs(path, exist_ok=True)
    return path


def file_hash(path: str) -> str:
    """Hash of a file's content; "" if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""


class Entry:
    """All results of one source file under one set of flags."""

    def __init__(self, key: Iterable[str]) -> None:
        name = cache.key(key)
        self.path = os.path.join(folder(), name[:2], name[2:])

    def find(self) -> Result | None:
        """The result whose inputs all have the content they had then, or None."""
        for row in self._rows():
            try:
                if not all(_same(item) for item in row["files"]):
                    continue
                if any(os.path.exists(path) for path in row["absent"]):
                    continue
                path = os.path.join(self.path, row["object"])
                if file_hash(path) != row["hash"]:
                    continue
                return Result(path, row["messages"], [item[0] for item in row["files"]])
            except (KeyError, TypeError, IndexError, ValueError):
                continue
        return None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Held by the one process that makes a result; the others wait and then find it."""
        os.makedirs(self.path, exist_ok=True)
        with open(os.path.join(self.path, "lock"), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def add(self, made: str, suffix: str, messages: str, dependencies: list[str], absent: list[str]) -> Result:
        """Move the file `made` into the entry and record what it was made from. Call with the lock held."""
        now = time.time_ns()
        files = [_record(path, now) for path in dependencies]
        digest = file_hash(made)
        name = cache.key([json.dumps(sorted((item[0], item[4]) for item in files)), digest]) + suffix
        os.replace(made, os.path.join(self.path, name))
        row = {"files": files, "absent": absent, "object": name, "hash": digest, "messages": messages}
        rows = [row, *(old for old in self._rows() if old.get("object") != name)]
        for old in rows[_KEEP:]:
            if all(old.get("object") != kept.get("object") for kept in rows[:_KEEP]):
                _remove(os.path.join(self.path, str(old.get("object"))))
        write(os.path.join(self.path, "manifest.json"), json.dumps(rows[:_KEEP]).encode())
        return Result(os.path.join(self.path, name), messages, dependencies)

    def _rows(self) -> list[dict[str, Any]]:
        try:
            with open(os.path.join(self.path, "manifest.json"), encoding="utf-8") as file:
                rows = json.load(file)
        except (OSError, ValueError):
            return []
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def write(path: str, data: bytes) -> None:
    """Replace a file in one step."""
    temporary = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    with open(temporary, "wb") as file:
        file.write(data)
    os.replace(temporary, path)


def _record(path: str, now: int) -> list[object]:
    stat = os.stat(path)
    settled = now - max(stat.st_mtime_ns, stat.st_ctime_ns) > _SETTLED
    return [path, stat.st_size, stat.st_mtime_ns if settled else -1, stat.st_ctime_ns, file_hash(path)]


def _same(item: list[object]) -> bool:
    """Whether the file still has the recorded content: by its time stamps where they prove it, else by its hash."""
    path, size, modified, changed, digest = item
    try:
        stat = os.stat(str(path))
    except OSError:
        return False
    if stat.st_size != size:
        return False
    if stat.st_mtime_ns == modified and stat.st_ctime_ns == changed:
        return True
    return file_hash(str(path)) == digest


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
