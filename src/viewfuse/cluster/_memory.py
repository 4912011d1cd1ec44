"""Memory that a fit on n × n graphs needs, compared with what is available before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..exceptions import NotEnoughMemoryError

__all__ = ["MemoryDemand", "available_memory", "check_memory", "gibibytes"]


_JUDGED = 2_000  # samples that a verdict is made of


@dataclass(frozen=True)
class MemoryDemand:
    """Peak memory of a fit of t views, in n × n arrays of doubles: ``fixed + per_view · t``, and more for high ranks.

    ``wide`` is added once and ``wide_per_view`` for each view, both in proportion to rank / n; ``judged`` and
    ``judged_per_view`` likewise, for what is made of at most 2,000 samples; ``per_judged`` is the number of doubles that
    each of these needs whatever the columns, such as those of the graphs of clouds. An estimator declares its demand as
    the class attribute ``_memory_demand``. The numbers of viewfuse's estimators are measured; a test compares them with
    the memory that fits take.
    """

    fixed: float
    per_view: float = 0.0
    wide: float = 0.0
    wide_per_view: float = 0.0
    judged: float = 0.0
    judged_per_view: float = 0.0
    per_judged: float = 0.0

    def bytes(self, arrays: Sequence[Any]) -> int:
        """Bytes that a fit of these views needs at its peak, approximately."""
        n = int(arrays[0].shape[0])
        ranks = [min(int(array.shape[1]), n) / n for array in arrays]
        square = self.fixed + self.per_view * len(ranks) + self.wide * max(ranks) + self.wide_per_view * sum(ranks)
        some = min(n, _JUDGED)
        narrow = [min(int(array.shape[1]), some) for array in arrays]
        judging = self.per_judged + self.judged * max(narrow) + self.judged_per_view * sum(narrow)
        return int(8 * (n * n * square + some * judging))


def check_memory(model: Any, needed: int, n_samples: int, available: int | None = None) -> None:
    """Raise NotEnoughMemoryError if a fit would not fit into ``available`` bytes, by default those of this process."""
    available = available_memory() if available is None else available
    if available is None or needed <= available:
        return
    elsewhere = ", another device=" if hasattr(model, "device") else ""
    raise NotEnoughMemoryError(
        f"{type(model).__name__} of {n_samples:,} samples needs about {needed:,} bytes ({gibibytes(needed)}), but only "
        f"{available:,} ({gibibytes(available)}) are available.",
        hint="Use AnchorGFSC, whose memory grows linearly with the number of samples, fewer samples"
        f"{elsewhere}, or a machine with more memory.",
        value=needed,
    )


def available_memory() -> int | None:
    """Bytes that this process can still allocate: the least of the free memory and all limits; None if unknown."""
    return min((max(room, 0) for room in _limits()), default=None)


def _limits() -> Iterator[int]:
    """Bytes left by the machine, by the limits of the process (``ulimit``) and by each of its control groups."""
    yield from _free_on_machine()
    yield from _under_process_limits()
    yield from _under_control_groups()


def _free_on_machine() -> Iterator[int]:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _under_process_limits() -> Iterator[int]:
    try:
        import resource
    except ImportError:  # not a Unix
        return
    sizes = [int(size) * os.sysconf("SC_PAGE_SIZE") for line in _lines(Path("/proc/self/statm")) for size in line.split()]
    used = {resource.RLIMIT_AS: 0, resource.RLIMIT_DATA: 5}  # position in statm of the size that each limit bounds
    for limit, position in used.items():
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY and sizes:
            yield most - sizes[position]


def _under_control_groups(root: Path = Path("/sys/fs/cgroup"), groups: Path = Path("/proc/self/cgroup")) -> Iterator[int]:
    for line in _lines(groups):
        _, controllers, name = line.split(":", 2)
        if controllers == "":
            yield from _up_the_tree(root, name, "memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            yield from _up_the_tree(root / "memory", name, "memory.limit_in_bytes", "memory.usage_in_bytes")


def _up_the_tree(root: Path, name: str, limit: str, usage: str) -> Iterator[int]:
    """The limits of a group and of all groups that contain it. Memory of cached files counts as free."""
    group = root / name.strip("/")
    for folder in (group, *group.parents):
        if not folder.is_relative_to(root):
            break
        most, used = _lines(folder / limit), _lines(folder / usage)
        if most and used and most[0].isdigit():
            yield int(most[0]) - int(used[0]) + _cached_files(folder)


def _cached_files(folder: Path) -> int:
    names = ("inactive_file ", "active_file ")
    return sum(int(line.split()[1]) for line in _lines(folder / "memory.stat") if line.startswith(names))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def gibibytes(size: int) -> str:
    return f"{size / 2**30:.3g} GiB"
