"""A store of finished results that survives a kill at any moment.

Lines are appended to the file ``cells.jsonl`` and flushed to disk: one line for each session (its command, versions and
code) and one for each finished cell. An incomplete last line, left by a kill, is dropped at the next start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..exceptions import RunInProgressError, ViewsFormatError
from .extras import require

__all__ = ["Store"]

_FILE = "cells.jsonl"
_LOCK = ".lock"


class Store:
    """The results in a folder, or only in memory. Use :meth:`opened`, so that one run at a time writes to the folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = None if folder is None else folder / _FILE
        self.sessions: list[dict[str, Any]] = []
        self.results: dict[str, dict[str, Any]] = {}
        self._read()

    @classmethod
    @contextmanager
    def opened(cls, folder: Path) -> Iterator[Store]:
        """Open the store of a folder and lock it until the block or the process ends."""
        folder.mkdir(parents=True, exist_ok=True)
        filelock = require("filelock", extra="cli")
        try:
            # The operating system releases the lock of a killed process.
            with filelock.FileLock(folder / _LOCK, timeout=0):
                yield cls(folder)
        except filelock.Timeout:
            raise RunInProgressError(
                f"Another run is writing to {folder}; only one run at a time can.",
                hint="Wait for it, stop it, or choose another folder.",
                parameter="folder",
                value=str(folder),
            ) from None

    def begin_session(self, facts: dict[str, Any]) -> None:
        """Append a session; results that are added later belong to it."""
        self.sessions.append(facts)
        self._append({"session": facts})

    def add(self, result: dict[str, Any]) -> None:
        """Append a finished cell to the current session."""
        result = {**result, "session": len(self.sessions) - 1}
        self.results[result["key"]] = result
        self._append({"result": result})

    def _append(self, line: dict[str, Any]) -> None:
        if self.path is None:
            return
        with self.path.open("ab") as file:
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> None:
        if self.path is None or not self.path.exists():
            return
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                entry = json.loads(line)
            except ValueError:
                raise ViewsFormatError(
                    f"{self.path}, line {number}: the line is damaged.",
                    hint="Delete this line; its cell is then computed again.",
                ) from None
            if "session" in entry:
                self.sessions.append(entry["session"])
            else:
                self.results[entry["result"]["key"]] = entry["result"]
