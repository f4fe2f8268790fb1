"""Files that appear whole or not at all, so that a task may be killed at any moment and run twice at once."""

from __future__ import annotations

import itertools
import os
import socket
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from firn.error import FirnError

_numbers = itertools.count()


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Gives a name beside `path` to write to; what is there when the block ends well becomes `path` in one move.

    The name keeps the ending, as Houdini chooses the format by it: ".NAME.0007.HOST.PROCESS.NUMBER.part.bgeo.sc".
    """
    stem, dot, ending = path.name.partition(".")
    digits, _, rest = ending.partition(".")
    if rest and digits.lstrip("-").isdigit():
        stem, ending = f"{stem}.{digits}", rest
    unique = f"{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
    temporary = path.with_name(f".{stem}.{unique}.part{dot}{ending}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        # So that a crash of the machine can't leave an empty file under the final name.
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as trouble:
        raise FirnError(f"{path}: can't be written: {trouble.strerror or trouble}") from trouble
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with new_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
