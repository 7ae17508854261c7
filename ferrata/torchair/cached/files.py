"""Files of the cache: written whole or not at all, read only if they are ours. Nothing is unpickled."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ferrata import errors


def prepare(folder: Path) -> None:
    """Make the folder, for this user alone. Raises CacheNotOwned, CacheFolder."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise errors.CacheFolder(folder=folder, reason=problem.strerror or problem) from None
    for place in (folder, *folder.parents[:3]):
        owned(place)
        if place.name.startswith(".torchair_cache"):
            break


def owned(path: Path) -> None:
    """Raises CacheNotOwned for what belongs to another user (root's is trusted)."""
    owner = path.stat().st_uid
    if owner not in (os.getuid(), 0):
        raise errors.CacheNotOwned(path=path, owner=owner, me=os.getuid())


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time for this file. A process that dies lets go."""
    import filelock

    with filelock.FileLock(f"{path}.lock", mode=0o600):
        yield


def read(path: Path) -> bytes:
    """The bytes of a regular file of ours that nobody else can write. Raises OSError or ValueError with the reason."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise ValueError("it is no regular file")
        if state.st_uid not in (os.getuid(), 0):
            raise ValueError(f"it belongs to user {state.st_uid}")
        if state.st_mode & 0o022:
            raise ValueError(f"others may write it (mode {stat.S_IMODE(state.st_mode):o})")
        return file.read()


def write(path: Path, data: bytes) -> None:
    """Put the bytes there in one step, mode 0600."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mkstemp's mode is 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
