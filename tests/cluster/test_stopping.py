"""A fit that is stopped, by the clock or by Ctrl-C, returns what it has and says that it has not settled."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from viewfuse.cluster import METHODS
from viewfuse.exceptions import ConvergenceWarning, ParameterError

ITERATIVE = ["gfsc", "gf", "anchor-gfsc"]


def views():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(60, 5)) + 2 * (np.arange(60) % 3 == v)[:, None] for v in range(3)]


@pytest.mark.parametrize("key", ITERATIVE)
def test_max_time_ends_it_after_a_sweep(key):
    model = METHODS[key](3, max_time=1e-9, tol=0.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"was stopped by max_time=1e-09 seconds after 1 sweep:.*the result so far"):
        model.fit(views())
    assert model.n_iter_ == 1
    assert not model.converged_
    assert np.unique(model.labels_).tolist() == [0, 1, 2]
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("key", ITERATIVE)
def test_time_enough_changes_nothing(key):
    limited = METHODS[key](3, max_time=1e6, random_state=0).fit(views())
    assert np.array_equal(limited.labels_, METHODS[key](3, random_state=0).fit(views()).labels_)
    for wrong in (0, -1, "1h", float("nan")):
        with pytest.raises(ParameterError, match="max_time"):
            METHODS[key](3, max_time=wrong).fit(views())


INTERRUPTED = """
import os, signal, sys, warnings
import numpy as np, viewfuse as vf
from viewfuse._utils import progress as _watch
presses = int(sys.argv[2])
ask = _watch.Stop.__call__
def press(self, sweep, *rest):
    if sweep == 2:
        for _ in range(presses):
            os.kill(os.getpid(), signal.SIGINT)
    return ask(self, sweep, *rest)
_watch.Stop.__call__ = press
rng = np.random.default_rng(0)
views = [rng.normal(size=(60, 5)) for v in range(3)]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = vf.METHODS[sys.argv[1]](3, tol=0.0, random_state=0).fit(views)
print(model.n_iter_, model.converged_, sorted(set(model.labels_.tolist())), caught[0].message)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


def interrupted(key, presses):
    command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), key, str(presses)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ, check=False)


@pytest.mark.parametrize("key", ["gfsc", "anchor-gfsc"])
def test_ctrl_c_keeps_the_result_so_far(key):
    done = interrupted(key, 1)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 False [0, 1, 2]")
    assert "was stopped by Ctrl-C after 2 sweeps" in done.stdout


def test_a_second_ctrl_c_ends_at_once():
    done = interrupted("gfsc", 2)
    assert done.returncode == -signal.SIGINT or "KeyboardInterrupt" in done.stderr
    assert done.stdout == ""


def test_another_handler_of_ctrl_c_stays_in_place():
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        METHODS["gfsc"](3, random_state=0).fit(views())
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [1]
