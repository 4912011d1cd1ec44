"""Whether a fit on n × n graphs has room, asked before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..exceptions import NotEnoughMemoryError

__all__ = ["available_memory", "check_memory", "memory_needed"]


@dataclass(frozen=True)
class _Demand:
    """The peak of a fit in n × n arrays of doubles: ``fixed + per_view · t``, and more for views of high rank.

    ``wide`` is added once and ``wide_per_view`` for each view, both in proportion to rank / n. All are measured;
    a test holds them to what fits take.
    """

    fixed: float
    per_view: float = 0.0
    wide: float = 0.0
    wide_per_view: float = 0.0

    def arrays(self, ranks: Sequence[float]) -> float:
        """How many for views of these ranks, as shares of n."""
        return self.fixed + self.per_view * len(ranks) + self.wide * max(ranks) + self.wide_per_view * sum(ranks)


_ROBUST, _DOUBLE = _Demand(3.1, wide_per_view=0.5), _Demand(6.2, wide_per_view=1.0)
_DEMANDS = {
    "GFSC": _DOUBLE,
    "GF": _DOUBLE,
    "SC": _Demand(5.0, 0.4, 1.5),
    "SCAve": _Demand(4.1, 1.0, 1.6),
    "CoTrain": _Demand(4.1, 1.0, 2.2),
    "CoReg": _Demand(3.6, 1.5, 1.5),
    "MVKKM": _Demand(1.1, 1.0, 3.1),
    "AMGL": _Demand(3.0, 2.2, 1.5),
    "MVSC": _Demand(3.0, 1.15, 1.2, 4.0),
    "DiMSC": _Demand(3.4, 1.8, 3.0, 5.5),
    "IMVSC": _Demand(4.5, 4.3, 2.4, 5.6),
}


def memory_needed(model: Any, arrays: Sequence[Any]) -> int | None:
    """Bytes that a fit of these views takes at its peak, about; None for a method that makes no n × n array."""
    demand = _DEMANDS.get(type(model).__name__)
    if demand is _DOUBLE and model.variant == "robust":
        demand = _ROBUST
    if demand is None:
        return None
    n = int(arrays[0].shape[0])
    return int(8 * n * n * demand.arrays([min(int(array.shape[1]), n) / n for array in arrays]))


def check_memory(model: Any, arrays: Sequence[Any], available: int | None = None) -> None:
    """Raise NotEnoughMemoryError if a fit of these views would not fit into ``available`` bytes, or what there is."""
    needed = memory_needed(model, arrays)
    available = available_memory() if available is None else available
    if needed is None or available is None or needed <= available:
        return
    elsewhere = ", another device=" if hasattr(model, "device") else ""
    raise NotEnoughMemoryError(
        f"{type(model).__name__} of {arrays[0].shape[0]:,} samples needs about {needed:,} bytes ({_gib(needed)}), but only "
        f"{available:,} ({_gib(available)}) can be had here. Use AnchorGFSC, whose memory grows with the samples and not "
        f"with their square, fewer samples{elsewhere}, or a machine with more memory."
    )


def available_memory() -> int | None:
    """Bytes this process can still get: the least of what is free and what its limits leave; None where nobody can say."""
    return min((max(room, 0) for room in _rooms()), default=None)


def _rooms() -> Iterator[int]:
    """What the machine, the limits of the process (``ulimit``) and its control groups each leave."""
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
    used = {resource.RLIMIT_AS: 0, resource.RLIMIT_DATA: 5}  # where statm tells the size that each limit bounds
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
    """A group is bound by its own limit and by those of all groups around it; files it has read can be dropped."""
    group = root / name.strip("/")
    for folder in (group, *group.parents):
        if not folder.is_relative_to(root):
            break
        most, used = _lines(folder / limit), _lines(folder / usage)
        if most and used and most[0].isdigit():
            yield int(most[0]) - int(used[0]) + _droppable(folder)


def _droppable(folder: Path) -> int:
    names = ("inactive_file ", "active_file ")
    return sum(int(line.split()[1]) for line in _lines(folder / "memory.stat") if line.startswith(names))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _gib(size: int) -> str:
    return f"{size / 2**30:.3g} GiB"
