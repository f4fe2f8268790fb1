"""One at a time, across processes and machines that share a folder."""

from __future__ import annotations

import os
import socket
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from firn.error import FirnError

#: A lock that is older belongs to a process that died: building the asset takes seconds.
STALE_SECONDS = 300.0

WINDOWS = os.name == "nt"


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _owner(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() or "somebody"
    except OSError:
        return "somebody"


def _take(path: Path) -> bool:
    try:
        # The one call that every file system, also NFS, makes exclusive.
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    except PermissionError:
        if WINDOWS and path.parent.is_dir():
            return False  # what it says of a file that its owner is just deleting
        raise
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    return True


def _remove_stale(path: Path) -> None:
    """Renames before it deletes: of two that find the same dead lock, one wins, and neither deletes a new one."""
    if _age(path) < STALE_SECONDS:
        return
    grave = path.with_name(f"{path.name}.{os.getpid()}.stale")
    try:
        os.replace(path, grave)
        grave.unlink()
    except OSError:
        pass


@contextmanager
def held(path: Path, patience: float = 60.0, pause: float = 0.1) -> Iterator[None]:
    """Holds the lock file while the block runs. Waits up to `patience` seconds for another owner."""
    deadline = time.monotonic() + patience
    try:
        while not _take(path):
            _remove_stale(path)
            if time.monotonic() > deadline:
                raise FirnError(
                    f"{path} is held by {_owner(path)} for too long: if no other Houdini is starting, delete that file"
                )
            time.sleep(pause)
    except OSError as trouble:
        raise FirnError(f"{path} can't be made ({trouble.strerror}): is the folder writable?") from trouble
    try:
        yield
    finally:
        try:
            path.unlink()
        except OSError:
            pass
