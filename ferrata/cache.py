"""The content-addressed cache on disk. This module holds state: the cache folder.

An entry is a folder whose name is the hash of everything that its content depends on. It is made in a temporary folder
beside its place and moved there in one step, under a lock, so that concurrent processes never see half an entry and
do the work once.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path


def root() -> Path:
    """The cache folder: `FERRATA_CACHE_DIR`, else the platform's user cache folder for ferrata."""
    override = os.environ.get("FERRATA_CACHE_DIR")
    if override:
        return Path(override)
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "ferrata"
    if sys.platform == "linux":
        return Path.home() / ".cache" / "ferrata"
    import platformdirs  # here: the compiler driver's hit path must not pay for it, nor find it (it runs without site)

    return Path(platformdirs.user_cache_dir("ferrata"))


def key(parts: Iterable[str | bytes]) -> str:
    """Hash of the parts, each framed by its length; 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def entry(
    kind: str, name: str, make: Callable[[Path], None], intact: Callable[[Path], bool] = lambda folder: True
) -> Path:
    """The folder `<root>/<kind>/<name>`, made by `make(folder)` if it is not there yet, or no longer `intact(folder)`.

    Safe under concurrent processes and threads: one of them runs `make`, the others wait. If `make` raises, nothing
    is left behind and the exception goes on. Raises CacheNotWritable.
    """
    place = root() / kind / name
    if place.is_dir() and intact(place):
        return place
    import shutil
    import tempfile

    import filelock

    lock = filelock.FileLock(str(place) + ".lock")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as problem:
        raise not_writable(problem) from None
    try:
        if place.is_dir():
            if intact(place):
                return place
            shutil.rmtree(place)
        try:
            work = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=place.parent))
        except OSError as problem:
            raise not_writable(problem) from None
        try:
            make(work)
            work.chmod(0o755)
            work.rename(place)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
    finally:
        lock.release()
    return place


def not_writable(problem: OSError) -> Exception:
    """The error for an OSError met while writing the cache."""
    from ferrata.errors import CacheNotWritable

    return CacheNotWritable(folder=root(), reason=problem.strerror or problem)
