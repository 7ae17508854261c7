"""The compile cache on disk. This module holds state: `<cache>/asc`.

Direct mode: an entry is found without preprocessing. Its folder is named by everything known before the compiler runs
(source path, flags, compiler, processor); inside, each result has a row that lists the files it was made from, and it
is good only if all of them still have the same content. Writers hold a file lock; readers need none, since files are
replaced in one step and every object carries its hash. Anything unreadable counts as absent and is made anew.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import NamedTuple

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
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as problem:
        raise cache.not_writable(problem) from None
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

    def __init__(self, source: str, key: Iterable[str]) -> None:
        name = cache.key([source, *key])
        self.source = source
        self.path = os.path.join(folder(), name[:2], name[2:])

    def find(self) -> Result | None:
        """The result whose inputs all have the content they had then, or None."""
        # a row is named by the source's hash: those of other states of the source are not even read
        start = file_hash(self.source)
        for name in self._row_names():
            if name.startswith(start):
                found = self._read(name)
                if found is not None:
                    return found
        return None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Held by the one process that makes a result; the others wait and then find it."""
        try:
            os.makedirs(self.path, exist_ok=True)
            file = open(os.path.join(self.path, "lock"), "w")  # noqa: SIM115  closed below
        except OSError as problem:
            raise cache.not_writable(problem) from None
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def add(self, made: str, suffix: str, messages: str, dependencies: list[str], absent: list[str]) -> Result:
        """Move the file `made` into the entry and record what it was made from. Call with the lock held."""
        now = time.time_ns()
        files = [_record(path, now) for path in dependencies]
        digest = file_hash(made)
        state = cache.key([json.dumps(sorted((item[0], item[4]) for item in files)), digest])
        path = os.path.join(self.path, state + suffix)
        os.replace(made, path)
        row = {"files": files, "absent": absent, "object": state + suffix, "hash": digest, "messages": messages}
        write(os.path.join(self.path, f"{file_hash(self.source)}-{state}.json"), json.dumps(row).encode())
        for name in self._row_names()[_KEEP:]:
            _remove(os.path.join(self.path, name))
            _remove(os.path.join(self.path, name.partition("-")[2].removesuffix(".json") + suffix))
        return Result(path, messages, dependencies)

    def _row_names(self) -> list[str]:
        """Names of the rows, the newest first."""
        try:
            with os.scandir(self.path) as items:
                rows = [(item.stat().st_mtime_ns, item.name) for item in items if item.name.endswith(".json")]
        except OSError:
            return []
        return [name for _, name in sorted(rows, reverse=True)]

    def _read(self, name: str) -> Result | None:
        try:
            with open(os.path.join(self.path, name), encoding="utf-8") as file:
                row = json.load(file)
            if not all(_same(item) for item in row["files"]) or any(os.path.exists(path) for path in row["absent"]):
                return None
            path = os.path.join(self.path, row["object"])
            if file_hash(path) != row["hash"]:
                return None
            return Result(path, row["messages"], [item[0] for item in row["files"]])
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None


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
