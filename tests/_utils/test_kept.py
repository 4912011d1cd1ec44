"""Settings of the process after computations at once."""

import threading

import pytest

from viewfuse._utils.kept import Kept


class Setting:
    def __init__(self):
        self.value, self.written = 0, []

    def kept(self):
        return Kept(lambda: self.value, self.write)

    def write(self, value):
        self.value = value
        self.written.append(value)


@pytest.fixture
def setting():
    return Setting()


def run_at_once(kept, *tasks):
    """Run the tasks such that all are inside before the first leaves; each leaves when the one before it has left."""
    inside = threading.Barrier(len(tasks))
    left = [threading.Event() for _ in range(len(tasks) + 1)]
    left[0].set()

    def run(i):
        with kept():
            tasks[i]()
            inside.wait()
            left[i].wait()
        left[i + 1].set()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_the_last_of_several_restores_what_the_first_found(setting):
    run_at_once(setting.kept(), lambda: setattr(setting, "value", 1), lambda: setattr(setting, "value", 2))
    assert setting.value == 0
    assert setting.written == [0]


def test_nothing_is_written_if_nothing_has_changed(setting):
    run_at_once(setting.kept(), lambda: None, lambda: None)
    assert setting.written == []


def test_a_computation_alone_may_change_the_setting(setting):
    """A callback of the user may do so on purpose."""
    kept = setting.kept()
    with kept(), kept():
        setting.value = 5
    assert setting.value == 5


def test_an_error_does_not_matter(setting):
    kept = setting.kept()
    with pytest.raises(ZeroDivisionError), kept():
        1 / 0  # noqa: B018
    run_at_once(kept, lambda: setattr(setting, "value", 1), lambda: None)
    assert setting.value == 0
