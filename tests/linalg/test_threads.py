from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event, Thread, get_ident

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_info, threadpool_limits

from viewfuse.cluster import METHODS
from viewfuse.datasets import make_views
from viewfuse.linalg import threads as worker


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_concurrent_fits_restore_the_blas_threads():
    before, together = blas_threads(), Barrier(4)

    def work(seed):
        rng = np.random.default_rng(seed)
        a, b = rng.normal(size=(700, 700)), rng.normal(size=(700, 5))
        together.wait(timeout=30)
        return np.abs(worker.matmul(a, b) - a @ b).max()

    for _ in range(5):
        with ThreadPoolExecutor(4) as pool:
            assert max(pool.map(work, range(4))) < 1e-10
        assert blas_threads() == before


def test_an_error_in_a_part_is_raised_and_the_blas_threads_restored():
    before = blas_threads()

    def fail(part, _):
        raise ZeroDivisionError("part")

    with pytest.raises(ZeroDivisionError):
        worker.for_each(fail, [0, 1])
    assert blas_threads() == before


@pytest.mark.parametrize("small", [True, False])  # products, if the BLAS has kernels for them
@pytest.mark.parametrize(("inner", "width"), [(300, 3), (300, 64), (300, 65), (5_000, 20), (0, 2), (300, 0)])
def test_products_in_panels(inner, width, small, monkeypatch):
    monkeypatch.setattr(worker, "_has_small_products", lambda: small)
    rng = np.random.default_rng(0)
    matrix, block = rng.normal(size=(300, inner)), rng.normal(size=(inner, width))
    np.testing.assert_allclose(worker.matmul(matrix, block), matrix @ block, atol=1e-10)
    turned = matrix[:, ::-1]
    np.testing.assert_allclose(worker.matmul(turned, block), turned @ block, atol=1e-10)


@pytest.mark.parametrize(("inner", "width"), [(10, 1), (600, 10), (2_000, 14), (2_000, 64), (100_000, 64), (10**7, 1)])
def test_small_products_are_small(inner, width):
    height, length = worker._small_product(inner, width)
    assert height >= 16
    assert 8 <= length <= inner
    assert height * length * width <= 1_000_000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_row_sums(dtype):
    matrix = np.random.default_rng(0).random((700, 300)).astype(dtype)
    sums = worker.row_sums(matrix)
    assert sums.dtype == dtype
    np.testing.assert_array_equal(sums, matrix.sum(axis=1))


def test_spans_cover_everything_once():
    assert [list(range(10))[part] for part in worker.spans(10, 4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_few_samples_use_one_thread(monkeypatch):
    monkeypatch.setattr(worker, "idle_cores", lambda: 99)
    before = blas_threads()
    with worker.threads_for(500):
        assert set(blas_threads()) == {1}
        np.testing.assert_allclose(worker.matmul(np.eye(600), np.ones((600, 2))), 1)
        with worker.threads_for(500):  # nested, as in an estimator that uses another
            assert set(blas_threads()) == {1}
    assert blas_threads() == before
    with worker.threads_for(501):
        assert blas_threads() == before


def test_collected_keeps_the_order():
    assert worker.collected(lambda part: part**2, [3, 1, 2]) == [9, 1, 4]


def write_tasks(folder, states):
    for i, state in enumerate(states):
        (folder / str(i)).mkdir(parents=True)
        (folder / str(i) / "stat").write_text(f"{i} (a (name) R) {state} 1 2 3\n")


@pytest.mark.parametrize(
    ("running", "own", "idle"),
    [(1, "R", 4), (2, "R", 3), (4, "RS", 1), (9, "R", 1), (4, "RRSR", 3), (3, "RRRR", 4), (2, "S", 3)],
)
def test_cores_of_other_processes_are_left_to_them(running, own, idle, tmp_path, monkeypatch):
    # The threads of this process are its own: those of a BLAS spin for some time after a product.
    load = tmp_path / "loadavg"
    load.write_text(f"0.50 0.40 0.30 {running}/90 12345\n")
    write_tasks(tmp_path / "task", own)
    monkeypatch.setattr(worker, "_LOAD", load)
    monkeypatch.setattr(worker, "_OWN_TASKS", tmp_path / "task")
    monkeypatch.setattr(worker.os, "cpu_count", lambda: 4)
    assert worker.idle_cores() == idle


@pytest.mark.parametrize(
    ("seen", "idle"),
    [([2, 2, 2, 0, 0, 0, 0, 0], 4), ([0, 0, 2, 2, 2, 0, 2, 2], 2), ([1, 1, 1, 1, 1, 0, 0, 0], 4), ([0, 0, 0], 4)],
)
def test_a_task_that_ends_at_once_is_not_a_busy_process(seen, idle, monkeypatch):
    # Half of the fits on a quiet machine ran on one thread: a task of the system waits while threads of a BLAS spin.
    looks = iter(seen)
    monkeypatch.setattr(worker, "_tasks_of_others", lambda: next(looks))
    monkeypatch.setattr(worker.os, "cpu_count", lambda: 4)
    assert worker.idle_cores() == idle
    assert not list(looks)


@pytest.mark.skipif(not worker._OWN_TASKS.exists(), reason="Linux only")
def test_a_thread_of_this_process_that_spins_leaves_its_core_to_us():
    done, numbers = Event(), np.ones((500, 500))
    spinning = Thread(target=lambda: [numbers @ numbers for _ in iter(done.is_set, True)])
    spinning.start()
    try:
        assert max(worker._own_tasks() for _ in range(50)) >= 2
    finally:
        done.set()
        spinning.join()


def test_a_system_that_does_not_tell_its_load_is_idle(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "_LOAD", tmp_path / "missing")
    monkeypatch.setattr(worker.os, "cpu_count", lambda: 4)
    assert worker.idle_cores() == 4


@pytest.mark.parametrize("idle", [1, 2, 3])
def test_no_more_threads_than_idle_cores(idle, monkeypatch):
    monkeypatch.setattr(worker, "idle_cores", lambda: idle)
    before = blas_threads()
    with threadpool_limits(3):
        with worker.threads_for(10_000):
            assert set(blas_threads()) == {idle}
            with worker.worker_threads():
                workers = worker._workers.get()
                assert (1 if workers is None else workers[1]) == idle
                assert set(blas_threads()) == {1}
            assert set(blas_threads()) == {idle}
        assert set(blas_threads()) == {3}
    assert blas_threads() == before
    assert not worker._blas_lock.locked()


@pytest.mark.parametrize("method", ["gfsc", "gf", "auto", "anchor-gfsc", "sc-ave"])
def test_a_fit_on_a_busy_machine_uses_one_thread_of_every_library(method, monkeypatch):
    # Of OpenMP too, which scikit-learn's neighbours and k-means use: its threads wait by spinning like those of a BLAS.
    monkeypatch.setattr(worker, "idle_cores", lambda: 1)
    used = []

    def noting(original):
        def noted(self, *arguments, **options):
            used.extend(worker._thread_numbers())  # not those of libraries that another test has loaded since
            return original(self, *arguments, **options)

        return noted

    monkeypatch.setattr(NearestNeighbors, "kneighbors", noting(NearestNeighbors.kneighbors))
    monkeypatch.setattr(KMeans, "fit", noting(KMeans.fit))
    views = make_views(n_samples=600, n_clusters=3, random_state=0)
    with threadpool_limits(2):
        METHODS[method](3, random_state=0).fit(views)
    assert used
    assert set(used) == {1}


def at_once(monkeypatch, cores):
    monkeypatch.setattr(worker, "idle_cores", lambda: cores)
    return threadpool_limits(4)  # as many as the BLAS would use


def test_computations_run_together_where_cores_are_idle_and_keep_their_order(monkeypatch):
    both = Barrier(2)

    def task(number):
        both.wait(timeout=30)  # passes only if two run at once
        inner = worker.together([get_ident, get_ident])
        return number, inner[0] == inner[1] == get_ident()

    with at_once(monkeypatch, 2), worker.threads_for(10):
        assert worker.together([partial(task, i) for i in range(4)]) == [(i, True) for i in range(4)]


@pytest.mark.parametrize("cores", [1, 2])
def test_computations_run_in_this_thread_without_idle_cores_or_a_limit_on_threads(monkeypatch, cores):
    with at_once(monkeypatch, cores):
        assert worker.together([get_ident, get_ident]) == [get_ident()] * 2
        if cores == 1:
            with worker.threads_for(10):
                assert worker.together([get_ident, get_ident]) == [get_ident()] * 2


def test_computations_that_run_together_have_one_openmp_thread_each(monkeypatch):
    def openmp_threads():
        return {library["num_threads"] for library in worker._openmp().info()}  # not those that other tests loaded later

    with at_once(monkeypatch, 2), worker.threads_for(10):
        assert worker.together([openmp_threads] * 4) == [{1}] * 4


def test_an_error_in_a_computation_is_raised(monkeypatch):
    with at_once(monkeypatch, 2), worker.threads_for(10), pytest.raises(ZeroDivisionError):
        worker.together([lambda: 1 / 0, lambda: 1])


def test_the_clusters_do_not_depend_on_the_idle_cores(monkeypatch):
    views = make_views(n_samples=150, n_clusters=5, noise=6.0, random_state=1)
    found = []
    for cores in (1, 2, 3):
        with at_once(monkeypatch, cores):
            model = METHODS["auto"](5, random_state=0).fit(views)
        found.append((model.choice_.agreement, model.membership_))
    assert found[0][0].shape == (4, 4)  # several candidates were made and weighed
    for agreement, membership in found[1:]:
        np.testing.assert_array_equal(agreement, found[0][0])
        np.testing.assert_array_equal(membership, found[0][1])


def test_one_thread_for_short_steps():
    with worker.one_thread():
        assert set(worker._thread_numbers()) == {1}
