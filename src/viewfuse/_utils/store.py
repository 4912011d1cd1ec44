"""What has been computed, kept so that a kill at any moment loses nothing that was finished.

One file, ``cells.jsonl``, to which whole lines are appended and forced to the disk: one line for each session (its command,
versions, code) and one for each finished cell. A line cut short by a kill is dropped at the next start.
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
    """The results in a folder. Use :meth:`opened`: two runs may not write to one folder at once."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _FILE
        self.sessions: list[dict[str, Any]] = []
        self.results: dict[str, dict[str, Any]] = {}
        self._read()

    @classmethod
    @contextmanager
    def opened(cls, folder: Path) -> Iterator[Store]:
        """The store of a folder, which is this run's alone until the block ends or the process does."""
        folder.mkdir(parents=True, exist_ok=True)
        filelock = require("filelock", extra="cli")
        try:
            # The operating system holds the lock, so that of a killed run is free at once.
            with filelock.FileLock(folder / _LOCK, timeout=0):
                yield cls(folder)
        except filelock.Timeout:
            raise RunInProgressError(
                f"Another run is at work in {folder}. Wait for it, stop it, or choose another folder with --output."
            ) from None

    def begin_session(self, facts: dict[str, Any]) -> None:
        self.sessions.append(facts)
        self._append({"session": facts})

    def add(self, result: dict[str, Any]) -> None:
        """Append a finished cell, of the current session."""
        result = {**result, "session": len(self.sessions) - 1}
        self.results[result["key"]] = result
        self._append({"result": result})

    def _append(self, line: dict[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> None:
        if not self.path.exists():
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
                    f"{self.path}, line {number}: not a line of ours; delete that line to compute its cell again."
                ) from None
            if "session" in entry:
                self.sessions.append(entry["session"])
            else:
                self.results[entry["result"]["key"]] = entry["result"]
