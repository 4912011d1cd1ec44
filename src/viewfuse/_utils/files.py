"""Files that are whole or not there: written beside their place and renamed, so a crash leaves the old one as it was."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to, which takes its place only when all is written and on disk.

    A process killed meanwhile leaves a hidden ``.name.number.partial`` file behind, which nothing ever reads.
    """
    path = path.resolve()  # a link stays a link
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    # The suffix is kept, because some writers choose the format by it.
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is not None and (error.filename is None or str(error.filename) == str(temporary)):
            error.filename = str(path)  # a full disk names no file, and nobody knows the temporary one
        raise
    finally:
        with suppress(OSError):  # where nothing can be written there is nothing to remove, but not all systems say so
            temporary.unlink(missing_ok=True)
