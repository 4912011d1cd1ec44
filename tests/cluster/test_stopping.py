"""Stopping a fit by ``max_time``, by ``callback`` and by Ctrl-C."""

import os
import pickle
import signal
import threading

import numpy as np
import pytest
from sklearn.base import clone

import viewfuse as vf
from viewfuse.cluster import METHODS
from viewfuse.exceptions import ConvergenceWarning, ParameterError, ViewfuseWarning
from viewfuse.fusion import Sweep

ITERATIVE = ["gfsc", "gf", "anchor-gfsc"]


def views():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(60, 5)) + 2 * (np.arange(60) % 3 == v)[:, None] for v in range(3)]


def stop_at(iteration):
    return lambda number, _: number == iteration


@pytest.mark.parametrize("key", ITERATIVE)
def test_max_time_stops_after_an_iteration_and_keeps_the_result(key):
    model = METHODS[key](3, max_time=1e-9, tol=0.0, random_state=0)
    message = r"was stopped by max_time=1e-09 seconds after 1 iteration: .*The result so far is kept"
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        model.fit(views())
    assert (caught[0].message.parameter, caught[0].message.value) == ("max_time", 1e-9)
    assert (model.n_iter_, model.converged_, model.stopped_) == (1, False, "max_time")
    assert np.unique(model.labels_).tolist() == [0, 1, 2]
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("key", ITERATIVE)
def test_a_long_max_time_changes_nothing(key):
    limited = METHODS[key](3, max_time=1e6, random_state=0).fit(views())
    assert np.array_equal(limited.labels_, METHODS[key](3, random_state=0).fit(views()).labels_)
    assert limited.converged_
    assert limited.stopped_ is None
    for wrong in (0, -1, "1h", float("nan")):
        with pytest.raises(ParameterError, match="max_time"):
            METHODS[key](3, max_time=wrong).fit(views())


@pytest.mark.parametrize("key", ITERATIVE)
def test_max_iter_is_not_recorded_as_a_stop(key):
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations.*Increase max_iter"):
        model = METHODS[key](3, max_iter=2, tol=0.0, random_state=0).fit(views())
    assert (model.n_iter_, model.converged_, model.stopped_) == (2, False, None)


@pytest.mark.parametrize("key", ITERATIVE)
def test_a_callback_that_returns_true_stops_and_keeps_the_result(key):
    model = METHODS[key](3, callback=stop_at(2), tol=0.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="was stopped by the callback after 2 iterations") as caught:
        model.fit(views())
    assert caught[0].message.parameter == "callback"
    assert (model.n_iter_, model.converged_, model.stopped_) == (2, False, "callback")
    assert np.unique(model.labels_).tolist() == [0, 1, 2]
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        expected = METHODS[key](3, max_iter=2, tol=0.0, random_state=0).fit(views())
    assert np.array_equal(model.labels_, expected.labels_)


@pytest.mark.parametrize("key", ITERATIVE)
def test_a_callback_gets_every_iteration_with_weights_in_the_order_of_the_views(key):
    seen = []
    data = {"longest name": views()[0], "constant": np.ones((60, 2)), "b": views()[1]}
    with pytest.warns(ViewfuseWarning, match="'constant' is constant"):
        model = METHODS[key](3, callback=lambda *state: seen.append(state), random_state=0).fit(data)
    assert [iteration for iteration, _ in seen] == list(range(1, model.n_iter_ + 1))
    assert all(isinstance(state, Sweep) for _, state in seen)
    assert np.array_equal([state.weights for _, state in seen], model.history_["weights"])
    assert [state.change for _, state in seen] == model.history_["change"].tolist()
    assert [state.objective for _, state in seen] == model.history_["objective"].tolist()
    assert model.stopped_ is None
    called = len(seen)
    _ = model.view_report_  # fits of its own
    assert len(seen) == called


@pytest.mark.parametrize("key", ITERATIVE)
def test_a_callback_is_a_parameter_that_save_leaves_out(key, tmp_path):
    callback = stop_at(10**6)
    model = METHODS[key](3, callback=callback, random_state=0)
    assert clone(model).get_params()["callback"] is callback
    model.fit(views())
    again = vf.load(model.save(tmp_path / "fit.model"))
    assert again.callback is None
    assert again.stopped_ is None
    assert np.array_equal(again.labels_, model.labels_)
    assert pickle.loads(pickle.dumps(model.set_params(callback=None))).callback is None
    with pytest.raises(ParameterError, match="callback must be a function, or None; got 3"):
        METHODS[key](3, callback=3).fit(views())


@pytest.mark.parametrize("key", ITERATIVE)
def test_ctrl_c_raises_keyboard_interrupt_from_fit(key):
    before = signal.getsignal(signal.SIGINT)

    def press(iteration, _):
        assert signal.getsignal(signal.SIGINT) is before  # fit has installed no handler of its own
        if iteration == 2:
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(5)  # the interrupt ends the wait

    model = METHODS[key](3, callback=press, tol=0.0, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(views())
    assert not hasattr(model, "labels_")
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("key", ITERATIVE)
def test_a_handler_of_the_program_stays_installed_and_can_stop_the_fit(key):
    pressed = []

    def handler(*_):
        pressed.append(1)

    def press_and_ask(iteration, _):
        if iteration == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return bool(pressed)

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.warns(ConvergenceWarning, match="was stopped by the callback"):
            model = METHODS[key](3, callback=press_and_ask, tol=0.0, random_state=0).fit(views())
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [1]
    assert 2 <= model.n_iter_ <= 3
    assert model.stopped_ == "callback"
