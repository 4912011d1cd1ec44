"""Write files atomically: to a temporary file that is then renamed, so that a crash leaves the old file unchanged."""

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
    """Give a temporary path in the same folder; at the end of the block the file there is flushed and renamed to ``path``.

    A process that is killed in the block leaves a hidden file ``.name.number.partial``, which is never read.
    """
    path = path.resolve()  # write through a symbolic link instead of replacing it
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    # Keep the suffix: some writers choose the format by it.
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
            error.filename = str(path)  # errors such as a full disk name no file, or the temporary one
        raise
    finally:
        with suppress(OSError):  # on a read-only file system even unlinking a missing file may fail
            temporary.unlink(missing_ok=True)
