"""Many fits in one process, and several at once: the same labels, and nothing left behind."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import sklearn
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info

import viewfuse as vf
from viewfuse._utils.warn import ignoring
from viewfuse.exceptions import UninformativeViewWarning

# These clusters touch, so that seeds may give other labels; the verdict on them is not tested here.
pytestmark = [
    pytest.mark.filterwarnings("ignore::viewfuse.exceptions.NoStructureWarning"),
    pytest.mark.filterwarnings("ignore::viewfuse.exceptions.UnstableClustersWarning"),
]
VIEWS = vf.datasets.make_views(n_samples=120, n_clusters=4, n_features=(6, 9), noise=3.0, random_state=0)
TASKS = [(key, seed) for key in ("auto", "gfsc", "anchor-gfsc", "km") for seed in (0, 1)]  # eight


def labels_in_a_thread(task):
    key, seed = task
    return vf.METHODS[key](n_clusters=4, random_state=seed).fit(VIEWS).labels_.tolist()


def labels_in_a_process(task):
    warnings.simplefilter("ignore")
    return labels_in_a_thread(task)


@pytest.fixture(scope="module")
def one_after_the_other():
    with warnings.catch_warnings():
        return [labels_in_a_process(task) for task in TASKS]


def global_state():
    """The settings of the process that a fit could change."""
    import matplotlib

    return {
        "warning filters": [tuple(getattr(part, "pattern", part) for part in one) for one in warnings.filters],
        "how warnings are shown": warnings.showwarning,
        "NumPy's error state": (np.geterr(), np.geterrcall()),
        "thread limits": [(library["filepath"], library["num_threads"]) for library in threadpool_info()],
        "signal handlers": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)],
        "matplotlib's backend": matplotlib.rcParams._get("backend"),
        "NumPy's global random numbers": np.random.get_state()[1].tolist(),  # noqa: NPY002
        "Python's global random numbers": random.getstate(),
        "scikit-learn's settings": sklearn.get_config(),
        "environment": dict(os.environ),
        "working directory": os.getcwd(),
    }


def assert_same_state(before):
    after = global_state()
    for name, value in before.items():
        assert after[name] == value, name


def test_eight_fits_at_once_in_threads(one_after_the_other):
    before = global_state()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(labels_in_a_thread, TASKS)) == one_after_the_other
    assert_same_state(before)
    with pytest.warns(UninformativeViewWarning, match="constant"):  # warnings are still given
        vf.GFSC(4, random_state=0).fit([*VIEWS.arrays, np.ones((120, 2))])


@pytest.mark.parametrize("start", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # of fork, from Python 3.12 on
def test_four_fits_at_once_in_processes(one_after_the_other, start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{start} is not available on this system")
    context = multiprocessing.get_context(start)
    with context.Pool(4) as pool:  # ends its processes, also if they wait for ever
        assert pool.map_async(labels_in_a_process, TASKS).get(timeout=300) == one_after_the_other


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_inside_joblib(one_after_the_other, backend):
    run = labels_in_a_process if backend == "loky" else labels_in_a_thread
    assert Parallel(n_jobs=4, backend=backend)(delayed(run)(task) for task in TASKS) == one_after_the_other


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_fits_inside_dask(one_after_the_other, scheduler):
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    run = labels_in_a_process if scheduler == "processes" else labels_in_a_thread
    tasks = [dask.delayed(run)(task) for task in TASKS]
    assert list(dask.compute(*tasks, scheduler=scheduler, num_workers=4)) == one_after_the_other


LARGE = vf.datasets.make_views(n_samples=1200, n_clusters=4, n_features=(6, 9), random_state=0)


def labels_of_large_views(key):
    warnings.simplefilter("ignore")
    return vf.METHODS[key](n_clusters=4, random_state=0).fit(LARGE).labels_.tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("key", ["auto", "gfsc", "anchor-gfsc", "km"])
def test_fork_after_a_fit_with_several_threads(key):
    """GNU's OpenMP, which scikit-learn uses, waits for threads that a forked process does not have."""
    KMeans(4, n_init=1, random_state=0).fit(LARGE.arrays[0])  # starts the threads of OpenMP
    expected = labels_of_large_views(key)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(labels_of_large_views, (key,)).get(timeout=120) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_fork_while_another_thread_holds_the_lock_of_the_filters(one_after_the_other):
    """The child has no such thread, so nobody would ever release the lock."""
    held, done = threading.Event(), threading.Event()

    def hold():
        with ignoring("a text"):
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = multiprocessing.get_context("fork").Process(target=labels_in_a_process, args=(TASKS[0],))
    child.start()
    child.join(60)
    alive = child.is_alive()
    child.kill()
    done.set()
    thread.join()
    assert not alive
    assert child.exitcode == 0


def test_a_fit_inside_a_jupyter_kernel():
    manager = pytest.importorskip("jupyter_client.manager", reason="Jupyter's client is not installed")
    pytest.importorskip("ipykernel", reason="Jupyter's kernel is not installed")
    code = """
import viewfuse as vf
views = vf.datasets.make_views(n_samples=120, n_clusters=4, n_features=(6, 9), noise=3.0, random_state=0)
model = vf.GFSC(4, random_state=0).fit(views)
model
"""
    kernel, client = manager.start_new_kernel()  # that of this Python
    shown = []
    try:
        reply = client.execute_interactive(code, timeout=120, output_hook=lambda message: shown.append(message["content"]))
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok", shown
    assert any("<" in content.get("data", {}).get("text/html", "") for content in shown)


MANY_FITS = """
import gc, json, os, sys, warnings
sys.path.insert(0, TESTS)
import numpy as np
import psutil
import viewfuse as vf
from cluster.test_load import assert_same_state, global_state

warnings.simplefilter("ignore")
views = vf.datasets.make_views(n_samples=300, n_clusters=4, n_features=(6, 9), noise=3.0, random_state=0)
process = psutil.Process()

def fits(count):
    for i in range(count):
        key = list(vf.METHODS)[i % len(vf.METHODS)]
        vf.METHODS[key](n_clusters=4, random_state=i).fit(views)

def measured():
    gc.collect()
    return {"bytes": process.memory_info().rss, "threads": process.num_threads(), "handles": process.num_fds()}

fits(2 * len(vf.METHODS))  # what is imported, compiled and cached once
before, state = measured(), global_state()
fits(200)
assert_same_state(state)
print(json.dumps([before, measured()]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts handles and threads as Linux does")
def test_two_hundred_fits_leave_nothing_behind():
    pytest.importorskip("psutil", reason="psutil is not installed")
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    code = MANY_FITS.replace("TESTS", repr(str(Path(__file__).parents[1])))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stderr
    before, after = json.loads(ended.stdout)
    assert after["threads"] == before["threads"]
    assert after["handles"] == before["handles"]
    # A graph of these samples has 0.7 MB: one that was kept by every fit would take 140 MB.
    assert after["bytes"] - before["bytes"] < 30e6
