"""Files into a folder, whole or not at all: written beside it and moved there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ferrata.errors import FolderInUse


def check(folder: Path, force: bool) -> None:
    """Raise FolderInUse when the folder holds something and `force` is not given."""
    if folder.exists() and not folder.is_dir():
        raise FolderInUse(folder=folder, help="It is a file; choose another name.")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise FolderInUse(folder=folder, help="Choose another folder, or replace the files in it with --force.")


def write(folder: Path, files: Mapping[str, str], force: bool = False) -> list[Path]:
    """Write the files; names may have folders in them. force: files of these names are replaced, others stay.

    Raises FolderInUse. Nothing is left behind when writing fails.
    """
    check(folder, force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for name, text in files.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        work.chmod(0o755)
        if folder.is_dir() and any(folder.iterdir()):
            for name in files:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).replace(folder / name)
        else:
            if folder.is_dir():
                folder.rmdir()
            work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return [folder / name for name in files]
