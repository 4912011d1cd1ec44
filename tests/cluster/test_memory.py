"""Memory of fits on n × n graphs: estimated and checked before anything is allocated."""

import os
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import viewfuse as vf
from viewfuse.cluster import METHODS, _memory
from viewfuse.cluster.baselines.base import AffinityMethod, GraphMethod
from viewfuse.exceptions import NotEnoughMemoryError, ViewfuseWarning

SQUARE = [key for key, method in METHODS.items() if method._memory_demand is not None]
MEASURED = [key for key in SQUARE if METHODS[key]._memory_demand is not AffinityMethod._memory_demand]


@pytest.mark.parametrize("key", MEASURED)
@pytest.mark.parametrize(("n_views", "n_features"), [(1, 10), (3, 10), (2, 500), (8, 500)])
def test_the_estimate_is_close_to_the_memory_that_a_fit_takes(key, n_views, n_features):
    rng = np.random.default_rng(0)
    groups = np.arange(400) % 3
    views = [rng.normal(size=(400, n_features)) + 3 * (groups == v % 3)[:, None] for v in range(n_views)]
    model = METHODS[key](3, random_state=0)
    for name, value in (("n_init", 1), ("max_iter", 2)):
        if hasattr(model, name):
            model.set_params(**{name: value})
    # Every thread has its own tiles and small dense graphs, which would need more memory than the graphs of so few samples.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ViewfuseWarning)
        model.fit([view[:30] for view in views])  # memory of modules that the first fit imports does not count
        tracemalloc.start()
        try:
            model.fit(views)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    needed = model._demand().bytes(views)
    assert 0.5 * needed < peak < 1.5 * needed


@pytest.mark.parametrize("key", SQUARE)
def test_a_fit_that_needs_too_much_memory_is_refused_before_it_allocates(key, monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 10**6)
    with pytest.raises(
        NotEnoughMemoryError, match=r"500 samples needs about [\d,]{8,} bytes .* only 1,000,000 .*AnchorGFSC"
    ):
        METHODS[key](3).fit([np.random.default_rng(0).normal(size=(500, 3))])


def test_methods_without_square_arrays_are_not_refused(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 0)
    views = [np.random.default_rng(0).normal(size=(60, 3))]
    for key in ("km", "rmkmc", "mspl", "anchor-gfsc"):
        assert key not in SQUARE
        assert METHODS[key](2, random_state=0).fit(views).labels_.shape == (60,)


class Derived(METHODS["amgl"]):
    pass


class Plugin(GraphMethod):
    """Declares no memory demand."""

    def __init__(self, n_clusters=8, *, affinity="cosine", n_neighbors=None, alpha=1.0, scaling="min-max", views=None):
        self.n_clusters, self.affinity, self.n_neighbors = n_clusters, affinity, n_neighbors
        self.alpha, self.scaling, self.views = alpha, scaling, views


@pytest.mark.parametrize("method", [Derived, Plugin])
def test_a_subclass_is_checked_without_declaring_anything(method, monkeypatch):
    assert "_memory_demand" not in vars(method)
    monkeypatch.setattr(_memory, "available_memory", lambda: 10**6)
    with pytest.raises(NotEnoughMemoryError, match=rf"{method.__name__} of 500 samples needs about") as raised:
        method(3).fit([np.random.default_rng(0).normal(size=(500, 3))])
    assert "AnchorGFSC" in raised.value.hint


LIMITED = """
import numpy as np, viewfuse as vf
x = np.random.default_rng(0).normal(size=({n}, 2))
print(vf.GFSC(3, random_state=0).fit([x, x + 1]).labels_.shape)
"""


def under_limit(n, kilobytes=3_000_000):
    """Fit n samples in a process whose address space is limited, as by ``ulimit -v``."""
    script = f'ulimit -v {kilobytes} && exec "$0" -c "$1"'
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = ["bash", "-c", script, sys.executable, LIMITED.format(n=n)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits are read from Linux's /proc")
def test_under_a_real_limit():
    refused = under_limit(20_000)
    assert refused.returncode == 1
    last = refused.stderr.strip().splitlines()[-1]
    assert "NotEnoughMemoryError: GFSC of 20,000 samples needs about 9," in last
    assert "AnchorGFSC" in last
    assert "device=" in last
    assert under_limit(500).stdout == "(500,)\n"


def test_control_groups_of_both_versions_limit_the_memory(tmp_path):
    def group(folder, **files):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text)

    second = tmp_path / "v2"
    group(second / "outer", memory__max="1000\n", memory__current="400\n", memory__stat="inactive_file 100\nanon 5\n")
    group(second / "outer" / "inner", memory__max="max\n", memory__current="200\n")
    (tmp_path / "groups2").write_text("0::/outer/inner\n")
    assert list(_memory._under_control_groups(second, tmp_path / "groups2")) == [700]
    first = tmp_path / "v1"
    group(first / "memory" / "job", memory__limit_in_bytes="5000\n", memory__usage_in_bytes="6000\n")
    (tmp_path / "groups1").write_text("4:memory:/job\n3:cpuset:/\n")
    assert list(_memory._under_control_groups(first, tmp_path / "groups1")) == [-1000]
    assert list(_memory._under_control_groups(tmp_path, tmp_path / "none")) == []


def test_some_memory_is_available():
    available = _memory.available_memory()
    assert available is None or available > 10**7


def test_running_out_of_memory_during_a_fit_says_what_to_do(monkeypatch):
    def fails(*_, **__):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr(vf.GFSC, "_fuse", fails)
    with pytest.raises(NotEnoughMemoryError, match=r"GFSC ran out of memory \(Unable to allocate 7 TiB\).*AnchorGFSC"):
        vf.GFSC(2).fit([np.random.default_rng(0).normal(size=(20, 3))])
